package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	"gonum.org/v1/gonum/mat"
)

// FuzzDecode signs what the fuzzer made anew, so that it gets past the
// checksum, and demands an error that says what kind it is or a model that
// can be used and saved.
func FuzzDecode(f *testing.F) {
	for _, c := range fittedCases(f) {
		f.Add(encodeModel(f, c.model))
	}
	f.Add(encodeModel(f, tableModel(f)))
	for _, c := range transformCases(f) {
		f.Add(encodeModel(f, must(NewTransform(c.fitted, Info{}))))
	}
	for _, m := range committeeCases() {
		f.Add(encodeModel(f, m))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1<<17 {
			return
		}
		if signed, ok := sign(b); ok {
			b = signed
		}
		m, err := Decode(b)
		if err != nil {
			var bad *container.DamagedError
			var newer *versionError
			if !errors.As(err, &bad) && !errors.As(err, &newer) && !errors.Is(err, container.ErrNone) {
				t.Fatalf("an error of no kind: %v", err)
			}
			return
		}
		use(t, m)
	})
}

// sign computes the checksum that a container should have.
func sign(b []byte) ([]byte, bool) {
	header, body, err := container.ReadHeader(b)
	if err != nil {
		return nil, false
	}
	var meta map[string]string
	if json.Unmarshal(header[container.MetadataKey], &meta) != nil || meta == nil {
		return nil, false
	}
	c := &container.File{Metadata: meta, Tensors: map[string]container.Tensor{}}
	for name, text := range header {
		var h container.TensorHeader
		if name == container.MetadataKey {
			continue
		}
		if json.Unmarshal(text, &h) != nil {
			return nil, false
		}
		lo, hi := h.Offsets[0], h.Offsets[1]
		if lo < 0 || hi < lo || hi > int64(len(body)) {
			return nil, false
		}
		c.Tensors[name] = container.Tensor{DType: h.DType, Shape: h.Shape, Bytes: body[lo:hi]}
	}
	meta[container.ChecksumKey] = c.Checksum()
	header[container.MetadataKey], _ = json.Marshal(meta)
	text, err := json.Marshal(header)
	if err != nil {
		return nil, false
	}
	return append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text...), body...), true
}

// use does with an accepted model all that one can do.
func use(t *testing.T, m *Model) {
	if again := encodeModel(t, m); len(again) == 0 {
		t.Fatal("an accepted model cannot be written")
	}
	m.WriteLIBSVM(&bytes.Buffer{}, LIBSVMOptions{Range: &bytes.Buffer{}})
	if m.Dim() > 1<<12 {
		return
	}
	m.WriteJSON(&bytes.Buffer{})
	m.WriteONNX(&bytes.Buffer{}, ONNXOptions{})
	w := Want{Scores: true, Proba: m.HasProba(), Std: m.HasStd()}
	if m.CheckInterval(0.5) == nil {
		w.Interval = 0.5
	}
	if m.Dim() > 0 && m.Role() != rolePredictor {
		m.TransformEncoded(t.Context(), encoded(data.Rows(mat.NewDense(2, m.Dim(), nil))), TransformOptions{Level: 0.5})
	}
	if m.Dim() > 0 {
		m.PredictEncoded(t.Context(), encoded(data.Rows(mat.NewDense(2, m.Dim(), nil))), w)
	}
	if m.info.Encoder != nil {
		d := table()
		d.Target = ""
		m.Predict(t.Context(), d, w)
		for i := range m.info.Encoder.Columns {
			d.Columns[min(i, 2)].Name = m.info.Encoder.Columns[i].Name
		}
		m.Predict(t.Context(), d, w)
	}
}

// FuzzReadLIBSVM demands that a text is refused or becomes a model that can be
// used and saved.
func FuzzReadLIBSVM(f *testing.F) {
	f.Add("svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 0.2 0.3\nlabel 1 -1 5\nprobA 1 2 " +
		"3\nprobB 0 0 1\nnr_sv 1 1 1\nSV\n1 0.5 1:1 2:3\n-1 1 1:2\n-1 -2 2:1\n")
	f.Add("svm_type nu_svr\nkernel_type polynomial\ndegree 3\ngamma 1\ncoef0 0\nnr_class 2\ntotal_sv 1\nrho 0.1\nprobA " +
		"0.3\nSV\n1 1:1 2:3\n")
	f.Add("svm_type one_class\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 0.1\nprob_density_marks 1 2 " +
		"3\nSV\n1 0:3\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ReadLIBSVM(strings.NewReader(text))
		if err != nil {
			return
		}
		use(t, m)
		if _, err := Decode(encodeModel(t, m)); err != nil {
			t.Fatalf("a model that was read does not come back: %v", err)
		}
	})
}
