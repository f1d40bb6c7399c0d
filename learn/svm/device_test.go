package svm

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// deviceTable is rows with a curved boundary, some of them on the wrong side of it.
func deviceTable(n, d int, seed uint64) (x data.DenseRows, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	m := mat.NewDense(n, d, nil)
	y = make([]float64, n)
	for i := range n {
		for j := range d {
			m.Set(i, j, rng.NormFloat64())
		}
		y[i] = -1
		if math.Sin(m.At(i, 0))+m.At(i, 1)*m.At(i, 1)-0.7+0.3*rng.NormFloat64() > 0 {
			y[i] = 1
		}
	}
	return data.Rows(m), y
}

// bothMachines solves a programme on an emulated device and by processors.
func bothMachines(
	t *testing.T, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], p svmProblem, o Options,
) (on, own *machine, dev *gram.Device) {
	t.Helper()
	o, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if own, err = solveMachine(t.Context(), newKernelMatrix(t.Context(), kernel.Erase(k), data.Erase(x), 1), nil, p, o,
		1); err != nil {
		t.Fatal(err)
	}
	dev = gram.EmulatedDevice(1, 1<<28, 0)
	o.Device = dev
	r := &machineRows{m: newKernelMatrix(t.Context(), kernel.Erase(k), data.Erase(x), 1), threads: 1}
	defer r.leave()
	sol, err := r.onDevice(t.Context(), p, o)
	if err != nil || sol == nil || !sol.Converged {
		t.Fatalf("not on the device: %v %+v %v", err, sol, dev.Notes())
	}
	on = &machine{}
	on.finish(p, sol.Beta, sol.F, sol.Violation, o.Tol)
	// the certificate again, by the processor
	f, err := expand(t.Context(), r.m, nil, nil, p.qp, sol.Beta, 1)
	if err != nil {
		t.Fatal(err)
	}
	if v, _, _ := solve.BoxViolation(p.qp, sol.Beta, f); v > o.Tol*(1+1e-9) || math.Abs(v-sol.Violation) > 1e-9 {
		t.Errorf("violation %g by the processor, %g by the device", v, sol.Violation)
	}
	return on, own, dev
}

func sameOptimum(t *testing.T, on, own *machine, p svmProblem, tol float64) {
	t.Helper()
	sum, width := 0.0, 0.0
	for i := range p.qp.Linear {
		width += p.qp.Upper[i] - p.qp.Lower[i]
		sum += on.beta[i] - p.start[i]
		if on.beta[i] < p.qp.Lower[i] || on.beta[i] > p.qp.Upper[i] {
			t.Errorf("variable %d is %g, outside of [%g, %g]", i, on.beta[i], p.qp.Lower[i], p.qp.Upper[i])
		}
	}
	if math.Abs(sum) > 1e-10*(1+width) {
		t.Errorf("the sum of the variables moved by %g", sum)
	}
	// of both objectives none is further above the optimum than its violation times the boxes
	if d := math.Abs(on.objective - own.objective); d > tol*(width/2+1e-9) || d > 1e-3*(math.Abs(own.objective)+1e-3) {
		t.Errorf("objective %.9g on the device, %.9g by processors", on.objective, own.objective)
	}
}

