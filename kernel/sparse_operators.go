package kernel

import "github.com/mercer-ml/mercer/data"

// The operators on sparse rows. They are made by functions without a type parameter, which are not inlined, so that a package that uses an
// operator on points of some type does not compile the one on sparse rows again.

//go:noinline
func sparseSum(terms []Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return SumOf[data.SparseVec]{terms}
}

//go:noinline
func sparseProduct(factors []Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return ProductOf[data.SparseVec]{factors}
}

//go:noinline
func sparseScale(factor float64, k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return ScaleOf[data.SparseVec]{factor, k}
}

//go:noinline
func sparseConstant(c float64) Kernel[data.SparseVec] { return ConstantOf[data.SparseVec]{c} }

//go:noinline
func sparseExp(k Kernel[data.SparseVec]) Kernel[data.SparseVec] { return ExpOf[data.SparseVec]{k} }

//go:noinline
func sparseMultiply(f func(data.SparseVec) float64, k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return MultiplyOf[data.SparseVec]{f, k}
}

//go:noinline
func sparseNormalize(k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return NormalizeOf[data.SparseVec]{k}
}

//go:noinline
func sparsePower(k Kernel[data.SparseVec], exponent int) Kernel[data.SparseVec] {
	return PowerOf[data.SparseVec]{k, exponent}
}

//go:noinline
func sparsePowers(k Kernel[data.SparseVec], coef []float64, bound, rest float64) Kernel[data.SparseVec] {
	return PowersOf[data.SparseVec]{k, coef, bound, rest}
}

//go:noinline
func sparseSubstitute(outer Profiled, k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return SubstituteOf[data.SparseVec]{outer, k}
}

//go:noinline
func sparseTanimoto(k Kernel[data.SparseVec]) Kernel[data.SparseVec] {
	return TanimotoOf[data.SparseVec]{k}
}
