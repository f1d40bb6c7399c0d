package gp

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// correlated draws n rows of a smooth signal that two outputs share, the first in a clean
// observation and the second in one of the noise given, and a third output of its own.
func correlated(n int, seed uint64, noise float64) (data.DenseRows, *mat.Dense) {
	rng := rand.New(rand.NewPCG(seed, 17))
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 3, nil)
	for i := range n {
		v := 8*rng.Float64() - 4
		signal := math.Sin(2*v) + 0.4*v
		x.Set(i, 0, v)
		y.SetRow(i, []float64{signal + 0.05*rng.NormFloat64(), 100 + 30*signal + 30*noise*rng.NormFloat64(),
			math.Cos(3*v) + 0.1*rng.NormFloat64()})
	}
	return data.Rows(x), y
}

// symmetric is a matrix from its rows.
func symmetric(rows [][]float64) *mat.SymDense {
	b := mat.NewSymDense(len(rows), nil)
	for t, row := range rows {
		for u, v := range row {
			b.SetSym(t, u, v)
		}
	}
	return b
}

// A joint process is a process on pairs of a point and an output, with the scalar kernel of
// kernel.Separable and the noise of each output: means, deviations and evidence.
func TestJointIsAProcessOnPairs(t *testing.T) {
	x, y := correlated(14, 1, 0.5)
	fresh, _ := correlated(5, 2, 0.5)
	b := symmetric([][]float64{{1.2, 20, 0.3}, {20, 900, 4}, {0.3, 4, 0.8}})
	noise := []float64{0.02, 90, 0.05}
	k := kernel.Gaussian{Lengthscale: 1.1}
	var pairs, new data.Slice[kernel.Output[kernel.Vec]]
	var values, own []float64
	for i := range x.Len() {
		for u := range 3 {
			pairs = append(pairs, kernel.Output[kernel.Vec]{First: x.At(i), Second: u})
			values, own = append(values, y.At(i, u)), append(own, noise[u])
		}
	}
	for i := range fresh.Len() {
		for u := range 3 {
			new = append(new, kernel.Output[kernel.Vec]{First: fresh.At(i), Second: u})
		}
	}
	scalar := kernel.Separable[kernel.Vec]{Kernel: k, B: b}.Scalar()
	want := modeltest.Must(Regression[kernel.Output[kernel.Vec]]{Kernel: scalar, NoNoise: true, PointNoise: own,
		HyperOptions: HyperOptions{FixedKernel: true}}.Fit(learntest.Ctx, pairs, values))(t)
	j := Joint{Kernel: kernel.OnVectors(k), Outputs: b, Noise: noise, FixedNoise: true, NoMean: true,
		HyperOptions: HyperOptions{FixedKernel: true}}
	m := modeltest.Must(j.Fit(learntest.Ctx, data.Erase[kernel.Vec](x), y))(t)
	learntest.Near(t, "evidence", m.LogMarginal(), want.LogMarginal(), 1e-9)
	got := modeltest.Must(m.PredictMulti(learntest.Ctx, data.Erase[kernel.Vec](fresh)))(t)
	learntest.AllNear(t, "means", got.RawMatrix().Data, modeltest.Must(want.Predict(learntest.Ctx, new))(t), 1e-8)
	covariance := modeltest.Must(want.Covariance(learntest.Ctx, new))(t)
	for i, c := range modeltest.Must(m.OutputCovariance(learntest.Ctx, data.Erase[kernel.Vec](fresh)))(t) {
		for u := range 3 {
			for v := range 3 {
				learntest.Near(t, "covariance", c.At(u, v), covariance.At(3*i+u, 3*i+v), 1e-7)
			}
		}
	}
}

