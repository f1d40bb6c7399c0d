package cuda

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

// sumsTo sets out[s, c, i] = Σ value(i, j)·v[c, j] over the columns j of part s, as all kernels for profiles do.
func sumsTo[F float32 | float64](m *machine, l Shape, na, nb, chunk uint64, v Ptr, ldv uint64, columns int, out Ptr, value func(i, j uint64) F) {
	splits := uint64(max(l.Blocks[1], 1))
	vs := numbers[F](m, v, uint64(columns-1)*ldv+nb)
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
					total[c] += float64(k * vs[uint64(c)*ldv+j])
				}
			}
			for c, t := range total {
				to[(s*uint64(columns)+uint64(c))*na+i] = t
			}
		}
	}
}

// emulateFew is a profile of few columns by differences. The kernel has room for at most most of them.
func emulateFew(m *machine, l Shape, most, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m), argument[uint64](m)
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
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, func(i, j uint64) float32 {
		q := half * metricOf(SqDist, x[i*uint64(d):][:d], y[j*uint64(d):][:d])
		return float32(s.at(float64(q)))
	})
}

// emulateDouble is a profile in double precision by sums of products.
func emulateDouble(m *machine, l Shape, kind, columns int) {
	a, na, b, nb, chunk := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), argument[uint64](m), argument[uint64](m)
	v, ldv, out, d, norms := argument[Ptr](m), argument[uint64](m), argument[Ptr](m), uint64(argument[int32](m)), uint64(argument[int32](m))
	s := profile{kind: kind, a: argument[float64](m), b: argument[float64](m), n: argument[int32](m)}
	x, y := numbers[float64](m, a, na*d+na*norms), numbers[float64](m, b, nb*d+nb*norms)
	if norms > 1 || uint64(l.Blocks[0])*doubleRows < na || chunk%directSide != 0 {
		m.status = invalidValue
	}
	sumsTo(m, l, na, nb, chunk, v, ldv, columns, out, func(i, j uint64) float64 {
		q := 0.0
		if norms > 0 {
			q = x[na*d+i] + y[nb*d+j]
		}
		return s.at(q + metricOf(Inner, x[i*d:][:d], y[j*d:][:d]))
	})
}
