package svmtool

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// run solves one machine, with LIBSVM's lines: dots and stars on the way, then
// the number of iterations.
func (t *trainer) run(ctx context.Context, s *pathQP) error {
	s.log, s.shrink, s.steps = t.log, t.Shrinking, t.steps
	if err := s.solve(ctx, t.Eps); err != nil {
		return err
	}
	if s.exhausted {
		fmt.Fprintf(t.warn, "\nWARNING: reaching max number of iterations\n")
	}
	t.say("\noptimization finished, #iter = %d\n", s.iterations)
	return nil
}

// pathClasses solves every pair of classes, each after its sigmoid;
// coefficients have a row for each row of the problem and a column for each pair.
func pathClasses[T any](
	ctx context.Context, t *trainer, p problem[T], g groups, weight []float64, m *machines,
) (coef *mat.Dense, bias []float64, err error) {
	k := newPathKernel(t, p)
	coef = mat.NewDense(len(p.y), len(g.label)*(len(g.label)-1)/2, nil)
	pair := 0
	for a := range g.member {
		for b := a + 1; b < len(g.member); b++ {
			if t.Probable {
				pa, pb, err := calibrate(ctx, t, p, g.member[a], g.member[b], weight[a], weight[b])
				if err != nil {
					return nil, nil, err
				}
				m.ProbA, m.ProbB = append(m.ProbA, pa), append(m.ProbB, pb)
			}
			s := &pathQP{k: k}
			for _, i := range g.member[a] {
				s.add(i, 1, -1, t.C*weight[a], 0)
			}
			for _, i := range g.member[b] {
				s.add(i, -1, -1, t.C*weight[b], 0)
			}
			if t.Type == nuSVC {
				s.startNu(t.Nu)
			}
			if err := t.run(ctx, s); err != nil {
				return nil, nil, err
			}
			if s.nu && s.r == 0 { // LIBSVM goes on, and writes a model of infinities
				return nil, nil, fmt.Errorf("ERROR: classes %d and %d have no margin at all: the kernel cannot tell their rows "+
					"apart; scale the data with svm-scale, or take another kernel", g.label[a], g.label[b])
			}
			machine := t.tellPair(s)
			for i, row := range s.point {
				coef.Set(int(row), pair, machine[i])
			}
			bias = append(bias, -s.rho)
			pair++
		}
	}
	return coef, bias, nil
}

// tellPair returns the coefficients of a solved pair and says what LIBSVM says
// of it.
func (t *trainer) tellPair(s *pathQP) []float64 {
	coef := make([]float64, len(s.alpha))
	most := func(i int) float64 { return s.c[i] }
	if s.nu {
		// LIBSVM states the programme for coefficients times r.
		price := 1 / s.r
		t.say("C = %f\n", price)
		for i, a := range s.alpha {
			coef[i] = a * (s.y[i] / s.r)
		}
		s.rho, s.objective = s.rho/s.r, s.objective/(s.r*s.r)
		most = func(int) float64 { return price }
	} else {
		sum := 0.0
		for i, a := range s.alpha {
			sum += a
			coef[i] = a * s.y[i]
		}
		if c := s.c[0]; c == s.c[len(s.c)-1] {
			t.say("nu = %f\n", sum/(c*float64(len(s.alpha))))
		}
	}
	t.solved(s.objective, s.rho, coef, most)
	return coef
}

// startNu makes the dual of ν-SVC of that of C-SVC: no linear term, bound 1, and
// the first variables of each sign at their bound.
func (s *pathQP) startNu(nu float64) {
	s.nu = true
	plus := nu * float64(len(s.y)) / 2
	minus := plus
	for i, y := range s.y {
		left := &plus
		if y < 0 {
			left = &minus
		}
		s.p[i], s.c[i] = 0, 1
		s.alpha[i] = min(1, *left)
		*left -= s.alpha[i]
	}
}

// pathSingle solves ε-SVR, ν-SVR or one-class; coefficients are by row.
func pathSingle[T any](ctx context.Context, t *trainer, p problem[T]) (coef []float64, rho float64, err error) {
	n := len(p.y)
	s := &pathQP{k: newPathKernel(t, p)}
	if t.Type == oneClass {
		full := int(t.Nu * float64(n))
		for i := range n {
			alpha := 0.0
			switch {
			case i < full:
				alpha = 1
			case i == full:
				alpha = t.Nu*float64(n) - float64(full)
			}
			s.add(i, 1, 0, 1, alpha)
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
			s.add(i, 1, tube-y, t.C, start[i])
		}
		for i, y := range p.y {
			s.add(i, -1, tube+y, t.C, start[i])
		}
	}
	if err := t.run(ctx, s); err != nil {
		return nil, 0, err
	}
	coef = append([]float64(nil), s.alpha[:n]...)
	most := t.C
	switch t.Type {
	case oneClass:
		most = 1
	default:
		sum := 0.0
		for i := range coef {
			coef[i] -= s.alpha[n+i]
			sum += math.Abs(coef[i])
		}
		if t.Type == nuSVR {
			t.say("epsilon = %f\n", -s.r)
		} else {
			t.say("nu = %f\n", sum/(t.C*float64(n)))
		}
	}
	t.solved(s.objective, s.rho, coef, func(int) float64 { return most })
	return coef, s.rho, nil
}
