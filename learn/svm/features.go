package svm

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
)

// Machines of a kernel that is a sum over sparse features, K = ΦΦᵀ, are solved by coordinate descent
// that keeps the weights Φᵀβ: a step costs the entries of a row, and what is kept are the weights of
// the features in place of support vectors. It is the same optimum, told by the same conditions.
// Where it takes more passes than rows of K would cost, SMO does it after all.
const (
	leastPasses = 200   // over the points of a machine, before it is given up
	mostPasses  = 1000  // for any number of points, as in LIBLINEAR
	pairsUpTo   = 20000 // points, up to which K takes over where these do not do

	// calibrationSlack is how many times the tolerance will do for the folds that a sigmoid is
	// fitted to: 0.01 of a margin is little beside what separates them from the machine of all.
	calibrationSlack = 10
)

// featureMachines solves programmes on rows of features.
type featureMachines struct {
	*fitting.SparseFeatures
	o Options
}

// solved is a machine with the weights of its features.
type solved struct {
	*machine
	w []float64
}

// rows is some rows of the features, together as one matrix; nil: all.
func (f *featureMachines) rows(index []int) solve.LinearRows {
	if index == nil || len(index) == f.Phi.Rows {
		return solve.SparseLinear(f.Phi, 0)
	}
	return solve.SparseLinear(f.At(index).Phi, 0)
}

// solve solves one programme.
func (f *featureMachines) solve(
	ctx context.Context, rows solve.LinearRows, p featureProblem, listen trace.Func,
) (*solved, error) {
	n := rows.Len()
	visits := len(p.start) * min(max(n/4, leastPasses), mostPasses)
	if f.o.MaxIterations > 0 {
		visits = f.o.MaxIterations
	}
	r, err := solve.BoxRows(ctx, p.qp, rows, p.start, solve.BoxRowsOptions{
		Tol: f.o.Tol, Ridge: p.ridge, NoSums: p.noBias, Visits: visits, Trace: listen,
	})
	if err != nil {
		return nil, err
	}
	m := &machine{gap: math.NaN(), steps: r.Passes, bytes: 12*int64(f.Phi.NNZ()) + 16*int64(len(r.W)) + 64*int64(n)}
	m.finish(p.svmProblem, r.Beta, r.F, r.Violation, f.o.Tol)
	if p.noBias || p.ridge != nil {
		p.amend(m, r)
	}
	return &solved{m, r.W}, nil
}

// featureProblem is a programme with what machines on K have other solvers for.
type featureProblem struct {
	svmProblem
	ridge  []float64 // of the squared hinge; nil: none
	noBias bool
}

// squared makes C-SVC the machine of the squared hinge, Σ Cᵢ max(0, 1 - yᵢf(xᵢ))²: its dual has no
// bound but a ridge 1/(2Cᵢ).
func (p *featureProblem) squared(y, c []float64) {
	p.ridge = make([]float64, len(y))
	for i, price := range c {
		if price <= 0 {
			continue // no say: both bounds are 0
		}
		p.ridge[i] = 0.5 / price
		if y[i] > 0 {
			p.qp.Upper[i] = math.Inf(1)
		} else {
			p.qp.Lower[i] = math.Inf(-1)
		}
	}
	p.loss = func(f []float64, b float64) (s float64) {
		for i := range y {
			if xi := 1 - y[i]*(f[i]+b); xi > 0 && c[i] > 0 {
				s += c[i] * xi * xi
			}
		}
		return s
	}
}

// amend reads a machine without a bias, or with a ridge, off its solution.
func (p featureProblem) amend(m *machine, r *solve.BoxRowsResult) {
	f, norm := r.F, 0.0
	for _, w := range r.W {
		norm += w * w
	}
	if p.ridge != nil {
		f = slices.Clone(f)
		for t, d := range p.ridge {
			f[t] += d * r.Beta[t]
		}
	}
	m.objective = solve.BoxObjective(p.qp, r.Beta, f)
	if m.bias = 0; !p.noBias {
		m.bias = solve.Multipliers(p.qp, r.Beta, f)[0]
	}
	primal := norm/2 + p.loss(r.F, m.bias)
	m.gap = (primal + m.objective) / max(math.Abs(primal), math.Abs(m.objective), 1e-300)
	for i := range m.values {
		m.values[i] = r.F[i] + m.bias
	}
}

// featureClassification is a Classification by sparse features, or with the squared hinge of
// PrimalClassification in place of the hinge.
type featureClassification struct {
	classification
	squared bool
}

// byFeatures is the model of c, or of the squared hinge, by sparse features; nil where K is the
// better way, or something is wrong that is told there.
func (c Classification[T, L]) byFeatures(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], y []int, squared bool,
) (*Classifier[any, int], error) {
	begin := time.Now()
	by := featureClassification{classification{
		kernel: k, c: c.C, nu: c.Nu, noBias: c.NoBias, rule: c.MultiClass,
		probability: c.Probability && !squared, seed: c.Seed, slopeOnly: c.slopeOnly, Options: c.Options,
	}, squared}
	if x == nil || x.Len() < fitting.SparseFrom || !by.can(x) || c.Start != nil {
		return nil, nil
	}
	labels, weights, err := fitting.CheckClassification(k, x, y, c.Balance, nil, c.Weights)
	if err != nil {
		return nil, nil
	}
	f, err := fitting.SparseFeaturesOf(ctx, k, x, c.Resources)
	if f == nil || err != nil {
		return nil, err
	}
	of, m, _, err := by.fitRows(ctx, f, labels, weights, nil, begin)
	if errors.Is(err, errSlow) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return newClassifier(of.Kernel, of, labels.Classes, m), nil
}

