package cuda

// Triangle is a factor L in the memory of a device with the inverses of the blocks on its diagonal: a solution with one right side is then products of matrices and vectors, which
// a device makes as fast as it reads them.
type Triangle struct {
	device  Device
	n       int
	l       Ptr
	side    int
	inverse Ptr // blocks of side² one after the other, each column by column
}

// triangleSide is that of the blocks of n rows: about ten of them, so that launches are few, but no larger than their inverses are soon made and read.
func triangleSide(n int) int {
	return min(max(512, min(n/10/512*512, 2048)), n)
}

// NewTriangle inverts the blocks. l stays the caller's.
func NewTriangle(d Device, q Stream, n int, l Ptr) (*Triangle, error) {
	return newTriangle(d, q, n, l, triangleSide(n))
}

func newTriangle(d Device, q Stream, n int, l Ptr, side int) (_ *Triangle, err error) {
	t := &Triangle{device: d, n: n, l: l, side: side}
	blocks := (n + side - 1) / side
	bytes := 8 * int64(blocks) * int64(side) * int64(side)
	if t.inverse, err = d.Alloc(bytes); err != nil {
		return nil, err
	}
	spare, err := d.Alloc(int64(8 * side))
	if err != nil {
		t.Close()
		return nil, err
	}
	defer func() { _ = d.Free(spare) }()
	if err := d.Zero(q, t.inverse, bytes); err != nil {
		t.Close()
		return nil, err
	}
	for i := range blocks {
		size, at := t.block(n, i), t.inverse+Ptr(8*i*side*side)
		if err = Diagonal(d, q, size, at, 1, spare); err == nil { // blocks of the last size are packed
			err = d.Libraries().Solve(q, size, n, t.at(i, i), false, size, at)
		}
		if err != nil {
			t.Close()
			return nil, err
		}
	}
	return t, nil
}

// block is the size of block i of the first n rows; at is the address of block (i, j).
func (t *Triangle) block(n, i int) int { return min(t.side, n-i*t.side) }
func (t *Triangle) at(i, j int) Ptr {
	return t.l + Ptr(8*t.side)*(Ptr(i)*Ptr(t.n)+Ptr(j))
}

// Close gives the inverses back.
func (t *Triangle) Close() {
	_ = t.device.Free(t.inverse)
	t.inverse = 0
}

// Solve sets x = L⁻¹b or, transposed, L⁻ᵀb with the first n rows and columns of L. b is overwritten.
func (t *Triangle) Solve(q Stream, n int, transposed bool, b, x Ptr) error {
	side := t.side
	dense, blocks := t.device.Libraries(), (n+side-1)/side
	for step := range blocks {
		i := step
		if transposed {
			i = blocks - 1 - step
		}
		size, from := t.block(n, i), Ptr(8*i*side)
		// column by column the inverse is the transpose of what Times takes; the first rows and columns of one are the inverse of those
		if err := dense.Times(q, !transposed, size, size, t.block(t.n, i), 1, t.inverse+Ptr(8*i*side*side), b+from, 0, x+from); err != nil {
			return err
		}
		var err error
		if after := n - i*side - size; !transposed && after > 0 {
			err = dense.Times(q, false, after, size, t.n, -1, t.at(i+1, i), x+from, 1, b+from+Ptr(8*size))
		} else if transposed && i > 0 {
			err = dense.Times(q, true, size, i*side, t.n, -1, t.at(i, 0), x+from, 1, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
