package model

// coupled is the class probabilities p of k classes from those of the pairs, r_ab of a against b, a
// < b, as plattscale.CouplePairs finds them: the minimiser of Σ (r_ba·p_a - r_ab·p_b)² = ½pᵀQp on Σp
// = 1. There Qp is the same number for all classes, so that (Q + 1·1ᵀ)p is, too; and that matrix is
// positive definite, since nothing that Q takes to 0 adds up to 0. ONNX has no solver, so the k
// steps of Gauss and Jordan's elimination are written out, for all rows at once.
func (g *graph) coupled(pairs string, k int) string {
	n := k * (k - 1) / 2
	first, second := make([]float64, n*k*k), make([]float64, n*k*k) // where r_ab and r_ba = 1 - r_ab go
	at := 0
	for a := range k {
		for b := a + 1; b < k; b++ {
			first[at*k*k+a*k+b], second[at*k*k+b*k+a] = 1, 1
			at++
		}
	}
	other := g.op("Sub", g.scalar(1), pairs)
	place := func(upper, lower string) string {
		flat := g.op("Add", g.op("MatMul", upper, g.store(first, n, k*k)), g.op("MatMul", lower, g.store(second, n, k*k)))
		return g.op("Reshape", flat, g.indices(-1, int64(k), int64(k)))
	}
	r, turned := place(pairs, other), place(other, pairs) // r[a][b] and r[b][a]
	unit, ones := make([]float64, k*k), make([]float64, k)
	for a := range k {
		unit[a*k+a], ones[a] = 1, 1
	}
	diagonal := g.store(unit, 1, k, k)
	squares := g.op("Mul", g.sum(g.op("Mul", turned, turned), 2, true), diagonal) // Q_aa = Σ r_ba²
	q := g.op("Sub", squares, g.op("Mul", r, turned))                             // Q_ab = -r_ba·r_ab
	system := g.op("Add", q, g.scalar(1))
	// The right side is 1, as a last column: 0·Q + 1 has it for every row.
	right := g.op("Add", g.op("Mul", g.gather(q, 2, 0), g.scalar(0)), g.store(ones, 1, k, 1))
	system = g.opWith("Concat", []attribute{{"axis", int64(2)}}, system, right)
	for j := range int64(k) {
		row := g.gather(system, 1, j)
		row = g.op("Div", row, g.gather(row, 2, j))
		others := append([]float64(nil), ones...)
		others[j] = 0
		column := g.op("Mul", g.gather(system, 2, j), g.store(others, 1, k, 1))
		system = g.op("Sub", system, g.op("Mul", column, row))
	}
	index := make([]int64, k)
	for a := range index {
		index[a] = int64(a)
	}
	pivots := g.sum(g.op("Mul", g.gather(system, 2, index...), diagonal), 2, false)
	right = g.op("Squeeze", g.gather(system, 2, int64(k)), g.indices(2))
	p := g.op("Div", right, pivots)
	return g.op("Div", p, g.sum(p, 1, true))
}
