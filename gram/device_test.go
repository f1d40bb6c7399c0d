package gram

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// smallPieces is a pair on an emulated device, in pieces small enough to be many.
func smallPieces(
	t *testing.T, d *Device, k kernel.Kernel[kernel.Vec], rows data.Source[kernel.Vec], y data.Points[kernel.Vec],
	o PairOptions, piece int,
) *devicePair {
	t.Helper()
	o.Device = d
	p, err := NewPair(k, rows, y, o)
	if err != nil {
		t.Fatal(err)
	}
	dp, ok := p.(*devicePair)
	if !ok {
		t.Fatalf("%T has no place on a device", k)
	}
	dp.piece = piece
	return dp
}

func emulated(count int, bytes int64) *Device {
	d := &Device{always: true}
	for i := range count {
		d.chips = append(d.chips, cuda.Emulate(cuda.Emulated{Bytes: bytes, Hopper: i%2 == 0}))
	}
	return d
}

// Kᵀ(Kv + z) on devices is what it is by the whole matrix, for all kernels that have a formula,
// both precisions, one device and several, rows that stay in memory and rows that are streamed in
// every pass; and everything is given back.
func TestDevicePairAgainstMatrix(t *testing.T) {
	const m, d, columns = 130, 6, 3
	n := 700
	if testing.Short() {
		n = 200
	}
	x, y := points(n, d, 1), points(m, d, 2)
	v, z := random(m, columns, 3), random(n, columns, 4)
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 2}, "laplace": kernel.Laplace{}, "matern": kernel.Matern{Nu: 2.5},
		"rq": kernel.RationalQuadratic{}, "poly": kernel.Polynomial{Gamma: 0.2, Offset: 1},
		"ard": kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 2, 3, 4, 5, 6}},
		"l1":  kernel.LaplaceL1{Lengthscale: 3}, "linear": kernel.Linear{},
		"sum": kernel.Sum[kernel.Vec](kernel.Scale[kernel.Vec](0.5, kernel.Gaussian{}), kernel.On(kernel.Linear{}, 1, 3),
			kernel.Constant[kernel.Vec](1)),
	} {
		want, size := pairByLoop(loop(k, x, y), v, z)
		for precision, tol := range map[Precision]float64{Double: 1e-12, Single: 1e-5} {
			for _, devices := range []int{1, 2} {
				for _, bytes := range []int64{1 << 30, 1 << 20} {
					if testing.Short() && (devices == 1) != (bytes == 1<<30) {
						continue // one with room, two without
					}
					dev := emulated(devices, bytes)
					p := smallPieces(t, dev, k, data.NewInMemory[kernel.Vec](x, z.RawMatrix().Data, columns, nil), y,
						PairOptions{Precision: precision}, 64)
					for pass := range 2 {
						got := mat.NewDense(m, columns, nil)
						if err := p.MulTo(t.Context(), got, v, shift[kernel.Vec]); err != nil {
							t.Fatal(err)
						}
						worst := 0.0
						for i := range m {
							for j := range columns {
								worst = math.Max(worst, math.Abs(got.At(i, j)-want.At(i, j))/size.At(i, j))
							}
						}
						if !(worst <= tol) {
							t.Errorf("%s, %v, %d devices, pass %d: off by %.2g", name, precision, devices, pass, worst)
						}
					}
					if p.given || len(dev.Notes()) > 0 {
						t.Errorf("%s: the device was given up: %v", name, dev.Notes())
					}
					_ = p.Close()
					for _, c := range dev.chips {
						if left := cuda.Left(c); left != "" {
							t.Error(name, "left", left)
						}
					}
				}
			}
		}
	}
}

