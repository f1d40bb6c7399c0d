package svmtool

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"gonum.org/v1/gonum/mat"
)

// mostPath is the most rows for which problems are solved one pair of
// variables at a time, in the order LIBSVM takes them. Two solutions at the
// same tolerance differ by it, and now and then a test row lies in between (one
// does in a1a.t): on the same path the digits are the same. Larger problems go
// to mercer's own solver, which is faster and as exact.
const mostPath = 4000

// pathQP is the dual of one machine in LIBSVM's form: minimise ½αᵀQα + pᵀα
// over 0 ≤ α ≤ C with yᵀα fixed, Qₛₜ = yₛyₜK.
type pathQP struct {
	k     *pathKernel
	point []int // row of the kernel matrix of each variable
	y     []float64
	p     []float64
	c     []float64
	alpha []float64
	grad  []float64

	nu bool // the sum of the variables of each sign is fixed, too

	iterations int
	rho        float64
	r          float64 // of the ν machines: the margin, or minus the tube
	objective  float64
}

// pathKernel keeps rows of the kernel matrix as LIBSVM does, in single precision.
type pathKernel struct {
	g    gram.Accessor
	diag []float64
	rows [][]float32
	wide []float64
}

func newPathKernel[T any](p problem[T]) (*pathKernel, error) {
	g, err := gram.New(p.k, p.x, gram.Options{})
	if err != nil {
		return nil, err
	}
	n := p.x.Len()
	k := &pathKernel{g: g, diag: make([]float64, n), rows: make([][]float32, n), wide: make([]float64, n)}
	g.Diag(k.diag)
	return k, nil
}

func (k *pathKernel) row(i int) []float32 {
	if k.rows[i] == nil {
		k.g.Row(k.wide, i)
		k.rows[i] = make([]float32, len(k.wide))
		for j, v := range k.wide {
			k.rows[i][j] = float32(v)
		}
	}
	return k.rows[i]
}

const tau = 1e-12 // stands for a curvature that is not positive

// solve runs sequential minimal optimisation (Platt 1998) with the choice of
// pairs by second-order information of Fan, Chen and Lin (JMLR 6, 2005); ties
// go to the variable that stands last.
func (s *pathQP) solve(ctx context.Context, eps float64) error {
	n := len(s.y)
	s.grad = append([]float64(nil), s.p...)
	for t, a := range s.alpha {
		if a != 0 {
			s.move(t, a)
		}
	}
	limit := max(10_000_000, 100*n)
	for ; s.iterations < limit; s.iterations++ {
		if s.iterations%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		choose := s.choose
		if s.nu {
			choose = s.chooseNu
		}
		i, j := choose(eps)
		if j < 0 {
			break
		}
		s.step(i, j)
	}
	s.finish()
	return nil
}

// move adds change·Q[t] to the gradient.
func (s *pathQP) move(t int, change float64) {
	row, y := s.k.row(s.point[t]), s.y[t]
	for v := range s.grad {
		s.grad[v] += change * (y * s.y[v] * float64(row[s.point[v]]))
	}
}

func (s *pathQP) canRise(t int) bool { return s.alpha[t] < s.c[t] }
func (s *pathQP) canFall(t int) bool { return s.alpha[t] > 0 }

// choose returns the pair to move, or j = -1 when the violation is below eps.
func (s *pathQP) choose(eps float64) (i, j int) {
	i, j = -1, -1
	high := math.Inf(-1)
	for t, y := range s.y {
		if y > 0 && s.canRise(t) && -s.grad[t] >= high || y < 0 && s.canFall(t) && s.grad[t] >= high {
			high, i = -y*s.grad[t], t
		}
	}
	if i < 0 {
		return i, j
	}
	row, diag := s.k.row(s.point[i]), s.k.diag[s.point[i]]
	low, best := math.Inf(-1), math.Inf(1)
	for t, y := range s.y {
		if !(y > 0 && s.canFall(t) || y < 0 && s.canRise(t)) {
			continue
		}
		value := y * s.grad[t]
		low = max(low, value)
		gap := high + value
		if gap <= 0 {
			continue
		}
		curve := diag + s.k.diag[s.point[t]] - 2*float64(row[s.point[t]])
		if curve <= 0 {
			curve = tau
		}
		if gain := -gap * gap / curve; gain <= best {
			best, j = gain, t
		}
	}
	if high+low < eps {
		return i, -1
	}
	return i, j
}

// step solves for two variables and keeps them in their box.
func (s *pathQP) step(i, j int) {
	curve := s.k.diag[s.point[i]] + s.k.diag[s.point[j]] - 2*float64(s.k.row(s.point[i])[s.point[j]])
	if curve <= 0 {
		curve = tau
	}
	a, b := s.alpha[i], s.alpha[j]
	ci, cj := s.c[i], s.c[j]
	if s.y[i] != s.y[j] {
		delta := (-s.grad[i] - s.grad[j]) / curve
		diff := a - b
		x, z := a+delta, b+delta
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
		s.alpha[i], s.alpha[j] = x, z
	} else {
		delta := (s.grad[i] - s.grad[j]) / curve
		sum := a + b
		x, z := a-delta, b+delta
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
		s.alpha[i], s.alpha[j] = x, z
	}
	da, db := s.alpha[i]-a, s.alpha[j]-b
	rowI, rowJ := s.k.row(s.point[i]), s.k.row(s.point[j])
	yi, yj := s.y[i], s.y[j]
	for t := range s.grad {
		p, y := s.point[t], s.y[t]
		s.grad[t] += yi*y*float64(rowI[p])*da + yj*y*float64(rowJ[p])*db
	}
}

