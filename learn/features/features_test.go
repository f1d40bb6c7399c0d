package features

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// cosines is the features as Rahimi and Recht write them, from the same draw.
func cosines(t *testing.T, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], o Options) *mat.Dense {
	f := modeltest.Must(gram.NewFourierMap(k, len(x.At(0)), o.Frequencies, o.Orthogonal, 1, o.Seed))(t)
	return modeltest.Must(f.Features(t.Context(), x))(t)
}

// linearRidge is ridge regression on given features: the oracle.
func linearRidge(t *testing.T, phi *mat.Dense, y []float64, lambda float64, intercept bool, test *mat.Dense) []float64 {
	m := modeltest.Must(ridge.Regression[kernel.Vec]{Kernel: kernel.Linear{}, Lambda: lambda,
		Intercept: intercept}.Fit(t.Context(), data.Rows(phi), y))(t)
	return modeltest.Predict(t, m, data.Rows(test))
}

var spectralKernels = map[string]kernel.Kernel[kernel.Vec]{
	"gaussian":   kernel.Gaussian{Lengthscale: 1.5},
	"ard":        kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.7, 3}},
	"matern":     kernel.Matern{Nu: 1.5, Lengthscale: 2},
	"laplace l1": kernel.LaplaceL1{Lengthscale: 3},
	"sum":        kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](2, kernel.Gaussian{}), kernel.Laplace{Lengthscale: 2}),
}

// TestRidgeIsRidgeOnCosines: Hartley's waves at ±ω are the cosines and sines turned by 45°, so that
// ridge regression is the same function, with an intercept and without.
func TestRidgeIsRidgeOnCosines(t *testing.T) {
	p, test := learntest.Problem(300, data.Regression, 1), learntest.Problem(50, data.Regression, 2)
	for name, k := range spectralKernels {
		for _, orthogonal := range []bool{false, true} {
			for _, intercept := range []bool{false, true} {
				o := Options{Frequencies: 20, Orthogonal: orthogonal, Seed: 4}
				m := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Lambda: 0.3, Intercept: intercept,
					Options: o}.Fit(t.Context(), p.Points, p.Y))(t)
				want := linearRidge(t, cosines(t, k, p.Points, o), p.Y, 0.3, intercept, cosines(t, k, test.Points, o))
				learntest.AllNear(t, name, modeltest.Predict(t, m, test.Points), want, 1e-8)
				if r := m.Report(); !r.Converged || r.Certificate > 1e-9 || !(r.Objective > 0) {
					t.Errorf("%s: report %+v", name, r)
				}
			}
		}
	}
}

// TestFeaturesReachTheKernel: with more frequencies the function comes near that of the kernel
// itself.
func TestFeaturesReachTheKernel(t *testing.T) {
	p, test := learntest.Problem(200, data.Regression, 3), learntest.Problem(100, data.Regression, 4)
	k := kernel.Gaussian{Lengthscale: 1}
	exact := modeltest.Must(ridge.Regression[kernel.Vec]{Kernel: k, Lambda: 0.5, Intercept: true}.Fit(t.Context(),
		p.Points, p.Y))(t)
	want := modeltest.Predict(t, exact, test.Points)
	off := map[int]float64{}
	for _, m := range []int{20, 2000} {
		f := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Lambda: 0.5, Intercept: true,
			Options: Options{Frequencies: m, Orthogonal: true}}.Fit(t.Context(), p.Points, p.Y))(t)
		for i, v := range modeltest.Predict(t, f, test.Points) {
			off[m] = math.Max(off[m], math.Abs(v-want[i]))
		}
	}
	if off[2000] > 0.1 || off[2000] > off[20]/3 {
		t.Errorf("largest differences by frequencies: %v", off)
	}
}

// onceSource fails on a second pass, as a stream does.
type onceSource struct {
	data.InMemory[kernel.Vec]
	passes *int
}

func (s onceSource) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	if *s.passes++; *s.passes > 1 {
		return errors.New("the stream is over")
	}
	return s.InMemory.Pass(ctx, size, f)
}

