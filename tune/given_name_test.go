package tune

import (
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// mine is a kernel of one's own with a parameter; it has no text.
type mine struct{ kernel.Gaussian }

func (mine) Name() string { return "mine" }

func (k mine) Params() []kernel.Param {
	p := k.Gaussian.Params()
	p[0].Name = "mine.width"
	return p
}

func (k mine) With(theta []float64) kernel.Kernel[kernel.Vec] {
	return mine{k.Gaussian.With(theta).(kernel.Gaussian)}
}

// A cell has the text of its kernel at the values of its axes, which parses to that kernel, and
// shows it with four digits. What cannot be typed has its name in brackets and its parameters
// after it.
func TestCellsShowTheTextOfTheirKernel(t *testing.T) {
	third := 1.0 / 3
	for _, c := range []struct {
		k           kernel.Kernel[kernel.Vec]
		axis        string
		shown, text string
		learner     string
	}{
		{kernel.Sinc{Bandwidth: 3}, "sinc.bandwidth", "ridge sinc(bandwidth=0.3333), lambda=2",
			"sinc(bandwidth=0.3333333333333333)", "ridge"},
		{kernel.Matern{Nu: 1.5, Lengthscale: 1}, "matern.lengthscale", "ridge matern(lengthscale=0.3333, nu=1.5), lambda=2",
			"matern(lengthscale=0.3333333333333333, nu=1.5)", "ridge"},
		{kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](2, kernel.Gaussian{Lengthscale: 1}), kernel.Linear{}),
			"gaussian.lengthscale", "ridge 2*gaussian(lengthscale=0.3333) + linear(), lambda=2",
			"2*gaussian(lengthscale=0.3333333333333333) + linear()", "ridge"},
		{mine{}, "mine.width", "ridge <mine>, mine.width=0.3333, lambda=2", "<mine>", "ridge"},
		{kernel.Gaussian{Lengthscale: 2}, "", "gp gaussian(lengthscale=2) to begin with", "gaussian(lengthscale=2)", "gp"},
	} {
		x := data.Rows(mat.NewDense(4, 3, []float64{0, 0, 1, 1, 0, 1, 0, 2, 0, 1, 1, 1}))
		candidate := Candidate{Learner: c.learner, Kernel: vec(c.k)}
		theta := []float64{}
		if c.axis != "" {
			candidate.Axes, theta = []Axis{Over(c.axis, third), Over("lambda", 2)}, []float64{third, 2}
		}
		s, err := candidate.check(data.Regression, data.EraseVectors(x))
		if err != nil {
			t.Fatal(err)
		}
		e := &engine{spaces: []*space{s}}
		cell := e.newCell(trial{candidate: 0, theta: theta})
		if cell.Kernel != c.text || cell.String() != c.shown {
			t.Errorf("%q, shown as %q; want %q, %q", cell.Kernel, cell, c.text, c.shown)
		}
		k, err := s.kernelAt(theta)
		if err != nil {
			t.Fatal(err)
		}
		again, err := spec.ParseKernel(cell.Kernel)
		if typed := !strings.Contains(c.text, "<"); typed != (err == nil) || typed &&
			kernel.Erase(again).Eval(x.At(0), x.At(2)) != k.Eval(x.At(0), x.At(2)) {
			t.Errorf("%s: %v", cell.Kernel, err)
		}
	}
}

// A text that would fill every table is a name.
func TestLongTextsAreNames(t *testing.T) {
	long := make([]float64, 3000)
	for i := range long {
		long[i] = 1
	}
	if text, told := (&engine{}).textOf(vec(kernel.ARD{Kernel: kernel.Gaussian{},
		Lengthscales: long})); text != "<gaussian>" || told {
		t.Errorf("%.60q, %v", text, told)
	}
}
