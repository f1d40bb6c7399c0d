package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// slopeKernels have parameters in numbers, in maps, in maps of maps, and two maps that are the same
// but for whose parameters they are.
func slopeKernels() map[string]Kernel[Vec] {
	ard := func(k Kernel[Vec]) Kernel[Vec] { return ARD{k, []float64{0.8, 1.3, 2}} }
	return map[string]Kernel[Vec]{
		"gaussian": Gaussian{1.2}, "laplace": Laplace{1.1}, "laplace l1": LaplaceL1{0.9}, "rq": RationalQuadratic{1.7, 0.9},
		"multiquadric": Multiquadric{1.3}, "linear": Linear{},
		"poly": Polynomial{0.3, 1, 3}, "exponential": Exponential{0.2}, "sigmoid": Sigmoid{0.3, 0.1}, "chi2": ChiSquare{0.7},
		"intersection": Intersection{}, "constant": Constant[Vec](2),
		"matern":   Scale[Vec](1.5, Matern{2.5, 1.1}),
		"ard":      ard(Gaussian{}),
		"ard l1":   ard(LaplaceL1{}),
		"ard rq":   ard(RationalQuadratic{1.7, 1}),
		"one off":  ARD{Gaussian{}, []float64{0.8, math.Inf(1), 2}},
		"columns":  On(ARD{Matern{Nu: 1.5}, []float64{1, 2}}, 0, 2),
		"periodic": Periodic{2.2, 1.3},
		"twins":    Sum(ard(Gaussian{}), Scale(0.5, ard(Gaussian{}))),
		"nested":   ard(Sum[Vec](Matern{1.5, 1}, Product[Vec](Polynomial{1, 1, 2}, RationalQuadratic{1, 2}))),
		"maps":     ard(Periodic{2, 1}),
		"algebra":  Power(Sum(Scale(0.7, ard(Laplace{})), Constant[Vec](0.3), Exp[Vec](Scale[Vec](0.1, Linear{}))), 2),
	}
}

// onImages is what a formula means between points that have been mapped.
func onImages(f Formula, x, y []Vec) float64 {
	g := Formula{Steps: f.Steps}
	for i, s := range f.Sources {
		g.Sources = append(g.Sources, FormulaSource{Metric: s.Metric, Dim: func(int) int { return len(x[i]) },
			Map: func(dst, p Vec) {
				if p[0] == 0 {
					copy(dst, x[i])
				} else {
					copy(dst, y[i])
				}
			}})
	}
	return evaluateFormula(g, Vec{0}, Vec{1})
}

// Slopes turn derivatives by numbers and images, here by differences of the formula, into those
// that ParamGradDot has.
func TestFormulaSlopes(t *testing.T) {
	const n, d, h = 5, 3, 1e-5
	rng := rand.New(rand.NewPCG(4, 4))
	x, w := mat.NewDense(n, d, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range d {
			x.Set(i, j, 0.2+rng.Float64()*2)
		}
		for j := range i + 1 {
			v := rng.NormFloat64()
			w.Set(i, j, v)
			w.Set(j, i, v)
		}
	}
	points := data.Rows(x)
	for name, k := range slopeKernels() {
		f, ok := FormulaSlopesOf(k)
		if !ok {
			t.Errorf("%s has no formula", name)
			continue
		}
		images := make([][]Vec, n) // of each point in each source
		for r := range images {
			for _, s := range f.Sources {
				u := append(Vec{}, points.At(r)...)
				if s.Map != nil {
					u = make(Vec, s.Dim(d))
					s.Map(u, points.At(r))
				}
				images[r] = append(images[r], u)
			}
		}
		total := func() float64 {
			sum := 0.0
			for i := range n {
				for j := range n {
					sum += w.At(i, j) * onImages(f.Formula, images[i], images[j])
				}
			}
			return sum
		}
		slope := func(v *float64) float64 {
			at := *v
			*v = at + h
			up := total()
			*v = at - h
			down := total()
			*v = at
			return (up - down) / (2 * h)
		}
		steps := make([][2]float64, len(f.Steps))
		for i := range f.Steps {
			steps[i] = [2]float64{slope(&f.Steps[i].A), slope(&f.Steps[i].B)}
		}
		bars := make([][]float64, len(f.Sources))
		for s := range bars {
			for r := range n {
				for c := range images[r][s] {
					bars[s] = append(bars[s], slope(&images[r][s][c]))
				}
			}
		}
		byPoints, wantPoints := make([]float64, n*d), mat.NewDense(n, d, nil)
		f.PointGrad(byPoints, points, bars)
		if err := InputGradDot(t.Context(), k, wantPoints, w, points, points); err == nil { // of one side; w is symmetric
			for i, v := range wantPoints.RawMatrix().Data {
				if !(math.Abs(byPoints[i]-2*v) <= 1e-6*(1+math.Abs(v))) {
					t.Errorf("%s: by a coordinate %.10g, want %.10g", name, byPoints[i], 2*v)
				}
			}
		} else if name != "intersection" && name != "laplace l1" && name != "ard l1" {
			t.Error(name, err)
		}
		params := Params(k)
		wanted := make([]bool, len(params))
		for p, param := range params {
			wanted[p] = param.Name != "matern.nu"
		}
		if f.Knows(nil) != (name != "matern" && name != "columns" && name != "nested") || !f.Knows(wanted) {
			t.Errorf("%s: it knows all %v, all but ν %v", name, f.Knows(nil), f.Knows(wanted))
		}
		for s := range bars { // what does not move is not looked at
			if !f.Moves(s, wanted) {
				bars[s] = nil
			}
		}
		got, want := make([]float64, len(params)), make([]float64, len(params))
		f.ParamGrad(got, wanted, steps, points, bars)
		if err := ParamGradDot(t.Context(), k, want, wanted, w, points, points); err != nil {
			t.Fatal(err)
		}
		for p := range got {
			if !(math.Abs(got[p]-want[p]) <= 1e-6*(1+math.Abs(want[p]))) {
				t.Errorf("%s: by %s %.10g, want %.10g", name, params[p].Name, got[p], want[p])
			}
		}
	}
	if _, ok := FormulaSlopesOf(Matern{Nu: 1.2}); ok {
		t.Error("a kernel without a formula has slopes")
	}
	if f, _ := FormulaSlopesOf(slopeKernels()["twins"]); len(f.Sources) != 2 {
		t.Error("two maps with parameters of their own are", len(f.Sources), "source")
	}
}

func ExampleFormulaSlopesOf() {
	f, ok := FormulaSlopesOf(Scale[Vec](2, Gaussian{Lengthscale: 1}))
	// The derivatives of a number by A of e^{A·x} and by the factor A, as a device would sum them
	// up.
	grad := make([]float64, 2)
	f.ParamGrad(grad, nil, [][2]float64{{}, {3}, {5}}, data.Slice[Vec](nil), nil)
	fmt.Println(ok, f.Knows(nil), f.Moves(0, nil), f.Numbers(nil))
	fmt.Println(grad) // by the factor, and by ℓ: dA/dℓ = 1/ℓ³
	// Points that no map moves are their images.
	point := make([]float64, 2)
	f.PointGrad(point, data.Slice[Vec]{{1, 2}}, [][]float64{{7, 8}})
	fmt.Println(point)
	// Output:
	// true true false [[false false] [true false] [true false]]
	// [5 3]
	// [7 8]
}
