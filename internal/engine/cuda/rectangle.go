package cuda

import "fmt"

// Rectangle sets the matrix at out, row by row, to the kernel between all points of a and of b. The
// sums are those of NewTree, as in Pulls.
func (s *Sums) Rectangle(q Stream, a, b Points, out Ptr) error {
	if err := s.byDifferences(); err != nil {
		return err
	}
	if err := s.setOrigins(q, a, b); err != nil {
		return err
	}
	side := func(size int) int { return (size + directSide - 1) / directSide }
	return s.device.Launch(q, "rectangle64", Shape{Blocks: [2]int{side(a.N), side(b.N)}, Threads: 128}, s.origins, s.code,
		int32(len(s.tree.Code)), s.table, uint64(a.N), uint64(b.N), out, uint64(b.N))
}

func (s *Sums) byDifferences() error {
	if s.way != byTree || !s.double || s.terms != nil {
		return fmt.Errorf("cuda: derivatives of sums that are not by differences in double precision")
	}
	return nil
}

// Scaled sets out to a, its rows multiplied by a number each.
func Scaled(d Device, q Stream, rows, columns int, a, by, out Ptr) error {
	return d.Launch(q, "scaled", Shape{Blocks: [2]int{min(rows, 1<<20)}, Threads: 256}, a, uint64(rows), uint64(columns),
		by, out)
}

// Squares sets out to the sum of the squares of each row.
func Squares(d Device, q Stream, rows, columns int, a, out Ptr) error {
	return d.Launch(q, "squares", Shape{Blocks: [2]int{(rows + 7) / 8}, Threads: 256}, a, uint64(rows), uint64(columns),
		out)
}

// AddTo adds so many numbers to others.
func AddTo(d Device, q Stream, count int, a, to Ptr) error {
	return d.Launch(q, "gather", Shape{Blocks: [2]int{(count + 255) / 256}, Threads: 256}, a, int32(1), uint64(count), 1.0,
		int32(1), to)
}

// triangleStrip is how many columns are made at a time of a product with a triangle, so that little
// of what is multiplied is 0.
const triangleStrip = 128

// TimesTriangle sets out = a·L of rows of n numbers and a lower triangle with zeros above it, or
// transposed a·Lᵀ; add adds it to what is there.
func TimesTriangle(d Device, q Stream, rows, n int, a, l Ptr, transposed, add bool, out Ptr) error {
	m := Multiplication{Rows: rows, Alpha: 1, StrideA: n, StrideB: n, StrideC: n, TransposeB: transposed}
	if add {
		m.Beta = 1
	}
	for j := 0; j < n; j += triangleStrip {
		m.Columns = min(triangleStrip, n-j)
		if m.C = out + 8*Ptr(j); transposed { // row j of L has what comes before
			m.A, m.B, m.Inner = a, l+8*Ptr(j)*Ptr(n), j+m.Columns
		} else { // column j has what comes after
			m.A, m.B, m.Inner = a+8*Ptr(j), l+8*Ptr(j)*Ptr(n+1), n-j
		}
		if err := d.Libraries().Multiply(q, m); err != nil {
			return err
		}
	}
	return nil
}

// Moment sums aᵀb of rows of n numbers in parts, of which only the lower triangle is made. It is for
// many more rows than columns: each part has its share of the rows, so that all multiprocessors have
// work.
type Moment struct {
	device Device
	n      int
	parts  Ptr
	begun  bool
}

// momentParts is how many parts there are; a part is a matrix.
const momentParts = 8

// momentStrip is how many rows of the result are made at a time.
const momentStrip = 256

// NewMoment is zero. Close gives its memory back.
func NewMoment(d Device, n int) (*Moment, error) {
	m := &Moment{device: d, n: n}
	var err error
	m.parts, err = d.Alloc(8 * momentParts * int64(n) * int64(n))
	return m, err
}

// Add adds aᵀb over some rows.
func (m *Moment) Add(q Stream, rows int, a, b Ptr) error {
	square := int64(m.n) * int64(m.n)
	if !m.begun {
		if err := m.device.Zero(q, m.parts, 8*momentParts*square); err != nil {
			return err
		}
		m.begun = true
	}
	each := rows / momentParts
	for _, some := range []struct{ first, rows, count int }{{0, each, momentParts},
		{each * momentParts, rows % momentParts, 1}} {
		if some.rows == 0 {
			continue
		}
		from, step := 8*Ptr(some.first)*Ptr(m.n), int64(some.rows)*int64(m.n)
		for i := 0; i < m.n; i += momentStrip {
			height := min(momentStrip, m.n-i)
			if err := m.device.Libraries().Multiply(q, Multiplication{Rows: height, Columns: i + height, Inner: some.rows,
				Alpha: 1, Beta: 1, Count: some.count, TransposeA: true,
				A: a + from + 8*Ptr(i), StrideA: m.n, StepA: step, B: b + from, StrideB: m.n, StepB: step,
				C: m.parts + 8*Ptr(i)*Ptr(m.n), StrideC: m.n, StepC: square}); err != nil {
				return err
			}
		}
	}
	return nil
}

// Sum sets the lower triangle of out to the sum times scale; add adds it to what is there.
func (m *Moment) Sum(q Stream, scale float64, add bool, out Ptr) error {
	count := m.n * m.n
	more := int32(0)
	if add {
		more = 1
	}
	return m.device.Launch(q, "gather", Shape{Blocks: [2]int{(count + 255) / 256}, Threads: 256}, m.parts,
		int32(momentParts), uint64(count), scale, more, out)
}

// Close gives the memory back.
func (m *Moment) Close() {
	if m.parts != 0 {
		_ = m.device.Free(m.parts)
		m.parts = 0
	}
}