// The sides of a product, an intercept, and the same bits whatever the threads and the source.
func TestDevicePairSides(t *testing.T) {
	const n, m = 500, 40
	x, y := points(n, 5, 1), points(m, 5, 2)
	v, z := random(m+1, 2, 3), random(n, 2, 4)
	k := loopWithOnes(gauss, x, y)
	want, size := pairByLoop(k, v, z)
	var kv, ktz mat.Dense
	kv.Mul(k, v)
	ktz.Mul(k.T(), z)
	var first *mat.Dense
	for _, threads := range []int{1, 3} {
		for _, source := range []data.Source[kernel.Vec]{data.NewInMemory[kernel.Vec](x, z.RawMatrix().Data, 2, nil),
			withTargets{byHand{x}, z}} {
			p := smallPieces(t, emulated(2, 0), gauss, source, y, PairOptions{Precision: Single, Ones: true, Threads: threads},
				50)
			got := mat.NewDense(m+1, 2, nil)
			if err := p.MulTo(t.Context(), got, v, shift[kernel.Vec]); err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = mat.DenseCopyOf(got)
			}
			if !mat.Equal(first, got) {
				t.Error("other bits with", threads, "threads")
			}
			for i := range m + 1 {
				for j := range 2 {
					if !(math.Abs(got.At(i, j)-want.At(i, j)) <= 1e-5*size.At(i, j)) {
						t.Fatalf("(%d, %d) is %g, want %g", i, j, got.At(i, j), want.At(i, j))
					}
				}
			}
			if err := p.MulTo(t.Context(), got, nil, shift[kernel.Vec]); err != nil || !mat.EqualApprox(got, &ktz, 1e-3) {
				t.Error("Kᵀz", err)
			}
			seen := mat.NewDense(n, 2, nil)
			if err := p.MulTo(t.Context(), nil, v, func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
				for i := range b.Len() {
					seen.SetRow(b.First+i, kv.RawRowView(i))
				}
			}); err != nil || !mat.EqualApprox(seen, &kv, 1e-4) {
				t.Error("Kv", err)
			}
			if r, c := p.Dims(); r != n || c != m+1 {
				t.Error(r, c)
			}
			_ = p.Close()
		}
	}
}

// withTargets are rows that are read anew in every pass, with targets.
type withTargets struct {
	byHand
	z *mat.Dense
}

func (s withTargets) Outputs() int { return 2 }
func (s withTargets) Pass(ctx context.Context, size int, f func(data.Block[kernel.Vec]) error) error {
	return s.byHand.Pass(ctx, size, func(b data.Block[kernel.Vec]) error {
		b.Targets, b.Outputs = s.z.RawMatrix().Data[2*b.First:2*(b.First+b.Len())], 2
		return f(b)
	})
}

// Too little memory is met by smaller pieces, then by the processor; a device that is lost in the
// middle leaves the product to the processor. No number is wrong, and each is said once.
func TestDevicePairFails(t *testing.T) {
	const n, m = 20000, 30
	x, y, v := points(n, 5, 1), points(m, 5, 2), random(m, 1, 3)
	source := data.NewInMemory[kernel.Vec](x, nil, 0, nil)
	own, err := NewPair(gauss, source, data.Points[kernel.Vec](y), PairOptions{Precision: Single})
	if err != nil {
		t.Fatal(err)
	}
	want := mat.NewDense(m, 1, nil)
	if err := own.MulTo(t.Context(), want, v, Copy[kernel.Vec]); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		device cuda.Emulated
		note   string
		piece  int // in the end
	}{
		{"smaller pieces", cuda.Emulated{Bytes: 3 << 20}, "", 4096},
		{"no memory", cuda.Emulated{Bytes: 1 << 16}, "no memory left", 4096},
		{"lost at once", cuda.Emulated{LoseAfter: 1}, "was lost", pieceRows},
		{"lost in the middle", cuda.Emulated{LoseAfter: 12}, "was lost", pieceRows},
	} {
		dev := &Device{always: true, chips: []cuda.Device{cuda.Emulate(c.device)}}
		p := smallPieces(t, dev, gauss, source, y, PairOptions{Precision: Single}, pieceRows)
		got := mat.NewDense(m, 1, nil)
		for range 3 {
			if err := p.MulTo(t.Context(), got, v, Copy[kernel.Vec]); err != nil {
				t.Fatal(c.name, err)
			}
			if !mat.EqualApprox(got, want, 1e-4*mat.Max(want)) {
				t.Error(c.name, "a wrong number")
			}
		}
		notes := strings.Join(dev.Notes(), "\n")
		if len(dev.Notes()) > 1 || (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: said %q", c.name, notes)
		}
		if p.piece != c.piece || p.given != (c.note != "") {
			t.Errorf("%s: pieces of %d rows, given up: %v", c.name, p.piece, p.given)
		}
		_ = p.Close()
		if left := cuda.Left(dev.chips[0]); left != "" && c.device.LoseAfter == 0 {
			t.Error(c.name, "left", left)
		}
	}
}

