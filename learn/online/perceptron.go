package online

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Perceptron is the kernel perceptron (Rosenblatt 1958; Aizerman et al. 1964). It goes through
// the points again and again; at a mistake, y·f(x) ≤ 0, it adds y·k(x, ·) to f. On
// points that some f* of norm 1 separates with y·f*(x) ≥ ε it makes at most M/ε²
// mistakes, M = max k(x, x) (Novikoff 1962), and then stops.
//
// With Voted, every function on the way counts by the number of examples it
// survived: a mistake starts the next one with one vote, an example with y·f(x) > 0 gives one
// more (Freund and Schapire 1999). The result is their sum Σ vₜfₜ; Vote of the model
// counts their signs instead. More than two classes are told apart one against the rest.
// For the linear kernel, LinearPerceptron keeps weights instead of points.
//
// A point of weight w takes a step w times as long, w·y·k(x, ·), at a mistake, and one
// of weight 0 is passed over. With weights between w₀ and w₁ the bound is (w₁/w₀)²·M/ε².
type Perceptron[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class
	Weights      []float64     // weight of a point; nil means 1
	PerceptronOptions
	learn.Resources
}

// PerceptronOptions is what the perceptrons share; the zero value is a sound
// choice.
type PerceptronOptions struct {
	Voted     bool   // sum all functions by their votes, instead of taking the last
	Intercept bool   // add a constant: k + 1 in place of k
	Passes    int    // at most so many times through the points; 0 means 100
	Examples  int    // stop after so many examples, in the middle of a pass if need be; 0 means no such bound
	Shuffle   bool   // a new order for each pass, by Seed; else the given order
	Seed      uint64 // of the shuffling
}

func (o *PerceptronOptions) check() error {
	if o.Examples < 0 {
		return fmt.Errorf("Examples is %d; want a positive number, or 0 for no bound", o.Examples)
	}
	return fitting.SetOrDefaultInt("Passes", &o.Passes, 100)
}

// order is the order of a pass.
func (o PerceptronOptions) order(n, pass int) []int {
	if o.Shuffle {
		return rand.New(rand.NewPCG(o.Seed, uint64(pass))).Perm(n)
	}
	return par.Indices(0, n)
}

// perceptronRun is one run of the rule, whatever keeps the function.
type perceptronRun struct {
	mistakes []int // the examples, in order: ind(s) of the notes
	votes    []int // of the function after each mistake
	made     int   // mistakes in all
	seen     int   // examples from the first mistake on: the votes of all functions
	left     int   // mistakes of the last pass; 0 means separated
	passes   int
	examples int  // looked at
	stopped  bool // by the bound on examples
}

// runPerceptron goes through the examples; value is y·f(x) and mistake adds the example to f, seen
// examples after the first mistake. The sequence of mistakes is kept where it may take some bytes;
// where it may take none only counts are.
func runPerceptron(
	ctx context.Context, o PerceptronOptions, weight []float64, bytes int64, value func(i int) float64,
	mistake func(i, seen int), listen trace.Func,
) (*perceptronRun, error) {
	start := time.Now()
	r := &perceptronRun{}
	for r.passes < o.Passes {
		r.left = 0
		for step, i := range o.order(len(weight), r.passes) {
			if step%64 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if weight[i] == 0 {
				continue
			}
			if o.Examples > 0 && r.examples == o.Examples {
				r.stopped = true
				return r, nil
			}
			r.examples++
			if value(i) > 0 {
				if r.made > 0 {
					r.seen++
				}
				if len(r.votes) > 0 {
					r.votes[len(r.votes)-1]++
				}
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if bytes > 0 {
				// Twice: append doubles what it has.
				if need := 32 * int64(len(r.mistakes)+1); need > bytes {
					return nil, &learn.OverBudget{Learner: "perceptron", Points: len(weight), Needs: need, Budget: bytes,
						Instead: "give it more memory or take fewer Passes: every mistake is kept"}
				}
				r.mistakes, r.votes = append(r.mistakes, i), append(r.votes, 1)
			}
			mistake(i, r.seen)
			r.left++
			r.made++
			r.seen++
		}
		r.passes++
		listen.Report(trace.Step{Iteration: r.passes, Objective: float64(r.made), Residual: float64(r.left),
			Elapsed: time.Since(start)})
		if r.left == 0 {
			break
		}
	}
	return r, nil
}

// worth is how often each mistake counts: 1, or with votes the votes of all
// functions from it on.
func (r *perceptronRun) worth(voted bool) []float64 {
	w := make([]float64, len(r.mistakes))
	sum := 0
	for s := len(w) - 1; s >= 0; s-- {
		sum += r.votes[s]
		w[s] = 1
		if voted {
			w[s] = float64(sum)
		}
	}
	return w
}

func (r *perceptronRun) report(p *learn.Report) {
	p.Iterations += r.passes
	p.Objective += float64(r.made)
	p.Certificate += float64(r.left)
	switch {
	case r.stopped:
		p.Converged = false
		p.Warnings = append(p.Warnings, fmt.Sprintf("stopped after %d examples, as asked", r.examples))
	case r.left > 0:
		p.Converged = false
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d mistakes in the last of %d passes: the points are not separated",
			r.left, r.passes))
	}
}

