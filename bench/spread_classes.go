package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/neighbours"
	"github.com/mercer-ml/mercer/learn/svm"
)

// overlapping are points and labels ±1 that overlap.
func overlapping(n, d int) (linalg.Matrix[float64], []float64) {
	x, y := smooth(n, d)
	noise := random(n, 1, 53)
	for i := range y {
		y[i] = math.Copysign(1, y[i]+0.3*noise.Data[i])
	}
	return x, y
}

func spreadOneClass(n, d int) Case {
	return Case{Work: "one-class", Peer: "one_class", Args: map[string]any{"gamma": 1 / float64(d)}, Prepare: func() Work {
		x := mixture(n, d, 54)
		var m *svm.Detector[kernel.Vec]
		return Work{
			Inputs: Inputs{"x": array(x)},
			Run: func() {
				m = must(svm.OneClass[kernel.Vec]{Kernel: spreadKernel(d), Nu: 0.1}.Fit(context.Background(), data.RowsOf(x)))
			},
			Check: func(t Inputs) error {
				values := must(m.Decision(context.Background(), data.RowsOf(x.Slice(0, 100, 0, d))))
				// Both stop at a violation of 1e-3, so decision values are some of those apart.
				for i, theirs := range t["result"].Data {
					if ours := values.At(i, 0); !(math.Abs(ours-theirs) <= 5e-3*max(1, t["offset"].Data[0])) {
						return fmt.Errorf("decision value %d is %g, theirs %g", i, ours, theirs)
					}
				}
				return nil
			},
		}
	}}
}

// spreadProbabilities is a machine with calibrated probabilities: five folds of it and a sigmoid.
// The folds are drawn on both sides, so that probabilities agree on the average only.
func spreadProbabilities(n, d int) Case {
	return Case{Work: "SVC probabilities", Peer: "probabilities", Args: map[string]any{"gamma": 1 / float64(d)},
		Prepare: func() Work {
			x, y := overlapping(n, d)
			var m *svm.Classifier[kernel.Vec, float64]
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y)},
				Run: func() {
					m = must(svm.Classification[kernel.Vec, float64]{Kernel: spreadKernel(d), C: 1,
						Probability: true}.Fit(context.Background(), data.RowsOf(x), y))
				},
				Check: func(t Inputs) error {
					p, mean := must(m.Proba(context.Background(), data.RowsOf(x.Slice(0, 300, 0, d)))), 0.0
					for i, theirs := range t["result"].Data {
						mean += math.Abs(p.At(i, 1)-theirs) / float64(len(t["result"].Data))
					}
					if !(mean <= 0.03) {
						return fmt.Errorf("probabilities are %.3g from theirs on the average", mean)
					}
					return nil
				},
			}
		}}
}

// spreadLogistic is logistic regression on the columns themselves. Each side stops by its own
// default: scikit-learn where the gradient of the mean loss is below 1e-4, ours where the gradient
// is 1e-8 of that at 0. That is the longer way: for a gradient of 1e-9 its solver takes 15 steps in
// place of 7 (2 000 × 100; 12 in place of 7 at 5 000 × 10), and its probabilities are then within
// 4e-8 of ours, by default within 1e-3.
func spreadLogistic(n, d int) Case {
	return logisticCase("logistic", "logistic", nil, kernel.Linear{}, n, d, 5e-3)
}

// spreadKernelLogistic has a Gaussian kernel; theirs are the features of all rows (Nystroem with n
// centres) and the same regression. Its default stops where the gradient is 1e-4: on three sets of
// 2000×5 points its probabilities were 0.6e-2, 1.6e-2 and 1.8e-2 from Newton's method in NumPy.
// That is what is timed; ours is compared with its fit at 1e-6, where they were 4e-5 away (at 1e-8,
// 1e-6).
func spreadKernelLogistic(n, d int) Case {
	return logisticCase("kernel logistic", "kernel_logistic", map[string]any{"gamma": 1 / float64(d)}, spreadKernel(d), n,
		d, 1e-3)
}

// logisticCase asks that ours has come to its end, and theirs within so much of it.
func logisticCase(work, peer string, args map[string]any, k vectorKernel, n, d int, within float64) Case {
	return Case{Work: work, Peer: peer, Args: args, Prepare: func() Work {
		x, y := overlapping(n, d)
		var m *logistic.Classifier[kernel.Vec, float64]
		return Work{
			Inputs: Inputs{"x": array(x), "y": vector(y)},
			Run: func() {
				m = must(logistic.Regression[kernel.Vec, float64]{Kernel: k, Lambda: 1, Intercept: true}.Fit(context.Background(),
					data.RowsOf(x), y))
			},
			Check: func(t Inputs) error {
				if r := m.Report(); !r.Converged {
					return fmt.Errorf("not at its end: %s %g", r.Certified, r.Certificate)
				}
				p := must(m.Proba(context.Background(), data.RowsOf(x.Slice(0, 300, 0, d))))
				for i, theirs := range t["result"].Data {
					if !(math.Abs(p.At(i, 1)-theirs) <= within) {
						return fmt.Errorf("probability %d is %g, theirs %g", i, p.At(i, 1), theirs)
					}
				}
				return nil
			},
		}
	}}
}

// spreadNeighbours is five nearest neighbours, the index made and new points labelled.
func spreadNeighbours(n, d int) Case {
	return Case{Work: "5-NN", Peer: "neighbours", Prepare: func() Work {
		x, y := overlapping(n, d)
		q := random(fresh, d, 55)
		var ours []float64
		return Work{
			Inputs: Inputs{"x": array(x), "y": vector(y), "q": array(q)},
			Run: func() {
				m := must(neighbours.Classification[kernel.Vec, float64]{Kernel: kernel.Linear{},
					Options: neighbours.Options{K: 5}}.Fit(context.Background(), data.RowsOf(x), y))
				ours = must(m.Predict(context.Background(), data.RowsOf(q)))
			},
			Check: func(t Inputs) error { return agreeMostly(ours, t["result"].Data, 0.001) },
		}
	}}
}
