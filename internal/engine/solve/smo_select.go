package solve

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// picker holds what the last scan over the active variables found.
type picker struct {
	violation float64
	low, high []float64 // M and m of each group
	current   []int     // the last working set, variables by group
	age       []int     // working set at which a variable entered the current one
	member    []bool    // by variable: in the current working set
	up, down  []ranked  // violators, scratch
}

// ranked is a variable with how strongly it asks to be moved.
type ranked struct {
	score float64
	t     int32
}

// workingSetSize balances the cost of a pair update inside the set, which
// grows with it, against the number of products with all rows of the set,
// which shrinks with it.
func (s *smo[F]) workingSetSize() int {
	v := len(s.q.Linear)
	size := s.o.WorkingSet
	if size <= 0 {
		size = min(max(v/8, smallWorkingSet), largeWorkingSet)
	}
	// The block of the set takes its square.
	square := int(math.Sqrt(float64(s.o.Bytes / workShare / 4 / sizeOf[F]())))
	size = min(size, v, s.rows.capacity(s.n)-1, square)
	return max(size, min(2, v))
}

// Measured best for machines of 1,500 points, and for 16,000 variables and more.
const (
	smallWorkingSet = 128
	largeWorkingSet = 512
)

// scan finds m and M of each group over the active variables.
func (s *smo[F]) scan() {
	p := &s.pick
	if p.low == nil {
		p.low, p.high = make([]float64, s.q.Groups), make([]float64, s.q.Groups)
		p.age, p.member = make([]int, len(s.q.Linear)), make([]bool, len(s.q.Linear))
	}
	for g := range p.low {
		p.low[g], p.high[g] = math.Inf(1), math.Inf(-1)
	}
	var mu sync.Mutex // the largest of all is the same in whatever order pieces end
	par.For(s.o.Threads, s.layout.active, scanPiece, func(lo, hi int) {
		low, high := s.extremes(lo, hi)
		mu.Lock()
		defer mu.Unlock()
		for g := range p.low {
			p.low[g], p.high[g] = min(p.low[g], low[g]), max(p.high[g], high[g])
		}
	})
	p.violation = math.Inf(-1)
	for g := range p.low {
		p.violation = max(p.violation, p.high[g]-p.low[g])
	}
}

// extremes is M and m of each group over the positions [lo, hi).
func (s *smo[F]) extremes(lo, hi int) (low, high []float64) {
	low, high = make([]float64, s.q.Groups), make([]float64, s.q.Groups)
	for g := range low {
		low[g], high[g] = math.Inf(1), math.Inf(-1)
	}
	for i := lo; i < hi; i++ {
		f := s.f[i]
		for _, t := range s.vars[s.layout.order[i]] {
			if t < 0 {
				break
			}
			z, g := s.q.Linear[t]-f, s.group(int(t))
			b := s.beta[t]
			if b < s.q.Upper[t] && z > high[g] {
				high[g] = z
			}
			if b > s.q.Lower[t] && z < low[g] {
				low[g] = z
			}
		}
	}
	return low, high
}

// chooseWorkingSet picks at most size variables, ordered by group: the worst
// violators, half of them to be raised and half to be lowered, and for the
// other half of the places what the last set held, free variables and newcomers first.
func (s *smo[F]) chooseWorkingSet(size int) []int {
	p := &s.pick
	fresh := size
	if len(p.current) > 0 {
		fresh = max(size/2, 2)
	}
	s.violators(fresh - fresh/2)
	next := make([]int, 0, size)
	chosen := make(map[int32]bool, size)
	take := func(from []ranked) {
		for _, r := range from {
			if !chosen[r.t] {
				chosen[r.t] = true
				next = append(next, int(r.t))
			}
		}
	}
	var side [2][]ranked
	par.For(s.o.Threads, 2, 1, func(i, _ int) {
		if i == 0 {
			side[i] = worst(p.up, fresh/2)
		} else {
			side[i] = worst(p.down, fresh-fresh/2)
		}
	})
	take(side[0])
	take(side[1])
	entered := s.res.WorkingSets + 1
	for _, t := range next {
		if !p.member[t] {
			p.age[t] = entered
		}
	}
	// Of the last set keep the free variables and the latest arrivals.
	var kept []ranked
	for _, t := range p.current {
		p.member[t] = false
		if chosen[int32(t)] || s.layout.where[s.point(t)] >= s.layout.active {
			continue
		}
		score := float64(p.age[t])
		if b := s.beta[t]; b > s.q.Lower[t] && b < s.q.Upper[t] {
			score += 1e9
		}
		kept = append(kept, ranked{score, int32(t)})
	}
	take(worst(kept, size-len(next)))
	p.current = s.byGroup(next)
	for _, t := range next {
		p.member[t] = true
	}
	return p.current
}

// scanPiece is how many points are looked at in one go.
const scanPiece = 2048

// violators lists the variables that take part in some violating pair, by how
// much they ask to be moved: of each piece those among which the count worst of all are.
func (s *smo[F]) violators(count int) {
	p, active := &s.pick, s.layout.active
	type piece struct{ up, down []ranked }
	pieces := make([]piece, (active+scanPiece-1)/scanPiece)
	par.For(s.o.Threads, active, scanPiece, func(lo, hi int) {
		var out piece
		for i := lo; i < hi; i++ {
			f := s.f[i]
			for _, t := range s.vars[s.layout.order[i]] {
				if t < 0 {
					break
				}
				z, g := s.q.Linear[t]-f, s.group(int(t))
				b := s.beta[t]
				if b < s.q.Upper[t] && z > p.low[g] {
					out.up = append(out.up, ranked{z - p.low[g], t})
				}
				if b > s.q.Lower[t] && z < p.high[g] {
					out.down = append(out.down, ranked{p.high[g] - z, t})
				}
			}
		}
		pieces[lo/scanPiece] = piece{worst(out.up, count), worst(out.down, count)}
	})
	p.up, p.down = p.up[:0], p.down[:0]
	for _, q := range pieces {
		p.up, p.down = append(p.up, q.up...), append(p.down, q.down...)
	}
}

// byGroup sorts the working set by group and, inside each, by where its points
// stand, so that entries are read along the rows.
func (s *smo[F]) byGroup(set []int) []int {
	slices.SortFunc(set, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.group(a), s.group(b)), cmp.Compare(s.layout.where[s.point(a)],
			s.layout.where[s.point(b)]), cmp.Compare(a, b))
	})
	return set
}

// worst moves the count highest scores to the front and returns them, in no
// particular but reproducible order: quickselect with ties by variable.
func worst(r []ranked, count int) []ranked {
	if count <= 0 {
		return nil
	}
	if count >= len(r) {
		return r
	}
	before := func(a, b ranked) bool { return a.score > b.score || a.score == b.score && a.t < b.t }
	lo, hi := 0, len(r)-1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if before(r[mid], r[lo]) {
			r[mid], r[lo] = r[lo], r[mid]
		}
		if before(r[hi], r[lo]) {
			r[hi], r[lo] = r[lo], r[hi]
		}
		if before(r[hi], r[mid]) {
			r[hi], r[mid] = r[mid], r[hi]
		}
		pivot := r[mid]
		i, j := lo, hi
		for i <= j {
			for before(r[i], pivot) {
				i++
			}
			for before(pivot, r[j]) {
				j--
			}
			if i <= j {
				r[i], r[j] = r[j], r[i]
				i++
				j--
			}
		}
		switch {
		case count-1 <= j:
			hi = j
		case count-1 >= i:
			lo = i
		default:
			return r[:count]
		}
	}
	return r[:count]
}
