package seq

import "github.com/mercer-ml/mercer/kernel"

// seriesKernels are the kernels on series of any channels.
func seriesKernels() map[string]kernel.Kernel[Series] {
	return map[string]kernel.Kernel[Series]{
		"gak":                   GlobalAlignment{Width: 0.8},
		"tga":                   TriangularAlignment{Width: 0.8, Band: 3},
		"normalised alignment":  NormalizeLog[Series](GlobalAlignment{Width: 0.5}),
		"normalised triangular": NormalizeLog[Series](TriangularAlignment{Width: 0.5, Band: 4}),
		"signature":             Signature{Level: 3},
		"exact signature":       Signature{Level: 4, Order: 4, Scale: 0.7},
		"lifted signature":      Signature{Level: 3, Order: 2, Static: kernel.Gaussian{Lengthscale: 2}},
		"signature, pde":        SignaturePDE{Scale: 0.7},
		"pde on a grid":         SignaturePDE{Grid: 3, Scale: 0.7},
		"lifted pde":            SignaturePDE{Static: kernel.Gaussian{Lengthscale: 2}},
		"low-rank signature":    LowRankSignature{Level: 4, Rank: 10, Scale: 0.7, Seed: 1},
		"dtw":                   Warping{Width: 2},
		"banded warping":        Warping{Width: 2, Band: 3},
		"autoregressive":        Autoregressive{},
		"autoregressive, 2":     Autoregressive{Lags: 2, Weight: 3, Prior: 0.5, Degrees: 4},
		"windows":               Windows{Length: 2},
	}
}
