package decimal

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// Numbers are the float64 nearest to their text, as strconv says.
func TestNumbersAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(s string) {
		want, err := strconv.ParseFloat(s, 64)
		for _, after := range []string{"\n", "\n0123456789012345678901234567890"} { // near the end of a block, and within
			got, n := Scan([]byte(s+after), '.')
			if err == nil && (n != len(s) || math.Float64bits(got) != math.Float64bits(want)) {
				t.Fatalf("%s: read %v (%d bytes), want %v", s, got, n, want)
			}
		}
	}
	count := 200_000
	if testing.Short() {
		count = 20_000
	}
	for range count {
		x := math.Float64frombits(rng.Uint64())
		if x-x != 0 {
			continue
		}
		check(strconv.FormatFloat(x, 'g', -1, 64))
		check(strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(20), 64))
		check(strconv.FormatFloat(rng.Float64()*1e6, 'g', 1+rng.IntN(25), 64))
		check(strconv.FormatFloat(rng.NormFloat64(), 'f', rng.IntN(40), 64))
		check(fmt.Sprintf("%d.%0*d", rng.IntN(100), 1+rng.IntN(6), rng.IntN(1000))) // short, with exact halves among them
		check(fmt.Sprintf("%d.5e%d", rng.Uint64()>>rng.IntN(64), rng.IntN(40)-20))
	}
	for _, s := range []string{"9007199254740993", "9007199254740992", "1e22", "1e23", "123456789e-22",
		"18446744073709551616", "0.000000000000000000000000000001", "99999999999999999999"} {
		check(s)
	}
}