// finish finds the threshold, the mean over variables inside their box, and
// the objective.
func (s *pathQP) finish() {
	upper, lower, sum, free := math.Inf(1), math.Inf(-1), 0.0, 0
	for t, y := range s.y {
		v := y * s.grad[t]
		switch {
		case !s.canRise(t) && y < 0 || !s.canFall(t) && y > 0:
			upper = min(upper, v)
		case !s.canRise(t) || !s.canFall(t):
			lower = max(lower, v)
		default:
			free++
			sum += v
		}
		s.objective += s.alpha[t] * (s.grad[t] + s.p[t]) / 2
	}
	if s.rho = (upper + lower) / 2; free > 0 {
		s.rho = sum / float64(free)
	}
	if s.nu {
		s.thresholdsNu()
	}
}

// pathClasses solves every pair of classes; coefficients have a row for each
// row of the problem and a column for each pair.
func pathClasses[T any](ctx context.Context, t *trainer, p problem[T], g groups, weight []float64) (coef *mat.Dense, bias []float64, iterations []int, objective, price []float64, err error) {
	k, err := newPathKernel(p)
	if err != nil {
		return nil, nil, nil, nil, nil, err
	}
	pairs := len(g.label) * (len(g.label) - 1) / 2
	coef = mat.NewDense(len(p.y), pairs, nil)
	pair := 0
	for a := range g.member {
		for b := a + 1; b < len(g.member); b++ {
			s := &pathQP{k: k, point: append(append([]int(nil), g.member[a]...), g.member[b]...)}
			n := len(s.point)
			s.y, s.p, s.c, s.alpha = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
			for i := range s.point {
				s.p[i] = -1
				if s.y[i], s.c[i] = 1, t.C*weight[a]; i >= len(g.member[a]) {
					s.y[i], s.c[i] = -1, t.C*weight[b]
				}
			}
			if t.Type == nuSVC {
				s.startNu(t.Nu)
			}
			if err := s.solve(ctx, t.Eps); err != nil {
				return nil, nil, nil, nil, nil, err
			}
			if s.r = cmp.Or(s.r, 1); s.nu { // LIBSVM states the programme for coefficients times r
				s.rho, s.objective = s.rho/s.r, s.objective/(s.r*s.r)
			} else {
				s.r = 1
			}
			for i, row := range s.point {
				coef.Set(row, pair, s.y[i]/s.r*s.alpha[i])
			}
			bias, price = append(bias, -s.rho), append(price, 1/s.r)
			iterations, objective = append(iterations, s.iterations), append(objective, s.objective)
			pair++
		}
	}
	return coef, bias, iterations, objective, price, nil
}

// startNu makes the dual of ν-SVC of that of C-SVC: no linear term, bound 1, and
// the first variables of each sign at their bound.
func (s *pathQP) startNu(nu float64) {
	s.nu = true
	left := map[float64]float64{1: nu * float64(len(s.y)) / 2, -1: nu * float64(len(s.y)) / 2}
	for i, y := range s.y {
		s.p[i], s.c[i] = 0, 1
		s.alpha[i] = min(1, left[y])
		left[y] -= s.alpha[i]
	}
}

// pathSingle solves ε-SVR, ν-SVR or one-class; coefficients are by row.
func pathSingle[T any](ctx context.Context, t *trainer, p problem[T]) (coef []float64, s *pathQP, err error) {
	k, err := newPathKernel(p)
	if err != nil {
		return nil, nil, err
	}
	n := len(p.y)
	s = &pathQP{k: k}
	add := func(point int, y, linear, c, alpha float64) {
		s.point, s.y, s.p = append(s.point, point), append(s.y, y), append(s.p, linear)
		s.c, s.alpha = append(s.c, c), append(s.alpha, alpha)
	}
	if t.Type == oneClass {
		left := t.Nu * float64(n)
		for i := range n {
			alpha := min(max(left-float64(i), 0), 1)
			add(i, 1, 0, 1, alpha)
		}
	} else {
		tube, start := t.P, make([]float64, n)
		if t.Type == nuSVR {
			tube, s.nu = 0, true
			for i, left := 0, t.C*t.Nu*float64(n)/2; i < n; i++ {
				start[i] = min(left, t.C)
				left -= start[i]
			}
		}
		for i, y := range p.y {
			add(i, 1, tube-y, t.C, start[i])
		}
		for i, y := range p.y {
			add(i, -1, tube+y, t.C, start[i])
		}
	}
	if err := s.solve(ctx, t.Eps); err != nil {
		return nil, nil, err
	}
	coef = make([]float64, n)
	for v, i := range s.point {
		coef[i] += s.y[v] * s.alpha[v]
	}
	return coef, s, nil
}
