package rbf

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

const (
	// leastNew is the part of a candidate's squared length that must be new for
	// it to be chosen: what is below has lost its digits to cancellation.
	leastNew = 1e-12
	// leastEnergy is the part of the targets' energy that counts as rounding.
	leastEnergy = 1e-26
)

// forwardSelection is orthogonal least squares (Chen, Cowan and Grant 1991; with
// several targets, Chen, Grant and Cowan 1992): of the candidates pⱼ = k(xⱼ, ·), kept orthogonal
// to those chosen, it takes the one with the largest error reduction ratio
//
//	Σ over targets (pⱼᵀd)² / pⱼᵀpⱼ  /  Σ over targets dᵀd,
//
// which is the one whose addition leaves the least sum of squares. Of equals
// it takes the first. Points weigh by √w; the constant is chosen before all others
// when there is an intercept. It overwrites basis.
func forwardSelection(
	ctx context.Context, o Options, basis linalg.Matrix[float64], targets [][]float64, weights []float64,
) (Centers, error) {
	n := basis.Rows
	root := make([]float64, n)
	for i, w := range weights {
		root[i] = math.Sqrt(w)
	}
	left := make([][]float64, len(targets)) // the targets, orthogonal to those chosen
	for t, y := range targets {
		left[t] = make([]float64, n)
		for i, v := range y {
			left[t][i] = root[i] * v
		}
	}
	var chosen [][]float64 // orthonormal
	if !o.NoIntercept {
		q := make([]float64, n)
		copy(q, root)
		simd.Scal(1/math.Sqrt(fitting.SquaredNorm(q)), q)
		chosen = append(chosen, q)
		removeFrom(q, left)
	}
	length, now, gain := make([]float64, n), make([]float64, n), make([]float64, n)
	fitting.Rows(ctx, o.Threads, n, 16, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			p := basis.Row(j)
			for i := range p {
				p[i] *= root[i]
			}
			length[j] = fitting.SquaredNorm(p)
			for _, q := range chosen {
				removeComponent(q, p)
			}
		}
	})
	energy := energyOf(left)
	var c Centers
	taken := make([]bool, n)
	for rest := energy; len(c.rows) < o.Centers && rest > leastEnergy*energy; rest = energyOf(left) {
		if c.reached = rest <= o.Unexplained*energy; c.reached {
			break
		}
		if err := ctx.Err(); err != nil {
			return c, err
		}
		fitting.Rows(ctx, o.Threads, n, 16, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				p := basis.Row(j)
				gain[j] = math.Inf(-1)
				if now[j] = fitting.SquaredNorm(p); taken[j] || now[j] <= leastNew*length[j] {
					continue
				}
				gain[j] = 0
				for _, d := range left {
					g := simd.Dot(p, d)
					gain[j] += g / now[j] * g
				}
			}
		})
		best := learn.ArgMax(gain)
		if math.IsInf(gain[best], -1) {
			break // all that is left is in the span of those chosen
		}
		q := append([]float64(nil), basis.Row(best)...)
		for _, earlier := range chosen { // once more, against what rounding left
			removeComponent(earlier, q)
		}
		simd.Scal(1/math.Sqrt(fitting.SquaredNorm(q)), q)
		removeFrom(q, left)
		chosen, taken[best] = append(chosen, q), true
		c.rows = append(c.rows, best)
		c.ratio = append(c.ratio, gain[best]/energy)
		fitting.Rows(ctx, o.Threads, n, 16, func(lo, hi int) {
			for j := lo; j < hi; j++ {
				removeComponent(q, basis.Row(j))
			}
		})
	}
	if len(c.rows) == 0 { // the constant explains all: a network still has a centre
		c.rows, c.ratio = []int{0}, []float64{0}
	}
	return c, nil
}

// removeComponent takes the part along the unit vector q off v.
func removeComponent(q, v []float64) { simd.Axpy(-simd.Dot(q, v), q, v) }

func removeFrom(q []float64, vs [][]float64) {
	for _, v := range vs {
		removeComponent(q, v)
	}
}

func energyOf(vs [][]float64) float64 {
	e := 0.0
	for _, v := range vs {
		e += fitting.SquaredNorm(v)
	}
	return e
}
