package model

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

var writeGolden = flag.Bool("golden", false,
	"write the golden files of this format version; old ones are never changed")

// golden is what a golden file predicts, beside it as JSON.
type golden struct {
	X      [][]number
	Sparse bool
	Values []number
	Codes  []int
	Proba  [][]number
	Std    []number
}

func numbersOf(m *mat.Dense) [][]number {
	if m == nil {
		return nil
	}
	n, d := m.Dims()
	out := make([][]number, n)
	for i := range out {
		for j := range d {
			out[i] = append(out[i], number(m.At(i, j)))
		}
	}
	return out
}

// TestGoldenFilesStayLoadable reads the model files of every format version
// and holds their predictions against those of the time. They may differ in
// the last digits, as kernels get faster, and no more.
func TestGoldenFilesStayLoadable(t *testing.T) {
	dir := filepath.Join("testdata", "golden", "v1")
	if *writeGolden {
		for _, c := range fittedCases(t) {
			name := filepath.Join(dir, strings.ReplaceAll(c.name, " ", "-"))
			if _, err := os.Stat(name + ".mercer"); err == nil {
				continue
			}
			p := predictAll(t, c.model, c.x)
			g := golden{X: numbersOf(mat.DenseCopyOf(matOf(c.x))), Sparse: c.x.Sparse != nil, Codes: p.Codes,
				Proba: numbersOf(p.Proba)}
			for _, v := range p.Values {
				g.Values = append(g.Values, number(v))
			}
			for _, v := range p.Std {
				g.Std = append(g.Std, number(v))
			}
			if err := c.model.Save(name + ".mercer"); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name+".json", must(json.Marshal(g)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, _ := filepath.Glob(filepath.Join("testdata", "golden", "v1", "*.mercer"))
	if len(files) < 20 {
		t.Fatalf("only %d golden files", len(files))
	}
	for _, file := range files {
		m, err := Load(file)
		if err != nil {
			t.Error(err)
			continue
		}
		var g golden
		text, err := os.ReadFile(strings.TrimSuffix(file, ".mercer") + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &g); err != nil {
			t.Fatal(err)
		}
		x := mat.NewDense(len(g.X), len(g.X[0]), nil)
		for i, row := range g.X {
			for j, v := range row {
				x.Set(i, j, float64(v))
			}
		}
		e := encoded(data.Rows(x))
		if g.Sparse {
			e = encodedSparse(sparsely(x))
		}
		p := predictAll(t, m, e)
		if !reflect.DeepEqual(p.Codes, g.Codes) {
			t.Errorf("%s: classes %v, recorded %v", file, p.Codes, g.Codes)
		}
		near := func(what string, got, want float64) {
			if d := got - want; !(d*d <= 1e-20*(1+want*want)) {
				t.Errorf("%s: %s %.17g, recorded %.17g", file, what, got, want)
			}
		}
		for i, v := range g.Values {
			near("value", p.Values[i], float64(v))
		}
		for i, v := range g.Std {
			near("standard deviation", p.Std[i], float64(v))
		}
		for i, row := range g.Proba {
			for j, v := range row {
				near("probability", p.Proba.At(i, j), float64(v))
			}
		}
	}
}

func matOf(x *data.Encoded) *mat.Dense {
	rows := x.AsDense()
	m := mat.NewDense(rows.Len(), rows.Dim(), nil)
	for i := range rows.Len() {
		m.SetRow(i, rows.At(i))
	}
	return m
}
