package learn

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"gonum.org/v1/gonum/mat"
)

// Calibrated is a classifier that gives no probabilities itself, made to give
// them by one number:
//
//	P(c | x) = exp(a·s_c(x)) / Σ_b exp(a·s_b(x)),
//
// where s_c is the decision value of class c (for two classes ±f/2, so that
// P is a sigmoid of a·f) and a > 0 maximises the likelihood of decision values of points that
// the machine was not fitted on (temperature scaling: Guo, Pleiss, Sun & Weinberger 2017; for
// two classes Platt 2000 without his offset). Because a is positive and there
// is no offset, the most probable class is always the predicted one.
type Calibrated[T any, L cmp.Ordered] struct {
	scoredModel[T, L]
	slope float64
}

// scoredModel is a classifier that can be written down.
type scoredModel[T any, L cmp.Ordered] interface {
	Classifier[T, L]
	Saver[T]
}

// mostCalibrationFolds is the most points for which all five folds take a turn.
// One number is to be found: of more points one fold has enough to tell it.
const mostCalibrationFolds = 5000

// calibrationFolds is how many parts of the data take turns in being left out.
const calibrationFolds = 5

// Calibrate fits the slope to five folds, or to one where there are over 5 000 points: refit learns
// from some of the points, given by their numbers. Folds are stratified by class and drawn with the
// seed. It refuses a model that can have probabilities of its own (a Probabilistic one), and one
// without a decision value for each class (or one for two).
func Calibrate[T any, L cmp.Ordered](
	ctx context.Context, m Classifier[T, L], refit func(ctx context.Context, rows []int) (Classifier[T, L], error),
	x data.Points[T], y []L, seed uint64,
) (*Calibrated[T, L], error) {
	scored, ok := m.(scoredModel[T, L])
	if !ok {
		return nil, fmt.Errorf("calibrate: %T has no decision values", m)
	}
	// Also where it was fitted without them: what such a machine decides by need not be a value for
	// each class. Three classes have three pairs.
	if _, own := m.(Probabilistic[T]); own {
		return nil, fmt.Errorf("calibrate: %T has probabilities of its own; fit it with them", m)
	}
	labels, err := EncodeLabels(y)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	k := len(labels.Classes)
	if len(m.Classes()) != k {
		return nil, fmt.Errorf("calibrate: %d classes, the model knows %d", k, len(m.Classes()))
	}
	fold := foldsByClass(labels.Code, k, calibrationFolds, seed)
	var scores []float64 // of points whose class the fold's machine knows, a row of k each
	var code []int
	turns := calibrationFolds
	if len(y) > mostCalibrationFolds {
		turns = 1
	}
	for f := range turns {
		var train, test []int
		for i, at := range fold {
			if at == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		if len(test) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := refit(ctx, train)
		if err != nil {
			return nil, fmt.Errorf("calibrate: fold %d: %w", f+1, err)
		}
		known, ok := part.(scoredModel[T, L])
		if !ok || len(part.Classes()) != k {
			continue // a class too rare for this fold
		}
		d, err := known.Decision(ctx, data.Gather(x, test))
		if err != nil {
			return nil, fmt.Errorf("calibrate: fold %d: %w", f+1, err)
		}
		if _, outputs := d.Dims(); outputs != k && !(k == 2 && outputs == 1) {
			return nil, fmt.Errorf("calibrate: %d decision values for %d classes", outputs, k)
		}
		for r, i := range test {
			scores, code = append(scores, classValues(d.RawRowView(r), k)...), append(code, labels.Code[i])
		}
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("calibrate: no fold has all %d classes; give each at least two points", k)
	}
	return &Calibrated[T, L]{scored, FitSlope(scores, code, k)}, nil
}

// CalibrateOn is Calibrate without a fit: the slope is that of the decision values of like, a model
// of the same kind, at points that it was not fitted on. Where m is fitted to all points and there
// is no time for it twice, like is one of fewer points or centres.
func CalibrateOn[T any, L cmp.Ordered](
	ctx context.Context, m, like Classifier[T, L], x data.Points[T], y []L,
) (*Calibrated[T, L], error) {
	scored, ok := m.(scoredModel[T, L])
	if _, own := m.(Probabilistic[T]); !ok || own {
		return nil, fmt.Errorf("calibrate: %T has no decision values, or probabilities of its own", m)
	}
	classes := m.Classes()
	k := len(classes)
	place := map[L]int{}
	for c, l := range classes {
		place[l] = c
	}
	d, err := like.Decision(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if _, outputs := d.Dims(); !slices.Equal(like.Classes(), classes) || outputs != k && !(k == 2 && outputs == 1) {
		return nil, fmt.Errorf("calibrate: %d decision values for %d classes, the model has %d", outputs, len(like.Classes()),
			k)
	}
	var scores []float64
	var code []int
	for i, l := range y {
		if c, ok := place[l]; ok {
			scores, code = append(scores, classValues(d.RawRowView(i), k)...), append(code, c)
		}
	}
	if len(code) == 0 {
		return nil, fmt.Errorf("calibrate: no points of a class that the model knows")
	}
	return &Calibrated[T, L]{scored, FitSlope(scores, code, k)}, nil
}

// WithSlope is a classifier with probabilities by a slope that is known, from a model of the same
// kind on fewer points.
func WithSlope[T any, L cmp.Ordered](m interface {
	Classifier[T, L]
	Saver[T]
}, slope float64) *Calibrated[T, L] {
	return &Calibrated[T, L]{m, slope}
}

// foldsByClass deals the points of each class out in turn, in random order.
func foldsByClass(code []int, classes, folds int, seed uint64) []int {
	rng := rand.New(rand.NewPCG(seed, 0x5f6f1d))
	fold, order, next := make([]int, len(code)), rng.Perm(len(code)), 0
	for c := range classes {
		for _, i := range order {
			if code[i] == c {
				fold[i] = next % folds
				next++
			}
		}
	}
	return fold
}

// classValues is a decision value for each class.
func classValues(decision []float64, k int) []float64 {
	if len(decision) == 1 && k == 2 {
		return []float64{-decision[0] / 2, decision[0] / 2}
	}
	return decision
}

// FitSlope returns the a > 0 that maximises Σᵢ log P(code[i]) of [Calibrated], given a row of k
// decision values for each point. The sum is concave in a, so that its derivative Σᵢ (s_c - E s)
// has one root, found by bisection in log a between 10⁻⁶ and 10⁶ times the reciprocal spread of the
// values: separable values, whose best slope is infinite, get a large one.
func FitSlope(scores []float64, code []int, k int) float64 {
	largest := 0.0
	for _, s := range scores {
		largest = max(largest, math.Abs(s))
	}
	if largest > 1e100 { // sums and differences would overflow
		scaled := make([]float64, len(scores))
		for i, s := range scores {
			scaled[i] = s / largest
		}
		return FitSlope(scaled, code, k) / largest
	}
	spread := 0.0
	for i := range code {
		row := scores[i*k : (i+1)*k]
		low, high := row[0], row[0]
		for _, s := range row {
			low, high = min(low, s), max(high, s)
		}
		spread += high - low
	}
	if spread /= float64(len(code)); spread == 0 {
		return 1 // nothing is told apart: any slope gives equal probabilities
	}
	// The prior of half a point that lies on the other side keeps a finite, as
	// Platt's targets do.
	slope := func(a float64) float64 {
		sum := -0.5 * spread / (1 + math.Exp(-a*spread))
		p := make([]float64, k)
		for i, c := range code {
			row := scores[i*k : (i+1)*k]
			softmaxOf(p, row, a)
			for b, v := range row {
				sum -= p[b] * v
			}
			sum += row[c]
		}
		return sum
	}
	low, high := math.Log(1e-6/spread), math.Log(1e6/spread)
	for range 60 {
		if middle := (low + high) / 2; slope(math.Exp(middle)) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Exp((low + high) / 2)
}

// softmaxOf writes exp(a·s_c)/Σ exp(a·s_b), with the largest taken off first.
func softmaxOf(p, s []float64, a float64) {
	top, sum := s[0], 0.0
	for _, v := range s {
		top = max(top, v)
	}
	for c, v := range s {
		p[c] = math.Exp(a * (v - top))
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// Slope is a.
func (m *Calibrated[T, L]) Slope() float64 { return m.slope }

// Model is the classifier that was calibrated.
func (m *Calibrated[T, L]) Model() Classifier[T, L] { return m.scoredModel }

// HasProba is true.
func (m *Calibrated[T, L]) HasProba() bool { return true }

// Proba returns a row of class probabilities for each point.
func (m *Calibrated[T, L]) Proba(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, len(m.Classes()), func(dst *mat.Dense) error { return m.ProbaTo(ctx, dst, x) })
}

// ProbaTo writes the class probabilities of point i to row i of dst.
func (m *Calibrated[T, L]) ProbaTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	return ProbaFrom(ctx, m.scoredModel, dst, x, func(p, decision []float64) {
		softmaxOf(p, classValues(decision, len(p)), m.slope)
	})
}

// Updatable says whether the classifier goes on learning.
func (m *Calibrated[T, L]) Updatable() bool {
	u, ok := m.scoredModel.(Updatable[T])
	return ok && u.Updatable()
}

// Update has the classifier learn from further points. Its slope is that of before, less by as much
// as decision values have grown where the classifier says so (DecisionScale): those of a sum over
// all that was learnt, as of a voted perceptron, grow with every point.
func (m *Calibrated[T, L]) Update(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (Model[T], []float64, error) {
	u, ok := m.scoredModel.(Updatable[T])
	if !ok {
		return nil, nil, fmt.Errorf("a %T does not go on learning", m.scoredModel)
	}
	next, before, err := u.Update(ctx, x, y, weights)
	if err != nil {
		return nil, nil, err
	}
	slope := m.slope
	type scaled interface{ DecisionScale() float64 }
	if a, ok := m.scoredModel.(scaled); ok {
		if grown := next.(scaled).DecisionScale() / a.DecisionScale(); grown > 0 && !math.IsInf(grown, 0) {
			slope /= grown
		}
	}
	return &Calibrated[T, L]{next.(scoredModel[T, L]), slope}, before, nil
}

// slopeNumber is where a file keeps the slope.
const slopeNumber = "slope"

// Saved returns the model as plain data, with its slope.
func (m *Calibrated[T, L]) Saved() Saved[T] {
	s := m.scoredModel.Saved()
	numbers := map[string]float64{slopeNumber: m.slope}
	for name, v := range s.Numbers {
		numbers[name] = v
	}
	s.Numbers = numbers
	return s
}

// RestoreSlope gives a restored classifier its probabilities, where the file has a slope.
func RestoreSlope[T any](s Saved[T], m interface {
	Classifier[T, int]
	Saver[T]
}) (Model[T], error) {
	if _, ok := s.Numbers[slopeNumber]; !ok {
		return m, nil
	}
	a, err := s.Number(slopeNumber)
	if err != nil {
		return nil, err
	}
	if !(a > 0) {
		return nil, fmt.Errorf("number %q is %g, want a positive one", slopeNumber, a)
	}
	return &Calibrated[T, int]{m, a}, nil
}
