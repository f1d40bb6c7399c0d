package tune

import (
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// setAxes gives every candidate of a search the values asked for.
func setAxes(s *Search, axes []Axis) {
	for _, axis := range axes {
		anywhere := false
		for i := range s.Candidates {
			var found bool
			s.Candidates[i].Axes, found = replaceAxis(s.Candidates[i], s.Problem.Task, axis.Name, axis.Values)
			s.Candidates[i].holdAxis(axis.Name)
			anywhere = anywhere || found
		}
		if !anywhere && len(s.Candidates) > 0 {
			// The search refuses it, and names the parameters there are.
			s.Candidates[0].Axes = append(s.Candidates[0].Axes, axis)
		}
	}
}

// holdAxis has the kernel's parameter of that name keep the value that the search gives it.
func (c *Candidate) holdAxis(name string) {
	for _, p := range kernel.Params(c.Kernel) {
		if p.Name == name || strings.HasSuffix(p.Name, "."+name) {
			c.given, c.hold = true, append(c.hold[:len(c.hold):len(c.hold)], p.Name)
		}
	}
}

// replaceAxis puts the given values in place of an axis, or adds one where the
// kernel or the learner has such a parameter; found says whether it could.
func replaceAxis(c Candidate, task data.Task, name string, values []float64) (axes []Axis, found bool) {
	axes = append([]Axis(nil), c.Axes...)
	for i, a := range axes {
		if a.Name == name || strings.HasSuffix(a.Name, "."+name) {
			axes[i].Values, found = values, true
		}
	}
	for _, p := range kernel.Params(c.Kernel) {
		if !found && (p.Name == name || strings.HasSuffix(p.Name, "."+name)) {
			axes, found = append(axes, Axis{Name: p.Name, Values: values}), true
		}
	}
	entry, err := c.entry()
	if err != nil || found {
		return axes, found
	}
	for _, p := range entry.ParamsFor(task) {
		if p.Name == name && p.Choices == nil {
			axes, found = append(axes, Axis{Name: name, Values: values, Linear: p.Linear || slices.Contains(values, 0)}), true
			if !slices.Contains(values, 0) {
				axes = slices.DeleteFunc(axes, func(a Axis) bool { return slices.Contains(p.Replaces, a.Name) })
			}
		}
	}
	return axes, found
}
