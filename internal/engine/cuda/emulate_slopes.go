package cuda

import "math"

// emulateSlopes is _gen/slopes.cu a pair at a time.
func emulateSlopes(m *machine, l Shape, most int) {
	where, moved, codeAt, marksAt := argument[Ptr](m), argument[Ptr](m), argument[Ptr](m), argument[Ptr](m)
	ops, table := int(argument[int32](m)), argument[Ptr](m)
	n, chunk := argument[uint64](m), argument[uint64](m)
	inverse, alpha, targets, out := argument[Ptr](m), argument[Ptr](m), uint64(argument[int32](m)), argument[Ptr](m)
	again := &machine{e: m.e, args: []any{where, codeAt, int32(ops), table, n, n}, status: success}
	t, _, _ := readTree[float64](again)
	parts := uint64(max(l.Blocks[1], 1))
	tiles := uint64(l.Blocks[0])
	marks := numbers[int32](m, marksAt, 2*uint64(ops))
	inv, alphas := numbers[float64](m, inverse, n*n), numbers[float64](m, alpha, n*targets)
	sums := numbers[float64](m, out, tiles*parts*2*uint64(ops))
	to := numbers[uint64](m, moved, uint64(len(t.origins)))
	if again.status != success {
		m.status = again.status
	}
	if ops > most || tiles*slopeSide < n || parts*chunk < n || (parts-1)*chunk >= n || chunk%slopeSide != 0 ||
		l.Shared < slopeShared || l.Threads != 256 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	bars := make([][]float64, len(to)) // of each source: parts × n × d
	for i, p := range to {
		if p != 0 {
			bars[i] = numbers[float64](m, Ptr(p), parts*n*uint64(t.origins[i].d))
			clear(bars[i])
		}
	}
	clear(sums)
	if m.status != success {
		return
	}
	tape := make([]float64, ops)
	for i := range n {
		for j := range n {
			w := -float64(targets) * inv[max(i, j)*n+min(i, j)]
			for c := range targets {
				w += alphas[c*n+i] * alphas[c*n+j]
			}
			part := j / chunk
			own := sums[(part*tiles+i/slopeSide)*2*uint64(ops):][:2*ops]
			t.back(tape, marks, 0.5*w, i, j, own, func(source int, g float64) {
				if bars[source] == nil {
					return
				}
				o := t.origins[source]
				d := uint64(o.d)
				row := bars[source][(part*n+i)*d:][:d]
				for c := range row {
					row[c] += 2 * g * byFirst(o.metric, o.a[i*d+uint64(c)], o.b[j*d+uint64(c)])
				}
			})
		}
	}
}

func emulateTotals(m *machine, l Shape) {
	part, parts, size, out := argument[Ptr](m), argument[uint64](m), uint64(argument[int32](m)), argument[Ptr](m)
	from, to := numbers[float64](m, part, parts*size), numbers[float64](m, out, size)
	if uint64(l.Blocks[0]) != size || l.Threads != 256 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for s := range size {
		to[s] = 0
		for p := range parts {
			to[s] += from[p*size+s]
		}
	}
}

// back goes forward and back through the steps for one pair: g is the derivative by the value of
// the whole.
func (t tree[F]) back(
	tape []float64, marks []int32, g float64, i, j uint64, sums []float64, load func(source int, g float64),
) {
	for at := range tape {
		op := Op(t.code[4*at])
		switch op {
		case Add:
			tape[at] = tape[at-1] + tape[marks[2*at]]
		case Mul:
			tape[at] = tape[at-1] * tape[marks[2*at]]
		case Load, Constant:
			one := tree[F]{origins: t.origins, code: t.code[4*at : 4*at+4], table: t.table}
			tape[at] = float64(one.at(i, j))
		default:
			tape[at] = t.after(at, tape[at-1])
		}
	}
	for at := len(tape) - 1; at >= 0; at-- {
		op, index, a, b := Op(t.code[4*at]), int(t.code[4*at+1]), t.code[4*at+2], t.code[4*at+3]
		other := marks[2*at]
		switch op {
		case Load, Constant:
			if op == Constant {
				sums[2*at] += g
			} else {
				load(index, g)
			}
			if at > 0 {
				g = tape[other]
			}
			continue
		case Add:
			tape[at] = g
			continue
		case Mul:
			tape[at], g = g*tape[at-1], g*tape[other]
			continue
		}
		x, y := tape[at-1], tape[at]
		slope, na, nb := 1.0, 0.0, 0.0
		switch op {
		case Affine:
			slope, na, nb = a, x, 1
		case Exp:
			slope, na = a*y, x*y
		case Sqrt:
			if slope = 0; y > 0 {
				slope = 0.5 / y
			}
		case Power:
			if slope = a * math.Pow(x, a-1); x > 0 {
				na = y * math.Log(x)
			}
		case PowerI:
			slope = float64(index) * math.Pow(x, float64(index-1))
		case Tanh:
			slope = 1 - y*y
		case Ratio:
			u := y / (1 + a*x)
			slope, na, nb = a*b*u, b*x*u, y*math.Log1p(a*x)
		case Matern:
			slope, na = t.maternSlope(index, a, int(b), x)
		}
		sums[2*at] += g * na
		sums[2*at+1] += g * nb
		g *= slope
	}
}

// after is the value after the step at a place that has one operand.
func (t tree[F]) after(at int, x float64) float64 {
	op, index, a, b := Op(t.code[4*at]), int(t.code[4*at+1]), t.code[4*at+2], t.code[4*at+3]
	switch op {
	case Affine:
		return a*x + b
	case Exp:
		return math.Exp(a * x)
	case Sqrt:
		return math.Sqrt(x)
	case Power:
		return math.Pow(x, a)
	case PowerI:
		return math.Pow(x, float64(index))
	case Tanh:
		return math.Tanh(x)
	case Ratio:
		return math.Exp(b * math.Log1p(a*x))
	}
	z, p := a*math.Sqrt(x), 0.0
	for c := index - 1; c >= 0; c-- {
		p = p*z + t.table[int(b)+c]
	}
	if e := math.Exp(-z); e > 0 {
		return p * e
	}
	return 0
}

// maternSlope is the derivatives of p(z)e^{-z}, z = a√x, by x and by a.
func (t tree[F]) maternSlope(index int, a float64, from int, x float64) (slope, na float64) {
	root := math.Sqrt(x)
	z, e, p := a*root, math.Exp(-a*root), t.table[from:from+index]
	coef := func(c int) float64 { // of q = p' - p
		q := -p[c]
		if c+1 < index {
			q += float64(c+1) * p[c+1]
		}
		return q
	}
	r := 0.0
	for c := index - 1; c > 0; c-- {
		r = r*z + coef(c)
	}
	na, slope = root*e*(coef(0)+z*r), r
	if z > 0 {
		slope += coef(0) / z
	}
	return 0.5 * a * a * e * slope, na
}

// byFirst is ∂m(u, v)/∂u of one coordinate.
func byFirst[F float32 | float64](m Metric, x, y F) float64 {
	u, v := float64(x), float64(y)
	switch m {
	case Inner:
		return v
	case SqDist:
		return 2 * (u - v)
	case L1Dist:
		if u == v {
			return 0
		}
		return math.Copysign(1, u-v)
	case ChiSqDist:
		if u+v == 0 {
			return 0
		}
		q := v / (u + v)
		return 1 - 4*q*q
	}
	switch {
	case u < v:
		return 1
	case u == v:
		return 0.5
	}
	return 0
}
