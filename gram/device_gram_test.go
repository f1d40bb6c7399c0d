package gram

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// deviceOf is a device with chips as given, which is asked for everything.
func deviceOf(all ...cuda.Emulated) *Device {
	d := &Device{always: true}
	for _, e := range all {
		d.chips = append(d.chips, cuda.Pooled(cuda.Emulate(e)))
	}
	return d
}

func leftOn(t *testing.T, name string, d *Device) {
	t.Helper()
	for _, c := range d.chips {
		if left := cuda.Left(c); left != "" {
			t.Error(name, "left", left)
		}
	}
}

// Products of K(X, X) on a device are those of the double loop: with the matrix in its memory,
// evaluated in every product where it has no room or no libraries, on two devices, and by the
// processor where the device fails. Entries are the processor's.
func TestDeviceGram(t *testing.T) {
	const n = 90
	x := points(n, 5, 1)
	for name, c := range map[string]struct {
		device    *Device
		precision Precision
		tol       float64
		kept      bool
		note      string
	}{
		"kept":         {deviceOf(cuda.Emulated{Libraries: true, Hopper: true}), Double, 1e-13, true, ""},
		"no libraries": {deviceOf(cuda.Emulated{Hopper: true}), Double, 1e-13, false, ""},
		"no room": {deviceOf(cuda.Emulated{Libraries: true, Bytes: 8 * n * n}), Double, 1e-13, false,
			"no memory left"},
		"two":                {deviceOf(cuda.Emulated{}, cuda.Emulated{Hopper: true}), Double, 1e-13, false, ""},
		"single":             {deviceOf(cuda.Emulated{Libraries: true, Hopper: true}), Single, 1e-5, false, ""},
		"lost at once":       {deviceOf(cuda.Emulated{Libraries: true, LoseAfter: 1}), Double, 1e-13, false, "was lost"},
		"lost, no libraries": {deviceOf(cuda.Emulated{LoseAfter: 3}), Double, 1e-13, false, "was lost"},
	} {
		for _, k := range []kernel.Kernel[kernel.Vec]{gauss, kernel.LaplaceL1{Lengthscale: 2}} {
			g, err := New(t.Context(), k, data.Points[kernel.Vec](x), Options{Device: c.device, Precision: c.precision})
			if err != nil {
				t.Fatal(err)
			}
			on, ok := g.(*deviceGram)
			if !ok && c.note == "" {
				t.Fatalf("%s: %T", name, g)
			}
			if !ok { // lost with the kernel before
				continue
			}
			want := loop(k, x, x)
			for _, columns := range []int{1, 3, 9} {
				v, got := random(n, columns, 2), mat.NewDense(n, columns, nil)
				for _, trans := range []bool{false, true} {
					g.MulTo(got, v, trans)
					for i := range n {
						for j := range columns {
							s, size := 0.0, 0.0
							for r := range n {
								e := want.At(i, r) * v.At(r, j)
								s, size = s+e, size+math.Abs(e)
							}
							if !(math.Abs(s-got.At(i, j)) <= c.tol*size) {
								t.Fatalf("%s, %T: (Kv)[%d, %d] is %g, want %g", name, k, i, j, got.At(i, j), s)
							}
						}
					}
				}
			}
			if (on.matrix != nil) != c.kept {
				t.Errorf("%s, %T: kept: %v", name, k, on.matrix != nil)
			}
			row, block := make([]float64, n), mat.NewDense(3, 4, nil)
			g.Row(row, 7)
			g.Block(block, 7, 2)
			if math.Abs(row[3]-want.At(7, 3)) > c.tol || math.Abs(block.At(0, 1)-want.At(7, 3)) > c.tol {
				t.Error(name, "entries", row[3], block.At(0, 1), want.At(7, 3))
			}
			if !strings.Contains(g.Describe(), "products on") {
				t.Error(g.Describe())
			}
			centred, err := Center(g)
			if err != nil {
				t.Fatal(err)
			}
			Release(centred)
			v, got := random(n, 1, 3), mat.NewDense(n, 1, nil)
			if g.MulTo(got, v, false); math.IsNaN(mat.Sum(got)) || mat.Norm(got, 2) == 0 {
				t.Error(name, "after it was given back")
			}
		}
		notes := strings.Join(c.device.Notes(), "\n")
		if (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: said %q", name, notes)
		}
		if !strings.Contains(name, "lost") {
			leftOn(t, name, c.device)
		}
	}
}

