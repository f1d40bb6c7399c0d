package kernel

// Parts returns the kernels k is directly built from, none for a kernel that is not
// of the algebra. Maps to another space end the walk: their kernels are on other points.
func Parts[T any](k Kernel[T]) []Kernel[T] {
	switch k := any(k).(type) {
	case SumOf[T]:
		return k.Terms
	case ProductOf[T]:
		return k.Factors
	case ScaleOf[T]:
		return []Kernel[T]{k.Kernel}
	case PowerOf[T]:
		return []Kernel[T]{k.Kernel}
	case PowersOf[T]:
		return []Kernel[T]{k.Kernel}
	case ExpOf[T]:
		return []Kernel[T]{k.Kernel}
	case MultiplyOf[T]:
		return []Kernel[T]{k.Kernel}
	case NormalizeOf[T]:
		return []Kernel[T]{k.Kernel}
	case SubstituteOf[T]:
		return []Kernel[T]{k.Kernel}
	}
	return nil
}

// eachPart calls f on k and all it is built from.
func eachPart[T any](k Kernel[T], f func(Kernel[T])) {
	f(k)
	for _, p := range Parts(k) {
		eachPart(p, f)
	}
}
