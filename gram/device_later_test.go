package gram

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"gonum.org/v1/gonum/mat"
)

// opening has OpenDevice find such devices, and counts how often it looks.
func opening(t *testing.T, all ...cuda.Emulated) *int {
	was, times := openChips, new(int)
	openChips = func() ([]cuda.Device, error) { *times++; return cuda.EmulateOpen(all...) }
	t.Cleanup(func() { openChips = was })
	return times
}

// A device is opened when the processor has been at its work for as long as opening takes, once,
// and is then asked for what it does sooner; an old driver is said and leaves the work to the
// processor.
func TestDeviceLater(t *testing.T) {
	known := func() *rates { return &rates{start: 1e-4, copy: 1e10, pairs: 1e12, own: 1e8, flops: 1e10} }
	costs := func(device, own float64) func(rates) (float64, float64) {
		return func(rates) (float64, float64) { return device, own }
	}
	times := opening(t, cuda.Emulated{})
	d := &Device{later: true, rates: known()}
	for range 4 {
		if d.sooner(costs(0.001, 0.1)) || *times != 0 {
			t.Fatal("opened after", d.spent, "s")
		}
	}
	if !d.usable() || d.String() != "processor" {
		t.Error("a device that may come:", d.usable(), d)
	}
	if !d.sooner(costs(0.001, 0.2)) || *times != 1 || len(d.chips) != 1 {
		t.Error("not opened after", d.spent, "s")
	}
	if d.sooner(costs(0.3, 0.2)) || !d.sooner(costs(0.1, 0.2)) || *times != 1 {
		t.Error("opened again, or asked for what it does later")
	}
	if err := d.Close(); err != nil || d.usable() {
		t.Error(err)
	}

	times = opening(t, cuda.Emulated{Driver: 11080})
	d = &Device{later: true, rates: known()}
	for range 3 {
		if d.sooner(costs(0, 1)) {
			t.Error("a driver that is too old")
		}
	}
	if n := d.Notes(); *times != 1 || len(n) != 1 ||
		!strings.Contains(n[0], "too old: it serves CUDA 11.8, kernels need 12.4") || d.usable() {
		t.Error(*times, n)
	}
	if _, err := OpenDevice(DeviceOptions{Always: true}); !errors.Is(err, ErrOldDriver) {
		t.Error(err)
	}
	opening(t)
	d = &Device{later: true, rates: known()}
	if d.sooner(costs(0, 1)) || len(d.Notes()) != 0 || d.usable() {
		t.Error("no device is no news:", d.Notes())
	}
	if later, err := OpenDevice(DeviceOptions{Later: true}); cuda.Built && (err != nil || !later.usable()) ||
		!cuda.Built && !errors.Is(err, ErrNoDeviceSupport) {
		t.Error(err)
	}
	d = &Device{later: true}
	if d.sooner(costs(0, measuredFrom/2)) || d.rates != nil {
		t.Error("measured for next to nothing")
	}
	if d.sooner(costs(0, measuredFrom)) || d.rates == nil {
		t.Error("not measured")
	}
	if r := measureOwn(); !(r.own > 1 && r.flops > 1) {
		t.Error("the processor was not measured:", *r)
	}
}

// Sums under permutations are those of the double loop; little memory and a lost device are said
// once and leave them to the processor.
func TestPermutedSums(t *testing.T) {
	const n, count = 40, 5
	rng := rand.New(rand.NewPCG(1, 1))
	k, l := loop(gauss, points(n, 2, 1), points(n, 2, 1)), loop(gauss, points(n, 3, 2), points(n, 3, 2))
	perms := make([]int32, 0, n*count)
	for range count {
		for _, p := range rng.Perm(n) {
			perms = append(perms, int32(p))
		}
	}
	d := deviceOf(cuda.Emulated{})
	s, v := NewPermutedSums(d, k, l, 1000), make([]float64, count)
	if !s.Sums(perms, v) {
		t.Fatal(d.Notes())
	}
	for b := range count {
		want := 0.0
		for i := range n {
			for j := range n {
				want += k.At(i, j) * l.At(int(perms[b*n+i]), int(perms[b*n+j]))
			}
		}
		if !(math.Abs(v[b]-want) <= 1e-10*want) {
			t.Errorf("permutation %d: %g, want %g", b, v[b], want)
		}
	}
	s.Close()
	leftOn(t, "permutations", d)
	if s.Sums(perms, v) || NewPermutedSums(nil, k, l, 9).Sums(perms, v) {
		t.Error("sums of nobody")
	}
	for note, e := range map[string]cuda.Emulated{"no memory left": {Bytes: 8*n*n + 100}, "was lost": {LoseAfter: 1}} {
		d := deviceOf(e)
		s := NewPermutedSums(d, k, l, 1000)
		for range 2 {
			if s.Sums(perms, v) {
				t.Error(note, "and yet it has sums")
			}
		}
		s.Close()
		if said := d.Notes(); len(said) != 1 || !strings.Contains(said[0], note) {
			t.Error(note, said)
		}
	}
}

// Eigenvectors on a device are those of the matrix.
func TestDeviceEigen(t *testing.T) {
	const n = 30
	a := loop(gauss, points(n, 3, 1), points(n, 3, 1))
	d := deviceOf(cuda.Emulated{Libraries: true})
	w, u, ok := DeviceEigen(d, a)
	if !ok {
		t.Fatal(d.Notes())
	}
	var left mat.Dense
	left.Mul(u, a)
	for e := range n {
		for i := range n {
			if !(math.Abs(left.At(e, i)-w[e]*u.At(e, i)) <= 1e-12) {
				t.Fatal(e, i, left.At(e, i), w[e]*u.At(e, i))
			}
		}
	}
	leftOn(t, "eigen", d)
	for note, d := range map[string]*Device{"no memory left": deviceOf(cuda.Emulated{Libraries: true, Bytes: 1000}),
		"cuSOLVER were not found": deviceOf(cuda.Emulated{})} {
		if _, _, ok := DeviceEigen(d, a); ok || !strings.Contains(strings.Join(d.Notes(), ""), note) {
			t.Error(note, ok, d.Notes())
		}
	}
	if _, _, ok := DeviceEigen(nil, a); ok {
		t.Error("on no device")
	}
}
