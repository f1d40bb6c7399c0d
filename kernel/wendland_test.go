package kernel_test

import (
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// The functions of Wendland's (1995) table for one and for three dimensions.
func TestWendlandTable(t *testing.T) {
	for _, c := range []struct {
		dim, smoothness int
		f               func(r float64) float64
	}{
		{1, 0, func(r float64) float64 { return 1 - r }},
		{1, 1, func(r float64) float64 { return math.Pow(1-r, 3) * (3*r + 1) }},
		{1, 2, func(r float64) float64 { return math.Pow(1-r, 5) * (8*r*r + 5*r + 1) }},
		{3, 0, func(r float64) float64 { return math.Pow(1-r, 2) }},
		{3, 1, func(r float64) float64 { return math.Pow(1-r, 4) * (4*r + 1) }},
		{3, 2, func(r float64) float64 { return math.Pow(1-r, 6) * (35*r*r + 18*r + 3) / 3 }},
		{5, 1, func(r float64) float64 { return math.Pow(1-r, 5) * (5*r + 1) }},
	} {
		k := Wendland{Lengthscale: 2, Smoothness: c.smoothness, Dim: c.dim}
		for _, r := range []float64{0, 0.1, 0.5, 0.9, 1, 3} {
			want := 0.0
			if r < 1 {
				want = c.f(r)
			}
			if got := k.Eval(Vec{0}, Vec{2 * r}); math.Abs(got-want) > 1e-14 {
				t.Errorf("dim %d, smoothness %d: %g at r = %g, want %g", c.dim, c.smoothness, got, r, want)
			}
		}
	}
}

// In more dimensions than it was made for it is no kernel, and says so.
func TestWendlandKnowsItsDimension(t *testing.T) {
	var grid data.Slice[Vec]
	for i := range 64 {
		grid = append(grid, Vec{float64(i%4) * 0.6, float64(i/4%4) * 0.6, float64(i/16) * 0.6})
	}
	smallest := func(k Kernel[Vec]) float64 {
		g := mat.NewSymDense(len(grid), nil)
		for i := range grid {
			for j := range i + 1 {
				g.SetSym(i, j, k.Eval(grid[i], grid[j]))
			}
		}
		var e mat.EigenSym
		e.Factorize(g, false)
		return e.Values(nil)[0]
	}
	line, space := Wendland{Dim: 1}, Wendland{Dim: 3}
	if v := smallest(line); v > -1e-3 {
		t.Errorf("1-r in three dimensions has the smallest eigenvalue %g; the test shows nothing", v)
	}
	if v := smallest(space); v < 0 {
		t.Errorf("(1-r)² in three dimensions has the eigenvalue %g", v)
	}
	if err := Check[Vec](line, grid); err == nil || !strings.Contains(err.Error(), "row 0 has 3 coordinates") {
		t.Errorf("error %v", err)
	}
	for _, bad := range []Wendland{{Smoothness: 3}, {Smoothness: -1}, {Dim: -1}, {Lengthscale: -1}} {
		if Validate[Vec](bad) == nil {
			t.Errorf("%+v passes", bad)
		}
	}
}