// Evidence, means and covariances are GPyTorch's at the same parameters.
func TestJointIsGPyTorchs(t *testing.T) {
	var g struct {
		Source string
		Cases  []struct {
			X, Y, New, Outputs, Mean [][]float64
			Length, Evidence         float64
			Noise                    []float64
			Covariance               [][][]float64
		}
	}
	learntest.ReadGolden(t, "multitask_gpytorch.json", &g)
	if len(g.Cases) != 2 {
		t.Fatalf("%d cases", len(g.Cases))
	}
	rows := func(v [][]float64) *mat.Dense {
		out := mat.NewDense(len(v), len(v[0]), nil)
		for i, r := range v {
			out.SetRow(i, r)
		}
		return out
	}
	for _, c := range g.Cases {
		j := Joint{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: c.Length}), Outputs: symmetric(c.Outputs),
			Noise: c.Noise, FixedNoise: true, NoMean: true, HyperOptions: HyperOptions{FixedKernel: true}}
		x, fresh := data.Erase[kernel.Vec](data.Rows(rows(c.X))), data.Erase[kernel.Vec](data.Rows(rows(c.New)))
		e := modeltest.Must(j.Evidence(learntest.Ctx, x, rows(c.Y)))(t)
		learntest.Near(t, "evidence", e.LogMarginal, c.Evidence, 1e-6)
		m := modeltest.Must(j.Fit(learntest.Ctx, x, rows(c.Y)))(t)
		got := modeltest.Must(m.PredictMulti(learntest.Ctx, fresh))(t)
		for i, cov := range modeltest.Must(m.OutputCovariance(learntest.Ctx, fresh))(t) {
			learntest.AllNear(t, "mean", got.RawRowView(i), c.Mean[i], 1e-6)
			for u := range c.Noise {
				cov.SetSym(u, u, cov.At(u, u)+m.NoiseOf(u))
				for v := range c.Noise {
					learntest.Near(t, "covariance", cov.At(u, v), c.Covariance[i][u][v], 1e-6)
				}
			}
		}
	}
}

// Derivatives of the evidence are differences, in the units of the outputs.
func TestJointEvidenceSlopes(t *testing.T) {
	x, y := correlated(11, 3, 0.4)
	points := data.Erase[kernel.Vec](x)
	b, noise, theta := symmetric([][]float64{{1.2, 20, 0.3}, {20, 900, 4}, {0.3, 4, 0.8}}), []float64{0.02, 90, 0.05},
		[]float64{1.5, 0.9}
	weights := []float64{1, 2, 1, 0.5, 1, 1, 3, 1, 1, 0, 1}
	at := func() JointEvidence {
		k := kernel.Erase(kernel.Scale[kernel.Vec](theta[0], kernel.Gaussian{Lengthscale: theta[1]}))
		return modeltest.Must(Joint{Kernel: k, Outputs: b, Noise: noise, Weights: weights}.Evidence(learntest.Ctx, points,
			y))(t)
	}
	difference := func(v *float64) float64 {
		old, h := *v, 1e-5**v
		*v = old + h
		up := at().LogMarginal
		*v = old - h
		down := at().LogMarginal
		*v = old
		return (up - down) / (2 * h)
	}
	e := at()
	for i := range theta {
		learntest.Near(t, "by a parameter", e.Kernel[i], difference(&theta[i]), 1e-5)
	}
	for i := range noise {
		learntest.Near(t, "by a noise", e.Noise[i], difference(&noise[i]), 1e-5)
	}
	for u := range 3 {
		for v := u; v < 3; v++ {
			both := e.Outputs.At(u, v)
			if u != v {
				both *= 2
			}
			learntest.Near(t, "by B", both, difference(&b.RawSymmetric().Data[3*u+v]), 1e-5)
		}
	}
}

// heldOut is the mean squared error of each output on fresh rows, as a share of its variance there.
func heldOut(t *testing.T, m interface {
	PredictMulti(context.Context, data.Points[any]) (*mat.Dense, error)
}, x data.DenseRows, truth *mat.Dense) []float64 {
	t.Helper()
	got := modeltest.Must(m.PredictMulti(learntest.Ctx, data.Erase[kernel.Vec](x)))(t)
	out := make([]float64, 3)
	for u := range out {
		for i := range x.Len() {
			off := got.At(i, u) - truth.At(i, u)
			out[u] += off * off / float64(x.Len()) / spread(mat.Col(nil, u, truth), nil)
		}
	}
	return out
}

