"""Asks a running server through NVIDIA's tritonclient and KServe's client, and compares every answer with the expected one to the last bit.

    clients.py triton|kserve HOST:PORT EXPECTED.json

EXPECTED.json has, for each model, its inputs (name, datatype, shape, data) and its outputs, floating point as hexadecimal text."""

import ast
import asyncio
import importlib.util
import json
import queue
import sys
import urllib.request

import numpy as np

who, at, expected_file = sys.argv[1:]
expected = json.load(open(expected_file))
done = []


def array(t):
    """An input as numpy has it."""
    kinds = {"FP64": np.float64, "FP32": np.float32, "INT64": np.int64, "BYTES": np.object_}
    if t["datatype"] == "BYTES":
        data = np.array([s.encode() for s in t["data"]], dtype=np.object_)
    else:
        data = np.array([float.fromhex(x) for x in t["data"]]).astype(kinds[t["datatype"]])
    return data.reshape(t["shape"])


def check(who, model, outputs):
    """outputs: name to a numpy array."""
    for want in expected[model]["outputs"]:
        have = outputs[want["name"]]
        assert list(have.shape) == want["shape"], (who, model, want["name"], have.shape, want["shape"])
        flat = have.reshape(-1)
        if want["datatype"] == "BYTES":
            texts = [x.decode() if isinstance(x, bytes) else str(x) for x in flat]
            assert texts == want["data"], (who, model, want["name"])
        else:
            numbers = np.array([float.fromhex(x) for x in want["data"]])
            assert flat.astype(np.float64).tobytes() == numbers.tobytes(), (who, model, want["name"], flat[:4], numbers[:4])
        assert want["datatype"] != "INT64" or flat.dtype == np.int64, (who, model, flat.dtype)
    done.append(f"{who} {model}")


def triton(module, name, address):
    from tritonclient.utils import InferenceServerException as module_error

    client = module.InferenceServerClient(address)
    assert client.is_server_live() and client.is_server_ready()
    for model, case in expected.items():
        assert client.is_model_ready(model) and client.is_model_ready(model, "1")
        about = client.get_model_metadata(model, **({"as_json": True} if name == "grpc" else {}))
        assert about["name"] == model and [o["name"] for o in about["outputs"]] == [o["name"] for o in case["outputs"]], about
        for binary in (True, False) if name == "http" else (True,):
            inputs = []
            for t in case["inputs"]:
                i = module.InferInput(t["name"], t["shape"], t["datatype"])
                i.set_data_from_numpy(array(t), **({"binary_data": binary} if name == "http" else {}))
                inputs.append(i)
            wanted = [module.InferRequestedOutput(o["name"], **({"binary_data": binary} if name == "http" else {})) for o in case["outputs"]]
            for outputs in (wanted, None):
                for extra in [{}] + ([{"request_compression_algorithm": "gzip"}, {"request_compression_algorithm": "deflate"}] if name == "http" else [{"compression_algorithm": "gzip"}]):
                    answer = client.infer(model, inputs, outputs=outputs, request_id="id-7", **extra)
                    have = {o["name"]: answer.as_numpy(o["name"]) for o in case["outputs"]}
                    check(f"tritonclient.{name}{' binary' if binary else ''}", model, have)
                    response = answer.get_response()
                    assert (response["id"] if name == "http" else response.id) == "id-7"
        try:
            client.infer(model, [module.InferInput("x", [1], "FP64")] if name == "grpc" else inputs[:0])
            raise SystemExit("a bad request is taken")
        except module_error as e:
            assert "FP64" in str(e) or "input" in str(e) or "elements" in str(e), e
    client.close()


def tritons():
    import tritonclient.grpc
    import tritonclient.http

    triton(tritonclient.http, "http", at)
    triton(tritonclient.grpc, "grpc", at)

    # A hundred requests at a time, which the server joins: the same bits.
    for module, name in ((tritonclient.http, "http"), (tritonclient.grpc, "grpc")):
        client = module.InferenceServerClient(at, **({"concurrency": 16} if name == "http" else {}))
        case = expected["iris"]
        rows = array(case["inputs"][0])
        pending = []
        if name == "http":
            for r in range(len(rows)):
                i = module.InferInput("x", [1, rows.shape[1]], "FP64")
                i.set_data_from_numpy(rows[r : r + 1])
                pending.append(client.async_infer("iris", [i]))
            results = [p.get_result() for p in pending]
        else:
            answers = queue.Queue()
            for r in range(len(rows)):
                i = module.InferInput("x", [1, rows.shape[1]], "FP64")
                i.set_data_from_numpy(rows[r : r + 1])
                client.async_infer("iris", [i], lambda result, error, r=r: answers.put((r, result, error)))
            got = [answers.get(timeout=120) for _ in rows]
            assert all(error is None for _, _, error in got), got[0]
            results = [result for _, result, _ in sorted(got, key=lambda g: g[0])]
        check(f"tritonclient.{name} row by row", "iris", {o["name"]: np.concatenate([x.as_numpy(o["name"]) for x in results]) for o in case["outputs"]})


