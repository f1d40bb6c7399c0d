package kernel

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// work is the scratch memory of one tile in one goroutine. It has functions and no methods, like
// pair.
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

func start[F linalg.Float](w *work[F], i, j, rows, cols, sources int) {
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
func push[F linalg.Float](w *work[F]) linalg.Matrix[F] {
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

func pop[F linalg.Float](w *work[F]) { w.depth-- }

// metricOf copies the metric of a source into dst; what several nodes read is
// computed once.
func metricOf[F linalg.Float](w *work[F], s *source, dst linalg.Matrix[F]) {
	if s.uses == 1 && !w.keep {
		fillSource(w, s, dst)
		return
	}
	w.reads[s.slot]++
	dst.CopyFrom(sharedMetric(w, s))
}

// fillSource computes the metric of s, from inner products where those are shared.
func fillSource[F linalg.Float](w *work[F], s *source, dst linalg.Matrix[F]) {
	if s.products == nil {
		fillMetric(s, dst, w.i, w.j)
		return
	}
	w.reads[s.products.slot]++
	fillFrom(s, dst, sharedMetric(w, s.products), w.i, w.j)
}

// lastRead says that nobody will read the metric of s after this, so that it may be
// overwritten where it stands.
func lastRead[F linalg.Float](w *work[F], s *source) bool {
	return s.uses > 1 && !w.keep && w.reads[s.slot] == s.uses-1
}

// sharedMetric is the metric of s, kept for all that read it.
func sharedMetric[F linalg.Float](w *work[F], s *source) linalg.Matrix[F] {
	if !w.ready[s.slot] {
		m := &w.metrics[s.slot]
		if n := w.rows * w.cols; cap(m.Data) < n {
			m.Data = make([]F, n)
		} else {
			m.Data = m.Data[:n]
		}
		m.Rows, m.Cols, m.Stride = w.rows, w.cols, max(w.cols, 1)
		fillSource(w, s, *m)
		w.ready[s.slot] = true
	}
	return w.metrics[s.slot]
}

func addScaled[F linalg.Float](c F, src, dst linalg.Matrix[F]) {
	for a := range dst.Rows {
		simd.Axpy(c, src.Row(a), dst.Row(a))
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
