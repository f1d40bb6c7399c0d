package all

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/refusal"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// What was asked for is done or refused, by every learner of the table on every task that it has:
// weights of rows and of classes, the noise of each row, further targets, groups and times. The
// oracle is a fit without the option to data that mean the same.

// asked is one pair of the table with an option.
type asked struct {
	l    learn.Learner
	task data.Task
	s    learn.Settings
}

// everyPair is the table.
func everyPair() (out []asked) {
	k := kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	for _, l := range Learners() {
		for _, task := range []data.Task{data.Regression, data.Binary, data.Multiclass} {
			if !l.Does(task) {
				continue
			}
			params := map[string]float64{}
			for _, q := range l.ParamsFor(task) {
				params[q.Name] = q.Default
			}
			out = append(out, asked{l, task, learn.Settings{Kernel: k, Params: params}})
		}
	}
	return out
}

func (a asked) String() string { return fmt.Sprintf("%s, %v", a.l.Name, a.task) }

// said is the values that a fit predicts at some places: numbers, or scores of classes.
func (a asked) said(t *testing.T, p learn.Problem[any], at data.Points[any]) []float64 {
	t.Helper()
	m, err := a.l.Fit(t.Context(), a.s, p)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	q, err := learn.PredictAll(t.Context(), m, p.ClassCount(), at)
	if err != nil {
		t.Fatalf("%v: %v", a, err)
	}
	if a.task == data.Regression {
		return q.Value
	}
	return q.Score
}

// contrary is 24 places, each with two rows that contradict each other: the first of them is to
// have more say. Times of a row is how often it stands there.
func (a asked) contrary(times func(i int, first bool) int) learn.Problem[any] {
	var x data.Slice[kernel.Vec]
	var y []float64
	rng := rand.New(rand.NewPCG(3, 9))
	for i := range 24 {
		v := kernel.Vec{rng.NormFloat64(), rng.NormFloat64()}
		tilt := v[1]
		if a.l.Name == "spline" { // on a line
			v = v[:1]
		}
		side := 0.0
		if v[0] > 0 {
			side = 1
		}
		one, other := 2+math.Sin(2*v[0]), -2+0.5*tilt
		switch a.task {
		case data.Binary:
			one, other = side, 1-side
		case data.Multiclass:
			one = side
			if v[1] > 0 {
				one++
			}
			other = math.Mod(one+1, 3)
		}
		for range times(i, true) {
			x, y = append(x, v), append(y, one)
		}
		for range times(i, false) {
			w := append(kernel.Vec{}, v...)
			if a.l.Name == "interpolation" { // goes through all points, and so there is one at each place
				w[0] += 0.05
			}
			x, y = append(x, w), append(y, other)
		}
	}
	return learn.Problem[kernel.Vec]{Points: x, Task: a.task, Y: y}.Erase()
}

func once(int, bool) int { return 1 }

// distance is the root of the mean squared difference.
func distance(a, b []float64) float64 {
	sum := 0.0
	for i, v := range a {
		sum += (v - b[i]) * (v - b[i])
	}
	return math.Sqrt(sum / float64(len(a)))
}

// near asks that a fit with an option is that of data which mean the same, up to what the choice of
// centres and the order of steps make: at the least it is much nearer to that than the fit without
// it.
func (a asked) near(t *testing.T, what string, got, want, without []float64) {
	t.Helper()
	if off, gap := distance(got, want), distance(without, want); !(off <= 0.5*gap+1e-6) {
		t.Errorf("%v: %s change nothing, or not as they should: %.3g away from the fit that means the same, without "+
			"them it is %.3g", a, what, off, gap)
	}
}

