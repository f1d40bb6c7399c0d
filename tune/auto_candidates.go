package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/all"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/spec"
)

// autoCandidates picks learners and kernels by the size and the type of the data.
func autoCandidates[T any](r *AutoResult, p learn.Problem[T], lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[T], error), o AutoOptions) ([]Candidate[T], error) {
	linear, err := lift(kernel.Linear{})
	if err != nil {
		return nil, err
	}
	median := medianDistance(p.Points, linear, o.Seed)
	kernels := []kernel.Kernel[kernel.Vec]{
		kernel.Gaussian{Lengthscale: median},
		kernel.Matern{Nu: 1.5, Lengthscale: median},
		kernel.Laplace{Lengthscale: median},
		kernel.Linear{},
	}
	words := r.ofWords()
	if words { // many features, each in few rows: hardly anything is gained by a curved boundary, and at a hundred times the cost
		kernels = []kernel.Kernel[kernel.Vec]{kernel.Linear{}, kernel.Gaussian{Lengthscale: median}}
	}
	if o.Kernel != nil {
		kernels = []kernel.Kernel[kernel.Vec]{o.Kernel}
		r.because("the kernel is given")
	} else {
		r.because("length-scales around the median distance of two points, %.3g", median)
	}
	learners, err := askedFor(o.Learners, p.Task)
	if err != nil {
		return nil, err
	}
	if o.Learners == nil {
		learners = autoLearners(r, p, o.Repair != gram.NoRepair)
	}
	deviation := p.Deviation()
	var out []Candidate[T]
	for _, a := range learners {
		name := a.name
		l, err := all.ByName[T](name)
		if err != nil {
			return nil, fmt.Errorf("tune: %w", err)
		}
		if len(p.More) > 0 && !l.Several {
			return nil, fault.In("tune", &SeveralError{Learner: name, Targets: p.Targets(), Can: SeveralLearners()})
		}
		if p.ClassWeights != nil && l.Evidence {
			if o.Learners != nil {
				return nil, fault.Errorf("tune", "%s takes no weights of classes; leave one of the two out", name)
			}
			r.because("%s is left out: it takes no weights of classes", name)
			continue
		}
		if (deviation < 1/extreme || deviation > extreme) && !l.AnyUnit(p.Task) {
			r.note("%s is left out: with a standard deviation of the target of %.3g its sums are beyond what a number holds; multiply the column to have it tried", name, deviation)
			continue
		}
		if o.Repair != gram.NoRepair && !l.ByFunc {
			return nil, fault.Errorf("tune", "%s: no repair: it cannot be fitted with a repaired kernel; take another learner, or a positive definite kernel", name)
		}
		kernels, given := kernels, o.Kernel != nil
		if a.kernel != nil {
			kernels, given = []kernel.Kernel[kernel.Vec]{a.kernel}, true
		}
		if l.Evidence {
			processes, err := autoProcesses(p, kernels, given, median, lift)
			if err != nil {
				return nil, err
			}
			for i := range processes {
				processes[i].Axes = a.settle(processes[i].Axes)
			}
			out = append(out, processes...)
			continue
		}
		if l.OwnKernel {
			c := Candidate[T]{Learner: name, Label: name, KernelName: ownKernel, Kernel: linear, Axes: a.settle(learnerAxes(l, p.Task, false, deviation, 1))}
			out = append(out, c)
			continue
		}
		for i, k := range kernels {
			if !given && i > 0 && !slices.Contains(l.Auto.Kernels, kernelName(k)) {
				continue
			}
			use, err := usedBy(l, o)
			if err != nil {
				return nil, err
			}
			c := Candidate[T]{Learner: name, Use: use, Axes: lengthAxes(k, given), Label: fmt.Sprintf("%s %s", name, kernelName(k))}
			if c.Kernel, err = lift(k); err != nil {
				return nil, err
			}
			if given {
				text, err := spec.FormatKernel(k)
				c.KernelName = givenName(k, append(c.Axes[:len(c.Axes):len(c.Axes)], o.Axes...), text, err)
			}
			size := 1.0
			if linear := kernelName(k) == "linear"; given && !linear {
				size = kernelSize(c.Kernel, p.Points)
			}
			// Words of a text have length 1 together, as features of other kinds do not.
			c.Axes = append(c.Axes, a.settle(learnerAxes(l, p.Task, kernelName(k) == "linear" && !words, deviation, size))...)
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return nil, fault.Errorf("tune", "no learner is left for a target whose standard deviation is %.3g; multiply the column by a number that makes it moderate", deviation)
	}
	return out, nil
}

// ofWords says whether most features are words of texts.
func (r *AutoResult) ofWords() bool {
	if r.Encoder == nil {
		return false
	}
	words := 0
	for _, c := range r.Encoder.Columns {
		if c.Kind == data.Text {
			words += c.Width
		}
	}
	return 2*words > r.Encoder.Dim
}

// extreme is the standard deviation of a target above which, and below whose reciprocal, learners are left out
// that do not take numbers of any size.
const extreme = 1e100

// kernelSize is the mean of k(x, x) over up to a thousand points; 1 where that says nothing. Kernels that are picked here have
// 1; one that somebody typed may have any.
func kernelSize[T any](k kernel.Kernel[T], x data.Points[T]) float64 {
	n := min(x.Len(), 1000)
	mean := 0.0
	for i := range n {
		at := x.At(i * x.Len() / n)
		mean += k.Eval(at, at) / float64(n)
	}
	if !(mean > 1e-100 && mean < 1e100) {
		return 1
	}
	return mean
}

// learnerAxes is what a search varies of the learner when it picks for itself.
func learnerAxes[T any](l learn.Learner[T], task data.Task, linear bool, deviation, size float64) []Axis {
	var out []Axis
	for _, p := range l.ParamsFor(task) {
		grid := p.Grid
		if linear && p.LinearGrid != nil {
			grid = p.LinearGrid
		}
		if grid == nil {
			continue
		}
		grid = slices.Clone(grid)
		for i := range grid {
			if p.PerDeviation {
				grid[i] *= deviation
			}
			grid[i] *= math.Pow(size, p.PerKernel)
		}
		out = append(out, Axis{Name: p.Name, Values: grid, Linear: p.Linear})
	}
	return out
}

// usedBy is a learner in place of that of the table, where kernels are repaired, a solver is asked for, or centres are given.
func usedBy[T any](l learn.Learner[T], o AutoOptions) (*learn.Learner[T], error) {
	if o.centers != nil {
		return atCenters(l, o)
	}
	if s := solverNamed(o.Solver); s.method != ridge.Auto && o.Repair == gram.NoRepair {
		by := ridge.LearnerBy[T](s.method)
		by.Cells, by.Shares, by.Bytes = l.Cells, l.Shares, l.Bytes // on the rows of a search all are the same
		return &by, nil
	}
	return repaired(l, o.Repair), nil
}

// repaired is a learner in place of that of the table, where kernels are repaired.
func repaired[T any](l learn.Learner[T], how gram.How) *learn.Learner[T] {
	if how == gram.NoRepair {
		return nil
	}
	out := learn.Repaired(l, how)
	return &out
}

// autoLearners picks the families of learners by the size of the data.
func autoLearners[T any](r *AutoResult, p learn.Problem[T], repair bool) (found []asked) {
	var out []string
	for _, l := range all.Learners[T]() {
		if repair && !l.ByFunc {
			continue // its models cannot be written with the kernel itself
		}
		if l.Does(p.Task) && (len(p.More) == 0 || l.Several) && l.Auto.Rows != nil && p.Len() <= l.Auto.Rows(p.Task) {
			out, found = append(out, l.Name), append(found, asked{name: l.Name})
		}
	}
	r.because("%d rows: %s", p.Len(), strings.Join(out, ", "))
	return found
}

// lengthAxes varies the length-scales of a kernel over a factor of 32 around
// what it has; a kernel that the user gave keeps its other parameters too.
func lengthAxes(k kernel.Kernel[kernel.Vec], given bool) []Axis {
	var out []Axis
	for _, p := range kernel.Params(k) {
		if strings.HasSuffix(p.Name, "lengthscale") && p.Value > 0 && len(out) < 2 {
			steps := 7
			if len(out) > 0 || given && len(kernel.Params(k)) > 3 {
				steps = 5
			}
			out = append(out, Axis{Name: p.Name, Values: learn.LogSpace(p.Value/8, p.Value*4, steps)})
		}
	}
	return out
}
