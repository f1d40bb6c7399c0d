package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// ChooseThreshold finds from which probability on a class is to be named, by rows of known answers
// that the model was not fitted to. costs is, by class, what a row costs that is taken for the
// other (1 where a class is not named): of all thresholds that the rows can tell apart it is the
// one of least cost,
//
//	C(t) = c₁·#{y = class, p < t} + c₀·#{y ≠ class, p ≥ t},
//
// and among equals the one nearest c₀/(c₀ + c₁), which is the best where probabilities are what
// they say (C. Elkan, The foundations of cost-sensitive learning, IJCAI 2001). Nil costs ask for
// the greatest f1, 2·hits/(rows of the class + rows named), of equals that of the fewest named.
func ChooseThreshold(
	p learn.Predictions, classes []string, class string, costs map[string]float64,
) (*model.Threshold, error) {
	if err := checkCosts(costs, classes); err != nil {
		return nil, err
	}
	c := slices.Index(classes, class)
	if c < 0 || len(classes) != 2 {
		return nil, fault.Errorf("tune", "a threshold for %q among the classes %s; it is of one of two", class,
			strings.Join(classes, ", "))
	}
	if p.Prob == nil {
		return nil, fault.Errorf("tune", "a threshold is of a probability, and the model gives none")
	}
	steps, all := thresholdSteps(p, c)
	switch {
	case all == 0:
		return nil, fault.Errorf("tune", "no row is of class %q: nothing says where its threshold is to be", class)
	case costs != nil:
		return &model.Threshold{Class: class, At: leastCost(steps, all, costOf(costs, classes[c]),
			costOf(costs, classes[1-c])), Costs: costs}, nil
	}
	return &model.Threshold{Class: class, At: greatestF1(steps, all)}, nil
}

// costOf is what a row of a class costs that is taken for the other.
func costOf(costs map[string]float64, class string) float64 {
	if c, ok := costs[class]; ok {
		return c
	}
	return 1
}

// thresholdStep is the rows named where those of a probability of at least this are: their weight,
// and that of the right ones.
type thresholdStep struct{ at, below, named, right float64 } // below: the next lower probability, 0 after the last

// thresholdSteps goes down the probabilities of a class; all is the weight of its rows.
func thresholdSteps(p learn.Predictions, class int) (steps []thresholdStep, all float64) {
	prob := make([]float64, len(p.Truth))
	for i := range prob {
		prob[i] = p.Prob[2*i+class]
	}
	order := descending(prob)
	var s thresholdStep
	for k, i := range order {
		hit := weightOf(p, i) * indicator(int(p.Truth[i]) == class)
		s.named, s.right, all = s.named+weightOf(p, i), s.right+hit, all+hit
		if s.at = prob[i]; k+1 < len(order) && prob[order[k+1]] == s.at {
			continue
		}
		if s.below = 0; k+1 < len(order) {
			s.below = prob[order[k+1]]
		}
		steps = append(steps, s)
	}
	return steps, all
}

// between is a threshold that names what a step does: want where that does, else the middle.
func (s thresholdStep) between(want float64) float64 {
	if want > s.below && want <= s.at {
		return want
	}
	middle := s.below + (s.at-s.below)/2
	if middle <= s.below { // there is no number between
		middle = s.at
	}
	return inside01(middle)
}

// inside01 keeps a threshold from 0 and 1, which no probability that is told apart is.
func inside01(t float64) float64 {
	return min(max(t, math.SmallestNonzeroFloat64), math.Nextafter(1, 0))
}

func leastCost(steps []thresholdStep, all, miss, alarm float64) float64 {
	bayes := alarm / (alarm + miss)
	none := thresholdStep{at: 1, below: steps[0].at}
	best, at := math.Inf(1), bayes
	for _, s := range slices.Concat([]thresholdStep{none}, steps) {
		if s.at <= 0 || s.below >= 1 {
			continue // no threshold between 0 and 1 does it
		}
		cost, t := miss*(all-s.right)+alarm*(s.named-s.right), s.between(bayes)
		if cost < best || cost == best && math.Abs(t-bayes) < math.Abs(at-bayes) {
			best, at = cost, t
		}
	}
	return at
}

