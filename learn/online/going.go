package online

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Regressor is a fitted Norma, which goes on learning by Update.
type Regressor[T any] struct {
	learn.ExpansionRegressor[T]
	going *going[T]
}

// going is what a model needs to go on learning beside its function: the configuration, and where
// each machine stands. Terms of one point are one term, which came with the last of them: without
// several passes they are one anyway, and learning on is exactly what it would have been without
// the file in between.
type going[T any] struct {
	c        Norma[T]
	offset   float64 // taken off the targets
	machines []standing
}

// standing is the State of one output without its terms, and when each centre of the function came,
// 0 where it is no term.
type standing struct {
	bias, rho, loss float64
	step, broken    int
	born            []int
}

// newGoing keeps where machines stand; used lists the points that are centres of their function.
func newGoing[T any](c Norma[T], states []State[T], born [][]int, used []int) *going[T] {
	c.Weights, c.Trace = nil, nil
	g := &going[T]{c: c}
	for o, s := range states {
		at := data.Take(born[o], used)
		if len(used) == 0 {
			at = []int{0} // the centre of a function that is a constant
		}
		g.machines = append(g.machines, standing{s.Bias, s.Rho, s.Loss, s.Step, s.Broken, at})
	}
	return g
}

// The numbers of a configuration in a file.
var goingNames = []string{"loss", "lambda", "eta", "schedule", "nu", "epsilon", "intercept", "truncate", "budget",
	"drop", "offset"}

func (g *going[T]) numbers() []float64 {
	c, intercept := g.c, 0.0
	if c.Intercept {
		intercept = 1
	}
	return []float64{float64(c.Loss), c.Lambda, c.Eta, float64(c.Schedule), c.Nu, c.Epsilon, intercept,
		float64(c.Truncate), float64(c.Budget), float64(c.BudgetRule), g.offset}
}

// restoreGoing reads it back; nil where the file has none, as those of earlier versions.
func restoreGoing[T any](s learn.Saved[T], outputs int) (*going[T], error) {
	if _, ok := s.Numbers["loss"]; !ok {
		return nil, nil
	}
	v := make([]float64, len(goingNames))
	for i, name := range goingNames {
		var err error
		if v[i], err = s.Number(name); err != nil {
			return nil, err
		}
	}
	for _, i := range []int{0, 3, 6, 7, 8, 9} {
		if v[i] != math.Trunc(v[i]) || math.Abs(v[i]) > 1<<53 {
			return nil, fmt.Errorf("number %q is %g, no whole number", goingNames[i], v[i])
		}
	}
	g := &going[T]{offset: v[10], c: Norma[T]{Kernel: s.Func.Kernel, Loss: Loss(v[0]), Lambda: v[1], Eta: v[2],
		Schedule: Schedule(v[3]), Nu: v[4], Epsilon: v[5],
		Intercept: v[6] != 0, Truncate: int(v[7]), Budget: int(v[8]), BudgetRule: BudgetRule(v[9])}}
	if _, err := g.c.withDefaults(); err != nil {
		return nil, err
	}
	n := s.Func.Centers.Len()
	machines, err := s.Array("machines", outputs, 5)
	if err != nil {
		return nil, err
	}
	born, err := s.Array("born", outputs, n)
	if err != nil {
		return nil, err
	}
	for o := range outputs {
		row := machines.RawRowView(o)
		m := standing{bias: row[0], rho: row[1], loss: row[2], step: int(row[3]), broken: int(row[4]), born: make([]int, n)}
		if row[3] != math.Trunc(row[3]) || row[4] != math.Trunc(row[4]) ||
			!(row[3] >= 0 && row[3] < 1<<53 && row[4] >= 0 && row[4] < 1<<53) {
			return nil, fmt.Errorf("machine %d has seen %g examples and dropped %g", o, row[3], row[4])
		}
		for j, at := range born.RawRowView(o) {
			if at != math.Trunc(at) || !(at >= 0 && at <= row[3]) {
				return nil, fmt.Errorf("centre %d came with example %g of %g", j, at, row[3])
			}
			m.born[j] = int(at)
		}
		g.machines = append(g.machines, m)
	}
	return g, nil
}

// machine is the learner of one output as it stands, and the centre of each of its terms by the
// example it came with.
func (g *going[T]) machine(f *rkhs.Func[T], o int) (*Machine[T], map[int]int, error) {
	m := g.machines[o]
	var terms []int
	for j, at := range m.born {
		if at > 0 {
			terms = append(terms, j)
		}
	}
	slices.SortStableFunc(terms, func(a, b int) int { return m.born[a] - m.born[b] })
	s, centre := State[T]{Step: m.step, Scale: 1, Bias: m.bias, Rho: m.rho, Loss: m.loss, Broken: m.broken}, map[int]int{}
	for _, j := range terms {
		s.Centers, s.Born, s.Coef = append(s.Centers, f.Centers.At(j)), append(s.Born, m.born[j]),
			append(s.Coef, f.Coef.At(j, o))
		centre[m.born[j]] = j
	}
	machine, err := g.c.Resume(s)
	return machine, centre, err
}

