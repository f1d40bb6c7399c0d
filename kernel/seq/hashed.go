package seq

import (
	"context"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Hashed is NGrams with the terms put into a fixed number of Buckets (2²⁰ when zero) by a hash h,
// with a sign ξ from one more bit of it:
//
//	k(x, y) = ⟨ψ(x), ψ(y)⟩,   ψ_b(x) = Σ_{t: h(t)=b} ξ(t)·n_t(x).
//
// Over the choice of Seed its mean is the kernel of the counts, and its variance falls as 1/Buckets
// (K. Weinberger et al., Feature hashing for large scale multitask learning, ICML 2009). For a
// given seed it is a positive semi-definite kernel in its own right. No vocabulary is kept.
type Hashed struct {
	Terms   NGrams
	Buckets int
	Seed    uint64
}

// Name is "hashed".
func (Hashed) Name() string { return "hashed" }

// bucket is h(t) and ξ(t).
func (k Hashed) bucket(term string) (b uint32, sign float64) {
	h := fnv.New64a()
	h.Write([]byte(term))
	v := mix(h.Sum64() ^ mix(k.Seed+0x9e3779b97f4a7c15))
	sign = 1
	if v>>63 == 1 {
		sign = -1
	}
	return uint32((v & (1<<63 - 1)) % uint64(or(k.Buckets, 1<<20))), sign
}

// mix is the finaliser of splitmix64: every bit of the seed reaches every bit of the hash.
func mix(v uint64) uint64 {
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}

// Vector is ψ(text): the value of each bucket that is not empty. Counts are whole
// numbers, so that sums of them have the same bits in any order.
func (k Hashed) Vector(text string) map[uint32]float64 {
	psi := map[uint32]float64{}
	for t, n := range k.Terms.Terms(text) {
		b, sign := k.bucket(t)
		psi[b] += sign * n
	}
	return psi
}

// Eval returns ⟨ψ(x), ψ(y)⟩.
func (k Hashed) Eval(x, y string) float64 { return dot(k.Vector(x), k.Vector(y)) }

// PreparePoints hashes the terms of each text once.
func (k Hashed) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return kernel.PrepareSparse(ctx, x, y, k.Vector)
}

// EachFeature adds the signed counts under the numbers of their buckets.
func (k Hashed) EachFeature(x string, add func(name string, value float64)) {
	k.Terms.each(x, func(term string, n float64) {
		b, sign := k.bucket(term)
		add(strconv.FormatUint(uint64(b), 36), sign*n)
	})
}

// Validate refuses fewer than 1 or more than 2³¹ buckets.
func (k Hashed) Validate() error {
	if k.Buckets < 0 || int64(k.Buckets) > 1<<31 {
		return fmt.Errorf("seq: hashed: buckets = %d, want 1 to 2147483648", k.Buckets)
	}
	return k.Terms.Validate()
}

// CheckPoints refuses texts that are no UTF-8.
func (Hashed) CheckPoints(x data.Points[string]) error { return checkText("hashed", x) }

// Properties of an inner product of counts.
func (Hashed) Properties() kernel.Properties { return textFeatures() }