func greatestF1(steps []thresholdStep, all float64) float64 {
	best, at := math.Inf(-1), 0.5
	for _, s := range steps {
		if s.at <= 0 {
			continue
		}
		if v := f1(s.right, all, s.named); v > best {
			best, at = v, s.between(math.NaN())
		}
	}
	return at
}

// expectedF1 is the threshold of the greatest f1 where each row is of the class with its own
// probability: 2·Σ_named p/(Σ p + #named).
func expectedF1(prob []float64) float64 {
	order := descending(prob)
	all, named := sum(prob), 0.0
	best, at := math.Inf(-1), 0.5
	for k, i := range order {
		named += prob[i]
		next := 0.0
		if k+1 < len(order) {
			next = prob[order[k+1]]
		}
		if v := 2 * named / (all + float64(k+1)); v > best && next < prob[i] {
			best, at = v, thresholdStep{at: prob[i], below: next}.between(math.NaN())
		}
	}
	return at
}

func checkCosts(costs map[string]float64, classes []string) error {
	for class, c := range costs {
		if !slices.Contains(classes, class) {
			return fault.Errorf("tune", "a cost of class %q, which is not there (there are: %s)", class,
				strings.Join(classes, ", "))
		}
		if !(c > 0) || math.IsInf(c, 0) {
			return fault.Errorf("tune", "the cost of class %q is %g; give a positive number", class, c)
		}
	}
	return nil
}

// checkThreshold refuses a threshold that cannot be had, before the search.
func (o *AutoOptions) checkThreshold(r *AutoResult) error {
	switch asked := o.Threshold != nil || o.Costs != nil; {
	case !asked:
		return nil
	case r.Task != data.Binary:
		return fault.Errorf("tune",
			"a threshold, or costs, are of two classes, and the task is %v; weights of the classes move a model of more", r.Task)
	case o.NoProbabilities:
		return fault.Errorf("tune", "a threshold, or costs, need probabilities, which are switched off")
	case o.Threshold != nil && o.Costs != nil:
		return fault.Errorf("tune", "a threshold and costs; the one is chosen by the other, give one of them")
	case o.Threshold != nil && !(o.Threshold.At > 0 && o.Threshold.At < 1):
		return fault.Errorf("tune", "a threshold of %g; give a probability between 0 and 1", o.Threshold.At)
	}
	return nil
}

// setThreshold sets Threshold: as told, by costs, or of one rare class of two by f1. The rows that
// choose it are those of the folds, or of few centres the rows apart, each judged by a fit to
// others; rows held out for the test have no part in it.
func (r *AutoResult) setThreshold(ctx context.Context, d *data.Dataset, o AutoOptions) error {
	asked := o.Threshold != nil || o.Costs != nil
	if r.Task != data.Binary || !asked && !(o.unasked && r.Metric.Name == AveragePrecision().Name) {
		return nil
	}
	if o.Threshold != nil {
		t := *o.Threshold
		if t.Class = cmp.Or(t.Class, r.Positive); !slices.Contains(r.Classes, t.Class) {
			return fault.Errorf("tune", "a threshold for %q, which is not there (there are: %s)", t.Class,
				strings.Join(r.Classes, ", "))
		}
		t.Why = cmp.Or(t.Why, "as told")
		r.Threshold = &t
	}
	rows := r.foldKnown
	if r.outcome.wide() {
		rows = r.outcome.apart()
	}
	own, err := r.ownProbabilities(ctx, d)
	switch {
	case err != nil:
		return err
	case own == nil && asked:
		return fault.Errorf("tune",
			"a threshold needs probabilities, and %s gives none here; take a learner that does, such as logistic",
			r.Chosen.Learner)
	case own == nil:
		r.because("no threshold for %q: %s gives no probabilities", r.Positive, r.Chosen.Learner)
		return nil
	case r.Threshold != nil:
	case rows != nil && slices.Contains(rows.Truth, float64(slices.Index(r.Classes, r.Positive))):
		if r.Threshold, err = ChooseThreshold(*rows, r.Classes, r.Positive, o.Costs); err != nil {
			return err
		}
		r.Threshold.Why = fmt.Sprintf("%s on %s rows that fits did not see", byWhat(o.Costs),
			phrase.Thousands(len(rows.Truth)))
		if o.Costs == nil {
			r.Threshold.Why += accuracyPrice(*rows, slices.Index(r.Classes, r.Positive), r.Threshold.At)
		}
	default:
		if err := checkCosts(o.Costs, r.Classes); err != nil {
			return err
		}
		why := "there was no time for rows that fits did not see"
		if rows != nil {
			why = fmt.Sprintf("of the rows that fits did not see none is %q", r.Positive)
		}
		r.Threshold = r.thresholdByModel(o, own, why)
	}
	r.because("%v", r.Threshold)
	return nil
}

