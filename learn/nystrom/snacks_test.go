package nystrom

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/format/libsvm"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// TestSnacksIsTheMachine: with all points as centres the objective is the machine's within the gap,
// which is small, and so are the decision values apart.
func TestSnacksIsTheMachine(t *testing.T) {
	p, test := learntest.Problem(250, data.Binary, 1), learntest.Problem(200, data.Binary, 2)
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: 1}, kernel.Laplace{Lengthscale: 2}} {
		for _, c := range []float64{0.3, 3} {
			weights := learntest.WeightsWith(250, 0, 2)
			exact := modeltest.Must(svm.Classification[kernel.Vec, int]{Kernel: k, C: c, Weights: weights,
				Options: svm.Options{Tol: 1e-9}}.Fit(t.Context(), p.Points, p.Codes()))(t)
			m := modeltest.Must(Snacks[kernel.Vec, int]{Kernel: k, C: c, Intercept: true, Weights: weights, Given: p.Points,
				Options: Options{Tol: 3e-3, MaxIterations: 5000}}.Fit(t.Context(), p.Points, p.Codes()))(t)
			least, r := hingeObjective(t, exact.Func().Coef, modeltest.Decision(t, exact, p.Points), p, weights, c,
				modeltest.Must(kernelMatrix(t.Context(), k, exact.Func().Centers))(t)), m.Report()
			if r.Objective < least*(1-1e-6) || r.Objective > least*(1+r.Certificate+1e-6) || !r.Converged ||
				r.Certificate > 3e-3 {
				t.Errorf("%v, C = %g: objective %.9g, the machine's %.9g, report %+v", k, c, r.Objective, least, r)
			}
			a, b := modeltest.Decision(t, m, test.Points), modeltest.Decision(t, exact, test.Points)
			off, size := 0.0, 0.0
			for i := range test.Len() {
				off += math.Pow(a.At(i, 0)-b.At(i, 0), 2)
				size += math.Pow(b.At(i, 0), 2)
			}
			if math.Sqrt(off/size) > 0.05 {
				t.Errorf("%v, C = %g: decision values are %.3g off", k, c, math.Sqrt(off/size))
			}
		}
	}
}

// A factor before the kernel, and its inverse before C, change nothing: steps beside an intercept
// of 1 learnt nothing else from a small kernel.
func TestSnacksUnitOfTheKernel(t *testing.T) {
	p := learntest.Problem(250, data.Binary, 1)
	fit := func(factor float64) (*mat.Dense, learn.Report) {
		m := modeltest.Must(Snacks[kernel.Vec, int]{Kernel: kernel.Scale[kernel.Vec](factor, kernel.Gaussian{}),
			C: 3 / factor, Intercept: true, Options: Options{Centers: 40, Tol: 0.01}}.Fit(t.Context(), p.Points, p.Codes()))(t)
		return modeltest.Decision(t, m, p.Points), m.Report()
	}
	want, r := fit(1)
	if !r.Converged {
		t.Fatalf("%+v", r)
	}
	for _, factor := range []float64{1e-6, 1e6} {
		got, r := fit(factor)
		if !r.Converged {
			t.Errorf("%g times the kernel: %+v", factor, r)
		}
		for i := range p.Len() {
			if math.Abs(got.At(i, 0)-want.At(i, 0)) > 1e-6 {
				t.Fatalf("%g times the kernel: decision value %d is %.10g, with the kernel itself %.10g", factor, i, got.At(i, 0),
					want.At(i, 0))
			}
		}
	}
}

func kernelMatrix(ctx context.Context, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec]) (*mat.Dense, error) {
	g := mat.NewDense(x.Len(), x.Len(), nil)
	return g, kernel.Block(ctx, k, g, x, x)
}

// hingeObjective is ½‖f‖² + CΣ w hinge of a machine.
func hingeObjective(
	t *testing.T, coef, decision *mat.Dense, p learn.Problem[kernel.Vec], w []float64, c float64, g *mat.Dense,
) float64 {
	t.Helper()
	var image mat.Dense
	image.Mul(g, coef)
	value := 0.0
	n, _ := coef.Dims()
	for i := range n {
		value += 0.5 * coef.At(i, 0) * image.At(i, 0)
	}
	for i, y := range p.Codes() {
		value += c * w[i] * math.Max(0, 1-float64(2*y-1)*decision.At(i, 0))
	}
	return value
}

// a9aOptimum is what LIBSVM's svm-train 3.24 -g 0.05 -c 1 prints for a9a as obj (with the sign of
// the primal problem).
const a9aOptimum = 10725.850863

