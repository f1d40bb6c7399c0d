package kernel

// Bilinear says whether k is known to be a bilinear form of vectors, as the linear kernel is:
// k(x-m, y) = k(x, y) - k(m, y). Learners with an intercept may then move the points to their mean,
// where kernel values keep their digits, and find the same function.
func Bilinear[T any](k Kernel[T]) bool {
	v, ok := Concrete(k).(Kernel[Vec])
	return ok && bilinear(v)
}

func bilinear(k Kernel[Vec]) bool {
	switch k := k.(type) {
	case Linear, QuadraticForm:
		return true
	case ScaleOf[Vec]:
		return bilinear(k.Kernel)
	case SumOf[Vec]:
		for _, part := range k.Terms {
			if !bilinear(part) {
				return false
			}
		}
		return true
	case ARD: // linear maps
		return bilinear(k.Kernel)
	case Mahalanobis:
		return bilinear(k.Kernel)
	case OnColumns:
		return bilinear(k.Kernel)
	}
	return false
}
