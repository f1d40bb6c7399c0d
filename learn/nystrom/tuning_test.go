package nystrom

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// wavy is n rows of d columns, of which the first two count: y = sin(3x₀) + x₁/2 + noise.
func wavy(n, d int, seed uint64) (linalg.Matrix[float64], []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y := linalg.New[float64](n, d), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Row(i)[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(3*x.At(i, 0)) + x.At(i, 1)/2 + 0.05*rng.NormFloat64()
	}
	return x, y
}

func relevance(d int, each float64) kernel.ARD {
	l := make([]float64, d)
	for i := range l {
		l[i] = each
	}
	return kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: l}
}

// TestHeldOutGradient holds the gradient against central differences: kernels with parameters of
// several kinds, weights, outputs, tied parameters.
func TestHeldOutGradient(t *testing.T) {
	x, y := wavy(160, 3, 1)
	weights := make([]float64, 160)
	for i := range weights {
		weights[i] = 0.5 + float64(i%4)
	}
	rough := kernel.ARD{Kernel: kernel.Matern{Nu: 1.5}, Lengthscales: []float64{1, 2, 0.7}}
	for _, c := range []struct {
		name    string
		kernel  kernel.Kernel[kernel.Vec]
		groups  [][]int
		weights []float64
		targets targets
	}{
		{"one length-scale", kernel.Gaussian{Lengthscale: 1.3}, [][]int{{0}}, nil, nil},
		{"a length-scale each", relevance(3, 1.2), [][]int{{0}, {1}, {2}}, weights, nil},
		{"tied", relevance(3, 1.2), [][]int{{0, 2}, {1}}, nil, nil},
		{"sum", kernel.Sum[kernel.Vec](relevance(3, 0.8),
			kernel.Scale(0.3, kernel.Kernel[kernel.Vec](kernel.Laplace{Lengthscale: 2}))), [][]int{{0}, {1}, {3}, {4}}, weights,
			nil},
		{"matern, classes", rough, [][]int{{0}, {1}, {2}}, weights, signs(3)},
		{"λ alone", kernel.Linear{}, [][]int{}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			target := y
			if c.targets != nil {
				target = make([]float64, len(y))
				for i, v := range y {
					target[i] = math.Min(math.Max(math.Round(v)+1, 0), 2)
				}
			}
			fitted, judged := data.Gather[kernel.Vec](data.RowsOf(x), perm(0, 110)),
				data.Gather[kernel.Vec](data.RowsOf(x), perm(110, 160))
			h := &heldOut{ctx: context.Background(), kernel: kernel.Erase(c.kernel), groups: c.groups,
				theta: kernel.Values(c.kernel), lambda: 1e-3,
				fitted: data.Erase(fitted), judged: data.Erase(judged), centers: data.Erase(data.Span(fitted, 0, 25)),
				least: math.Inf(1)}
			h.setTargets(target, c.targets, c.weights, perm(0, 110), perm(110, 160))
			if err := h.setJitter(); err != nil {
				t.Fatal(err)
			}
			n := len(c.groups) + 1
			u, grad, none := make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range u {
				u[i] = 0.1 * float64(i)
			}
			if v := h.Eval(u, grad); math.IsInf(v, 0) {
				t.Fatal("no value")
			}
			const step = 1e-5
			for i := range u {
				at := u[i]
				u[i] = at + step
				up := h.Eval(u, none)
				u[i] = at - step
				down := h.Eval(u, none)
				u[i] = at
				if want := (up - down) / (2 * step); math.Abs(grad[i]-want) > 2e-6*(1+math.Abs(want)) {
					t.Errorf("coordinate %d: derivative %g, by differences %g", i, grad[i], want)
				}
			}
		})
	}
}

func perm(lo, hi int) []int {
	var out []int
	for i := lo; i < hi; i++ {
		out = append(out, i)
	}
	return out
}