// follows asks as much as can be asked where rows are drawn, or gone through in an order that is:
// that a fit says what one without the rows of weight 0 says, of most places, and not what one says
// that counts them.
func (a asked) follows(t *testing.T, got, want, without []float64, classes int) {
	t.Helper()
	if classes == 0 {
		if off, gap := distance(got, want), distance(without, want); !(off <= 0.75*gap) {
			t.Errorf("%v: weights change nothing: %.3g away from the fit that means the same, without them it is %.3g", a, off,
				gap)
		}
		return
	}
	same := 0
	for i := 0; i < len(got); i += classes {
		if learn.ArgMax(got[i:i+classes]) == learn.ArgMax(want[i:i+classes]) {
			same++
		}
	}
	if places := len(got) / classes; same < places*3/4 {
		t.Errorf("%v: weights change nothing: %d of %d places have the class that the rows which count say", a, same, places)
	}
}

// ordered are the learners whose fit steps from row to row, so that where a row stands again
// matters as much as that it does: they are asked by weight 0 alone, which is a row that is not
// there.
var ordered = map[string]bool{"perceptron": true, "linear-perceptron": true, "norma": true}

// drawn are those to which a row that stands there again is another neighbour, or another row to
// draw: they are asked so, too, and class weights are to be those weights of their rows.
var drawn = map[string]bool{"knn": true, "forest": true, "boosting": true}

func TestWeightsAreRepeatedRowsInTheWholeTable(t *testing.T) {
	for _, a := range everyPair() {
		often := func(_ int, first bool) int {
			if first {
				return 5
			}
			return 1
		}
		if ordered[a.l.Name] || drawn[a.l.Name] {
			often = func(_ int, first bool) int {
				if first {
					return 1
				}
				return 0
			}
		}
		p := a.contrary(once)
		plain := p
		for i := range p.Y {
			p.Weights = append(p.Weights, float64(often(i/2, i%2 == 0)))
		}
		if a.l.Name == "interpolation" { // goes through every row, however often it counts
			if _, err := a.l.Fit(t.Context(), a.s, p); err == nil || !strings.Contains(err.Error(), "interpolation") ||
				!strings.Contains(err.Error(), "weights") {
				t.Errorf("%v: the error of weights is %v", a, err)
			}
			continue
		}
		got, want := a.said(t, p, p.Points), a.said(t, a.contrary(often), p.Points)
		if ordered[a.l.Name] || drawn[a.l.Name] {
			a.follows(t, got, want, a.said(t, plain, p.Points), p.ClassCount())
			continue
		}
		a.near(t, "weights", got, want, a.said(t, plain, p.Points))
	}
}

func TestClassWeightsAreRepeatedRowsInTheWholeTable(t *testing.T) {
	for _, a := range everyPair() {
		if a.task == data.Regression {
			continue
		}
		p := a.contrary(once)
		plain := a.said(t, p, p.Points)
		p.ClassWeights = make([]float64, p.ClassCount())
		var rows []int
		for c := range p.ClassWeights {
			p.ClassWeights[c] = float64(1 + 3*(c%2))
		}
		if ordered[a.l.Name] || drawn[a.l.Name] {
			q := p
			q.ClassWeights, q.Weights = nil, p.FitWeights()
			got := a.said(t, p, p.Points)
			for i, v := range a.said(t, q, p.Points) {
				if got[i] != v {
					t.Fatalf("%v: %g with class weights, %g with those weights of rows", a, got[i], v)
				}
			}
			continue
		}
		for i, y := range p.Y {
			for range int(p.ClassWeights[int(y)]) {
				rows = append(rows, i)
			}
		}
		repeated := p.Gather(rows)
		repeated.ClassWeights = nil
		a.near(t, "class weights", a.said(t, p, p.Points), a.said(t, repeated, p.Points), plain)
	}
}

