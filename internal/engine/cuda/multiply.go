package cuda

// Multiplication is c = alpha·op(a)·op(b) + beta·c for Count triples of matrices, each so many
// numbers after the one before; op(a) is Rows × Inner and op(b) Inner × Columns, of rows so many
// numbers apart.
type Multiplication struct {
	Rows, Columns, Inner      int
	Alpha, Beta               float64
	A, B, C                   Ptr
	TransposeA, TransposeB    bool
	StrideA, StrideB, StrideC int
	Count                     int // 0 means 1
	StepA, StepB, StepC       int64
}

// extent is the numbers from the first to the last of a matrix in memory, with all that follow it.
func extent(transposed bool, rows, columns, stride, count int, step int64) int {
	if transposed {
		rows, columns = columns, rows
	}
	return (max(count, 1)-1)*int(step) + (rows-1)*stride + columns
}

func (l emulatedLibraries) Multiply(_ Stream, m Multiplication) error {
	sizes := []int{extent(m.TransposeA, m.Rows, m.Inner, m.StrideA, m.Count, m.StepA),
		extent(m.TransposeB, m.Inner, m.Columns, m.StrideB, m.Count, m.StepB),
		extent(false, m.Rows, m.Columns, m.StrideC, m.Count, m.StepC)}
	return l.with("cublasDgemmStridedBatched", func(at ...[]float64) {
		for t := range max(m.Count, 1) {
			a, b, c := at[0][t*int(m.StepA):], at[1][t*int(m.StepB):], at[2][t*int(m.StepC):]
			for i := range m.Rows {
				for j := range m.Columns {
					s := 0.0
					for k := range m.Inner {
						x, y := i*m.StrideA+k, k*m.StrideB+j
						if m.TransposeA {
							x = k*m.StrideA + i
						}
						if m.TransposeB {
							y = j*m.StrideB + k
						}
						s += a[x] * b[y]
					}
					to := &c[i*m.StrideC+j]
					if m.Beta == 0 { // what was there need not be a number
						*to = m.Alpha * s
					} else {
						*to = m.Alpha*s + m.Beta**to
					}
				}
			}
		}
	}, sizes, m.A, m.B, m.C)
}
