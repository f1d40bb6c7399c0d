package tune

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// Solver is a way to fit the model in the end, of which Auto can be asked for one.
type Solver struct {
	Name    string
	Summary string // in a line of help

	contest contest
	centers nystrom.Solver
	learner string // that alone is searched with; empty: any
	method  ridge.Method
}

// Solvers lists them. A learner that fits all rows at once, whatever their number, is an entry with its name and the contest straight.
func Solvers() []Solver {
	return []Solver{
		{Name: "exact", Summary: "the chosen learner itself, on as many rows as there is time for", contest: onlyExact},
		{Name: "nystrom", Summary: "few centres of all rows, the equations added up in one pass", contest: onlyCenters, centers: nystrom.Direct},
		{Name: "falkon", Summary: "few centres of all rows, by conjugate gradients in passes", contest: onlyCenters, centers: nystrom.Falkon},
		{Name: "cg", Summary: "ridge regression on all rows by conjugate gradients, no matrix kept", contest: straight, learner: "ridge", method: ridge.CG},
		{Name: "askotch", Summary: "ridge regression on all rows by sketch and project, block after block", contest: straight, learner: "ridge", method: ridge.ASkotch},
	}
}

// SolverNames lists the names.
func SolverNames() []string {
	var names []string
	for _, s := range Solvers() {
		names = append(names, s.Name)
	}
	return names
}

// solverNamed is the solver of a name; none has the zero value of everything.
func solverNamed(name string) Solver {
	for _, s := range Solvers() {
		if s.Name == name {
			return s
		}
	}
	return Solver{}
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
	case s.contest == onlyExact && o.Centers > 0:
		return fault.Errorf("tune", "solver %q has no centres to choose; leave one of the two out", o.Solver)
	case o.Solver == "" && o.Centers > 0:
		s.contest = onlyCenters
	}
	if s.learner != "" {
		if o.Learners != nil && !slices.Equal(o.Learners, []string{s.learner}) {
			return fmt.Errorf("tune: solver %q fits %s, and %s was asked for; leave one of the two out", o.Solver, s.learner, strings.Join(o.Learners, ", "))
		}
		o.Learners = []string{s.learner}
	}
	if s.contest != everyone {
		o.only = s.contest
	}
	return nil
}
