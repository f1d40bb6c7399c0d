package nystrom

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Snacks is a support vector machine on few centres, one class against the rest: with y = ±1
//
//	minimise over f = Σ αⱼ k(cⱼ, ·), b   ½‖f‖² + C Σ wᵢ max(0, 1 - yᵢ(f(xᵢ) + b))
//
// by an accelerated stochastic subgradient method in the coordinates of an orthonormal basis (S.
// Tanji, A. Della Vecchia, F. Glineur and S. Villa, Snacks: a fast large-scale kernel SVM solver,
// 2023, which rests on Y. Xu, Q. Lin and T. Yang, Stochastic convex optimization: faster local
// growth implies faster global convergence, 2017): stages of projected steps of one length, each
// from the average of the one before, in a smaller ball with smaller steps. Here ball and steps
// follow from the duality gap, which bounds how far off the last stage was. The certificate is that
// gap relative to the objective, the largest of the machines. With all points as centres it is the
// support vector machine itself.
type Snacks[T any, L cmp.Ordered] struct {
	Kernel    kernel.Kernel[T]
	C         float64 // price of a margin error; 0 means 1
	Intercept bool    // fit b, without penalty; else b = 0

	Balance      learn.Balance  // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64  // weight of a class
	Weights      []float64      // weight of a point; nil means 1
	Given        data.Points[T] // the centres, in place of a draw; nil means none

	// MaxIterations counts passes over the rows, 0 means 200; Tol is the relative gap, 0 means
	// 1e-3. Solver and Precision are not read
	Options
}

// snacksTol is the relative gap where none is told: as good as the tolerance of other machines by
// what it changes in predictions.
const snacksTol = 1e-3

