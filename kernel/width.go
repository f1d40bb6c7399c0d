package kernel

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
)

// WidthScale is the length-scale that scikit-learn's gamma="scale" stands for:
// γ = 1/(d·Var) with the variance of all entries, so ℓ = √(d·Var/2).
func WidthScale(x data.Points[Vec]) (float64, error) {
	if err := checkWidthPoints(x); err != nil {
		return 0, err
	}
	n, mean, m2 := 0.0, 0.0, 0.0
	for i := range x.Len() {
		for _, v := range x.At(i) { // Welford
			n++
			d := v - mean
			mean += d / n
			m2 += d * (v - mean)
		}
	}
	if m2 == 0 {
		return 0, fault.Errorf("kernel", "width: all entries are %g, so the data have no scale", mean)
	}
	return math.Sqrt(float64(len(x.At(0))) * m2 / n / 2), nil
}

// WidthMedian is the median distance between two points, a length-scale that leaves the
// kernel neither constant nor the identity (Gretton et al. 2012).
func WidthMedian(x data.Points[Vec]) (float64, error) {
	q, err := WidthQuantiles(x, 0.5)
	if err != nil {
		return 0, err
	}
	return q[0], nil
}

// widthPairs is how many pairs are looked at when there are more.
const widthPairs = 100000

// WidthQuantiles returns quantiles of the distances ‖x-y‖ > 0 between two points. For
// the range kernlab's sigest searches take 0.1, 0.5 and 0.9. All pairs are used while there
// are few; of many, a sample that is always the same.
func WidthQuantiles(x data.Points[Vec], probabilities ...float64) ([]float64, error) {
	if err := checkWidthPoints(x); err != nil {
		return nil, err
	}
	for _, p := range probabilities {
		if !(p >= 0 && p <= 1) {
			return nil, fault.Errorf("kernel", "width: quantile %g, want in [0, 1]", p)
		}
	}
	n := x.Len()
	var d []float64
	add := func(i, j int) {
		if v := SqDist.Between(x.At(i), x.At(j)); v > 0 {
			d = append(d, math.Sqrt(v))
		}
	}
	if n*(n-1)/2 <= widthPairs {
		for i := range n {
			for j := range i {
				add(i, j)
			}
		}
	} else {
		rng := rand.New(rand.NewPCG(0x77696474, 68))
		for range widthPairs {
			i, j := rng.IntN(n), rng.IntN(n-1)
			if j >= i {
				j++
			}
			add(i, j)
		}
	}
	if len(d) == 0 {
		return nil, fault.Errorf("kernel", "width: no two of the %d points differ", n)
	}
	sort.Float64s(d)
	out := make([]float64, len(probabilities))
	for k, p := range probabilities { // linear interpolation, as numpy and R (type 7)
		at := p * float64(len(d)-1)
		i := int(at)
		out[k] = d[i]
		if i+1 < len(d) {
			out[k] += (at - float64(i)) * (d[i+1] - d[i])
		}
	}
	return out, nil
}

func checkWidthPoints(x data.Points[Vec]) error {
	if x.Len() < 2 {
		return fault.Errorf("kernel", "width: %d points, want at least 2", x.Len())
	}
	return checkFinite(data.EraseVectors(x))
}
