package learn

import (
	"cmp"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// SVCModel is a fitted SVC. Its function has one output for each machine: one
// for two classes (positive for the larger label), the pairs of classes in the
// order (0,1), (0,2), …, (1,2), … for one-vs-one (positive for the first of the pair), the classes
// in order for one-vs-rest.
type SVCModel[T any, L cmp.Ordered] struct {
	f        *rkhs.Func[T]
	classes  []L
	rule     MultiClass
	support  []int
	machines []*machine
	sigmoids []Sigmoid // one for each machine when probabilities were asked for
	n        int       // training points
	report   Report
}

// newSVCModel collects the support vectors of all machines. x is in the order
// of the fit; order says which training point stands where.
func newSVCModel[T any, L cmp.Ordered](c SVC[T, L], classes []L, x data.Points[T], order []int, tasks []Task, machines []*machine) *SVCModel[T, L] {
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
	return &SVCModel[T, L]{
		f:       &rkhs.Func[T]{Kernel: c.Kernel, Centers: data.OwnSubset(x, used), Coef: coef, Bias: bias},
		classes: classes, rule: c.MultiClass, support: permuted(order, used), machines: machines, n: n,
	}
}

// Func is the decision function, one output for each machine.
func (m *SVCModel[T, L]) Func() *rkhs.Func[T] { return m.f }

// Report says how the fit went; its objective is the sum over the machines.
func (m *SVCModel[T, L]) Report() Report { return m.report }

// Classes lists the labels in increasing order.
func (m *SVCModel[T, L]) Classes() []L { return append([]L(nil), m.classes...) }

// Support lists the training points that are support vectors of any machine,
// in the order of the centres of Func.
func (m *SVCModel[T, L]) Support() []int { return append([]int(nil), m.support...) }

// Objectives is the dual objective ½αᵀQα - Σα of each machine.
func (m *SVCModel[T, L]) Objectives() []float64 {
	out := make([]float64, len(m.machines))
	for i, k := range m.machines {
		out[i] = k.objective
	}
	return out
}

// DualityGap is the largest relative difference between the primal and dual
// objectives of a machine; NaN for ν-SVC.
func (m *SVCModel[T, L]) DualityGap() float64 { return largestGap(m.machines) }

func largestGap(machines []*machine) float64 {
	gap := machines[0].gap
	for _, k := range machines[1:] {
		gap = max(gap, k.gap)
	}
	return gap
}

// Decision writes the decision values of all machines, a row for each point,
// into dst, or into a new matrix when dst is nil.
func (m *SVCModel[T, L]) Decision(dst *mat.Dense, x data.Points[T]) *mat.Dense {
	n := x.Len()
	if dst == nil {
		dst = new(mat.Dense)
		if n > 0 {
			dst = mat.NewDense(n, len(m.machines), nil)
		}
	}
	if n > 0 {
		m.f.EvalTo(dst, x)
	}
	return dst
}

// Predict returns the label of each point, in dst when it is long enough: by
// the sign of the decision value for two classes, by votes (ties by the sum of
// decision values) for one-vs-one, by the largest decision value for one-vs-rest. A model with
// probabilities predicts its most probable class instead, so that Predict and Proba never disagree.
func (m *SVCModel[T, L]) Predict(dst []L, x data.Points[T]) []L {
	code := make([]int, x.Len())
	if len(code) == 0 {
		return dst[:0]
	}
	k := len(m.classes)
	decision := m.Decision(nil, x)
	votes, sums := make([]int, k), make([]float64, k)
	for i := range code {
		row := decision.RawRowView(i)
		switch {
		case m.sigmoids != nil:
			m.probabilities(sums, row)
			code[i] = ArgMax(sums)
		case m.rule == OneVsRest:
			code[i] = DecideOneVsRest(row)
		default:
			code[i] = VoteOneVsOne(row, k, votes, sums)
		}
	}
	return decode(dst, m.classes, code)
}
