package tune

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// autoProcesses is the Gaussian processes to try: their parameters are found by
// marginal likelihood inside every fold, so each has one cell. A kernel that the
// user gave is the only one.
func autoProcesses[T any](p Problem[T], kernels []kernel.Kernel[kernel.Vec], given bool, median, deviation float64, lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[T], error)) ([]Candidate[T], error) {
	if !given {
		kernels = processKernels(p.Task, dimension(p.Points), median)
	}
	var out []Candidate[T]
	for _, k := range kernels {
		c := Candidate[T]{Learner: GP, Label: fmt.Sprintf("%s %s", GP, processName(k))}
		if !given {
			k = kernel.Scale(deviation*deviation, k)
			c.Starts = []GPStart{{}, {Length: 0.5, Noise: 0.01}}
		}
		var err error
		if c.Kernel, err = lift(k); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// ardColumns is the most columns for which each gets a length-scale of its own.
const ardColumns = 20

// processKernels is the kernels of a process: three degrees of smoothness.
func processKernels(task data.Task, dim int, median float64) []kernel.Kernel[kernel.Vec] {
	smooth := []kernel.Kernel[kernel.Vec]{kernel.Gaussian{Lengthscale: median}, kernel.Matern{Nu: 2.5, Lengthscale: median}, kernel.Matern{Nu: 1.5, Lengthscale: median}}
	var out []kernel.Kernel[kernel.Vec]
	if dim > 1 && dim <= ardColumns {
		for _, k := range smooth {
			length := make([]float64, dim)
			for i := range length {
				length[i] = median
			}
			if m, ok := k.(kernel.Matern); ok {
				m.Lengthscale = 1
				k = m
			} else {
				k = kernel.Gaussian{}
			}
			out = append(out, kernel.ARD{Kernel: k, Lengthscales: length})
		}
	}
	switch {
	case task == data.Multiclass:
		return smooth[:1]
	case task == data.Binary && len(out) > 0:
		return append(out[:1], smooth[0], smooth[2])
	}
	return append(out, smooth...)
}

// processName is the kernel as tables show it, a Matérn with its smoothness.
func processName(k kernel.Kernel[kernel.Vec]) string {
	switch k := k.(type) {
	case kernel.ARD:
		return processName(k.Kernel) + " ard"
	case kernel.Matern:
		return fmt.Sprintf("matern %g", k.Nu)
	}
	return kernelName(k)
}

// dimension is the number of columns of dense points, 0 for others.
func dimension[T any](x data.Points[T]) int {
	if d, ok := any(x).(data.DenseRows); ok {
		return d.Dim()
	}
	return 0
}
