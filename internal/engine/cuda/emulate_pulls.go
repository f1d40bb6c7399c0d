package cuda

// emulateRectangle is rectangle64 of _gen/direct.cu.
func emulateRectangle(m *machine, l Shape) {
	t, na, nb := readTree[float64](m)
	out, ld := argument[Ptr](m), argument[uint64](m)
	to := numbers[float64](m, out, (na-1)*ld+nb)
	if uint64(l.Blocks[0])*directSide < na || uint64(l.Blocks[1])*directSide < nb || l.Threads != 128 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range na {
		for j := range nb {
			to[i*ld+j] = t.at(i, j)
		}
	}
}

// emulatePulls is pulls of _gen/slopes.cu a pair at a time.
func emulatePulls(m *machine, l Shape, most int) {
	where, rowsAt, columnsAt, codeAt, marksAt := argument[Ptr](m), argument[Ptr](m), argument[Ptr](m), argument[Ptr](m),
		argument[Ptr](m)
	ops, table := int(argument[int32](m)), argument[Ptr](m)
	na, nb := argument[uint64](m), argument[uint64](m)
	given, scaleAt, leftAt, apart := argument[Ptr](m), argument[Ptr](m), argument[Ptr](m), argument[uint64](m)
	rightAt, targets, out := argument[Ptr](m), uint64(argument[int32](m)), argument[Ptr](m)
	again := &machine{e: m.e, args: []any{where, codeAt, int32(ops), table, na, nb}, status: success}
	t, _, _ := readTree[float64](again)
	blocks := uint64(l.Blocks[0])
	marks, w := numbers[int32](m, marksAt, 2*uint64(ops)), numbers[float64](m, given, na*nb)
	var scale, left, right []float64
	if scaleAt != 0 {
		scale = numbers[float64](m, scaleAt, na)
	}
	if targets > 0 {
		left, right = numbers[float64](m, leftAt, (targets-1)*apart+na), numbers[float64](m, rightAt, targets*nb)
	}
	sums := numbers[float64](m, out, blocks*2*uint64(ops))
	if again.status != success {
		m.status = again.status
	}
	if ops > most || l.Shared < slopeShared || l.Threads != 256 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	rows, columns := numbers[uint64](m, rowsAt, uint64(len(t.origins))),
		numbers[uint64](m, columnsAt, uint64(len(t.origins)))
	if m.status != success {
		return
	}
	byRows, byColumns := make([][]float64, len(t.origins)), make([][]float64, len(t.origins))
	for i, o := range t.origins {
		if rows[i] != 0 {
			byRows[i] = numbers[float64](m, Ptr(rows[i]), na*uint64(o.d))
			clear(byRows[i])
		}
		if columns[i] != 0 {
			byColumns[i] = numbers[float64](m, Ptr(columns[i]), blocks*nb*uint64(o.d))
		}
	}
	if m.status != success {
		return
	}
	clear(sums)
	tape := make([]float64, ops)
	for i := range na {
		block := i / slopeSide % blocks
		for j := range nb {
			g := w[i*nb+j]
			if scale != nil {
				g *= scale[i]
			}
			for c := range targets {
				g += left[c*apart+i] * right[c*nb+j]
			}
			t.back(tape, marks, g, i, j, sums[block*2*uint64(ops):][:2*ops], func(source int, g float64) {
				o := t.origins[source]
				d := uint64(o.d)
				for c := range d {
					x, y := o.a[i*d+c], o.b[j*d+c]
					if to := byRows[source]; to != nil {
						to[i*d+c] += g * byFirst(o.metric, x, y)
					}
					if to := byColumns[source]; to != nil {
						to[(block*nb+j)*d+c] += g * byFirst(o.metric, y, x)
					}
				}
			})
		}
	}
}

func emulateScaled(m *machine, _ Shape) {
	a, rows, columns, by, out := argument[Ptr](m), argument[uint64](m), argument[uint64](m), argument[Ptr](m),
		argument[Ptr](m)
	from, scale, to := numbers[float64](m, a, rows*columns), numbers[float64](m, by, rows),
		numbers[float64](m, out, rows*columns)
	if m.status != success {
		return
	}
	for i := range to {
		to[i] = scale[uint64(i)/columns] * from[i]
	}
}

func emulateSquares(m *machine, l Shape) {
	a, rows, columns, out := argument[Ptr](m), argument[uint64](m), argument[uint64](m), argument[Ptr](m)
	from, to := numbers[float64](m, a, rows*columns), numbers[float64](m, out, rows)
	if uint64(l.Blocks[0])*8 < rows || l.Threads != 256 {
		m.status = invalidValue
	}
	if m.status != success {
		return
	}
	for i := range to {
		to[i] = 0
		for _, v := range from[uint64(i)*columns:][:columns] {
			to[i] += v * v
		}
	}
}
