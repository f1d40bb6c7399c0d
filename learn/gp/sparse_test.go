package gp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/internal/savedtest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// sparseKernels is what gradients are asked of: length-scales for each column, composed kernels,
// one that is not stationary.
func sparseKernels() map[string]kernel.Kernel[kernel.Vec] {
	type k = kernel.Vec
	return map[string]kernel.Kernel[k]{
		"ard": kernel.Scale[k](1.7, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{0.9, 1.4}}),
		"sum": kernel.Sum[k](kernel.Scale[k](0.8, kernel.Matern{Nu: 2.5, Lengthscale: 1.3}),
			kernel.Scale[k](0.3, kernel.Linear{})),
		"product": kernel.Scale[k](1.2, kernel.Product[k](kernel.Gaussian{Lengthscale: 2},
			kernel.RationalQuadratic{Lengthscale: 1.5, Alpha: 2})),
		"polynome": kernel.Polynomial{Gamma: 0.5, Offset: 1, Degree: 3},
	}
}

// denseBound is the definition, with matrices of all rows: log N(y - b | 0, A), and the trace for
// the variational bound.
func denseBound(
	t *testing.T, k kernel.Kernel[kernel.Vec], x, z data.Points[kernel.Vec], y []float64, noise, mean float64, fitc bool,
) float64 {
	n := x.Len()
	block := func(a, b data.Points[kernel.Vec]) *mat.Dense {
		m := mat.NewDense(a.Len(), b.Len(), nil)
		for i := range a.Len() {
			for j := range b.Len() {
				m.Set(i, j, k.Eval(a.At(i), b.At(j)))
			}
		}
		return m
	}
	kxz, kzz, kxx := block(x, z), block(z, z), block(x, x)
	var half, q mat.Dense
	if err := half.Solve(kzz, kxz.T()); err != nil {
		t.Fatal(err)
	}
	q.Mul(kxz, &half)
	a := mat.NewSymDense(n, nil)
	lost := 0.0
	for i := range n {
		for j := range i + 1 {
			a.SetSym(i, j, 0.5*(q.At(i, j)+q.At(j, i)))
		}
		a.SetSym(i, i, a.At(i, i)+noise)
		lost += kxx.At(i, i) - q.At(i, i)
		if fitc {
			a.SetSym(i, i, a.At(i, i)+kxx.At(i, i)-q.At(i, i))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		t.Fatal("not positive definite")
	}
	r := mat.NewVecDense(n, nil)
	for i, v := range y {
		r.SetVec(i, v-mean)
	}
	var alpha mat.VecDense
	if err := chol.SolveVecTo(&alpha, r); err != nil {
		t.Fatal(err)
	}
	value := -0.5*mat.Dot(r, &alpha) - 0.5*chol.LogDet() - 0.5*float64(n)*math.Log(2*math.Pi)
	if !fitc {
		value -= 0.5 * lost / noise
	}
	return value
}

// TestSparseBoundIsItsDefinition: the blocked sums are the bound of the matrices, for both bounds
// and every kernel; weights are repetitions.
func TestSparseBoundIsItsDefinition(t *testing.T) {
	p := learntest.Problem(40, data.Regression, 3)
	z := data.OwnSubset(p.Points, []int{1, 7, 13, 22, 30, 38})
	for name, k := range sparseKernels() {
		for _, fitc := range []bool{false, true} {
			g := SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.2, Mean: 2.5, FITC: fitc, Given: z}
			b := modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t)
			want := denseBound(t, k, p.Points, z, p.Y, 0.2, 2.5, fitc)
			learntest.Near(t, fmt.Sprint(name, " fitc ", fitc), b.Value, want, 1e-9)
			repeated := []int{}
			weights := make([]float64, 40)
			for i := range weights {
				weights[i] = float64(i % 3)
				for range i % 3 {
					repeated = append(repeated, i)
				}
			}
			twice := modeltest.Must(g.Bound(t.Context(), data.Gather(p.Points, repeated), data.Take(p.Y, repeated)))(t)
			g.Weights = weights
			weighed := modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t)
			learntest.Near(t, name+" by weights", weighed.Value, twice.Value, 1e-11)
			learntest.AllNear(t, name+" slopes by weights", weighed.Kernel, twice.Kernel, 1e-8)
		}
	}
}

