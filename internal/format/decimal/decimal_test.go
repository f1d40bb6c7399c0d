package decimal

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// The oracle is the quotient of whole numbers, rounded once.
func TestNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		x := int64(rng.Uint64()) >> rng.IntN(60)
		scale := rng.IntN(40) - 5
		u := new(big.Int).Lsh(big.NewInt(x), uint(rng.IntN(2)*rng.IntN(60)))
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(scale, -scale))), nil)
		want := new(big.Rat).SetFrac(u, ten)
		if scale < 0 {
			want = new(big.Rat).SetInt(new(big.Int).Mul(u, ten))
		}
		if w, _ := want.Float64(); FromBig(u, scale) != w {
			t.Fatalf("%v·10^-%d is %v, want %v", u, scale, FromBig(u, scale), w)
		}
		if u.IsInt64() {
			if w, _ := want.Float64(); Float64(u.Int64(), scale) != w {
				t.Fatalf("%v·10^-%d", u, scale)
			}
		}
	}
	// Above 2^53 a division of the rounded number gives the neighbour.
	if got := Float64(12345678901234567, 2); got != 123456789012345.67 {
		t.Errorf("%v", got)
	}
}
