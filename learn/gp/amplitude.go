package gp

import "github.com/mercer-ml/mercer/kernel"

// withVariance is a kernel whose search can reach any variance: k itself where one of its
// parameters is a factor of all of its values, else a factor times k, which starts at the variance
// given. Most kernels have k(x, x) = 1 and the targets whatever unit they come in; a process whose
// prior is a thousand times narrower than its targets takes them for noise.
func withVariance(k kernel.Kernel[any], variance float64) kernel.Kernel[any] {
	if hasFactor(k) {
		return k
	}
	if s, ok := kernel.Concrete(k).(kernel.SparseOf); ok { // the factor goes inside, where files look for the kernel
		on, err := kernel.OnSparse(kernel.Scale(variance, s.Dense), s.Dim)
		if err == nil {
			return kernel.FromSparse[any](on)
		}
		return k
	}
	return kernel.Scale(variance, k)
}

// hasFactor says whether some parameters of a kernel multiply all of its values: a factor or a
// constant, a sum all of whose terms have one, a product one of whose factors has. A matrix of
// numbers is taken as it is given.
func hasFactor(k kernel.Kernel[any]) bool {
	switch k := kernel.Opened(k).(type) {
	case kernel.ScaleOf[any], kernel.ConstantOf[any]:
		return true
	case kernel.SumOf[any]:
		for _, t := range k.Terms {
			if !hasFactor(t) {
				return false
			}
		}
		return len(k.Terms) > 0
	case kernel.ProductOf[any]:
		for _, f := range k.Factors {
			if hasFactor(f) {
				return true
			}
		}
	case kernel.PowerOf[any]:
		return hasFactor(k.Kernel)
	}
	switch k := kernel.Concrete(k).(type) {
	case kernel.Precomputed:
		return true
	case kernel.ARD:
		return hasFactor(kernel.OnVectors(k.Kernel))
	case kernel.OnColumns:
		return hasFactor(kernel.OnVectors(k.Kernel))
	case kernel.SparseOf:
		return hasFactor(kernel.OnVectors(k.Dense))
	}
	return false
}