// An output that is seen through much noise is predicted better with one beside it that is not: on
// rows held out the joint process beats processes that share the kernel and nothing else, and one
// for each output, in each of several draws; it has no less evidence, and finds the correlation and
// the noise of each output. Outputs that are independent, or equally noisy copies, are no worse
// than apart.
func TestJointBeatsApart(t *testing.T) {
	learnt := func(seed uint64, noise float64) (joint, apart, alone []float64, m *JointRegressor) {
		x, y := correlated(80, seed, noise)
		k := kernel.Erase(kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1}))
		points := data.Erase[kernel.Vec](x)
		each := modeltest.Must(Regression[any]{Kernel: k, FitMean: true}.FitMulti(learntest.Ctx, points, y))(t)
		p := learn.Problem[any]{Points: points, Task: data.Regression, Y: mat.Col(nil, 0, y),
			More: [][]float64{mat.Col(nil, 1, y), mat.Col(nil, 2, y)}}
		found := modeltest.Must(climbJoint(learntest.Ctx, each, 0,
			learn.Settings{Kernel: k, Params: map[string]float64{"outputs": 1}}, p))(t)
		m = found.(*JointRegressor)
		if m.LogMarginal() < each.LogMarginal()-1e-6 {
			t.Errorf("seed %d: evidence %.6g of the joint process, %.6g of those apart", seed, m.LogMarginal(),
				each.LogMarginal())
		}
		fresh, truth := correlated(200, seed+100, 0)
		for u := range 3 { // a process of its own for each output
			one := modeltest.Must(Regression[any]{Kernel: kernel.Erase(kernel.Scale[kernel.Vec](spread(mat.Col(nil, u, y), nil),
				kernel.Gaussian{Lengthscale: 1})), FitMean: true}.Fit(learntest.Ctx, points, mat.Col(nil, u, y)))(t)
			off := modeltest.Must(one.Predict(learntest.Ctx, data.Erase[kernel.Vec](fresh)))(t)
			alone = append(alone, 0)
			for i, v := range off {
				alone[u] += (v - truth.At(i, u)) * (v - truth.At(i, u)) / float64(len(off)) / spread(mat.Col(nil, u, truth), nil)
			}
		}
		return heldOut(t, m, fresh, truth), heldOut(t, each, fresh, truth), alone, m
	}
	for seed := range uint64(4) {
		joint, apart, alone, m := learnt(seed, 1)
		t.Logf("seed %d: errors %.4g joint, %.4g with a shared kernel, %.4g each by itself", seed, joint, apart, alone)
		if !(joint[1] < 0.5*min(apart[1], alone[1])) {
			t.Errorf("seed %d: error %.4g of the noisy output, %.4g with a shared kernel, %.4g by itself", seed, joint[1],
				apart[1], alone[1])
		}
		if joint[0] > 1.2*apart[0]+1e-3 || joint[2] > 1.2*apart[2]+1e-3 {
			t.Errorf("seed %d: errors %.4g of all outputs, %.4g apart", seed, joint, apart)
		}
		b := m.Outputs()
		if r := b.At(0, 1) / math.Sqrt(b.At(0, 0)*b.At(1, 1)); r < 0.85 {
			t.Errorf("seed %d: correlation %.3g of outputs that share their signal", seed, r)
		}
		if v := m.NoiseOf(1); v < 450 || v > 1600 {
			t.Errorf("seed %d: noise %.4g of variance 900", seed, v)
		}
	}
	joint, apart, alone, _ := learnt(9, 0.05)
	if joint[1] > 1.2*min(apart[1], alone[1])+1e-3 {
		t.Errorf("equally noisy: error %.4g, %.4g with a shared kernel, %.4g by itself", joint[1], apart[1], alone[1])
	}
}

