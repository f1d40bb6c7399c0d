package tune

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// solverName is a way to fit the model in the end, of which Auto can be asked for one.
type solverName struct {
	Name    string
	Summary string // in a line of help

	contest  contest
	centers  nystrom.Solver
	learners []string // those that are searched with, the first where none was asked for; none: any
	solves   []string // those that it can be asked to fit, where learners has none
	count    string   // the parameter of theirs that Centers is
	method   ridge.Method
}

// solvers lists them. A learner that fits all rows at once, whatever their number, is an entry with
// its name and the contest straight.
func solvers() []solverName {
	return []solverName{
		{Name: "exact", Summary: "the chosen learner itself, on as many rows as there is time for", contest: onlyExact},
		{Name: "nystrom", Summary: "few centres of all rows, the equations added up in one pass", contest: onlyCenters,
			centers: nystrom.Direct, solves: ofCenters},
		{Name: "falkon", Summary: "few centres of all rows, by conjugate gradients in passes", contest: onlyCenters,
			centers: nystrom.Falkon, solves: ofCenters},
		{Name: "cg", Summary: "ridge regression on all rows by conjugate gradients, no matrix kept", contest: straight,
			learners: []string{"ridge"}, method: ridge.CG},
		{Name: "askotch", Summary: "ridge regression on all rows by sketch and project, block after block", contest: straight,
			learners: []string{"ridge"}, method: ridge.ASkotch},
		{Name: "snacks", Summary: "a support vector machine on few centres of all rows, by stochastic steps",
			contest: straight, learners: []string{"snacks"}, count: "centres"},
		{Name: "features", Summary: "random Fourier features of all rows, in passes over them", contest: straight,
			learners: []string{"features", "features-logistic", "features-svm"}, count: "frequencies"},
		{Name: "sgpr", Summary: "a Gaussian process by few inducing points, on all rows", contest: straight,
			learners: []string{"sgpr"}, count: "inducing"},
	}
}

// ofCenters are the learners of whose problem few centres are a way to solve it: ridge regression.
var ofCenters = []string{"nystrom", "ridge"}

// SolverNames lists the names.
func SolverNames() []string {
	var names []string
	for _, s := range solvers() {
		names = append(names, s.Name)
	}
	return names
}

// solverNamed is the solver of a name; none has the zero value of everything.
func solverNamed(name string) solverName {
	for _, s := range solvers() {
		if s.Name == name {
			return s
		}
	}
	return solverName{}
}

// counted are the axes of a search with so many centres: 0 leaves their number to the learner.
func (s solverName) counted(centers int) []Axis {
	if s.count == "" || centers == 0 {
		return nil
	}
	return []Axis{Over(s.count, float64(centers))}
}

// settleSolver takes over what the solver asked for means for the search.
func (o *AutoOptions) settleSolver() error {
	if o.Centers < 0 {
		return fault.Errorf("tune", "Centers is %d; give a positive number, or 0 for as many as there is time for", o.Centers)
	}
	s := solverNamed(o.Solver)
	switch {
	case o.Solver != "" && s.Name == "":
		return fault.Errorf("tune", "unknown solver %q; there are %s", o.Solver, strings.Join(SolverNames(), ", "))
	case (s.contest == onlyExact || s.contest == straight && s.count == "") && o.Centers > 0:
		return fault.Errorf("tune", "solver %q has no centres to choose; leave one of the two out", o.Solver)
	case s.solves != nil && o.Learners != nil && !o.onlyNamed(s.solves...):
		return fault.Errorf("tune", "solver %q fits %s, and %s was asked for; leave one of the two out", o.Solver,
			strings.Join(s.solves, ", "), strings.Join(o.Learners, ", "))
	case o.Solver == "" && o.Centers > 0:
		if err := o.settleCenters(&s); err != nil {
			return err
		}
	}
	if s.learners != nil {
		for _, l := range o.Learners {
			// its parameters may be fixed
			if name, _, _ := strings.Cut(l, "("); !slices.Contains(s.learners, strings.TrimSpace(name)) {
				return fault.Errorf("tune", "solver %q fits %s, and %s was asked for; leave one of the two out", o.Solver,
					strings.Join(s.learners, ", "), strings.Join(o.Learners, ", "))
			}
		}
		if o.Learners == nil {
			o.Learners = s.learners[:1]
		}
	}
	switch {
	case s.contest != everyone:
		o.only = s.contest
	case o.only == everyone && o.Learners != nil && !o.onlyNamed("nystrom"):
		o.only = onlyExact // what was named is fitted, on as many rows as there is time for
	}
	return nil
}

// settleCenters takes over what a number of centres means for the learners that were named: those
// that are made of centres have as many.
func (o *AutoOptions) settleCenters(s *solverName) error {
	if o.Learners == nil || o.onlyNamed(ofCenters...) {
		s.contest = onlyCenters
		return nil
	}
	for _, name := range o.learnerNames() {
		l, ok := all.Described(name)
		if !ok {
			continue // which is said elsewhere
		}
		if !slices.ContainsFunc(l.ParamsFor(data.Binary), func(p learn.Param) bool { return p.Name == "centres" }) {
			return fault.Errorf("tune", "Centers is %d, and %s has no centres to choose; leave one of the two out", o.Centers,
				name)
		}
	}
	o.Axes, o.Centers = append(o.Axes[:len(o.Axes):len(o.Axes)],
		Axis{Name: "centres", Values: []float64{float64(o.Centers)}, Linear: true}), 0
	return nil
}