// byWhat says what a threshold is chosen by.
func byWhat(costs map[string]float64) string {
	if costs == nil {
		return "the best f1"
	}
	var parts []string
	for class, c := range costs {
		parts = append(parts, fmt.Sprintf("%s=%g", class, c))
	}
	slices.Sort(parts)
	return "the least cost, " + strings.Join(parts, ", ") + ","
}

// accuracyPrice says by how much fewer rows a threshold is right for than the likelier class would
// be; empty: it is not. What finds more of a rare class also names more rows that are not of it.
func accuracyPrice(p learn.Predictions, class int, at float64) string {
	right, likelier, all := 0.0, 0.0, 0.0
	for i, y := range p.Truth {
		own, of := int(y) == class, p.Prob[2*i+class]
		right += weightOf(p, i) * indicator(own == (of >= at))
		likelier += weightOf(p, i) * indicator(own == (of > 0.5))
		all += weightOf(p, i)
	}
	if right >= likelier {
		return ""
	}
	return fmt.Sprintf("; it is right for %.1f %% of them, the likelier class for %.1f %%", 100*right/all, 100*likelier/all)
}

// thresholdRows is how many of the fitted rows a threshold is chosen by where no others were asked.
const thresholdRows = 20000

// ownProbabilities is those of the positive class for some of the fitted rows, by the model itself;
// nil where it has none.
func (r *AutoResult) ownProbabilities(ctx context.Context, d *data.Dataset) ([]float64, error) {
	most := thresholdRows
	if r.foldKnown != nil || r.outcome.wide() && r.outcome.apart() != nil {
		most = 256 // they are not needed, but that they are there
	}
	rows := r.Split.Train
	if n := len(rows); n > most {
		rows = make([]int, most)
		for i := range rows {
			rows[i] = r.Split.Train[i*n/most]
		}
	}
	x, err := r.Encoder.TransformLabelled(d.Gather(rows))
	if err != nil {
		return nil, data.PlaceRow(rows, err)
	}
	p, err := r.outcome.predict(context.WithoutCancel(ctx), x)
	if err != nil || p.Prob == nil {
		return nil, err
	}
	c := slices.Index(r.Classes, r.Positive)
	out := make([]float64, len(p.Prob)/2)
	for i := range out {
		out[i] = p.Prob[2*i+c]
	}
	return out, nil
}

// thresholdByModel takes the model's probabilities at their word, where no rows were left out of
// fits, or none of the class: by costs c₀/(c₀ + c₁), moved by the weights of the classes, which
// move the probabilities.
func (r *AutoResult) thresholdByModel(o AutoOptions, own []float64, why string) *model.Threshold {
	t := &model.Threshold{Class: r.Positive, Costs: o.Costs}
	word := " by the model's own probabilities: " + why
	if o.Costs == nil {
		t.At, t.Why = inside01(expectedF1(own)), "the best f1"+word
		return t
	}
	c := slices.Index(r.Classes, r.Positive)
	odds := costOf(o.Costs, r.Classes[1-c]) / costOf(o.Costs, r.Positive)
	if f, ok := r.outcome.(found); ok && f.weights != nil {
		odds *= f.weights[c] / f.weights[1-c]
	}
	t.At, t.Why = inside01(odds/(1+odds)), strings.TrimSuffix(byWhat(o.Costs), ",")+word
	return t
}
