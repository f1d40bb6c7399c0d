package rkhs

import (
	"container/heap"
	"context"
	"math"

	"github.com/mercer-ml/mercer/internal/fault"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Hermite is the Mercer expansion, in closed form, of the Gaussian kernel
// exp(-‖x-y‖²/(2ℓ²)) under the Gaussian density N(Mean, Std²) in each
// coordinate. In one dimension, with t = (x-Mean)/Std and ε = Std/ℓ
// (Zhu et al. 1998; Fasshauer 2012; Rasmussen and Williams 2006, §4.3.1, where
// the weight is the same density):
//
//	β = (1 + 4ε²)^{1/4},  δ² = (β²-1)/4,  a = ½ + β²/2 + ε²,
//	λₙ = a^{-1/2}·(ε²/a)ⁿ,  eₙ(x) = √β·e^{-δ²t²}·hₙ(βt),
//
// hₙ being the Hermite polynomials orthonormal under the density N(0, 1). Then
// Σ λₙeₙ(x)eₙ(y) = k(x, y), and the eₙ are orthonormal in L₂ of the density. In
// several dimensions eigenfunctions are products, eigenvalues too.
type Hermite struct {
	Lengthscale float64
	Mean, Std   []float64 // of the measure, one for each coordinate

	base  []coordinate
	index [][]int   // of each term, the degree in each coordinate
	value []float64 // eigenvalues, largest first
}

// coordinate is the one-dimensional expansion.
type coordinate struct{ mean, std, beta, delta2, first, ratio float64 }

// NewHermite keeps the terms largest eigenvalues.
func NewHermite(k kernel.Gaussian, mean, std []float64, terms int) (*Hermite, error) {
	if err := k.Validate(); err != nil {
		return nil, fault.Errorf("rkhs", "hermite: %w", err)
	}
	if len(mean) == 0 || len(mean) != len(std) {
		return nil, fault.Errorf("rkhs",
			"hermite: %d means and %d standard deviations; want one of each for every coordinate", len(mean), len(std))
	}
	if terms < 1 {
		return nil, fault.Errorf("rkhs", "hermite: %d terms, want at least 1", terms)
	}
	l := k.Lengthscale
	if l == 0 {
		l = 1
	}
	h := &Hermite{Lengthscale: l, Mean: mean, Std: std}
	for j, s := range std {
		if !(s > 0) || math.IsInf(s, 0) || math.IsNaN(mean[j]) || math.IsInf(mean[j], 0) {
			return nil, fault.Errorf("rkhs",
				"hermite: coordinate %d has measure N(%g, %g²); want a finite mean and a standard deviation > 0", j, mean[j], s)
		}
		// Fasshauer's α² = 1/(2s²) and ε² = 1/(2ℓ²), in units of s.
		e2 := s * s / (l * l)
		beta2 := math.Sqrt(1 + 4*e2)
		a2 := 0.5 + 0.5*beta2 + e2 // 2s²·(α² + δ² + ε²)
		h.base = append(h.base, coordinate{mean[j], s, math.Sqrt(beta2), (beta2 - 1) / 4, math.Sqrt(1 / a2), e2 / a2})
	}
	h.order(terms)
	return h, nil
}

// order lists the multi-indices by falling eigenvalue. Raising one degree can
// only lower the eigenvalue, so a heap of neighbours finds them in order; each
// is reached once, by raising degrees from the last coordinate raised on.
func (h *Hermite) order(terms int) {
	first := 0.0
	for _, c := range h.base {
		first += math.Log(c.first)
	}
	q := &termHeap{{make([]int, len(h.base)), 0, first}}
	for len(h.value) < terms {
		t := heap.Pop(q).(term)
		h.index = append(h.index, t.degree)
		h.value = append(h.value, math.Exp(t.log))
		for j := t.from; j < len(h.base); j++ {
			d := append([]int(nil), t.degree...)
			d[j]++
			heap.Push(q, term{d, j, t.log + math.Log(h.base[j].ratio)})
		}
	}
}

type term struct {
	degree []int
	from   int
	log    float64
}

type termHeap []term

func (q termHeap) Len() int { return len(q) }
func (q termHeap) Less(i, j int) bool {
	if q[i].log != q[j].log {
		return q[i].log > q[j].log
	}
	for c := range q[i].degree { // ties in a fixed order
		if q[i].degree[c] != q[j].degree[c] {
			return q[i].degree[c] > q[j].degree[c]
		}
	}
	return false
}
func (q termHeap) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push is for container/heap.
func (q *termHeap) Push(x any) { *q = append(*q, x.(term)) }

// Pop is for container/heap.
func (q *termHeap) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// Values are the eigenvalues, largest first; their sum over all terms is 1.
// Do not write to them.
func (h *Hermite) Values() []float64 { return h.value }

// Degrees are the degrees of term i in each coordinate.
func (h *Hermite) Degrees(i int) []int { return h.index[i] }

// Evaluate is the eigenfunctions at every point of x, a row each. They grow like 1/√λₙ, and far
// out may exceed what a float64 holds; the features √λₙ·eₙ never do.
func (h *Hermite) Evaluate(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return newRows(x, len(h.value), func(dst *mat.Dense) error { return h.EvaluateTo(ctx, dst, x) })
}

// EvaluateTo sets row i of dst to the eigenfunctions at x.At(i). The error names the row that has
// another dimension than the measure or holds NaN or Inf, or is that of ctx.
func (h *Hermite) EvaluateTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	return h.rows(ctx, dst, x, false)
}

