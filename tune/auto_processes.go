package tune

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// autoProcesses is the Gaussian processes to try: their parameters are found by marginal likelihood
// inside every fold, so each has one cell. It is climbed from wide length-scales and much noise,
// and from short ones and little: with many columns they end on different tops. A kernel that the
// user gave is the only one.
func autoProcesses(
	p learn.Problem[any], kernels []kernel.Kernel[kernel.Vec], given bool, hold []string, median float64,
	lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error),
) ([]Candidate, error) {
	if !given {
		if kernels = processKernels(p.Task, dimension(p.Points), median); p.Len() > severalRows {
			kernels = kernels[:1]
		}
	}
	var out []Candidate
	for _, k := range kernels {
		c := Candidate{Learner: "gp", Label: "gp " + processName(k), given: given, hold: hold}
		if !given && p.Len() <= startsRows {
			several := gp.LearnerFrom(gp.Start{}, gp.Start{Length: 0.5, Noise: 0.01})
			c.Use = &several
		}
		var err error
		if c.Kernel, err = lift(k); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// The most rows for which a second start, and a second kernel, are worth
// their n³ within a minute.
const (
	startsRows  = 700
	severalRows = 1000
)

// ardColumns is the most columns for which each gets a length-scale of its own.
const ardColumns = 20

// processKernels is the kernels of a process. For classes it is one length-scale for all columns;
// for numbers a smooth kernel and a rough one, with a length-scale for each of up to ardColumns
// columns (one for all of them is what ridge regression tries).
func processKernels(task data.Task, dim int, median float64) []kernel.Kernel[kernel.Vec] {
	smooth, rough := kernel.Gaussian{Lengthscale: median}, kernel.Matern{Nu: 1.5, Lengthscale: median}
	switch {
	case task.Classification():
		return []kernel.Kernel[kernel.Vec]{smooth}
	case dim < 2 || dim > ardColumns:
		return []kernel.Kernel[kernel.Vec]{smooth, rough}
	}
	each := func(k kernel.Kernel[kernel.Vec]) kernel.Kernel[kernel.Vec] {
		length := make([]float64, dim)
		for i := range length {
			length[i] = median
		}
		return kernel.ARD{Kernel: k, Lengthscales: length}
	}
	return []kernel.Kernel[kernel.Vec]{each(kernel.Gaussian{}), each(kernel.Matern{Nu: 1.5})}
}

// processName is the kernel as tables show it, a Matérn with its smoothness.
func processName(k kernel.Kernel[kernel.Vec]) string {
	switch k := k.(type) {
	case kernel.ARD:
		return processName(k.Kernel) + " ard"
	case kernel.Matern:
		return fmt.Sprintf("matern %g", k.Nu)
	}
	return vectorName(k)
}

// dimension is the number of columns of dense points, 0 for others.
func dimension(x data.Points[any]) int {
	if d, ok := data.Concrete(x).(data.DenseRows); ok {
		return d.Dim()
	}
	return 0
}
