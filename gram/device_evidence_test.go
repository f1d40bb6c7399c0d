package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// evidenceKernels are leaves, maps with parameters, sums and products of those.
func evidenceKernels() map[string]kernel.Kernel[kernel.Vec] {
	type v = kernel.Vec
	ard := func(k kernel.Kernel[v]) kernel.Kernel[v] {
		return kernel.ARD{Kernel: k, Lengthscales: []float64{0.8, 1.7, 1.2}}
	}
	return map[string]kernel.Kernel[v]{
		"gaussian": kernel.Scale[v](1.5, kernel.Gaussian{Lengthscale: 1.1}), "laplace": kernel.Laplace{Lengthscale: 2},
		"l1": kernel.LaplaceL1{Lengthscale: 2}, "rq": kernel.RationalQuadratic{Alpha: 1.5, Lengthscale: 1},
		"ard": kernel.Scale[v](0.7, ard(kernel.Gaussian{})), "ard matern": ard(kernel.Matern{Nu: 2.5}),
		"ard laplace": ard(kernel.Laplace{}), "ard l1": ard(kernel.LaplaceL1{}),
		"periodic": kernel.Periodic{Period: 3, Lengthscale: 1},
		"sum": kernel.Sum[v](kernel.Scale[v](0.5, ard(kernel.Matern{Nu: 1.5})), kernel.Scale[v](0.2, kernel.Linear{}),
			kernel.Constant[v](0.3)),
		"product": kernel.Product[v](ard(kernel.Gaussian{}), kernel.Polynomial{Gamma: 0.2, Offset: 1, Degree: 2}),
		"chi":     kernel.Sum[v](kernel.ChiSquare{Gamma: 0.5}, kernel.Scale[v](0.1, kernel.Intersection{})),
	}
}

func evidencePoints(n int) (data.Points[kernel.Vec], *mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(7, 7))
	x, alpha, noise := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		noise[i] = 0.2 + 0.1*rng.Float64()
		for j := range 3 {
			x.Set(i, j, 2*rng.Float64())
		}
		alpha.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
	}
	return data.Rows(x), alpha, noise
}

// allButNu marks the parameters that a formula knows.
func allButNu(k kernel.Kernel[kernel.Vec]) []bool {
	var wanted []bool
	for _, p := range kernel.Params(k) {
		wanted = append(wanted, p.Name != "matern.nu")
	}
	return wanted
}

// log det, solutions, the diagonal of the inverse and the derivatives are those of the matrix by
// the processor, for one block and for several.
func TestEvidenceFactor(t *testing.T) {
	for name, k := range evidenceKernels() {
		n := 40
		if name == "ard" {
			n = 150
		}
		x, alpha, noise := evidencePoints(n)
		a, w := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
		for i := range n {
			for j := range i + 1 {
				a.SetSym(i, j, k.Eval(x.At(i), x.At(j)))
			}
			a.SetSym(i, i, a.At(i, i)+noise[i])
		}
		var c mat.Cholesky
		if !c.Factorize(a) {
			t.Fatal(name)
		}
		var inverse mat.SymDense
		if err := c.InverseTo(&inverse); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				w.Set(i, j, 0.5*(alpha.At(i, 0)*alpha.At(j, 0)+alpha.At(i, 1)*alpha.At(j, 1)-2*inverse.At(i, j)))
			}
		}
		wanted := allButNu(k)
		want := make([]float64, len(wanted))
		if err := kernel.ParamGradDot(t.Context(), k, want, wanted, w, x, x); err != nil {
			t.Fatal(err)
		}
		d := EmulatedDevice(1, 1<<30, 0)
		f, err := NewEvidenceFactor(d, k, x, noise, wanted)
		if err != nil {
			t.Fatal(name, err)
		}
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) <= 1e-9*math.Max(1, math.Abs(want))) {
				t.Errorf("%s: %s is %.14g, want %.14g", name, what, got, want)
			}
		}
		near("log det", f.LogDet(), c.LogDet())
		for _, columns := range []int{1, 2} {
			b := mat.DenseCopyOf(alpha.Slice(0, n, 0, columns))
			var solved mat.Dense
			if err := c.SolveTo(&solved, b); err != nil {
				t.Fatal(err)
			}
			if err := f.SolveTo(b); err != nil {
				t.Fatal(err)
			}
			for i := range n {
				near("a solution", b.At(i, columns-1), solved.At(i, columns-1))
			}
		}
		got, diagonal := make([]float64, len(wanted)), make([]float64, n)
		if err := f.SlopesTo(got, diagonal, alpha); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			near("the diagonal of the inverse", diagonal[i], inverse.At(i, i))
		}
		for p := range got {
			near("the derivative by "+kernel.Params(k)[p].Name, got[p], want[p])
		}
		f.Close()
		if left := cuda.Left(d.chips[0]); left != "" {
			t.Error(name, left)
		}
	}
}

// A device that is lost anywhere on the way, or has too little memory, is an error, is said, and
// leaves nothing behind; what it cannot do is refused.
func TestEvidenceFactorThatFails(t *testing.T) {
	x, alpha, noise := evidencePoints(70)
	k := evidenceKernels()["sum"]
	wanted, grad := allButNu(k), make([]float64, len(kernel.Params(k)))
	run := func(d *Device) error {
		f, err := NewEvidenceFactor(d, k, x, noise, wanted)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := f.SolveTo(mat.DenseCopyOf(alpha)); err != nil {
			return err
		}
		return f.SlopesTo(grad, make([]float64, 70), alpha)
	}
	lost := 0
	for after := 1; ; after++ {
		d := EmulatedDevice(1, 1<<30, after)
		if run(d) == nil {
			break
		}
		if lost++; len(d.Notes()) == 0 {
			t.Error("a device lost after", after, "launches was not said")
		}
	}
	if lost < 5 {
		t.Error("a device was lost at", lost, "places only")
	}
	short := 0
	for bytes := int64(1000); ; bytes += 9000 {
		d := EmulatedDevice(1, bytes, 0)
		err := run(d)
		if left := cuda.Left(d.chips[0]); left != "" {
			t.Error(bytes, "bytes:", left)
		}
		if err == nil {
			break
		}
		if short++; !errors.Is(err, cuda.ErrOutOfMemory) || len(d.Notes()) == 0 {
			t.Error(bytes, "bytes:", err, d.Notes())
		}
	}
	if short < 5 {
		t.Error("memory was short at", short, "places only")
	}
	d := EmulatedDevice(1, 1<<30, 0)
	if _, err := NewEvidenceFactor(d, k, x, noise, nil); err == nil {
		t.Error("a derivative by ν")
	}
	if _, err := NewEvidenceFactor(d, kernel.Matern{Nu: 1.2}, x, noise, []bool{false, true}); err == nil {
		t.Error("a kernel without a formula")
	}
	if _, err := NewEvidenceFactor(d, kernel.Linear{}, x, make([]float64, 70), nil); !errors.Is(err, ErrDependent) {
		t.Error("a matrix of rank 3:", err)
	}
	if _, err := NewEvidenceFactor(nil, k, x, noise, wanted); err == nil {
		t.Error("no device")
	}
	if len(d.Notes()) > 0 {
		t.Error(d.Notes())
	}
}
