package ridge

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// normalRows draws points of four normal coordinates.
func normalRows(rng *rand.Rand, n int) *mat.Dense {
	x := mat.NewDense(n, 4, nil)
	for i := range n {
		for j := range 4 {
			x.Set(i, j, rng.NormFloat64())
		}
	}
	return x
}

// A factorisation on a device, in single precision and refined or in double precision, gives the
// coefficients of one on the host; a device without memory, one that is lost and a kernel that it
// does not know leave it to the host.
func TestSolveDevice(t *testing.T) {
	const n = 120
	rng := rand.New(rand.NewPCG(1, 4))
	x, y := normalRows(rng, n), mat.NewDense(n, 2, nil)
	for i := range n {
		y.SetRow(i, []float64{math.Sin(x.At(i, 0)), rng.NormFloat64()})
	}
	for _, c := range []struct{ intercept, double bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
		solve := func(k kernel.Kernel[kernel.Vec], dev *gram.Device) *ridgeSolution {
			r := Regression[kernel.Vec]{Kernel: k, Lambda: 0.3, Intercept: c.intercept, Resources: learn.Resources{Device: dev}}
			p, err := r.open().problem(t.Context(), data.Erase[kernel.Vec](data.Rows(x)), y)
			if err != nil {
				t.Fatal(err)
			}
			var s *ridgeSolution
			if dev == nil {
				s, err = p.solveDense(t.Context(), Cholesky)
			} else {
				s, err = p.solveDevice(t.Context(), c.double)
			}
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		k := kernel.Gaussian{Lengthscale: 2}
		want, got := solve(k, nil), solve(k, gram.EmulatedDevice(1, 1<<30, 0))
		if got == nil || !got.settled || len(got.beta.Data) != len(want.beta.Data) || (got.how == Mixed) == c.double ||
			got.residual > 1e-13 {
			t.Fatalf("%+v", got)
		}
		for i, v := range got.beta.Data {
			if !(math.Abs(v-want.beta.Data[i]) <= 1e-10) {
				t.Fatalf("coefficient %d is %g, want %g", i, v, want.beta.Data[i])
			}
		}
		for name, s := range map[string]*ridgeSolution{
			"no memory": solve(k, gram.EmulatedDevice(1, 1<<14, 0)), "lost": solve(k, gram.EmulatedDevice(1, 1<<30, 1)),
			"lost later":     solve(k, gram.EmulatedDevice(1, 1<<30, 3)),
			"another kernel": solve(kernel.Matern{Nu: 1.2}, gram.EmulatedDevice(1, 1<<30, 0)),
		} {
			if s != nil {
				t.Errorf("%s: the device found a solution", name)
			}
		}
	}
}

// What single precision cannot factorise, or not refine, double precision does: λ is lost beside
// the diagonal, or points stand twice. The device is not given up for it.
func TestMixedFallsBack(t *testing.T) {
	const n = 80
	x, y := mat.NewDense(n, 2, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		x.SetRow(i, []float64{float64(i/2) / 7, float64(i / 20)})
		y.Set(i, 0, float64(i%5))
	}
	for _, lambda := range []float64{1e-8, 1e-7, 3e-7} {
		dev := gram.EmulatedDevice(1, 1<<30, 0)
		p, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3}, Lambda: lambda,
			Resources: learn.Resources{Device: dev}}.open().problem(t.Context(), data.Erase[kernel.Vec](data.Rows(x)), y)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.solveDevice(t.Context(), false)
		if err != nil || s == nil || s.how != Cholesky || s.residual > 1e-6 || len(dev.Notes()) > 0 {
			t.Errorf("λ = %g: %+v, %v, %v", lambda, s, err, dev.Notes())
		}
	}
}

// Conjugate gradients and ASkotch find on a device, with weights and an intercept too, what they
// find without; one that is lost in the middle leaves the rest to the processor.
func TestIterationsOnDevice(t *testing.T) {
	const n = 150
	rng := rand.New(rand.NewPCG(1, 5))
	x, y, w := normalRows(rng, n), make([]float64, n), make([]float64, n)
	for i := range n {
		y[i], w[i] = math.Sin(x.At(i, 0))+0.1*rng.NormFloat64(), 1+float64(i%3)
	}
	for _, method := range []Method{CG, ASkotch} {
		fit := func(dev *gram.Device) *Regressor[kernel.Vec] {
			r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 0.3, Intercept: true, Weights: w,
				Method: method, Tol: 1e-10, Rank: 20, Resources: learn.Resources{Device: dev}}
			m, err := r.Fit(t.Context(), data.Rows(x), y)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		want := fit(nil).Func().Coef
		for name, dev := range map[string]*gram.Device{"kept": gram.EmulatedDevice(1, 1<<30, 0),
			"two": gram.EmulatedDevice(2, 4<<20, 0), "lost": gram.EmulatedDevice(1, 1<<30, 4)} {
			m := fit(dev)
			if !m.Report().Converged || !mat.EqualApprox(m.Func().Coef, want, 1e-7) {
				t.Errorf("%v, %s: other coefficients (residual %g)", method, name, m.Report().Certificate)
			}
			if said := len(m.Report().Warnings) > 0; said != (name == "lost" && len(dev.Notes()) > 0) {
				t.Errorf("%v, %s: %v, said %v", method, name, dev.Notes(), m.Report().Warnings)
			}
		}
	}
}

