package kernel_test

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Properties pass through injective maps and products of spaces as the theorems allow, and no
// further.
func TestPropertiesOfMapsAndPairs(t *testing.T) {
	cube := func(x Vec) Vec { return Vec{x[0] * x[0] * x[0]} }
	square := func(x Vec) Vec { return Vec{x[0] * x[0]} }
	gauss, linear := Kernel[Vec](Gaussian{}), Kernel[Vec](Linear{})
	for name, c := range map[string]struct {
		p                         Properties
		strict, universal, charac Tri
		bound                     float64
	}{
		"injective":              {PropertiesOf(PullbackInjective(gauss, cube)), Yes, Yes, Yes, 1},
		"any map":                {PropertiesOf(Pullback(gauss, square)), Unknown, Unknown, Unknown, 1},
		"injective, linear":      {PropertiesOf(PullbackInjective(linear, cube)), Unknown, Unknown, Unknown, math.Inf(1)},
		"tensor":                 {PropertiesOf(Tensor(gauss, gauss)), Yes, Yes, Yes, 1},
		"tensor with the linear": {PropertiesOf(Tensor(gauss, linear)), Unknown, Unknown, Unknown, math.Inf(1)},
		"tensor with a bounded kernel of few features": {PropertiesOf(Tensor(gauss, Kernel[Vec](Cosine{}))), Unknown, Unknown,
			No, 1},
		"tensor, not stationary": {PropertiesOf(Tensor(gauss, PullbackInjective(gauss, cube))), Yes, Yes, Unknown, 1},
		"direct sum":             {PropertiesOf(DirectSum(gauss, gauss)), No, No, No, 2},
		"after With": {PropertiesOf(Tensor(gauss, gauss).(Tunable[Pair[Vec, Vec]]).With([]float64{2, 3})), Yes,
			Yes, Yes, 1},
	} {
		if c.p.PSD != Yes || c.p.Strict != c.strict || c.p.Universal != c.universal || c.p.Characteristic != c.charac ||
			c.p.Bound != c.bound {
			t.Errorf("%s: %v", name, c.p)
		}
	}
}

// The Gram matrix of a tensor product of strict kernels on a grid of pairs is positive definite,
// that of the direct sum singular: the corners of a rectangle cancel.
func TestPairsOnARectangle(t *testing.T) {
	var grid data.Slice[Pair[Vec, Vec]]
	for _, a := range []float64{0, 1} {
		for _, b := range []float64{0, 1} {
			grid = append(grid, Pair[Vec, Vec]{Vec{a}, Vec{b}})
		}
	}
	least := func(k Kernel[Pair[Vec, Vec]]) float64 {
		m := mat.NewSymDense(4, nil)
		for i := range 4 {
			for j := range i + 1 {
				m.SetSym(i, j, k.Eval(grid[i], grid[j]))
			}
		}
		var e mat.EigenSym
		e.Factorize(m, false)
		return e.Values(nil)[0]
	}
	gauss := Kernel[Vec](Gaussian{})
	if v := least(Tensor(gauss, gauss)); v < 0.1 {
		t.Errorf("tensor: smallest eigenvalue %g", v)
	}
	if v := least(DirectSum(gauss, gauss)); math.Abs(v) > 1e-14 {
		t.Errorf("direct sum: smallest eigenvalue %g", v)
	}
	k := DirectSum(gauss, gauss).(Tunable[Pair[Vec, Vec]]).With([]float64{2, 3})
	if got, want := k.Eval(grid[0], grid[3]), math.Exp(-1.0/8)+math.Exp(-1.0/18); math.Abs(got-want) > 1e-15 {
		t.Errorf("after With: %g, want %g", got, want)
	}
}
