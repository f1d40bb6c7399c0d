package cuda

// Triangle is a factor L in the memory of a device with the inverses of the blocks on its diagonal:
// a solution with one right side is then products of matrices and vectors, which a device makes as
// fast as it reads them.
type Triangle struct {
	device  Device
	n       int
	stride  int
	l       Ptr
	number  Ptr // bytes of one: 4 of single precision, 8 of double
	side    int
	inverse Ptr // blocks of side² one after the other, each column by column
}

// triangleSide is that of the blocks of n rows: about ten of them, so that launches are few, but no
// larger than their inverses are soon made and read.
func triangleSide(n int) int {
	return min(max(512, min(n/10/512*512, 2048)), n)
}

// NewTriangle inverts the blocks of a factor in double precision. l stays the caller's.
func NewTriangle(d Device, q Stream, n int, l Ptr) (*Triangle, error) {
	return newTriangle(Triangle{device: d, n: n, stride: n, l: l, number: 8, side: triangleSide(n)}, q)
}

// NewSingleTriangle is NewTriangle in single precision, stride numbers from row to row.
func NewSingleTriangle(d Device, q Stream, n, stride int, l Ptr) (*Triangle, error) {
	return newTriangle(Triangle{device: d, n: n, stride: stride, l: l, number: 4, side: triangleSide(n)}, q)
}

func newTriangle(t Triangle, q Stream) (_ *Triangle, err error) {
	blocks := (t.n + t.side - 1) / t.side
	bytes := int64(t.number) * int64(blocks) * int64(t.side) * int64(t.side)
	if t.inverse, err = t.device.Alloc(bytes + int64(8*t.side)); err != nil {
		return nil, err
	}
	for i := range blocks {
		if err := t.invert(q, t.block(t.n, i), t.at(i, i), t.inverseOf(i), t.inverse+Ptr(bytes)); err != nil {
			t.Close()
			return nil, err
		}
	}
	return &t, nil
}

// invert sets to, column by column, to the inverse of a block. What spare gets is worthless.
func (t *Triangle) invert(q Stream, size int, block, to, spare Ptr) error {
	if t.number == 4 {
		if err := t.device.Launch(q, "identity", Shape{Blocks: [2]int{(size*size + 255) / 256}, Threads: 256}, uint64(size),
			to); err != nil {
			return err
		}
		return t.device.Libraries().SingleRows(q, size, size, t.stride, block, size, to)
	}
	if err := t.device.Zero(q, to, 8*int64(size)*int64(size)); err != nil {
		return err
	}
	if err := Diagonal(t.device, q, size, to, 1, spare); err != nil {
		return err
	}
	return t.device.Libraries().Solve(q, size, t.stride, block, false, size, to)
}

// block is the size of block i of the first n rows; at is the address of block (i, j).
func (t *Triangle) block(n, i int) int { return min(t.side, n-i*t.side) }
func (t *Triangle) at(i, j int) Ptr {
	return t.l + t.number*Ptr(t.side)*(Ptr(i)*Ptr(t.stride)+Ptr(j))
}
func (t *Triangle) inverseOf(i int) Ptr { return t.inverse + t.number*Ptr(i)*Ptr(t.side)*Ptr(t.side) }

// Close gives the inverses back.
func (t *Triangle) Close() {
	_ = t.device.Free(t.inverse)
	t.inverse = 0
}

// Solve sets x = L⁻¹b or, transposed, L⁻ᵀb with the first n rows and columns of L. b is
// overwritten.
func (t *Triangle) Solve(q Stream, n int, transposed bool, b, x Ptr) error {
	side, blocks := t.side, (n+t.side-1)/t.side
	for step := range blocks {
		i := step
		if transposed {
			i = blocks - 1 - step
		}
		size, from := t.block(n, i), t.number*Ptr(i)*Ptr(side)
		// column by column the inverse is the transpose of what Times takes; the first rows and
		// columns of one are the inverse of those
		if err := t.times(q, !transposed, size, size, t.block(t.n, i), 1, t.inverseOf(i), b+from, 0, x+from); err != nil {
			return err
		}
		var err error
		if after := n - i*side - size; !transposed && after > 0 {
			err = t.times(q, false, after, size, t.stride, -1, t.at(i+1, i), x+from, 1, b+from+t.number*Ptr(size))
		} else if transposed && i > 0 {
			err = t.times(q, true, size, i*side, t.stride, -1, t.at(i, 0), x+from, 1, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (t *Triangle) times(
	q Stream, transposed bool, rows, columns, stride int, alpha float64, a, x Ptr, beta float64, y Ptr,
) error {
	if t.number == 4 {
		return t.device.Libraries().SingleTimes(q, transposed, rows, columns, stride, float32(alpha), a, x, float32(beta), y)
	}
	return t.device.Libraries().Times(q, transposed, rows, columns, stride, alpha, a, x, beta, y)
}
