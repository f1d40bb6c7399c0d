package serve

import (
	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// fromGRPC reads the tensors of a message, in raw form or as lists of numbers.
func fromGRPC(r *oip.Infer) (*inference, error) {
	out := &inference{id: r.ID, params: r.Parameters, inputs: make([]tensor, len(r.Inputs))}
	if raw := len(r.Raw); raw > 0 && raw != len(r.Inputs) {
		return nil, refused("%d raw contents for %d inputs", raw, len(r.Inputs))
	}
	for i := range r.Inputs {
		t, in := &out.inputs[i], &r.Inputs[i]
		*t = tensor{name: in.Name, kind: in.Datatype, shape: in.Shape, params: in.Parameters}
		if len(t.shape) > 8 {
			return nil, t.refuse("%d dimensions", len(t.shape))
		}
		if len(r.Raw) > 0 {
			if in.Contents != nil {
				return nil, t.refuse("both contents and raw contents")
			}
			if err := t.raw(r.Raw[i]); err != nil {
				return nil, err
			}
			continue
		}
		if in.Contents == nil {
			in.Contents = &oip.Contents{}
		}
		if err := t.contents(in.Contents); err != nil {
			return nil, err
		}
	}
	for _, o := range r.Outputs {
		out.outputs = append(out.outputs, tensor{name: o.Name, params: o.Parameters})
	}
	return out, out.check()
}

// contents takes the list that the datatype has; check compares its length with the shape. What
// stands in another list is refused, and so are numbers that the datatype does not have: lists are of
// 32 bits where it has 8 or 16.
func (t *tensor) contents(c *oip.Contents) error {
	own := lists[t.kind]
	for name, n := range map[string]int{"bool_contents": len(c.Bools), "int_contents": len(c.Ints),
		"int64_contents": len(c.Int64s), "uint_contents": len(c.Uints), "uint64_contents": len(c.Uint64s),
		"fp32_contents": len(c.Fp32s), "fp64_contents": len(c.Fp64s), "bytes_contents": len(c.Bytes)} {
		if n > 0 && own != "" && name != own {
			return t.refuse("%d elements in %s, where those of %s stand in %s", n, name, t.kind, own)
		}
	}
	var err error
	switch t.kind {
	case "FP64":
		t.numbers = c.Fp64s
	case "FP32":
		for _, x := range c.Fp32s {
			t.numbers = append(t.numbers, float64(x))
		}
	case "INT64":
		for _, x := range c.Int64s {
			t.put(x)
		}
	case "INT8", "INT16", "INT32":
		err = putNarrow(t, c.Ints)
	case "UINT8", "UINT16", "UINT32":
		err = putNarrow(t, c.Uints)
	case "UINT64":
		for _, x := range c.Uint64s {
			t.putUnsigned(x)
		}
	case "BOOL":
		for _, x := range c.Bools {
			t.put(int64(truthNumber(x)))
		}
	case "BYTES":
		t.texts = make([]string, 0, len(c.Bytes))
		for _, x := range c.Bytes {
			t.texts = append(t.texts, string(x))
		}
	}
	return err
}

// lists are where elements of a datatype stand in a message.
var lists = map[string]string{"BOOL": "bool_contents", "INT8": "int_contents", "INT16": "int_contents",
	"INT32": "int_contents", "INT64": "int64_contents",
	"UINT8": "uint_contents", "UINT16": "uint_contents", "UINT32": "uint_contents", "UINT64": "uint64_contents",
	"FP32": "fp32_contents", "FP64": "fp64_contents", "BYTES": "bytes_contents"}

// putNarrow adds whole numbers that have to be of the datatype.
func putNarrow[E int32 | uint32](t *tensor, list []E) error {
	b := bounds[t.kind]
	for _, x := range list {
		if float64(x) < b[0] || float64(x) > b[1] {
			return t.refuse("%d is not a %s", x, t.kind)
		}
		t.put(int64(x))
	}
	return nil
}

// appendHead writes what all messages say of a tensor: name, datatype, shape.
func (t *tensor) appendHead(b []byte) []byte {
	b = oip.AppendText(b, 1, t.name)
	b = oip.AppendText(b, 2, t.kind)
	return oip.AppendInts(b, 3, t.shape)
}

// appendContents writes the elements, in the list that the datatype has.
func (t *tensor) appendContents(b []byte) []byte {
	switch t.kind {
	case "FP64":
		return oip.AppendDoubles(b, 7, t.numbers)
	case "FP32":
		return oip.AppendFloats(b, 6, t.numbers)
	case "INT64":
		return oip.AppendInts(b, 3, t.numbers)
	case "BYTES":
		return oip.AppendTexts(b, 8, t.texts)
	}
	return b
}

// toGRPC is the answer.
func toGRPC(v *served, r *inference, outputs []tensor, raw bool) []byte {
	out := oip.AppendText(nil, 1, v.name)
	out = oip.AppendText(out, 2, v.version)
	out = oip.AppendText(out, 3, r.id)
	out = appendDoubtParameters(out, r.doubts)
	for i := range outputs {
		message := outputs[i].appendHead(nil)
		if !raw {
			message = oip.AppendMessage(message, 5, outputs[i].appendContents(nil))
		}
		out = oip.AppendMessage(out, 5, message)
	}
	for i := range outputs {
		if raw {
			out = outputs[i].appendRaw(oip.AppendLength(out, 6, outputs[i].rawSize()))
		}
	}
	return out
}
