package all

import (
	"context"
	"errors"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/logistic"
	"github.com/mercer-ml/mercer/learn/online"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
)

// family is one way to fit a machine of the ridge, process, logistic and
// support vector families; labels are the signs of the targets.
type family struct {
	name string
	fit  func(ctx context.Context, k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], y []float64, label []string,
		r learn.Resources) (learn.Model[kernel.Vec], error)
}

// families lists them all, with the tolerance that the support vector machines are to reach; a new
// learner of these families belongs here.
func families(tol float64) []family {
	type (
		vec    = kernel.Vec
		kern   = kernel.Kernel[vec]
		points = data.Points[vec]
	)
	options := func(r learn.Resources) svm.Options {
		return svm.Options{Resources: r, Tol: tol, WorkingSet: 64}
	}
	hyper := gp.HyperOptions{FixedKernel: true}
	return []family{
		{"C-SVC", func(ctx context.Context, k kern, x points, _ []float64, l []string, r learn.Resources) (learn.Model[vec],
			error) {
			return model[vec](svm.Classification[vec, string]{Kernel: k, C: 100, Options: options(r)}.Fit(ctx, x, l))
		}},
		{"nu-SVC", func(ctx context.Context, k kern, x points, _ []float64, l []string, r learn.Resources) (learn.Model[vec],
			error) {
			return model[vec](svm.Classification[vec, string]{Kernel: k, Nu: 0.2, Options: options(r)}.Fit(ctx, x, l))
		}},
		{"SVC with probabilities", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.Classification[vec, string]{Kernel: k, C: 100, Probability: true, Seed: 3,
				Options: options(r)}.Fit(ctx, x, l))
		}},
		{"epsilon-SVR", func(ctx context.Context, k kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.Regression[vec]{Kernel: k, C: 100, Epsilon: 0.01, Options: options(r)}.Fit(ctx, x, y))
		}},
		{"nu-SVR", func(ctx context.Context, k kern, x points, y []float64, _ []string, r learn.Resources) (learn.Model[vec],
			error) {
			return model[vec](svm.Regression[vec]{Kernel: k, C: 100, Nu: 0.5, Options: options(r)}.Fit(ctx, x, y))
		}},
		{"one-class", func(ctx context.Context, k kern, x points, _ []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.OneClass[vec]{Kernel: k, Nu: 0.4, Options: options(r)}.Fit(ctx, x))
		}},
		{"primal SVC", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.PrimalClassification[vec, string]{Kernel: k, C: 100,
				Options: svm.Options{Resources: r}}.Fit(ctx, x, l))
		}},
		{"hard margin", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.Classification[vec, string]{Kernel: k, C: math.Inf(1), Options: options(r)}.Fit(ctx, x, l))
		}},
		{"linear perceptron", func(ctx context.Context, _ kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](online.LinearPerceptron[vec, string]{PerceptronOptions: online.PerceptronOptions{Intercept: true,
				Passes: int(1 / tol)}, Resources: r}.Fit(ctx, x, l))
		}},
		{"smoothing spline", func(ctx context.Context, _ kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			m, err := ridge.Spline{Resources: r}.Fit(ctx, firstOf(x), y)
			return model[vec](splineFamily{m}, err)
		}},
		{"linear SVC", func(ctx context.Context, _ kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](svm.LinearClassification[vec, string]{C: 1e3, Tol: tol, MaxIterations: int(1 / tol), Seed: 2,
				Resources: r}.Fit(ctx, x, l))
		}},
		{"ridge, Cholesky", func(ctx context.Context, k kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](ridge.Regression[vec]{Kernel: k, Lambda: 1e-3, Method: ridge.Cholesky, Intercept: true,
				Resources: r}.Fit(ctx, x, y))
		}},
		{"ridge, mixed", func(ctx context.Context, k kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](ridge.Regression[vec]{Kernel: k, Lambda: 1e-3, Method: ridge.Mixed, Resources: r}.Fit(ctx, x, y))
		}},
		{"ridge, CG", func(ctx context.Context, k kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](ridge.Regression[vec]{Kernel: k, Lambda: 1e-3, Method: ridge.CG, Tol: 1e-12, Resources: r}.Fit(ctx,
				x, y))
		}},
		{"ridge classifier", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](ridge.Classification[vec, string]{Regression: ridge.Regression[vec]{Kernel: k,
				Resources: r}}.Fit(ctx, x, l))
		}},
		{"Gaussian process", func(ctx context.Context, k kern, x points, y []float64, _ []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](gp.Regression[vec]{Kernel: k, HyperOptions: gp.HyperOptions{Seed: 1}, Resources: r}.Fit(ctx, x, y))
		}},
		{"Gaussian process classifier", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](gp.Classification[vec, string]{Kernel: k, HyperOptions: hyper, Resources: r}.Fit(ctx, x, l))
		}},
		{"logistic", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](logistic.Regression[vec, string]{Kernel: k, Lambda: 1e-4, Intercept: true,
				Method: logistic.Truncated, Resources: r}.Fit(ctx, x, l))
		}},
		{"sparse logistic", func(ctx context.Context, k kern, x points, _ []float64, l []string,
			r learn.Resources) (learn.Model[vec], error) {
			return model[vec](logistic.L1[vec, string]{Kernel: k, Lambda: 2, Resources: r}.Fit(ctx, x, l))
		}},
	}
}

