package data

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Task is what there is to learn.
type Task uint8

// The tasks.
const (
	Unsupervised Task = iota // no target
	Regression               // a real number
	Binary                   // one of two classes
	Multiclass               // one of three or more classes
)

// String returns the task's name.
func (t Task) String() string {
	return [...]string{"unsupervised", "regression", "binary classification", "multi-class classification"}[t]
}

// MarshalText writes the task's name.
func (t Task) MarshalText() ([]byte, error) {
	if t > Multiclass {
		return nil, fmt.Errorf("unknown task %d", uint8(t))
	}
	return []byte(t.String()), nil
}

// UnmarshalText reads the task's name.
func (t *Task) UnmarshalText(text []byte) error {
	for v := Unsupervised; v <= Multiclass; v++ {
		if v.String() == string(text) {
			*t = v
			return nil
		}
	}
	return fmt.Errorf("unknown task %q", text)
}

// Classification says whether the task is to choose a class.
func (t Task) Classification() bool { return t == Binary || t == Multiclass }

// maxIntegerClasses is the most distinct whole-number values of a target that
// are taken for classes; digits have ten, letters twenty-six.
const maxIntegerClasses = 20

// InferTask says what task a target column sets, and why: named levels are
// classes; two distinct numbers are two classes; whole numbers are classes
// where there are at most 20 of them, each seen 5 times or more on average
// and close together (as codes are); other numbers are a regression target.
func InferTask(target *Column) (Task, string, error) {
	switch target.Kind {
	case Categorical, Boolean:
		used := target.levelCounts()
		k := 0
		for _, c := range used {
			if c > 0 {
				k++
			}
		}
		switch {
		case k < 2:
			return 0, "", noTarget(target, "target %q has %s, so there is nothing to learn", target.Name,
				onlyLevel(target, used))
		case k == 2:
			return Binary, fmt.Sprintf("target %q has two levels", target.Name), nil
		}
		return Multiclass, fmt.Sprintf("target %q has %d levels", target.Name, k), nil
	case Numeric:
		return numericTask(target)
	}
	return 0, "", noTarget(target, "target %q is %s, which cannot be predicted", target.Name, target.Kind)
}

// ClassTask is the task of telling the values of a column apart, whatever they are, numbers with
// many different ones among them.
func ClassTask(target *Column) (Task, error) {
	classes, err := target.As(Categorical)
	if err != nil {
		return 0, err
	}
	task, _, err := InferTask(&classes)
	return task, err
}

// noTarget is the fault of a column that sets no task.
func noTarget(c *Column, reason string, args ...any) error {
	return &Error{Column: c.Name, Reason: fmt.Sprintf(reason, args...), Kind: ErrTarget, Remedy: mend.Target}
}

func onlyLevel(c *Column, used []int) string {
	for i, n := range used {
		if n > 0 {
			return fmt.Sprintf("one class only (%q)", c.Levels[i])
		}
	}
	return "no values"
}

func numericTask(c *Column) (Task, string, error) {
	distinct := map[float64]bool{}
	whole, present := true, 0
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, x := range c.Numbers {
		if math.IsNaN(x) {
			continue
		}
		present++
		lo, hi = min(lo, x), max(hi, x)
		if len(distinct) <= maxIntegerClasses {
			distinct[x] = true
		}
		whole = whole && x == math.Trunc(x)
	}
	k := len(distinct)
	switch {
	case present == 0:
		return 0, "", noTarget(c, "target %q has no values", c.Name)
	case k == 1:
		return 0, "", noTarget(c, "target %q has one class only (%s), so there is nothing to learn", c.Name,
			phrase.Number(lo))
	case k == 2 && present >= 4:
		return Binary, fmt.Sprintf("target %q has two distinct values, %s and %s", c.Name, phrase.Number(lo),
			phrase.Number(hi)), nil
	case !whole:
		return Regression, fmt.Sprintf("target %q has fractional values", c.Name), nil
	case k > maxIntegerClasses:
		return Regression, fmt.Sprintf("target %q is whole numbers with more than %d distinct values", c.Name,
			maxIntegerClasses), nil
	case present < 5*k:
		return Regression, fmt.Sprintf("target %q is whole numbers with %d distinct values in %d rows, too few of each "+
			"to be classes", c.Name, k, present), nil
	case hi-lo >= float64(5*k):
		return Regression, fmt.Sprintf("target %q is %d whole numbers spread from %s to %s", c.Name, k, phrase.Number(lo),
			phrase.Number(hi)), nil
	}
	return Multiclass, fmt.Sprintf("target %q is whole numbers with only %d distinct values", c.Name, k), nil
}

// levelCounts counts the rows of each level.
func (c *Column) levelCounts() []int {
	n := make([]int, len(c.Levels))
	for _, k := range c.Codes {
		if k >= 0 {
			n[k]++
		}
	}
	return n
}
