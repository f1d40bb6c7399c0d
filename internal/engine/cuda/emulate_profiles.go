package cuda

import "math"

// emulateNorms puts -½‖x‖² of each of n rows after all of them.
func emulateNorms(m *machine, l Shape) {
	p, n, d := argument[Ptr](m), argument[uint64](m), uint64(argument[int32](m))
	x := numbers[float64](m, p, n*d+n)
	if m.status != success || uint64(l.Blocks[0])*uint64(l.Threads) < n {
		m.status = max(m.status, invalidValue)
		return
	}
	for i := range n {
		s := 0.0
		for _, v := range x[i*d : (i+1)*d] {
			s += v * v
		}
		x[n*d+i] = -0.5 * s
	}
}

// sumsTo sets out[s, c, i] = Σ value(i, j)·v[c, j] over the columns j of part s, as all kernels for
// profiles do. slot is where entry j of v lies, nil where that is j.
func sumsTo[F float32 | float64](
	m *machine, l Shape, na, nb, chunk uint64, v Ptr, ldv uint64, columns int, out Ptr, slot func(j int) int,
	value func(i, j uint64) F,
) {
	splits, stored := uint64(max(l.Blocks[1], 1)), nb
	if slot == nil {
		slot = func(j int) int { return j }
	} else {
		stored = uint64(padded(int(nb)))
	}
	vs := numbers[F](m, v, uint64(columns-1)*ldv+stored)
	to := numbers[float64](m, out, splits*uint64(columns)*na)
	if splits*chunk < nb {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range na {
		for s := range splits {
			total := make([]float64, columns)
			for j := s * chunk; j < min((s+1)*chunk, nb); j++ {
				k := value(i, j)
				for c := range total {
					total[c] += float64(k * vs[c*int(ldv)+slot(int(j))])
				}
			}
			for c, t := range total {
				to[(s*uint64(columns)+uint64(c))*na+i] = t
			}
		}
	}
}

// emulateFew is a profile of few columns by differences. The kernel has room for at most most of
// them.
func emulateFew(m *machine, l Shape, most, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out, d := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), int(argument[int32](m))
	s := profile{kind: kind, a: float64(argument[float32](m))}
	x, y := numbers[float32](m, a, na*uint64(d)), numbers[float32](m, b, nb*uint64(d))
	if d > most || kind == polyKind || uint64(l.Blocks[0])*fewRows < na {
		m.status = invalidValue
	}
	half := float32(-0.5)
	if kind == gaussKind || kind == rationalKind { // see Scale
		half = -1
	}
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, nil, func(i, j uint64) float32 {
		q := half * metricOf(SqDist, x[i*uint64(d):][:d], y[j*uint64(d):][:d])
		return float32(s.at(float64(q)))
	})
}

// emulateExact is a profile of few columns in double precision by differences: c is the rate of the
// exponent, in parts of 32, k that of Matérn's polynomials.
func emulateExact(m *machine, l Shape, most, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out, d := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), int(argument[int32](m))
	c, k, top := argument[float64](m), argument[float64](m), argument[int32](m)
	x, y := numbers[float64](m, a, na*uint64(d)), numbers[float64](m, b, nb*uint64(d))
	if d > most || uint64(l.Blocks[0])*exactRows < na {
		m.status = invalidValue
	}
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, nil, func(i, j uint64) float64 {
		s := metricOf(SqDist, x[i*uint64(d):][:d], y[j*uint64(d):][:d])
		r := math.Sqrt(s)
		at, polynomial := r, 1.0
		switch kind {
		case gaussKind:
			at = s
		case matern32Kind:
			polynomial += k * r
		case matern52Kind:
			polynomial += k*r + k*k*s/3
		}
		if int32(math.Float64bits(at)>>32) > top {
			return 0
		}
		return polynomial * math.Exp2(c*at/32)
	})
}

// emulateClose is Gaussians of few columns in double precision by sums of products.
func emulateClose(m *machine, l Shape, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out, d := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), uint64(argument[int32](m))
	scale := argument[float64](m)
	x, y := numbers[float64](m, a, na*d), numbers[float64](m, b, nb*d)
	if d > closeColumns || uint64(l.Blocks[0])*closeRows < na || chunk%directSide != 0 {
		m.status = invalidValue
	}
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, nil, func(i, j uint64) float64 {
		xi, yj := x[i*d:][:d], y[j*d:][:d]
		q := metricOf(Inner, xi, yj) - 0.5*metricOf(Inner, xi, xi) - 0.5*metricOf(Inner, yj, yj)
		return math.Exp2(scale * scale * q / 32)
	})
}

// emulateDouble is a profile in double precision by sums of products.
func emulateDouble(m *machine, l Shape, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out, d, norms := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), uint64(argument[int32](m)),
		uint64(argument[int32](m))
	s := profile{kind: kind, a: argument[float64](m), b: argument[float64](m), n: argument[int32](m)}
	x, y := numbers[float64](m, a, na*d+na*norms), numbers[float64](m, b, nb*d+nb*norms)
	if norms > 1 || uint64(l.Blocks[0])*doubleRows < na || chunk%directSide != 0 {
		m.status = invalidValue
	}
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, nil, func(i, j uint64) float64 {
		q := 0.0
		if norms > 0 {
			q = x[na*d+i] + y[nb*d+j]
		}
		return s.at(q + metricOf(Inner, x[i*d:][:d], y[j*d:][:d]))
	})
}

