package linalg

import (
	"math"
	"slices"
	"sync/atomic"
)

const (
	jacobiSweeps = 40
	jacobiBlock  = 16 // rows whose pairs are rotated together, in cache
)

// rotateAll rotates pairs of columns until all are orthogonal to working
// accuracy.
//
// Blocks of columns meet in the order of a round-robin tournament: in every
// round the pairs of blocks are disjoint, so they can run at once and the bits
// do not depend on how many do. A Gram matrix at the start of each sweep says
// whether anything is left, and which blocks can be passed over.
func (s *oneSided) rotateAll() error {
	tol := 4 * machineEpsilon * math.Sqrt(float64(s.n)+16)
	blocks := (s.n + jacobiBlock - 1) / jacobiBlock
	seats := blocks + blocks%2
	gram := New[float64](s.n, s.n)
	unit := New[float64](s.n, s.b.Cols)
	for range jacobiSweeps {
		if s.crew.stopped() {
			return s.crew.ctx.Err()
		}
		s.measure(0)
		for i := range s.n {
			row := unit.Row(i)
			if s.norms[i] < s.floor {
				s.norms[i] = 0
				clear(s.b.Row(i))
				clear(row)
				continue
			}
			for j, v := range s.b.Row(i) {
				row[j] = v / s.norms[i]
			}
		}
		gemm(s.crew, NoTrans, Trans, 1, unit, unit, 0, gram)
		busy := s.busyBlocks(gram, blocks, tol)
		if !slices.Contains(busy, true) {
			return nil
		}
		var rotations atomic.Int64
		meet := func(i, j int) {
			if busy[i*blocks+j] {
				rotations.Add(int64(s.rotateBlocks(i, j, tol)))
			}
		}
		s.crew.each(blocks, 1, func(i, _ int) { meet(i, i) })
		for round := range seats - 1 {
			s.crew.each(seats/2, 1, func(p, _ int) {
				i, j := seat(seats, round, p), seat(seats, round, seats-1-p)
				if max(i, j) < blocks {
					meet(max(i, j), min(i, j))
				}
			})
		}
		if rotations.Load() == 0 && !s.crew.stopped() {
			return nil
		}
	}
	return &NoConvergence{Algorithm: "singular values (one-sided Jacobi)", Index: 0, Iterations: jacobiSweeps}
}

// seat is the player at place p in a round of a tournament of n, n even:
// player 0 stays and the others move on by one place every round.
func seat(n, round, p int) int {
	if p == 0 {
		return 0
	}
	return 1 + (p-1+round)%(n-1)
}

// busyBlocks marks the pairs i ≥ j of blocks with columns that are not yet
// orthogonal. What a sweep disturbs in the others, the next sweep sees.
func (s *oneSided) busyBlocks(gram Matrix[float64], blocks int, tol float64) []bool {
	busy := make([]bool, blocks*blocks)
	for i := range s.n {
		for j, g := range gram.Row(i)[:i] {
			if math.Abs(g) > tol {
				busy[i/jacobiBlock*blocks+j/jacobiBlock] = true
			}
		}
	}
	return busy
}

// rotateBlocks rotates every pair of a row of block i and a row of block j
// (i = j: every pair within) that is not yet orthogonal, and counts them.
func (s *oneSided) rotateBlocks(i, j int, tol float64) (rotations int) {
	i1, j1 := min((i+1)*jacobiBlock, s.n), min((j+1)*jacobiBlock, s.n)
	for p := i * jacobiBlock; p < i1; p++ {
		end := j1
		if i == j {
			end = p
		}
		for q := j * jacobiBlock; q < end; q++ {
			if s.rotatePair(p, q, tol) {
				rotations++
			}
		}
	}
	return rotations
}

func (s *oneSided) rotatePair(p, q int, tol float64) bool {
	x, y := s.b.Row(p), s.b.Row(q)
	dot := dotVec(x, y)
	nx, ny := s.norms[p], s.norms[q]
	if !(math.Abs(dot) > tol*nx*ny) {
		return false
	}
	// Fresh norms: the cached ones drift with rotations.
	nx, ny = math.Sqrt(dotVec(x, x)), math.Sqrt(dotVec(y, y))
	s.norms[p], s.norms[q] = nx, ny
	if !(math.Abs(dot) > tol*nx*ny) || nx < s.floor || ny < s.floor {
		return false
	}
	// tan 2θ = 2·x·y / (‖x‖² − ‖y‖²), by the smaller angle; scaled against underflow.
	zeta := (nx/ny - ny/nx) / (2 * (dot / nx / ny))
	tan := 1 / (math.Abs(zeta) + math.Sqrt(1+zeta*zeta))
	if math.Abs(zeta) > 1e150 {
		tan = 0.5 / math.Abs(zeta)
	}
	if zeta < 0 {
		tan = -tan
	}
	c := 1 / math.Sqrt(1+tan*tan)
	sin := c * tan
	rotateVec(x, y, c, sin)
	rotateVec(s.v.Row(p), s.v.Row(q), c, sin)
	s.norms[p] = nx * math.Sqrt(max(0, 1+tan*(dot/nx/nx)))
	s.norms[q] = ny * math.Sqrt(max(0, 1-tan*(dot/ny/ny)))
	return true
}

// normalise divides the rows of b by their norms, completes those that vanished
// to an orthonormal basis, and lists the rows by descending norm.
func (s *oneSided) normalise() []int {
	s.measure(0)
	var missing []int
	for i := range s.n {
		if s.norms[i] < s.floor {
			s.norms[i] = 0
			clear(s.b.Row(i))
			missing = append(missing, i)
			continue
		}
		scaleVec(1/s.norms[i], s.b.Row(i))
	}
	// What the rows leave of each coordinate vector: 1 − Σ bᵢⱼ².
	left := make([]float64, s.b.Cols)
	for j := range left {
		left[j] = 1
	}
	remove := func(row []float64) {
		for j, v := range row {
			left[j] -= v * v
		}
	}
	for i := range s.n {
		remove(s.b.Row(i))
	}
	for _, i := range missing {
		if s.crew.stopped() {
			return nil
		}
		best := 0
		for j := range left {
			if left[j] > left[best] {
				best = j
			}
		}
		row := s.b.Row(i)
		row[best] = 1
		for range 3 {
			for k := range s.n {
				if k != i {
					axpyVec(-dotVec(s.b.Row(k), row), s.b.Row(k), row)
				}
			}
			scaleVec(1/math.Sqrt(dotVec(row, row)), row)
		}
		remove(row)
	}
	return LargestAlgebraic.ranked(s.norms)
}
