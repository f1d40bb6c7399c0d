package linalg

// Go compiles a generic function again in every package that reaches it: the
// whole engine, in both precisions, in each of the dozen packages above. The
// functions below are not generic, so that they are compiled here and called from
// there; the exported generic ones choose among them by instance. It halves the
// time the packages above take to build.

// instance returns double or single, whichever has the type G.
func instance[G any](double, single any) G {
	if f, ok := double.(G); ok {
		return f
	}
	return single.(G)
}

type (
	gemmBody[F Float] = func(crew, Triangle, Op, Op, F, Matrix[F], Matrix[F], F, Matrix[F], func(Matrix[F], int, int))
	symmBody[F Float] = func(int, Side, Triangle, F, Matrix[F], Matrix[F], F, Matrix[F])
	gemvBody[F Float] = func(int, Op, F, Matrix[F], []F, F, []F)
	// triangularBody is a solution by a triangular matrix.
	triangularBody[F Float] = func(crew, Side, Triangle, Op, Diag, F, Matrix[F], Matrix[F])
	trmmBody[F Float]       = func(int, Side, Triangle, Op, Diag, F, Matrix[F], Matrix[F])
	// factorBody factors a matrix whose first pivot has the given number.
	factorBody[F Float]   = func(crew, Matrix[F], int) error
	inPlaceBody[F Float]  = func(crew, Matrix[F])
	solveBody[F Float]    = func(crew, Diag, Matrix[F], Matrix[F])
	pairsBody[F Float]    = func(PairMetric, Matrix[float64], Matrix[float64]) *Pairs[F]
	fillBody[F Float]     = func(*Pairs[F], int, Triangle, Matrix[F], int, int, func([]F), func(Matrix[F], int, int))
	rowBody[F Float]      = func(*Pairs[F], []F, int, int)
	gatherBody[F Float]   = func(*Pairs[F], []int, []int) *Pairs[F]
	productsBody[F Float] = func(*Pairs[F], Matrix[F], Matrix[F], int, int)
)

func gemm64(w crew, part Triangle, ta, tb Op, alpha float64, a, b Matrix[float64], beta float64, c Matrix[float64],
	done func(Matrix[float64], int, int)) {
	gemmOf(w, part, ta, tb, alpha, a, b, beta, c, done)
}

func gemm32(w crew, part Triangle, ta, tb Op, alpha float32, a, b Matrix[float32], beta float32, c Matrix[float32],
	done func(Matrix[float32], int, int)) {
	gemmOf(w, part, ta, tb, alpha, a, b, beta, c, done)
}

func symm64(t int, s Side, u Triangle, alpha float64, a, b Matrix[float64], beta float64, c Matrix[float64]) {
	symmOf(t, s, u, alpha, a, b, beta, c)
}

func symm32(t int, s Side, u Triangle, alpha float32, a, b Matrix[float32], beta float32, c Matrix[float32]) {
	symmOf(t, s, u, alpha, a, b, beta, c)
}

func gemv64(t int, ta Op, alpha float64, a Matrix[float64], x []float64, beta float64, y []float64) {
	gemvOf(t, ta, alpha, a, x, beta, y)
}

func gemv32(t int, ta Op, alpha float32, a Matrix[float32], x []float32, beta float32, y []float32) {
	gemvOf(t, ta, alpha, a, x, beta, y)
}

func trsm64(w crew, s Side, u Triangle, ta Op, d Diag, alpha float64, a, b Matrix[float64]) {
	trsmOf(w, s, u, ta, d, alpha, a, b)
}

func trsm32(w crew, s Side, u Triangle, ta Op, d Diag, alpha float32, a, b Matrix[float32]) {
	trsmOf(w, s, u, ta, d, alpha, a, b)
}

func trmm64(t int, s Side, u Triangle, ta Op, d Diag, alpha float64, a, b Matrix[float64]) {
	trmm(t, s, u, ta, d, alpha, a, b)
}

func trmm32(t int, s Side, u Triangle, ta Op, d Diag, alpha float32, a, b Matrix[float32]) {
	trmm(t, s, u, ta, d, alpha, a, b)
}

func cholesky64(w crew, a Matrix[float64], first int) error { return choleskyRecursive(w, a, first) }
func cholesky32(w crew, a Matrix[float32], first int) error { return choleskyRecursive(w, a, first) }

func invert64(w crew, m Matrix[float64]) { invertFactor(w, m) }
func invert32(w crew, m Matrix[float32]) { invertFactor(w, m) }

func solveLower64(w crew, d Diag, l, b Matrix[float64]) { solveLowerOf(w, d, l, b) }
func solveLower32(w crew, d Diag, l, b Matrix[float32]) { solveLowerOf(w, d, l, b) }

func solveLowerTransposed64(w crew, d Diag, l, b Matrix[float64]) {
	solveLowerTransposedOf(w, d, l, b)
}

func solveLowerTransposed32(w crew, d Diag, l, b Matrix[float32]) {
	solveLowerTransposedOf(w, d, l, b)
}

func pairs64(metric PairMetric, x, y Matrix[float64]) *Pairs[float64] {
	return preparePairs[float64](metric, x, y)
}

func pairs32(metric PairMetric, x, y Matrix[float64]) *Pairs[float32] {
	return preparePairs[float32](metric, x, y)
}

func uncentred64(_ PairMetric, x, y Matrix[float64]) *Pairs[float64] {
	return prepareUncentred[float64](x, y)
}

func uncentred32(_ PairMetric, x, y Matrix[float64]) *Pairs[float32] {
	return prepareUncentred[float32](x, y)
}

func fillPairs64(
	p *Pairs[float64], t int, part Triangle, dst Matrix[float64], i, j int, profile func([]float64),
	done func(Matrix[float64], int, int),
) {
	fillPairs(p, t, part, dst, i, j, profile, done)
}

func fillPairs32(
	p *Pairs[float32], t int, part Triangle, dst Matrix[float32], i, j int, profile func([]float32),
	done func(Matrix[float32], int, int),
) {
	fillPairs(p, t, part, dst, i, j, profile, done)
}

func pairsRow64(p *Pairs[float64], row []float64, i, j int) { pairsRow(p, row, i, j) }
func pairsRow32(p *Pairs[float32], row []float32, i, j int) { pairsRow(p, row, i, j) }

func gatherPairs64(p *Pairs[float64], rows, cols []int) *Pairs[float64] {
	return gatherPairs(p, rows, cols)
}

func gatherPairs32(p *Pairs[float32], rows, cols []int) *Pairs[float32] {
	return gatherPairs(p, rows, cols)
}

func fromProducts64(p *Pairs[float64], dst, products Matrix[float64], i, j int) {
	distancesFromProducts(p, dst, products, i, j)
}

func fromProducts32(p *Pairs[float32], dst, products Matrix[float32], i, j int) {
	distancesFromProducts(p, dst, products, i, j)
}
