package simd

// Float is the element type of the routines.
type Float interface{ float32 | float64 }

func dotRef[F Float](x, y []F) F {
	var s F
	for i, v := range x {
		s += v * y[i]
	}
	return s
}
