package tune

import (
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/learn"
)

// JointLearners lists the learners that learn several targets as one model where they are asked to.
func JointLearners() (names []string) {
	for _, l := range all.Learners() {
		if l.Joint {
			names = append(names, l.Name)
		}
	}
	return names
}

// refusesOutputs is the error of a learner that does not heed the kernel of a problem's outputs.
func refusesOutputs(l learn.Learner, p learn.Problem[any]) error {
	if p.Outputs == nil || l.Joint {
		return nil
	}
	return fault.In("tune", &refusal.OutputsError{Learner: l.Name, Can: JointLearners()})
}

// jointRows is the most rows for which several targets are tried as one model, too: it takes an
// eigendecomposition for each fold where targets apart take one for all of them.
const jointRows = 500

// jointTried says whether a search that picks its learners tries several targets as one model, too.
// A learner that was named learns them as its text says.
func jointTried(p learn.Problem[any], o AutoOptions) bool {
	return len(p.More) > 0 && p.Outputs == nil && p.Len() <= jointRows && o.Learners == nil && o.Repair == gram.NoRepair &&
		o.Solver == ""
}

// outputsAxis has a search try several targets as one model beside a model for each; the folds
// choose.
func outputsAxis(l learn.Learner, p learn.Problem[any], o AutoOptions) []Axis {
	if !l.Joint || !jointTried(p, o) {
		return nil
	}
	for _, q := range l.ParamsFor(p.Task) {
		if q.Name == "outputs" {
			return []Axis{{Name: q.Name, Values: []float64{0, 1}, Linear: true, listed: true}}
		}
	}
	return nil
}

// tellOutputs says how several targets are learnt: as one model, apart, or as the folds choose.
func (r *AutoResult) tellOutputs(p learn.Problem[any], o AutoOptions) {
	switch {
	case len(p.More) == 0:
	case jointTried(p, o):
		r.because("%d targets share the kernel: as one model of correlated outputs (outputs=joint) and apart "+
			"(outputs=apart), which the folds choose between", p.Targets())
	case p.Outputs != nil:
		r.because("the kernel of the outputs is given: the targets are one model")
	case p.Len() > jointRows && o.Learners == nil:
		r.because("%d targets share the kernel and are learnt apart: one model of all of them (outputs=joint) is tried up "+
			"to %d rows, or where it is asked for", p.Targets(), jointRows)
	}
}
