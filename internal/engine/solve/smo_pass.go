package solve

import "context"

// partPass does pair updates over a whole activePart: the gradient in single
// precision where eps allows it, which halves the time of a pass, and computed
// afresh in double precision from the coefficients afterwards, so that what a
// caller sees as violation is exact whatever rounding did inside.
type partPass struct {
	block   block[float32]
	single  singlePairs
	before  []float64
	rows    [][]float32
	weights []float64
}

// solve does at most budget pair updates and brings f up to date.
func (w *partPass) solve(
	ctx context.Context, p *activePart, q BoxQP, beta, f []float64, eps float64, budget int,
) (int, error) {
	m := len(beta)
	w.before = append(w.before[:0], beta...)
	var n int
	var err error
	violation, low, high := BoxViolation(q, beta, f)
	if middle := middles(low, high)[0]; eps >= singleRounding*violation {
		w.single.begin(m, 1, false)
		for t, b := range beta {
			w.single.start(t, q.Linear[t]-f[t]-middle, 0, b)
			w.single.place(t, 0, b, q.Lower[t], q.Upper[t])
		}
		width := padded(m)
		row := func(t int) []float32 { return p.store[t*p.stride : t*p.stride+width] }
		n, _, err = w.single.run(ctx, pairsRun{row: row, diag: p.diag, lower: q.Lower, upper: q.Upper, beta: beta}, eps,
			budget)
	} else {
		n, err = w.double(ctx, p, q, beta, f, eps, budget)
	}
	if err != nil {
		return n, err
	}
	w.rows, w.weights = w.rows[:0], w.weights[:0]
	for t, b := range beta {
		if d := b - w.before[t]; d != 0 {
			w.rows, w.weights = append(w.rows, p.k.Row(t)), append(w.weights, d)
		}
	}
	addRows(1, f[:m], w.rows, w.weights, 0)
	return n, nil
}

func (w *partPass) double(
	ctx context.Context, p *activePart, q BoxQP, beta, f []float64, eps float64, budget int,
) (int, error) {
	m := len(beta)
	b := &w.block
	if cap(b.diag) < m {
		b.grow(p.stride)
	}
	b.narrow(m)
	b.k, b.groups = p.k, append(b.groups[:0], span{0, m})
	copy(b.diag, p.diag)
	copy(b.low, q.Lower)
	copy(b.high, q.Upper)
	copy(b.beta, beta)
	for t := range beta {
		b.place(t, q.Linear[t]-f[t])
	}
	n, err := b.solve(ctx, eps, budget)
	copy(beta, b.beta)
	return n, err
}