// TestHeldOutErrorIsThatOfAFit: the value is the error of the learner itself on the rows held out.
func TestHeldOutErrorIsThatOfAFit(t *testing.T) {
	x, y := wavy(300, 2, 3)
	mean := 0.0
	for _, v := range y[:200] {
		mean += v / 200
	}
	for i := range y {
		y[i] -= mean // of the rows fitted to: there is no intercept below
	}
	rows := data.RowsOf(x)
	fitted, judged := data.Span[kernel.Vec](rows, 0, 200), data.Span[kernel.Vec](rows, 200, 300)
	h := &heldOut{ctx: context.Background(), kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}),
		groups: [][]int{{0}}, theta: []float64{1}, lambda: 1e-3,
		fitted: data.Erase(fitted), judged: data.Erase(judged), centers: data.Erase(data.Span(fitted, 0, 40)),
		least: math.Inf(1)}
	h.setTargets(y, nil, nil, perm(0, 200), perm(200, 300))
	got := math.Exp(h.Eval([]float64{math.Log(0.7), 0}, make([]float64, 2)))
	m, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.7}, Lambda: 1e-3, PerPoint: true,
		Given: data.Span(fitted, 0, 40)}.Fit(context.Background(), fitted, y[:200])
	if err != nil {
		t.Fatal(err)
	}
	said, err := m.Predict(context.Background(), judged)
	if err != nil {
		t.Fatal(err)
	}
	want := 0.0
	for i, v := range said {
		want += (v - y[200+i]) * (v - y[200+i]) / 100
	}
	if want = math.Sqrt(want); math.Abs(got-want) > 1e-6*want {
		t.Errorf("error %g, of the fit %g", got, want)
	}
}

// TestTuneFindsWhatCounts: columns without information get long length-scales, and the error falls
// to about that of the noise.
func TestTuneFindsWhatCounts(t *testing.T) {
	x, y := wavy(3000, 5, 2)
	got, err := Regression[kernel.Vec]{Kernel: relevance(5, 2), Lambda: 1e-3, PerPoint: true,
		Options: Options{Centers: 150, Seed: 5}}.Tune(context.Background(), data.RowsOf(x), y, Tuning{Rows: 2200})
	if err != nil {
		t.Fatal(err)
	}
	l := got.Kernel.(kernel.ARD).Lengthscales
	for j := 2; j < 5; j++ {
		if l[j] < 20*l[0] { // the second column is a straight line, for which a long one is as good as any
			t.Errorf("length-scales %.3g: column %d says nothing", l, j)
		}
	}
	last := got.Rounds[len(got.Rounds)-1]
	if len(got.Rounds) != 2 || last.After > 0.07 || last.After > last.Before || last.Rows != 2200 || last.Centers != 150 {
		t.Errorf("rounds %+v", got.Rounds)
	}
}

// TestTuneSameBits: threads leave no trace, in either round.
func TestTuneSameBits(t *testing.T) {
	x, y := wavy(2900, 3, 2)
	var first Tuned[kernel.Vec]
	for _, threads := range datatest.Threads() {
		r := Regression[kernel.Vec]{Kernel: relevance(3, 2), Lambda: 1e-3, PerPoint: true,
			Options: Options{Centers: 64, Seed: 5, Resources: learn.Resources{Threads: threads}}}
		got, err := r.Tune(context.Background(), data.RowsOf(x), y, Tuning{Rows: 2100, Steps: 3})
		if err != nil {
			t.Fatal(err)
		}
		if threads == 1 {
			if first = got; len(got.Rounds) != 2 {
				t.Errorf("rounds %+v", got.Rounds)
			}
			continue
		}
		if a, b := kernel.Values(got.Kernel), kernel.Values(first.Kernel); !equalBits(a, b) || got.Lambda != first.Lambda {
			t.Errorf("%d threads: %v, λ %v; one: %v, λ %v", threads, a, got.Lambda, b, first.Lambda)
		}
	}
}

func equalBits(a, b []float64) bool {
	for i := range a {
		if math.Float64bits(a[i]) != math.Float64bits(b[i]) {
			return false
		}
	}
	return len(a) == len(b)
}