// TestOnePass: ridge, hinge and logistic learn from a stream that is there once, and ridge as from
// memory.
func TestOnePass(t *testing.T) {
	p := learntest.Problem(3000, data.Binary, 5)
	once := func() onceSource { return onceSource{data.NewInMemory(p.Points, p.Y, 1, nil), new(int)} }
	o := Options{Frequencies: 50, Seed: 3}
	k := kernel.Gaussian{}
	m := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Intercept: true, Options: o}.FitSource(t.Context(), once()))(t)
	again := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Intercept: true, Options: o}.Fit(t.Context(), p.Points,
		p.Y))(t)
	if learntest.Bits(m.Func().Coef.RawMatrix().Data) != learntest.Bits(again.Func().Coef.RawMatrix().Data) {
		t.Error("ridge from a stream has other bits than from memory")
	}
	right := func(labels []string) int {
		n := 0
		for i, c := range p.Codes() {
			if labels[i] == []string{"no", "yes"}[c] {
				n++
			}
		}
		return n
	}
	names := []string{"no", "yes"}
	base := Classification[kernel.Vec, string]{Kernel: k, Lambda: 0.1, Intercept: true, Options: o}
	squares := modeltest.Must(base.FitSource(t.Context(), once(), names))(t)
	best := right(modeltest.Predict(t, squares, p.Points))
	hinge := base
	hinge.Loss = Hinge
	for name, labels := range map[string][]string{
		"hinge": modeltest.Predict(t, modeltest.Must(hinge.FitSource(t.Context(), once(), names))(t), p.Points),
		"logistic": modeltest.Predict(t, modeltest.Must(Logistic[kernel.Vec, string]{base}.FitSource(t.Context(), once(),
			names))(t), p.Points),
	} {
		if n := right(labels); n < best-90 {
			t.Errorf("%s: %d of 3000 right after one pass, squares %d", name, n, best)
		}
	}
	hinge.Certify = true
	if _, err := hinge.FitSource(t.Context(), once(), names); err == nil {
		t.Error("a certificate takes a second pass")
	}
}

// TestHingeGap: the gap bounds what is left to the machine's least objective, found on the same
// features, and shrinks with passes.
func TestHingeGap(t *testing.T) {
	p := learntest.Problem(400, data.Binary, 6)
	k, o := kernel.Gaussian{}, Options{Frequencies: 30, Seed: 1}
	phi := cosines(t, k, p.Points, o)
	least := hingeLeast(t, phi, p.Codes(), 0.5)
	last := math.Inf(1)
	for _, passes := range []int{5, 100, 2000} {
		m := modeltest.Must(Classification[kernel.Vec, int]{Kernel: k, Loss: Hinge, Lambda: 2, Intercept: true,
			Passes: passes, Options: o}.Fit(t.Context(), p.Points, p.Codes()))(t)
		r := m.Report()
		left := r.Objective - least
		if left < -1e-6 || left > r.Certificate*400+1e-6 {
			t.Errorf("%d passes: objective %g, least %g, gap %g", passes, r.Objective, least, r.Certificate*400)
		}
		if r.Certificate > last {
			t.Errorf("%d passes leave a gap of %g, fewer %g", passes, r.Certificate, last)
		}
		last = r.Certificate
	}
	if last > 0.01 {
		t.Errorf("gap %g after 2000 passes", last)
	}
}

// hingeLeast is the least Σ hinge + (‖v‖² + b²)/2C on given features, by dual coordinate descent.
func hingeLeast(t *testing.T, phi *mat.Dense, y []int, c float64) float64 {
	n, d := phi.Dims()
	wide := mat.NewDense(n, d+1, nil)
	for i := range n {
		copy(wide.RawRowView(i), phi.RawRowView(i))
		wide.Set(i, d, 1)
	}
	m := modeltest.Must(svm.LinearClassification[kernel.Vec, int]{C: c, Hinge: true, NoIntercept: true, Tol: 1e-9,
		MaxIterations: 1000000}.Fit(t.Context(), data.Rows(wide), y))(t)
	return m.Report().Objective / c
}

// TestLogisticGap: the averaged steps come near, and the gap says so.
func TestLogisticGap(t *testing.T) {
	p := learntest.Problem(400, data.Multiclass, 7)
	k, o := kernel.Gaussian{}, Options{Frequencies: 30, Seed: 1}
	few := modeltest.Must(Logistic[kernel.Vec, int]{Classification[kernel.Vec, int]{Kernel: k, Lambda: 2, Intercept: true,
		Passes: 5, Options: o}}.Fit(t.Context(), p.Points, p.Codes()))(t)
	many := modeltest.Must(Logistic[kernel.Vec, int]{Classification[kernel.Vec, int]{Kernel: k, Lambda: 2, Intercept: true,
		Passes: 3000, Options: o}}.Fit(t.Context(), p.Points, p.Codes()))(t)
	a, b := few.Report(), many.Report()
	if !(b.Objective < a.Objective) || !(b.Certificate < a.Certificate/4) || b.Certificate > 0.02 || !b.Converged {
		t.Errorf("after 5 passes %+v\nafter 3000 %+v", a, b)
	}
	for i := range 10 {
		sum := 0.0
		for _, v := range modeltest.Proba(t, many, p.Points).RawRowView(i) {
			sum += v
		}
		learntest.Near(t, "sum of probabilities", sum, 1, 1e-12)
	}
}