// TestSparseBoundBelowEvidence: never above the evidence, and equal to it where the inducing points
// are the data; FITC too is then exact.
func TestSparseBoundBelowEvidence(t *testing.T) {
	p := learntest.Problem(60, data.Regression, 4)
	for name, k := range sparseKernels() {
		for _, noise := range []float64{0.01, 0.3, 5} {
			exact := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Noise: noise, FitMean: true}.Evidence(t.Context(),
				p.Points, p.Y))(t)
			last := math.Inf(-1)
			for _, m := range []int{1, 3, 10, 30, 60} {
				z := data.OwnSubset(p.Points, indicesTo(m))
				b := modeltest.Must(SparseRegression[kernel.Vec]{Kernel: k, Noise: noise, FitMean: true,
					Given: z}.Bound(t.Context(), p.Points, p.Y))(t)
				if b.Value > exact.LogMarginal+1e-8*math.Abs(exact.LogMarginal) {
					t.Errorf("%s, noise %g, %d points: bound %.12g above the evidence %.12g", name, noise, m, b.Value,
						exact.LogMarginal)
				}
				if b.Value < last-1e-7*math.Abs(last) {
					t.Errorf("%s, noise %g: %d points have the bound %g, fewer %g", name, noise, m, b.Value, last)
				}
				last = b.Value
			}
			learntest.Near(t, name+" with all points", last, exact.LogMarginal, 1e-8)
			fitc := modeltest.Must(SparseRegression[kernel.Vec]{Kernel: k, Noise: noise, FitMean: true, FITC: true,
				Given: p.Points}.Bound(t.Context(), p.Points, p.Y))(t)
			learntest.Near(t, name+" FITC with all points", fitc.Value, exact.LogMarginal, 1e-8)
		}
	}
}

func indicesTo(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// TestSparseGradients: every derivative against differences of the bound.
func TestSparseGradients(t *testing.T) {
	p := learntest.Problem(50, data.Regression, 5)
	weights := learntest.WeightsWith(50, 0, 2)
	for name, k := range sparseKernels() {
		for _, fitc := range []bool{false, true} {
			for _, fitMean := range []bool{false, true} {
				z := mat.NewDense(7, 2, nil)
				for i := range 7 {
					z.SetRow(i, []float64{math.Sin(3 * float64(i)), math.Cos(2*float64(i)) + 0.1*float64(i)})
				}
				g := SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.3, Mean: 2, FitMean: fitMean, FITC: fitc, Weights: weights,
					Given: data.Rows(z), InducingOptions: InducingOptions{MoveInducing: true}}
				at := func(g SparseRegression[kernel.Vec]) float64 {
					return modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t).Value
				}
				b := modeltest.Must(g.Bound(t.Context(), p.Points, p.Y))(t)
				checkSlopes(t, name, k, b, z, func(k kernel.Kernel[kernel.Vec], z *mat.Dense) float64 {
					h := g
					h.Kernel, h.Given = k, data.Rows(z)
					return at(h)
				})
				const step = 1e-5
				up, down := g, g
				up.Noise, down.Noise = 0.3+step, 0.3-step
				learntest.Near(t, name+" noise", b.Noise, (at(up)-at(down))/(2*step), 1e-6)
			}
		}
	}
}

// checkSlopes compares derivatives by the parameters of a kernel and by points with central
// differences.
func checkSlopes(
	t *testing.T, name string, k kernel.Kernel[kernel.Vec], b SparseBound, z *mat.Dense,
	at func(kernel.Kernel[kernel.Vec], *mat.Dense) float64,
) {
	t.Helper()
	const step = 1e-5
	for i, param := range kernel.Params(k) {
		if param.Domain.Integer {
			continue
		}
		theta := kernel.Values(k)
		theta[i] = param.Value + step
		high := at(vectorsWith(k, theta), z)
		theta[i] = param.Value - step
		low := at(vectorsWith(k, theta), z)
		if want := (high - low) / (2 * step); math.Abs(b.Kernel[i]-want) > 2e-6*(1+math.Abs(want)) {
			t.Errorf("%s: derivative by %s is %.9g, by differences %.9g", name, param.Name, b.Kernel[i], want)
		}
	}
	rows, cols := z.Dims()
	for i := range rows {
		for j := range cols {
			moved := mat.DenseCopyOf(z)
			moved.Set(i, j, z.At(i, j)+step)
			high := at(k, moved)
			moved.Set(i, j, z.At(i, j)-step)
			low := at(k, moved)
			if got, want := b.Inducing[i*cols+j], (high-low)/(2*step); math.Abs(got-want) > 2e-6*(1+math.Abs(want)) {
				t.Errorf("%s: derivative by coordinate %d of point %d is %.9g, by differences %.9g", name, j, i, got, want)
			}
		}
	}
}

