package discrete

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// PyramidMatch counts the points of two sets that fall together into the cells of grids, from fine
// to coarse, each pair by the finest cell that holds both,
//
//	k(X, Y) = Σ_{i=0}^{L} wᵢ·(Iᵢ - Iᵢ₋₁),   wᵢ = 2⁻ⁱ,
//	Iᵢ = Σ over cells of side s·2ⁱ of min(points of X there, points of Y there),   I₋₁ = 0,
//
// s = Side (1 when zero), L = Levels, cells counted from Origin (zeros when nil). It approximates
// the best one-to-one matching, a pair at distance d worth about 1/d; a value takes time linear in
// the number of points (Grauman & Darrell, The pyramid match kernel: discriminative classification
// with sets of image features, ICCV 2005; JMLR 8, 2007). Since the weights decrease it is a sum of
// histogram intersections with positive weights, and hence positive semi-definite. Published
// pyramids end in one cell for all (NewPyramidMatch); kernels of several origins are added with
// kernel.Sum. An empty set has k(∅, Y) = 0.
type PyramidMatch struct {
	Side   float64
	Levels int
	Origin kernel.Vec
}

// NewPyramidMatch is the pyramid whose coarsest cell holds all points of x: with D the greatest
// extent of a coordinate in units of side, L = ⌈log₂ D⌉ or one more, counted from the least
// coordinates.
func NewPyramidMatch(x data.Points[[]kernel.Vec], side float64) (PyramidMatch, error) {
	k := PyramidMatch{Side: side}
	if err := k.Validate(); err != nil {
		return k, err
	}
	if err := k.CheckPoints(x); err != nil {
		return k, err
	}
	var low, high kernel.Vec
	for i := range x.Len() {
		for _, p := range x.At(i) {
			if low == nil {
				low, high = append(low, p...), append(high, p...)
			}
			for c, v := range p {
				low[c], high[c] = min(low[c], v), max(high[c], v)
			}
		}
	}
	k.Origin = low
	for c := range low {
		for cell(high[c]-low[c], 1/field.Or(side, 1))>>k.Levels != 0 {
			k.Levels++
		}
	}
	return k, nil
}

// Name is "pyramid".
func (PyramidMatch) Name() string { return "pyramid" }

// Eval returns the weighted number of matches.
func (k PyramidMatch) Eval(x, y []kernel.Vec) float64 {
	g := newGrids(k)
	return k.match(g.pyramid(x), g.pyramid(y))
}

// PreparePoints finds the cells of each set once.
func (k PyramidMatch) PreparePoints(ctx context.Context, x, y data.Points[[]kernel.Vec]) kernel.Rectangle {
	columns := kernel.Kept(ctx, y, func() *filledGrids {
		g := newGrids(k)
		return &filledGrids{g, g.pyramids(ctx, y)}
	})
	u, v := columns.pyramids, columns.pyramids
	if !kernel.SamePoints(x, y) {
		u = columns.grids.next().pyramids(ctx, x)
	}
	return kernel.PairsOf(ctx, u, v, k.match)
}

// match adds up the levels: Σ wᵢ(Iᵢ - Iᵢ₋₁), the counts exact whole numbers.
func (k PyramidMatch) match(x, y pyramid) float64 {
	sum, weight, before := 0.0, 1.0, 0
	for level := range x {
		met := intersection(x[level], y[level])
		sum += weight * float64(met-before)
		weight, before = weight/2, met
	}
	return sum
}

// EachFeature adds for the c-th point of a cell what its level counts, Σ w·min(m, n) being a sum over
// c of w·[c ≤ m]·[c ≤ n].
func (k PyramidMatch) EachFeature(x []kernel.Vec, add func(name string, value float64)) {
	scale, weight := 1/field.Or(k.Side, 1), 1.0
	for level := 0; level <= k.Levels; level++ {
		own := weight // wᵢ - wᵢ₊₁, of the last level wᵢ
		if level < k.Levels {
			own = weight / 2
		}
		counts := map[string]int{}
		for _, p := range x {
			cells := make([]int64, len(p))
			for c, v := range p {
				if k.Origin != nil {
					v -= k.Origin[c]
				}
				cells[c] = cell(v, scale) >> level
			}
			name := fmt.Sprint(level, cells)
			counts[name]++
			add(name+"#"+strconv.Itoa(counts[name]), math.Sqrt(own))
		}
		weight /= 2
	}
}

// Params is L. The side is none: values jump where it moves the border of a cell over a point.
func (k PyramidMatch) Params() []kernel.Param {
	return []kernel.Param{field.Count("pyramid.levels", k.Levels, 0)}
}

// With sets L.
func (k PyramidMatch) With(theta []float64) kernel.Kernel[[]kernel.Vec] {
	return PyramidMatch{k.Side, int(theta[0]), k.Origin}
}

// Validate refuses s < 0, L < 0 and more levels than a number has digits.
func (k PyramidMatch) Validate() error {
	if k.Levels < 0 || k.Levels > maxLevels {
		return fmt.Errorf("kernel: pyramid: levels = %d, want 0 to %d", k.Levels, maxLevels)
	}
	for c, v := range k.Origin {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("kernel: pyramid: origin[%d] = %g, want a finite number", c, v)
		}
	}
	return field.MustBePositive("pyramid", "side", k.Side)
}

// CheckPoints refuses coordinates that are no finite numbers or too far out for cells of the finest
// side, and points of different dimensions.
func (k PyramidMatch) CheckPoints(x data.Points[[]kernel.Vec]) error {
	dim, side := -1, field.Or(k.Side, 1)
	if k.Origin != nil {
		dim = len(k.Origin)
	}
	for i := range x.Len() {
		for j, p := range x.At(i) {
			if dim < 0 {
				dim = len(p)
			}
			if len(p) != dim {
				return fmt.Errorf("kernel: pyramid: row %d, point %d has %d coordinates, want %d", i, j, len(p), dim)
			}
			for c, v := range p {
				if k.Origin != nil {
					v -= k.Origin[c]
				}
				if !(math.Abs(v/side) < 1<<maxLevels) {
					return fmt.Errorf("kernel: pyramid: row %d, point %d, column %d is %g: cells of side %g do not reach there", i, j,
						c, p[c], side)
				}
			}
		}
	}
	return nil
}

// Properties of the pyramid match: points in one finest cell are alike to it.
func (PyramidMatch) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	p.Strict = kernel.No
	return p
}
