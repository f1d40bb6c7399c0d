package seq

import "github.com/mercer-ml/mercer/kernel"

// seriesKernels are the kernels on series of any channels.
func seriesKernels() map[string]kernel.Kernel[Series] {
	return map[string]kernel.Kernel[Series]{
		"alignment":             GlobalAlignment{Width: 0.8},
		"triangular":            TriangularAlignment{Width: 0.8, Band: 3},
		"normalised alignment":  NormalizeLog[Series](GlobalAlignment{Width: 0.5}),
		"normalised triangular": NormalizeLog[Series](TriangularAlignment{Width: 0.5, Band: 4}),
	}
}
