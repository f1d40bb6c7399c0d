package tune

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// Axis is a parameter that a search varies: one of the learner (C, epsilon,
// lambda) or of the kernel, under its name in kernel.Params.
type Axis struct {
	Name   string
	Values []float64 // the grid; other strategies search between its smallest and largest value
	Linear bool      // steps are differences, not ratios

	listed bool // the values are all that was asked for: nothing between them is tried
}

// Candidate is a learner with a kernel and the axes to vary. Parameters without
// an axis keep the values they have in Kernel, or the learner's default.
type Candidate struct {
	Learner     string // its name in the table of learners (learn/all), or that of Use or Custom
	Kernel      kernel.Kernel[any]
	Axes        []Axis
	Label       string         // in tables; empty: made of learner and kernel
	KernelName  string         // in tables; empty: the kernel's text
	NoIntercept bool           // ridge, logistic: f alone, without the constant that is not penalised
	Use         *learn.Learner // in place of the one in the table: one with other options, or of one's own
	Custom      *Custom        // a learner of one's own that makes no learn.Model

	given    bool     // the kernel, or values of its parameters, are the user's: no other form of it takes its place
	hold     []string // parameters of the kernel that were given, by name: nothing that finds others changes them
	way      string   // how kernels of columns are put together
	ownFirst bool     // a grid begins with the values that the parameters of the kernel have: they are the likeliest
}

// entry is the learner of a candidate.
func (c Candidate) entry() (learn.Learner, error) {
	switch {
	case c.Use != nil && c.Use.Fit == nil:
		return learn.Learner{}, fmt.Errorf("Use has no Fit")
	case c.Use != nil:
		return *c.Use, nil
	case c.Custom != nil && c.Custom.Fit == nil:
		return learn.Learner{}, fmt.Errorf("Custom has no Fit")
	case c.Custom != nil:
		return learn.Learner{Name: c.Learner, Values: true, Classes: true, Params: c.Custom.params}, nil
	}
	return all.ByName(c.Learner)
}

// space is a candidate checked and sorted out: which axes are the kernel's and
// which the learner's.
type space struct {
	Candidate
	kernelParams []kernel.Param
	entry        learn.Learner
	learner      []learn.Param
	axes         []Axis          // kernel axes first, in the order of the kernel's parameters, then the learner's
	domains      []kernel.Domain // of each axis
	kernelAxes   int
	place        []int  // of each axis, in kernelParams or learner
	id           string // hash
}

func (c Candidate) check(task data.Task, points data.Points[any]) (*space, error) {
	fail := func(format string, a ...any) (*space, error) {
		return nil, fault.Errorf("tune", "candidate %q: %s", c.name(), fmt.Sprintf(format, a...))
	}
	entry, err := c.entry()
	if err != nil {
		return fail("%v", err)
	}
	s := &space{Candidate: c, entry: entry, learner: entry.ParamsFor(task)}
	switch {
	case task.Classification() && !entry.Classes:
		return fail("%s predicts numbers, and the task is %v", entry.Name, task)
	case task == data.Regression && !entry.Values:
		return fail("%s tells classes apart, and the task is %v", entry.Name, task)
	}
	if task == data.Unsupervised && c.Custom == nil {
		return fail("there is no target to learn")
	}
	if c.Kernel == nil {
		return fail("no kernel given")
	}
	check := kernel.Check[any]
	if kernel.Learns(c.Kernel) { // it has no values yet: the fit asks
		check = func(k kernel.Kernel[any], _ data.Points[any]) error { return kernel.Validate(k) }
	}
	if err := check(c.Kernel, points); err != nil {
		return fail("%v", err)
	}
	s.kernelParams = kernel.Params(c.Kernel)
	seen := map[string]bool{}
	var known []string
	add := func(name string, domain kernel.Domain, place int) error {
		known = append(known, name)
		for _, a := range c.Axes {
			if a.Name != name {
				continue
			}
			if seen[name] {
				return fmt.Errorf("two axes %q", name)
			}
			seen[name] = true
			if len(a.Values) == 0 {
				return fmt.Errorf("axis %q has no values", name)
			}
			for _, v := range a.Values {
				if !domain.Contains(v) {
					return fmt.Errorf("axis %q: %g is outside %v", name, v, domain)
				}
				if !a.Linear && v <= 0 && len(a.Values) > 1 && v != 0 {
					return fmt.Errorf("axis %q: %g on a logarithmic axis; set Linear", name, v)
				}
			}
			values := slices.Clone(a.Values)
			sort.Float64s(values)
			a.Values = slices.Compact(values)
			if a.Values[0] <= 0 {
				a.Linear = true
			}
			s.axes, s.domains, s.place = append(s.axes, a), append(s.domains, domain), append(s.place, place)
		}
		return nil
	}
	for i, p := range s.kernelParams {
		if err := add(p.Name, p.Domain, i); err != nil {
			return fail("%v", err)
		}
	}
	s.kernelAxes = len(s.axes)
	for i, p := range s.learner {
		if err := add(p.Name, p.Domain, i); err != nil {
			return fail("%v", err)
		}
	}
	for _, a := range c.Axes {
		if !seen[a.Name] {
			return fail("no parameter %q (there are: %s)", a.Name, strings.Join(known, ", "))
		}
	}
	s.id = s.hash()
	return s, nil
}

// name is the candidate as tables show it.
func (c Candidate) name() string {
	if c.Label != "" {
		return c.Label
	}
	return strings.TrimSpace(c.Learner + " " + c.kernelName())
}

// kernelName is the kernel as tables show it.
func (c Candidate) kernelName() string {
	if c.KernelName != "" {
		return c.KernelName
	}
	return kernelName(c.Kernel)
}

// kernelAt is the kernel with the values of the kernel axes.
func (s *space) kernelAt(theta []float64) (kernel.Kernel[any], error) {
	if s.kernelAxes == 0 {
		return s.Kernel, nil
	}
	all := kernel.Values(s.Kernel)
	for a := range s.kernelAxes {
		all[s.place[a]] = theta[a]
	}
	return kernel.With(s.Kernel, all)
}

// learnerAt is the learner's parameters by name at the values of the axes.
func (s *space) learnerAt(theta []float64) map[string]float64 {
	out := map[string]float64{}
	for _, p := range s.learner {
		out[p.Name] = p.Default
	}
	for a := s.kernelAxes; a < len(s.axes); a++ {
		out[s.axes[a].Name] = theta[a]
	}
	return out
}

// Try is a candidate: a learner by its name in the table of learners, a kernel, and the axes to
// vary.
func Try[T any](learner string, k kernel.Kernel[T], axes ...Axis) Candidate {
	return Candidate{Learner: learner, Kernel: kernel.Erase(k), Axes: axes}
}

// Over is an axis with its values.
func Over(name string, values ...float64) Axis { return Axis{Name: name, Values: values} }
