package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func TestRoundTrip(t *testing.T) {
	for _, a := range []*Array{
		{Shape: []int{3}, Values: []float64{1, math.Pi, -1e300}},
		{Shape: []int{2, 3}, Values: []float64{1, 2, 3, 4, 5, 6}},
		{Shape: []int{2, 1, 2}, Values: []float64{1, 2, 3, 4}},
		{Shape: []int{0, 4}, Values: []float64{}},
		{Values: []float64{7}},
	} {
		var b bytes.Buffer
		if err := Write(&b, a); err != nil {
			t.Fatal(err)
		}
		if b.Len()%64 != len(a.Values)*8%64 {
			t.Errorf("shape %v: header is not a multiple of 64", a.Shape)
		}
		back, err := Read(&b, "t")
		if err != nil || !reflect.DeepEqual(back, a) {
			t.Errorf("shape %v: %v, %v", a.Shape, back, err)
		}
	}
	w, _ := NewWriter(&bytes.Buffer{}, 2, 2)
	w.Write([]float64{1, 2})
	if err := w.Close(); err == nil {
		t.Error("half a matrix: no error")
	}
}

// numpy writes arrays of every type and order; we read the same numbers, and
// numpy reads what we write.
func TestBesideNumPy(t *testing.T) {
	python := os.Getenv("MERCER_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: set MERCER_PYTHON to a Python with numpy to compare with it (testdata has its files)")
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	var b bytes.Buffer
	if err := Write(&b, &Array{Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4.5}}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(python, "-c", "import numpy,sys; print(numpy.load(sys.argv[1]).tolist())", path).Output()
	if err != nil || strings.TrimSpace(string(out)) != "[[1.0, 2.0], [3.0, 4.5]]" {
		t.Errorf("numpy reads %s, %v", out, err)
	}
}

// testdata/types.npz is written by bench/fixtures/npy.py with numpy 2.4: the
// matrix [[0, 1, 2], [3, 4, 5]] in every type and in Fortran order.
func TestFixtures(t *testing.T) {
	f, err := os.ReadFile("testdata/types.npz")
	if err != nil {
		t.Fatal(err)
	}
	arrays, err := ReadAll(bytes.NewReader(f), int64(len(f)), "types.npz")
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{0, 1, 2, 3, 4, 5}
	for name, a := range arrays {
		w := want
		switch name {
		case "bool":
			w = []float64{0, 1, 1, 1, 1, 1}
		case "half":
			w = []float64{-2, 0.5, 65504, 6.103515625e-05, 5.960464477539063e-08, 0.0999755859375}
		case "negative":
			w = []float64{-1, -128, 127}
		}
		if !reflect.DeepEqual(a.Values, w) {
			t.Errorf("%s: %v, want %v", name, a.Values, w)
		}
	}
	if len(arrays) != 16 {
		t.Errorf("%d arrays, want 16", len(arrays))
	}
}

func TestDatasetOf(t *testing.T) {
	d, err := DatasetOf(map[string]*Array{
		"X": {Shape: []int{2, 2}, Values: []float64{1, 2, 3, 4}}, "y": {Shape: []int{2}, Values: []float64{0, 1}},
		"scalar": {Values: []float64{3}}}, "t.npz")
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Names(), " "); got != "x1 x2 y" || d.Target != "y" {
		t.Errorf("columns %s, target %s", got, d.Target)
	}
	if _, err := DatasetOf(map[string]*Array{"X": {Shape: []int{2}, Values: []float64{1, 2}},
		"y": {Shape: []int{1}, Values: []float64{1}}}, "t.npz"); err == nil {
		t.Error("arrays of different length: no error")
	}
}

func TestFaults(t *testing.T) {
	file := func(header string) string {
		return "\x93NUMPY\x01\x00" + string([]byte{byte(len(header)), byte(len(header) >> 8)}) + header
	}
	for text, want := range map[string]string{
		"":     "not an NPY file",
		"abcd": "not an NPY file",
		file("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"):   "is not",
		file("{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }"): "is not numeric",
		file("{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }") +
			"12345": "ends after about 0 of 3 values",
		file("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,99), }"): "larger than",
		file("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,), }"):    "record array",
		file("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }") +
			"\x00\x00\x00\x00\x00\x00\xf0\x7f": "value [0] is +Inf",
	} {
		if _, err := Read(strings.NewReader(text), "t"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	Write(&b, &Array{Shape: []int{2, 3}, Values: []float64{1, 2, 3, 4, 5, 6}})
	f.Add(b.Bytes())
	f.Add([]byte(strings.Replace(b.String(), "False", "True ", 1)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := Read(bytes.NewReader(raw), "t")
		if err == nil {
			a.Dataset("t")
		}
	})
}

func FuzzReadAll(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, _ := z.Create("X.npy")
	Write(w, &Array{Shape: []int{2}, Values: []float64{1, 2}})
	z.Close()
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		if m, err := ReadAll(bytes.NewReader(raw), int64(len(raw)), "t"); err == nil {
			DatasetOf(m, "t")
		}
	})
}

// An array of an archive whose bytes were changed is told by the checksum at its end, which is read
// also where the shape has been filled.
func TestDamagedArchive(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.CreateHeader(&zip.FileHeader{Name: "x.npy", Method: zip.Store})
	if err == nil {
		err = Write(w, &Array{Shape: []int{3}, Values: []float64{1, 2, 3}})
	}
	if err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	text := b.Bytes()
	if _, err := ReadAll(bytes.NewReader(text), int64(len(text)), "x.npz"); err != nil {
		t.Fatal(err)
	}
	two := binary.LittleEndian.AppendUint64(nil, math.Float64bits(2))
	at := bytes.Index(text, two)
	text[at] ^= 1
	if _, err := ReadAll(bytes.NewReader(text), int64(len(text)), "x.npz"); !errors.Is(err, data.ErrDamaged) {
		t.Errorf("a changed byte: %v", err)
	}
}
