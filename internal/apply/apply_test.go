package apply

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// counting is a kernel that counts its evaluations and ends a context at one of them.
type counting struct {
	calls *atomic.Int64
	at    int64
	end   context.CancelFunc
}

func (c counting) Eval(a, b int) float64 {
	if c.calls.Add(1) == c.at {
		c.end()
	}
	return float64(a*b%7) + 1
}

func TestFuncStopsSoon(t *testing.T) {
	const centers, n = 300, 20_000
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	k := counting{new(atomic.Int64), 5000, cancel}
	coef := mat.NewDense(centers, 1, nil)
	f := &rkhs.Func[int]{Kernel: k, Centers: data.Indices(centers), Coef: coef}
	err := To(ctx, f, mat.NewDense(n, 1, nil), data.Points[int](data.Indices(n)), rkhs.EvalOptions{Threads: 2})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if calls := k.calls.Load(); calls > centers*n/4 {
		t.Errorf("%d evaluations of %d though it was called off at 5000", calls, centers*n)
	}
}

func TestFuncIsTheSum(t *testing.T) {
	x := data.Slice[[]float64]{{0, 1}, {2, -1}, {1, 1}}
	f := &rkhs.Func[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Centers: x,
		Coef: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Bias: []float64{-1, 1}}
	q := data.Slice[[]float64]{{0.5, 0.5}, {3, 0}}
	ctx := context.Background()
	dst, err := New(ctx, f, data.Points[kernel.Vec](q))
	if err != nil {
		t.Fatal(err)
	}
	for i := range q {
		for j := range 2 {
			want := f.Bias[j]
			for c := range x {
				want += f.Coef.At(c, j) * f.Kernel.Eval(x[c], q[i])
			}
			if d := dst.At(i, j) - want; d > 1e-14 || d < -1e-14 {
				t.Errorf("f(x)[%d, %d] = %g, want %g", i, j, dst.At(i, j), want)
			}
		}
	}
	for name, c := range map[string]struct {
		dst  *mat.Dense
		x    data.Points[kernel.Vec]
		want string
	}{
		"no destination": {nil, q, "dst is nil"},
		"shape":          {mat.NewDense(2, 1, nil), q, "2×1"},
		"nil points":     {mat.NewDense(2, 2, nil), nil, "x is nil"},
		"too much room":  {mat.NewDense(2, 2, nil), data.Slice[[]float64]{}, "2×2"},
		"dimension":      {mat.NewDense(1, 2, nil), data.Slice[[]float64]{{1}}, "row 0"},
	} {
		if err := To(ctx, f, c.dst, c.x); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
	for name, dst := range map[string]*mat.Dense{"no matrix": nil, "an empty one": new(mat.Dense)} {
		if err := To(ctx, f, dst, data.Points[kernel.Vec](data.Slice[[]float64]{})); err != nil {
			t.Errorf("no points into %s: %v", name, err)
		}
	}
	if none, err := New(ctx, f, data.Points[kernel.Vec](data.Slice[[]float64]{})); err != nil || !none.IsEmpty() {
		t.Errorf("no points: %v, %v", none, err)
	}
}
