package discrete

import (
	"cmp"
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// Jaccard is the share of what two sets have together that they have in common,
//
//	k(A, B) = |A∩B| / |A∪B| = Σₑ min(aₑ, bₑ) / Σₑ max(aₑ, bₑ),
//
// the second form for bags, in which element e comes aₑ times (the min-max or Ruzicka kernel); k(∅,
// ∅) = 1. It is positive semi-definite (Gower 1971; Ralaivola et al., Graph kernels for chemical
// informatics, 2005), on sets of different elements strictly (Bouchard, Jousselme & Doré 2013).
type Jaccard[E cmp.Ordered] struct{}

// Name is "jaccard".
func (Jaccard[E]) Name() string { return "jaccard" }

// Eval returns |A∩B| / |A∪B|.
func (Jaccard[E]) Eval(x, y []E) float64 { return jaccard(sorted(x), sorted(y)) }

// jaccard merges two bags in increasing order: equal elements pair off one to one, so their number
// is Σ min.
func jaccard[E cmp.Ordered](a, b []E) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	both := common(a, b, count)
	return both / (float64(len(a)+len(b)) - both)
}

// PreparePoints sorts each set once.
func (Jaccard[E]) PreparePoints(ctx context.Context, x, y data.Points[[]E]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, sorted[E], jaccard[E])
}

// Properties of Jaccard's kernel.
func (Jaccard[E]) Properties() kernel.Properties {
	p := field.Discrete(1)
	p.Strict = kernel.Yes
	return p
}

// OrnsteinUhlenbeck is the covariance of the stationary set-indexed Ornstein–Uhlenbeck process,
//
//	k(A, B) = exp(-λ·m(A Δ B)),   A Δ B = (A∖B) ∪ (B∖A),
//
// λ = Rate (1 when zero), m({e}) = Measure(e) (1 for each element when nil) (Balança & Herbin, A
// set-indexed Ornstein–Uhlenbeck process, 2012, with σ² = 2λ). With the cells of a grid as elements
// and their volume as measure, and λ = 1/(2σ²), it is the kernel on excursion sets of Fellmann et
// al. (Kernel-based sensitivity analysis for (excursion) sets, 2023). m(A Δ B) is a squared
// distance of indicator functions in L²(m), hence positive semi-definite.
type OrnsteinUhlenbeck[E cmp.Ordered] struct {
	Rate    float64
	Measure func(e E) float64
}

// Name is "setou".
func (OrnsteinUhlenbeck[E]) Name() string { return "setou" }

// weighed is a set in increasing order, and its measure.
type weighed[E any] struct {
	elements []E
	measure  float64
}

func (k OrnsteinUhlenbeck[E]) measure() func(E) float64 {
	if k.Measure == nil {
		return count[E]
	}
	return k.Measure
}

func (k OrnsteinUhlenbeck[E]) weigh(x []E) weighed[E] {
	w := weighed[E]{elements: sorted(x)}
	m := k.measure()
	for _, e := range w.elements {
		w.measure += m(e)
	}
	return w
}

func (k OrnsteinUhlenbeck[E]) between(a, b weighed[E]) float64 {
	apart := a.measure + b.measure - 2*common(a.elements, b.elements, k.measure())
	return math.Exp(-field.Or(k.Rate, 1) * max(apart, 0))
}

// Eval returns exp(-λ·m(A Δ B)).
func (k OrnsteinUhlenbeck[E]) Eval(x, y []E) float64 { return k.between(k.weigh(x), k.weigh(y)) }

// PreparePoints sorts and measures each set once.
func (k OrnsteinUhlenbeck[E]) PreparePoints(ctx context.Context, x, y data.Points[[]E]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, k.weigh, k.between)
}

// Params is λ.
func (k OrnsteinUhlenbeck[E]) Params() []kernel.Param {
	return []kernel.Param{field.Positive("setou.rate", field.Or(k.Rate, 1))}
}

// With sets λ.
func (k OrnsteinUhlenbeck[E]) With(theta []float64) kernel.Kernel[[]E] {
	return OrnsteinUhlenbeck[E]{theta[0], k.Measure}
}

// Validate refuses λ < 0.
func (k OrnsteinUhlenbeck[E]) Validate() error {
	return field.MustBePositive("setou", "rate", k.Rate)
}

// CheckPoints refuses elements that come twice, and those whose measure is not a finite number ≥ 0.
func (k OrnsteinUhlenbeck[E]) CheckPoints(x data.Points[[]E]) error {
	if err := checkSets("setou", x); err != nil {
		return err
	}
	m := k.measure()
	for i := range x.Len() {
		for j, e := range x.At(i) {
			if v := m(e); !(v >= 0) || math.IsInf(v, 0) {
				return badWeight("setou", i, j, "the measure", v)
			}
		}
	}
	return nil
}

// Properties of the Ornstein–Uhlenbeck kernel; elements of measure 0 do not tell sets apart.
func (k OrnsteinUhlenbeck[E]) Properties() kernel.Properties {
	p := field.Discrete(1)
	if k.Measure == nil {
		p.Strict = kernel.Yes
	}
	return p
}
