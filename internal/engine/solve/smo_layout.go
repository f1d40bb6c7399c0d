package solve

// layout is the order in which points stand in Kβ and in the cached rows: the
// active ones first. Shrinking moves points behind the active prefix, a level
// at a time; Kβ of a level is as of the moment it was set aside.
type layout struct {
	order  []int // point at each position
	where  []int // position of each point
	active int
	levels []level
}

// level is the positions [lo, hi) set aside together, with the coefficients by
// point for which Kβ there is right.
type level struct {
	lo, hi int
	coef   []float64
}

func newLayout(n int) layout {
	l := layout{order: make([]int, n), where: make([]int, n), active: n}
	for i := range n {
		l.order[i], l.where[i] = i, i
	}
	return l
}

// setAside moves the positions of the active prefix for which out holds behind
// the others, keeping the order of both. It returns the moved positions.
func (l *layout) setAside(out func(point int) bool, coef []float64) []int {
	var moved, points []int
	w := 0
	for i, p := range l.order[:l.active] {
		if out(p) {
			moved, points = append(moved, i), append(points, p)
			continue
		}
		l.order[w] = p
		w++
	}
	copy(l.order[w:], points)
	for i, p := range l.order[:l.active] {
		l.where[p] = i
	}
	l.levels = append(l.levels, level{w, l.active, append([]float64(nil), coef...)})
	l.active = w
	return moved
}

// partition applies the move of setAside to a vector by position.
func partition[E any](v []E, moved []int, tmp []E) {
	if len(moved) == 0 {
		return
	}
	tmp = tmp[:0]
	w, next := moved[0], 0
	for i := moved[0]; i < len(v); i++ {
		if next < len(moved) && moved[next] == i {
			tmp = append(tmp, v[i])
			next++
			continue
		}
		v[w] = v[i]
		w++
	}
	copy(v[w:], tmp)
}
