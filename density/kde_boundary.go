package density

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

func (c KDE) checkBounds(d int) error {
	if c.Lower == nil && c.Upper == nil {
		return nil
	}
	if c.Lower != nil && len(c.Lower) != d || c.Upper != nil && len(c.Upper) != d {
		return fmt.Errorf("%d Lower and %d Upper bounds for %d columns", len(c.Lower), len(c.Upper), d)
	}
	if c.Boundary != BoundaryReflect && c.Boundary != BoundaryRenormalise {
		return fmt.Errorf("there is no boundary correction %d", c.Boundary)
	}
	if c.Boundary == BoundaryRenormalise && d > 1 && !c.Product && c.Smoother != Gaussian {
		return fmt.Errorf("BoundaryRenormalise in %d columns needs the product form: set Product", d)
	}
	if c.Boundary == BoundaryRenormalise && c.Adaptive != 0 {
		return fmt.Errorf("BoundaryRenormalise is for one width; use BoundaryReflect with Adaptive")
	}
	for j := range d {
		lo, hi := c.bound(j)
		if !(lo < hi) {
			return fmt.Errorf("column %d is bounded by [%g, %g], which is empty", j, lo, hi)
		}
	}
	return nil
}

// bound is the support of column j.
func (c KDE) bound(j int) (lo, hi float64) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if c.Lower != nil {
		lo = c.Lower[j]
	}
	if c.Upper != nil {
		hi = c.Upper[j]
	}
	return lo, hi
}

func (c KDE) bounded() bool { return c.Lower != nil || c.Upper != nil }

// inBounds refuses points outside the support.
func (m *KDEModel) inBounds() error {
	for i := range m.x.Rows {
		for j, v := range m.x.Row(i) {
			if lo, hi := m.config.bound(j); v < lo || v > hi {
				return fmt.Errorf("row %d, column %d is %g, outside [%g, %g]", i, j, v, lo, hi)
			}
		}
	}
	return nil
}

// image is v ↦ sign·v + shift, a mirror image of one coordinate.
type image struct{ sign, shift float64 }

// makeImages lists for each column the mirror images of a query that are in
// reach of the kernels; by symmetry they stand for images of the points.
func (m *KDEModel) makeImages() [][]image {
	if !m.config.bounded() || m.config.Boundary != BoundaryReflect {
		return nil
	}
	widest := 1.0
	for _, s := range m.scales {
		widest = max(widest, s)
	}
	reach := 1.0
	switch m.config.Smoother {
	case Gaussian:
		reach = 9
	case Logistic, Exponential:
		reach = 40
	}
	all := make([][]image, m.x.Cols)
	for j := range all {
		lo, hi := m.config.bound(j)
		list := []image{{1, 0}}
		switch {
		case math.IsInf(lo, -1) && math.IsInf(hi, 1):
		case math.IsInf(hi, 1):
			list = append(list, image{-1, 2 * lo})
		case math.IsInf(lo, -1):
			list = append(list, image{-1, 2 * hi})
		default:
			// Two mirrors: shifts by 2k(hi-lo) of the point and of its image.
			period := 2 * (hi - lo)
			rounds := min(int(reach*widest*m.metric.Widths[j]/period)+1, 64)
			list = append(list, image{-1, 2 * lo})
			for r := 1; r <= rounds; r++ {
				for _, s := range []float64{float64(r) * period, -float64(r) * period} {
					list = append(list, image{1, s}, image{-1, 2*lo + s})
				}
			}
		}
		all[j] = list
	}
	return all
}

// correctedLogDensity evaluates with the boundary correction.
func (m *KDEModel) correctedLogDensity(ctx context.Context, dst []float64, q linalg.Matrix[float64]) error {
	if !m.config.bounded() {
		return m.logDensityOf(ctx, dst, q)
	}
	if m.config.Boundary == BoundaryRenormalise {
		if err := m.logDensityOf(ctx, dst, q); err != nil {
			return err
		}
		for i := range dst {
			if m.outside(q.Row(i)) {
				dst[i] = math.Inf(-1)
			} else {
				dst[i] -= math.Log(m.insideMass(q.Row(i)))
			}
		}
		return nil
	}
	return m.reflected(ctx, dst, q)
}

