package tune

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
)

// relevantLearners take length-scales of columns. A process takes its noise and its variance with
// them and has nothing left to search; a support vector machine for numbers would search prices and
// margins for as long as all else takes together.
func relevantLearners(task data.Task) []string {
	if task == data.Regression {
		return []string{"gp", "ridge"}
	}
	return []string{"svm", "logistic"}
}

// relevant is the candidates of a learner with length-scales that were found; none for a learner
// that does not take them, or that cannot take so many rows.
func (c candidates) relevant(a asked, found *relevance) ([]Candidate, error) {
	if found == nil || a.kernel != nil || !slices.Contains(relevantLearners(c.p.Task), a.name) {
		return nil, nil
	}
	l, err := all.ByName(a.name)
	if err != nil {
		return nil, fault.Errorf("tune", "%w", err)
	}
	if fits, err := c.fits(a.name, l); !fits {
		return nil, err
	}
	if found.Plain != nil { // the folds judge whether forms and parts are worth it
		plain, err := c.relevant(a, found.Plain)
		if err != nil {
			return nil, err
		}
		formed := *found
		formed.Plain = nil
		out, err := c.relevant(a, &formed)
		return append(out, plain...), err
	}
	name := found.name()
	if a.name == "gp" {
		return c.relevantProcess(a, found, "gp "+name)
	}
	if l.Auto.Rows != nil && c.p.Len() > l.Auto.Rows(c.p.Task) {
		return nil, nil
	}
	factors := []float64{1}
	if a.name == "svm" { // a hinge wants other length-scales than squares of codes do
		factors = []float64{0.5, 1, 2}
	}
	var out []Candidate
	for _, factor := range factors {
		label := fmt.Sprintf("%s %s", a.name, name)
		if factor != 1 {
			label += fmt.Sprintf(" ×%g", factor)
		}
		k, err := c.lift(found.profile(factor))
		if err != nil {
			return nil, err
		}
		out = append(out, Candidate{Learner: a.name, Label: label, Kernel: k,
			Axes: a.settle(learnerAxes(l, c.p.Task, false, c.deviation, 1))})
	}
	return out, nil
}

// name is the kernel as tables show it.
func (r relevance) name() string {
	name := "gaussian ard"
	if r.Profile != "gaussian" {
		name = "matern 1.5 ard"
	}
	if len(r.Forms) > 0 {
		name += " forms"
	}
	if len(r.Parts) > 0 {
		name += " + parts"
	}
	return name
}

// relevantProcess is a process whose parameters are all known: one factor of n³/3 for each fold.
func (c candidates) relevantProcess(a asked, found *relevance, label string) ([]Candidate, error) {
	variance := c.deviation * c.deviation
	k, err := c.lift(found.kernel(variance))
	if err != nil {
		return nil, err
	}
	out := Candidate{Learner: "gp", Label: fmt.Sprintf("%s of %d rows", label, found.Rows), Kernel: k,
		Axes: a.settle([]Axis{{Name: "noise", Values: []float64{max(found.Noise, leastNoise) * variance}, listed: true}})}
	for _, p := range kernel.Params(k) {
		out.hold = append(out.hold, p.Name)
	}
	return []Candidate{out}, nil
}

// leastNoise is the least share of the target's variance that rows have as noise: with less a
// factor of many rows is of rounding.
const leastNoise = 1e-6

// relevantOf is the learners that are tried with length-scales of columns: those that were asked
// for, or where the program chooses, the ones that take them.
func relevantOf(learners []asked, own bool, found *relevance, task data.Task) []asked {
	if !own || found == nil {
		return learners
	}
	var out []asked
	for _, name := range relevantLearners(task) {
		out = append(out, asked{name: name})
	}
	return out
}

// climbsTooLong says whether a learner would climb the evidence of all rows in every fold, for more
// rows than that is worth: the length-scales that were found once take the place of it.
func (c candidates) climbsTooLong(a asked) bool {
	l, err := all.ByName(a.name)
	return err == nil && l.Evidence && a.kernel == nil && l.Auto.Rows != nil && c.p.Len() > l.Auto.Rows(c.p.Task)
}
