package linalg

// A product of few elements and many terms has little to share within a
// slice of the summation, so that the slices themselves are shared: each piece of the
// terms is a product of its own, and the pieces are added in order.
const (
	deepArea   = 1 << 15 // elements of C up to which this is done
	deepTerms  = 1 << 12 // terms from which it is
	deepWork   = 1 << 22 // multiplications worth a piece
	deepPieces = 64      // at most: each holds a copy of C
)

// deepPiece is the number of terms in a piece: all of them where the product
// is not deep. It depends on the shapes alone.
func (pr *product[F]) deepPiece() int {
	area := pr.c.Rows * pr.c.Cols
	if area > deepArea || pr.depth < deepTerms || pr.crew.rowwise {
		return pr.depth
	}
	return cut(pr.depth, roundUp(max(deepWork/area, deepTerms/2, (pr.depth+deepPieces-1)/deepPieces), 4), 4)
}

// runDeep is run with the summation cut into pieces of so many terms.
func (pr *product[F]) runDeep(terms int) {
	m, n := pr.c.Rows, pr.c.Cols
	pieces := (pr.depth + terms - 1) / terms
	partial := borrow[F](pieces * m * n)
	defer giveBack(partial)
	pr.crew.each(pieces, 1, func(p, _ int) {
		piece := *pr
		piece.crew, piece.done, piece.beta = pr.crew.alone(), nil, 0
		piece.from, piece.depth = pr.from+p*terms, min(terms, pr.depth-p*terms)
		piece.c = Matrix[F]{Rows: m, Cols: n, Stride: n, Data: (*partial)[p*m*n:][:m*n]}
		piece.runWhole()
	})
	pr.crew.each(m, max(deepArea/n, 1), func(lo, hi int) {
		for i := lo; i < hi; i++ {
			from, to := pr.part.columns(i, 0, n)
			beta := pr.beta
			for p := range pieces {
				blend(beta, pr.c.Row(i), (*partial)[(p*m+i)*n:], from, to)
				beta = 1
			}
		}
	})
	if pr.done != nil {
		pr.done(pr.c, 0, 0)
	}
}
