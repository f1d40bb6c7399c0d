package smoothing

// Neighbour is a place of a tree and its squared distance.
type Neighbour struct {
	Place int
	D2    float64
}

// Nearest finds the k points closest to q, nearest first; ties go to the
// smaller row number. room is storage to use again.
func (t *Tree) Nearest(q []float64, k int, room []Neighbour) []Neighbour {
	s := neighbourSearch{t: t, q: q, k: min(k, t.N), best: room[:0]}
	if s.k > 0 {
		s.visit(0)
	}
	return s.best
}

// neighbourSearch keeps the best k so far, sorted: k is small.
type neighbourSearch struct {
	t    *Tree
	q    []float64
	k    int
	best []Neighbour
}

func (s *neighbourSearch) visit(node int) {
	n := s.t.nodes[node]
	if n.leaf() {
		for p := n.lo; p < n.hi; p++ {
			d2 := 0.0
			for j, v := range s.q {
				d := s.t.cols[j][p] - v
				d2 += d * d
			}
			s.offer(Neighbour{p, d2})
		}
		return
	}
	near, far := n.left, n.right
	gapNear, gapFar := s.t.gap(near, s.q), s.t.gap(far, s.q)
	if gapFar < gapNear {
		near, far, gapNear, gapFar = far, near, gapFar, gapNear
	}
	if s.open(gapNear) {
		s.visit(near)
	}
	if s.open(gapFar) {
		s.visit(far)
	}
}

// open says whether a box at this squared distance may hold a better point.
func (s *neighbourSearch) open(gap float64) bool {
	return len(s.best) < s.k || gap <= s.best[len(s.best)-1].D2
}

func (s *neighbourSearch) offer(c Neighbour) {
	before := func(a, b Neighbour) bool {
		return a.D2 < b.D2 || a.D2 == b.D2 && s.t.Index[a.Place] < s.t.Index[b.Place]
	}
	if len(s.best) == s.k && !before(c, s.best[len(s.best)-1]) {
		return
	}
	if len(s.best) < s.k {
		s.best = append(s.best, c)
	}
	i := len(s.best) - 1
	for ; i > 0 && before(c, s.best[i-1]); i-- {
		s.best[i] = s.best[i-1]
	}
	s.best[i] = c
}
