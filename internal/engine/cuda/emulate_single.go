package cuda

import "math"

func emulateIdentity(m *machine, l Shape) {
	n, out := argument[uint64](m), argument[Ptr](m)
	to := numbers[float32](m, out, n*n)
	if uint64(l.Blocks[0])*uint64(l.Threads) < n*n {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range to {
		to[i] = 0
	}
	for i := range n {
		to[i*n+i] = 1
	}
}

func emulateSplit(m *machine, l Shape) {
	a, ld, w := argument[Ptr](m), argument[uint64](m), uint64(argument[int32](m))
	left, right := argument[Ptr](m), argument[Ptr](m)
	rows := uint64(l.Blocks[0])
	from, one, other := numbers[float32](m, a, (rows-1)*ld+w), m.e.memory(left, 6*rows*w), m.e.memory(right, 6*rows*w)
	if one == nil || other == nil {
		m.status = illegalAddress
	}
	if m.status != success {
		return
	}
	put := func(to []byte, at uint64, h uint16) { to[2*at], to[2*at+1] = byte(h), byte(h>>8) }
	for i := range rows {
		for k := range w {
			x := from[i*ld+k]
			hi, back := halfOf(x)
			lo, _ := halfOf(x - back)
			for part, h := range []uint16{hi, lo, hi} {
				put(one, (3*i+uint64(part))*w+k, h)
			}
			for part, h := range []uint16{hi, hi, lo} {
				put(other, (3*i+uint64(part))*w+k, h)
			}
		}
	}
}

// single calls f with blocks of numbers of single precision.
func (l emulatedLibraries) single(call string, f func(at ...[]float32), sizes []int, where ...Ptr) error {
	return l.e.call(call, func() Status {
		m := &machine{e: l.e, status: success}
		var at [][]float32
		for i, p := range where {
			at = append(at, numbers[float32](m, p, uint64(sizes[i])))
		}
		if m.status == success {
			f(at...)
		}
		return m.status
	})
}

func (emulatedLibraries) SingleRoom(int, int) (int64, error) { return 8, nil }

func (l emulatedLibraries) SingleCholesky(_ Stream, n, stride int, a, room Ptr, bytes int64, info Ptr) error {
	return l.single("cusolverDnXpotrf", func(at ...[]float32) {
		m, bad := at[0], int32(0)
		for j := 0; j < n && bad == 0; j++ {
			for i := j; i < n && bad == 0; i++ {
				s := m[i*stride+j]
				for k := range j {
					s -= m[i*stride+k] * m[j*stride+k]
				}
				if i > j {
					m[i*stride+j] = s / m[j*stride+j]
				} else if !(s > 0) {
					bad = int32(j + 1)
				} else {
					m[j*stride+j] = float32(math.Sqrt(float64(s)))
				}
			}
		}
		at[2][0] = math.Float32frombits(uint32(bad))
	}, []int{(n-1)*stride + n, int(bytes / 4), 1}, a, room, info)
}

func (l emulatedLibraries) SingleRows(_ Stream, rows, n, stride int, factor Ptr, apart int, b Ptr) error {
	return l.single("cublasStrsm", func(at ...[]float32) {
		for r := range rows {
			x := at[1][r*apart:]
			for i := range n {
				for k := range i {
					x[i] -= at[0][i*stride+k] * x[k]
				}
				x[i] /= at[0][i*stride+i]
			}
		}
	}, []int{(n-1)*stride + n, (rows-1)*apart + n}, factor, b)
}

func (l emulatedLibraries) SingleLess(_ Stream, rows, columns, inner int, a, b Ptr, stride int, c Ptr) error {
	return l.e.call("cublasGemmEx", func() Status {
		m := &machine{e: l.e, status: success}
		to := numbers[float32](m, c, uint64((rows-1)*stride+columns))
		left, right := l.e.memory(a, uint64(2*rows*inner)), l.e.memory(b, uint64(2*columns*inner))
		if m.status != success || left == nil || right == nil {
			return illegalAddress
		}
		value := func(from []byte, at int) float32 { return halfTable()[uint16(from[2*at])|uint16(from[2*at+1])<<8] }
		for i := range rows {
			for j := range columns {
				s := float32(0)
				for k := range inner {
					s += value(left, i*inner+k) * value(right, j*inner+k)
				}
				to[i*stride+j] -= s
			}
		}
		return success
	})
}

func (l emulatedLibraries) SingleTimes(
	_ Stream, transposed bool, rows, columns, stride int, alpha float32, a, x Ptr, beta float32, y Ptr,
) error {
	in, out := columns, rows
	if transposed {
		in, out = out, in
	}
	return l.single("cublasSgemv", func(at ...[]float32) {
		times(transposed, in, out, stride, alpha, at[0], at[1], beta, at[2])
	}, []int{(rows-1)*stride + columns, in, out}, a, x, y)
}

// times sets y = alpha·ax + beta·y, or that of the transpose.
func times[F float32 | float64](transposed bool, in, out, stride int, alpha F, a, x []F, beta F, y []F) {
	for i := range out {
		s := F(0)
		for j := range in {
			if transposed {
				s += a[j*stride+i] * x[j]
			} else {
				s += a[i*stride+j] * x[j]
			}
		}
		if beta == 0 {
			y[i] = 0
		}
		y[i] = alpha*s + beta*y[i]
	}
}