// A B of few factors is found, too; a B that is given is kept up to a factor.
func TestJointRankAndGiven(t *testing.T) {
	x, y := correlated(30, 5, 0.6)
	points, k := data.Erase[kernel.Vec](x), kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	full := modeltest.Must(Joint{Kernel: k}.Fit(learntest.Ctx, points, y))(t)
	low := modeltest.Must(Joint{Kernel: k, Rank: 1}.Fit(learntest.Ctx, points, y))(t)
	if low.LogMarginal() > full.LogMarginal()+0.1 {
		t.Errorf("evidence %.6g of one factor, %.6g of any B", low.LogMarginal(), full.LogMarginal())
	}
	if b := low.Outputs(); b.At(0, 1)/math.Sqrt(b.At(0, 0)*b.At(1, 1)) < 0.8 {
		t.Errorf("one factor: %v", mat.Formatted(b))
	}
	b := symmetric([][]float64{{1, 27, 0}, {27, 900, 0}, {0, 0, 0.5}})
	given := modeltest.Must(Joint{Kernel: kernel.Erase(kernel.Scale[kernel.Vec](1, kernel.Gaussian{Lengthscale: 1})),
		Outputs: b}.Fit(learntest.Ctx, points, y))(t)
	for u := range 3 {
		for v := range 3 {
			learntest.Near(t, "B", given.Outputs().At(u, v), b.At(u, v), 1e-12)
		}
	}
	if given.LogMarginal() > full.LogMarginal()+0.1 || given.LogMarginal() < full.LogMarginal()-60 {
		t.Errorf("evidence %.6g of a given B, %.6g of the one found", given.LogMarginal(), full.LogMarginal())
	}
}

// A row of weight 2 is two rows, one of weight 0 none; any number of threads gives the same bits.
func TestJointWeightsAndThreads(t *testing.T) {
	x, y := correlated(16, 6, 0.5)
	var rows []int
	weights := make([]float64, 16)
	for i := range weights {
		weights[i] = float64(i % 3)
		for range i % 3 {
			rows = append(rows, i)
		}
	}
	again := mat.NewDense(len(rows), 3, nil)
	for i, r := range rows {
		again.SetRow(i, y.RawRowView(r))
	}
	points := data.Erase[kernel.Vec](x)
	b := symmetric([][]float64{{1.2, 20, 0.3}, {20, 900, 4}, {0.3, 4, 0.8}})
	j := Joint{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}), Outputs: b, Noise: []float64{0.1, 90, 0.1},
		FixedNoise: true, HyperOptions: HyperOptions{FixedKernel: true}}
	j.Weights = weights
	got := modeltest.Must(j.Fit(learntest.Ctx, points, y))(t)
	j.Weights = nil
	want := modeltest.Must(j.Fit(learntest.Ctx, data.Gather(points, rows), again))(t)
	learntest.Near(t, "evidence", got.LogMarginal(), want.LogMarginal(), 1e-9)
	one, two := modeltest.Must(got.PredictMulti(learntest.Ctx, points))(t),
		modeltest.Must(want.PredictMulti(learntest.Ctx, points))(t)
	learntest.AllNear(t, "means", one.RawMatrix().Data, two.RawMatrix().Data, 1e-8)
	first := modeltest.Must(Joint{Kernel: j.Kernel, Resources: learn.Resources{Threads: 1}}.Fit(learntest.Ctx, points,
		y))(t)
	for _, threads := range []int{2, 8} {
		m := modeltest.Must(Joint{Kernel: j.Kernel, Resources: learn.Resources{Threads: threads}}.Fit(learntest.Ctx, points,
			y))(t)
		if m.LogMarginal() != first.LogMarginal() || !mat.Equal(m.Func().Coef, first.Func().Coef) {
			t.Errorf("other bits with %d threads", threads)
		}
		c, d := modeltest.Must(m.OutputCovariance(learntest.Ctx, points))(t),
			modeltest.Must(first.OutputCovariance(learntest.Ctx, points))(t)
		for i := range c {
			if !mat.Equal(c[i], d[i]) {
				t.Errorf("other covariances with %d threads", threads)
			}
		}
	}
}

