package online

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// votesSoFar is what a perceptron needs to go on beside its function F = Σ vₜfₜ: the last function
// fₜ, which new examples are tried on, and the votes of all. A vote for the last function adds it
// to F once more, so with V votes since, F has grown by V·fₜ; a mistake after T of them starts with
// fₜ + y·k(x, ·), whose new term counts in V - T votes. Without votes F is the last function
// itself.
type votesSoFar struct {
	voted, intercept bool
	// coefficients of the last function, a row for each centre (or coordinate), a column for each
	// output
	last     *mat.Dense
	bias     []float64 // its constants
	votes    []float64 // of all functions, by output; those of a function without a mistake yet are not counted
	mistakes []float64 // in all, by output
}

// term is a mistake of an output since: the example, its step, and the votes before it.
type term struct {
	example     int
	step, votes float64
}

// output is one output of a perceptron on its way.
type output struct {
	voted, intercept     bool
	votes, begun         float64 // of all functions, now and at the start
	bias, sumBias, start float64 // of the last function, of F at the start, and of the last function at the start
	terms                []term
}

func (v *votesSoFar) begin(o int, sumBias float64) *output {
	return &output{voted: v.voted, intercept: v.intercept, votes: v.votes[o], begun: v.votes[o], bias: v.bias[o],
		sumBias: sumBias, start: v.bias[o]}
}

// observe takes one example, of which last and sum are the values of the functions at the start,
// and k(t) the kernel with the example of a term. It returns what F says of it before.
func (u *output) observe(example int, last, sum, y, weight float64, k func(t term) float64) float64 {
	said, now := sum, last+u.bias-u.start
	if u.voted {
		said += (u.votes - u.begun) * last
	}
	for _, t := range u.terms {
		v := t.step * k(t)
		if u.intercept {
			said += t.step * u.worth(t)
		}
		now += v
		said += v * u.worth(t)
	}
	if !u.voted {
		said = now
	}
	switch {
	case weight == 0:
	case y*now > 0:
		if u.votes > 0 {
			u.votes++
		}
	default:
		u.terms = append(u.terms, term{example, weight * y, u.votes})
		if u.intercept {
			u.bias += weight * y
		}
		u.votes++
	}
	return said
}

// worth is how often a term counts in F now.
func (u *output) worth(t term) float64 {
	if u.voted {
		return u.votes - t.votes
	}
	return 1
}

// growth is what multiplies the last function of the start in F now, beside F at the start: 0 where
// F is the last function.
func (u *output) growth() float64 {
	if u.voted {
		return u.votes - u.begun
	}
	return 0
}

// constant is that of F now.
func (u *output) constant() float64 {
	b := u.sumBias + u.growth()*u.start
	for _, t := range u.terms {
		if u.intercept {
			b += t.step * u.worth(t)
		}
	}
	return b
}

// after is what is known when the outputs have gone through their examples; last is filled in by
// who knows the terms.
func (v *votesSoFar) after(outputs []*output) *votesSoFar {
	next := &votesSoFar{voted: v.voted, intercept: v.intercept}
	for o, u := range outputs {
		next.bias, next.votes, next.mistakes = append(next.bias, u.bias), append(next.votes, u.votes),
			append(next.mistakes, v.mistakes[o]+float64(len(u.terms)))
	}
	return next
}

// report says how far the perceptron has come.
func (v *votesSoFar) report(learner string, outputs []*output) learn.Report {
	r := learn.Report{Learner: learner, Certified: "mistakes on the rows learnt from last", Converged: true}
	for o, u := range outputs {
		r.Objective += v.mistakes[o]
		r.Certificate += float64(len(u.terms))
	}
	return r
}

