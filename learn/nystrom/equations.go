package nystrom

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Equations are the normal equations of Regression on given centres, for rows that lie in many
// places: each part of the rows is summed where it is, by other processes too, the sums are added
// up, and one place solves them for every λ. All that the parts have to agree on is here as plain
// data.
//
// A sum is a list of numbers: how many rows, then the lower triangle of Σ w zzᵀ row by row, z =
// [L⁻¹k(C, x) - Center, 1, y - Shift]. Sums over parts of the rows add up, number by number, and
// may be taken off each other. The solution depends on Center and Shift by rounding only: they keep
// the digits that sums of squares of large numbers lose.
type Equations[T any] struct {
	Kernel  kernel.Kernel[T]
	Centers data.Points[T] // none of which depends on the others
	Factor  *mat.Dense     // L, lower triangular: K(C, C) = LLᵀ
	Scale   float64        // in place of a Factor: features are Scale·k(C, x), as they are
	Center  []float64      // near the mean of L⁻¹k(C, x)
	Shift   []float64      // near the mean of the targets, one for each output; all 0 without an intercept
	// 0: targets are numbers. Else the one target of a row is the place of its class, and is ±1 in
	// the equations
	Classes   int
	Intercept bool

	Threads int
	Notes   []string // for the reports of solutions
}

// NewEquations prepares equations on centres. Those that depend on others to working precision are
// left out, and said. shift is near the means of the targets, one for each output; for classes the
// shares of each, from which targets ±1 follow.
func NewEquations[T any](
	ctx context.Context, k kernel.Kernel[T], centers data.Points[T], classes int, shift []float64, intercept bool,
	threads int,
) (_ *Equations[T], err error) {
	defer fault.Name("nystrom", &err)
	if centers == nil || centers.Len() == 0 {
		return nil, fmt.Errorf("no centres")
	}
	if err := kernel.Check(k, centers); err != nil {
		return nil, err
	}
	e := &Equations[T]{Kernel: k, Intercept: intercept, Threads: threads}
	if err := e.SetTargets(classes, shift); err != nil {
		return nil, err
	}
	p := &problem{Options: Options{Resources: learn.Resources{Threads: threads}}, kernel: kernel.Erase(k), weight: 1}
	if err := p.setBasis(ctx, data.Own(data.Erase(centers)), nil); err != nil {
		return nil, err
	}
	e.Centers, _ = data.Typed[T](p.basis.centers)
	e.Factor, e.Center, e.Notes = linalg.Dense(p.basis.chol.L), p.basis.center, p.warnings
	return e, nil
}

// open is e for points that have lost their type. It shares all that e holds.
func (e *Equations[T]) open() *Equations[any] {
	if same, ok := any(e).(*Equations[any]); ok {
		return same
	}
	return &Equations[any]{
		Kernel: kernel.Erase(e.Kernel), Centers: data.Erase(e.Centers), Factor: e.Factor, Scale: e.Scale,
		Center: e.Center, Shift: e.Shift, Classes: e.Classes, Intercept: e.Intercept, Threads: e.Threads, Notes: e.Notes,
	}
}

// SetTargets says what the rows will have as targets: numbers, with what is near their means, or
// classes, with the share of each.
func (e *Equations[T]) SetTargets(classes int, shift []float64) error {
	e.Classes, e.Shift = classes, slices.Clone(shift)
	if classes > 0 {
		if classes < 2 || len(shift) != classes {
			return fmt.Errorf("%d shares of %d classes", len(shift), classes)
		}
		for o, s := range shift {
			e.Shift[o] = 2*s - 1
		}
		if classes == 2 {
			e.Shift = e.Shift[1:]
		}
	}
	if len(e.Shift) == 0 {
		return fmt.Errorf("no targets")
	}
	if !e.Intercept {
		clear(e.Shift)
	}
	return nil
}

// Outputs is the number of functions that are fitted.
func (e *Equations[T]) Outputs() int { return len(e.Shift) }

// Len is how many numbers a sum has.
func (e *Equations[T]) Len() int { n := e.order(); return 1 + n*(n+1)/2 }

func (e *Equations[T]) order() int { return e.Centers.Len() + 1 + e.Outputs() }

// Rows is how many rows of positive weight a sum is of.
func (e *Equations[T]) Rows(sums []float64) float64 { return sums[0] }

// problemOf is equations as the solvers of this package know them.
func problemOf(e *Equations[any]) (*problem, error) {
	m := e.Centers.Len()
	b := &basis{centers: e.Centers, center: e.Center, threads: e.Threads}
	switch {
	case m == 0 || len(e.Center) != m || e.Outputs() == 0:
		return nil, fmt.Errorf("equations of %d centres, %d of their means and %d outputs", m, len(e.Center), e.Outputs())
	case e.Factor != nil:
		if r, c := e.Factor.Dims(); r != m || c != m {
			return nil, fmt.Errorf("a factor of %d×%d for %d centres", r, c, m)
		}
		b.chol = &linalg.Cholesky{L: linalg.Of(e.Factor)}
		b.l = onHost{b.chol, e.Threads}
	case e.Scale > 0:
		b.l = scaled(e.Scale)
	default:
		return nil, fmt.Errorf("equations of %d centres without a factor or a scale", m)
	}
	o, err := Options{Resources: learn.Resources{Threads: e.Threads, TrustKernel: true}}.withDefaults()
	if err != nil {
		return nil, err
	}
	p := &problem{Options: o, kernel: e.Kernel, outputs: e.Outputs(), intercept: e.Intercept, mean: e.Shift,
		warnings: e.Notes}
	if e.Classes > 0 {
		t := signs(e.Classes)
		if p.targets = t; t.outputs() != p.outputs {
			return nil, fmt.Errorf("%d outputs for %d classes", p.outputs, e.Classes)
		}
	}
	p.basis = b
	return p, nil
}