// Features is (√λ₁·e₁(x), √λ₂·e₂(x), …) at every point of x, a row each: vectors whose inner
// products are the kernel, truncated. No entry exceeds 1.
func (h *Hermite) Features(ctx context.Context, x data.Points[kernel.Vec]) (*mat.Dense, error) {
	return newRows(x, len(h.value), func(dst *mat.Dense) error { return h.FeaturesTo(ctx, dst, x) })
}

// FeaturesTo sets row i of dst to the features of x.At(i); for the error see EvaluateTo.
func (h *Hermite) FeaturesTo(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec]) error {
	return h.rows(ctx, dst, x, true)
}

// At is the eigenfunctions at one point with as many finite coordinates as the measure; it is not
// checked.
func (h *Hermite) At(x kernel.Vec) []float64 {
	dst := make([]float64, len(h.value))
	h.products(dst, x, false)
	return dst
}

// newRows makes room for a row of each point.
func newRows(x data.Points[kernel.Vec], width int, fill func(dst *mat.Dense) error) (*mat.Dense, error) {
	if x == nil || x.Len() == 0 {
		return nil, fault.Errorf("rkhs", "no points to evaluate at")
	}
	dst := mat.NewDense(x.Len(), width, nil)
	if err := fill(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

func (h *Hermite) rows(ctx context.Context, dst *mat.Dense, x data.Points[kernel.Vec], features bool) error {
	out := linalg.Of(dst)
	if out.Rows != x.Len() || out.Cols != len(h.value) {
		return fault.Errorf("rkhs", "hermite: %d terms at %d points do not fit a %d×%d matrix", len(h.value), x.Len(),
			out.Rows, out.Cols)
	}
	space := kernel.Gaussian{Lengthscale: h.Lengthscale}
	if err := kernel.CheckNext[kernel.Vec](space, data.Slice[kernel.Vec]{h.Mean}, x); err != nil {
		return fault.Errorf("rkhs", "hermite: %w", err)
	}
	for i := 0; i < out.Rows && ctx.Err() == nil; i++ {
		h.products(out.Row(i), x.At(i), features)
	}
	return ctx.Err()
}

func (h *Hermite) products(dst []float64, x kernel.Vec, features bool) {
	tables := make([][]float64, len(h.base))
	for j, c := range h.base {
		top := 0
		for _, d := range h.index {
			top = max(top, d[j])
		}
		tables[j] = c.functions(top+1, x[j], features)
	}
	for i := range dst {
		dst[i] = 1
		for j, d := range h.index[i] {
			dst[i] *= tables[j][d]
		}
	}
}

// functions are e₀ … e_{n-1} at x, times √λ for features, by the three-term
// recurrence of the orthonormal polynomials,
// h_{m+1}(u) = (u·hₘ - √m·h_{m-1})/√(m+1) at u = βt. The factor √β·e^{-δ²t²} would
// underflow far out while the polynomials overflow; a value is carried as a
// number times e^scale.
func (c coordinate) functions(n int, x float64, features bool) []float64 {
	t := (x - c.mean) / c.std
	u := c.beta * t
	scale, decay := 0.5*math.Log(c.beta)-c.delta2*t*t, 0.0
	if features {
		scale += 0.5 * math.Log(c.first)
		decay = 0.5 * math.Log(c.ratio)
	}
	e := make([]float64, n)
	before, now := 0.0, 1.0
	for m := range n {
		if now != 0 {
			e[m] = math.Copysign(math.Exp(math.Log(math.Abs(now))+scale+decay*float64(m)), now)
		}
		before, now = now, (u*now-math.Sqrt(float64(m))*before)/math.Sqrt(float64(m+1))
		if a := math.Abs(now); a > 1e100 {
			before, now = before/a, now/a
			scale += math.Log(a)
		}
	}
	return e
}

// Norm is the RKHS norm of Σ f̂ₙeₙ, √(Σ f̂ₙ²/λₙ).
func (h *Hermite) Norm(coef []float64) (float64, error) {
	if len(coef) > len(h.value) {
		return 0, fault.Errorf("rkhs", "hermite: %d coefficients for %d terms", len(coef), len(h.value))
	}
	s := 0.0
	for i, v := range coef {
		s += v * v / h.value[i]
	}
	return math.Sqrt(s), nil
}