// TestSnacksOnA9a: as centres are added the objective falls towards LIBSVM's optimum, never below
// what the gap allows.
func TestSnacksOnA9a(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED with -short: takes a minute")
	}
	d := modeltest.Must(libsvm.Read(datatest.Open(t, "a9a"), "a9a", libsvm.Options{}))(t)
	target := modeltest.Must(d.Column(d.Target))(t)
	k := modeltest.Must(kernel.OnSparse(kernel.Gaussian{Lengthscale: math.Sqrt(10)}, 123))(t)
	last := math.Inf(1)
	for _, m := range []int{30, 100, 400} {
		f := modeltest.Must(Snacks[data.SparseVec, float64]{Kernel: k, C: 1, Intercept: true,
			Options: Options{Centers: m, Tol: 0.01}}.Fit(t.Context(), *d.Sparse, target.Numbers))(t)
		r := f.Report()
		t.Logf("%d centres: objective %.1f, gap %.2g, %d passes", m, r.Objective, r.Certificate, r.Iterations)
		if r.Objective > last || r.Objective < a9aOptimum*(1-1e-6) || !r.Converged {
			t.Errorf("%d centres: objective %g, with fewer %g, of all functions %g", m, r.Objective, last, a9aOptimum)
		}
		last = r.Objective
	}
	if last > 1.05*a9aOptimum {
		t.Errorf("objective %g, the optimum %g", last, a9aOptimum)
	}
}

// TestSnacksSameBits: at 1, 2 and 7 threads, with features kept and made anew, two classes and
// three.
func TestSnacksSameBits(t *testing.T) {
	for _, task := range []data.Task{data.Binary, data.Multiclass} {
		p := learntest.Problem(1500, task, 3)
		first := ""
		for _, bytes := range []int64{0, bytesFor(30, 3) + 1000} {
			for _, threads := range datatest.Threads() {
				m := modeltest.Must(Snacks[kernel.Vec, int]{Kernel: kernel.Gaussian{}, Intercept: true,
					Options: Options{Centers: 30, MaxIterations: 8, Resources: learn.Resources{Threads: threads,
						Bytes: bytes}}}.Fit(t.Context(), p.Points, p.Codes()))(t)
				bits := learntest.Bits(m.Func().Coef.RawMatrix().Data) + learntest.Bits(m.Func().Bias)
				if first == "" {
					first = bits
				}
				if bits != first {
					t.Errorf("%v: other bits with %d threads and %d bytes", task, threads, bytes)
				}
			}
		}
	}
}

// TestSnacksStopped: a context that ends between stages leaves the best of them.
func TestSnacksStopped(t *testing.T) {
	p := learntest.Problem(300, data.Binary, 4)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := 0
	c := Snacks[kernel.Vec, int]{Kernel: kernel.Gaussian{}, C: 10, Intercept: true, Options: Options{Centers: 40}}
	c.Trace = func(trace.Step) {
		if steps++; steps == 3 {
			cancel()
		}
	}
	_, err := c.Fit(ctx, p.Points, p.Codes())
	var stopped *learn.Stopped[kernel.Vec]
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	if r := stopped.Model.Report(); r.Certificate >= 1 || r.Iterations == 0 {
		t.Errorf("report %+v", r)
	}
}

// TestSnacksRefuses: prices, classes and targets without sense.
func TestSnacksRefuses(t *testing.T) {
	x := learntest.MatrixRows([][]float64{{1, 2}, {2, 1}, {0, 1}})
	if _, err := (Snacks[kernel.Vec, int]{Kernel: kernel.Gaussian{}, C: -1}).Fit(t.Context(), x,
		[]int{0, 1, 1}); err == nil || !strings.Contains(err.Error(), "C is -1") {
		t.Errorf("C = -1: %v", err)
	}
	if _, err := (Snacks[kernel.Vec, int]{Kernel: kernel.Gaussian{}}).FitSource(t.Context(),
		data.NewInMemory(x, []float64{0, 1, 5}, 1, nil), []int{7, 8}); err == nil || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("class 5 of 2: %v", err)
	}
	m := modeltest.Must(Snacks[kernel.Vec, int]{Kernel: kernel.Gaussian{}}.FitSource(t.Context(),
		data.NewInMemory(x, []float64{0, 1, 1}, 1, nil), []int{7, 8}))(t)
	if got := modeltest.Predict(t, m, x); got[0] != 7 || got[1] != 8 {
		t.Errorf("labels %v", got)
	}
}
