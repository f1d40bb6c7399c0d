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
)

// Member is an element of a fuzzy set, and the degree in [0, 1] to which it belongs there. An
// element that is not named belongs to degree 0.
type Member[T any] struct {
	Element T
	Degree  float64
}

// TNorm is a way to say to which degree an element belongs to two fuzzy sets at once.
type TNorm int

// The t-norms that are positive semi-definite as kernels on [0, 1]. (Łukasiewicz's max(0, a+b-1)
// and the drastic one are not: they are 0 at (½, ½) and not at (½, 1).)
const (
	Minimum  TNorm = iota // min(a, b)
	Product               // ab
	Hamacher              // ab/(a+b-ab), 0 at (0, 0)
)

// String is the name of the norm.
func (n TNorm) String() string {
	if n < 0 || int(n) >= len(normNames) {
		return fmt.Sprintf("TNorm(%d)", int(n))
	}
	return normNames[n]
}

var normNames = [...]string{"minimum", "product", "hamacher"}

func (n TNorm) of(a, b float64) float64 {
	switch n {
	case Product:
		return a * b
	case Hamacher:
		if a == 0 || b == 0 {
			return 0
		}
		return a * b / (a + b - a*b)
	}
	return min(a, b)
}

// FuzzyIntersection is the size of the intersection of two fuzzy sets,
//
//	k(X, Y) = Σₑ T(X(e), Y(e)),
//
// X(e) the degree of e in X, T = Norm (Guevara, Hirata & Canu, Positive definite kernel functions
// on fuzzy sets, 2014). An empty set has k(∅, Y) = 0.
type FuzzyIntersection[E cmp.Ordered] struct {
	Norm TNorm
}

// Name is "fuzzyintersection".
func (FuzzyIntersection[E]) Name() string { return "fuzzyintersection" }

// Eval returns Σ T(X(e), Y(e)).
func (k FuzzyIntersection[E]) Eval(x, y []Member[E]) float64 {
	return k.meet(byElement(x), byElement(y))
}

// PreparePoints sorts each set once.
func (k FuzzyIntersection[E]) PreparePoints(ctx context.Context, x, y data.Points[[]Member[E]]) kernel.Rectangle {
	return kernel.PreparePairs(ctx, x, y, byElement[E], k.meet)
}

func byElement[E cmp.Ordered](x []Member[E]) []Member[E] {
	return slices.SortedFunc(slices.Values(x), func(a, b Member[E]) int { return cmp.Compare(a.Element, b.Element) })
}

func (k FuzzyIntersection[E]) meet(a, b []Member[E]) float64 {
	s := 0.0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch c := cmp.Compare(a[i].Element, b[j].Element); {
		case c < 0:
			i++
		case c > 0:
			j++
		default:
			s += k.Norm.of(a[i].Degree, b[j].Degree)
			i++
			j++
		}
	}
	return s
}

// HasFeatures says that the norm is the product.
func (k FuzzyIntersection[E]) HasFeatures() bool { return k.Norm == Product }

// EachFeature adds the degree of each element.
func (k FuzzyIntersection[E]) EachFeature(x []Member[E], add func(name string, value float64)) {
	for _, m := range x {
		add(elementName(m.Element), m.Degree)
	}
}

// elementName is an element as text; those of strings are in quotes, so that several can be put
// together.
func elementName(e any) string { return fmt.Sprintf("%#v", e) }

// Validate refuses an unknown norm.
func (k FuzzyIntersection[E]) Validate() error {
	if k.Norm < Minimum || k.Norm > Hamacher {
		return fmt.Errorf("kernel: fuzzyintersection: no t-norm %v (there are: minimum, product, hamacher)", k.Norm)
	}
	return nil
}

// CheckPoints refuses degrees outside [0, 1] and elements that come twice.
func (k FuzzyIntersection[E]) CheckPoints(x data.Points[[]Member[E]]) error {
	elements := make(data.Slice[[]E], x.Len())
	for i := range elements {
		for _, m := range x.At(i) {
			elements[i] = append(elements[i], m.Element)
		}
	}
	if err := checkDegrees("fuzzyintersection", x); err != nil {
		return err
	}
	return checkSets("fuzzyintersection", data.Points[[]E](elements))
}

// Properties of the intersection of fuzzy sets.
func (FuzzyIntersection[E]) Properties() kernel.Properties { return field.Discrete(math.Inf(1)) }

func checkDegrees[T any](name string, x data.Points[[]Member[T]]) error {
	for i := range x.Len() {
		for j, m := range x.At(i) {
			if !(m.Degree >= 0 && m.Degree <= 1) {
				return fmt.Errorf("kernel: %s: row %d, position %d: the degree of membership is %g, want a number in [0, 1]", name,
					i, j, m.Degree)
			}
		}
	}
	return nil
}