// emulateMatrixByProducts is the lower triangle of a kernel matrix in double precision, or rounded
// to single.
func emulateMatrixByProducts[OUT float32 | float64](m *machine, l Shape, kind int) {
	a, n, chunk, out, ld := argument[Ptr](m), argument[uint64](m), argument[uint64](m), argument[Ptr](m),
		argument[uint64](m)
	d, norms := uint64(argument[int32](m)), uint64(argument[int32](m))
	s := profile{kind: kind, a: argument[float64](m), b: argument[float64](m), n: argument[int32](m)}
	factor, ridge := argument[float64](m), argument[float64](m)
	x, to := numbers[float64](m, a, n*d+n*norms), numbers[OUT](m, out, (n-1)*ld+n)
	if uint64(l.Blocks[0])*doubleRows < n || uint64(l.Blocks[1])*chunk < n {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range n {
		for j := range i + 1 {
			q := metricOf(Inner, x[i*d:][:d], x[j*d:][:d])
			if norms > 0 && i != j {
				q += x[n*d+i] + x[n*d+j]
			} else if norms > 0 {
				q = 0
			}
			value := factor * s.at(q)
			if i == j {
				value += ridge
			}
			to[i*ld+j] = OUT(value)
		}
	}
}

// deepPlace is where the upper half of number k of a row is; the lower half is 128 on.
func deepPlace(row, k, blocks uint64) uint64 {
	return (row>>3)*blocks*256 + (k>>4)*256 + (k>>3&1)*64 + row&7*8 + k&7
}

func emulateDeepPack(m *machine, l Shape) {
	x, n, npad := argument[Ptr](m), argument[uint64](m), argument[uint64](m)
	d, blocks, out := uint64(argument[int32](m)), uint64(argument[int32](m)), argument[Ptr](m)
	rows, to := numbers[float32](m, x, n*d), m.e.memory(out, npad*blocks*64)
	if to == nil || d > 16*blocks || blocks%2 != 0 || uint64(l.Blocks[0])*uint64(l.Threads) < npad*2*blocks {
		m.status = illegalAddress
	}
	if m.status != success {
		return
	}
	clear(to)
	put := func(at uint64, v float32) float32 {
		h, back := halfOf(v)
		to[2*at], to[2*at+1] = byte(h), byte(h>>8)
		return back
	}
	for i := range n {
		for k, v := range rows[i*d : (i+1)*d] {
			at := deepPlace(i, uint64(k), blocks)
			put(at+128, v-put(at, v))
		}
	}
}

func emulateDeepNorms(m *machine, l Shape) {
	x, n, npad := argument[Ptr](m), argument[uint64](m), argument[uint64](m)
	d, blocks, norms, out := uint64(argument[int32](m)), uint64(argument[int32](m)), argument[int32](m), argument[Ptr](m)
	rows, to := numbers[float32](m, x, n*d), numbers[float32](m, out+Ptr(npad*blocks*64), npad)
	if uint64(l.Blocks[0])*uint64(l.Threads) < 32*npad {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	clear(to)
	for i := range n {
		sum := 0.0
		for _, v := range rows[i*d : (i+1)*d] {
			_, hi := halfOf(v)
			_, lo := halfOf(v - hi)
			sum += float64(hi) * (float64(hi) + 2*float64(lo))
		}
		if norms != 0 {
			to[i] = float32(-0.5 * sum)
		}
	}
}

// emulateDeep is a profile of many columns by sums of products of halves.
func emulateDeep(m *machine, l Shape, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m),
		argument[uint64](m)
	v, ldv, out, d, blocks := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), uint64(argument[int32](m)),
		uint64(argument[int32](m))
	s := profile{kind: kind, a: float64(argument[float32](m)), b: float64(argument[float32](m)), n: argument[int32](m)}
	side := func(p Ptr, n uint64) (data []byte, norms []float32) {
		npad := uint64(padded(int(n)))
		if data = m.e.memory(p, npad*blocks*64); data == nil {
			m.status = illegalAddress
		}
		return data, numbers[float32](m, p+Ptr(npad*blocks*64), npad)
	}
	left, leftNorms := side(a, na)
	right, rightNorms := side(b, nb)
	if uint64(l.Blocks[0])*128 < na || chunk%128 != 0 || l.Threads != 256 || d > 16*blocks || blocks < 4 {
		m.status = invalidValue
	}
	table := halfTable()
	half := func(p []byte, at uint64) float32 { return table[uint16(p[2*at])|uint16(p[2*at+1])<<8] }
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, packedSlot, func(i, j uint64) float32 {
		q := float32(0)
		for k := range d {
			x, y := deepPlace(i, k, blocks), deepPlace(j, k, blocks)
			hi, to := half(left, x), half(right, y)
			q += hi*to + hi*half(right, y+128) + half(left, x+128)*to
		}
		return float32(s.at(float64(q + leftNorms[i] + rightNorms[j])))
	})
}