func (m *KDEModel) outside(x []float64) bool {
	for j, v := range x {
		if lo, hi := m.config.bound(j); v < lo || v > hi {
			return true
		}
	}
	return false
}

// insideMass is the mass inside the support of a kernel centred at x.
func (m *KDEModel) insideMass(x []float64) float64 {
	p := 1.0
	for j, v := range x {
		lo, hi := m.config.bound(j)
		s := m.config.Smoother
		p *= s.CDF((hi-v)/m.metric.Widths[j]) - s.CDF((lo-v)/m.metric.Widths[j])
	}
	return p
}

// reflected sums over the images of each query, one combination of the
// columns' images at a time.
func (m *KDEModel) reflected(ctx context.Context, dst []float64, q linalg.Matrix[float64]) error {
	for i := range dst {
		dst[i] = math.Inf(-1)
	}
	part, moved := make([]float64, q.Rows), linalg.New[float64](q.Rows, q.Cols)
	at := make([]int, q.Cols)
	for {
		for i := range q.Rows {
			for j, v := range q.Row(i) {
				im := m.images[j][at[j]]
				moved.Row(i)[j] = im.sign*v + im.shift
			}
		}
		if err := m.logDensityOf(ctx, part, moved); err != nil {
			return err
		}
		for i, v := range part {
			dst[i] = logAdd(dst[i], v)
		}
		j := 0
		for ; j < len(at); j++ {
			if at[j]++; at[j] < len(m.images[j]) {
				break
			}
			at[j] = 0
		}
		if j == len(at) {
			break
		}
	}
	for i := range dst {
		if m.outside(q.Row(i)) {
			dst[i] = math.Inf(-1)
		}
	}
	return nil
}

// logAdd is log(eᵃ + eᵇ).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// acceptDraw brings a draw into the support by mirrors, or accepts it with the
// probability that makes the draws follow the renormalised density: 1/mass(x)
// beside its largest value, which a corner has.
func (m *KDEModel) acceptDraw(x []float64, rng *rand.Rand) bool {
	if !m.config.bounded() {
		return true
	}
	if m.config.Boundary == BoundaryReflect {
		for j, v := range x {
			x[j] = fold(v, j, m.config)
		}
		return true
	}
	return !m.outside(x) && rng.Float64()*m.insideMass(x) <= m.cornerMass()
}

// cornerMass is the least insideMass, that of a corner of the support.
func (m *KDEModel) cornerMass() float64 {
	corner := 1.0
	for j := range m.x.Cols {
		lo, hi := m.config.bound(j)
		if !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			corner *= m.config.Smoother.CDF((hi-lo)/m.metric.Widths[j]) - 0.5
		}
	}
	return corner
}

// logBoundaryShare is the log of what a single sum may use of the absolute
// Tolerance: images add their errors, and renormalising enlarges them.
func (m *KDEModel) logBoundaryShare() float64 {
	if !m.config.bounded() {
		return 0
	}
	if m.config.Boundary == BoundaryRenormalise {
		return math.Log(m.cornerMass())
	}
	s := 0.0
	for _, list := range m.images {
		s -= math.Log(float64(len(list)))
	}
	return s
}

// fold mirrors v into the support of column j.
func fold(v float64, j int, c KDE) float64 {
	lo, hi := c.bound(j)
	if !math.IsInf(lo, -1) && !math.IsInf(hi, 1) {
		period := 2 * (hi - lo)
		v = math.Mod(v-lo, period)
		if v < 0 {
			v += period
		}
		return lo + min(v, period-v)
	}
	if v < lo {
		v = 2*lo - v
	}
	if v > hi {
		v = 2*hi - v
	}
	return v
}