// What is written down is what was fitted, all outputs and each.
func TestJointSaved(t *testing.T) {
	x, y := correlated(12, 7, 0.5)
	points := data.Erase[kernel.Vec](x)
	for _, none := range []bool{false, true} {
		m := modeltest.Must(Joint{Kernel: kernel.OnVectors(kernel.Gaussian{Lengthscale: 1}), NoMean: none}.Fit(learntest.Ctx,
			points, y))(t)
		back := modeltest.Must(restoreJoint(m.Saved()))(t).(*JointRegressor)
		a, b := modeltest.Must(m.OutputCovariance(learntest.Ctx, points))(t),
			modeltest.Must(back.OutputCovariance(learntest.Ctx, points))(t)
		for i := range a {
			if !mat.Equal(a[i], b[i]) {
				t.Fatalf("row %d: other covariances", i)
			}
		}
		for u := range 3 {
			one := m.Of(u).(*jointOutput)
			again := modeltest.Must(restoreJointOutput(one.Saved()))(t).(*jointOutput)
			p, q := modeltest.Must(one.LogDensity(learntest.Ctx, points, mat.Col(nil, u, y)))(t),
				modeltest.Must(again.LogDensity(learntest.Ctx, points, mat.Col(nil, u, y)))(t)
			learntest.AllNear(t, "density", q, p, 0)
		}
		for name := range m.Saved().Arrays {
			if name == "level" {
				continue
			}
			s := m.Saved()
			delete(s.Arrays, name)
			if _, err := restoreJoint(s); err == nil {
				t.Errorf("restored without %q", name)
			}
		}
	}
}

// Input that nothing can be made of is refused; a constant output, one row and one output are no
// fault.
func TestJointDegenerate(t *testing.T) {
	x, y := correlated(6, 8, 0.5)
	points, k := data.Erase[kernel.Vec](x), kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	bad := mat.DenseCopyOf(y)
	bad.Set(2, 1, math.NaN())
	negative := symmetric([][]float64{{1, 2, 0}, {2, 1, 0}, {0, 0, 1}})
	for name, err := range map[string]error{
		"NaN":        second(Joint{Kernel: k}.Fit(learntest.Ctx, points, bad)),
		"rows":       second(Joint{Kernel: k}.Fit(learntest.Ctx, points, mat.NewDense(5, 2, nil))),
		"none":       second(Joint{Kernel: k}.Fit(learntest.Ctx, points, &mat.Dense{})),
		"rank":       second(Joint{Kernel: k, Rank: 4}.Fit(learntest.Ctx, points, y)),
		"noise":      second(Joint{Kernel: k, Noise: []float64{1, 0, 1}}.Fit(learntest.Ctx, points, y)),
		"noises":     second(Joint{Kernel: k, Noise: []float64{1}}.Fit(learntest.Ctx, points, y)),
		"fixed":      second(Joint{Kernel: k, FixedNoise: true}.Fit(learntest.Ctx, points, y)),
		"order":      second(Joint{Kernel: k, Outputs: symmetric([][]float64{{1}})}.Fit(learntest.Ctx, points, y)),
		"indefinite": second(Joint{Kernel: k, Outputs: negative}.Fit(learntest.Ctx, points, y)),
		"budget":     second(Joint{Kernel: k, Resources: learn.Resources{Bytes: 100}}.Fit(learntest.Ctx, points, y)),
		"evidence":   second(Joint{Kernel: k}.Evidence(learntest.Ctx, points, y)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), "gp: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	constant := mat.DenseCopyOf(y)
	constant.SetCol(1, []float64{4, 4, 4, 4, 4, 4})
	m := modeltest.Must(Joint{Kernel: k}.Fit(learntest.Ctx, points, constant))(t)
	for _, v := range modeltest.Must(m.Of(1).(*jointOutput).Predict(learntest.Ctx, points))(t) {
		learntest.Near(t, "a constant", v, 4, 1e-6)
	}
	modeltest.Must(Joint{Kernel: k}.Fit(learntest.Ctx, data.Gather(points, []int{0}),
		mat.NewDense(1, 2, []float64{1, 2})))(t)
	modeltest.Must(Joint{Kernel: k}.Fit(learntest.Ctx, points, mat.NewDense(6, 1, mat.Col(nil, 0, y))))(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := (Joint{Kernel: k}).Fit(ctx, points, y); err == nil {
		t.Error("a fit after its context has ended")
	}
}
