package density

import (
	"errors"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/smoothing"
	"gonum.org/v1/gonum/stat"
)

// SheatherJones solves h = (R(k)/(n·S(α(h))))^{1/5} for the Gaussian kernel,
// where S estimates ∫p″² with the bandwidth α(h) = 1.357·(S/T)^{1/7}·h^{5/7}
// (Sheather and Jones 1991). Distances are counted on a grid of 1000 steps, as
// R's bw.SJ(x, method = "ste") does.
func SheatherJones(x []float64) (float64, error) {
	n := float64(len(x))
	if n < 2 {
		return 0, errors.New("the Sheather-Jones rule needs at least two points")
	}
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, fmt.Errorf("value %d is %g; remove or replace it", i, v)
		}
	}
	c, ok := countDistances(x, 1000)
	if !ok {
		return 0, errors.New("all values are the same: no bandwidth follows from them")
	}
	scale := smoothing.RobustSpread(x, nil, stat.StdDev(x, nil))
	a, b := 1.24*scale*math.Pow(n, -1./7), 1.23*scale*math.Pow(n, -1./9)
	c1 := 1 / (2 * math.Sqrt(math.Pi) * n)
	td := -c.functional(b, true)
	if !(td > 0) {
		return 0, errors.New("the sample is too sparse for the Sheather-Jones rule; take silverman")
	}
	alpha := 1.357 * math.Pow(c.functional(a, false)/td, 1./7)
	gap := func(h float64) float64 {
		return math.Pow(c1/c.functional(alpha*math.Pow(h, 5./7), false), 0.2) - h
	}
	high := 1.144 * scale * math.Pow(n, -0.2)
	low := 0.1 * high
	for range 99 {
		if gap(low)*gap(high) <= 0 {
			return smoothing.Bisect(gap, low, high), nil
		}
		high *= 1.2
		low /= 1.2
	}
	return 0, errors.New("the Sheather-Jones equation has no solution here; take silverman")
}

// distanceCounts[k] is the number of pairs k grid steps apart.
type distanceCounts struct {
	step   float64
	counts []float64
	n      float64
}

func countDistances(x []float64, cells int) (distanceCounts, bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x {
		low, high = min(low, v), max(high, v)
	}
	c := distanceCounts{step: (high - low) * 1.01 / float64(cells), counts: make([]float64, cells), n: float64(len(x))}
	if !(c.step > 0) {
		return c, false
	}
	held := make([]float64, 2*cells) // cells of v/step, counted from the first
	first := math.Trunc(low / c.step)
	for _, v := range x {
		held[int(math.Trunc(v/c.step)-first)]++
	}
	for i, a := range held {
		if a == 0 {
			continue
		}
		c.counts[0] += a * (a - 1) / 2
		for j := range i {
			if b := held[j]; b != 0 && i-j < cells {
				c.counts[i-j] += a * b
			}
		}
	}
	return c, true
}

// functional estimates ∫p⁗p (sixth false) or ∫p⁽⁶⁾p with bandwidth h, from the
// fourth or sixth derivative of the Gaussian density.
func (c distanceCounts) functional(h float64, sixth bool) float64 {
	sum := 0.0
	for k, m := range c.counts {
		d := float64(k) * c.step / h
		if d *= d; d >= 1000 {
			break
		}
		term := d*d - 6*d + 3
		if sixth {
			term = d*d*d - 15*d*d + 45*d - 15
		}
		sum += math.Exp(-d/2) * term * m
	}
	if sixth {
		return (2*sum - 15*c.n) / (c.n * (c.n - 1) * math.Pow(h, 7) * math.Sqrt(2*math.Pi))
	}
	return (2*sum + 3*c.n) / (c.n * (c.n - 1) * math.Pow(h, 5) * math.Sqrt(2*math.Pi))
}