// update observes further points, targets by output, and returns the function and where its
// machines stand then, with the decision values before each step.
func (g *going[T]) update(
	ctx context.Context, f *rkhs.Func[T], x data.Points[T], target func(i, output int) float64, weights []float64,
) (*rkhs.Func[T], *going[T], *mat.Dense, learn.Report, error) {
	var report learn.Report
	fail := func(err error) (*rkhs.Func[T], *going[T], *mat.Dense, learn.Report, error) {
		return nil, nil, nil, report, fmt.Errorf("norma: %w", err)
	}
	n, outputs, old := x.Len(), len(g.machines), f.Centers.Len()
	said := mat.NewDense(max(n, 1), outputs, nil)
	// The centres of before, then the new points; a row of coefficients and births for each output.
	coef, born := make([][]float64, outputs), make([][]int, outputs)
	out := &going[T]{c: g.c, offset: g.offset}
	bias := make([]float64, outputs)
	for o := range outputs {
		m, centre, err := g.machine(f, o)
		if err != nil {
			return fail(err)
		}
		begun, seen := g.machines[o].step, []int{} // the new point of each further example
		for i := range n {
			if err := ctx.Err(); err != nil {
				return fail(err)
			}
			w := 1.0
			if weights != nil {
				w = weights[i]
			}
			if w == 0 {
				said.Set(i, o, m.Decision(x.At(i)))
				continue
			}
			d, err := m.observe(x.At(i), target(i, o), w)
			if err != nil {
				return fail(fmt.Errorf("row %d: %w", i, err))
			}
			said.Set(i, o, d)
			seen = append(seen, i)
		}
		s := m.s
		coef[o], born[o] = make([]float64, old+n), make([]int, old+n)
		for a, at := range s.Born {
			j := old
			if at <= begun {
				j = centre[at]
			} else {
				j += seen[at-begun-1]
			}
			coef[o][j] += s.Scale * s.Coef[a]
			born[o][j] = at
		}
		bias[o] = m.bias() + g.offset
		out.machines = append(out.machines, standing{bias: s.Bias, rho: s.Rho, loss: s.Loss, step: s.Step, broken: s.Broken})
		r := m.Model().Report()
		report.Iterations, report.Learner, report.Certified, report.Converged = report.Iterations+r.Iterations, r.Learner,
			r.Certified, true
		report.Objective, report.Certificate = report.Objective+r.Objective, max(report.Certificate, r.Certificate)
		report.Warnings = append(report.Warnings, r.Warnings...)
	}
	var used []int
	for j := range old + n {
		for o := range outputs {
			if born[o][j] > 0 {
				used = append(used, j)
				break
			}
		}
	}
	if len(used) == 0 {
		used = []int{0} // an expansion has at least one centre; its coefficients are 0
	}
	all := make(data.Slice[T], 0, len(used))
	next := &rkhs.Func[T]{Kernel: f.Kernel, Coef: mat.NewDense(len(used), outputs, nil), Bias: bias}
	for a, j := range used {
		if j < old {
			all = append(all, f.Centers.At(j))
		} else {
			all = append(all, x.At(j-old))
		}
		for o := range outputs {
			next.Coef.Set(a, o, coef[o][j])
		}
	}
	for o := range outputs {
		out.machines[o].born = data.Take(born[o], used)
	}
	next.Centers = data.OwnSubset(data.Points[T](all), par.Indices(0, len(all)))
	return next, out, said, report, kernel.Check(next.Kernel, next.Centers)
}

// errNoState is what a model says that was fitted before models kept what they need.
var errNoState = fmt.Errorf("norma: the model does not know how it was learnt; fit it again")

// Updatable says whether the model knows how it was learnt.
func (m *Regressor[T]) Updatable() bool { return m.going != nil }

// Updatable says whether the model knows how it was learnt.
func (m *NormaClassifier[T, L]) Updatable() bool { return m.going != nil }

// Update learns from further points and their values, in their order; weights may be nil. It
// returns the model that knows them, too, and what it said of each before it learnt from it. The
// model itself stays as it is.
func (m *Regressor[T]) Update(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (learn.Model[T], []float64, error) {
	if m.going == nil {
		return nil, nil, errNoState
	}
	f, g, said, report, err := m.going.update(ctx, m.Func(), x, func(i, _ int) float64 { return y[i] - m.going.offset },
		weights)
	if err != nil {
		return nil, nil, err
	}
	before := make([]float64, x.Len())
	for i := range before {
		before[i] = said.At(i, 0) + m.going.offset
	}
	return &Regressor[T]{*learn.NewExpansionRegressor(f, nil, report), g}, before, nil
}

// Update learns from further points, in their order; y is the places of their labels among Classes,
// weights may be nil. It returns the model that knows them, too, and the class it said of each
// before it learnt from it.
func (m *NormaClassifier[T, L]) Update(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (learn.Model[T], []float64, error) {
	if m.going == nil {
		return nil, nil, errNoState
	}
	classes := m.Classes()
	f, g, said, report, err := m.going.update(ctx, m.Func(), x, func(i, o int) float64 {
		if int(y[i]) == o && len(classes) > 2 || int(y[i]) == 1 && len(classes) == 2 {
			return 1
		}
		return -1
	}, weights)
	if err != nil {
		return nil, nil, err
	}
	before := make([]float64, x.Len())
	for i := range before {
		before[i] = float64(learn.DecideOneVsRest(said.RawRowView(i)))
	}
	report.Learner = m.Report().Learner
	return &NormaClassifier[T, L]{*learn.NewLogOddsClassifier(f, classes, nil, report), m.logOdds, g}, before, nil
}
