package gp

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Places that a mixed step looks back on, and the most inducing points for which they are kept.
const (
	mixedPlaces = 4
	mixedPoints = 512
)

// mixture is the last places of a climb. Natural gradient steps go to q's fixed point by a constant
// factor each, of 0.9 and more where classes are told apart with ease; the mixture of the last
// steps that would leave the least residual, if the map were linear, goes there in a fifth of them
// (D. Anderson 1965; H. Walker and P. Ni 2011).
type mixture []*variational

// add keeps the natural parameters of a place and where they lead.
func (h *mixture) add(q *variational) {
	if q.count() > mixedPoints {
		return
	}
	kept := &variational{natural: q.natural, precision: q.precision, next: q.next, nextNatural: q.nextNatural}
	if *h = append(*h, kept); len(*h) > mixedPlaces {
		*h = (*h)[1:]
	}
}

// each calls f with every list of natural parameters of the places and of where they lead.
func (h mixture) each(outputs int, f func(at, to [][]float64)) {
	at, to := make([][]float64, len(h)), make([][]float64, len(h))
	for i, q := range h {
		at[i], to[i] = q.natural.Data, q.nextNatural.Data
	}
	f(at, to)
	for c := range outputs {
		for i, q := range h {
			at[i], to[i] = q.precision[c].Data, q.next[c].Data
		}
		f(at, to)
	}
}

// weights are those, of sum 1, of the mixture of residuals of the least norm; nil where they are of
// no use.
func (h mixture) weights(ctx context.Context, threads, outputs int) []float64 {
	n := len(h)
	if n < 2 {
		return nil
	}
	g := linalg.New[float64](n, n)
	h.each(outputs, func(at, to [][]float64) {
		for i := range n {
			for j := range i + 1 {
				s := 0.0
				for k, x := range to[i] {
					s += (x - at[i][k]) * (to[j][k] - at[j][k])
				}
				g.Set(i, j, g.At(i, j)+s)
			}
		}
	})
	top := 0.0
	for i := range n {
		top = math.Max(top, g.At(i, i))
	}
	for i := range n {
		g.Set(i, i, g.At(i, i)+1e-12*top)
	}
	chol, err := linalg.NewCholeskyContext(ctx, threads, g)
	if err != nil {
		return nil
	}
	w, sum := make([]float64, n), 0.0
	for i := range w {
		w[i] = 1
	}
	chol.Solve(threads, linalg.Matrix[float64]{Rows: n, Cols: 1, Stride: 1, Data: w})
	for _, x := range w {
		sum += x
	}
	for i := range w {
		if w[i] /= sum; math.IsNaN(w[i]) || math.Abs(w[i]) > 1e3 {
			return nil
		}
	}
	return w
}

// mixed is where the mixture of the last steps leads, or nil.
func (p *variationalProblem) mixed(ctx context.Context, q *variational, h mixture) *variational {
	w := h.weights(ctx, p.Threads, p.outputs)
	if w == nil {
		return nil
	}
	out := p.prior(q.inducing)
	lists := [][]float64{out.natural.Data}
	for c := range out.precision {
		lists = append(lists, out.precision[c].Data)
	}
	h.each(p.outputs, func(_, to [][]float64) {
		dst := lists[0]
		lists = lists[1:]
		clear(dst)
		for i, x := range to {
			for k, v := range x {
				dst[k] += w[i] * v
			}
		}
	})
	return out
}
