package learn

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrOneClass is wrapped by the error of a classifier that was given labels of
// a single class.
var ErrOneClass = errors.New("all labels are the same; a classifier needs points of at least two classes (for one " +
	"class only, see OneClass)")

// ErrNoPoints is wrapped by the error of a learner that was given nothing to
// learn from.
var ErrNoPoints = errors.New("no points to learn from")

// Labels is a label vector made ready for a classifier: the distinct labels in
// increasing order, and each point's position among them. Every classifier of
// this package numbers its classes this way, so that column c of a decision or
// probability matrix always belongs to Classes[c].
type Labels[L cmp.Ordered] struct {
	Classes []L   // distinct labels, increasing
	Code    []int // Code[i] is the position in Classes of the label of point i
}

// EncodeLabels sorts out the labels of a training set. It refuses no labels at
// all, NaN labels and a single class.
func EncodeLabels[L cmp.Ordered](y []L) (Labels[L], error) {
	if len(y) == 0 {
		return Labels[L]{}, ErrNoPoints
	}
	for i, v := range y {
		if v != v {
			return Labels[L]{}, fmt.Errorf("label of row %d is NaN; drop the row or give it a label", i)
		}
	}
	classes := slices.Clone(y)
	slices.Sort(classes)
	classes = slices.Clip(slices.Compact(classes))
	if len(classes) == 1 {
		return Labels[L]{}, fmt.Errorf("%d points, label %v: %w", len(y), y[0], ErrOneClass)
	}
	code := make([]int, len(y))
	for i, v := range y {
		code[i], _ = slices.BinarySearch(classes, v)
	}
	return Labels[L]{classes, code}, nil
}

// Counts returns how many points each class has.
func (l Labels[L]) Counts() []int {
	n := make([]int, len(l.Classes))
	for _, c := range l.Code {
		n[c]++
	}
	return n
}

// Members lists the points of each class, in order.
func (l Labels[L]) Members() [][]int {
	m := make([][]int, len(l.Classes))
	for c, n := range l.Counts() {
		m[c] = make([]int, 0, n)
	}
	for i, c := range l.Code {
		m[c] = append(m[c], i)
	}
	return m
}

// Decode is the label of each code.
func (l Labels[L]) Decode(code []int) []L {
	out := make([]L, len(code))
	for i, c := range code {
		out[i] = l.Classes[c]
	}
	return out
}

// Balance names a rule for the weights of classes that are not given one.
type Balance int

const (
	// Unbalanced gives every class the weight 1.
	Unbalanced Balance = iota
	// Balanced gives class c the weight n/(classes·n_c), so that all classes
	// weigh the same together.
	Balanced
)

// PointWeights multiplies class weights and sample weights into one weight for
// each point. perClass may name some classes only (nil: none), the others
// follow rule; perPoint is nil or has one weight for each point. Weights are
// finite and not negative, and every class keeps some weight. A class that
// perClass names but y does not hold (missing from a fold) is no error.
func (l Labels[L]) PointWeights(rule Balance, perClass map[L]float64, perPoint []float64) ([]float64, error) {
	n, k := len(l.Code), len(l.Classes)
	if perPoint != nil && len(perPoint) != n {
		return nil, fmt.Errorf("%d points but %d sample weights", n, len(perPoint))
	}
	class := make([]float64, k)
	counts := l.Counts()
	for c, v := range l.Classes {
		w, given := perClass[v]
		switch {
		case given:
		case rule == Balanced:
			w = float64(n) / (float64(k) * float64(counts[c]))
		default:
			w = 1
		}
		if !(w >= 0) || math.IsInf(w, 0) {
			return nil, fmt.Errorf("class weight of %v is %g; give a finite number, 0 or more", v, w)
		}
		class[c] = w
	}
	out := make([]float64, n)
	total := make([]float64, k)
	for i, c := range l.Code {
		w := 1.0
		if perPoint != nil {
			if w = perPoint[i]; !(w >= 0) || math.IsInf(w, 0) {
				return nil, fmt.Errorf("sample weight of row %d is %g; give a finite number, 0 or more", i, w)
			}
		}
		out[i] = w * class[c]
		total[c] += out[i]
	}
	for c, t := range total {
		if t == 0 {
			return nil, fmt.Errorf("all weight of class %v is 0; drop its rows or weigh them", l.Classes[c])
		}
	}
	return out, nil
}