// Fit learns from points and their labels.
func (c Perceptron[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *PerceptronClassifier[T, L], err error) {
	defer fault.Name("perceptron", &err)
	start := time.Now()
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err == nil {
		err = c.check()
	}
	if err == nil {
		c.Resources, err = c.Resources.WithDefaults()
	}
	if err != nil {
		return nil, err
	}
	own := data.Own(x)
	return fitting.Heed(ctx, func() (*PerceptronClassifier[T, L],
		error) {
		return c.fit(ctx, own, labels, weights, start)
	})
}

func (c Perceptron[T, L]) fit(
	ctx context.Context, x data.Points[T], labels learn.Labels[L], weights []float64, start time.Time,
) (*PerceptronClassifier[T, L], error) {
	n := x.Len()
	g, err := gram.New(ctx, c.Kernel, x, gram.Options{Bytes: c.Bytes, Threads: c.Threads, ByColumn: true})
	if err != nil {
		return nil, err
	}
	m := &PerceptronClassifier[T, L]{intercept: c.Intercept}
	report := learn.Report{Learner: "perceptron", Certified: "mistakes of the last pass", Converged: true,
		Bytes:    min(8*int64(n)*int64(n), c.Bytes),
		Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources)}
	var beta, last [][]float64
	var bias []float64
	going := &votesSoFar{voted: c.Voted, intercept: c.Intercept}
	for _, t := range labels.Tasks(learn.OneVsRest) {
		step := weightedTargets(t, weights)
		f, column := make([]float64, n), make([]float64, n)
		run, err := runPerceptron(ctx, c.PerceptronOptions, weights, c.Bytes,
			func(i int) float64 { return step[i] * f[i] },
			func(i, _ int) {
				g.Column(column, i)
				simd.Axpy(step[i], column, f)
				if c.Intercept {
					for j := range f {
						f[j] += step[i]
					}
				}
			}, c.Trace)
		if err != nil {
			return nil, err
		}
		run.report(&report)
		if bound := novikoff(g, f, step, weights, run, c.Intercept); bound > 0 {
			report.Notes = append(report.Notes,
				fmt.Sprintf("%d mistakes, of at most %.0f by Novikoff's bound with the margin of the last function", run.made,
					math.Ceil(bound)))
		}
		coef, b, final, constant := make([]float64, n), 0.0, make([]float64, n), 0.0
		for s, w := range run.worth(c.Voted) {
			i := run.mistakes[s]
			coef[i] += w * step[i]
			final[i] += step[i]
			if c.Intercept {
				b += w * step[i]
				constant += step[i]
			}
		}
		beta, bias, last = append(beta, coef), append(bias, b), append(last, final)
		going.bias, going.votes, going.mistakes = append(going.bias, constant), append(going.votes, float64(run.seen)),
			append(going.mistakes, float64(run.made))
		m.runs = append(m.runs, perceptronVotes{run, step})
	}
	report.Elapsed = time.Since(start)
	f, support := fitting.Expansion(c.Kernel, x, beta, fitting.BiasOrNil(c.Intercept, bias))
	m.ExpansionClassifier = *learn.NewExpansionClassifier(f, labels.Classes, support, report)
	m.keepSequence(x)
	going.last = mat.NewDense(f.Centers.Len(), len(last), nil)
	for o, coef := range last {
		for j, i := range support {
			going.last.Set(j, o, coef[i])
		}
	}
	m.going = going
	return m, fitting.FiniteCoefficients(f)
}

