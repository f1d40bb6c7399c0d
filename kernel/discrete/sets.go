package discrete

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"gonum.org/v1/gonum/mat"
)

// SharedSubsets counts the subsets that two sets have in common, each with the weight w to the
// number of its elements,
//
//	k(A, B) = Σ_{S ⊆ A∩B} w^|S| = (1 + w)^|A∩B|,
//
// w = Weight (1 when zero: 2^|A∩B|). Largest > 0 leaves larger subsets out, Σ_{s ≤ L} C(|A∩B|, s)·w^s:
// with 1 it is 1 + w·|A∩B|. The empty set is a subset of all: k(∅, B) = 1 (Haussler 1999;
// Shawe-Taylor & Cristianini 2004, ch. 9).
type SharedSubsets[E cmp.Ordered] struct {
	Weight  float64
	Largest int
}

// Name is "sharedsubsets".
func (SharedSubsets[E]) Name() string { return "sharedsubsets" }

// Eval returns (1 + w)^|A∩B|.
func (k SharedSubsets[E]) Eval(x, y []E) float64 {
	return k.of(common(sorted(x), sorted(y), count))
}

// of is the value of sets with so many elements in common.
func (k SharedSubsets[E]) of(shared float64) float64 {
	w := field.Or(k.Weight, 1)
	if k.Largest == 0 {
		return math.Pow(1+w, shared)
	}
	sum, term := 1.0, 1.0
	for s := 1.0; s <= min(shared, float64(k.Largest)); s++ {
		term *= w * (shared - s + 1) / s
		sum += term
	}
	return sum
}

// HasFeatures says that subsets are few: of three elements at most.
func (k SharedSubsets[E]) HasFeatures() bool { return k.Largest > 0 && k.Largest <= 3 }

// EachFeature adds the root of its weight for each subset, which is named by its elements.
func (k SharedSubsets[E]) EachFeature(x []E, add func(name string, value float64)) {
	k.subsets(sorted(x), "", 1, k.Largest, add)
}

// subsets adds a subset, and those with further elements.
func (k SharedSubsets[E]) subsets(rest []E, name string, value float64, more int, add func(string, float64)) {
	add(name, value)
	if more == 0 {
		return
	}
	root := math.Sqrt(field.Or(k.Weight, 1))
	for i, e := range rest {
		k.subsets(rest[i+1:], name+"+"+elementName(e), value*root, more-1, add)
	}
}

// PreparePoints numbers all elements once; |A∩B| is then an inner product of sparse rows.
func (k SharedSubsets[E]) PreparePoints(ctx context.Context, x, y data.Points[[]E]) kernel.Rectangle {
	fill := kernel.PrepareSparse(ctx, x, y, func(a []E) map[E]float64 {
		out := make(map[E]float64, len(a))
		for _, e := range a {
			out[e] = 1
		}
		return out
	})
	return func(dst *mat.Dense, i, j int) {
		fill(dst, i, j)
		rows, _ := dst.Dims()
		for a := range rows {
			row := dst.RawRowView(a)
			for b, v := range row {
				row[b] = k.of(v)
			}
		}
	}
}

// Params is w.
func (k SharedSubsets[E]) Params() []kernel.Param {
	return []kernel.Param{field.Positive("sharedsubsets.weight", field.Or(k.Weight, 1))}
}

// With sets w.
func (k SharedSubsets[E]) With(theta []float64) kernel.Kernel[[]E] {
	return SharedSubsets[E]{theta[0], k.Largest}
}

// Validate refuses w < 0 and a negative size.
func (k SharedSubsets[E]) Validate() error {
	if k.Largest < 0 {
		return fmt.Errorf("kernel: sharedsubsets: largest = %d, want at least 1, or 0 for no limit", k.Largest)
	}
	return field.MustBePositive("sharedsubsets", "weight", k.Weight)
}

// CheckPoints refuses elements that come twice, and sets with more subsets than a number can hold.
func (k SharedSubsets[E]) CheckPoints(x data.Points[[]E]) error {
	if err := checkSets("sharedsubsets", x); err != nil || k.Largest > 0 {
		return err
	}
	for i := range x.Len() {
		if n := len(x.At(i)); float64(n)*math.Log1p(field.Or(k.Weight, 1)) > 709 {
			return fmt.Errorf("kernel: subsets: row %d has %d elements, and (1 + %g)^%d is more than a number can hold; "+
				"lower the weight", i, n, field.Or(k.Weight, 1), n)
		}
	}
	return nil
}

// Properties of shared subsets: a set with most elements has a subset that no other has, itself.
func (k SharedSubsets[E]) Properties() kernel.Properties {
	p := field.Discrete(math.Inf(1))
	if k.Largest == 0 {
		p.Strict = kernel.Yes
	}
	return p
}

func sorted[E cmp.Ordered](x []E) []E { return slices.Sorted(slices.Values(x)) }

// checkSets refuses an element that comes twice.
func checkSets[E cmp.Ordered](name string, x data.Points[[]E]) error {
	for i := range x.Len() {
		a := x.At(i)
		first := make(map[E]int, len(a))
		for j, e := range a {
			if e != e {
				return fmt.Errorf("kernel: %s: row %d, position %d is not a number", name, i, j)
			}
			if at, ok := first[e]; ok {
				return fmt.Errorf("kernel: %s: row %d, position %d: %v is there at position %d already; a set has each element once",
					name, i, j, e, at)
			}
			first[e] = j
		}
	}
	return nil
}

func count[E any](E) float64 { return 1 }

// common is the measure of A∩B, both in increasing order.
func common[E cmp.Ordered](a, b []E, measure func(E) float64) float64 {
	s := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i], b[j]); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			s += measure(a[i])
			i++
			j++
		}
	}
	return s
}