// Rows farther out than any centre start the pass over, once, in a way that has the digits for
// them; what is kept between products is given back.
func TestDevicePairFarRows(t *testing.T) {
	x, y, v := points(300, 6, 1), points(40, 6, 2), random(40, 1, 3)
	copy(x.At(250), kernel.Vec{90, 0, 0, 0, 0, 1})
	for name, k := range map[string]kernel.Kernel[kernel.Vec]{
		"gaussian": gauss, "poly": kernel.Polynomial{Gamma: 0.2, Offset: 1},
		"sum": kernel.Sum[kernel.Vec](gauss, kernel.Scale[kernel.Vec](2, kernel.Matern{Nu: 1.5, Lengthscale: 3})),
	} {
		want, size := pairByLoop(loop(k, x, y), v, mat.NewDense(300, 1, nil))
		dev := &Device{always: true, chips: []cuda.Device{cuda.Pooled(cuda.Emulate(cuda.Emulated{Hopper: true}))}}
		p := smallPieces(t, dev, k, data.NewInMemory[kernel.Vec](x, nil, 0, nil), y, PairOptions{Precision: Single}, 100)
		for range 2 {
			got := mat.NewDense(40, 1, nil)
			if err := p.MulTo(t.Context(), got, v, Copy[kernel.Vec]); err != nil {
				t.Fatal(err)
			}
			for i := range 40 {
				if !(math.Abs(got.At(i, 0)-want.At(i, 0)) <= 1e-5*size.At(i, 0)) {
					t.Errorf("%s: row %d is %g, want %g", name, i, got.At(i, 0), want.At(i, 0))
				}
			}
		}
		if p.given || len(dev.Notes()) > 0 {
			t.Error(name, "the device was given up", dev.Notes())
		}
		_ = p.Close()
		if left := cuda.Left(dev.chips[0]); left != "" {
			t.Error(name, "left", left)
		}
	}
}

