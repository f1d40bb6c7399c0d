package svmtool

import (
	"context"
	"io"
	"math"
)

// pathQP is the dual of one machine in LIBSVM's form: minimise ½αᵀQα + pᵀα
// over 0 ≤ α ≤ C with yᵀα fixed, Qₛₜ = yₛyₜK. Its variables are kept in the
// order of the search: those that shrinking has set aside stand last.
//
// Every sum is taken in LIBSVM's order and products are rounded before they are
// added (the conversions keep a compiler from fusing them), since the path of
// the search depends on the last bit wherever two rows are alike.
type pathQP struct {
	k     *pathKernel
	point []int32 // row of the kernel matrix of each variable
	y     []float64
	p     []float64
	c     []float64
	alpha []float64
	diag  []float64

	nu     bool // the sum of the variables of each sign is fixed, too
	shrink bool
	log    io.Writer

	grad   []float64
	bar    []float64 // what variables at their upper bound contribute to grad
	state  []bound
	place  []int32 // where a variable stood at first
	active int     // variables [0, active) take part
	whole  bool    // shrinking was undone once, near the end

	iterations int
	steps      *int // left before the path is given up; nil: no limit
	startRows  int  // rows that the start takes
	exhausted  bool // the limit of iterations was reached
	rho        float64
	r          float64 // of the ν machines: the margin, or minus the tube
	objective  float64
}

// bound says where in its box a variable is.
type bound uint8

const (
	free bound = iota
	lower
	upper
)

const tau = 1e-12 // stands for a curvature that is not positive

// add appends a variable.
func (s *pathQP) add(point int, y, linear, c, alpha float64) {
	s.point, s.y, s.p = append(s.point, int32(point)), append(s.y, y), append(s.p, linear)
	s.c, s.alpha = append(s.c, c), append(s.alpha, alpha)
}

// solve runs sequential minimal optimisation (Platt 1998) with the choice of
// pairs by second-order information of Fan, Chen and Lin (JMLR 6, 2005) and the
// shrinking of Chang and Lin (LIBSVM, ACM TIST 2, 2011, section 5.1). It writes
// a dot for each round of iterations and a star each time that all variables
// are looked at again.
func (s *pathQP) solve(ctx context.Context, eps float64) error {
	if s.longStart() {
		return errLongPath
	}
	s.start()
	n := len(s.y)
	limit := max(10_000_000, 100*n)
	round := min(n, 1000) + 1
	for s.iterations < limit {
		if s.iterations%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if round--; round == 0 {
			round = min(n, 1000)
			if s.shrink {
				s.setAside(eps)
			}
			io.WriteString(s.log, ".")
		}
		i, j := s.choosePair(eps)
		if j < 0 {
			s.restore()
			s.active = n
			io.WriteString(s.log, "*")
			if i, j = s.choosePair(eps); j < 0 {
				break
			}
			round = 1 // shrink again at the next iteration
		}
		if s.steps != nil {
			if *s.steps--; *s.steps < 0 || s.standsStill() {
				return errLongPath
			}
		}
		s.iterations++
		s.step(i, j)
	}
	s.exhausted = s.iterations >= limit
	if s.exhausted && s.active < n {
		s.restore()
		s.active = n
		io.WriteString(s.log, "*")
	}
	s.finish()
	if math.IsNaN(s.objective) || math.IsInf(s.objective, 0) { // LIBSVM goes on, and writes a model of what is no number
		return errBeyond
	}
	return nil
}

// start computes the gradient at the first point.
func (s *pathQP) start() {
	n := len(s.y)
	s.grad, s.bar = append([]float64(nil), s.p...), make([]float64, n)
	s.diag, s.state, s.place, s.active = make([]float64, n), make([]bound, n), make([]int32, n), n
	for t := range s.alpha {
		s.diag[t], s.place[t] = s.k.diag[s.point[t]], int32(t)
		s.settle(t)
	}
	for t, a := range s.alpha {
		if s.state[t] == lower {
			continue
		}
		s.addRow(s.grad, 0, n, t, a)
		if s.state[t] == upper {
			s.addRow(s.bar, 0, n, t, s.c[t])
		}
	}
}

// settle notes where in its box variable t is.
func (s *pathQP) settle(t int) {
	switch a := s.alpha[t]; {
	case a >= s.c[t]:
		s.state[t] = upper
	case a <= 0:
		s.state[t] = lower
	default:
		s.state[t] = free
	}
}

// addRow adds change·Q[t] to dst, for variables [lo, hi).
func (s *pathQP) addRow(dst []float64, lo, hi, t int, change float64) {
	row, scaled := s.k.row(int(s.point[t])), change*s.y[t]
	point, y := s.point[:hi], s.y[:hi]
	for v := lo; v < hi; v++ {
		dst[v] += float64(scaled * (y[v] * float64(row[point[v]])))
	}
}

func (s *pathQP) choosePair(eps float64) (i, j int) {
	if s.nu {
		return s.chooseNu(eps)
	}
	return s.choose(eps)
}

