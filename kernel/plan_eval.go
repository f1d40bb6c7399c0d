package kernel

import (
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// work is the scratch memory of one tile in one goroutine.
type work[F linalg.Float] struct {
	i, j       int
	rows, cols int
	metrics    []linalg.Matrix[F] // of the sources read more than once
	ready      []bool
	reads      []int // how many nodes have read each metric of this tile
	arena      [][]F // temporary tiles, used as a stack
	depth      int
	wide       []float64
	keep       bool // keep every metric: derivatives read it again
}

func (w *work[F]) start(i, j, rows, cols, sources int) {
	w.i, w.j, w.rows, w.cols, w.depth = i, j, rows, cols, 0
	if len(w.ready) < sources {
		w.ready = make([]bool, sources)
		w.reads = make([]int, sources)
		w.metrics = make([]linalg.Matrix[F], sources)
	}
	clear(w.ready)
	clear(w.reads)
}

// push takes a temporary tile from the stack; pop gives it back.
func (w *work[F]) push() linalg.Matrix[F] {
	if w.depth == len(w.arena) {
		w.arena = append(w.arena, nil)
	}
	n := w.rows * w.cols
	if cap(w.arena[w.depth]) < n {
		w.arena[w.depth] = make([]F, n)
	}
	t := linalg.Matrix[F]{Rows: w.rows, Cols: w.cols, Stride: max(w.cols, 1), Data: w.arena[w.depth][:n]}
	w.depth++
	return t
}

func (w *work[F]) pop() { w.depth-- }

// metric copies the metric of a source into dst; what several nodes read is
// computed once.
func (w *work[F]) metric(s *source, dst linalg.Matrix[F]) {
	if s.uses == 1 && !w.keep {
		w.fill(s, dst)
		return
	}
	w.reads[s.slot]++
	dst.CopyFrom(w.shared(s))
}

// fill computes the metric of s, from inner products where those are shared.
func (w *work[F]) fill(s *source, dst linalg.Matrix[F]) {
	if s.products == nil {
		fillMetric(s, dst, w.i, w.j)
		return
	}
	w.reads[s.products.slot]++
	fillFrom(s, dst, w.shared(s.products), w.i, w.j)
}

// last says that nobody will read the metric of s after this, so that it may be
// overwritten where it stands.
func (w *work[F]) last(s *source) bool {
	return s.uses > 1 && !w.keep && w.reads[s.slot] == s.uses-1
}

func (w *work[F]) shared(s *source) linalg.Matrix[F] {
	if !w.ready[s.slot] {
		m := &w.metrics[s.slot]
		if n := w.rows * w.cols; cap(m.Data) < n {
			m.Data = make([]F, n)
		} else {
			m.Data = m.Data[:n]
		}
		m.Rows, m.Cols, m.Stride = w.rows, w.cols, max(w.cols, 1)
		w.fill(s, *m)
		w.ready[s.slot] = true
	}
	return w.metrics[s.slot]
}

// evaluate fills dst with the values of n at the tile of w.
func evaluate[F linalg.Float](n node, dst linalg.Matrix[F], w *work[F]) {
	switch n := n.(type) {
	case profileNode:
		w.metric(n.src, dst)
		applyProfile(n.k, n.k32, dst, w)
	case blockNode:
		switch d := any(dst).(type) {
		case linalg.Matrix[float64]:
			n.fill(d, w.i, w.j)
		case linalg.Matrix[float32]:
			narrowTile(d, func(wide linalg.Matrix[float64]) { n.fill(wide, w.i, w.j) })
		}
	case constantNode:
		eachRow(dst, func(_ int, row []F) { fill(row, F(n.c)) })
	case sumNode:
		evaluateSum(n.terms, dst, w)
	case productNode:
		combine(n.factors, dst, w, multiplyTo[F])
	case scaleNode:
		evaluate(n.in, dst, w)
		eachRow(dst, func(_ int, row []F) { scaleBy(row, F(n.c)) })
	case powerNode:
		evaluate(n.in, dst, w)
		eachRow(dst, func(_ int, row []F) { powerOf(row, n.p) })
	case polynomialNode:
		evaluate(n.in, dst, w)
		eachRow(dst, func(_ int, row []F) { polynomialOf(row, n.coef) })
	case expNode:
		evaluate(n.in, dst, w)
		eachRow(dst, expOf[F])
	case aliasNode:
		evaluate(n.in, dst, w)
	case weightNode:
		evaluate(n.in, dst, w)
		for a := range dst.Rows {
			weigh(dst.Row(a), F(n.left[w.i+a]), n.right[w.j:])
		}
	case substituteNode:
		evaluate(n.in, dst, w)
		for a := range dst.Rows {
			featureDistances(n, dst.Row(a), w.i+a, w.j)
		}
		k32, _ := n.outer.(Profiled32)
		applyProfile(n.outer, k32, dst, w)
	case offsetNode:
		evaluate(n.in, dst, w)
		for a := range dst.Rows {
			offset(dst.Row(a), F(n.c), F(n.left[w.i+a]), n.right[w.j:])
		}
	}
}

// evaluateSum adds the values of the terms; a factor of a term rides along with
// the addition.
func evaluateSum[F linalg.Float](terms []node, dst linalg.Matrix[F], w *work[F]) {
	for i, t := range terms {
		if i == 0 {
			evaluate(t, dst, w)
			continue
		}
		c := F(1)
		if s, ok := t.(scaleNode); ok {
			c, t = F(s.c), s.in
		}
		if k, ok := t.(constantNode); ok {
			eachRow(dst, func(_ int, row []F) { shiftBy(row, c*F(k.c)) })
			continue
		}
		if p, ok := t.(profileNode); ok && w.last(p.src) {
			tmp := w.shared(p.src)
			w.reads[p.src.slot]++
			applyProfile(p.k, p.k32, tmp, w)
			addScaled(c, tmp, dst)
			continue
		}
		tmp := w.push()
		evaluate(t, tmp, w)
		addScaled(c, tmp, dst)
		w.pop()
	}
}

func addScaled[F linalg.Float](c F, src, dst linalg.Matrix[F]) {
	for a := range dst.Rows {
		simd.Axpy(c, src.Row(a), dst.Row(a))
	}
}

// combine folds the values of several nodes into dst.
func combine[F linalg.Float](nodes []node, dst linalg.Matrix[F], w *work[F], fold func(dst, src []F)) {
	for i, t := range nodes {
		if i == 0 {
			evaluate(t, dst, w)
			continue
		}
		tmp := w.push()
		evaluate(t, tmp, w)
		for a := range dst.Rows {
			fold(dst.Row(a), tmp.Row(a))
		}
		w.pop()
	}
}

// applyProfile replaces metric values by κ of them.
func applyProfile[F linalg.Float](k Profiled, k32 Profiled32, dst linalg.Matrix[F], w *work[F]) {
	switch d := any(dst).(type) {
	case linalg.Matrix[float64]:
		eachRow(d, func(_ int, row []float64) { k.Profile(row) })
	case linalg.Matrix[float32]:
		if k32 != nil {
			eachRow(d, func(_ int, row []float32) { k32.Profile32(row) })
			return
		}
		if len(w.wide) < d.Cols {
			w.wide = make([]float64, d.Cols)
		}
		for a := range d.Rows {
			wide := w.wide[:d.Cols]
			simd.Widen(wide, d.Row(a))
			k.Profile(wide)
			simd.Narrow(d.Row(a), wide)
		}
	}
}

// eachRow calls f on the rows of m, or once on all of it when it has no gaps.
func eachRow[F linalg.Float](m linalg.Matrix[F], f func(a int, row []F)) {
	if m.Stride == m.Cols && len(m.Data) >= m.Rows*m.Cols {
		if m.Rows*m.Cols > 0 {
			f(0, m.Data[:m.Rows*m.Cols])
		}
		return
	}
	for a := range m.Rows {
		f(a, m.Row(a))
	}
}

func fill[F linalg.Float](row []F, c F) {
	for i := range row {
		row[i] = c
	}
}

func shiftBy[F linalg.Float](row []F, c F) {
	for i := range row {
		row[i] += c
	}
}

func multiplyTo[F linalg.Float](dst, src []F) {
	src = src[:len(dst)]
	for i, v := range src {
		dst[i] *= v
	}
}

func scaleBy[F linalg.Float](row []F, c F) { simd.Scal(c, row) }

func powerOf[F linalg.Float](row []F, p int) {
	switch r := any(row).(type) {
	case []float64:
		simd.PowInt64(r, r, p)
	case []float32:
		simd.PowInt32(r, r, p)
	}
}

func polynomialOf[F linalg.Float](row []F, coef []float64) {
	for i, v := range row {
		row[i] = F(horner(coef, float64(v)))
	}
}

func expOf[F linalg.Float](_ int, row []F) {
	switch r := any(row).(type) {
	case []float64:
		expScale(r, 1)
	case []float32:
		expScale32(r, 1)
	}
}

// weigh sets row[b] = left·row[b]·right[b].
func weigh[F linalg.Float](row []F, left F, right []float64) {
	for b, v := range row {
		row[b] = left * v * F(right[b])
	}
}

// featureDistances sets row[b] = max(left[i] - 2row[b] + right[j+b], 0), and 0 on the
// diagonal of a symmetric matrix, where rounding would leave something else.
func featureDistances[F linalg.Float](n substituteNode, row []F, i, j int) {
	left, right := n.left[i], n.right[j:]
	for b, v := range row {
		row[b] = F(math.Max(left-2*float64(v)+right[b], 0))
	}
	if b := i - j; n.same && b >= 0 && b < len(row) {
		row[b] = 0
	}
}

// offset sets row[b] = c·row[b] + left + right[b].
func offset[F linalg.Float](row []F, c, left F, right []float64) {
	for b, v := range row {
		row[b] = c*v + left + F(right[b])
	}
}