// novikoff is M/ε², which bounds the mistakes, with the margin ε of the last function over its
// norm, where it separates the points and all weigh the same; else 0. f is its values, whose norm
// is Σ of them over the mistakes.
func novikoff(g gram.Gram, f, step, weights []float64, run *perceptronRun, intercept bool) float64 {
	if run.left > 0 || run.stopped || run.made == 0 {
		return 0
	}
	square, margin, most := 0.0, math.Inf(1), 0.0
	for _, i := range run.mistakes {
		square += step[i] * f[i]
	}
	diag := make([]float64, len(f))
	g.Diag(diag)
	for i, v := range f {
		if weights[i] != 1 {
			return 0
		}
		k := diag[i]
		if intercept {
			k++
		}
		margin, most = min(margin, step[i]*v), max(most, k)
	}
	if !(margin > 0) {
		return 0
	}
	return most * square / (margin * margin)
}

// weightedTargets is the targets of a task times the weights: the steps.
func weightedTargets(t learn.TwoClass, weights []float64) []float64 {
	step := t.Targets()
	for i, w := range weights {
		step[i] *= w
	}
	return step
}

// perceptronVotes is the sequence of functions of a task: fₜ is the sum of the
// first t mistakes.
type perceptronVotes struct {
	*perceptronRun
	step []float64 // ± the weight of each point
}

// PerceptronClassifier is a fitted Perceptron. Support lists the points some mistake
// was made on and that did not cancel out.
type PerceptronClassifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	intercept bool
	runs      []perceptronVotes
	wrong     data.Points[T] // the points of mistakes, each once
	place     map[int]int    // of a training point among them
	going     *votesSoFar    // nil: of a file of before
}

func (m *PerceptronClassifier[T, L]) keepSequence(x data.Points[T]) {
	m.place = map[int]int{}
	var index []int
	for _, r := range m.runs {
		for _, i := range r.mistakes {
			if _, ok := m.place[i]; !ok {
				m.place[i] = len(index)
				index = append(index, i)
			}
		}
	}
	m.wrong = data.OwnSubset(x, index)
}

// Mistakes is the number of mistakes made in learning, for each output; nil where it is not known,
// of a model from an older file.
func (m *PerceptronClassifier[T, L]) Mistakes() []int {
	if m.going == nil {
		return nil
	}
	out := make([]int, len(m.going.mistakes))
	for o, made := range m.going.mistakes {
		out[o] = int(made)
	}
	return out
}

// MistakeSequence is the points that mistakes of an output were made on, in the order they were
// made; nil where the model comes from a file or went on learning, which keep no sequence.
func (m *PerceptronClassifier[T, L]) MistakeSequence(output int) []int {
	if m.runs == nil {
		return nil
	}
	return slices.Clone(m.runs[output].mistakes)
}

// Votes returns Σ vₜ·sign(fₜ(x)) of each output, the majority vote of Freund and Schapire over all
// functions on the way, a row for each point. Its sign need not be that of Decision. A model from a
// file, or that went on learning, has the sum of these functions alone, and refuses.
func (m *PerceptronClassifier[T, L]) Votes(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	if m.runs == nil {
		return nil, errNoVotes
	}
	return apply.Matrix(x, len(m.runs), func(dst *mat.Dense) error { return m.VotesTo(ctx, dst, x) })
}

// errNoVotes is what a model says that does not keep its functions.
var errNoVotes = errors.New("perceptron: the functions on the way are not kept in a file, nor by a model that went " +
	"on learning; ask for Decision")

// VotesTo writes the votes at point i to row i of dst.
func (m *PerceptronClassifier[T, L]) VotesTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if m.runs == nil {
		return errNoVotes
	}
	if err := apply.Start(ctx, x); err != nil {
		return err
	}
	n := x.Len()
	if err := apply.CheckDims(dst, n, len(m.runs)); err != nil || n == 0 {
		return err
	}
	if err := apply.Check(ctx, m.Func().Kernel, m.Func().Centers, x); err != nil {
		return err
	}
	k := linalg.New[float64](n, m.wrong.Len())
	kernel.Fill(0, blas64.General(k), kernel.NewBase(m.Func().Kernel, m.wrong).Prepare(ctx, x))
	for o, r := range m.runs {
		for i := range n {
			f, vote := 0.0, 0
			for s, p := range r.mistakes {
				v := k.At(i, m.place[p])
				if m.intercept {
					v++
				}
				f += r.step[p] * v
				if f > 0 {
					vote += r.votes[s]
				} else if f < 0 {
					vote -= r.votes[s]
				}
			}
			dst.Set(i, o, float64(vote))
		}
	}
	return ctx.Err()
}