def kserves():
    """KServe's own client, and its own data models of the protocol."""
    from kserve import InferenceGRPCClient, InferenceRESTClient, InferInput, InferRequest, RESTConfig
    from kserve.protocol.rest import v2_datamodels

    def asked(model, binary):
        inputs = []
        for t in expected[model]["inputs"]:
            i = InferInput(name=t["name"], shape=t["shape"], datatype=t["datatype"])
            i.set_data_from_numpy(array(t), binary_data=binary)
            inputs.append(i)
        return InferRequest(model_name=model, infer_inputs=inputs, request_id="k-1")

    def kserved(who, model, answer):
        assert answer.id == "k-1", answer.id
        check(who, model, {o.name: o.as_numpy() for o in answer.outputs})

    async def ask():
        rest = InferenceRESTClient(RESTConfig(protocol="v2"))
        url = "http://" + at
        assert await rest.is_server_live(url) and await rest.is_server_ready(url)
        for model in expected:
            assert await rest.is_model_ready(url, model)
            for binary in (True, False):
                kserved(f"kserve rest{' binary' if binary else ''}", model, await rest.infer(url, asked(model, binary), model_name=model))
        await rest.close()
        grpc = InferenceGRPCClient(at)
        assert await grpc.is_server_live() and await grpc.is_server_ready()
        for model in expected:
            assert await grpc.is_model_ready(model)
            for binary in (True, False):
                kserved(f"kserve grpc{' raw' if binary else ''}", model, await grpc.infer(asked(model, binary)))
        await grpc.close()

    asyncio.run(ask())

    for path, form in (("v2", "ServerMetadataResponse"), ("v2/models/iris", "ModelMetadataResponse"), ("v2/health/live", "ServerLiveResponse"), ("v2/models/iris/ready", "ModelReadyResponse")):
        kind = getattr(v2_datamodels, form, None)
        if kind is not None:
            kind.model_validate_json(urllib.request.urlopen(f"http://{at}/{path}").read())
            done.append(f"kserve's {form}")

    # The messages that are spoken are those of both published descriptions, field by field. Triton's is read as text: two descriptions of one
    # protocol cannot live in one process.
    from google.protobuf import descriptor_pb2
    from kserve.protocol.grpc import grpc_predict_v2_pb2

    source = open(importlib.util.find_spec("tritonclient").submodule_search_locations[0] + "/grpc/service_pb2.py").read()
    literal = next(n.args[0].value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Call) and getattr(n.func, "attr", "") == "AddSerializedFile")
    theirs = descriptor_pb2.FileDescriptorProto.FromString(literal)
    ours = descriptor_pb2.FileDescriptorProto()
    grpc_predict_v2_pb2.DESCRIPTOR.CopyToProto(ours)

    def messages(of, before=""):
        """All messages, those within others too, with their fields by number."""
        out = {}
        for m in of:
            out[before + m.name] = {f.number: (f.name, f.type, f.label, f.type_name) for f in m.field}
            out.update(messages(m.nested_type, before + m.name + "."))
        return out

    ours, theirs = messages(ours.message_type), messages(theirs.message_type)
    for name in ours.keys() & theirs.keys():
        if not name.startswith("Repository"):  # each has an extension of its own
            for number, field in ours[name].items():
                assert theirs[name].get(number) == field, (name, number, field, theirs[name].get(number))
    spoken = {"ModelInferRequest", "ModelInferRequest.InferInputTensor", "ModelInferResponse.InferOutputTensor", "InferTensorContents", "InferParameter", "ModelMetadataResponse.TensorMetadata"}
    assert spoken <= ours.keys() & theirs.keys(), spoken - ours.keys() & theirs.keys()
    done.append("proto")


{"triton": tritons, "kserve": kserves}[who]()
print("\n".join(sorted(set(done))))
