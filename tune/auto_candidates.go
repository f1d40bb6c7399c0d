package tune

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// autoCandidates picks learners and kernels by the size and the type of the data.
func autoCandidates[T any](r *AutoResult, p Problem[T], lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[T], error), o AutoOptions) ([]Candidate[T], error) {
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
	if o.Kernel != nil {
		kernels = []kernel.Kernel[kernel.Vec]{o.Kernel}
		r.because("the kernel is given")
	} else {
		r.because("length-scales around the median distance of two points, %.3g", median)
	}
	learners := o.Learners
	if learners == nil {
		learners = autoLearners(r, p)
	}
	spreadY := deviation(p)
	var out []Candidate[T]
	for _, l := range learners {
		if l == GP {
			processes, err := autoProcesses(p, kernels, o.Kernel != nil, median, spreadY, lift)
			if err != nil {
				return nil, err
			}
			out = append(out, processes...)
			continue
		}
		for i, k := range kernels {
			// The rough kernels are worth their time with the learner that is
			// cheapest to tune.
			if o.Kernel == nil && i > 0 && l != Ridge && !(l == SVM && slices.Contains([]int{2, 3}, i)) {
				continue
			}
			c := Candidate[T]{Learner: l, Axes: lengthAxes(k, o.Kernel != nil)}
			if c.Kernel, err = lift(k); err != nil {
				return nil, err
			}
			c.Label = fmt.Sprintf("%s %s", l, kernelName(k))
			switch l {
			case SVM:
				prices := LogSpace(1.0/8, 1024, 8)
				if kernelName(k) == "linear" {
					prices = LogSpace(1.0/256, 1, 5) // its values grow with the dimension, and so does the time at a high price
				}
				c.Axes = append(c.Axes, Axis{Name: "C", Values: scaled(spreadY, prices)})
				if p.Task == data.Regression {
					c.Axes = append(c.Axes, Axis{Name: "epsilon", Values: scaled(spreadY, []float64{0.01, 0.1})})
				}
			case Ridge:
				c.Axes = append(c.Axes, Axis{Name: "lambda", Values: LogSpace(1e-6, 100, 17)})
			case Logistic:
				c.Axes = append(c.Axes, Axis{Name: "lambda", Values: LogSpace(1e-3, 10, 5)})
			default:
				c.Axes = append(c.Axes, machines()[l].axes()...)
			}
			out = append(out, c)
		}
	}
	return out, nil
}

// autoLearners picks the families of learners.
func autoLearners[T any](r *AutoResult, p Problem[T]) []Learner {
	n := p.Len()
	out := []Learner{SVM}
	if n <= ridgeRows {
		out = append(out, Ridge)
	}
	if n <= gpRows && p.Task == data.Regression || n <= laplaceRows && p.Task == data.Binary {
		out = append(out, GP)
	}
	if n <= logisticRows && p.Task.Classification() {
		out = append(out, Logistic)
	}
	names := make([]string, len(out))
	for i, l := range out {
		names[i] = string(l)
	}
	r.because("%d rows: %s", n, strings.Join(names, ", "))
	return out
}

// ridgeRows is the most rows for which an eigendecomposition for each kernel
// setting is worth its n³.
const ridgeRows = 2500

// The most rows for which some tens of factorisations for each fold are worth
// their n³.
const (
	gpRows       = 1500
	logisticRows = 700
	laplaceRows  = 500
)

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
			out = append(out, Axis{Name: p.Name, Values: LogSpace(p.Value/8, p.Value*4, steps)})
		}
	}
	return out
}

// deviation is the standard deviation of a regression target, which C and ε
// are measured in; 1 for classes.
func deviation[T any](p Problem[T]) float64 {
	if p.Task != data.Regression {
		return 1
	}
	mean, sq := 0.0, 0.0
	for i, y := range p.Y {
		d := y - mean
		mean += d / float64(i+1)
		sq += d * (y - mean)
	}
	if s := math.Sqrt(sq / float64(len(p.Y))); s > 0 && !math.IsInf(s, 0) {
		return s
	}
	return 1
}

func scaled(by float64, v []float64) []float64 {
	for i := range v {
		v[i] *= by
	}
	return v
}
