package forest

import (
	"math"
	"math/rand/v2"
	"sort"

	"github.com/mercer-ml/mercer/internal/fault"
)

// target is what trees are grown by: numbers, or classes.
type target struct {
	rows    []int32   // of positive weight
	weight  []float64 // of every row; nil: 1
	heap    []float64 // the weights of rows, added up one on the other; nil where all weigh the same
	value   []float64 // of every row: numbers
	class   []int32   // of every row: classes
	classes int       // 0 for numbers

	// level is the value of every row, or its class where there are two, in units that cannot
	// overflow when they are squared and summed. The variance within two sides is least where Σ
	// s²/w over the sides is largest, with w and s the sums of the weights and of the weighted
	// levels; of two classes that is Gini's impurity, too.
	level []float64
	// unit is the power of two that Σ w(y - ȳ)² is in, of these levels and weights.
	unit int
}

// newValues is numbers as a target. Levels are differences from one of the numbers near their mean,
// which keeps their digits, by a power of two.
func newValues(value, weights []float64) (*target, error) {
	t := &target{value: value}
	if err := t.weigh(weights, len(value)); err != nil {
		return nil, err
	}
	mean, largest := 0.0, 0.0
	for k, i := range t.rows {
		if v := value[i]; v-v != 0 || math.Abs(v) > largestValue {
			return nil, fault.Errorf("forest", "target of row %d is %g; scale the targets, drop the row or fill the value in", i,
				v)
		}
		mean += (value[i] - mean) / float64(k+1)
	}
	centre := value[t.rows[0]]
	for _, i := range t.rows {
		if math.Abs(value[i]-mean) < math.Abs(centre-mean) {
			centre = value[i]
		}
	}
	t.level = make([]float64, len(value))
	for _, i := range t.rows {
		t.level[i] = value[i] - centre
		largest = max(largest, math.Abs(t.level[i]))
	}
	if largest > 0 {
		_, exponent := math.Frexp(largest)
		t.unit += 2 * exponent
		for _, i := range t.rows {
			t.level[i] = math.Ldexp(t.level[i], -exponent)
		}
	}
	return t, nil
}

// largestValue is the largest number, in size, that is taken for a target: learn.LargestTarget.
const largestValue = 1e150

// newClasses is the numbers of classes, from 0, as a target.
func newClasses(code []int, classes int, weights []float64) (*target, error) {
	if classes < 1 || classes > math.MaxInt32 {
		return nil, fault.Errorf("forest", "%d classes", classes)
	}
	t := &target{class: make([]int32, len(code)), classes: classes}
	if err := t.weigh(weights, len(code)); err != nil {
		return nil, err
	}
	for i, c := range code {
		if c < 0 || c >= classes {
			return nil, fault.Errorf("forest", "class of row %d is %d; a class is a whole number from 0 to %d", i, c, classes-1)
		}
		t.class[i] = int32(c)
	}
	if classes <= 2 {
		t.level = make([]float64, len(code))
		for i, c := range code {
			t.level[i] = float64(c)
		}
	}
	return t, nil
}

// weigh finds the rows of positive weight. Weights are divided by a power of two, so that their
// sums stay numbers; one that vanishes beside the largest is none.
func (t *target) weigh(weights []float64, n int) error {
	if n == 0 || n > math.MaxInt32 {
		return fault.Errorf("forest", "%d rows to learn from", n)
	}
	if weights != nil && len(weights) != n {
		return fault.Errorf("forest", "%d rows but %d weights", n, len(weights))
	}
	largest := 0.0
	for i := range n {
		w := 1.0
		if weights != nil {
			if w = weights[i]; !(w >= 0) || math.IsInf(w, 0) {
				return fault.Errorf("forest", "weight of row %d is %g; give a finite number, 0 or more", i, w)
			}
		}
		largest = max(largest, w)
	}
	if largest == 0 {
		return fault.Errorf("forest", "all weights are 0")
	}
	if weights != nil {
		_, exponent := math.Frexp(largest)
		t.unit = exponent
		t.weight = make([]float64, n)
		for i, w := range weights {
			if t.weight[i] = math.Ldexp(w, -exponent); t.weight[i] < leastWeight {
				t.weight[i] = 0
			}
		}
	}
	for i := range n {
		if t.weightOf(int32(i)) > 0 {
			t.rows = append(t.rows, int32(i))
		}
	}
	total, even := 0.0, true
	for _, i := range t.rows {
		w := t.weightOf(i)
		total, even = total+w, even && w == t.weightOf(t.rows[0])
		t.heap = append(t.heap, total)
	}
	if even {
		t.heap = nil
	}
	return nil
}

// draw is the place in rows of one that is drawn as a bootstrap sample of rows draws it which stand
// there as often as their weights say.
func (t *target) draw(rng *rand.Rand) int {
	if t.heap == nil {
		return rng.IntN(len(t.rows))
	}
	at := rng.Float64() * t.heap[len(t.heap)-1]
	return sort.Search(len(t.heap)-1, func(k int) bool { return t.heap[k] > at })
}

// leastWeight is the least weight that counts beside one of 1: sums of smaller ones have no digits
// there.
const leastWeight = 1e-15

func (t *target) weightOf(i int32) float64 {
	if t.weight == nil {
		return 1
	}
	return t.weight[i]
}

// outputs is the numbers of a leaf.
func (t *target) outputs() int { return max(t.classes, 1) }

// same says that two rows have one target.
func (t *target) same(i, j int32) bool {
	if t.classes > 0 {
		return t.class[i] == t.class[j]
	}
	return t.value[i] == t.value[j]
}
