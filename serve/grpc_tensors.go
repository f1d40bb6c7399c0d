package serve

import (
	"strconv"

	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// fromGRPC reads the tensors of a message, in raw form or as lists of numbers.
func fromGRPC(r *oip.ModelInferRequest) (*inference, error) {
	out := &inference{id: r.Id, params: parametersOf(r.Parameters), inputs: make([]tensor, len(r.Inputs))}
	if raw := len(r.RawInputContents); raw > 0 && raw != len(r.Inputs) {
		return nil, refused("%d raw contents for %d inputs", raw, len(r.Inputs))
	}
	for i, in := range r.Inputs {
		t := &out.inputs[i]
		*t = tensor{name: in.GetName(), kind: in.GetDatatype(), shape: in.GetShape(), params: parametersOf(in.GetParameters())}
		if len(t.shape) > 8 {
			return nil, t.refuse("%d dimensions", len(t.shape))
		}
		if len(r.RawInputContents) > 0 {
			if in.GetContents() != nil {
				return nil, t.refuse("both contents and raw contents")
			}
			if err := t.raw(r.RawInputContents[i]); err != nil {
				return nil, err
			}
			continue
		}
		t.contents(in.GetContents())
	}
	for _, o := range r.Outputs {
		out.outputs = append(out.outputs, tensor{name: o.GetName(), params: parametersOf(o.GetParameters())})
	}
	return out, out.check()
}

// contents takes the list that the datatype has; check compares its length with the shape.
func (t *tensor) contents(c *oip.InferTensorContents) {
	switch t.kind {
	case "FP64":
		t.numbers = c.GetFp64Contents()
	case "FP32":
		for _, x := range c.GetFp32Contents() {
			t.numbers = append(t.numbers, float64(x))
		}
	case "INT64":
		for _, x := range c.GetInt64Contents() {
			t.put(x)
		}
	case "INT8", "INT16", "INT32":
		for _, x := range c.GetIntContents() {
			t.put(int64(x))
		}
	case "UINT8", "UINT16", "UINT32":
		for _, x := range c.GetUintContents() {
			t.put(int64(x))
		}
	case "UINT64":
		for _, x := range c.GetUint64Contents() {
			t.putUnsigned(x)
		}
	case "BOOL":
		for _, x := range c.GetBoolContents() {
			t.put(int64(truthNumber(x)))
		}
	case "BYTES":
		t.texts = make([]string, 0, len(c.GetBytesContents()))
		for _, x := range c.GetBytesContents() {
			t.texts = append(t.texts, string(x))
		}
	}
}

func parametersOf(in map[string]*oip.InferParameter) parameters {
	if len(in) == 0 {
		return nil
	}
	out := parameters{}
	for name, p := range in {
		switch v := p.GetParameterChoice().(type) {
		case *oip.InferParameter_BoolParam:
			out[name] = strconv.FormatBool(v.BoolParam)
		case *oip.InferParameter_Int64Param:
			out[name] = strconv.FormatInt(v.Int64Param, 10)
		case *oip.InferParameter_StringParam:
			out[name] = v.StringParam
		}
	}
	return out
}

// toGRPC is the answer.
func toGRPC(v *served, r *inference, outputs []tensor, raw bool) *oip.ModelInferResponse {
	out := &oip.ModelInferResponse{ModelName: v.name, ModelVersion: v.version, Id: r.id, Outputs: make([]*oip.ModelInferResponse_InferOutputTensor, len(outputs)), Parameters: doubtParameters(r.doubts)}
	for i := range outputs {
		t := &outputs[i]
		o := &oip.ModelInferResponse_InferOutputTensor{Name: t.name, Datatype: t.kind, Shape: t.shape}
		out.Outputs[i] = o
		if raw {
			out.RawOutputContents = append(out.RawOutputContents, t.appendRaw(make([]byte, 0, t.rawSize())))
			continue
		}
		c := &oip.InferTensorContents{}
		o.Contents = c
		switch t.kind {
		case "FP64":
			c.Fp64Contents = t.numbers
		case "FP32":
			for _, x := range t.numbers {
				c.Fp32Contents = append(c.Fp32Contents, float32(x))
			}
		case "INT64":
			for _, x := range t.numbers {
				c.Int64Contents = append(c.Int64Contents, int64(x))
			}
		case "BYTES":
			for _, s := range t.texts {
				c.BytesContents = append(c.BytesContents, []byte(s))
			}
		}
	}
	return out
}