// can says whether the machine asked for is one that features are used for.
func (c featureClassification) can(x data.Points[any]) bool {
	return c.check() == nil && c.nu == 0 && !math.IsInf(c.c, 1) && c.plain() && fitting.HasSparseFeatures(c.kernel, x)
}

// plain says that nothing is asked of a solver that features do not heed.
func (o Options) plain() bool {
	return o.Device == nil && o.Columns == AutoColumns && o.WorkingSet == 0 && o.MaxIterations == 0
}

// errSlow says that K is the better way.
var errSlow = errors.New("svm: more passes over the features than rows of the kernel matrix would cost")

// problem is the programme of a task.
func (c featureClassification) problem(t learn.TwoClass, weights []float64) (featureProblem, error) {
	y, w := t.Targets(), data.Take(weights, t.Index)
	p, err := c.classification.problem(y, w)
	out := featureProblem{svmProblem: p, noBias: c.noBias}
	if c.squared && err == nil {
		price := make([]float64, len(w))
		for i := range price {
			price[i] = max(p.qp.Upper[i], -p.qp.Lower[i])
		}
		out.squared(y, price)
	}
	return out, err
}

// fitRows fits to features, from the coefficients of each machine where there are any, and returns
// those that it ends with.
func (c featureClassification) fitRows(
	ctx context.Context, f *fitting.SparseFeatures, labels learn.Labels[int], weights []float64,
	from [][]float64, begin time.Time,
) (*rkhs.Func[any], *classMachines, [][]float64, error) {
	o, err := c.Options.withDefaults()
	if err != nil {
		return nil, nil, nil, err
	}
	by := &featureMachines{f, o}
	tasks := labels.Tasks(c.rule)
	found, errs := make([]*solved, len(tasks)), make([]error, len(tasks))
	sigmoids := make([]learn.Sigmoid, len(tasks))
	listen := oneAtATime(o.Trace)
	var slow atomic.Bool // one machine that is better off with K settles it for all
	par.For(o.Threads, len(tasks), 1, func(i, _ int) {
		if slow.Load() {
			return
		}
		p, err := c.problem(tasks[i], weights)
		if err != nil {
			errs[i] = err
			return
		}
		if from != nil {
			p.start = nearest(p.qp, from[i], p.start)
		}
		p.wantValues = c.probability
		rows := by.rows(tasks[i].Index)
		if found[i], errs[i] = by.solve(ctx, rows, p, listen); errs[i] != nil {
			return
		}
		if !found[i].converged && f.Phi.Rows <= pairsUpTo && from == nil {
			errs[i] = errSlow
			slow.Store(true)
			return
		}
		if c.probability {
			rough := &featureMachines{f, o}
			rough.o.Tol *= calibrationSlack
			again := func(p svmProblem) (*machine, error) {
				m, err := rough.solve(ctx, rows, featureProblem{svmProblem: p}, nil)
				if err != nil {
					return nil, err
				}
				return m.machine, nil
			}
			taken := data.Take(weights, tasks[i].Index)
			sigmoids[i], errs[i] = c.calibrate(tasks[i], taken, found[i].machine, c.seed+uint64(i), again)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, nil, nil, errors.Join(ctx.Err(), err)
	}
	m := &classMachines{rule: c.rule, n: f.Phi.Rows}
	w, bias, beta := make([][]float64, len(found)), make([]float64, len(found)), make([][]float64, len(found))
	support := make([]bool, f.Phi.Rows)
	for k, s := range found {
		w[k], bias[k], beta[k] = s.w, s.bias, s.beta
		for t, b := range s.coef {
			if b != 0 {
				support[tasks[k].Index[t]] = true
			}
		}
		s.index = tasks[k].Index
		m.each = append(m.each, s.machine)
	}
	for i, used := range support {
		if used {
			m.support = append(m.support, i)
		}
	}
	if c.noBias {
		bias = nil
	}
	if c.probability {
		m.sigmoids = sigmoids
	}
	m.report = svmReport(c.name(), m.each, nil, begin)
	if c.squared {
		m.report.Learner = "primal SVC"
	}
	if c.noBias {
		m.report.Learner = "C-SVC without bias"
	}
	m.report.Notes = append(m.report.Notes, f.Note())
	return f.Func(w, bias), m, beta, ctx.Err()
}

// onFeatures is machines that were solved by K with weights of sparse features in place of their
// support vectors, where the kernel has them.
func onFeatures(ctx context.Context, m *Classifier[any, int], r learn.Resources) (*Classifier[any, int], error) {
	f, note, err := fitting.ByFeatures(ctx, m.f, r)
	if f == nil || err != nil {
		return m, err
	}
	of := m.classMachines
	of.report.Notes = append(slices.Clone(of.report.Notes), note)
	return newClassifier(f.Kernel, f, m.classes, &of), nil
}
