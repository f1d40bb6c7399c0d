package main

import (
	"fmt"
	"path/filepath"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// profile is kernels of a family on the line: how alike x and a place y are to each.
type profile struct {
	family    string
	low, high float64
	y         float64
	kernels   []string
}

var profiles = []profile{
	{"radial", -4, 4, 0, []string{"gaussian()", "laplace()", "matern(nu=1.5)", "rq()"}},
	{"dot-product", -2, 2, 1, []string{"linear()", "poly(degree=2)", "poly(degree=3)", "exponential()"}},
	{"periodic", -4, 4, 0, []string{"periodic(period=2)", "theta()", "sinc()"}},
	{"splines", 0, 1, 0.4, []string{"sobolev()"}},
	{"histograms", 0, 4, 2, []string{"chi2()", "addchi2()", "intersection()"}},
	{"feature-maps", -2, 2, 1, []string{"polynomialbasis(degree=2)", "gaussianbasis(centers=[-1, 0, 1])",
		"sinusoidbasis(degree=2)"}},
	{"algebra", -4, 4, 1, []string{"gaussian()", "gaussian() + 0.2*linear()", "gaussian()*linear()", "gaussian()^3"}},
}

// fisherProfile is the kernel of a normal model of mean 0 and variance 1 on the line, for two
// places.
func fisherProfile(folder string) error {
	n := prob.Normal{Mean: []float64{0}, Cov: mat.NewSymDense(1, []float64{1})}
	k, err := prob.FisherExact[kernel.Vec](prob.NormalModel{Normal: n})
	if err != nil {
		return err
	}
	var lines []plot.Series
	for _, y := range []float64{0, 1, 2} {
		s := plot.Series{Name: fmt.Sprintf("y = %g", y)}
		for i := range 401 {
			x := -3 + 6*float64(i)/400
			s.X, s.Y = append(s.X, x), append(s.Y, k.Eval(kernel.Vec{x}, kernel.Vec{y}))
		}
		lines = append(lines, s)
	}
	f, err := plot.Lines("x", "k(x, y)", "Fisher kernel of a normal distribution on the line", false, lines...)
	if err != nil {
		return err
	}
	f.LegendBeside()
	f.Resize(0)
	return write(f, filepath.Join(folder, "kernels-generative.png"))
}

// drawProfiles draws a picture for the page of each family of kernels on vectors.
func drawProfiles(folder string) error {
	for _, p := range profiles {
		var lines []plot.Series
		for _, text := range p.kernels {
			k, err := spec.ParseKernel(text)
			if err != nil {
				return err
			}
			s := plot.Series{Name: text}
			const steps = 400
			for i := range steps + 1 {
				x := p.low + (p.high-p.low)*float64(i)/steps
				s.X, s.Y = append(s.X, x), append(s.Y, k.Eval(kernel.Vec{x}, kernel.Vec{p.y}))
			}
			lines = append(lines, s)
		}
		f, err := plot.Lines("x", fmt.Sprintf("k(x, %g)", p.y), "kernels of the family "+p.family+" on the line", false,
			lines...)
		if err != nil {
			return err
		}
		f.LegendBeside()
		f.Resize(0)
		if err := write(f, filepath.Join(folder, "kernels-"+p.family+".png")); err != nil {
			return err
		}
	}
	return fisherProfile(folder)
}