func TestNoiseOfRowsIsHeededOrRefusedInTheWholeTable(t *testing.T) {
	heeded := 0
	for _, a := range everyPair() {
		p := a.contrary(once)
		var sure []int
		for i := range p.Y {
			v := 1e12 // says nothing
			if i%2 == 0 {
				v = 0
				sure = append(sure, i)
			}
			p.Noise = append(p.Noise, v)
		}
		var refused *refusal.NoiseError
		if a.l.RowNoise && a.task == data.Regression {
			heeded++
			without := p
			without.Noise = nil
			a.near(t, "noise variances", a.said(t, p, p.Points), a.said(t, without.Gather(sure), p.Points),
				a.said(t, without, p.Points))
			continue
		}
		if a.task != data.Regression { // where they are refused for every learner
			if err := p.Check(); err == nil {
				t.Errorf("%v: noise of classes was taken", a)
			}
			continue
		}
		if _, err := a.l.Fit(t.Context(), a.s, p); !errors.As(err, &refused) || refused.Learner != a.l.Name {
			t.Errorf("%v: the error of noise of each row is %v", a, err)
		}
	}
	if heeded == 0 {
		t.Error("no learner heeds the noise of each row")
	}
}

func TestFurtherTargetsAreLearntOrRefusedInTheWholeTable(t *testing.T) {
	for _, a := range everyPair() {
		if a.task != data.Regression {
			continue
		}
		p := a.contrary(once)
		p.More = [][]float64{make([]float64, len(p.Y))}
		for i, y := range p.Y {
			p.More[0][i] = 3 - y
		}
		m, err := a.l.Fit(t.Context(), a.s, p)
		if !a.l.Several {
			if err == nil {
				t.Errorf("%v: a second target was taken, and not learnt", a)
			}
			continue
		}
		if err != nil {
			t.Fatalf("%v: %v", a, err)
		}
		if s, ok := m.(learn.Several[any]); !ok || s.Targets() != 2 {
			t.Errorf("%v: a %T has not two targets", a, m)
		}
	}
}

// Rows of weight 1000 say +10 and rows of 0.001 say -10: every learner of numbers believes the
// former, whatever it finds beside the function, such as the noise. Where a process finds that,
// what all weights are multiplied by changes nothing: rows that stood there 64 times as often would
// have less noise, until the process is one of points.
func TestHeavyRowsAreBelievedInTheWholeTable(t *testing.T) {
	for _, a := range everyPair() {
		if a.task != data.Regression || a.l.Name == "interpolation" { // which refuses weights
			continue
		}
		p := a.contrary(once)
		for i := range p.Y {
			side, w := 10.0, 1000.0
			if i%2 == 1 {
				side, w = -10, 0.001
			}
			if a.l.Name == "norma" { // whose steps are as long as weights are large
				w /= 1000
			}
			p.Y[i], p.Weights = side+0.1*math.Sin(7*float64(i)), append(p.Weights, w)
		}
		var beside data.Slice[kernel.Vec] // where what is found of length-scales and noise shows
		for i := range p.Y {
			v := slices.Clone(p.Points.At(i).(kernel.Vec))
			v[0] += 0.1
			beside = append(beside, v)
		}
		worst := 0.0
		for _, v := range a.said(t, p, data.Erase(beside)) {
			worst = max(worst, math.Abs(v-10))
		}
		// kernel machines without a constant stay below, by what their penalty costs
		if !(worst < 1.5) {
			t.Errorf("%v: the weightiest rows say 10, and the model is %.3g away from that", a, worst)
		}
		if a.l.Name != "gp" && a.l.Name != "sgpr" {
			continue
		}
		once := a.said(t, p, data.Erase(beside))
		for i := range p.Weights {
			p.Weights[i] *= 64
		}
		for i, v := range a.said(t, p, data.Erase(beside)) {
			if !(math.Abs(v-once[i]) < 1e-6) {
				t.Errorf("%v: %.9g with weights 64 times as large, %.9g without", a, v, once[i])
				break
			}
		}
	}
}

// Groups and times say how rows are split, and nothing about a fit.
func TestGroupsAndTimesLeaveFitsAlone(t *testing.T) {
	for _, a := range everyPair() {
		p := a.contrary(once)
		plain := a.said(t, p, p.Points)
		for i := range p.Y {
			p.Groups, p.Times = append(p.Groups, i/2), append(p.Times, float64(len(p.Y)-i))
		}
		for i, v := range a.said(t, p, p.Points) {
			if v != plain[i] {
				t.Errorf("%v: groups and times change the fit, %g to %g", a, plain[i], v)
				break
			}
		}
	}
}
