package cli

import (
	"errors"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/tune"
)

// grid replaces the values that the search would try.
func (o *fitOptions) grid(out *tune.AutoOptions) error {
	if len(o.Grid) == 0 {
		return nil
	}
	values := map[string][]float64{}
	var names []string
	for _, g := range o.Grid {
		name, list, ok := strings.Cut(g, "=")
		v, err := parseAxis(list)
		if !ok || err != nil {
			return usage("--grid: %q; write NAME=1,2,4 or NAME=0.1:10:5", g)
		}
		values[name], names = v, append(names, name)
	}
	strategy := out.Strategy
	if strategy == nil {
		strategy = tune.Grid{}
	}
	out.Search = func(s *tune.Search[kernel.Vec]) { setAxes(s, names, values, strategy) }
	out.SearchSparse = func(s *tune.Search[data.SparseVec]) { setAxes(s, names, values, strategy) }
	return nil
}

// setAxes gives every candidate of a search the values asked for.
func setAxes[T any](s *tune.Search[T], names []string, values map[string][]float64, strategy tune.Strategy) {
	for _, name := range names {
		anywhere := false
		for i := range s.Candidates {
			var found bool
			s.Candidates[i].Axes, found = replaceAxis(s.Candidates[i], name, values[name])
			anywhere = anywhere || found
		}
		if !anywhere && len(s.Candidates) > 0 {
			// The search refuses it, and names the parameters there are.
			s.Candidates[0].Axes = append(s.Candidates[0].Axes, tune.Axis{Name: name, Values: values[name]})
		}
	}
	s.Strategy = strategy
}

// replaceAxis puts the given values in place of an axis, or adds one where the
// kernel has such a parameter; found says whether it could.
func replaceAxis[T any](c tune.Candidate[T], name string, values []float64) (axes []tune.Axis, found bool) {
	axes = append([]tune.Axis(nil), c.Axes...)
	for i, a := range axes {
		if a.Name == name || strings.HasSuffix(a.Name, "."+name) {
			axes[i].Values, found = values, true
		}
	}
	for _, p := range kernel.Params(c.Kernel) {
		if !found && (p.Name == name || strings.HasSuffix(p.Name, "."+name)) {
			axes, found = append(axes, tune.Axis{Name: p.Name, Values: values}), true
		}
	}
	return axes, found
}

// parseAxis reads 1,2,4 or LOW:HIGH:COUNT.
func parseAxis(text string) ([]float64, error) {
	if parts := strings.Split(text, ":"); len(parts) == 3 {
		low, err1 := strconv.ParseFloat(parts[0], 64)
		high, err2 := strconv.ParseFloat(parts[1], 64)
		count, err3 := strconv.Atoi(parts[2])
		if err := errors.Join(err1, err2, err3); err != nil {
			return nil, err
		}
		if !(low > 0 && high >= low) || count < 1 || count > 1000 {
			return nil, errors.New("bounds must be positive and in order")
		}
		return tune.LogSpace(low, high, count), nil
	}
	var out []float64
	for _, s := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}
