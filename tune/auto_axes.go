package tune

import (
	"strings"

	"github.com/mercer-ml/mercer/kernel"
)

// setAxes gives every candidate of a search the values asked for.
func setAxes[T any](s *Search[T], axes []Axis) {
	for _, axis := range axes {
		anywhere := false
		for i := range s.Candidates {
			var found bool
			s.Candidates[i].Axes, found = replaceAxis(s.Candidates[i], axis.Name, axis.Values)
			anywhere = anywhere || found
		}
		if !anywhere && len(s.Candidates) > 0 {
			// The search refuses it, and names the parameters there are.
			s.Candidates[0].Axes = append(s.Candidates[0].Axes, axis)
		}
	}
}

// replaceAxis puts the given values in place of an axis, or adds one where the
// kernel has such a parameter; found says whether it could.
func replaceAxis[T any](c Candidate[T], name string, values []float64) (axes []Axis, found bool) {
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
	return axes, found
}
