package seq

import (
	"context"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// WeightedDegree compares strings that are written one below the other, place by place: it counts
// the runs of up to K letters (5 when zero) that both have at the same place,
//
//	k(x, y) = Σ_{q=1}^{K} β_q Σ_t 1[x[t:t+q] = y[t:t+q]],   β_q = 2(K-q+1)/(K(K+1))
//
// (G. Rätsch and S. Sonnenburg, Accurate splice site detection for Caenorhabditis elegans, in
// Kernel Methods in Computational Biology, 2004). Where strings differ in length the places beyond
// the shorter have nothing in common. A value takes one pass over the strings: a stretch of m equal
// letters holds m-q+1 runs of q.
type WeightedDegree struct {
	K int
}

func (k WeightedDegree) length() int { return or(k.K, 5) }

// Name is "weighteddegree".
func (WeightedDegree) Name() string { return "weighteddegree" }

// Eval returns the weighted number of common runs.
func (k WeightedDegree) Eval(x, y string) float64 { return k.stretches()([]rune(x), []rune(y)) }

// stretches is the kernel on letters, the worth of stretches up to K looked up.
func (k WeightedDegree) stretches() func(x, y []rune) float64 {
	n := k.length()
	// gain[m] is what the m-th letter of a stretch adds: the runs that end there, of 1 to min(m, K)
	// letters.
	gain := make([]float64, n+1)
	for q := 1; q <= n; q++ {
		gain[q] = gain[q-1] + 2*float64(n-q+1)/float64(n*(n+1))
	}
	return func(x, y []rune) float64 {
		sum, run := 0.0, 0
		for t := range min(len(x), len(y)) {
			if x[t] != y[t] {
				run = 0
				continue
			}
			run = min(run+1, n)
			sum += gain[run]
		}
		return sum
	}
}

// PreparePoints splits each string into letters once.
func (k WeightedDegree) PreparePoints(ctx context.Context, x, y data.Points[string]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, func(s string) []rune { return []rune(s) }, k.stretches())
}

// EachFeature adds √β for each run, whose name says its place.
func (k WeightedDegree) EachFeature(x string, add func(name string, value float64)) {
	at, n := bounds(x), k.length()
	for t := range len(at) - 1 {
		place := strconv.Itoa(t) + ":"
		for q := 1; q <= n && t+q < len(at); q++ {
			add(place+x[at[t]:at[t+q]], math.Sqrt(2*float64(n-q+1)/float64(n*(n+1))))
		}
	}
}

// Params is K.
func (k WeightedDegree) Params() []kernel.Param {
	return []kernel.Param{whole("weighteddegree.k", k.length(), 1)}
}

// With sets K.
func (WeightedDegree) With(theta []float64) kernel.Kernel[string] {
	return WeightedDegree{int(theta[0])}
}

// Validate refuses K < 0.
func (k WeightedDegree) Validate() error {
	return mustBe(k.K >= 0, "weighteddegree", "k", k.K, "at least 1")
}

// CheckPoints refuses strings that are no UTF-8.
func (WeightedDegree) CheckPoints(x data.Points[string]) error {
	return checkText("weighteddegree", x)
}

// Properties of an inner product of indicators of runs at places.
func (WeightedDegree) Properties() kernel.Properties { return textFeatures() }
