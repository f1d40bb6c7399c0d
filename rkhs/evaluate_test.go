package rkhs

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func mustEvaluate[T any](t testing.TB, f *Func[T], dst *mat.Dense, x data.Points[T], o ...EvalOptions) {
	t.Helper()
	if err := f.EvaluateTo(context.Background(), dst, x, o...); err != nil {
		t.Fatal(err)
	}
}

// Prepared centres give the values of the sum, few points at a time and many, in both precisions,
// with several outputs and a bias.
func TestPreparedCentres(t *testing.T) {
	for name, k := range kernels() {
		for _, outputs := range []int{1, 3} {
			f := &Func[vec]{Kernel: k, Centers: points(1500, 3, 1), Coef: random(1500, outputs, 2),
				Bias: make([]float64, outputs)}
			f.Bias[0] = 0.25
			f.Prepare()
			for _, n := range []int{1, 2, 17, 300} {
				x := points(n, 3, uint64(n))
				for _, single := range []bool{false, true} {
					got, err := f.Evaluate(context.Background(), x, EvalOptions{Single: single})
					if err != nil {
						t.Fatal(err)
					}
					tol := 1e-10
					if single {
						tol = 1e-3
					}
					for _, i := range []int{0, n / 2, n - 1} {
						for j, want := range f.At(x.At(i)) {
							near(t, name, got.At(i, j), want, tol)
						}
					}
				}
			}
		}
	}
}

// Bad points are named by row, whichever thing is evaluated; no result comes from a context that
// has ended.
func TestEvaluationNamesTheRow(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	f := &Func[vec]{Kernel: kernel.Gaussian{}, Centers: points(5, 2, 1), Coef: random(5, 1, 2)}
	wide := &Func[vec]{Kernel: kernel.Gaussian{}, Centers: points(600, 2, 1), Coef: random(600, 1, 2)}
	positive := &Func[vec]{Kernel: kernel.Intersection{}, Centers: data.Slice[vec]{{1, 2}}, Coef: random(1, 1, 2)}
	h, err := NewHermite(kernel.Gaussian{}, []float64{0, 0}, []float64{1, 1}, 4)
	if err != nil {
		t.Fatal(err)
	}
	circle, err := NewCircleFunc(kernel.Fourier{Coef: []float64{1, 1}}, []complex128{1})
	if err != nil {
		t.Fatal(err)
	}
	things := map[string]func(ctx context.Context, x data.Points[vec]) error{
		"func": func(ctx context.Context, x data.Points[vec]) error { _, err := f.Evaluate(ctx, x); return err },
		"many": func(ctx context.Context, x data.Points[vec]) error { _, err := wide.Evaluate(ctx, x); return err },
		"prepared": func(ctx context.Context, x data.Points[vec]) error {
			_, err := positive.Prepare().Evaluate(ctx, x)
			return err
		},
		"hermite": func(ctx context.Context, x data.Points[vec]) error { _, err := h.Features(ctx, x); return err },
		"values":  func(ctx context.Context, x data.Points[vec]) error { _, err := h.Evaluate(ctx, x); return err },
		"circle":  func(ctx context.Context, x data.Points[vec]) error { _, err := circle.Evaluate(ctx, x); return err },
		"gradient": func(ctx context.Context, x data.Points[vec]) error {
			_, err := Grad(ctx, f, x.At(x.Len()-1))
			return err
		},
	}
	for name, evaluate := range things {
		good := data.Points[vec](points(100, 2, 3))
		if name == "prepared" {
			good = data.Slice[vec]{{1, 1}, {0, 0}}
		}
		if name == "circle" {
			good = data.Slice[vec]{{1}, {0}}
		}
		if err := evaluate(context.Background(), good); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := evaluate(ended, good); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v of a context that has ended", name, err)
		}
		for want, bad := range map[string]data.Points[vec]{
			"row 1":       data.Slice[vec]{good.At(0), append(vec{math.NaN()}, good.At(0)[1:]...)},
			"coordinates": data.Slice[vec]{{1, 2, 3}},
		} {
			err := evaluate(context.Background(), bad)
			if name == "gradient" {
				want = strings.Replace(want, "row 1", "row 0", 1)
			}
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want one about %s", name, err, want)
			}
		}
	}
	if _, err := positive.Evaluate(context.Background(), data.Slice[vec]{{1, 1}, {1, -1}}); err == nil ||
		!strings.Contains(err.Error(), "row 1, column 1") {
		t.Errorf("outside of the domain: %v", err)
	}
	if err := f.EvaluateTo(context.Background(), mat.NewDense(2, 2, nil), points(2, 2, 1)); err == nil {
		t.Error("a matrix of another shape was taken")
	}
}

// One row against prepared centres allocates nothing, a thousand for what is made of them.
func TestEvaluationAllocates(t *testing.T) {
	if datatest.Race {
		t.Skip("allocations are not counted under the race detector")
	}
	f := (&Func[vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Centers: points(1000, 10, 1),
		Coef: random(1000, 1, 2)}).Prepare()
	for _, c := range []struct{ rows, most int }{{1, 24},
		{1000, 200}} /* a point alone is summed by panels, as among others */ {
		x, dst := data.Points[vec](points(c.rows, 10, 3)), mat.NewDense(c.rows, 1, nil)
		n := testing.AllocsPerRun(20, func() { mustEvaluate(t, f, dst, x, EvalOptions{Threads: 1}) })
		t.Logf("%d rows: %g allocations", c.rows, n)
		if n > float64(c.most) {
			t.Errorf("%d rows: %g allocations, want at most %d", c.rows, n, c.most)
		}
	}
}

// One prepared function serves many goroutines at once, from its first evaluation on: each gets the
// bits it would get alone.
func TestPreparedIsSharedByGoroutines(t *testing.T) {
	x := points(64, 3, 5)
	for name, k := range map[string]kernel.Kernel[vec]{
		"gaussian": kernel.Gaussian{Lengthscale: 2},
		"tree": kernel.Sum[vec](kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: []float64{1, 2, 3}},
			kernel.Normalize[vec](kernel.Polynomial{Degree: 2, Offset: 1})),
		"map": kernel.Pullback[vec](kernel.Laplace{Lengthscale: 1}, func(x vec) vec { return vec{x[0] * x[1], x[2]} }),
	} {
		make := func() *Func[vec] {
			return (&Func[vec]{Kernel: k, Centers: points(200, 3, 1), Coef: random(200, 2, 2), Bias: []float64{1, 2}}).Prepare()
		}
		alone, together := mat.NewDense(64, 2, nil), mat.NewDense(64, 2, nil)
		one := func(f *Func[vec], dst *mat.Dense, i int) {
			mustEvaluate(t, f, dst.Slice(i, i+1, 0, 2).(*mat.Dense), data.Points[vec](data.Slice[vec]{x.At(i)}))
		}
		f := make()
		for i := range 64 {
			one(f, alone, i)
		}
		shared := make()
		var all sync.WaitGroup
		for g := range 8 {
			all.Go(func() {
				for i := g; i < 64; i += 8 {
					one(shared, together, i)
				}
			})
		}
		all.Wait()
		if !mat.Equal(alone, together) {
			t.Errorf("%s: values in company differ from those alone", name)
		}
	}
}
