package gram

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var tanh kernel.Kernel[kernel.Vec] = kernel.Sigmoid{Gamma: 0.7, Offset: -1}

// A repaired kernel has the matrix of Repair on its points, the rows of CrossTo between new points
// and those, and is positive semi-definite there.
func TestRepairedKernelIsTheRepairedMatrix(t *testing.T) {
	ctx := context.Background()
	x, z := points(40, 2, 21), points(9, 2, 22)
	g, err := New(ctx, tanh, x, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []How{Clip, Flip, Shift} {
		want, err := Repair(g, how, 1)
		if err != nil {
			t.Fatal(err)
		}
		k, err := RepairKernel(ctx, tanh, x, how, Options{})
		if err != nil || k.Before.OK || k.Negative == 0 {
			t.Fatalf("%v: %+v %v", how, k, err)
		}
		square, cross := mat.NewDense(40, 40, nil), mat.NewDense(9, 40, nil)
		if err := kernel.Block[kernel.Vec](ctx, k, square, x, x); err != nil {
			t.Fatal(err)
		}
		star := mat.NewDense(9, 40, nil)
		if err := errors.Join(kernel.Block[kernel.Vec](ctx, k, cross, z, x),
			kernel.Block(ctx, tanh, star, z, x)); err != nil {
			t.Fatal(err)
		}
		want.CrossTo(star)
		for i := range 40 {
			for j := range 40 {
				if math.Abs(square.At(i, j)-want.At(i, j)) > 1e-10 || math.Abs(k.Eval(x.At(i), x.At(j))-want.At(i, j)) > 1e-10 {
					t.Fatalf("%v: entry (%d, %d) is %g and %g, of the repaired matrix %g", how, i, j, square.At(i, j),
						k.Eval(x.At(i), x.At(j)), want.At(i, j))
				}
			}
		}
		for i := range 9 {
			for j := range 40 {
				if math.Abs(cross.At(i, j)-star.At(i, j)) > 1e-10 {
					t.Fatalf("%v: new point %d has %g, by CrossTo %g", how, i, cross.At(i, j), star.At(i, j))
				}
			}
		}
		fixed, err := New[kernel.Vec](ctx, k, x, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := CheckPSD(fixed, 1); err != nil || !p.OK {
			t.Errorf("%v: %+v %v", how, p.Min, err)
		}
	}
	plain, err := RepairKernel(ctx, gauss, x, Clip, Options{})
	if err != nil || !plain.Before.OK || plain.Eval(x.At(0), x.At(1)) != gauss.Eval(x.At(0), x.At(1)) {
		t.Errorf("a kernel that needs no repair: %+v %v", plain, err)
	}
}

// An expansion of a repaired kernel is one of the kernel itself, whichever of the points, or
// others, its centres are.
func TestRestate(t *testing.T) {
	ctx := context.Background()
	x, z := points(30, 2, 23), points(5, 2, 24)
	for _, how := range []How{Clip, Flip} {
		k, err := RepairKernel(ctx, tanh, x, how, Options{})
		if err != nil {
			t.Fatal(err)
		}
		centers := data.Slice[kernel.Vec]{x.At(20), x.At(3), {0.3, -2.5}, x.At(7)}
		coef := mat.NewDense(4, 2, []float64{1, 2, -0.5, 3, 0.7, -1, 2, 0.1})
		at, gamma := k.Restate(ctx, centers, coef)
		for q := range 5 {
			for o := range 2 {
				want, got := 0.0, 0.0
				for i := range centers {
					want += coef.At(i, o) * k.Eval(centers[i], z.At(q))
				}
				for i := range at.Len() {
					got += gamma.At(i, o) * tanh.Eval(at.At(i), z.At(q))
				}
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("%v: %g, want %g", how, got, want)
				}
			}
		}
	}
}

// Examine finds an indefinite kernel, also among many points, and values without digits; it has
// nothing to say of sound ones.
func TestExamine(t *testing.T) {
	ctx := context.Background()
	far := make(data.Slice[kernel.Vec], 60)
	for i := range far {
		far[i] = kernel.Vec{1e6 + math.Sin(float64(i)), math.Cos(float64(3 * i))}
	}
	same := data.Slice[kernel.Vec]{{1e9}, {1e9}, {1e9}}
	for name, c := range map[string]struct {
		k    kernel.Kernel[kernel.Vec]
		x    data.Points[kernel.Vec]
		says string
	}{
		"sound": {gauss, points(60, 2, 1), ""}, "linear": {kernel.Linear{}, points(60, 2, 1), ""},
		"indefinite": {tanh, points(60, 2, 1), "smallest eigenvalue -"}, "many": {tanh, points(3000, 2, 1), RepairWords},
		"far": {kernel.Linear{}, far, "digits"}, "equal": {kernel.Linear{}, same, ""}, "gauss far": {gauss, far, ""},
		"empty": {tanh, data.Slice[kernel.Vec]{}, ""}, "overflow": {kernel.Polynomial{Degree: 3},
			data.Slice[kernel.Vec]{{1e150}, {1}}, ""},
	} {
		f, err := Examine(ctx, c.k, c.x, 1)
		if err != nil {
			t.Fatal(name, err)
		}
		if said := strings.Join(f.Warnings(), "; "); (c.says == "") != (said == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q, want %q", name, said, c.says)
		}
	}
}

func TestRepairByName(t *testing.T) {
	for _, how := range []How{NoRepair, Clip, Flip, Shift} {
		if got, err := RepairByName(how.String()); err != nil || got != how {
			t.Errorf("%v: %v %v", how, got, err)
		}
	}
	if _, err := RepairByName("mend"); err == nil || !strings.Contains(err.Error(), "clip") {
		t.Error(err)
	}
}
