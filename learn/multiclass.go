package learn

import (
	"cmp"
)

// MultiClass names how a two-class learner is made to tell more classes apart.
type MultiClass int

const (
	// OneVsOne fits one machine for each pair of classes; the pairs vote.
	OneVsOne MultiClass = iota
	// OneVsRest fits one machine for each class against all others; the largest
	// decision value wins.
	OneVsRest
)

func (m MultiClass) String() string {
	if m == OneVsRest {
		return "one-vs-rest"
	}
	return "one-vs-one"
}

// TwoClass is a two-class problem cut out of one with more: the points of Index,
// labelled +1 where Positive holds and -1 elsewhere.
type TwoClass struct {
	Plus, Minus int    // class codes; Minus is -1 for "all others"
	Index       []int  // points taking part, in increasing order
	Positive    []bool // for each of Index
}

// Tasks cuts the two-class problems of a rule, in the order of their decision
// columns: for one-vs-one the pairs (0,1), (0,2), …, (1,2), … of LIBSVM, the
// first class of the pair being the positive one; for one-vs-rest the classes
// in order. Two classes are one task, with the second (larger) label positive,
// whatever the rule: a positive decision value then means the larger label.
func (l Labels[L]) Tasks(rule MultiClass) []TwoClass {
	k := len(l.Classes)
	if k == 2 {
		return []TwoClass{l.task(1, 0)}
	}
	var tasks []TwoClass
	if rule == OneVsRest {
		for c := range k {
			tasks = append(tasks, l.task(c, -1))
		}
		return tasks
	}
	for a := range k {
		for b := a + 1; b < k; b++ {
			tasks = append(tasks, l.task(a, b))
		}
	}
	return tasks
}

func (l Labels[L]) task(plus, minus int) TwoClass {
	t := TwoClass{Plus: plus, Minus: minus}
	for i, c := range l.Code {
		if c == plus || c == minus || minus < 0 {
			t.Index = append(t.Index, i)
			t.Positive = append(t.Positive, c == plus)
		}
	}
	return t
}

// Targets returns +1 for the positive points of the task and -1 for the others.
func (t TwoClass) Targets() []float64 {
	y := make([]float64, len(t.Positive))
	for i, p := range t.Positive {
		y[i] = -1
		if p {
			y[i] = 1
		}
	}
	return y
}

// ArgMax returns the position of the largest value, the first of equals.
func ArgMax[F cmp.Ordered](v []F) int {
	best := 0
	for i := range v {
		if v[i] > v[best] {
			best = i
		}
	}
	return best
}

// DecideOneVsRest returns the class of a row of one-vs-rest decision values;
// two classes have a single column, positive for the second.
func DecideOneVsRest(decision []float64) int {
	if len(decision) == 1 {
		if decision[0] > 0 {
			return 1
		}
		return 0
	}
	return ArgMax(decision)
}
