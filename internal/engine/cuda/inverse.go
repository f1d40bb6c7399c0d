package cuda

// invertSide is the side of the blocks on the diagonal that a kernel inverts by itself.
const invertSide = 64

// LowerOf sets out to the lower triangle of a and 0 above it; both may be the same.
func LowerOf(d Device, q Stream, n int, a, out Ptr) error {
	return d.Launch(q, "triangle", Shape{Blocks: [2]int{min((n*n+255)/256, 1<<20)}, Threads: 256}, a, uint64(n), out)
}

// Raise adds a vector to the diagonal of a.
func Raise(d Device, q Stream, n int, a, by Ptr) error {
	return d.Launch(q, "raise", Shape{Blocks: [2]int{(n + 255) / 256}, Threads: 256}, a, uint64(n), by)
}

// InvertLower replaces a lower triangle L by L⁻¹, 0 above it, in n³/3 operations, nearly all of
// them products of matrices:
//
//	⎛ L₁₁     ⎞⁻¹   ⎛ M₁₁               ⎞
//	⎝ L₂₁ L₂₂ ⎠   = ⎝ -M₂₂·L₂₁·M₁₁  M₂₂ ⎠
//
// from blocks of 64 on, twice as large each time, all pairs of a size at once. spare has room for
// n²/4 numbers.
func InvertLower(d Device, q Stream, n int, l, spare Ptr) error {
	if err := LowerOf(d, q, n, l, l); err != nil {
		return err
	}
	shape := Shape{Blocks: [2]int{(n + invertSide - 1) / invertSide}, Threads: 256, Shared: 2 * 64 * 65 * 8}
	if err := d.Launch(q, "invert", shape, l, uint64(n)); err != nil {
		return err
	}
	for side := invertSide; side < n; side *= 2 {
		pairs := n / (2 * side)
		if err := joinInverses(d, q, n, l, spare, side, 0, pairs, side); err != nil {
			return err
		}
		first := pairs * 2 * side
		if rest := n - first - side; rest > 0 { // the last one, whose second block is shorter
			if err := joinInverses(d, q, n, l, spare, side, first, 1, rest); err != nil {
				return err
			}
		}
	}
	return nil
}

// joinInverses makes the inverse of count triangles of side and rows rows, one after the other from
// row first on, whose blocks on the diagonal have been inverted. What is 0 in those is not
// multiplied with, but for some rows at a time.
func joinInverses(d Device, q Stream, n int, l, spare Ptr, side, first, count, rows int) error {
	if count == 0 {
		return nil
	}
	at := func(i, j int) Ptr { return l + 8*(Ptr(first+i)*Ptr(n)+Ptr(first+j)) }
	step, own := 2*int64(side)*(int64(n)+1), int64(rows)*int64(side)
	some := min(someRows, side)
	for i := 0; i < rows; i += some {
		height := min(some, rows-i)
		if err := d.Libraries().Multiply(q, Multiplication{Rows: height, Columns: side, Inner: i + height, Alpha: 1,
			Count: count,
			A:     at(side+i, side), StrideA: n, StepA: step, B: at(side, 0), StrideB: n, StepB: step,
			C: spare + 8*Ptr(i)*Ptr(side), StrideC: side, StepC: own}); err != nil {
			return err
		}
	}
	for j := 0; j < side; j += some {
		width := min(some, side-j)
		if err := d.Libraries().Multiply(q, Multiplication{Rows: rows, Columns: width, Inner: side - j, Alpha: -1,
			Count: count,
			A:     spare + 8*Ptr(j), StrideA: side, StepA: own, B: at(j, j), StrideB: n, StepB: step, C: at(side, j), StrideC: n,
			StepC: step}); err != nil {
			return err
		}
	}
	return nil
}

// someRows is how many rows are multiplied at a time where the rest is 0 (H200, 20 000 points: the
// inverse of L 54 ms, MᵀM 55; with 1024 rows 56 and 57, with 2048 57 and 67).
const someRows = 512

// Inverse sets out to the lower triangle of (LLᵀ)⁻¹ = MᵀM with M = L⁻¹, which it leaves at spare.
func Inverse(d Device, q Stream, n int, l, spare, out Ptr) error {
	if err := LowerOf(d, q, n, l, spare); err != nil {
		return err
	}
	if err := InvertLower(d, q, n, spare, out); err != nil {
		return err
	}
	return d.Libraries().Gram(q, n, spare, out)
}

// gramByRows is Dense.Gram, some rows at a time: those of row i on are what column i and those
// before it are multiplied over, which is a third of the work of a full square.
func gramByRows(l Dense, q Stream, n int, a, c Ptr) error {
	for i := 0; i < n; i += someRows {
		height := min(someRows, n-i)
		if err := l.Multiply(q, Multiplication{Rows: height, Columns: i + height, Inner: n - i, Alpha: 1,
			A: a + 8*Ptr(i)*Ptr(n+1), StrideA: n, TransposeA: true, B: a + 8*Ptr(i)*Ptr(n), StrideB: n, C: c + 8*Ptr(i)*Ptr(n),
			StrideC: n}); err != nil {
			return err
		}
	}
	return nil
}

func emulateRaise(m *machine, _ Shape) {
	a, n, by := argument[Ptr](m), argument[uint64](m), argument[Ptr](m)
	at, more := numbers[float64](m, a, n*n), numbers[float64](m, by, n)
	if m.status != success {
		return
	}
	for i := range n {
		at[i*n+i] += more[i]
	}
}

func emulateTriangle(m *machine, _ Shape) {
	a, n, out := argument[Ptr](m), argument[uint64](m), argument[Ptr](m)
	from, to := numbers[float64](m, a, n*n), numbers[float64](m, out, n*n)
	if m.status != success {
		return
	}
	for i := range n {
		copy(to[i*n:i*n+i+1], from[i*n:i*n+i+1])
		clear(to[i*n+i+1 : (i+1)*n])
	}
}

func emulateInvert(m *machine, l Shape) {
	a, n := argument[Ptr](m), argument[uint64](m)
	at := numbers[float64](m, a, n*n)
	if uint64(l.Blocks[0])*invertSide < n || l.Shared < 2*64*65*8 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for first := uint64(0); first < n; first += invertSide {
		size := min(invertSide, n-first)
		x := make([]float64, size*size)
		for c := range size {
			for i := c; i < size; i++ {
				s := 0.0
				if i == c {
					s = 1
				}
				for k := c; k < i; k++ {
					s -= at[(first+i)*n+first+k] * x[k*size+c]
				}
				x[i*size+c] = s / at[(first+i)*n+first+i]
			}
		}
		for i := range size {
			copy(at[(first+i)*n+first:][:size], x[i*size:(i+1)*size])
		}
	}
}
