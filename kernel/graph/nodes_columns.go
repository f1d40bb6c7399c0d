package graph

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// mostTerms bounds the Chebyshev series: a function that needs more has a feature narrower than
// 1/1000 of the spectrum.
const mostTerms = 1 << 13

// columnDigits is how far the series of columns goes: to 13 digits of its largest coefficient.
const columnDigits = 1e-13

// series are the Chebyshev coefficients of r on [0, largest], r(λ) ≈ c₀/2 + Σ cₘ·Tₘ(2λ/largest −
// 1), as many as a precision relative to the largest of them needs.
func (k Nodes) series(precision float64) ([]float64, error) {
	top := k.Laplacian.largest
	if top == 0 { // no edges: L = 0
		return []float64{2 * k.Transform.At(0, 0)}, nil
	}
	for m := 32; m <= mostTerms; m *= 2 {
		cosine := make([]float64, 4*m) // cos(πi/(2m))
		for i := range cosine {
			cosine[i] = math.Cos(math.Pi * float64(i) / float64(2*m))
		}
		values := make([]float64, m)
		for i := range values {
			values[i] = k.Transform.At(top*(cosine[2*i+1]+1)/2, top)
		}
		c, big := make([]float64, m), 0.0
		for t := range c {
			for i, v := range values {
				c[t] += v * cosine[t*(2*i+1)%(4*m)]
			}
			c[t] *= 2 / float64(m)
			big = max(big, math.Abs(c[t]))
		}
		rest := 0.0
		for t := m - 1; t >= 0; t-- {
			if rest += math.Abs(c[t]); rest > precision*big*math.Sqrt(float64(m)) {
				if t < 3*m/4 {
					return c[:t+1], nil
				}
				break
			}
		}
	}
	return nil, fmt.Errorf("kernel: nodes: %s varies too fast over the eigenvalues 0 to %g of the Laplacian for a "+
		"series of %d terms; take a smoother one", k.Transform.Name(), top, mostTerms)
}

// columns are the entries of r(L) in the given rows and columns. T_{m+1}(x) = 2x·T_m(x) −
// T_{m-1}(x) takes one product with L for a term, for several columns at once.
func (k Nodes) columns(ctx context.Context, rows, cols []int) linalg.Matrix[float64] {
	out := linalg.New[float64](len(rows), len(cols))
	c, err := k.series(columnDigits)
	if err != nil {
		for i := range out.Data {
			out.Data[i] = math.NaN()
		}
		return out
	}
	const together = 16
	n := k.Laplacian.Nodes()
	scale := 0.0
	if k.Laplacian.largest > 0 {
		scale = 2 / k.Laplacian.largest
	}
	for from := 0; from < len(cols); from += together {
		part := cols[from:min(from+together, len(cols))]
		before, now, next := linalg.New[float64](n, len(part)), linalg.New[float64](n, len(part)),
			linalg.New[float64](n, len(part))
		for a, j := range part {
			now.Set(j, a, 1)
		}
		for m, v := range c {
			if ctx.Err() != nil {
				return out
			}
			if m == 0 {
				v /= 2
			}
			for i, row := range rows {
				to := out.Row(i)[from : from+len(part)]
				for a, t := range now.Row(row) {
					to[a] += v * t
				}
			}
			if m+1 == len(c) {
				break
			}
			k.Laplacian.rows.MulDense(0, next, now)
			twice := 2.0
			if m == 0 {
				twice = 1
			}
			for i := range next.Data {
				next.Data[i] = twice*(scale*next.Data[i]-now.Data[i]) - before.Data[i]
			}
			before, now, next = now, next, before
		}
	}
	return out
}

// lowPart are the eigenpairs up to a cut.
type lowPart struct {
	values  []float64
	vectors linalg.Matrix[float64]
	err     error
}

// below is the eigenpairs up to a cut, from Lanczos' method for more and more pairs until one is
// above the cut. They are kept.
func (l *Laplacian) below(r Cutoff) *lowPart {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.low[r.Cut]; p != nil {
		return p
	}
	p := l.findBelow(r)
	l.low[r.Cut] = p
	return p
}

func (l *Laplacian) findBelow(r Cutoff) *lowPart {
	n := l.Nodes()
	for k := 16; ; k = min(2*k, n) {
		found, err := linalg.TopK(context.Background(), sparseOp{m: l.rows}, k,
			linalg.TopKOptions{Which: linalg.SmallestAlgebraic, Tolerance: 1e-11})
		if err != nil {
			return &lowPart{err: fmt.Errorf("kernel: nodes: the eigenvectors up to the cut %g: %w", r.Cut, err)}
		}
		kept := 0
		for kept < k && r.At(found.Values[kept], l.largest) > 0 {
			kept++
		}
		if kept < k || k == n {
			return &lowPart{values: found.Values[:kept], vectors: found.Vectors.Slice(0, n, 0, kept)}
		}
	}
}

// sparseOp is a sparse symmetric matrix as an operator.
type sparseOp struct {
	m       *linalg.CSR
	threads int
}

// Dims implements linalg.Operator.
func (o sparseOp) Dims() (r, c int) { return o.m.Rows, o.m.Cols }

// MulTo implements linalg.Operator.
func (o sparseOp) MulTo(dst, v *mat.Dense, _ bool) {
	o.m.MulDense(o.threads, linalg.Of(dst), linalg.Of(v))
}
