package svm

import (
	"cmp"
	"context"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Classifier is a fitted Classification or PrimalClassification. Its function has one output for
// each machine: one for two classes (positive for the larger label), the pairs of classes in the
// order (0,1), (0,2), …, (1,2), … for one-vs-one (positive for the first of the pair), the classes
// in order for one-vs-rest.
type Classifier[T any, L cmp.Ordered] struct {
	f       *rkhs.Func[T]
	classes []L
	classMachines
}

// classMachines is what a classifier keeps of its machines beside their function.
type classMachines struct {
	rule     learn.MultiClass
	order    []int // in which LIBSVM had the classes, which decides its ties; nil for models of our own
	support  []int
	each     []*machine
	sigmoids []learn.Sigmoid // one for each machine when probabilities were asked for
	n        int             // training points
	report   learn.Report
}

// newClassifier gives points and labels their types back.
func newClassifier[T any, L cmp.Ordered](
	k kernel.Kernel[T], f *rkhs.Func[any], classes []L, m *classMachines,
) *Classifier[T, L] {
	return &Classifier[T, L]{f: rkhs.Typed(k, f), classes: classes, classMachines: *m}
}

// collect joins the support vectors of all machines. x is in the order
// of the fit; order says which training point stands where.
func collect(
	k kernel.Kernel[any], x data.Points[any], order []int, tasks []learn.TwoClass, machines []*machine,
) (*rkhs.Func[any], *classMachines) {
	n := x.Len()
	slot := make([]int, n)
	var used []int
	for k, m := range machines {
		for i, a := range m.coef {
			if p := tasks[k].Index[i]; a != 0 && slot[p] == 0 {
				slot[p] = 1
			}
		}
	}
	for p := range slot {
		if slot[p] != 0 {
			slot[p] = len(used)
			used = append(used, p)
		}
	}
	coef := mat.NewDense(max(len(used), 1), len(machines), nil)
	bias := make([]float64, len(machines))
	for k, m := range machines {
		bias[k] = m.bias
		for i, a := range m.coef {
			if a != 0 {
				coef.Set(slot[tasks[k].Index[i]], k, a)
			}
		}
		m.coef = nil
	}
	if len(used) == 0 {
		used = []int{0} // an expansion has at least one centre; its coefficients are 0
	}
	f := &rkhs.Func[any]{Kernel: k, Centers: data.OwnSubset(x, used), Coef: coef, Bias: bias}
	return f.Prepare(), &classMachines{support: data.Take(order, used), each: machines, n: n}
}

// Func is the decision function, one output for each machine.
func (m *Classifier[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went; its objective is the sum over the machines.
func (m *classMachines) Report() learn.Report { return m.report }

// Classes lists the labels in increasing order.
func (m *Classifier[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Support lists the training points that are support vectors of any machine,
// in the order of the centres of Func.
func (m *classMachines) Support() []int { return append([]int(nil), m.support...) }

// Objectives is the dual objective ½αᵀQα - Σα of each machine.
func (m *classMachines) Objectives() []float64 {
	out := make([]float64, len(m.each))
	for i, k := range m.each {
		out[i] = k.objective
	}
	return out
}

// DualityGap is the largest relative difference between the primal and dual
// objectives of a machine; NaN for ν-SVC.
func (m *classMachines) DualityGap() float64 { return largestGap(m.each) }

func largestGap(machines []*machine) float64 {
	gap := machines[0].gap
	for _, k := range machines[1:] {
		gap = max(gap, k.gap)
	}
	return gap
}

// Decisions is the number of machines.
func (m *classMachines) Decisions() int { return len(m.each) }

// Decision returns the decision values of all machines, a row for each point.
func (m *Classifier[T, L]) Decision(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.New(ctx, m.f, x)
}

// DecisionTo writes the decision values of point i to row i of dst.
func (m *Classifier[T, L]) DecisionTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return apply.To(ctx, m.f, dst, x)
}

// Predict returns the label of each point: by
// the sign of the decision value for two classes, by votes (ties by the sum of
// decision values) for one-vs-one, by the largest decision value for one-vs-rest. A model with
// probabilities predicts its most probable class instead, so that Predict and Proba never disagree.
func (m *Classifier[T, L]) Predict(ctx context.Context, x data.Points[T]) ([]L, error) {
	return apply.Slice(x, func(dst []L) error { return m.PredictTo(ctx, dst, x) })
}

// PredictTo writes the label of point i to dst[i].
func (m *Classifier[T, L]) PredictTo(ctx context.Context, dst []L, x data.Points[T]) error {
	k := len(m.classes)
	if k == 2 && m.sigmoids == nil && m.order == nil { // no votes to count
		return learn.PredictFrom(ctx, m, dst, x, learn.DecideOneVsRest)
	}
	votes, sums := make([]int, k), make([]float64, k)
	return learn.PredictFrom(ctx, m, dst, x, func(decision []float64) int {
		switch {
		case m.sigmoids != nil:
			m.probabilities(sums, decision)
			return learn.ArgMax(sums)
		case m.rule == learn.OneVsRest:
			return learn.DecideOneVsRest(decision)
		case m.order != nil:
			return voteInOrder(decision, m.order, votes)
		}
		return fitting.VoteOneVsOne(decision, k, votes, sums)
	})
}

// ClassScores is a score for each class: the votes of the pairs, ties settled by the sums of their
// decision values.
func (m *classMachines) ClassScores(score, decision []float64) {
	if m.rule == learn.OneVsRest {
		copy(score, decision)
		return
	}
	fitting.VoteScores(score, decision)
}
