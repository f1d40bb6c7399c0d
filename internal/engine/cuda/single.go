package cuda

// Singles is linear algebra on lower triangles in single precision, row by row, stride numbers from
// row to row.
type Singles interface {
	// SingleRoom is the bytes of memory that SingleCholesky works in.
	SingleRoom(n, stride int) (int64, error)
	// SingleCholesky factorises a = LLᵀ in place. info, an int32, becomes 0 or the number of the
	// first leading minor that is not positive.
	SingleCholesky(q Stream, n, stride int, a, room Ptr, bytes int64, info Ptr) error
	// SingleRows sets b = b·L⁻ᵀ for rows of b with the first n rows and columns of l.
	SingleRows(q Stream, rows, n, stride int, l Ptr, apart int, b Ptr) error
	// SingleLess sets c = c - a·bᵀ for so many rows of a and of b, all of inner numbers of half
	// precision one after the other; sums are in single precision.
	SingleLess(q Stream, rows, columns, inner int, a, b Ptr, stride int, c Ptr) error
	// SingleTimes is Times.
	SingleTimes(q Stream, transposed bool, rows, columns, stride int, alpha float32, a, x Ptr, beta float32, y Ptr) error
}

// The size of the blocks of SingleFactor, and how many rows of the rest are updated at a time
// (H200: 50 000 points 0.36 s; 512 and 2048 at a time 0.39 and 0.37).
const (
	singleSide = 1024
	singleRows = 2048
)

// SingleFactor replaces the lower triangle of a symmetric matrix of single precision by its factor,
// block by block: a block on the diagonal is factorised, the rows under it are solved for, and
// their products are taken from the rest. Nearly all of the work is those products, which matrix
// instructions make of numbers of half precision, each of ours being the sum of two (three
// products: 22 bits). Entries must not be far from 1: below 2⁻¹⁴ the second of the two loses
// digits, and beyond 2¹⁵ the first is infinite. positive is whether all of its minors are.
func SingleFactor(d Device, q Stream, n, stride int, a Ptr) (positive bool, err error) {
	return singleFactor(d, q, n, stride, a, singleSide, singleRows)
}

func singleFactor(d Device, q Stream, n, stride int, a Ptr, side, most int) (positive bool, err error) {
	l := d.Libraries()
	side = min(side, n)
	bytes, err := l.SingleRoom(side, stride)
	if err != nil {
		return false, err
	}
	blocks := (n + side - 1) / side
	bytes = (bytes + 255) / 256 * 256
	part := Ptr(2 * 3 * side * max(n-side, 1)) // a multiple of 256 where a block is
	room, err := d.Alloc(bytes + int64(4*blocks))
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Free(room) }()
	left, err := d.Alloc(int64(2 * part))
	if err != nil {
		return false, err
	}
	defer func() { _ = d.Free(left) }()
	right, info := left+part, room+Ptr(bytes)
	at := func(row, column int) Ptr { return a + 4*(Ptr(row)*Ptr(stride)+Ptr(column)) }
	for o := 0; o < n; o += side {
		size := min(side, n-o)
		next := o + size
		if err := l.SingleCholesky(q, size, stride, at(o, o), room, bytes, info+Ptr(4*(o/side))); err != nil {
			return false, err
		}
		if next == n {
			break
		}
		if err := l.SingleRows(q, n-next, size, stride, at(o, o), stride, at(next, o)); err != nil {
			return false, err
		}
		if err := d.Launch(q, "split", Shape{Blocks: [2]int{n - next}, Threads: 256}, at(next, o), uint64(stride),
			int32(size), left, right); err != nil {
			return false, err
		}
		for r := next; r < n; r += most {
			rows := min(most, n-r)
			if err := l.SingleLess(q, rows, r+rows-next, 3*size, left+Ptr(2*3*size*(r-next)), right, stride,
				at(r, next)); err != nil {
				return false, err
			}
		}
	}
	minors := make([]int32, blocks)
	if err := d.ToHost(q, bytesOf(minors), info); err != nil {
		return false, err
	}
	if err := d.Sync(q); err != nil {
		return false, err
	}
	for _, m := range minors {
		if m != 0 {
			return false, nil
		}
	}
	return true, nil
}