// ends is a context that ends when it has been asked so many times.
type ends struct {
	context.Context
	left int
}

func (c *ends) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestTuneStopped: whenever the context ends there is either its error or a result no worse than
// the start.
func TestTuneStopped(t *testing.T) {
	x, y := wavy(400, 2, 2)
	r := Regression[kernel.Vec]{Kernel: relevance(2, 2), Lambda: 1e-3, PerPoint: true,
		Options: Options{Centers: 30, Resources: learn.Resources{Threads: 1}}}
	results := 0
	for left := 1; left < 4000; left = left*3/2 + 1 {
		got, err := r.Tune(&ends{context.Background(), left}, data.RowsOf(x), y, Tuning{Steps: 5})
		switch {
		case errors.Is(err, context.Canceled):
		case err != nil:
			t.Fatalf("after %d looks: %v", left, err)
		default:
			if results++; got.Rounds[0].After > got.Rounds[0].Before {
				t.Errorf("after %d looks: %+v", left, got.Rounds)
			}
		}
	}
	if results < 2 {
		t.Errorf("%d results", results)
	}
}

// TestTuneClasses: decision values of classes are tuned in the same way.
func TestTuneClasses(t *testing.T) {
	x, y := wavy(800, 3, 4)
	labels := make([]string, len(y))
	for i, v := range y {
		labels[i] = map[bool]string{true: "up", false: "down"}[v > 0]
	}
	c := Classification[kernel.Vec, string]{Regression: Regression[kernel.Vec]{Kernel: relevance(3, 3), Lambda: 1,
		Options: Options{Centers: 60}}}
	got, err := c.Tune(context.Background(), data.RowsOf(x), labels, Tuning{Held: perm(0, 200)})
	if err != nil {
		t.Fatal(err)
	}
	if r := got.Rounds[0]; r.After > 0.8*r.Before || r.Rows != 600 {
		t.Errorf("rounds %+v", got.Rounds)
	}
}

// TestTuneRefuses: what cannot be tuned is refused with the reason.
func TestTuneRefuses(t *testing.T) {
	x, y := wavy(40, 2, 2)
	ok := Regression[kernel.Vec]{Kernel: relevance(2, 2), Options: Options{Centers: 10}}
	rows := data.RowsOf(x)
	for name, f := range map[string]func() error{
		"few rows": func() error {
			_, err := ok.Tune(t.Context(), data.Span[kernel.Vec](rows, 0, 5), y[:5], Tuning{})
			return err
		},
		"short y":      func() error { _, err := ok.Tune(t.Context(), rows, y[:9], Tuning{}); return err },
		"place":        func() error { _, err := ok.Tune(t.Context(), rows, y, Tuning{Groups: [][]int{{5}}}); return err },
		"held twice":   func() error { _, err := ok.Tune(t.Context(), rows, y, Tuning{Held: []int{1, 1}}); return err },
		"all held":     func() error { _, err := ok.Tune(t.Context(), rows, y, Tuning{Held: perm(0, 40)}); return err },
		"held outside": func() error { _, err := ok.Tune(t.Context(), rows, y, Tuning{Held: []int{40}}); return err },
		"rows":         func() error { _, err := ok.Tune(t.Context(), rows, y, Tuning{Rows: -1}); return err },
		"memory": func() error {
			r := ok
			r.Bytes = 1000
			_, err := r.Tune(t.Context(), rows, y, Tuning{})
			var over *learn.OverBudget
			if !errors.As(err, &over) {
				t.Errorf("memory: %v", err)
			}
			return err
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Constant targets, and a column that never varies, are no reason to fail.
	flat := make([]float64, 40)
	for i := range 40 {
		x.Row(i)[1] = 3
	}
	if _, err := ok.Tune(t.Context(), rows, flat, Tuning{}); err != nil {
		t.Errorf("constant target: %v", err)
	}
}
