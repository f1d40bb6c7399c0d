package kernel

import "math"

// Metric names a number that depends on a pair of vectors and that the engine
// computes fast for many pairs at once, on dense and on sparse rows.
type Metric int

// The metrics.
const (
	Inner     Metric = iota // ⟨x, y⟩
	SqDist                  // ‖x-y‖²
	L1Dist                  // Σ|xᵢ-yᵢ|
	ChiSqDist               // Σ(xᵢ-yᵢ)²/(xᵢ+yᵢ), entries ≥ 0, 0/0 = 0
	MinSum                  // Σ min(xᵢ, yᵢ), entries ≥ 0
)

// String names the metric.
func (m Metric) String() string {
	switch m {
	case Inner:
		return "inner product"
	case SqDist:
		return "squared distance"
	case L1Dist:
		return "L1 distance"
	case ChiSqDist:
		return "chi-squared distance"
	case MinSum:
		return "histogram intersection"
	}
	return "unknown metric"
}

// Between computes the metric for one pair. It is the meaning of the fast
// paths and the oracle of their tests.
func (m Metric) Between(x, y Vec) float64 {
	s := 0.0
	y = y[:len(x)]
	switch m {
	case Inner:
		for i, v := range x {
			s += v * y[i]
		}
	case SqDist:
		for i, v := range x {
			d := v - y[i]
			s += d * d
		}
	case L1Dist:
		for i, v := range x {
			s += math.Abs(v - y[i])
		}
	case ChiSqDist:
		for i, v := range x {
			if t := v + y[i]; t != 0 {
				d := v - y[i]
				s += d * d / t
			}
		}
	case MinSum:
		for i, v := range x {
			s += min(v, y[i])
		}
	default:
		panic("kernel: " + m.String())
	}
	return s
}

// gradient adds slope·∂m(x, y)/∂x to dst. At a kink it is the mean of the derivatives from both
// sides: 0 for |x-y|, ½ for min(x, y), so that twice the derivative by the first argument is that
// of m(x, x).
func (m Metric) gradient(dst Vec, slope float64, x, y Vec) {
	for i, v := range x {
		w := y[i]
		switch m {
		case Inner:
			dst[i] += slope * w
		case SqDist:
			if v != w {
				dst[i] += slope * 2 * (v - w)
			}
		case L1Dist:
			if v > w {
				dst[i] += slope
			} else if v < w {
				dst[i] -= slope
			}
		case ChiSqDist:
			if t := v + w; t != 0 {
				q := w / t
				dst[i] += slope * (1 - 4*q*q)
			}
		case MinSum:
			if v < w {
				dst[i] += slope
			} else if v == w {
				dst[i] += slope / 2
			}
		}
	}
}
