package float16

import (
	"math"
	"testing"
)

// Every pattern comes back from its number; a number between two goes to the nearer one, from the
// middle to the even one.
func TestFromFloat32(t *testing.T) {
	for h := range uint16(0x7c00) {
		x := float32(Float64(h))
		next := float32(Float64(h + 1))
		if h+1 == 0x7c00 {
			next = 65536
		}
		middle := (x + next) / 2
		even := h + h&1
		for _, c := range []struct {
			x    float32
			want uint16
		}{{x, h}, {math.Nextafter32(middle, 0), h}, {middle, even}, {math.Nextafter32(middle, 1e9), h + 1}} {
			if got := FromFloat32(c.x); got != c.want {
				t.Fatalf("%g is %#x, want %#x", c.x, got, c.want)
			}
			if got := FromFloat32(-c.x); got != c.want|0x8000 {
				t.Fatalf("%g is %#x", -c.x, got)
			}
		}
	}
	inf := float32(math.Inf(1))
	if FromFloat32(inf) != 0x7c00 || FromFloat32(-inf) != 0xfc00 || FromFloat32(1e30) != 0x7c00 ||
		!math.IsNaN(Float64(FromFloat32(float32(math.NaN())))) {
		t.Error("what is not finite")
	}
}
