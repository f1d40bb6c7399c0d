package cuda

import "math"

// Dense is linear algebra in double precision on square matrices in the memory of a device, row by
// row, as many numbers from row to row as there are rows (stride). Only the lower triangle of a
// symmetric matrix and of a factor L is read and written.
type Dense interface {
	// Cholesky factorises a = LLᵀ in place. bad is 0, or the number of the first leading minor that
	// is not positive.
	Cholesky(q Stream, n int, a Ptr) (bad int, err error)
	// Gram sets c = aᵀa of a lower triangle with zeros above it.
	Gram(q Stream, n int, a, c Ptr) error
	// Times sets y = alpha·ax + beta·y of an a with so many rows and columns, stride numbers from
	// row to row, or of its transpose.
	Times(q Stream, transposed bool, rows, columns, stride int, alpha float64, a, x Ptr, beta float64, y Ptr) error
	// Solve sets b = L⁻¹b or, transposed, L⁻ᵀb with the first n rows and columns of l, for columns
	// of b one after the other.
	Solve(q Stream, n, stride int, l Ptr, transposed bool, columns int, b Ptr) error
	// TimesTransposed sets x = Lᵀx.
	TimesTransposed(q Stream, n int, l, x Ptr) error
	// AddOuter sets a = a + alpha·xxᵀ.
	AddOuter(q Stream, n int, alpha float64, x, a Ptr) error
	// Product sets y = ax of a symmetric matrix both triangles of which are there, for columns of x
	// one after the other.
	Product(q Stream, n, columns int, a, x, y Ptr) error
	// Multiply is products of rectangles.
	Multiply(q Stream, m Multiplication) error
	// Eigen replaces a symmetric matrix by its eigenvectors, a row each, and writes the
	// eigenvalues, the smallest first.
	Eigen(q Stream, n int, a, values Ptr) error
	Singles
	// Name says which libraries they are.
	Name() string
}

// Lower sets out to the triangle of a, row i times root[i], and 0 above it.
func Lower(d Device, q Stream, n int, a, root, out Ptr) error {
	return d.Launch(q, "lower", Shape{Blocks: [2]int{min((n*n+255)/256, 1<<20)}, Threads: 256}, a, uint64(n), root, out)
}

// Diagonal copies that of a to out, and adds a number to it in a.
func Diagonal(d Device, q Stream, n int, a Ptr, add float64, out Ptr) error {
	return d.Launch(q, "diagonal", Shape{Blocks: [2]int{(n + 255) / 256}, Threads: 256}, a, uint64(n), add, out)
}

// Mirror copies what is below the diagonal to above it.
func Mirror(d Device, q Stream, n int, a Ptr) error { return mirror(d, q, n, a, 1) }

// mirror copies one triangle to the other: up where it is 1, else down.
func mirror(d Device, q Stream, n int, a Ptr, up int32) error {
	side := (n + 31) / 32
	return d.Launch(q, "mirror", Shape{Blocks: [2]int{side, side}, Threads: 256}, a, uint64(n), up)
}

func emulateMirror(m *machine, _ Shape) {
	a, n, up := argument[Ptr](m), argument[uint64](m), argument[int32](m)
	at := numbers[float64](m, a, n*n)
	if m.status != success {
		return
	}
	for i := range n {
		for j := range i {
			if up != 0 {
				at[j*n+i] = at[i*n+j]
			} else {
				at[i*n+j] = at[j*n+i]
			}
		}
	}
}

func emulateLower(m *machine, _ Shape) {
	a, n, root, out := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[Ptr](m)
	from, scale, to := numbers[float64](m, a, n*n), numbers[float64](m, root, n), numbers[float64](m, out, n*n)
	if m.status != success {
		return
	}
	for i := range n {
		for j := range n {
			to[i*n+j] = 0
			if j <= i {
				to[i*n+j] = scale[i] * from[i*n+j]
			}
		}
	}
}

func emulateDiagonal(m *machine, _ Shape) {
	a, n, add, out := argument[Ptr](m), argument[uint64](m), argument[float64](m), argument[Ptr](m)
	from, to := numbers[float64](m, a, n*n), numbers[float64](m, out, n)
	if m.status != success {
		return
	}
	for i := range n {
		to[i] = from[i*n+i]
		from[i*n+i] += add
	}
}

// emulatedLibraries is Dense by plain loops.
type emulatedLibraries struct{ e *emulated }

func (emulatedLibraries) Name() string { return "plain loops" }

// with calls f with blocks of numbers.
func (l emulatedLibraries) with(call string, f func(at ...[]float64), sizes []int, where ...Ptr) error {
	return l.e.call(call, func() Status {
		m := &machine{e: l.e, status: success}
		var at [][]float64
		for i, p := range where {
			at = append(at, numbers[float64](m, p, uint64(sizes[i])))
		}
		if m.status == success {
			f(at...)
		}
		return m.status
	})
}

func (l emulatedLibraries) Cholesky(_ Stream, n int, a Ptr) (bad int, err error) {
	err = l.with("cusolverDnXpotrf", func(at ...[]float64) {
		m := at[0]
		for j := 0; j < n && bad == 0; j++ {
			for i := j; i < n; i++ {
				s := m[i*n+j]
				for k := range j {
					s -= m[i*n+k] * m[j*n+k]
				}
				if i > j {
					m[i*n+j] = s / m[j*n+j]
				} else if !(s > 0) {
					bad = j + 1
					return
				} else {
					m[j*n+j] = math.Sqrt(s)
				}
			}
		}
	}, []int{n * n}, a)
	return
}

func (l emulatedLibraries) Gram(q Stream, n int, a, c Ptr) error { return gramByRows(l, q, n, a, c) }

func (l emulatedLibraries) Times(
	_ Stream, transposed bool, rows, columns, stride int, alpha float64, a, x Ptr, beta float64, y Ptr,
) error {
	in, out := columns, rows
	if transposed {
		in, out = out, in
	}
	return l.with("cublasDgemv", func(at ...[]float64) {
		times(transposed, in, out, stride, alpha, at[0], at[1], beta, at[2])
	}, []int{(rows-1)*stride + columns, in, out}, a, x, y)
}

func (l emulatedLibraries) Solve(_ Stream, n, stride int, factor Ptr, transposed bool, columns int, b Ptr) error {
	return l.with("cublasDtrsm", func(at ...[]float64) {
		f := at[0]
		for c := range columns {
			x := at[1][c*n : (c+1)*n]
			for step := range n {
				i := step
				if transposed {
					i = n - 1 - step
				}
				x[i] /= f[i*stride+i]
				for k := range n {
					if !transposed && k > i {
						x[k] -= f[k*stride+i] * x[i]
					} else if transposed && k < i {
						x[k] -= f[i*stride+k] * x[i]
					}
				}
			}
		}
	}, []int{(n-1)*stride + n, n * columns}, factor, b)
}

func (l emulatedLibraries) TimesTransposed(_ Stream, n int, factor, x Ptr) error {
	return l.with("cublasDtrmv", func(at ...[]float64) {
		for j := range n {
			s := 0.0
			for i := j; i < n; i++ {
				s += at[0][i*n+j] * at[1][i]
			}
			at[1][j] = s
		}
	}, []int{n * n, n}, factor, x)
}

func (l emulatedLibraries) AddOuter(_ Stream, n int, alpha float64, x, a Ptr) error {
	return l.with("cublasDsyr", func(at ...[]float64) {
		for i := range n {
			for j := range i + 1 {
				at[1][i*n+j] += alpha * at[0][i] * at[0][j]
			}
		}
	}, []int{n, n * n}, x, a)
}
