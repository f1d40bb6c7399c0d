package solve

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// gramOf is the inner products of random vectors around a common one, as residuals of models that
// make the same errors are.
func gramOf(rng *rand.Rand, members, rows int, common float64) *mat.SymDense {
	shared := make([]float64, rows)
	for i := range shared {
		shared[i] = common * rng.NormFloat64()
	}
	v := make([][]float64, members)
	for m := range v {
		size := math.Exp(rng.NormFloat64())
		for i := range rows {
			v[m] = append(v[m], shared[i]+size*rng.NormFloat64())
		}
	}
	g := mat.NewSymDense(members, nil)
	for a := range members {
		for b := a; b < members; b++ {
			s := 0.0
			for i := range rows {
				s += v[a][i] * v[b][i]
			}
			g.SetSym(a, b, s)
		}
	}
	return g
}

func valueAt(g *mat.SymDense, w []float64) float64 {
	v := mat.NewVecDense(len(w), w)
	return mat.Inner(v, g, v)
}

// The weights are as good as those of every point of a fine grid over the simplex, and the best of
// these is near.
func TestSimplexNearestAgainstAGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const steps = 60
	for trial := range 40 {
		g := gramOf(rng, 3, 2+trial%9, float64(trial%3))
		w, violation := SimplexNearest(g)
		if violation > 1e-9 {
			t.Errorf("trial %d: violation %g", trial, violation)
		}
		got, least := valueAt(g, w), math.Inf(1)
		for a := range steps + 1 {
			for b := range steps + 1 - a {
				p := []float64{float64(a) / steps, float64(b) / steps, float64(steps-a-b) / steps}
				least = math.Min(least, valueAt(g, p))
			}
		}
		spread := 0.0
		for i := range 3 {
			spread = math.Max(spread, g.At(i, i))
		}
		if got > least*(1+1e-12) || least-got > 3*spread/steps {
			t.Errorf("trial %d: %v has %g, the grid %g", trial, w, got, least)
		}
	}
}

// Of eight vectors the weights are those of the best of all 255 subsets, each solved by itself
// without regard to signs.
func TestSimplexNearestAgainstAllSubsets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for trial := range 30 {
		g := gramOf(rng, 8, 12+trial, float64(trial%4))
		w, violation := SimplexNearest(g)
		sum := 0.0
		for _, v := range w {
			if sum += v; v < 0 {
				t.Errorf("trial %d: a weight of %g", trial, v)
			}
		}
		if math.Abs(sum-1) > 1e-12 || violation > 1e-9 {
			t.Errorf("trial %d: sum %g, violation %g", trial, sum, violation)
		}
		least := math.Inf(1)
		for subset := 1; subset < 1<<8; subset++ {
			var among []int
			for i := range 8 {
				if subset>>i&1 == 1 {
					among = append(among, i)
				}
			}
			v, ok := affineMinimum(g, among, 0)
			p := make([]float64, 8)
			for a, i := range among {
				if ok = ok && v[a] >= 0; ok {
					p[i] = v[a]
				}
			}
			if ok {
				least = math.Min(least, valueAt(g, p))
			}
		}
		if got := valueAt(g, w); math.Abs(got-least) > 1e-10*least {
			t.Errorf("trial %d: %g, all subsets %g", trial, got, least)
		}
	}
}

func TestSimplexNearestDegenerate(t *testing.T) {
	for name, c := range map[string]struct {
		g    *mat.SymDense
		want []float64
	}{
		"one":          {mat.NewSymDense(1, []float64{7}), []float64{1}},
		"no errors":    {mat.NewSymDense(2, nil), []float64{1, 0}},
		"one has none": {mat.NewSymDense(2, []float64{3, 0, 0, 0}), []float64{0, 1}},
		"the same":     {mat.NewSymDense(2, []float64{2, 2, 2, 2}), []float64{1, 0}},
		"opposite":     {mat.NewSymDense(2, []float64{1, -1, -1, 1}), []float64{0.5, 0.5}},
		"huge":         {mat.NewSymDense(2, []float64{1e200, 0, 0, 3e200}), []float64{0.75, 0.25}},
		"tiny":         {mat.NewSymDense(2, []float64{1e-200, 0, 0, 3e-200}), []float64{0.75, 0.25}},
		"unalike":      {mat.NewSymDense(2, []float64{1, 0, 0, 1e12}), []float64{1 - 1e-12, 1e-12}},
		"dominated":    {mat.NewSymDense(2, []float64{1, 1, 1, 4}), []float64{1, 0}},
	} {
		w, violation := SimplexNearest(c.g)
		for i, v := range c.want {
			if math.Abs(w[i]-v) > 1e-9 {
				t.Errorf("%s: %v, want %v", name, w, c.want)
				break
			}
		}
		if violation > 1e-9 {
			t.Errorf("%s: violation %g", name, violation)
		}
	}
}