// The preconditioner that a device makes is worth that of the processor: about as many iterations,
// at several right sides. A device that is lost at any place leaves the same solution.
func TestPreconditionerOnDevice(t *testing.T) {
	const n, rank = 160, 60
	rng := rand.New(rand.NewPCG(1, 7))
	x, y := normalRows(rng, n), mat.NewDense(n, 2, nil)
	for i := range n {
		y.SetRow(i, []float64{math.Sin(x.At(i, 0)), rng.NormFloat64()})
	}
	solved := func(dev *gram.Device, rank int) *ridgeSolution {
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 0.01,
			Resources: learn.Resources{Device: dev}}
		p, err := r.open().problem(t.Context(), data.Erase[kernel.Vec](data.Rows(x)), y)
		if err != nil {
			t.Fatal(err)
		}
		s, err := p.solveCG(t.Context(), 1e-10, rank, 1)
		if err != nil || !s.settled {
			t.Fatal(s, err)
		}
		return s
	}
	want, plain := solved(nil, rank), solved(nil, 1)
	for _, after := range []int{0, 1, 6, 20, 61, 128, 200, 255, 400} {
		d := gram.EmulatedDevice(1, 1<<30, after)
		got := solved(d, rank)
		if !mat.EqualApprox(linalg.Dense(got.beta), linalg.Dense(want.beta), 1e-6) {
			t.Errorf("lost after %d launches: another solution", after)
		}
		if after == 0 && (len(d.Notes()) > 0 || got.steps > want.steps+want.steps/2 || 2*got.steps > plain.steps) {
			t.Errorf("%d iterations, by the processor %d, without a preconditioner %d: %v", got.steps, want.steps, plain.steps,
				d.Notes())
		}
	}
	// Points that are all the same leave nothing to draw from.
	for i := range n {
		x.SetRow(i, []float64{1, 1, 1, 1})
	}
	if got := solved(gram.EmulatedDevice(1, 1<<30, 0), 20); !mat.EqualApprox(linalg.Dense(got.beta),
		linalg.Dense(solved(nil, 20).beta), 1e-6) {
		t.Error("another solution for equal points")
	}
}

// Blocks that a device solves for lead to the solution too, in fewer iterations; one that is lost
// in the middle leaves blocks to the approximation.
func TestBlocksOnDevice(t *testing.T) {
	const n = 150
	x, y := normalRows(rand.New(rand.NewPCG(1, 6)), n), mat.NewDense(n, 1, nil)
	for i := range n {
		y.Set(i, 0, math.Sin(x.At(i, 0)))
	}
	steps := map[string]int{}
	for name, dev := range map[string]*gram.Device{"processor": nil, "device": gram.EmulatedDevice(1, 1<<30, 0),
		"lost": gram.EmulatedDevice(1, 1<<30, 60)} {
		p, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Lambda: 0.3,
			Resources: learn.Resources{Device: dev}}.open().problem(t.Context(), data.Erase[kernel.Vec](data.Rows(x)), y)
		if err != nil {
			t.Fatal(err)
		}
		own := dev != nil
		on := gram.NewDeviceRows(dev, p.kernel, p.x, gram.Double, 1)
		blocks := kernelBlocks{p, t.Context(), kernel.NewBase(p.kernel, p.x), on, &own}
		a, r := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
		res, err := solve.ASkotch{Shift: p.lambda, Block: 30, Rank: 5, Tol: 1e-9, Seed: 1}.Solve(t.Context(), blocks, a, y)
		on.Close()
		if err != nil || !res.Converged || own != (name == "device") {
			t.Fatalf("%s: %+v, %v, by the device %v", name, res, err, own)
		}
		steps[name] = res.Iterations
		for i := range n {
			s := p.lambda * a.At(i, 0)
			for j := range n {
				s += p.kernel.Eval(p.x.At(i), p.x.At(j)) * a.At(j, 0)
			}
			r.Set(i, 0, s-y.At(i, 0))
		}
		if left := mat.Norm(r, 2) / mat.Norm(y, 2); !(left <= 1.01e-9) {
			t.Errorf("%s: residual %g", name, left)
		}
	}
	if steps["device"] >= steps["processor"] {
		t.Errorf("%v: blocks that are solved for are no better than their approximation", steps)
	}
}
