package tune

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// Fitted is a model with how it came about. Exactly one of Regressor,
// Classifier and Custom is set.
type Fitted[T any] struct {
	Learner    Learner
	Kernel     kernel.Kernel[T]
	Params     map[string]float64 // the learner's
	Task       data.Task
	Rows       int // fitted on: fewer than given where the search was stopped
	Classes    []string
	Regressor  learn.Regressor[T]
	Classifier learn.Classifier[T, int] // labels are indices of Classes
	Custom     Predictor[T]

	logDensity func(x data.Points[T], y []float64) []float64
	classes    int
}

// unfinished is the certificate that the fit was left with where it did not
// converge, else 0.
func (f *Fitted[T]) unfinished() float64 {
	m := f.Model()
	if m == nil {
		return 0
	}
	if r := m.Report(); !r.Converged {
		return max(r.Certificate, math.SmallestNonzeroFloat64)
	}
	return 0
}

// Model is the fitted learner, nil for a custom one.
func (f *Fitted[T]) Model() learn.Model[T] {
	if f.Regressor != nil {
		return f.Regressor
	}
	if f.Classifier != nil {
		return f.Classifier
	}
	return nil
}

// fitOptions is what all fits share.
type fitOptions struct {
	tol     float64
	bytes   int64
	threads int
	prob    bool    // probabilities are asked for
	noise   float64 // where a Gaussian process starts; 0: its own choice
	near    bool    // the kernel given is near the end of its search: no other starts
}

// fitOne fits a learner at one setting.
func fitOne[T any](ctx context.Context, s *space[T], k kernelOf[T], params map[string]float64, p Problem[T], o fitOptions) (*Fitted[T], error) {
	out := &Fitted[T]{Learner: s.Learner, Kernel: k, Params: params, Task: p.Task, Rows: p.Len(), Classes: p.Classes, classes: p.classes()}
	var err error
	switch s.Learner {
	case SVM:
		options := svm.Options{Tol: o.tol, Bytes: o.bytes, Threads: o.threads}
		if p.Task == data.Regression {
			r := svm.Regression[T]{Kernel: k, C: params["C"], Epsilon: params["epsilon"], NoTube: params["epsilon"] == 0, Weights: p.Weights, Options: options}
			out.Regressor, err = r.Fit(ctx, p.Points, p.Y)
			break
		}
		c := svm.Classification[T, int]{Kernel: k, C: params["C"], Weights: p.Weights, Probability: o.prob, Options: options}
		out.Classifier, err = c.Fit(ctx, p.Points, p.codes())
	case Ridge:
		err = fitRidge(ctx, s, out, p, o)
	case Logistic:
		c := logistic.Regression[T, int]{Kernel: k, Lambda: params["lambda"], Intercept: !s.NoIntercept, Weights: p.Weights, Resources: o.resources()}
		out.Classifier, err = c.Fit(ctx, p.Points, p.codes())
	case GP:
		err = fitGP(ctx, s.Starts, out, p, o)
	default:
		if _, ok := machines()[s.Learner]; ok {
			err = fitMachine(ctx, out, p, o)
			break
		}
		out.Custom, err = s.Custom.Fit(ctx, k, params, p)
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (o fitOptions) resources() learn.Resources {
	return learn.Resources{Threads: o.threads, Bytes: o.bytes}
}

func fitRidge[T any](ctx context.Context, s *space[T], out *Fitted[T], p Problem[T], o fitOptions) (err error) {
	r := ridge.Regression[T]{Kernel: out.Kernel, Lambda: out.Params["lambda"], Intercept: !s.NoIntercept, Weights: p.Weights, Resources: o.resources()}
	if p.Task == data.Regression {
		out.Regressor, err = r.Fit(ctx, p.Points, p.Y)
		return err
	}
	out.Classifier, err = ridge.Classification[T, int]{Regression: r}.Fit(ctx, p.Points, p.codes())
	return err
}

// prober is a classifier with probabilities.
type prober[T any] interface {
	Proba(dst *mat.Dense, x data.Points[T]) *mat.Dense
}

// PredictAll asks the model for all it can say about points.
func (f *Fitted[T]) PredictAll(ctx context.Context, x data.Points[T]) (Predictions, error) {
	out := Predictions{Classes: f.classes}
	switch {
	case f.Custom != nil:
		return f.Custom.PredictAll(ctx, x)
	case f.Regressor != nil:
		out.Value = f.Regressor.Predict(nil, x)
		return out, ctx.Err()
	}
	n, k := x.Len(), f.classes
	out.Class = f.Classifier.Predict(nil, x)
	if p, ok := f.Classifier.(prober[T]); ok && n > 0 {
		// nil where the machine was fitted without probabilities.
		if m := p.Proba(nil, x); m != nil {
			out.Prob = make([]float64, n*k)
			for i := range n {
				copy(out.Prob[i*k:(i+1)*k], m.RawRowView(i))
			}
		}
	}
	values := mat.NewDense(max(n, 1), f.Classifier.Func().Outputs(), nil)
	if m, ok := f.Classifier.(*neighbours.Classifier[T, int]); ok && n > 0 {
		values = m.Decision(nil, x) // votes, which are not its function
	} else if n > 0 {
		f.Classifier.Func().EvalTo(values, x)
	}
	out.Score = classScores(values, n, k, f.Learner == SVM)
	return out, ctx.Err()
}

// classScores turns decision values into a score for each class.
func classScores(values *mat.Dense, n, k int, votes bool) []float64 {
	out := make([]float64, n*k)
	count, sums := make([]int, k), make([]float64, k)
	for i := range n {
		from, row := values.RawRowView(i), out[i*k:(i+1)*k]
		switch {
		case k == 2 && len(from) == 1:
			row[0], row[1] = -from[0], from[0]
		case votes:
			learn.VoteOneVsOne(from, k, count, sums)
			for c := range row {
				row[c] = float64(count[c]) + sums[c]/(1e-12+3*float64(k)*maxAbs(sums))
			}
		default:
			copy(row, from)
		}
	}
	return out
}