// A device is asked for products, not for a layout that somebody wants, nor for kernels without a
// formula.
func TestDeviceGramElsewhere(t *testing.T) {
	x := data.Points[kernel.Vec](points(8, 2, 1))
	for _, o := range []Options{{Layout: Full}, {Layout: Half}, {Layout: Columns}, {ByColumn: true}} {
		o.Device = deviceOf(cuda.Emulated{})
		if g, err := New(t.Context(), gauss, x, o); err != nil {
			t.Error(err)
		} else if _, on := g.(*deviceGram); on {
			t.Errorf("%+v is on a device", o)
		}
	}
	if g, err := New[kernel.Vec](t.Context(), kernel.Matern{Nu: 1.3}, x,
		Options{Device: deviceOf(cuda.Emulated{})}); err != nil {
		t.Error(err)
	} else if _, on := g.(*deviceGram); on {
		t.Error("a kernel without a formula")
	}
	Release(nil)
}

// Centres that stay serve rows of any number, one after the other; what cannot be done is declined,
// and everything is given back.
func TestDeviceRows(t *testing.T) {
	y, v := points(60, 4, 2), random(60, 2, 3)
	d := deviceOf(cuda.Emulated{Hopper: true})
	r := NewDeviceRows(d, gauss, data.Points[kernel.Vec](y), Double, 0)
	for _, n := range []int{3, 500, 1, 9000, 7} {
		x, got := points(n, 4, uint64(n)), mat.NewDense(n, 2, nil)
		if done, err := r.MulTo(t.Context(), got, x, v); !done || err != nil {
			t.Fatal(n, done, err)
		}
		for _, i := range []int{0, n / 2, n - 1} {
			for c := range 2 {
				s := 0.0
				for j := range 60 {
					s += gauss.Eval(x.At(i), y.At(j)) * v.At(j, c)
				}
				if !(math.Abs(s-got.At(i, c)) <= 1e-12) {
					t.Fatalf("%d rows: row %d is %g, want %g", n, i, got.At(i, c), s)
				}
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if done, err := r.MulTo(ctx, mat.NewDense(9, 2, nil), points(9, 4, 1), v); done || !errors.Is(err, context.Canceled) {
		t.Error(done, err)
	}
	if done, err := r.MulTo(t.Context(), nil, data.Slice[kernel.Vec]{}, v); done || err != nil {
		t.Error(done, err)
	}
	r.Close()
	leftOn(t, "rows", d)
	if done, err := r.MulTo(t.Context(), mat.NewDense(9, 2, nil), points(9, 4, 1), v); done || err != nil {
		t.Error("after it was given back:", done, err)
	}
	none := NewDeviceRows[kernel.Vec](nil, gauss, y, Double, 0)
	if done, err := none.MulTo(t.Context(), nil, points(9, 4, 1), v); none != nil || done || err != nil {
		t.Error(none, done, err)
	}
	none.Close()
}

// What a factor on the device says of its matrix: log det, the factor itself and the inverse.
func TestCenterFactorMatrices(t *testing.T) {
	const n, ridge = 50, 0.3
	x := points(n, 3, 1)
	d := deviceOf(cuda.Emulated{Libraries: true})
	f, err := NewCenterFactor(d, gauss, x, ridge)
	if err != nil {
		t.Fatal(err)
	}
	k := loop(gauss, x, x)
	sym := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			sym.SetSym(i, j, k.At(i, j))
		}
		sym.SetSym(i, i, k.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	chol.Factorize(sym)
	if math.Abs(chol.LogDet()-f.LogDet()) > 1e-10 {
		t.Error(f.LogDet(), chol.LogDet())
	}
	var want mat.SymDense
	if err := chol.InverseTo(&want); err != nil {
		t.Fatal(err)
	}
	got, l := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	if err := errors.Join(f.InverseTo(got), f.FactorTo(l)); err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(got, &want, 1e-10) {
		t.Error("the inverse")
	}
	var lower mat.TriDense
	chol.LTo(&lower)
	for i := range n {
		for j := range i + 1 {
			if math.Abs(l.At(i, j)-lower.At(i, j)) > 1e-12 {
				t.Fatal("the factor", i, j, l.At(i, j), lower.At(i, j))
			}
		}
	}
	f.Close()
	leftOn(t, "factor", d)
	little := deviceOf(cuda.Emulated{Libraries: true, Bytes: 8*n*n + 20<<10})
	if f, err = NewCenterFactor(little, gauss, x, ridge); err != nil {
		t.Fatal(err)
	}
	if err := f.InverseTo(got); !errors.Is(err, cuda.ErrOutOfMemory) || len(little.Notes()) != 1 {
		t.Error(err, little.Notes())
	}
	f.Close()
}

// The device keeps the centres of the owner who asked last, gives them up when memory is short, and
// is none the worse for points that are unfit.
func TestKeptDeviceRows(t *testing.T) {
	y, v := points(50, 3, 2), random(50, 1, 3)
	d := deviceOf(cuda.Emulated{})
	one, two := new(int), new(int)
	use := func(owner *int, x data.Points[kernel.Vec]) (*devicePair, bool) {
		r, done := KeptDeviceRows(d, owner, gauss, data.Points[kernel.Vec](y), Double, 0)
		defer done()
		got := mat.NewDense(x.Len(), 1, nil)
		made, err := r.MulTo(t.Context(), got, x, v)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.Len() {
			s := 0.0
			for j := range 50 {
				s += gauss.Eval(x.At(i), y.At(j)) * v.At(j, 0)
			}
			if made && !(math.Abs(s-got.At(i, 0)) <= 1e-12) {
				t.Fatal(i, got.At(i, 0), s)
			}
		}
		return r.pair, made
	}
	x := points(20, 3, 1)
	first, made := use(one, x)
	again, more := use(one, points(30, 3, 4))
	if !made || !more || first != again {
		t.Error("the centres were not kept")
	}
	bad := points(20, 3, 1)
	bad.At(3)[1] = math.NaN()
	if _, made := use(one, bad); made {
		t.Error("a product with a NaN")
	}
	if p, made := use(one, x); !made {
		t.Error("given up after a NaN")
	} else if other, _ := use(two, x); other == p {
		t.Error("the centres of another")
	}
	r, done := KeptDeviceRows(d, two, gauss, data.Points[kernel.Vec](y), Double, 0)
	s, end := KeptDeviceRows(d, two, gauss, data.Points[kernel.Vec](y), Double, 0)
	if r.pair == s.pair {
		t.Error("two at once share their memory")
	}
	r.Fit(func(x data.Points[kernel.Vec]) bool { return x.Len() > 30 })
	if made, err := r.MulTo(t.Context(), mat.NewDense(20, 1, nil), x, v); made || err != nil {
		t.Error("points that are unfit:", made, err)
	}
	if r.Fit(nil); d.dropKept(nil) {
		t.Error("dropped while it is in use")
	}
	end()
	done()
	if !d.dropKept(nil) || d.dropKept(nil) {
		t.Error("not dropped, or twice")
	}
	leftOn(t, "kept", d)
	if none, done := KeptDeviceRows[kernel.Vec](nil, one, gauss, y, Double, 0); none != nil {
		t.Error("on no device")
	} else {
		done()
	}
}
