package csvio

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func BenchmarkRead(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	text := []byte("a,b,c,d,e,f,g,h\n")
	for range 40000 {
		for j := range 8 {
			if j > 0 {
				text = append(text, ',')
			}
			text = strconv.AppendFloat(text, rng.NormFloat64(), 'g', -1, 64)
		}
		text = append(text, '\n')
	}
	s := string(text)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := readString(b, s, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
