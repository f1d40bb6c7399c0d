package gram

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Products are those of the double loop to double precision, and solutions solve to about single
// precision, whatever the size of the kernel; kernels by differences too. What fails is NaN ever
// after.
func TestMixedSystem(t *testing.T) {
	const n, d = 90, 6
	rng := rand.New(rand.NewPCG(8, 1))
	rows := mat.NewDense(n, d, nil)
	for i := range n {
		for j := range d {
			rows.Set(i, j, rng.NormFloat64())
		}
	}
	x := data.Rows(rows)
	v := mat.NewDense(n, 2, nil)
	for i := range n {
		v.SetRow(i, []float64{rng.NormFloat64(), 1e-30 * rng.NormFloat64()})
	}
	gauss := kernel.Gaussian{Lengthscale: 2}
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"gaussian": gauss, "laplace": kernel.Laplace{Lengthscale: 2}, "large": kernel.Scale[kernel.Vec](1e9, gauss),
		"small": kernel.Scale[kernel.Vec](1e-12, gauss),
	} {
		size := k.Eval(x.At(0), x.At(0))
		ridge := 0.1 * size
		dev := EmulatedDevice(1, 1<<28, 0)
		s, err := NewMixedSystem(t.Context(), dev, k, x, ridge, 0)
		if err != nil {
			t.Fatal(name, err)
		}
		kv, back := mat.NewDense(n, 2, nil), mat.NewDense(n, 2, nil)
		s.MulTo(kv, v, false)
		for c := range 2 {
			for i := range n {
				want := 0.0
				for j := range n {
					want += k.Eval(x.At(i), x.At(j)) * v.At(j, c)
				}
				if got := kv.At(i, c); !(math.Abs(got-want) <= 1e-12*size*float64(n)*math.Pow(1e-30, float64(c))) {
					t.Fatalf("%s: product %d, %d is %g, want %g", name, i, c, got, want)
				}
				kv.Set(i, c, kv.At(i, c)+ridge*v.At(i, c))
			}
		}
		s.ApplyTo(back, kv)
		for c := range 2 {
			for i := range n {
				if got, want := back.At(i, c), v.At(i, c); !(math.Abs(got-want) <= 1e-3*math.Pow(1e-30, float64(c))) {
					t.Fatalf("%s: solution %d, %d is %g, want %g", name, i, c, got, want)
				}
			}
		}
		s.Close()
		chip := dev.chips[0]
		if left := cuda.Left(chip); left != "" {
			t.Error(name, "left:", left)
		}
	}
	if _, err := NewMixedSystem(t.Context(), EmulatedDevice(1, 1<<28, 0), gauss, x, 1e-9, 0); err == nil {
		t.Error("a ridge that single precision does not see")
	}
	twice := data.Rows(mat.NewDense(2, 1, []float64{1, 1}))
	if _, err := NewMixedSystem(t.Context(), EmulatedDevice(1, 1<<28, 0), kernel.Gaussian{}, twice, 0x1.8p-24,
		0); err != nil && !errors.Is(err, ErrDependent) {
		t.Error("dependent points:", err)
	}
	if _, err := NewMixedSystem(t.Context(), EmulatedDevice(1, 1<<12, 0), gauss, x, 1, 0); !errors.Is(err,
		cuda.ErrOutOfMemory) {
		t.Error("no memory:", err)
	}
	ctx, end := context.WithCancel(t.Context())
	s, err := NewMixedSystem(ctx, EmulatedDevice(1, 1<<28, 0), gauss, x, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	end()
	out := mat.NewDense(n, 2, nil)
	if s.MulTo(out, v, false); !errors.Is(s.Err(), context.Canceled) || !math.IsNaN(out.At(3, 1)) {
		t.Error("an ended context:", s.Err())
	}
	if s.ApplyTo(v, out); !math.IsNaN(v.At(3, 1)) {
		t.Error("a solution after a failure")
	}
}

// A device without libraries says once that factors are the processor's.
func TestNoLibraries(t *testing.T) {
	d := &Device{always: true, chips: []cuda.Device{cuda.Emulate(cuda.Emulated{Hopper: true})}}
	x := points(10, 2, 1)
	for range 2 {
		if _, err := NewMixedSystem(t.Context(), d, kernel.Gaussian{}, x, 1, 0); err == nil {
			t.Error("a factor without libraries")
		}
		if _, err := NewCenterFactor(d, kernel.Gaussian{}, x, 1); err == nil {
			t.Error("a factor without libraries")
		}
	}
	if n := d.Notes(); len(n) != 1 || !strings.Contains(n[0], "cuSOLVER") {
		t.Error(n)
	}
}