// TestSameBits: at 1, 2 and 7 threads, for every loss, and on sparse rows nearly the same numbers.
func TestSameBits(t *testing.T) {
	p := learntest.Problem(2200, data.Multiclass, 8)
	rows := make([]data.SparseVec, p.Len())
	for i := range rows {
		rows[i] = data.SparseVec{Index: []int32{0, 1}, Value: append([]float64(nil), p.Points.At(i)...)}
	}
	sparse, ks := data.SparseOf(rows, 2), modeltest.Must(kernel.OnSparse(kernel.Gaussian{}, 2))(t)
	for _, loss := range []Loss{Squares, Hinge} {
		first, values := "", []float64(nil)
		c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Loss: loss, Intercept: true, Passes: 2,
			Options: Options{Frequencies: 40, Orthogonal: true}}
		for _, threads := range datatest.Threads() {
			c.Threads = threads
			m := modeltest.Must(c.Fit(t.Context(), p.Points, p.Codes()))(t)
			values = append(append([]float64(nil), m.Func().Coef.RawMatrix().Data...), m.Func().Bias...)
			if bits := learntest.Bits(values); first == "" {
				first = bits
			} else if bits != first {
				t.Errorf("loss %d: other bits at %d threads", loss, threads)
			}
		}
		s := Classification[data.SparseVec, int]{Kernel: ks, Loss: loss, Intercept: true, Passes: 2, Options: c.Options}
		m := modeltest.Must(s.Fit(t.Context(), sparse, p.Codes()))(t)
		learntest.AllNear(t, "sparse rows", append(append([]float64(nil), m.Func().Coef.RawMatrix().Data...),
			m.Func().Bias...), values, 1e-6)
	}
}

// TestStopped: a context that ends between passes leaves what was learnt.
func TestStopped(t *testing.T) {
	p := learntest.Problem(100, data.Binary, 9)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Loss: Hinge, Passes: 50}
	c.Trace = func(s trace.Step) {
		if s.Iteration == 3 {
			cancel()
		}
	}
	_, err := c.Fit(ctx, p.Points, p.Codes())
	var stopped *learn.Stopped[kernel.Vec]
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) || stopped.Model.Report().Iterations != 300 {
		t.Fatalf("error %v", err)
	}
}

// TestRefused: what has no spectral measure, no columns or no sense.
func TestRefused(t *testing.T) {
	x := learntest.MatrixRows([][]float64{{1, 2}, {2, 1}, {0, 1}})
	for want, r := range map[string]Regression[kernel.Vec]{
		"linear":            {Kernel: kernel.Linear{}},
		"Frequencies is -1": {Kernel: kernel.Gaussian{}, Options: Options{Frequencies: -1}},
		"Lambda is -1":      {Kernel: kernel.Gaussian{}, Lambda: -1},
		"need":              {Kernel: kernel.Gaussian{}, Options: Options{Resources: learn.Resources{Bytes: 100}}},
	} {
		if _, err := r.Fit(t.Context(), x, []float64{1, 2, 3}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %v", want, err)
		}
	}
	g := Regression[kernel.Vec]{Kernel: kernel.Gaussian{}, Intercept: true}
	if _, err := g.Fit(t.Context(), learntest.MatrixRows([][]float64{{1, 2}, {math.NaN(), 1}}),
		[]float64{1, 2}); err == nil || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("NaN: %v", err)
	}
	if _, err := (Regression[int]{Kernel: kernel.Precomputed{K: mat.NewDense(2, 2,
		[]float64{1, 0, 0, 1})}}).Fit(t.Context(), data.Indices(2), []float64{1, 2}); err == nil ||
		!strings.Contains(err.Error(), "vectors") {
		t.Errorf("indices: %v", err)
	}
	m := modeltest.Must(g.Fit(t.Context(), x, []float64{3, 3, 3}))(t)
	learntest.AllNear(t, "constant targets", modeltest.Predict(t, m, x), []float64{3, 3, 3}, 1e-12)
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{}}
	if _, err := c.FitSource(t.Context(), data.NewInMemory(x, []float64{0, 1, 2.5}, 1, nil), []int{4, 5, 6}); err == nil ||
		!strings.Contains(err.Error(), "row 2") {
		t.Errorf("a class of 2.5: %v", err)
	}
	c.Loss = 7
	if _, err := c.Fit(t.Context(), x, []int{0, 1, 1}); err == nil || !strings.Contains(err.Error(), "loss") {
		t.Errorf("loss 7: %v", err)
	}
}
