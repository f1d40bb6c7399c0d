package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// A linear map u rounds the image of a point in proportion to how far the point lies from the
// origin, and a kernel of u(x) - u(y) then has only the digits that are left: at 1e8 from the
// origin, with coordinates that differ by 1, half of them are gone. The difference itself is exact,
// or nearly so, before the map. So points that lie together far from the origin are moved there
// first: u(x) - u(y) = u(x-c) - u(y-c), whatever c is.

// far is how many times further from the origin than from each other numbers are moved; x - c is
// then exact (Sterbenz 1974).
const far = 8

// movable says that the kernel is a function of the difference of two points.
func (e embedding) movable() bool {
	return e.turns || e.linear && PropertiesOf(e.inner).Stationary == Yes
}

// origin is where the points are moved from (originOf). Nil: nowhere.
func (e embedding) origin(points data.Points[Vec]) Vec {
	if !e.movable() {
		return nil
	}
	return originOf(points)
}

// originOf is the first of some points, in those coordinates in which all lie far from the origin and
// near each other. Nil: there are none, as with points that have been scaled.
func originOf(sets ...data.Points[Vec]) Vec {
	var first Vec
	var moved []int
	for _, points := range sets {
		for i := range points.Len() {
			x, left := points.At(i), moved[:0]
			if first == nil {
				for j, v := range x {
					if v != 0 && !math.IsInf(v, 0) {
						moved = append(moved, j)
					}
				}
				first = x
				continue
			}
			if len(x) != len(first) {
				return nil
			}
			for _, j := range moved {
				if near(x[j], first[j]) {
					left = append(left, j)
				}
			}
			if moved = left; len(moved) == 0 {
				return nil
			}
		}
	}
	if len(moved) == 0 {
		return nil
	}
	c := make(Vec, len(first))
	for _, j := range moved {
		c[j] = first[j]
	}
	return c
}

// near says that two numbers differ by little beside either.
func near(v, w float64) bool {
	return far*math.Abs(v-w) <= min(math.Abs(v), math.Abs(w)) && v != 0
}

// together is two points moved to the origin, where that keeps digits; else the points as they are.
func (e embedding) together(x, y Vec) (Vec, Vec) {
	if !e.linear && !e.turns || len(x) != len(y) {
		return x, y
	}
	some := false
	for j, v := range x {
		some = some || near(v, y[j])
	}
	if !some || !e.movable() {
		return x, y
	}
	u, v := make(Vec, len(x)), make(Vec, len(x))
	for j := range x {
		if near(x[j], y[j]) {
			u[j] = x[j] - y[j]
		} else {
			u[j], v[j] = x[j], y[j]
		}
	}
	return u, v
}

// movedPair is the points of a pair moved to the origin that their columns say; ok is false where
// they stay.
func (b *builder) movedPair(e embedding, p pair[Vec], x, y linalg.Matrix[float64]) (pair[Vec], bool) {
	c := ofColumns(b, "origin"+p.key+keyOf(e), func() Vec { return e.origin(data.RowsOf(y)) })
	if c == nil || x.Cols != len(c) && x.Rows > 0 {
		return p, false
	}
	from := p.x
	p.key += "|moved"
	if done, ok := b.views[p.key]; ok { // by another map
		p.x, p.y = done.x, done.y
		return p, true
	}
	own := movedRows(x, c)
	b.repeat(func() { moveTo(own.Row(0), from.At(0), c) })
	p.x = data.RowsOf(own)
	if p.y = p.x; !p.same {
		p.y = ofColumns(b, "columns"+p.key, func() data.DenseRows { return data.RowsOf(movedRows(y, c)) })
	}
	if b.views == nil {
		b.views = map[string]pair[Vec]{}
	}
	b.views[p.key] = p
	return p, true
}

func movedRows(x linalg.Matrix[float64], c Vec) linalg.Matrix[float64] {
	out := linalg.New[float64](x.Rows, x.Cols)
	for i := range x.Rows {
		moveTo(out.Row(i), x.Row(i), c)
	}
	return out
}

func moveTo(dst, x, c Vec) {
	for j, v := range x {
		dst[j] = v - c[j]
	}
}