// AddTo adds the sums over some rows to those in dst, which has Len numbers. A row that cannot be
// learnt from is named in the error, by its number among these.
func (e *Equations[T]) AddTo(ctx context.Context, dst []float64, rows data.Source[T]) (err error) {
	return addTo(ctx, e.open(), dst, fitting.EraseSource(rows))
}

func addTo(ctx context.Context, e *Equations[any], dst []float64, rows data.Source[any]) (err error) {
	defer fault.Name("nystrom", &err)
	p, err := problemOf(e)
	if err != nil {
		return err
	}
	if len(dst) != e.Len() {
		return fmt.Errorf("a sum of %d numbers, want %d", len(dst), e.Len())
	}
	if rows == nil || rows.Len() == 0 {
		return ctx.Err()
	}
	seen, err := p.looked(ctx, rows)
	if err != nil {
		return err
	}
	total, err := p.sums(ctx, rows)
	if err != nil {
		return err
	}
	dst[0] += float64(seen.kept)
	at := 1
	for i := range total.Rows {
		for _, v := range total.Row(i)[:i+1] {
			dst[at] += v
			at++
		}
	}
	return nil
}

// looked is the rows of a part, looked through: what cannot be learnt from is refused.
func (p *problem) looked(ctx context.Context, rows data.Source[any]) (*problem, error) {
	if want := p.outputs; p.targets == nil && rows.Outputs() != want || p.targets != nil && rows.Outputs() != 1 {
		return nil, fmt.Errorf("rows with %d targets for %d outputs", rows.Outputs(), want)
	}
	seen := &problem{kernel: p.kernel, rows: rows, targets: p.targets, outputs: p.outputs,
		mean: make([]float64, p.outputs)}
	return seen, seen.survey(ctx)
}

// unpack is sums as a matrix, the lower triangle of it.
func unpack(e *Equations[any], sums []float64) (linalg.Matrix[float64], error) {
	n := e.order()
	out := linalg.New[float64](n, n)
	if len(sums) != e.Len() {
		return out, fmt.Errorf("a sum of %d numbers, want %d", len(sums), e.Len())
	}
	at := 1
	for i := range n {
		at += copy(out.Row(i)[:i+1], sums[at:])
	}
	for _, v := range sums {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return out, fmt.Errorf("the sums are not finite; scale the targets, or look for a kernel value that is not")
		}
	}
	if w := out.At(e.Centers.Len(), e.Centers.Len()); !(w > 0) || !(sums[0] > 0) {
		return out, learn.ErrNoPoints
	}
	return out, nil
}

// Solve is the solution for every λ of a list, in its order: that of Regression with PerPoint, the
// rows and Given centres, where λ stands for λ times the number of rows.
func (e *Equations[T]) Solve(ctx context.Context, sums []float64, lambdas []float64) ([]*Regressor[T], error) {
	m, err := solveEquations(ctx, e.open(), sums, lambdas)
	if err != nil {
		return nil, err
	}
	return typedAll(e.Kernel, m), nil
}

func solveEquations(
	ctx context.Context, e *Equations[any], sums []float64, lambdas []float64,
) (_ []*Regressor[any], err error) {
	defer fault.Name("nystrom", &err)
	start := time.Now()
	p, n, err := normalOf(e, sums)
	if err != nil {
		return nil, err
	}
	if err := n.decompose(ctx); err != nil {
		return nil, err
	}
	out := make([]*Regressor[any], len(lambdas))
	for i, lambda := range lambdas {
		if !(lambda > 0) || math.IsInf(lambda, 0) {
			return nil, fmt.Errorf("λ is %g; give a positive number", lambda)
		}
		if out[i], err = p.model(n.at(lambda*sums[0]), Direct, fitting.Moved[any]{}, start); err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

// SolveClasses is Solve for classes, which are known by their places.
func (e *Equations[T]) SolveClasses(
	ctx context.Context, sums []float64, lambdas []float64,
) ([]*Classifier[T, int], error) {
	if e.Classes < 2 {
		return nil, fmt.Errorf("nystrom classifier: the equations are of numbers, not of classes")
	}
	m, err := e.Solve(ctx, sums, lambdas)
	if err != nil {
		return nil, err
	}
	classes := make([]int, e.Classes)
	for i := range classes {
		classes[i] = i
	}
	out := make([]*Classifier[T, int], len(m))
	for i := range m {
		out[i] = classifierOf(m[i], classes)
	}
	return out, nil
}

func normalOf(e *Equations[any], sums []float64) (*problem, *normal, error) {
	p, err := problemOf(e)
	if err != nil {
		return nil, nil, err
	}
	full, err := unpack(e, sums)
	if err != nil {
		return nil, nil, err
	}
	return p, p.normalOf(full), nil
}
