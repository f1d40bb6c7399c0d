package forest

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
)

func normal(n, d int, seed uint64) data.Slice[kernel.Vec] {
	rng := rand.New(rand.NewPCG(seed, 2))
	x := make(data.Slice[kernel.Vec], n)
	for i := range x {
		x[i] = make(kernel.Vec, d)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64()
		}
	}
	return x
}

// Many Mondrian trees have Laplace's kernel of each row with any point, within five deviations of a
// share; points that were never seen may lie far out.
func TestMondrianGoesToLaplace(t *testing.T) {
	trees := datatest.Size(6000, 2000)
	x, fresh := normal(12, 2, 1), normal(12, 2, 2)
	fresh[0], fresh[1] = kernel.Vec{9, 0}, kernel.Vec{-30, 40}
	for _, lifetime := range []float64{0.3, 2} {
		f := modeltest.Must(Mondrian{Trees: trees, Lifetime: lifetime, Seed: 9}.Fit(t.Context(), x))(t)
		leaves := func(of data.Slice[kernel.Vec]) [][]int32 {
			out := make([][]int32, len(of))
			for i := range of {
				out[i] = make([]int32, trees)
				f.leavesOf(out[i], of[i])
			}
			return out
		}
		seen := leaves(x)
		for name, y := range map[string]data.Slice[kernel.Vec]{"rows": x, "new points": fresh} {
			for j, b := range leaves(y) {
				for i, a := range seen {
					same := 0.0
					for t := range a {
						if a[t] == b[t] {
							same++
						}
					}
					want := math.Exp(-lifetime * (math.Abs(x[i][0]-y[j][0]) + math.Abs(x[i][1]-y[j][1])))
					if got := same / float64(trees); math.Abs(got-want) > 5*math.Sqrt(want*(1-want)/float64(trees))+4/float64(trees) {
						t.Errorf("lifetime %g, %s: k(%d, %d) = %g, Laplace's kernel is %g", lifetime, name, i, j, got, want)
					}
				}
			}
		}
	}
}

// Two rows 0 and a stand-alone point: expected depths by recursion over all cuts of three numbers
// on a line. The first cut falls between neighbours by the length of the gap; the score is
// 2^(-h/c(3)).
func TestIsolationDepthsOfThreeRows(t *testing.T) {
	x := data.Slice[kernel.Vec]{{0}, {1}, {4}}
	f := modeltest.Must(Isolation{Trees: 10000, Sample: 3, Depth: 5, Seed: 1}.Fit(t.Context(), x))(t)
	// Row 4 is alone after the first cut with probability 3/4, else after the second.
	want := []float64{0.25*1 + 0.75*2, 2, 0.75*1 + 0.25*2}
	got := make([]float64, 3)
	if err := f.AverageTo(t.Context(), got, x); err != nil {
		t.Fatal(err)
	}
	score := make([]float64, 3)
	if err := f.AnomalyTo(t.Context(), score, x); err != nil {
		t.Fatal(err)
	}
	unit := 2*(math.Log(2)+eulerGamma) - 4.0/3
	for i := range want {
		if math.Abs(got[i]-want[i]) > 0.02 {
			t.Errorf("row %d lies %g cuts deep, want %g", i, got[i], want[i])
		}
		if s := math.Exp2(-got[i] / unit); math.Abs(score[i]-s) > 1e-12 {
			t.Errorf("row %d has the score %g, want %g", i, score[i], s)
		}
	}
}

// What lies alone has the largest score.
func TestIsolationFindsTheLonely(t *testing.T) {
	x := append(normal(400, 3, 5), kernel.Vec{9, 9, -9})
	f := modeltest.Must(Isolation{Seed: 2}.Fit(t.Context(), x))(t)
	score := make([]float64, len(x))
	if err := f.AnomalyTo(t.Context(), score, x); err != nil {
		t.Fatal(err)
	}
	for i, s := range score[:400] {
		if s >= score[400] || !(s > 0 && s < 1) {
			t.Errorf("row %d has the score %g, the lonely one %g", i, s, score[400])
		}
	}
	if score[400] < 0.7 {
		t.Errorf("the lonely one has the score %g", score[400])
	}
	other := modeltest.Must(Mondrian{}.Fit(t.Context(), x))(t)
	if err := other.AnomalyTo(t.Context(), score, x); err == nil {
		t.Error("a Mondrian forest has scores of anomaly")
	}
}

func TestUnsupervisedOnDegenerateInput(t *testing.T) {
	same := data.Slice[kernel.Vec]{{1, 2}, {1, 2}, {1, 2}}
	for name, x := range map[string]data.Slice[kernel.Vec]{
		"one row": {{1, 2}}, "all the same": same, "no columns": {{}, {}}, "huge": {{1e308, 0}, {-1e308, 1}, {5, 1}},
	} {
		f, err := Isolation{Trees: 5}.Fit(t.Context(), x)
		if err != nil {
			t.Fatal(name, err)
		}
		score := make([]float64, len(x))
		if err := f.AnomalyTo(t.Context(), score, x); err != nil || !(score[0] > 0 && score[0] < 1) {
			t.Errorf("%s: scores %v, error %v", name, score, err)
		}
		if f.Eval(x[0], x[0]) != 1 {
			t.Errorf("%s: k(x, x) = %g", name, f.Eval(x[0], x[0]))
		}
		m, err := Mondrian{Trees: 5}.Fit(t.Context(), x)
		if (err != nil) != (name == "huge") {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && m.Eval(x[0], x[len(x)-1]) != 1 {
			t.Errorf("%s: k of equal rows is %g", name, m.Eval(x[0], x[1]))
		}
	}
	for name, x := range map[string]data.Points[kernel.Vec]{
		"nil": nil, "no rows": data.Slice[kernel.Vec]{}, "NaN": data.Slice[kernel.Vec]{{1}, {math.NaN()}},
		"infinite": data.Slice[kernel.Vec]{{math.Inf(1)}}, "ragged": data.Slice[kernel.Vec]{{1}, {1, 2}},
	} {
		if _, err := (Isolation{}).Fit(t.Context(), x); err == nil {
			t.Errorf("isolation takes %s", name)
		}
		if _, err := (Mondrian{}).Fit(t.Context(), x); err == nil {
			t.Errorf("mondrian takes %s", name)
		}
	}
	for _, c := range []Mondrian{{Trees: -1}, {Lifetime: -1}, {Lifetime: math.NaN()}, {Lifetime: math.Inf(1)}} {
		if _, err := c.Fit(t.Context(), same); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
	for _, c := range []Isolation{{Trees: -1}, {Sample: -1}, {Depth: -1}} {
		if _, err := c.Fit(t.Context(), same); err == nil {
			t.Errorf("%+v was taken", c)
		}
	}
}