// put adds the state to what is saved: the arrays "votes", with the constant of the last function,
// the votes and the mistakes of each output, and "last".
func (v *votesSoFar) put(numbers map[string]float64, arrays map[string]*mat.Dense) {
	numbers["voted"], numbers["intercept"] = indicator(v.voted), indicator(v.intercept)
	rows := mat.NewDense(len(v.votes), 3, nil)
	for o := range v.votes {
		rows.SetRow(o, []float64{v.bias[o], v.votes[o], v.mistakes[o]})
	}
	arrays["votes"] = rows
	if v.voted { // else F is the last function
		arrays["last"] = v.last
	}
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// takeVotes reads the state back, whose last function has so many coefficients of each output; nil
// where the file has none, as those of earlier versions. f is the coefficients of F.
func takeVotes[T any](s learn.Saved[T], rows, outputs int, f *mat.Dense) (*votesSoFar, error) {
	if s.Arrays["votes"] == nil {
		return nil, nil
	}
	a, err := s.Array("votes", outputs, 3)
	if err != nil {
		return nil, err
	}
	v := &votesSoFar{voted: s.Numbers["voted"] != 0, intercept: s.Numbers["intercept"] != 0, last: f}
	for o := range outputs {
		row := a.RawRowView(o)
		for _, count := range row[1:] {
			if count != math.Trunc(count) || !(count >= 0 && count < 1<<53) {
				return nil, fmt.Errorf("output %d has %g votes and %g mistakes", o, row[1], row[2])
			}
		}
		v.bias, v.votes, v.mistakes = append(v.bias, row[0]), append(v.votes, row[1]), append(v.mistakes, row[2])
	}
	if v.voted {
		if v.last, err = s.Array("last", rows, outputs); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Updatable says whether the model knows its last function.
func (m *PerceptronClassifier[T, L]) Updatable() bool { return m.going != nil }

// Update learns from further points, in their order, as one more pass over them would; y is the
// places of their labels among Classes, weights may be nil. It returns the model that knows them,
// too, and the class it said of each before it learnt from it.
func (m *PerceptronClassifier[T, L]) Update(
	ctx context.Context, x data.Points[T], y, weights []float64,
) (learn.Model[T], []float64, error) {
	if m.going == nil {
		return nil, nil, fmt.Errorf("perceptron: the model does not know how it was learnt; fit it again")
	}
	f, n, k := m.Func(), x.Len(), len(m.Classes())
	outputs := f.Outputs()
	// F and the last function side by side, over the same centres.
	both := &rkhs.Func[T]{Kernel: f.Kernel, Centers: f.Centers, Coef: mat.NewDense(f.Centers.Len(), 2*outputs, nil),
		Bias: make([]float64, 2*outputs)}
	ways := make([]*output, outputs)
	for o := range ways {
		for j := range f.Centers.Len() {
			both.Coef.Set(j, o, f.Coef.At(j, o))
			both.Coef.Set(j, outputs+o, m.going.last.At(j, o))
		}
		if f.Bias != nil {
			both.Bias[o] = f.Bias[o]
		}
		both.Bias[outputs+o] = m.going.bias[o]
		ways[o] = m.going.begin(o, both.Bias[o])
	}
	before := make([]float64, n)
	if n == 0 {
		return m, before, nil
	}
	values, err := both.Evaluate(ctx, x)
	if err != nil {
		return nil, nil, fmt.Errorf("perceptron: %w", err)
	}
	said := make([]float64, outputs)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		known := map[int]float64{} // kernel values with the new examples, which outputs share
		with := func(t term) float64 {
			v, ok := known[t.example]
			if !ok {
				v = f.Kernel.Eval(x.At(t.example), x.At(i))
				known[t.example] = v
			}
			return v
		}
		for o, u := range ways {
			said[o] = u.observe(i, values.At(i, outputs+o), values.At(i, o), signOf(y[i], o, k), w, with)
		}
		before[i] = float64(learn.DecideOneVsRest(said))
	}
	return m.grown(f, x, ways, k), before, nil
}

// grown puts the terms of the outputs behind the centres of before.
func (m *PerceptronClassifier[T, L]) grown(
	f *rkhs.Func[T], x data.Points[T], ways []*output, k int,
) *PerceptronClassifier[T, L] {
	old, outputs := f.Centers.Len(), len(ways)
	place := map[int]int{}
	all := make(data.Slice[T], 0, old)
	for j := range old {
		all = append(all, f.Centers.At(j))
	}
	for _, u := range ways {
		for _, t := range u.terms {
			if _, ok := place[t.example]; !ok {
				place[t.example] = len(all)
				all = append(all, x.At(t.example))
			}
		}
	}
	next := &rkhs.Func[T]{Kernel: f.Kernel, Coef: mat.NewDense(len(all), outputs, nil),
		Centers: data.OwnSubset(data.Points[T](all), par.Indices(0, len(all)))}
	going := m.going.after(ways)
	going.last = mat.NewDense(len(all), outputs, nil)
	if going.intercept {
		next.Bias = make([]float64, outputs)
	}
	for o, u := range ways {
		for j := range old {
			last := m.going.last.At(j, o)
			going.last.Set(j, o, last)
			next.Coef.Set(j, o, f.Coef.At(j, o)+u.growth()*last)
		}
		for _, t := range u.terms {
			j := place[t.example]
			going.last.Set(j, o, going.last.At(j, o)+t.step)
			next.Coef.Set(j, o, next.Coef.At(j, o)+t.step*u.worth(t))
		}
		if going.intercept {
			next.Bias[o] = u.constant()
		}
	}
	if !going.voted {
		going.last = next.Coef
	}
	return &PerceptronClassifier[T, L]{ExpansionClassifier: *learn.NewExpansionClassifier(next, m.Classes(), nil,
		going.report("perceptron", ways)), intercept: m.intercept, going: going}
}

// DecisionScale is what the size of decision values goes by: the votes of all functions that are
// added up, 1 where the last one counts alone.
func (m *PerceptronClassifier[T, L]) DecisionScale() float64 { return m.going.scale() }

// DecisionScale is what the size of decision values goes by: the votes of all weights that are
// added up, 1 where the last ones count alone.
func (m *LinearPerceptronClassifier[T, L]) DecisionScale() float64 { return m.going.scale() }

func (v *votesSoFar) scale() float64 {
	if v == nil || !v.voted {
		return 1
	}
	most := 1.0
	for _, n := range v.votes {
		most = max(most, n)
	}
	return most
}

// signOf is the target ±1 of output o for class y of k.
func signOf(y float64, o, k int) float64 {
	if int(y) == o && k > 2 || int(y) == 1 && k == 2 {
		return 1
	}
	return -1
}
