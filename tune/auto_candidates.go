package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// autoCandidates picks learners and kernels by the size and the type of the data.
func autoCandidates(
	r *AutoResult, p learn.Problem[any], lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error), o AutoOptions,
	columns *relevance,
) ([]Candidate, error) {
	linear, err := lift(kernel.Linear{})
	if err != nil {
		return nil, err
	}
	c := candidates{r: r, p: p, o: o, lift: lift, linear: linear, median: medianDistance(p.Points, linear, o.Seed),
		deviation: p.Deviation(), words: r.ofWords()}
	kernels := c.kernels()
	learners, err := askedFor(o.Learners, p.Task)
	if err != nil {
		return nil, err
	}
	if o.Learners == nil {
		learners = autoLearners(r, p, o)
	}
	r.tellOutputs(p, o)
	var out []Candidate
	for _, a := range relevantOf(learners, o.Learners == nil, columns, p.Task) {
		found, err := c.relevant(a, columns)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	for _, a := range learners {
		if columns != nil && c.climbsTooLong(a) && len(out) > 0 {
			continue
		}
		found, err := c.of(a, kernels)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	if o.Kernel != nil && !slices.ContainsFunc(out, func(c Candidate) bool { return c.KernelName != ownKernel }) &&
		len(out) > 0 {
		return nil, fault.Errorf("tune", "%s has a kernel of its own, and another is given; leave one of the two out",
			out[0].Learner)
	}
	if len(out) == 0 {
		err := fmt.Errorf("no learner is left for a target whose standard deviation is %.3g; multiply the column by a "+
			"number that makes it moderate", c.deviation)
		if o.Learners != nil {
			err = &NotFitted{o.learnerNames(), err}
		}
		return nil, fault.In("tune", err)
	}
	return out, nil
}

// candidates is what candidates are picked by.
type candidates struct {
	r    *AutoResult
	p    learn.Problem[any]
	o    AutoOptions
	lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error)

	linear    kernel.Kernel[any]
	median    float64 // distance of two points
	deviation float64 // of the target
	words     bool    // most features are words of texts
}

// kernels is the one that is given, or those that are tried.
func (c candidates) kernels() []kernel.Kernel[kernel.Vec] {
	if c.o.Kernel != nil {
		c.r.because("the kernel is given")
		return []kernel.Kernel[kernel.Vec]{c.o.Kernel}
	}
	c.r.because("length-scales around the median distance of two points, %.3g", c.median)
	// many features, each in few rows: hardly anything is gained by a curved boundary, and at a
	// hundred times the cost
	if c.words {
		return []kernel.Kernel[kernel.Vec]{kernel.Linear{}, kernel.Gaussian{Lengthscale: c.median}}
	}
	return []kernel.Kernel[kernel.Vec]{
		kernel.Gaussian{Lengthscale: c.median},
		kernel.Matern{Nu: 1.5, Lengthscale: c.median},
		kernel.Laplace{Lengthscale: c.median},
		kernel.Linear{},
	}
}

// of is a learner with each kernel that it is tried with; none where it is left out.
func (c candidates) of(a asked, kernels []kernel.Kernel[kernel.Vec]) ([]Candidate, error) {
	l, err := all.ByName(a.name)
	if err != nil {
		return nil, fault.Errorf("tune", "%w", err)
	}
	if fits, err := c.fits(a.name, l); !fits {
		return nil, err
	}
	given := c.o.Kernel != nil
	var hold []string
	if given {
		if hold, err = c.o.heldOf(c.o.Kernel); err != nil {
			return nil, err
		}
	}
	if a.kernel != nil {
		kernels, given, hold = []kernel.Kernel[kernel.Vec]{a.kernel}, true, a.hold
	}
	var out []Candidate
	switch {
	case l.Evidence:
		if out, err = autoProcesses(c.p, kernels, given, hold, c.median, c.lift); err != nil {
			return nil, err
		}
		for i := range out {
			out[i].Axes = a.settle(append(out[i].Axes, outputsAxis(l, c.p, c.o)...))
		}
		return out, nil
	case l.OwnKernel:
		return []Candidate{{Learner: a.name, Label: a.name, KernelName: ownKernel, Kernel: c.linear,
			Axes: a.settle(learnerAxes(l, c.p.Task, false, c.deviation, 1))}}, nil
	}
	for i, k := range kernels {
		if !given && i > 0 && !slices.Contains(l.Auto.Kernels, vectorName(k)) {
			continue
		}
		one, err := c.with(a, l, k, given, hold)
		if err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// fits says whether a learner can take the problem. One that was asked for and cannot is an error;
// of one that was picked, or has no numbers for such a target, it is told that it is left out.
func (c candidates) fits(name string, l learn.Learner) (bool, error) {
	if len(c.p.More) > 0 && !l.Several {
		return false, fault.In("tune", &SeveralError{Learner: name, Targets: c.p.Targets(), Can: SeveralLearners()})
	}
	if err := refusesOutputs(l, c.p); err != nil {
		return false, err
	}
	if (c.deviation < 1/extreme || c.deviation > extreme) && !l.AnyUnit(c.p.Task) {
		c.r.note("%s is left out: with a standard deviation of the target of %.3g its sums are beyond what a number holds; "+
			"multiply the column to have it tried", name, c.deviation)
		return false, nil
	}
	if c.o.Repair != gram.NoRepair && !l.ByFunc {
		return false, fault.Errorf("tune",
			"%s: no repair: it cannot be fitted with a repaired kernel; take another learner, or a positive definite kernel",
			name)
	}
	return true, nil
}

// with is a learner with a kernel: one that was given keeps its name and parameters, and its size
// is made up for.
func (c candidates) with(
	a asked, l learn.Learner, k kernel.Kernel[kernel.Vec], given bool, hold []string,
) (Candidate, error) {
	use, err := usedBy(l, c.o)
	if err != nil {
		return Candidate{}, err
	}
	name := vectorName(k)
	linear, size := name == "linear", 1.0
	out := Candidate{Learner: a.name, Use: use, Axes: lengthAxes(k, given, hold),
		Label: fmt.Sprintf("%s %s", a.name, name), given: given, hold: hold}
	if out.Kernel, err = c.lift(k); err != nil {
		return Candidate{}, err
	}
	if given && !linear {
		size = kernelSize(out.Kernel, c.p)
	}
	// Words of a text have length 1 together, as features of other kinds do not.
	out.Axes = append(out.Axes, a.settle(append(learnerAxes(l, c.p.Task, linear && !c.words, c.deviation, size),
		outputsAxis(l, c.p, c.o)...))...)
	return out, nil
}

// medianDistance is the median distance of pairs of points, from the kernel's
// own metric: with the linear kernel ‖x-y‖² = k(x,x) + k(y,y) - 2k(x,y).
func medianDistance(x data.Points[any], linear kernel.Kernel[any], seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6d656469616e))
	n := x.Len()
	square := func(a, b any) float64 { return linear.Eval(a, a) + linear.Eval(b, b) - 2*linear.Eval(a, b) }
	if _, dense := data.VectorsOf(x); dense { // the same, without what cancels far from the origin
		square = func(a, b any) float64 { return kernel.SqDist.Between(any(a).(kernel.Vec), any(b).(kernel.Vec)) }
	}
	var d []float64
	for range 1000 {
		if v := square(x.At(rng.IntN(n)), x.At(rng.IntN(n))); v > 0 {
			d = append(d, math.Sqrt(v))
		}
	}
	if len(d) == 0 {
		return 1
	}
	sort.Float64s(d)
	return d[len(d)/2]
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

// extreme is the standard deviation of a target above which, and below whose reciprocal, learners
// are left out that do not take numbers of any size.
const extreme = 1e100

// kernelSize is the mean of k(x, x) over up to a thousand points, ten of objects, whose values are
// dear; 1 where that says nothing. Kernels that are picked here have 1; one that somebody typed may
// have any.
func kernelSize(k kernel.Kernel[any], p learn.Problem[any]) float64 {
	k, err := fittedTo(context.Background(), k, p, 0)
	if err != nil {
		return 1 // the search says why
	}
	x := p.Points
	n := min(x.Len(), diagonalPoints(x, 1000))
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
func learnerAxes(l learn.Learner, task data.Task, linear bool, deviation, size float64) []Axis {
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

// usedBy is a learner in place of that of the table, where kernels are repaired, a solver is asked
// for, or centres are given.
func usedBy(l learn.Learner, o AutoOptions) (*learn.Learner, error) {
	if o.centers != nil {
		return atCenters(l, o)
	}
	if s := solverNamed(o.Solver); s.method != ridge.Auto && o.Repair == gram.NoRepair {
		by := ridge.LearnerBy(s.method)
		by.Cells, by.Shares, by.Bytes = l.Cells, l.Shares, l.Bytes // on the rows of a search all are the same
		return &by, nil
	}
	return repaired(l, o.Repair), nil
}

// repaired is a learner in place of that of the table, where kernels are repaired.
func repaired(l learn.Learner, how gram.How) *learn.Learner {
	if how == gram.NoRepair {
		return nil
	}
	out := fitting.Repaired(l, how)
	return &out
}

// autoLearners picks the families of learners by the size and the kind of the data.
func autoLearners(r *AutoResult, p learn.Problem[any], o AutoOptions) (found []asked) {
	_, vectors := data.VectorsOf(p.Points)
	given := o.Kernel != nil || o.Columns != nil
	repair := o.Repair != gram.NoRepair
	texts := !repair && !given && r.linearTexts(p.Task)
	var out []string
	own := 0 // learners with a kernel of their own, which come first
	for _, l := range all.Learners() {
		switch {
		case texts && l.Name == linearTexts:
		case texts && p.Len() > fewTexts:
			continue // hardly anything is gained by a kernel matrix, and at a hundred times the cost
		case !l.Does(p.Task) || len(p.More) > 0 && !l.Several || l.Auto.Rows == nil || p.Len() > l.Auto.Rows(p.Task):
			continue
		case l.OwnKernel && (given || !vectors):
			continue // it would not use the kernel that is given, or cuts columns that there are none of
		case repair && !l.ByFunc:
			continue // its models cannot be written with the kernel itself
		}
		if l.OwnKernel { // quick, and what the others are to be measured by
			out, found = slices.Insert(out, own, l.Name), slices.Insert(found, own, asked{name: l.Name})
			own++
			continue
		}
		out, found = append(out, l.Name), append(found, asked{name: l.Name})
	}
	r.because("%d rows: %s", p.Len(), strings.Join(out, ", "))
	return found
}

// lengthAxes varies the length-scales of a kernel over a factor of 32 around what it has, but for
// those that are held; a kernel that the user gave keeps its other parameters too.
func lengthAxes(k kernel.Kernel[kernel.Vec], given bool, hold []string) []Axis {
	var out []Axis
	for _, p := range kernel.Params(k) {
		if slices.Contains(hold, p.Name) {
			continue
		}
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