// The emulated device finds the optimum of the processors in every formulation, by sets of all
// sizes, with weights, and of kernels in all the ways that sums are made.
func TestMachinesOnDevice(t *testing.T) {
	x, y := deviceTable(120, 6, 1)
	n := x.Len()
	ones, some := make([]float64, n), make([]float64, n)
	target := make([]float64, n)
	for i := range ones {
		ones[i], some[i] = 1, 0.2+float64(i%5)
		target[i] = math.Sin(x.At(i)[0]) + 1000
	}
	some[3] = 0
	nu, err := nuSVC(y, ones, 0.3)
	if err != nil {
		t.Fatal(err)
	}
	problems := map[string]svmProblem{
		"C": cSVC(y, ones), "weights": cSVC(y, some), "nu": nu, "tube": epsilonSVR(target, ones, 0.05),
		"nu tube": nuSVR(target, ones, 0.3), "one class": oneClass(some, 0.2),
	}
	kernels := map[string]kernel.Kernel[kernel.Vec]{
		"gauss": kernel.Gaussian{Lengthscale: 2}, "laplace": kernel.Laplace{Lengthscale: 3},
		"cubic": kernel.Polynomial{Degree: 2, Offset: 5},
		"sum":   kernel.Sum(kernel.Gaussian{Lengthscale: 2}, kernel.Kernel[kernel.Vec](kernel.Linear{})),
	}
	for name, p := range problems {
		for which, k := range kernels {
			if testing.Short() && which != "gauss" && name != "C" {
				continue
			}
			for _, set := range []int{0, 16, 65} {
				if set != 16 && (which != "gauss" || testing.Short() && name != "C") {
					continue
				}
				t.Run(strings.Join([]string{name, which}, "/"), func(t *testing.T) {
					on, own, _ := bothMachines(t, k, x, p, Options{WorkingSet: set})
					sameOptimum(t, on, own, p, 1e-3)
				})
			}
		}
	}
}

// What is degenerate has the optimum of the processors too: points that are all the same, a class
// of one point, fewer points than a set, a very large price, a tolerance that single precision
// cannot reach.
func TestDegenerateMachinesOnDevice(t *testing.T) {
	x, y := deviceTable(120, 3, 2)
	ones, huge := make([]float64, 120), make([]float64, 120)
	for i := range ones {
		ones[i], huge[i] = 1, 1e5
	}
	few, fewY := deviceTable(3, 3, 3)
	fewY[0], fewY[1], fewY[2] = 1, -1, -1
	same := mat.NewDense(40, 3, nil)
	alone := append([]float64(nil), y...)
	for i := range alone {
		alone[i] = -1
	}
	onePoint := append([]float64(nil), alone...)
	onePoint[5] = 1
	k := kernel.Gaussian{Lengthscale: 1.5}
	for name, c := range map[string]struct {
		x data.Points[kernel.Vec]
		p svmProblem
		o Options
	}{
		"same":     {data.Rows(same), cSVC(y[:40], ones[:40]), Options{}},
		"alone":    {x, cSVC(alone, ones), Options{}},
		"one":      {x, cSVC(onePoint, ones), Options{}},
		"few":      {few, cSVC(fewY, ones[:3]), Options{}},
		"huge":     {x, cSVC(y, huge), Options{WorkingSet: 120}},
		"fine":     {x, cSVC(y, ones), Options{Tol: 1e-9, WorkingSet: 32}},
		"all zero": {x, cSVC(y, make([]float64, 120)), Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			on, own, _ := bothMachines(t, k, c.x, c.p, c.o)
			if name != "huge" {
				sameOptimum(t, on, own, c.p, 1e-3)
			} else if d := math.Abs(on.objective - own.objective); d > 1e-3*math.Abs(own.objective) {
				t.Errorf("objective %.9g on the device, %.9g by processors", on.objective, own.objective)
			}
		})
	}
}

// A device that is lost, or has no memory, leaves the machine to the processors and says so.
func TestMachineAfterADevice(t *testing.T) {
	x, y := deviceTable(150, 4, 4)
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v)
	}
	c := Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 2}}
	own, err := c.Fit(t.Context(), x, labels)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]*gram.Device{"at once": gram.EmulatedDevice(1, 1<<28, 1),
		"later": gram.EmulatedDevice(1, 1<<28, 25), "little": gram.EmulatedDevice(1, 1<<16, 0),
		"on": gram.EmulatedDevice(1, 1<<28, 0)} {
		c.Resources = learn.Resources{Device: d}
		m, err := c.Fit(t.Context(), x, labels)
		if err != nil {
			t.Fatal(name, err)
		}
		if r := m.Report(); !r.Converged || math.Abs(r.Objective-own.Report().Objective) > 1e-3*math.Abs(r.Objective) {
			t.Errorf("%s: objective %g, %g by processors; %v", name, r.Objective, own.Report().Objective, r.Warnings)
		}
		if said := strings.Join(m.Report().Warnings, " "); (name != "on") != strings.Contains(said, "the GPU") {
			t.Errorf("%s: said %q", name, said)
		}
	}
}