// A pass that ends early leaves the destination alone and says why; the device is none the worse.
func TestDevicePairStops(t *testing.T) {
	x, y, v := points(3000, 5, 1), points(20, 5, 2), random(20, 1, 3)
	dev := emulated(1, 0)
	ctx, cancel := context.WithCancel(t.Context())
	p := smallPieces(t, dev, gauss, data.NewInMemory[kernel.Vec](x, nil, 0, nil), y, PairOptions{}, 100)
	got := mat.NewDense(20, 1, nil)
	got.Set(3, 0, 7)
	err := p.MulTo(ctx, got, v, func(b data.Block[kernel.Vec], kv, u *mat.Dense) {
		if u.Copy(kv); b.First > 1500 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || got.At(3, 0) != 7 {
		t.Error(err, got.At(3, 0))
	}
	worn := errors.New("disk is gone")
	q := smallPieces(t, dev, gauss, failing{x, worn}, y, PairOptions{}, 100)
	if err := q.MulTo(t.Context(), got, v, Copy[kernel.Vec]); !errors.Is(err, worn) || got.At(3, 0) != 7 {
		t.Error(err, got.At(3, 0))
	}
	if len(dev.Notes()) > 0 || p.given || q.given {
		t.Error("the device was given up", dev.Notes())
	}
	_, _ = p.Close(), q.Close()
	if left := cuda.Left(dev.chips[0]); left != "" {
		t.Error("left", left)
	}
}

// What a device does not do is done by processors, and a closed device is no device: kernels
// without a formula, sequences, no device at all.
func TestDevicePairElsewhere(t *testing.T) {
	x := points(5, 2, 1)
	source := data.NewInMemory[kernel.Vec](x, nil, 0, nil)
	for _, k := range []kernel.Kernel[kernel.Vec]{kernel.Matern{Nu: 1.3}, kernel.Normalize[kernel.Vec](kernel.Linear{}),
		kernel.Constant[kernel.Vec](2)} {
		p, err := NewPair(k, source, data.Points[kernel.Vec](x), PairOptions{Device: emulated(1, 0)})
		if _, on := p.(*devicePair); on || err != nil {
			t.Errorf("%T is on a device: %v", k, err)
		}
	}
	d := emulated(1, 0)
	p := smallPieces(t, d, gauss, source, x, PairOptions{}, 10)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	w := mat.NewDense(5, 1, nil)
	if err := p.MulTo(t.Context(), w, random(5, 1, 1), Copy[kernel.Vec]); err != nil || mat.Norm(w, 2) == 0 {
		t.Error("after the device was closed:", err)
	}
	if d.Close() != nil || (*Device)(nil).Close() != nil || (*Device)(nil).Notes() != nil ||
		(*Device)(nil).String() != "processor" {
		t.Error("nothing")
	}
	if !cuda.Built {
		if _, err := OpenDevice(DeviceOptions{}); !errors.Is(err, ErrNoDeviceSupport) {
			t.Error(err)
		}
	}
}

// The model of times prefers the device for much work and the processor for little.
func TestDeviceWorth(t *testing.T) {
	r := rates{start: 2e-4, copy: 5e10, pairs: 2e12, own: 5e7}
	for _, c := range []struct {
		n, m int
		want bool
	}{{100, 50, false}, {1000, 100, false}, {100000, 1000, true}, {10000000, 20000, true}} {
		if got := r.deviceSeconds(c.n, c.m, 28, 1, 1, cuda.Single) < r.ownSeconds(c.n, c.m, 1, 16); got != c.want {
			t.Errorf("%d rows, %d centres: %v", c.n, c.m, got)
		}
	}
	if one, two := r.deviceSeconds(1e6, 1000, 28, 1, 1, cuda.Single), r.deviceSeconds(1e6, 1000, 28, 1, 2,
		cuda.Single); two >= one {
		t.Error("a second device is no help")
	}
	m := measureOwn()
	m.measure(cuda.Emulate(cuda.Emulated{Bytes: 1}))
	if m.deviceSeconds(1e9, 1e5, 3, 1, 1, cuda.Single) < m.ownSeconds(1e9, 1e5, 1, 1) {
		t.Error("a device that cannot be measured is used")
	}
}

func ExampleEmulatedDevice() {
	d := EmulatedDevice(2, 1<<20, 0)
	fmt.Println(len(strings.Split(d.String(), "), ")), d.Notes())
	fmt.Println(d.Close())
	// Output:
	// 2 []
	// <nil>
}

// A factor that leaves no memory for the inverses of its blocks solves all the same.
func TestCenterFactorWithoutRoom(t *testing.T) {
	const n = 40
	x := points(n, 3, 1)
	d := &Device{always: true, chips: []cuda.Device{cuda.Emulate(cuda.Emulated{Bytes: 8*n*n + 6<<10, Libraries: true})}}
	f, err := NewCenterFactor(d, gauss, x, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := random(n, 1, 2)
	got := mat.DenseCopyOf(b)
	if err := errors.Join(f.SolveTo(got, false), f.SolveTo(got, true)); err != nil || f.triangle != nil {
		t.Fatal(err, "or there was room", f.triangle)
	}
	k := loop(gauss, x, x)
	for i := range n {
		k.Set(i, i, k.At(i, i)+1)
	}
	var back mat.Dense
	back.Mul(k, got)
	if !mat.EqualApprox(&back, b, 1e-12) {
		t.Error("a wrong solution")
	}
}
