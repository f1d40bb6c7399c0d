//go:build !amd64 || noasm

package simd

// DotRows64 does out[r] = Σ a[r·lda+i]·x[i] over the len(x) columns, for r < 4.
func DotRows64(a []float64, lda int, x []float64, out *[4]float64) {
	fourRows(len(a), lda, len(x))
	dotRowsRef(len(x), a, lda, x, out[:])
}

// DotRows32 does out[r] = Σ a[r·lda+i]·x[i] over the len(x) columns, for r < 4.
func DotRows32(a []float32, lda int, x []float32, out *[4]float32) {
	fourRows(len(a), lda, len(x))
	dotRowsRef(len(x), a, lda, x, out[:])
}

// AxpyRows64 does y[i] += Σ alpha[r]·a[r·lda+i] over r < 4, for the len(y) columns.
func AxpyRows64(alpha *[4]float64, a []float64, lda int, y []float64) {
	fourRows(len(a), lda, len(y))
	axpyRowsRef(len(y), alpha[:], a, lda, y)
}

// AxpyRows32 does y[i] += Σ alpha[r]·a[r·lda+i] over r < 4, for the len(y) columns.
func AxpyRows32(alpha *[4]float32, a []float32, lda int, y []float32) {
	fourRows(len(a), lda, len(y))
	axpyRowsRef(len(y), alpha[:], a, lda, y)
}
