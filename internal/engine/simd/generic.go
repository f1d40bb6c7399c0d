package simd

// The functions below serve generic code: each calls the routine of its
// element type.

// Dot is Σ x[i]·y[i].
func Dot[F Float](x, y []F) F {
	if x, ok := any(x).([]float64); ok {
		return F(Dot64(x, any(y).([]float64)))
	}
	return F(Dot32(any(x).([]float32), any(y).([]float32)))
}

// Axpy does y[i] += alpha·x[i].
func Axpy[F Float](alpha F, x, y []F) {
	if x, ok := any(x).([]float64); ok {
		Axpy64(float64(alpha), x, any(y).([]float64))
		return
	}
	Axpy32(float32(alpha), any(x).([]float32), any(y).([]float32))
}

// Scal does x[i] *= alpha.
func Scal[F Float](alpha F, x []F) {
	if x, ok := any(x).([]float64); ok {
		Scal64(float64(alpha), x)
		return
	}
	Scal32(float32(alpha), any(x).([]float32))
}

// Asum is Σ |x[i]|.
func Asum[F Float](x []F) F {
	if x, ok := any(x).([]float64); ok {
		return F(Asum64(x))
	}
	return F(Asum32(any(x).([]float32)))
}

// Norm is √Σ x[i]², without overflow or underflow.
func Norm[F Float](x []F) F {
	if x, ok := any(x).([]float64); ok {
		return F(Norm64(x))
	}
	return F(Norm32(any(x).([]float32)))
}

// DotRows does out[r] = Σ a[r·lda+i]·x[i] for r < 4.
func DotRows[F Float](a []F, lda int, x []F, out *[4]F) {
	if a, ok := any(a).([]float64); ok {
		DotRows64(a, lda, any(x).([]float64), any(out).(*[4]float64))
		return
	}
	DotRows32(any(a).([]float32), lda, any(x).([]float32), any(out).(*[4]float32))
}

// AxpyRows does y[i] += Σ alpha[r]·a[r·lda+i] over r < 4.
func AxpyRows[F Float](alpha *[4]F, a []F, lda int, y []F) {
	if a, ok := any(a).([]float64); ok {
		AxpyRows64(any(alpha).(*[4]float64), a, lda, any(y).([]float64))
		return
	}
	AxpyRows32(any(alpha).(*[4]float32), any(a).([]float32), lda, any(y).([]float32))
}
