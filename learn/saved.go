package learn

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Saved is a fitted model as plain data: what a model file holds. It has no
// labels, only their number: class c is the c-th label in increasing order.
type Saved[T any] struct {
	Learner string // which Restore to use: "svc", "svr", "ridge" …
	Func    *rkhs.Func[T]
	Classes int // 0 for a model that predicts numbers
	Numbers map[string]float64
	Arrays  map[string]*mat.Dense
	Report  Report
}

// Saver is a model that can be written down.
type Saver[T any] interface {
	Model[T]
	// Saved returns the model as plain data, which shares its storage.
	Saved() Saved[T]
}

// Predictor is a model brought back by Restore. Further abilities are optional
// interfaces: CodePredictor, ProbaPredictor, StdPredictor.
type Predictor[T any] interface {
	Saver[T]
	// Scores writes regression or decision values, a row for each point and a
	// column for each output, into dst, or into a new matrix when dst is nil.
	Scores(dst *mat.Dense, x data.Points[T]) *mat.Dense
}

// CodePredictor is a Predictor that chooses a class.
type CodePredictor[T any] interface {
	Predictor[T]
	// Codes returns the class of each point, in dst when it is long enough.
	Codes(dst []int, x data.Points[T]) []int
}

// ProbaPredictor is a Predictor that may know class probabilities.
type ProbaPredictor[T any] interface {
	Predictor[T]
	// Proba writes a row of class probabilities for each point into dst, or
	// into a new matrix when dst is nil. It is nil where the model was fitted
	// without them.
	Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense
	// HasProba says whether the model was fitted with them.
	HasProba() bool
}

// StdPredictor is a Predictor that knows how uncertain its values are.
type StdPredictor[T any] interface {
	Predictor[T]
	// Std returns the standard deviation of the prediction at each point, in
	// dst when it is long enough.
	Std(dst []float64, x data.Points[T]) []float64
}

// PointChecker is a Predictor whose points are not those of its function, and which
// says itself what it takes.
type PointChecker[T any] interface {
	Predictor[T]
	CheckPoints(x data.Points[T]) error
}

// restorers lists what Restore knows, by the Learner of Saved.
func restorers[T any]() map[string]func(Saved[T]) (Predictor[T], error) {
	return map[string]func(Saved[T]) (Predictor[T], error){
		"svc":              restoreSVC[T],
		"svr":              restoreSVR[T],
		"one-class":        restoreOneClass[T],
		"linear-svc":       restoreLinearSVC[T],
		"ridge":            restoreRidge[T],
		"ridge-classifier": restoreRidgeClassifier[T],
		"gp":               restoreGP[T],
		"gp-classifier":    restoreGPClassifier[T],
		"logistic":         restoreLogistic[T],

		"rvm":              restoreRVM[T],
		"l1vm":             restoreExpansion[T],
		"l2vm":             restoreExpansion[T],
		"rbf-network":      restoreExpansion[T],
		"interpolation":    restoreExpansion[T],
		"norma":            restoreExpansion[T],
		"knn-regression":   restoreKNNRegression[T],
		"smoothing-spline": restoreSpline[T],

		"rvm-classifier":   restoreRVMClassifier[T],
		"l1vm-classifier":  restoreLogOdds[T],
		"l2vm-classifier":  restoreLogOdds[T],
		"rbf-classifier":   restoreLogOdds[T],
		"perceptron":       restoreExpansionClassifier[T],
		"norma-classifier": restoreNormaClassifier[T],
		"fisher":           restoreExpansionClassifier[T],
		"nearest-medoid":   restoreExpansionClassifier[T],
		"knn":              restoreKNN[T],
	}
}

// Restore makes a model of plain data. Its predictions have the bits of the
// model that was saved. Data that do not fit together are refused, whatever
// they hold.
func Restore[T any](s Saved[T]) (Predictor[T], error) {
	restore, ok := restorers[T]()[s.Learner]
	if !ok {
		var known []string
		for name := range restorers[T]() {
			known = append(known, name)
		}
		sort.Strings(known)
		return nil, fmt.Errorf("no learner %q (there are: %s)", s.Learner, strings.Join(known, ", "))
	}
	if s.Func == nil {
		return nil, fmt.Errorf("%s: no function", s.Learner)
	}
	if err := s.Func.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Learner, err)
	}
	p, err := restore(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Learner, err)
	}
	return p, nil
}

// number reads a number that must be there and finite.
func (s Saved[T]) number(name string) (float64, error) {
	v, ok := s.Numbers[name]
	if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("number %q is %g or missing", name, v)
	}
	return v, nil
}

// array reads an array that must be there with these dimensions.
func (s Saved[T]) array(name string, rows, cols int) (*mat.Dense, error) {
	a := s.Arrays[name]
	if a == nil || a.IsEmpty() {
		return nil, fmt.Errorf("array %q is missing", name)
	}
	if r, c := a.Dims(); r != rows || c != cols {
		return nil, fmt.Errorf("array %q is %d×%d, want %d×%d", name, r, c, rows, cols)
	}
	for i := range rows {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("array %q: entry (%d, %d) is %g", name, i, j, v)
			}
		}
	}
	return a, nil
}

// outputs refuses a function with another number of outputs.
func (s Saved[T]) outputs(want int) error {
	if got := s.Func.Outputs(); got != want {
		return fmt.Errorf("%d outputs for %d classes, want %d", got, s.Classes, want)
	}
	return nil
}

// codes is the labels 0, 1, …, k-1 of a restored classifier.
func codes(k int) []int {
	c := make([]int, k)
	for i := range c {
		c[i] = i
	}
	return c
}

// scores is the values of a function, into dst or a new matrix.
func scores[T any](f *rkhs.Func[T], dst *mat.Dense, x data.Points[T]) *mat.Dense {
	if dst == nil {
		dst = new(mat.Dense)
		if x.Len() > 0 {
			dst = mat.NewDense(x.Len(), f.Outputs(), nil)
		}
	}
	if x.Len() > 0 {
		f.EvalTo(dst, x)
	}
	return dst
}
