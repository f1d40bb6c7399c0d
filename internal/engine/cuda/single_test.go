package cuda

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// A factor in single precision, block by block, times its transpose is the matrix to the digits of
// single precision (of half precision alone it would be off by 1e-3), whether blocks come out even
// or not, and solutions with it solve. A matrix that is not positive is told, in whichever block it
// shows.
func TestSingleFactor(t *testing.T) {
	for where, d := range under(t) {
		n, side, most := 75, 16, 24
		if strings.HasPrefix(where, "chip") {
			n, side, most = 1700, 512, 700
		} else {
			d = Emulate(Emulated{Libraries: true})
		}
		if d.Libraries() == nil {
			t.Log("SKIPPED: no libraries for dense matrices on", where)
			continue
		}
		stride := n + 5
		rng := rand.New(rand.NewPCG(3, 3))
		x := make([]float64, 4*n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		a := make([]float64, n*n)
		for i := range n {
			for j := range n {
				s := 0.0
				for k := range 4 {
					s += (x[4*i+k] - x[4*j+k]) * (x[4*i+k] - x[4*j+k])
				}
				if a[i*n+j] = 0.7 * math.Exp(-s/8); i == j {
					a[i*n+j] += 0.2
				}
			}
		}
		put := func(spoilt int) Ptr {
			m := make([]float32, n*stride)
			for i := range n {
				for j := range stride {
					if m[i*stride+j] = float32(math.NaN()); j <= i {
						m[i*stride+j] = float32(a[i*n+j])
					}
				}
			}
			if spoilt >= 0 {
				m[spoilt*stride+spoilt] = -1
			}
			p, err := d.Alloc(int64(4 * len(m)))
			check(t, err)
			check(t, d.ToDevice(0, p, bytesOf(m)))
			return p
		}
		for _, spoilt := range []int{0, side + 3, n - 1} {
			p := put(spoilt)
			if positive, err := singleFactor(d, 0, n, stride, p, side, most); err != nil || positive {
				t.Error(where, "a matrix that is not positive:", positive, err)
			}
			check(t, d.Free(p))
		}
		p := put(-1)
		if positive, err := singleFactor(d, 0, n, stride, p, side, most); err != nil || !positive {
			t.Fatal(where, positive, err)
		}
		l := make([]float32, n*stride)
		check(t, d.ToHost(0, bytesOf(l), p))
		check(t, d.Sync(0))
		worst := 0.0
		for i := range n {
			for j := range i + 1 {
				s := 0.0
				for k := range j + 1 {
					s += float64(l[i*stride+k]) * float64(l[j*stride+k])
				}
				worst = math.Max(worst, math.Abs(s-a[i*n+j]))
			}
		}
		if !(worst <= 1e-5) {
			t.Errorf("%s: LLᵀ is off by %g", where, worst)
		}
		tri, err := newTriangle(Triangle{device: d, n: n, stride: stride, l: p, number: 4, side: side}, 0)
		check(t, err)
		b := make([]float32, n)
		for i := range b {
			b[i] = float32(rng.NormFloat64())
		}
		for _, transposed := range []bool{false, true} {
			at, err := d.Alloc(int64(8 * n))
			check(t, err)
			check(t, d.ToDevice(0, at, bytesOf(b)))
			check(t, tri.Solve(0, n, transposed, at, at+Ptr(4*n)))
			x := make([]float32, n)
			check(t, d.ToHost(0, bytesOf(x), at+Ptr(4*n)))
			check(t, d.Sync(0))
			for i := range n {
				s := 0.0
				for k := range n {
					if !transposed && k <= i {
						s += float64(l[i*stride+k]) * float64(x[k])
					} else if transposed && k >= i {
						s += float64(l[k*stride+i]) * float64(x[k])
					}
				}
				if !(math.Abs(s-float64(b[i])) <= 2e-4) {
					t.Fatalf("%s: equation %d, transposed %v: %g, want %g", where, i, transposed, s, b[i])
				}
			}
			check(t, d.Free(at))
		}
		tri.Close()
		check(t, d.Free(p))
		if !strings.HasPrefix(where, "chip") && Left(d) != "" {
			t.Error(Left(d))
		}
	}
}
