package linalg

// mirrorBlock is the side of the squares in which a triangle is transposed:
// the lines read and the lines written stay in L1.
const mirrorBlock = 32

// MirrorLower copies the strict lower triangle of the square matrix a onto
// the upper one.
func MirrorLower[F Float](t int, a Matrix[F]) {
	mirrorLower(crew{threads: t}, a)
}

func mirrorLower[F Float](w crew, a Matrix[F]) {
	mustBeSquare("mirror", a)
	n := a.Rows
	w.each(n, mirrorBlock, func(lo, hi int) { // rows of the upper triangle
		for left := lo; left < n; left += mirrorBlock {
			right := min(left+mirrorBlock, n)
			for j := lo; j < hi; j++ {
				from := max(left, j+1)
				if from >= right {
					continue
				}
				row := a.Row(j)[from:right]
				below := a.Data[from*a.Stride+j:]
				for i := range row {
					row[i] = below[i*a.Stride]
				}
			}
		}
	})
}