// TestSparsePosterior: with all points as inducing points mean and variance are those of the exact
// process, with a fitted mean and without.
func TestSparsePosterior(t *testing.T) {
	p, test := learntest.Problem(40, data.Regression, 6), learntest.Problem(30, data.Regression, 7)
	k := sparseKernels()["ard"]
	for _, fitMean := range []bool{false, true} {
		hold := HyperOptions{FixedKernel: true}
		exact := modeltest.Must(Regression[kernel.Vec]{Kernel: k, Noise: 0.1, FixedNoise: true, Mean: 1, FitMean: fitMean,
			HyperOptions: hold}.Fit(t.Context(), p.Points, p.Y))(t)
		for _, fitc := range []bool{false, true} {
			m := modeltest.Must(SparseRegression[kernel.Vec]{Kernel: k, Noise: 0.1, FixedNoise: true, Mean: 1, FitMean: fitMean,
				FITC: fitc, Given: p.Points, HyperOptions: hold}.Fit(t.Context(), p.Points, p.Y))(t)
			learntest.AllNear(t, "mean", modeltest.Predict(t, m, test.Points), modeltest.Predict(t, exact, test.Points), 1e-8)
			learntest.AllNear(t, "variance", modeltest.Variance(t, m, test.Points), modeltest.Variance(t, exact, test.Points),
				1e-7)
			learntest.AllNear(t, "observation", modeltest.Must(m.ObservationStd(t.Context(), test.Points))(t),
				modeltest.Must(exact.ObservationStd(t.Context(), test.Points))(t), 1e-7)
			erased := SparseRegression[any]{Kernel: kernel.Erase(k), Noise: 0.1, FixedNoise: true, Mean: 1, FitMean: fitMean,
				FITC: fitc, Given: data.Erase(p.Points), HyperOptions: hold}
			savedtest.RoundTrip[float64](t, "sgpr", modeltest.Must(erased.Fit(t.Context(), data.Erase(p.Points), p.Y))(t),
				restoreSparse, data.Erase(test.Points))
		}
	}
}

// TestSparseFit: the search comes near the evidence that the exact process reaches, with a
// certificate; moving the points does not lose.
func TestSparseFit(t *testing.T) {
	p := learntest.Problem(150, data.Regression, 8)
	k := sparseKernels()["ard"]
	exact := modeltest.Must(Regression[kernel.Vec]{Kernel: k, FitMean: true}.Fit(t.Context(), p.Points, p.Y))(t)
	values := map[bool]float64{}
	for _, move := range []bool{false, true} {
		g := SparseRegression[kernel.Vec]{Kernel: k, FitMean: true,
			InducingOptions: InducingOptions{Inducing: 12, MoveInducing: move},
			HyperOptions:    HyperOptions{MaxIterations: 2000, Tol: 1e-4}}
		m := modeltest.Must(g.Fit(t.Context(), p.Points, p.Y))(t)
		if r := m.Report(); !r.Converged || r.Iterations == 0 ||
			math.Abs(r.Objective+m.LogMarginal()) > 1e-9*math.Abs(r.Objective) {
			t.Errorf("move %v: report %+v", move, r)
		}
		if m.LogMarginal() > exact.LogMarginal()+1e-6 {
			t.Errorf("move %v: bound %g above the best evidence %g", move, m.LogMarginal(), exact.LogMarginal())
		}
		values[move] = m.LogMarginal()
		again := modeltest.Must(SparseRegression[kernel.Vec]{Kernel: m.Kernel(), Noise: m.Noise(), FitMean: true,
			Given: m.Inducing()}.Bound(t.Context(), p.Points, p.Y))(t)
		learntest.Near(t, "bound at the end", again.Value, m.LogMarginal(), 1e-9)
	}
	if values[true] < values[false] || values[true] < exact.LogMarginal()-1 {
		t.Errorf("bounds %v, evidence %g", values, exact.LogMarginal())
	}
}

// blockSource hands rows on in copies of its own, as a file does.
type blockSource struct{ data.InMemory[kernel.Vec] }

func (s blockSource) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	return s.InMemory.Pass(ctx, size, func(b data.Block[kernel.Vec]) error {
		b.Points = data.Own(b.Points)
		err := f(b)
		for i := range b.Len() {
			for j := range b.Points.At(i) {
				b.Points.At(i)[j] = math.NaN()
			}
		}
		return err
	})
}

