package cuda

import "math"

// tree is a list of operations with the points that they read, in the memory of an emulated device.
type tree[F float32 | float64] struct {
	origins []origin[F]
	code    []float64
	table   []float64
}

type origin[F float32 | float64] struct {
	a, b   []F
	d      int
	metric Metric
}

// readTree takes the first arguments of a kernel that evaluates a tree.
func readTree[F float32 | float64](m *machine) (t tree[F], na, nb uint64) {
	where, code, ops, table := argument[Ptr](m), argument[Ptr](m), argument[int32](m), argument[Ptr](m)
	na, nb = argument[uint64](m), argument[uint64](m)
	t.code = numbers[float64](m, code, 4*uint64(ops))
	count, coefficients := 0, uint64(0)
	for at := 0; at+3 < len(t.code); at += 4 {
		switch Op(t.code[at]) {
		case Load:
			count = max(count, int(t.code[at+1])+1)
		case Matern:
			coefficients = max(coefficients, uint64(t.code[at+1]+t.code[at+3]))
		}
	}
	t.table = numbers[float64](m, table, coefficients)
	words := numbers[uint64](m, where, 4*uint64(count))
	if m.status != success {
		return
	}
	for i := range count {
		w := words[4*i:]
		t.origins = append(t.origins, origin[F]{numbers[F](m, Ptr(w[0]), na*w[2]), numbers[F](m, Ptr(w[1]), nb*w[2]),
			int(w[2]), Metric(w[3])})
	}
	return
}

// at is the kernel at a pair.
func (t tree[F]) at(i, j uint64) F {
	var kept []F
	m := F(0)
	for at := 0; at < len(t.code); at += 4 {
		op, index, a, b := Op(t.code[at]), int(t.code[at+1]), F(t.code[at+2]), F(t.code[at+3])
		if (op == Load || op == Constant) && at > 0 {
			kept = append(kept, m)
		}
		if op == Add || op == Mul {
			top := kept[len(kept)-1]
			kept = kept[:len(kept)-1]
			if op == Add {
				m += top
			} else {
				m *= top
			}
			continue
		}
		switch op {
		case Load:
			o := t.origins[index]
			m = metricOf(o.metric, o.a[i*uint64(o.d):][:o.d], o.b[j*uint64(o.d):][:o.d])
		case Constant:
			m = a
		case Affine:
			m = a*m + b
		case Exp:
			m = F(math.Exp(float64(a * m)))
		case Sqrt:
			m = F(math.Sqrt(float64(m)))
		case Power:
			m = F(math.Pow(float64(m), float64(a)))
		case PowerI:
			x, p := m, F(1)
			for range index {
				p *= x
			}
			m = p
		case Tanh:
			m = F(math.Tanh(float64(m)))
		case Ratio:
			m = F(math.Exp(float64(b) * math.Log1p(float64(a*m))))
		case Matern:
			z, p := a*F(math.Sqrt(float64(m))), F(0)
			for c := index - 1; c >= 0; c-- {
				p = p*z + F(t.table[int(b)+c])
			}
			e := F(math.Exp(-float64(z)))
			if m = 0; e > 0 {
				m = p * e
			}
		}
	}
	return m
}

func metricOf[F float32 | float64](m Metric, x, y []F) F {
	s := F(0)
	for i, v := range x {
		e := v - y[i]
		switch m {
		case Inner:
			s += v * y[i]
		case SqDist:
			s += e * e
		case L1Dist:
			s += max(e, -e)
		case ChiSqDist:
			if t := v + y[i]; t != 0 {
				s += e * e / t
			}
		case MinSum:
			s += min(v, y[i])
		}
	}
	return s
}

func emulateDirect[F float32 | float64](m *machine, l Shape) {
	t, na, nb := readTree[F](m)
	chunk, v, ldv, columns, out := argument[uint64](m), argument[Ptr](m), argument[uint64](m), uint64(argument[int32](m)),
		argument[Ptr](m)
	splits := uint64(max(l.Blocks[1], 1))
	vs := numbers[F](m, v, (columns-1)*ldv+nb)
	to := numbers[float64](m, out, splits*columns*na)
	if columns > widest || chunk%directSide != 0 || splits*chunk < nb || uint64(l.Blocks[0])*directSide < na {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range na {
		for s := range splits {
			total := make([]float64, columns)
			for j := s * chunk; j < min((s+1)*chunk, nb); j++ {
				k := t.at(i, j)
				for c := range total {
					total[c] += float64(k * vs[uint64(c)*ldv+j])
				}
			}
			for c, sum := range total {
				to[(s*columns+uint64(c))*na+i] = sum
			}
		}
	}
}

func emulateMatrix[OUT float32 | float64](m *machine, l Shape) {
	t, na, nb := readTree[float64](m)
	scale, ridge, out, ld := argument[float64](m), argument[float64](m), argument[Ptr](m), argument[uint64](m)
	to := numbers[OUT](m, out, (na-1)*ld+nb)
	if uint64(l.Blocks[0])*directSide < na || uint64(l.Blocks[1])*directSide < nb {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range na {
		for j := range nb {
			k := scale * t.at(i, j)
			if i == j {
				k += ridge
			}
			to[i*ld+j] = OUT(k)
		}
	}
}