// choose returns the pair to move, or j = -1 when the violation is below eps.
// Ties go to the variable that stands last.
func (s *pathQP) choose(eps float64) (i, j int) {
	i, j = -1, -1
	n := s.active
	y, grad, state, point, diag := s.y[:n], s.grad[:n], s.state[:n], s.point[:n], s.diag[:n]
	high := math.Inf(-1)
	for t, y := range y {
		if y > 0 {
			if state[t] != upper && -grad[t] >= high {
				high, i = -grad[t], t
			}
		} else if state[t] != lower && grad[t] >= high {
			high, i = grad[t], t
		}
	}
	if i < 0 {
		return i, j
	}
	row, own := s.k.row(int(point[i])), diag[i]
	low, best := math.Inf(-1), math.Inf(1)
	for t, y := range y {
		if y > 0 && state[t] == lower || y < 0 && state[t] == upper {
			continue
		}
		value := y * grad[t]
		if value >= low {
			low = value
		}
		gap := high + value
		if gap <= 0 {
			continue
		}
		curve := own + diag[t] - 2*float64(row[point[t]])
		if curve <= 0 {
			curve = tau
		}
		if gain := -float64(gap*gap) / curve; gain <= best {
			best, j = gain, t
		}
	}
	if high+low < eps {
		return i, -1
	}
	return i, j
}

// step solves for two variables, keeps them in their box, and updates the
// gradient.
func (s *pathQP) step(i, j int) {
	rowI, rowJ := s.k.row(int(s.point[i])), s.k.row(int(s.point[j]))
	curve := s.diag[i] + s.diag[j] - 2*float64(rowI[s.point[j]])
	if curve <= 0 {
		curve = tau
	}
	a, b := s.alpha[i], s.alpha[j]
	if s.y[i] != s.y[j] {
		s.alpha[i], s.alpha[j] = boxDifference(a, b, (-s.grad[i]-s.grad[j])/curve, s.c[i], s.c[j])
	} else {
		s.alpha[i], s.alpha[j] = boxSum(a, b, (s.grad[i]-s.grad[j])/curve, s.c[i], s.c[j])
	}
	da, db := s.y[i]*(s.alpha[i]-a), s.y[j]*(s.alpha[j]-b)
	n := s.active
	grad, point, y := s.grad[:n], s.point[:n], s.y[:n]
	for t := range grad {
		p := point[t]
		grad[t] += y[t] * (float64(float64(rowI[p])*da) + float64(float64(rowJ[p])*db))
	}
	for _, t := range [2]int{i, j} {
		was := s.state[t]
		if s.settle(t); (was == upper) == (s.state[t] == upper) {
			continue
		}
		c := s.c[t]
		if was == upper {
			c = -c
		}
		s.addRow(s.bar, 0, len(s.y), t, c)
	}
}

// boxDifference moves both variables of a pair of unlike signs by delta, with
// their difference fixed, as far as the box allows.
func boxDifference(a, b, delta, ci, cj float64) (x, z float64) {
	diff := a - b
	x, z = a+delta, b+delta
	if diff > 0 {
		if z < 0 {
			x, z = diff, 0
		}
	} else if x < 0 {
		x, z = 0, -diff
	}
	if diff > ci-cj {
		if x > ci {
			x, z = ci, ci-diff
		}
	} else if z > cj {
		x, z = cj+diff, cj
	}
	return x, z
}

// boxSum moves a pair of like signs in opposite directions, with their sum
// fixed.
func boxSum(a, b, delta, ci, cj float64) (x, z float64) {
	sum := a + b
	x, z = a-delta, b+delta
	if sum > ci {
		if x > ci {
			x, z = ci, sum-ci
		}
	} else if z < 0 {
		x, z = sum, 0
	}
	if sum > cj {
		if z > cj {
			x, z = sum-cj, cj
		}
	} else if x < 0 {
		x, z = 0, sum
	}
	return x, z
}

// finish finds the threshold and the objective, and puts the variables back
// into their places.
func (s *pathQP) finish() {
	if s.nu {
		s.thresholdsNu()
	} else {
		s.rho = s.threshold()
	}
	alpha := make([]float64, len(s.alpha))
	y, c, point := make([]float64, len(alpha)), make([]float64, len(alpha)), make([]int32, len(alpha))
	for t, a := range s.alpha {
		s.objective += float64(a * (s.grad[t] + s.p[t]))
		at := s.place[t]
		alpha[at], y[at], c[at], point[at] = a, s.y[t], s.c[t], s.point[t]
	}
	s.objective /= 2
	s.alpha, s.y, s.c, s.point = alpha, y, c, point
}

// threshold is the mean of y·grad over variables inside their box, or the
// middle of what the others allow.
func (s *pathQP) threshold() float64 {
	least, most, sum, inside := math.Inf(1), math.Inf(-1), 0.0, 0
	for t, y := range s.y {
		v := y * s.grad[t]
		switch {
		case s.state[t] == free:
			inside++
			sum += v
		case (s.state[t] == upper) == (y < 0):
			least = min(least, v)
		default:
			most = max(most, v)
		}
	}
	if inside > 0 {
		return sum / float64(inside)
	}
	return (least + most) / 2
}
