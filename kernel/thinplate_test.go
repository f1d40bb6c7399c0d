package kernel

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// The functions of the anchors are the Lagrange polynomials: 1 at their own, 0 at the others, and
// together they make every polynomial of degree below m.
func TestThinPlateAnchors(t *testing.T) {
	for _, c := range []struct {
		k    ThinPlate
		d, n int
	}{
		{ThinPlate{}, 1, 2}, {ThinPlate{Order: 1}, 1, 1}, {ThinPlate{Order: 3, Unit: 0.5}, 1, 3},
		{ThinPlate{Origin: Vec{-1, 2}, Unit: 3}, 2, 3}, {ThinPlate{Order: 3}, 2, 6},
		{ThinPlate{}, 3, 4}, {ThinPlate{}, 4, 15}, {ThinPlate{}, 5, 21},
	} {
		at := c.k.Anchors(c.d)
		if len(at) != c.n || anchorsOf(c.d, c.k.order(c.d)) != float64(c.n) {
			t.Fatalf("%+v in %d coordinates: %d anchors, %g counted, want %d", c.k, c.d, len(at), anchorsOf(c.d, c.k.order(c.d)),
				c.n)
		}
		for i, a := range at {
			for j, b := range at {
				want := 0.0
				if i == j {
					want = 1
				}
				if got := c.k.Eval(a, b); math.Abs(got-want) > 1e-9 {
					t.Errorf("%+v: k between anchors %d and %d of %d coordinates is %g", c.k, i, j, c.d, got)
				}
			}
		}
		x := make(Vec, c.d)
		for i := range x {
			x[i] = 0.3 + 0.7*float64(i)
		}
		f := func(x Vec) float64 { // a polynomial of degree m - 1
			s := 1.0
			for i, v := range x {
				s += float64(i+1) * v
			}
			return math.Pow(s, float64(c.k.order(c.d)-1))
		}
		got := 0.0
		for _, a := range at {
			got += f(a) * c.k.Eval(a, x)
		}
		if want := f(x); math.Abs(got-want) > 1e-8*math.Abs(want) {
			t.Errorf("%+v in %d coordinates: the polynomial is %g, want %g", c.k, c.d, got, want)
		}
	}
}

// On a line with m = 1 and the anchor 0 it is the kernel of f(0)² + ∫f'²: 1 + min(|x|, |y|) on one
// side of 0, 1 across it. With m = 2 and anchors 0 and 1 it has the norm f(0)² + f(1)² + ∫f”²: a
// function's inner product with k(x, ·), by quadrature, is its value at x.
func TestThinPlateReproduces(t *testing.T) {
	for _, c := range [][3]float64{{0.3, 0.8, 1.3}, {2, 1.1, 2.1}, {-0.4, -3, 1.4}, {-1, 2, 1}} {
		if got := (ThinPlate{Order: 1}).Eval(Vec{c[0]}, Vec{c[1]}); math.Abs(got-c[2]) > 1e-12 {
			t.Errorf("m = 1 between %g and %g: %g, want %g", c[0], c[1], got, c[2])
		}
	}
	k, h := ThinPlate{Order: 2}, 1e-3
	f := func(v float64) float64 { return math.Exp(-v*v) + 0.5*v }
	second := func(v float64) float64 { return (4*v*v - 2) * math.Exp(-v*v) }
	for _, x := range []float64{-1.2, 0.4, 1.7} {
		got := f(0)*k.Eval(Vec{0}, Vec{x}) + f(1)*k.Eval(Vec{1}, Vec{x})
		for v := -7 + h/2; v < 7; v += h {
			bent := (k.Eval(Vec{v + h}, Vec{x}) - 2*k.Eval(Vec{v}, Vec{x}) + k.Eval(Vec{v - h}, Vec{x})) / (h * h)
			got += bent * second(v) * h
		}
		if want := f(x); math.Abs(got-want) > 1e-3 {
			t.Errorf("⟨f, k(%g, ·)⟩ = %g, want %g", x, got, want)
		}
	}
}

// Δ²E is a point charge: away from the place itself (Δ²k)(·, y) is 0 in the plane, by differences.
func TestThinPlateIsAGreensFunction(t *testing.T) {
	k, h := ThinPlate{}, 0.02
	y := Vec{0.3, -0.2}
	at := func(a, b float64) float64 { return k.Eval(Vec{a, b}, y) }
	laplace := func(a, b float64) float64 {
		return (at(a+h, b) + at(a-h, b) + at(a, b+h) + at(a, b-h) - 4*at(a, b)) / (h * h)
	}
	charge := 0.0
	for a := -9.0; a <= 9; a++ {
		for b := -9.0; b <= 9; b++ {
			r, near := math.Hypot(a, b), math.Max(math.Abs(a), math.Abs(b)) <= 5
			if !near && (r <= 8 || r >= 9) {
				continue
			}
			p, q := 0.3+h*a, -0.2+h*b
			v := (laplace(p+h, q) + laplace(p-h, q) + laplace(p, q+h) + laplace(p, q-h) - 4*laplace(p, q))
			if !near && math.Abs(v) > 2e-2 {
				t.Errorf("Δ²k at %g, %g is %g in a cell, want 0", p, q, v)
			}
			if near {
				charge += v
			}
		}
	}
	if math.Abs(charge-1) > 0.02 {
		t.Errorf("the charge at y is %g, want 1", charge)
	}
}

func TestThinPlateBlocksAndRefusals(t *testing.T) {
	x := data.Rows(mat.NewDense(4, 2, []float64{0, 0, 1, 2, -3, 1, 0.5, 0.5}))
	k := ThinPlate{Origin: Vec{0.2, 0}, Unit: 2}
	dst := mat.NewDense(4, 4, nil)
	k.Block(dst, x, x)
	for i := range 4 {
		for j := range 4 {
			if got, want := dst.At(i, j), k.Eval(x.At(i), x.At(j)); got != want || dst.At(j, i) != got {
				t.Errorf("block (%d, %d) is %g, want %g", i, j, got, want)
			}
		}
	}
	for want, k := range map[string]ThinPlate{"order = -1": {Order: -1}, "unit": {Unit: -1},
		"origin[1]": {Origin: Vec{0, math.NaN()}}} {
		if err := k.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
	wide := data.Rows(mat.NewDense(1, 12, nil))
	for want, c := range map[string]struct {
		k ThinPlate
		x data.Points[Vec]
	}{
		"set order=2": {ThinPlate{Order: 1}, x}, "the origin 3": {ThinPlate{Origin: Vec{0, 0, 0}}, x},
		"fewer columns": {ThinPlate{}, wide},
	} {
		if err := c.k.CheckPoints(c.x); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q, got %v", want, err)
		}
	}
}
