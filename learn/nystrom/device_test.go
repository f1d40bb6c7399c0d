package nystrom

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

func noisyRows(n, d int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1) + 0.1*rng.NormFloat64()
	}
	return x, y
}

// FALKON on a device finds the solution that it finds on processors, to the tolerance that both are
// told: with the factor of the centres on the device, with an intercept and without, on two
// devices, with little memory, and when a device is lost at any point of the way, which is said.
func TestFalkonOnDevice(t *testing.T) {
	x, y := noisyRows(datatest.Size(600, 300), 6)
	for _, intercept := range []bool{false, true} {
		if testing.Short() && !intercept {
			continue
		}
		r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3}, Lambda: 0.1, Intercept: intercept,
			Options: Options{Centers: 40, Solver: Falkon, Tol: 1e-8}}
		fit := func(dev *gram.Device) *Regressor[kernel.Vec] {
			r := r
			r.Device = dev
			m, err := r.Fit(t.Context(), data.Rows(x), y)
			if err != nil {
				t.Fatal(err)
			}
			return m
		}
		predict := func(m *Regressor[kernel.Vec]) []float64 {
			p, err := m.Predict(t.Context(), data.Rows(x))
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		want := predict(fit(nil))
		for name, c := range map[string]struct {
			dev  *gram.Device
			said string
		}{
			"one": {gram.EmulatedDevice(1, 1<<30, 0), ""}, "two": {gram.EmulatedDevice(2, 1<<30, 0), ""},
			"no memory":  {gram.EmulatedDevice(1, 1<<14, 0), "no memory left"},
			"lost at 1":  {gram.EmulatedDevice(1, 1<<30, 1), "was lost"},
			"lost at 4":  {gram.EmulatedDevice(1, 1<<30, 4), "was lost"},
			"lost at 9":  {gram.EmulatedDevice(1, 1<<30, 9), "was lost"},
			"lost at 20": {gram.EmulatedDevice(1, 1<<30, 20), "was lost"},
			"lost at 45": {gram.EmulatedDevice(1, 1<<30, 45), "was lost"},
		} {
			m := fit(c.dev)
			if !m.Report().Converged {
				t.Errorf("%s, intercept %v: %v", name, intercept, m.Report())
			}
			for i, v := range predict(m) {
				if !(math.Abs(v-want[i]) <= 1e-5) {
					t.Errorf("%s, intercept %v: row %d is %g, want %g", name, intercept, i, v, want[i])
					break
				}
			}
			said := strings.Join(m.Report().Warnings, "\n")
			if (c.said == "") != (said == "") || !strings.Contains(said, c.said) {
				t.Errorf("%s: said %q", name, said)
			}
			if err := c.dev.Close(); err != nil {
				t.Error(name, err)
			}
		}
	}
}

// Logistic FALKON has its products from a device; centres that depend on one another leave the
// factor to the host.
func TestOthersOnDevice(t *testing.T) {
	x, y := noisyRows(300, 5)
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	c := Logistic[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 3}, Intercept: true, Options: Options{Centers: 20}}
	own, err := c.Fit(t.Context(), data.Rows(x), labels)
	if err != nil {
		t.Fatal(err)
	}
	c.Resources = learn.Resources{Device: gram.EmulatedDevice(1, 1<<30, 0)}
	m, err := c.Fit(t.Context(), data.Rows(x), labels)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := own.Func().Norm(), m.Func().Norm(); !(math.Abs(a-b) <= 1e-6*a) || !m.Report().Converged {
		t.Errorf("norm %g on the device, %g on processors", b, a)
	}
	twice := mat.NewDense(30, 5, nil)
	for i := range 30 {
		twice.SetRow(i, x.RawRowView(i/2))
	}
	r := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 3}, Given: data.Rows(twice),
		Options: Options{Solver: Falkon, Resources: c.Resources}}
	got, err := r.Fit(t.Context(), data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if n := got.Func().Centers.Len(); n != 15 {
		t.Errorf("%d centres of 15 that are there twice", n)
	}
}