// model turns a nil pointer with an error into a nil Model.
func model[T any, M learn.Model[T]](m M, err error) (learn.Model[T], error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

// valuesOf is what a model's function is at points; that of a spline has another domain, so it is
// asked itself.
func valuesOf(t testing.TB, m learn.Model[kernel.Vec], x data.Points[kernel.Vec]) []float64 {
	if s, ok := m.(splineFamily); ok {
		return modeltest.Predict(t, s, x)
	}
	return modeltest.Must(m.Func().Evaluate(t.Context(), x))(t).RawMatrix().Data
}

// TestFamiliesKeepTheBudget watches the live heap during fits whose kernel matrix would not fit. A
// fit may say that it cannot be done within the budget, but not exceed it; the training points,
// their packed copies and the O(n) vectors of a solver are not the big arrays that the budget is
// for.
func TestFamiliesKeepTheBudget(t *testing.T) {
	const n, d, budget = 2500, 12, 8 << 20
	if testing.Short() {
		t.Skip("NOT TESTED with -short: takes ten seconds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	x, y, label := learntest.Noisy(n, d, 2, 32)
	// Beside those, each thread has packing buffers and a tile of its own.
	small := int64(12*n*d*8+80*n*8) + int64(runtime.GOMAXPROCS(0))*3<<19
	for _, f := range families(1e-3) {
		t.Run(f.name, func(t *testing.T) {
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			ctx := &heapWatch{Context: t.Context()}
			m, err := f.fit(ctx, kernel.Gaussian{Lengthscale: 3}, data.Rows(x), y, label, learn.Resources{Bytes: budget})
			_ = ctx.Err()
			used := int64(ctx.high.Load()) - int64(before.HeapAlloc)
			var over *learn.OverBudget
			if err != nil && !errors.As(err, &over) {
				t.Fatal(err)
			}
			// The collector lets garbage reach a tenth of the live heap.
			if allowed := (budget+small)*11/10 + int64(before.HeapAlloc)/10; used > allowed {
				t.Errorf("%.1f MiB in use, budget %.1f MiB and %.1f MiB for small things", float64(used)/(1<<20),
					float64(budget)/(1<<20), float64(small)/(1<<20))
			}
			if m != nil && m.Report().Bytes > budget {
				t.Errorf("reports %d bytes of %d", m.Report().Bytes, budget)
			}
			t.Logf("%.1f MiB, error %v", float64(used)/(1<<20), err)
		})
	}
	if q := gram.DefaultBytes(); q < 64<<20 {
		t.Errorf("default budget %d", q)
	}
}

// heapWatch is a context that looks at the live heap whenever a fit looks at it: some of the times,
// as they are many.
type heapWatch struct {
	context.Context
	asked, high atomic.Uint64
}

func (w *heapWatch) Err() error {
	if n := w.asked.Add(1); n < 64 || n%64 == 0 {
		var now runtime.MemStats
		runtime.ReadMemStats(&now)
		for high := w.high.Load(); now.HeapAlloc > high && !w.high.CompareAndSwap(high, now.HeapAlloc); high = w.high.Load() {
		}
	}
	return w.Context.Err()
}

// TestFamiliesThreadsCopiesAndMissingClasses: the same bits at 1, 2 and 8
// threads; a model does not change with the training data; labels are any
// ordered type and a class that is not in the data is no trouble.
func TestFamiliesThreadsCopiesAndMissingClasses(t *testing.T) {
	n := datatest.Size(260, 100) // the families have tests of their own on more points
	for _, classes := range []int{2, 3} {
		for _, f := range families(1e-3) {
			t.Run(f.name, func(t *testing.T) {
				var want []float64
				for _, threads := range datatest.Threads() {
					x, y, label := learntest.Noisy(n, 3, classes, 33)
					for i := range label {
						label[i] = map[string]string{"a": "first", "b": "second", "c": "zeroth"}[label[i]]
					}
					m, err := f.fit(context.Background(), kernel.Gaussian{Lengthscale: 1.5}, data.Rows(x), y, label,
						learn.Resources{Threads: threads})
					if err != nil {
						t.Fatal(err)
					}
					probe, _, _ := learntest.Noisy(20, 3, classes, 34)
					got := valuesOf(t, m, data.Rows(probe))
					if want == nil {
						want = got
					} else if !slices.Equal(got, want) {
						t.Errorf("%d classes: %d threads give other bits than 1", classes, threads)
					}
					x.Zero()
					clear(y)
					clear(label)
					if !slices.Equal(got, valuesOf(t, m, data.Rows(probe))) {
						t.Errorf("%d classes: the model changed with the training data", classes)
					}
					if c, ok := m.(learn.Classifier[kernel.Vec, string]); ok {
						for _, l := range modeltest.Predict(t, c, data.Rows(probe)) {
							if !slices.Contains(c.Classes(), l) {
								t.Errorf("predicted %q", l)
							}
						}
					}
				}
			})
		}
	}
}

// TestFamiliesCancel: as TestMachinesCancel, of the machines that are only here, with their many
// steps.
func TestFamiliesCancel(t *testing.T) {
	x, y, label := learntest.Noisy(80, 12, 3, 31)
	for _, f := range families(1e-3) {
		t.Run(f.name, func(t *testing.T) {
			free := learntest.Cancels(t, func(ctx *learntest.Countdown) error {
				_, err := f.fit(ctx, kernel.Gaussian{Lengthscale: 1}, data.Rows(x), y, label, learn.Resources{Threads: 1})
				return err
			})
			if free.Asked() < 5 {
				t.Errorf("looks at the context %d times", free.Asked())
			}
		})
	}
}