// Fit learns from points and their labels, met in an order that Seed shuffles. When ctx ends
// between passes the error is a *learn.Stopped.
func (c Snacks[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *SnacksClassifier[T, L], err error) {
	defer fault.Name("snacks", &err)
	points := data.Erase(x)
	labels, weights, err := checkLabels(points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	found, err := c.open(weights).fitPoints(ctx, points, labels.Code, len(labels.Classes))
	if err != nil {
		return nil, err
	}
	return snacksOf(ctx, c.Kernel, found, labels.Classes)
}

func snacksOf[T any, L cmp.Ordered](
	ctx context.Context, k kernel.Kernel[T], of *found, classes []L,
) (*SnacksClassifier[T, L], error) {
	m := &SnacksClassifier[T, L]{*learn.NewExpansionClassifier(rkhs.Typed(k, of.f), classes, nil, of.report)}
	return fitting.Kept[T](ctx, m, of.stopped)
}

// snacksFit is a Snacks of points and labels that have lost their types.
type snacksFit Snacks[any, int]

func (c Snacks[T, L]) open(weights []float64) snacksFit {
	return snacksFit{
		Kernel: kernel.Erase(c.Kernel), C: c.C, Intercept: c.Intercept, Weights: weights,
		Given: data.Erase(c.Given), Options: c.Options,
	}
}

func (c snacksFit) fitPoints(ctx context.Context, x data.Points[any], code []int, classes int) (*found, error) {
	if err := kernel.Check(c.Kernel, x); err != nil {
		return nil, err
	}
	x, codes, weights := weighty(x, codesOf(code), 1, c.Weights)
	moved := fitting.Moved[any]{Points: x}
	if c.Intercept && c.Given == nil {
		moved = fitting.MoveToMean(c.Kernel, x)
	}
	order := rand.New(rand.NewPCG(c.Seed, 0x54ac)).Perm(x.Len())
	shuffled, taken := data.Gather(moved.Points, order), data.Take(codes, order)
	return c.fit(ctx, data.NewInMemory(shuffled, taken, 1, data.Take(weights, order)), classes, moved)
}

// FitSource learns from rows that come in blocks, in no particular order: the target of a row is
// the number of its class in the list of them. Weights are those of the rows.
func (c Snacks[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *SnacksClassifier[T, L], err error) {
	defer fault.Name("snacks", &err)
	found, err := c.open(nil).fitSource(ctx, fitting.EraseSource(rows), len(classes))
	if err != nil {
		return nil, err
	}
	return snacksOf(ctx, c.Kernel, found, classes)
}

func (c snacksFit) fitSource(ctx context.Context, rows data.Source[any], classes int) (*found, error) {
	coded, err := fitting.Coded(rows, classes)
	if err != nil {
		return nil, err
	}
	return c.fit(ctx, coded, classes, fitting.Moved[any]{})
}

func (c snacksFit) fit(
	ctx context.Context, rows data.Source[any], classes int, moved fitting.Moved[any],
) (*found, error) {
	start := time.Now()
	if err := fitting.SetOrDefault("C", &c.C, 1); err != nil {
		return nil, err
	}
	if c.Tol == 0 {
		c.Tol = snacksTol
	}
	t := signs(classes)
	p, err := newProblem(ctx, c.Options, c.Kernel, rows, t, t.outputs(), false, c.Given, 1/c.C)
	if err != nil {
		return nil, fitting.Explain(ctx, err, c.Kernel, moved.Points, c.Resources)
	}
	s := newHinges(p, c.C, c.Intercept)
	stopped := s.run(ctx)
	if stopped != nil && (ctx.Err() == nil || s.passes == 0) {
		return nil, fitting.Explain(ctx, stopped, c.Kernel, moved.Points, c.Resources)
	}
	v, bias := s.solution()
	f, err := p.function(v, bias, moved)
	if err != nil {
		return nil, err
	}
	objective, gap := s.account()
	report := learn.Report{
		Learner: "snacks", Iterations: s.passes, Objective: objective, Certificate: gap, Certified: "relative duality gap",
		Converged: gap <= p.Tol,
		Bytes:     s.bytes(), Warnings: slices.Clone(p.warnings), Elapsed: time.Since(start),
	}
	if !report.Converged {
		report.Warnings = append(report.Warnings,
			fmt.Sprintf("relative duality gap %.2g is above the tolerance %.2g after %d passes; allow more of them, or lower C",
				gap, p.Tol, s.passes))
	}
	return &found{f, report, stopped}, nil
}

// SnacksClassifier is a fitted Snacks: its function has one output for two classes, positive for
// the larger label; else one for each class in order.
type SnacksClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
}

// hinges is the machines of all outputs, on the features φ of the rows.
type hinges struct {
	p         *problem
	c         float64
	intercept bool
	machines  []*hinge
	passes    int
	kept      []linalg.Matrix[float64] // φ of the blocks, where the budget has room
	keep      bool
}

func newHinges(p *problem, c float64, intercept bool) *hinges {
	s := &hinges{p: p, c: c, intercept: intercept}
	s.keep = bytesFor(p.basis.dim(), p.outputs)+8*int64(p.rows.Len())*int64(p.basis.dim()) <= p.Bytes
	for range p.outputs {
		s.machines = append(s.machines, newHinge(p.basis.dim(), c, p.weight, intercept))
	}
	return s
}

func (s *hinges) bytes() int64 {
	need := bytesFor(s.p.basis.dim(), s.p.outputs)
	if s.keep {
		need += 8 * int64(s.p.rows.Len()) * int64(s.p.basis.dim())
	}
	return need
}

// visit calls f with the features of the rows and their signs, a column for each machine.
func (s *hinges) visit(ctx context.Context, f func(b data.Block[any], phi, y linalg.Matrix[float64]) error) error {
	signed := func(b data.Block[any], phi linalg.Matrix[float64]) error {
		y := linalg.New[float64](b.Len(), s.p.outputs)
		for i := range y.Rows {
			s.p.target(y.Row(i), b, i)
		}
		return f(b, phi, y)
	}
	if len(s.kept) > 0 {
		at := 0
		return s.p.rows.Pass(ctx, s.kept[0].Rows, func(b data.Block[any]) error {
			phi := s.kept[at]
			at++
			return signed(b, phi)
		})
	}
	pair, err := gram.NewPair(s.p.kernel, s.p.rows, s.p.basis.centers, gram.PairOptions{Threads: s.p.Threads})
	if err != nil {
		return err
	}
	var kept []linalg.Matrix[float64]
	err = pair.Visit(ctx, func(b data.Block[any], k *mat.Dense) error {
		phi := linalg.Of(k)
		if err := linalg.TrsmContext(ctx, s.p.Threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1,
			s.p.basis.chol.L, phi); err != nil {
			return err
		}
		if s.keep {
			kept = append(kept, phi.Clone())
		}
		return signed(b, phi)
	})
	if err == nil {
		s.kept = kept
	}
	return err
}

// solution is the best v and b of each machine.
func (s *hinges) solution() (v linalg.Matrix[float64], bias []float64) {
	v = linalg.New[float64](s.p.basis.dim(), len(s.machines))
	for o, m := range s.machines {
		for j, x := range m.best.v {
			v.Set(j, o, x)
		}
		if s.intercept {
			bias = append(bias, m.best.b)
		}
	}
	return v, bias
}

// account is the sum of the objectives, and the largest relative gap.
func (s *hinges) account() (objective, gap float64) {
	for _, m := range s.machines {
		objective += m.primal
		gap = math.Max(gap, m.relativeGap())
	}
	return objective, gap
}
