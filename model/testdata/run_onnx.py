"""Runs every NAME.onnx of a folder by onnxruntime on the inputs of NAME.json and writes NAME.out.json."""
import json, pathlib, sys
import numpy, onnxruntime

for model in sorted(pathlib.Path(sys.argv[1]).glob("*.onnx")):
    try:
        session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
        feed = {}
        given = json.loads(model.with_suffix(".json").read_text())
        for i in session.get_inputs():
            kind = numpy.float64 if "double" in i.type else object
            values = [[float(v) if kind is numpy.float64 else v for v in row] for row in given[i.name]]
            feed[i.name] = numpy.array(values, dtype=kind)
        names = [o.name for o in session.get_outputs()]
        result = {n: v.tolist() for n, v in zip(names, session.run(names, feed))}
    except Exception as e:
        result = {"error": str(e)}
    model.with_suffix(".out.json").write_text(json.dumps(result))
