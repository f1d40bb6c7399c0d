package libsvm

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func TestRead(t *testing.T) {
	d, err := Read(strings.NewReader("# comment\n+1 qid:3 1:0.5 4:-2e3 # note\n\n-1 qid:4\r\n2.5 qid:4 2:1\n"), "t",
		Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(d.Columns[0].Numbers, []float64{1, -1, 2.5}) ||
		!reflect.DeepEqual(d.Columns[1].Numbers, []float64{3, 4, 4}) {
		t.Errorf("labels %v, qid %v", d.Columns[0].Numbers, d.Columns[1].Numbers)
	}
	if d.Sparse.Dim() != 4 || !reflect.DeepEqual(d.Sparse.At(0),
		data.SparseVec{Index: []int32{0, 3}, Value: []float64{0.5, -2000}}) || len(d.Sparse.At(1).Index) != 0 {
		t.Errorf("rows %v", d.Sparse.CSR())
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "t: no rows",
		"1 1:2\nx 1:2\n":         `t:2:1: label is "x", which is not a finite number`,
		"1 1:2\n1 1:2 2:a\n":     `t:2:9: value is "a", which is not a finite number`,
		"1 1:inf\n":              `t:1:5: value is "inf"`,
		"1 0:2\n":                "t:1:3: index is 0",
		"1 2:2 2:3\n":            "t:1:7: index 2 after 2",
		"1 2:2 1:3\n":            "t:1:7: index 1 after 2",
		"1 99999999999:2\n":      "t:1:3: index is 99999999999, above",
		"1 2\n":                  `t:1:3: "2" is not index:value`,
		"1 1:2 qid:3\n":          "t:1:7: qid after a feature",
		"1 qid:1 1:2\n1 1:2\n":   "t:2: some rows have a qid",
		"nan 1:2\n":              `t:1:1: label is "nan"`,
		"1 a:2\n":                `t:1:3: index is "a"`,
		"1 1:2\n1 1:1e999 2:3\n": "t:2:5: value is",
	} {
		_, err := Read(strings.NewReader(text), "t", Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestChunksAndRoundTrip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := make([]data.SparseVec, 100)
	labels := make([]float64, 100)
	for i := range rows {
		labels[i] = rng.NormFloat64()
		for j := range int32(30) {
			if rng.IntN(3) == 0 {
				rows[i].Index = append(rows[i].Index, j)
				rows[i].Value = append(rows[i].Value, rng.NormFloat64())
			}
		}
	}
	var b bytes.Buffer
	if err := Write(&b, data.SparseOf(rows, 30), labels, nil); err != nil {
		t.Fatal(err)
	}
	r := NewReader(&b, "t", Options{Chunk: 7})
	var chunks []*data.Dataset
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		chunks = append(chunks, d)
	}
	d, err := data.Concat(chunks)
	if err != nil {
		t.Fatal(err)
	}
	if len(chunks) != 15 || !reflect.DeepEqual(d.Sparse.CSR(), data.SparseOf(rows, d.Sparse.Dim()).CSR()) ||
		!reflect.DeepEqual(d.Columns[0].Numbers, labels) {
		t.Error("rows differ after writing and reading")
	}
}

// Scaling and range file agree with LIBSVM's svm-scale, digit for digit.
func TestScaleBesideLIBSVM(t *testing.T) {
	tool, err := exec.LookPath("svm-scale")
	if err != nil {
		t.Skip("SKIPPED: svm-scale is not installed, so scaling was not compared with LIBSVM")
	}
	rng := rand.New(rand.NewPCG(7, 7))
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "%d", i%3-1)
		for j := 1; j <= 12; j++ {
			switch {
			case j == 5:
				b.WriteString(" 5:7.25") // constant
			case rng.IntN(4) > 0 || j < 3:
				fmt.Fprintf(&b, " %d:%s", j, strconv.FormatFloat(rng.NormFloat64()*float64(j*j), 'g', -1, 64))
			}
		}
		b.WriteByte('\n')
	}
	dir := t.TempDir()
	file, ranges := filepath.Join(dir, "d"), filepath.Join(dir, "r")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	want, err := exec.Command(tool, "-l", "-1", "-u", "1", "-y", "0", "2", "-s", ranges, file).Output()
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(strings.NewReader(b.String()), "d", Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := FitRange(*d.Sparse, -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.FitTarget(d.Columns[0].Numbers, 0, 2); err != nil {
		t.Fatal(err)
	}
	format := func(r *Range) string {
		var out strings.Builder
		scaled := r.Transform(*d.Sparse)
		for i := range scaled.Len() {
			out.WriteString(FormatG(r.ApplyTarget(d.Columns[0].Numbers[i]), 6) + " ")
			v := scaled.At(i)
			for k, j := range v.Index {
				fmt.Fprintf(&out, "%d:%s ", j+1, FormatG(v.Value[k], 6))
			}
			out.WriteByte('\n')
		}
		return out.String()
	}
	if got := format(r); got != string(want) {
		t.Errorf("scaled rows differ:\n%.300s\nwant\n%.300s", got, want)
	}
	saved, err := os.ReadFile(ranges)
	if err != nil {
		t.Fatal(err)
	}
	var mine bytes.Buffer
	if _, err := r.WriteTo(&mine); err != nil {
		t.Fatal(err)
	}
	if mine.String() != string(saved) {
		t.Errorf("range files differ:\n%s\nwant\n%s", mine.String(), saved)
	}
	back, err := ReadRange(bytes.NewReader(saved), "r")
	if err != nil {
		t.Fatal(err)
	}
	if got := format(back); got != string(want) {
		t.Error("scaling from the saved range differs")
	}
}

func TestFormatG(t *testing.T) {
	for want, x := range map[string]float64{"0.1": 0.1, "1e+06": 1e6, "999999": 999999, "1e-05": 1e-5, "0.0001": 1e-4,
		"-3": -3, "1.23457e+10": 12345678901, "0.333333": 1. / 3, "0": 0} {
		if got := FormatG(x, 6); got != want {
			t.Errorf("%%g of %v is %s, want %s", x, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("+1 1:2 3:4\n")
	f.Add("-1 qid:1 2:1e5 # x\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "t", Options{})
		if err != nil {
			return
		}
		var b bytes.Buffer
		var qid []float64
		if len(d.Columns) > 1 {
			qid = d.Columns[1].Numbers
		}
		if err := Write(&b, *d.Sparse, d.Columns[0].Numbers, qid); err != nil {
			t.Fatal(err)
		}
		back, err := Read(&b, "t", Options{})
		if err != nil || !reflect.DeepEqual(back.Sparse.CSR(), d.Sparse.CSR()) {
			t.Fatalf("written rows read differently: %v", err)
		}
	})
}

func FuzzReadRange(f *testing.F) {
	f.Add("x\n-1 1\n1 0 2\n3 1 2\n")
	f.Add("y\n0 1\n2 3\nx\n-1 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 1000 {
			ReadRange(strings.NewReader(text), "r")
		}
	})
}