// TestSparseSameBits: at 1, 2 and 7 threads, from memory and from a source, with features kept and
// made anew.
func TestSparseSameBits(t *testing.T) {
	p := learntest.Problem(2300, data.Regression, 9)
	g := SparseRegression[kernel.Vec]{Kernel: sparseKernels()["ard"], FitMean: true,
		InducingOptions: InducingOptions{Inducing: 15, MoveInducing: true}, HyperOptions: HyperOptions{MaxIterations: 4}}
	bits := func(m *SparseRegressor[kernel.Vec], err error) string {
		if err != nil {
			t.Fatal(err)
		}
		return learntest.Bits(m.Func().Coef.RawMatrix().Data) + learntest.Bits([]float64{m.Noise(), m.LogMarginal()})
	}
	first := bits(g.Fit(t.Context(), p.Points, p.Y))
	for _, threads := range datatest.Threads() {
		g.Threads = threads
		if bits(g.Fit(t.Context(), p.Points, p.Y)) != first {
			t.Errorf("other bits at %d threads", threads)
		}
	}
	if bits(g.FitSource(t.Context(), blockSource{data.NewInMemory(p.Points, p.Y, 1, nil)})) != first {
		t.Error("other bits from a source")
	}
	g.Bytes = sparseBytes(15, 2) + 1000 // no room for the features
	if bits(g.Fit(t.Context(), p.Points, p.Y)) != first {
		t.Error("other bits without features in memory")
	}
}

// TestSparseStopped: a context that ends in the search leaves the best place so far.
func TestSparseStopped(t *testing.T) {
	p := learntest.Problem(100, data.Regression, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	g := SparseRegression[kernel.Vec]{Kernel: sparseKernels()["ard"],
		InducingOptions: InducingOptions{Inducing: 10, MoveInducing: true}}
	values := []float64{}
	g.Trace = func(s trace.Step) {
		values = append(values, s.Objective)
		if len(values) == 3 {
			cancel()
		}
	}
	_, err := g.Fit(ctx, p.Points, p.Y)
	var stopped *learn.Stopped[kernel.Vec]
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
	r := stopped.Model.Report()
	if r.Iterations != 3 || r.Objective != values[2] || r.Converged || math.IsInf(r.Certificate, 0) {
		t.Errorf("report %+v after steps %v", r, values)
	}
	if _, err := stopped.Model.(*SparseRegressor[kernel.Vec]).Std(t.Context(), p.Points); err != nil {
		t.Error(err)
	}
}

// TestSparseDegenerate: one point, constant targets, duplicate rows, a constant column, no columns,
// more inducing points than rows; and what is refused.
func TestSparseDegenerate(t *testing.T) {
	fit := func(x [][]float64, y []float64, m int) (*SparseRegressor[kernel.Vec], error) {
		return SparseRegression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1, kernel.Gaussian{}), FitMean: true,
			InducingOptions: InducingOptions{Inducing: m, MoveInducing: true}}.Fit(t.Context(), learntest.MatrixRows(x), y)
	}
	for name, c := range map[string]struct {
		x [][]float64
		y []float64
	}{
		"one point":         {[][]float64{{1, 2}}, []float64{3}},
		"constant targets":  {[][]float64{{1, 2}, {2, 1}, {0, 1}}, []float64{3, 3, 3}},
		"duplicate rows":    {[][]float64{{1, 2}, {1, 2}, {1, 2}, {0, 1}}, []float64{3, 3.1, 2.9, 0}},
		"a constant column": {[][]float64{{1, 7}, {2, 7}, {3, 7}, {4, 7}}, []float64{1, 2, 1, 2}},
		"fewer rows than M": {[][]float64{{1, 7}, {2, 8}}, []float64{1, 2}},
	} {
		m, err := fit(c.x, c.y, 10)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, v := range append(modeltest.Predict(t, m, learntest.MatrixRows(c.x)),
			modeltest.Std(t, m, learntest.MatrixRows(c.x))...) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: predicts %g", name, v)
			}
		}
	}
	for want, g := range map[string]SparseRegression[kernel.Vec]{
		"Inducing is -1": {InducingOptions: InducingOptions{Inducing: -1}},
		"Noise is -1":    {Noise: -1},
		"Mean is NaN":    {Mean: math.NaN()},
		"Given":          {Given: learntest.MatrixRows([][]float64{{1, 2, 3}})},
		"no points":      {Given: data.Slice[kernel.Vec]{}},
	} {
		g.Kernel = kernel.Gaussian{}
		if _, err := g.Fit(t.Context(), learntest.MatrixRows([][]float64{{1, 2}, {2, 1}}), []float64{1, 2}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %v", want, err)
		}
	}
	if _, err := fit([][]float64{{1, 2}, {math.NaN(), 1}}, []float64{1, 2}, 1); err == nil ||
		!strings.Contains(err.Error(), "row 1") {
		t.Errorf("NaN: %v", err)
	}
	move := SparseRegression[int]{Kernel: kernel.Precomputed{K: mat.NewDense(2, 2, []float64{1, 0, 0, 1})},
		InducingOptions: InducingOptions{MoveInducing: true}}
	if _, err := move.Fit(t.Context(), data.Indices(2), []float64{1, 2}); err == nil ||
		!strings.Contains(err.Error(), "MoveInducing") {
		t.Errorf("indices that are to move: %v", err)
	}
}
