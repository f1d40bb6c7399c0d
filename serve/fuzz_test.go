package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/serve/internal/oip"
	"github.com/mercer-ml/mercer/serve/internal/oip/oiptest"
)

// FuzzInferJSON: whatever bytes come as a request in JSON with binary tensors, there is an answer
// or a refusal, elements are as many as the shape says, and JSON that is taken is what
// encoding/json takes.
func FuzzInferJSON(f *testing.F) {
	f.Add([]byte(`{"id":"1","inputs":[{"name":"x","shape":[1,4],"datatype":"FP64","data":[[1,2.5e-3,null,4]]}],"outputs":[{"name":"y","parameters":{"binary_data":true}}]}`),
		0)
	f.Add([]byte(`{"inputs":[{"name":"x","datatype":"BYTES","shape":[2],"data":["a\u00e9","b"]}],"parameters":{"a":1,"b":"c","d":true}}`),
		0)
	f.Add([]byte(`{"inputs":[{"data":[true,0],"name":"x","shape":[2],"datatype":"BOOL"}]}`), 0)
	f.Add([]byte("{\"inputs\":[{\"name\":\"x\",\"shape\":[1],\"datatype\":\"BYTES\",\"parameters\":{\"binary_data_size\":5}}]}\x01\x00\x00\x00a"),
		5)
	f.Add([]byte(`{"inputs":[{"name":"x","shape":[9223372036854775807,2],"datatype":"UINT64","data":[18446744073709551615]}]}`),
		0)
	m, _ := irisForBatches()
	s := New(Options{})
	v := must(s.serve("iris", "1", m, 0))
	f.Fuzz(func(t *testing.T, b []byte, tail int) {
		if tail < 0 || tail > len(b) {
			tail = 0
		}
		head := b[:len(b)-tail]
		r, err := parseInference(head, b[len(b)-tail:])
		if err != nil {
			if refusalOf(err).status != 400 {
				t.Fatalf("%v is not the client's fault", err)
			}
			return
		}
		if !json.Valid(bytes.ReplaceAll(head, []byte("NaN"), []byte("null"))) {
			t.Fatalf("taken, and no JSON: %q", head)
		}
		for i := range r.inputs {
			n, err := r.inputs[i].count()
			if err != nil || n != max(len(r.inputs[i].numbers), len(r.inputs[i].texts)) {
				t.Fatalf("%v: %d elements, %v", &r.inputs[i], n, err)
			}
		}
		out, _, err := v.infer(t.Context(), r)
		if err != nil {
			if st := refusalOf(err).status; st != 400 && st != 413 {
				t.Fatalf("%d: %v", st, err)
			}
			return
		}
		answer, n := appendInference(nil, "iris", "1", r, out)
		if n == 0 {
			n = len(answer)
		}
		if !json.Valid(answer[:n]) {
			t.Fatalf("the answer is no JSON: %s", answer[:n])
		}
	})
}

// FuzzInferGRPC is the same of messages: raw and typed contents.
func FuzzInferGRPC(f *testing.F) {
	raw := binary.LittleEndian.AppendUint64(nil, math.Float64bits(5.1))
	iris := oip.Model{Name: "iris"}
	for _, r := range []*oip.Infer{
		{Model: iris, Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{1, 4},
			Contents: &oip.Contents{Fp64s: []float64{5, 3, 1, 0.2}}}}},
		{Model: iris, Inputs: []oip.Tensor{{Name: "x", Datatype: "FP64", Shape: []int64{1, 4}}},
			Raw: [][]byte{bytes.Repeat(raw, 4)}},
		{Model: iris, Inputs: []oip.Tensor{{Name: "x", Datatype: "BYTES", Shape: []int64{1},
			Contents: &oip.Contents{Bytes: [][]byte{{0xff}}}}}},
		{Model: iris, Inputs: []oip.Tensor{{}}, Parameters: map[string]string{"a": ""}},
	} {
		f.Add(oiptest.Infer(r))
	}
	m, _ := irisForBatches()
	s := New(Options{})
	v := must(s.serve("iris", "1", m, 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r oip.Infer
		if r.Read(b) != nil {
			return
		}
		in, err := fromGRPC(&r)
		if err == nil {
			var out []tensor
			if out, _, err = v.infer(t.Context(), in); err == nil {
				a, err := oiptest.Read(toGRPC(v, in, out, r.Raw != nil))
				if err != nil || a.Text(1) != "iris" || len(a.Parts[5]) != len(out) || r.Raw != nil && len(a.Parts[6]) != len(out) {
					t.Fatalf("the answer is %v, %v", a, err)
				}
			}
		}
		if err != nil {
			if st := refusalOf(err).status; st != 400 && st != 413 {
				t.Fatalf("%d: %v", st, err)
			}
		}
	})
}

// FuzzScanner: what the scanner takes, encoding/json takes, and strings and numbers are the same.
func FuzzScanner(f *testing.F) {
	for _, s := range []string{`"a\n\u00e9\ud83d\ude00"`, `-0.5e+10`, `[1,{"a":null},"b"]`, `{"a":{"b":[true,false]}}`,
		"\"\x7f\"", `01`, `"\ud800"`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s := &scanner{b: b}
		err := s.skip()
		if err == nil {
			err = s.end()
		}
		if err == nil && !json.Valid(b) {
			t.Fatalf("taken, and no JSON: %q", b)
		}
		var want string
		if json.Unmarshal(b, &want) == nil && err == nil && bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte(`"`)) {
			got, err := (&scanner{b: b}).text()
			if err != nil || got != want {
				t.Fatalf("%q is %q, %v; encoding/json has %q", b, got, err, want)
			}
			var back string
			if err := json.Unmarshal(appendText(nil, got), &back); err != nil || back != got {
				t.Fatalf("%q is written so that it reads %q, %v", got, back, err)
			}
		}
		var number float64
		if json.Unmarshal(b, &number) == nil && err == nil && !bytes.Contains(b, []byte("null")) {
			got, err := (&scanner{b: b}).number()
			if err != nil || got != number {
				t.Fatalf("%q is %v, %v; encoding/json has %v", b, got, err, number)
			}
			if back, err := strconv.ParseFloat(string(appendNumber(nil, got)), 64); err != nil ||
				math.Float64bits(back) != math.Float64bits(got) {
				t.Fatalf("%v is written so that it reads %v", got, back)
			}
		}
	})
}
