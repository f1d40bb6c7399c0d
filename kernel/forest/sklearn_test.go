package forest

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

// table is numbers as rows; nil is a missing value.
func table(v []*float64, d int) data.Slice[kernel.Vec] {
	x := make(data.Slice[kernel.Vec], len(v)/d)
	for i := range x {
		for _, p := range v[i*d : (i+1)*d] {
			if p == nil {
				nan := math.NaN()
				p = &nan
			}
			x[i] = append(x[i], *p)
		}
	}
	return x
}

// Trees predict what those of scikit-learn do (testdata/sklearn_trees.py), missing values and
// weights included; isolation forests agree on the scores.
func TestTreesOfScikitLearn(t *testing.T) {
	var file struct {
		X, Fresh, Gaps, Cloud []*float64
		Y, W, Isolation       []float64
		Code                  []int
		RegDepth              []float64 `json:"reg depth 3"`
		RegMin                []float64 `json:"reg min 10"`
		RegWeighted           []float64 `json:"reg weighted"`
		ClfDepth              []float64 `json:"clf depth 3"`
		ClfEntropy            []float64 `json:"clf entropy"`
		ClfTwo                []float64 `json:"clf two"`
		RegGaps               []float64 `json:"reg gaps"`
		Importances           [][]float64
	}
	text := modeltest.Must(os.ReadFile("testdata/sklearn_trees.json"))(t)
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	x, fresh := table(file.X, 4), table(file.Fresh, 4)
	two := make([]int, len(file.Code))
	for i, c := range file.Code {
		two[i] = c / 2
	}
	for name, c := range map[string]struct {
		s       Supervised
		x       data.Slice[kernel.Vec]
		code    []int
		classes int
		want    []float64
		shares  []float64
	}{
		"reg depth 3": {Supervised{Growth: Growth{Depth: 3, Min: 6}}, x, nil, 0, file.RegDepth, file.Importances[0]},
		"reg min 10":  {Supervised{Growth: Growth{Min: 10}}, x, nil, 0, file.RegMin, file.Importances[1]},
		"reg weighted": {Supervised{Growth: Growth{Depth: 5, Min: 8}, Weights: file.W}, x, nil, 0, file.RegWeighted,
			file.Importances[2]},
		"clf depth 3": {Supervised{Growth: Growth{Depth: 3, Min: 8}}, x, file.Code, 3, file.ClfDepth, file.Importances[3]},
		"clf entropy": {Supervised{Growth: Growth{Depth: 3, Min: 8, Criterion: Entropy}}, x, file.Code, 3, file.ClfEntropy,
			file.Importances[4]},
		"clf two": {Supervised{Growth: Growth{Depth: 3, Min: 8}, Weights: file.W}, x, two, 2, file.ClfTwo,
			file.Importances[5]},
		"reg gaps": {Supervised{Growth: Growth{Depth: 4, Min: 8}}, table(file.Gaps, 4), nil, 0, file.RegGaps,
			file.Importances[6]},
	} {
		s := c.s
		s.Trees, s.Sampling, s.Columns, s.Missing = 1, AllRows, 4, true
		f, err := fitEither(t, s, c.x, file.Y, c.code, c.classes)
		if err != nil {
			t.Fatal(name, err)
		}
		for j, share := range f.Importances() {
			if math.Abs(share-c.shares[j]) > 1e-9 {
				t.Errorf("%s: the importance of column %d is %g, scikit-learn's %g", name, j, share, c.shares[j])
			}
		}
		got := make([]float64, len(c.want))
		if err := f.AverageTo(t.Context(), got, fresh); err != nil {
			t.Fatal(err)
		}
		if len(got) != len(fresh)*f.Outputs() {
			t.Fatalf("%s: %d numbers", name, len(got))
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%s: number %d is %g, scikit-learn's %g", name, i, got[i], c.want[i])
			}
		}
	}
	cloud := table(file.Cloud, 3)
	f := modeltest.Must(Isolation{Trees: 600, Seed: 1}.Fit(t.Context(), cloud))(t)
	got := make([]float64, len(cloud))
	if err := f.AnomalyTo(t.Context(), got, cloud); err != nil {
		t.Fatal(err)
	}
	for i, want := range file.Isolation { // means of 600 trees and of 2,000: a deviation of 0.005 or so
		if math.Abs(got[i]-want) > 0.02 {
			t.Errorf("row %d has the score %g, scikit-learn's %g", i, got[i], want)
		}
	}
}

// fitEither fits numbers, or classes where there are some.
func fitEither(
	t testing.TB, s Supervised, x data.Points[kernel.Vec], y []float64, code []int, classes int,
) (*Forest, error) {
	if code == nil {
		f, _, err := s.Fit(t.Context(), x, y)
		return f, err
	}
	f, _, err := s.FitClasses(t.Context(), x, code, classes)
	return f, err
}
