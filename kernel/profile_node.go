package kernel

import (
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// profileNode is κ of a metric.
type profileNode struct {
	src *source
	k   Profiled
	k32 Profiled32 // nil when k has no single-precision profile
}

func newProfileNode(src *source, k Profiled) profileNode {
	if p, ok := k.(Matern); ok { // and no type that embeds it, whose profile may be another
		k = p.prepareProfile()
	}
	if g, ok := k.(Gaussian); ok {
		src.gaussians++
		src.steepest = max(src.steepest, -g.scale())
	}
	k32, _ := k.(Profiled32)
	return profileNode{src, k, k32}
}

func (n profileNode) tile64(dst linalg.Matrix[float64], w *work[float64]) {
	metricOf(w, n.src, dst)
	applyProfile(n.k, n.k32, dst, w)
}

func (n profileNode) tile32(dst linalg.Matrix[float32], w *work[float32]) {
	metricOf(w, n.src, dst)
	applyProfile(n.k, n.k32, dst, w)
}

func (n profileNode) cut(c *cutter) node {
	n.src = c.sources[n.src.slot]
	return n
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
