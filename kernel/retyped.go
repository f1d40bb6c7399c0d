package kernel

// Retyped is a kernel built on erased points as one on points of type T, with the operators on that
// type, and whether all of its leaves are on it. It is for who has read a kernel from a text and
// knows its points.
func Retyped[T any](k Kernel[any]) (Kernel[T], bool) {
	if k == nil {
		return nil, false
	}
	if typed, ok := Typed[T](k); ok {
		return typed, true
	}
	c, own := typedLike[T](k)
	o, ok := operatorOf(k)
	if !own || !ok {
		return nil, false
	}
	parts := make([]Kernel[any], len(o.parts()))
	for i, p := range o.parts() {
		part, ok := Retyped[T](p)
		if !ok {
			return nil, false
		}
		parts[i] = Erase(part)
	}
	return c.shut(o.of(parts)), true
}

// typedLike is a kernel on points of type T that is of the operator that k is.
func typedLike[T any](k Kernel[any]) (composite[T], bool) {
	switch k.(type) {
	case SumOf[any]:
		return SumOf[T]{}, true
	case ProductOf[any]:
		return ProductOf[T]{}, true
	case ConstantOf[any]:
		return ConstantOf[T]{}, true
	case ScaleOf[any]:
		return ScaleOf[T]{}, true
	case PowerOf[any]:
		return PowerOf[T]{}, true
	case PowersOf[any]:
		return PowersOf[T]{}, true
	case ExpOf[any]:
		return ExpOf[T]{}, true
	case NormalizeOf[any]:
		return NormalizeOf[T]{}, true
	case SubstituteOf[any]:
		return SubstituteOf[T]{}, true
	case TanimotoOf[any]:
		return TanimotoOf[T]{}, true
	case NetworkOf[any]:
		return NetworkOf[T]{}, true
	}
	return nil, false
}
