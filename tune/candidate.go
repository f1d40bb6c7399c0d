package tune

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Learner names a family of learners.
type Learner string

// The learners a search knows how to share work for. Others go by a Custom.
const (
	SVM      Learner = "svm"      // learn.SVC, learn.SVR; parameters C, and epsilon for regression
	Ridge    Learner = "ridge"    // learn.Ridge, one-vs-rest for classes; parameter lambda
	Logistic Learner = "logistic" // learn.Logistic; parameter lambda
	GP       Learner = "gp"       // learn.GP, kernel parameters and noise by marginal likelihood inside every fold
)

// Axis is a parameter that a search varies: one of the learner (C, epsilon,
// lambda) or of the kernel, under its name in kernel.Params.
type Axis struct {
	Name   string
	Values []float64 // the grid; other strategies search between its smallest and largest value
	Linear bool      // steps are differences, not ratios
}

// Candidate is a learner with a kernel and the axes to vary. Parameters without
// an axis keep the values they have in Kernel, or the learner's default.
type Candidate[T any] struct {
	Learner     Learner
	Kernel      kernel.Kernel[T]
	Axes        []Axis
	Label       string     // in tables; empty: made of learner and kernel
	NoIntercept bool       // ridge: f alone, without the constant that is not penalised
	Starts      []GPStart  // gp: where its evidence is climbed from; the highest end counts. nil: the kernel as it is
	Custom      *Custom[T] // a learner of one's own, when Learner is none of the above
}

// GPStart is a place to climb the marginal likelihood of a Gaussian process
// from: it has several tops where data are few or columns many.
type GPStart struct {
	Length float64 // times the length-scales of the kernel; 0 means 1
	Noise  float64 // of regression, as a share of the variance of the targets; 0 means 0.1
}

// learnerParam is a parameter of a learner.
type learnerParam struct {
	name     string
	fallback float64
	domain   kernel.Domain
}

var positive = kernel.Domain{Low: 0, High: math.Inf(1), OpenLow: true, LogScale: true}

func (c Candidate[T]) learnerParams(task data.Task) []learnerParam {
	switch c.Learner {
	case SVM:
		if task == data.Regression {
			return []learnerParam{{"C", 1, positive}, {"epsilon", 0.1, kernel.Domain{High: math.Inf(1)}}}
		}
		return []learnerParam{{"C", 1, positive}}
	case Ridge, Logistic:
		return []learnerParam{{"lambda", 1, positive}}
	}
	if m, ok := machines()[c.Learner]; ok && m.param != nil {
		return []learnerParam{*m.param}
	}
	if c.Custom != nil {
		var out []learnerParam
		for _, p := range c.Custom.Params {
			out = append(out, learnerParam{p.Name, p.Value, p.Domain})
		}
		return out
	}
	return nil
}

// space is a candidate checked and sorted out: which axes are the kernel's and
// which the learner's.
type space[T any] struct {
	Candidate[T]
	kernelParams []kernel.Param
	learner      []learnerParam
	axes         []Axis          // kernel axes first, in the order of the kernel's parameters, then the learner's
	domains      []kernel.Domain // of each axis
	kernelAxes   int
	place        []int // of each axis, in kernelParams or learner
}

func (c Candidate[T]) check(task data.Task, points data.Points[T]) (*space[T], error) {
	s := &space[T]{Candidate: c, learner: c.learnerParams(task)}
	fail := func(format string, a ...any) (*space[T], error) {
		return nil, fault.Errorf("tune", "candidate %q: %s", c.name(), fmt.Sprintf(format, a...))
	}
	switch c.Learner {
	case SVM, Ridge:
	case Logistic:
		if !task.Classification() {
			return fail("logistic regression tells classes apart, and the task is %v; use ridge, svm or gp", task)
		}
	case GP:
	default:
		if m, ok := machines()[c.Learner]; ok {
			if why := m.refuses(c.Learner, task); why != "" {
				return fail("%s", why)
			}
		} else if c.Custom == nil || c.Custom.Fit == nil {
			return fail("unknown learner; choose one of %v, or give Custom", Learners())
		}
	}
	if task == data.Unsupervised && c.Custom == nil {
		return fail("there is no target to learn")
	}
	if c.Kernel == nil {
		return fail("no kernel given")
	}
	if err := kernel.Check(c.Kernel, points); err != nil {
		return fail("%v", err)
	}
	for i, start := range c.Starts {
		if c.Learner != GP {
			return fail("Starts are of Gaussian processes; leave them out")
		}
		if !finiteShare(start.Length) || !finiteShare(start.Noise) {
			return fail("Starts[%d] is %+v; give factors that are 0 (the default) or positive", i, start)
		}
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
		if err := add(p.name, p.domain, i); err != nil {
			return fail("%v", err)
		}
	}
	for _, a := range c.Axes {
		if !seen[a.Name] {
			return fail("no parameter %q (there are: %s)", a.Name, strings.Join(known, ", "))
		}
	}
	return s, nil
}

func finiteShare(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// name is the candidate as tables show it.
func (c Candidate[T]) name() string {
	if c.Label != "" {
		return c.Label
	}
	return strings.TrimSpace(string(c.Learner) + " " + kernelName(c.Kernel))
}

// kernelAt is the kernel with the values of the kernel axes.
func (s *space[T]) kernelAt(theta []float64) (kernel.Kernel[T], error) {
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
func (s *space[T]) learnerAt(theta []float64) map[string]float64 {
	out := map[string]float64{}
	for _, p := range s.learner {
		out[p.name] = p.fallback
	}
	for a := s.kernelAxes; a < len(s.axes); a++ {
		out[s.axes[a].Name] = theta[a]
	}
	return out
}

// LogSpace is n values from low to high with equal ratios: a grid axis.
func LogSpace(low, high float64, n int) []float64 {
	if n == 1 {
		return []float64{low}
	}
	out := make([]float64, n)
	a, b := math.Log(low), math.Log(high)
	for i := range out {
		out[i] = math.Exp(a + (b-a)*float64(i)/float64(n-1))
	}
	out[0], out[n-1] = low, high
	return out
}

// LinSpace is n values from low to high with equal differences.
func LinSpace(low, high float64, n int) []float64 {
	if n == 1 {
		return []float64{low}
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = low + (high-low)*float64(i)/float64(n-1)
	}
	return out
}
