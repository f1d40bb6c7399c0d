//go:build cuda && linux && (amd64 || arm64)

package cuda

import "runtime"

func (l *libraries) singleSizes(n, stride int, a Ptr) (device, host uint64, err error) {
	err = l.do("cusolverDnXpotrf_bufferSize", func() int32 {
		return l.s.Size(l.hs, l.params, upper, int64(n), realSingle, a, int64(stride), realSingle, &device, &host)
	})
	return
}

func (l *libraries) SingleRoom(n, stride int) (int64, error) {
	device, _, err := l.singleSizes(n, stride, 0)
	return int64(device), err
}

func (l *libraries) SingleCholesky(q Stream, n, stride int, a, room Ptr, bytes int64, info Ptr) error {
	_, host, err := l.singleSizes(n, stride, a)
	if err != nil {
		return err
	}
	buffer := make([]byte, host+8)
	if err := l.do("cusolverDnXpotrf", func() int32 { return l.s.SetStream(l.hs, q) }, func() int32 {
		return l.s.Potrf(l.hs, l.params, upper, int64(n), realSingle, a, int64(stride), realSingle, room, uint64(bytes),
			&buffer[0], host, info)
	}); err != nil || host == 0 {
		return err
	}
	err = l.c.Sync(q) // the buffer may be in use until then
	runtime.KeepAlive(buffer)
	return err
}

func (l *libraries) SingleRows(q Stream, rows, n, stride int, factor Ptr, apart int, b Ptr) error {
	one := new(float32)
	*one = 1
	return l.do("cublasStrsm", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.f.Trsm(l.hb, leftSide, upper, transpose, nonUnit, int32(n), int32(rows), one, factor, int32(stride), b,
			int32(apart))
	})
}

func (l *libraries) SingleLess(q Stream, rows, columns, inner int, a, b Ptr, stride int, c Ptr) error {
	numbers, k := &[2]float32{-1, 1}, int32(inner)
	return l.do("cublasGemmEx", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.f.GemmEx(l.hb, transpose, plain, int32(columns), int32(rows), k, &numbers[0], b, realHalf, k, a, realHalf, k,
			&numbers[1], c, realSingle, int32(stride), inSingle, anyway)
	})
}

func (l *libraries) SingleTimes(
	q Stream, transposed bool, rows, columns, stride int, alpha float32, a, x Ptr, beta float32, y Ptr,
) error {
	numbers := &[2]float32{alpha, beta}
	return l.do("cublasSgemv", func() int32 { return l.b.SetStream(l.hb, q) }, func() int32 {
		return l.f.Gemv(l.hb, theirs(transposed), int32(columns), int32(rows), &numbers[0], a, int32(stride), x, 1,
			&numbers[1], y, 1)
	})
}
