package project

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Components on a device are those of the processor, up to their signs, with every solver; a device
// that is lost or has no memory leaves them to the processor.
func TestPCAOnDevice(t *testing.T) {
	const n = 70
	rng := rand.New(rand.NewPCG(3, 3))
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		x.SetRow(i, []float64{3 * rng.NormFloat64(), rng.NormFloat64(), 0.3 * rng.NormFloat64()})
	}
	for _, solver := range []Solver{SolveFull, SolveTop, SolveLowRank} {
		p := PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 4}, Components: 3, Solver: solver}
		fit := func(dev *gram.Device) *PCAModel[kernel.Vec] {
			p.Device = dev
			m, err := p.Fit(t.Context(), data.Rows(x))
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		own := fit(nil)
		for name, dev := range map[string]*gram.Device{"on": gram.EmulatedDevice(1, 1<<30, 0),
			"little": gram.EmulatedDevice(1, 30<<10, 0), "lost": gram.EmulatedDevice(1, 1<<30, 1)} {
			m := fit(dev)
			scores, want := m.Scores(), own.Scores()
			for j := range 3 {
				if math.Abs(m.Variance()[j]-own.Variance()[j]) > 1e-9 {
					t.Errorf("%v, %s: variance %d is %g, want %g", solver, name, j, m.Variance()[j], own.Variance()[j])
				}
				sign := math.Copysign(1, scores.At(0, j)*want.At(0, j))
				for i := range n {
					if !(math.Abs(sign*scores.At(i, j)-want.At(i, j)) <= 1e-7) {
						t.Fatalf("%v, %s: score (%d, %d) is %g, want %g", solver, name, i, j, scores.At(i, j), want.At(i, j))
					}
				}
			}
			again, err := m.Transform(t.Context(), data.Rows(x))
			if err != nil || !mat.EqualApprox(again, scores, 1e-9) {
				t.Errorf("%v, %s: other scores of the same points: %v", solver, name, err)
			}
			if name == "lost" && solver == SolveTop && len(m.Report().Warnings) == 0 {
				t.Error("a lost device was not said")
			}
			_ = dev.Close()
		}
	}
}
