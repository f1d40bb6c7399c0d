package all

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// TestMachinesThreadsAndCopies: the same bits at 1, 2 and 8 threads, and no
// change of the model with the training data or the lists it hands out.
func TestMachinesThreadsAndCopies(t *testing.T) {
	ctx := context.Background()
	n := datatest.Size(150, 100)
	x, code := learntest.Blobs(n, 3, 3, 1, 91)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	for name, fit := range allMachines[kernel.Vec]() {
		first := ""
		for _, threads := range datatest.Threads() {
			tx, ty, tc, w := mat.DenseCopyOf(x), slices.Clone(y), slices.Clone(code), learntest.WeightsWith(n, 0, 2)
			if unweighted[name] {
				w = nil
			}
			m, err := fit(ctx, kernel.Gaussian{}, fitOptions[int]{Resources: learn.Resources{Threads: threads}, sample: w},
				data.Rows(tx), tc, ty)
			if err != nil {
				t.Fatal(name, err)
			}
			describe := func() string {
				f := m.Func()
				return learntest.Bits(f.Coef.RawMatrix().Data) + learntest.Bits(f.Bias) + learntest.Bits(m.predict(t, data.Rows(x)))
			}
			before := describe()
			tx.Zero()
			clear(ty)
			clear(tc)
			clear(w)
			if s, ok := m.Model.(interface{ Support() []int }); ok {
				clear(s.Support())
			}
			if describe() != before {
				t.Errorf("%s: the model changed with the training data", name)
			}
			if threads == 1 {
				first = before
			}
			if before != first {
				t.Errorf("%s: other bits at %d threads than at one", name, threads)
			}
		}
	}
}

// TestMachinesOnEveryKindOfPoints: sparse rows, a precomputed matrix and a kernel
// that is only Eval predict what dense rows do.
func TestMachinesOnEveryKindOfPoints(t *testing.T) {
	ctx := context.Background()
	n := datatest.Size(80, 50)
	x, code := learntest.Blobs(n, 2, 2, 0.7, 92)
	y := make([]float64, n)
	rows := make([]data.SparseVec, n)
	points := make(data.Slice[learntest.Plane], n)
	for i := range n {
		if i%3 == 0 {
			x.Set(i, 1, 0)
		}
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
		for j := range 2 {
			if v := x.At(i, j); v != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
			}
		}
		points[i] = learntest.Plane{A: x.At(i, 0), B: x.At(i, 1)}
	}
	dense, sparse := data.Rows(x), data.SparseOf(rows, 2)
	k := kernel.Gaussian{Lengthscale: 0.5}
	ks := modeltest.Must(kernel.OnSparse(k, 2))(t)
	g := mat.NewDense(n, n, nil)
	kernel.Block[kernel.Vec](context.Background(), k, g, dense, dense)
	kinds := map[string]func(name string) ([]float64, error){
		"sparse": func(name string) ([]float64, error) {
			m, err := allMachines[data.SparseVec]()[name](ctx, ks, fitOptions[int]{}, sparse, code, y)
			if err != nil {
				return nil, err
			}
			return m.predict(t, sparse), nil
		},
		"precomputed": func(name string) ([]float64, error) {
			m, err := allMachines[int]()[name](ctx, kernel.Precomputed{K: g}, fitOptions[int]{}, data.Indices(n), code, y)
			if err != nil {
				return nil, err
			}
			return m.predict(t, data.Indices(n)), nil
		},
		"eval": func(name string) ([]float64, error) {
			m, err := allMachines[learntest.Plane]()[name](ctx, learntest.EvalOnly{}, fitOptions[int]{}, points, code, y)
			if err != nil {
				return nil, err
			}
			return m.predict(t, points), nil
		},
	}
	for name, fit := range allMachines[kernel.Vec]() {
		m, err := fit(ctx, k, fitOptions[int]{}, dense, code, y)
		if err != nil {
			t.Fatal(name, err)
		}
		want := m.predict(t, dense)
		for kind, run := range kinds {
			if name == "smoothing spline" || name == "thin plate" || name == "nw local" || strings.HasPrefix(name, "forest") ||
				linear[name] && kind != "sparse" {
				continue // vectors only, or numbers
			}
			got, err := run(name)
			if err != nil {
				t.Errorf("%s, %s: %v", name, kind, err)
				continue
			}
			for i := range want {
				// Values to the solver's tolerance; the classes of these blobs are apart.
				if math.Abs(got[i]-want[i]) > 1e-4*(1+math.Abs(want[i])) {
					t.Errorf("%s, %s: point %d is predicted %g, on dense rows %g", name, kind, i, got[i], want[i])
					break
				}
			}
		}
	}
}

// TestMachinesCancel ends the context at the beginning, in the middle and at the last look of every
// fit, on the fast paths of a Gaussian kernel and on a kernel whose values are counted. A fit looks
// often: a slow kernel has few values in between.
func TestMachinesCancel(t *testing.T) {
	n := datatest.Size(60, 40)
	x, code := learntest.Blobs(n, 6, 3, 4, 93)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	o, k := fitOptions[int]{Resources: learn.Resources{Threads: 1}}, kernel.Gaussian{Lengthscale: 2}
	for name, fit := range allMachines[kernel.Vec]() {
		rows := data.Rows(x)
		if name == "thin plate" { // has 84 free polynomials of six columns
			rows = data.Rows(x.Slice(0, n, 0, 2).(*mat.Dense))
		}
		t.Run(name, func(t *testing.T) {
			learntest.Cancels(t, func(ctx *learntest.Countdown) error {
				_, err := fit(ctx, k, o, rows, code, y)
				return err
			})
			free := learntest.Cancels(t, func(ctx *learntest.Countdown) error {
				_, err := fit(ctx, ctx.Count(k), o, rows, code, y)
				return err
			})
			if free.Longest() > 64 {
				t.Errorf("%d kernel values between two looks at the context", free.Longest())
			}
		})
	}
}

// TestMachinesTraceAndBudget: an iterative machine reports steps in order; one that
// is given too little memory says so, or keeps to it.
func TestMachinesTraceAndBudget(t *testing.T) {
	ctx := context.Background()
	x, code := learntest.Blobs(100, 2, 2, 2, 94)
	y := make([]float64, 100)
	for i := range y {
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	direct := map[string]bool{"fisher": true, "medoid": true, "centroid": true, "knn": true, "knn classifier": true,
		"nw": true, "nw local": true, "nw classifier": true, "interpolation": true,
		"ridge": true, "ridge cholesky": true, "ridge classifier": true, "gp": true, "smoothing spline": true,
		"thin plate": true, "forest": true, "forest classifier": true, "forest boosted": true,
		"forest boosted classifier": true,
		"nystrom":                   true, "nystrom classifier": true, "sgpr": true, "features": true,
		"features classifier": true}
	for name, fit := range allMachines[kernel.Vec]() {
		var steps []trace.Step
		m, err := fit(ctx, kernel.Laplace{Lengthscale: 3},
			fitOptions[int]{Resources: learn.Resources{Trace: func(s trace.Step) { steps = append(steps, s) }}}, data.Rows(x),
			code, y)
		if err != nil {
			t.Fatal(name, err)
		}
		if direct[name] != (len(steps) == 0) {
			t.Errorf("%s: %d steps reported", name, len(steps))
		}
		for i := 1; i < len(steps); i++ {
			// The machines of a calibration count their steps each for itself.
			if steps[i].Iteration < steps[i-1].Iteration && steps[i].Iteration > 1 && name != "svc probability" {
				t.Errorf("%s: iteration %d after %d", name, steps[i].Iteration, steps[i-1].Iteration)
			}
		}
		if r := m.Report(); r.Bytes <= 0 || r.Elapsed <= 0 {
			t.Errorf("%s: report %+v", name, r)
		}
		for _, bytes := range []int64{100, 15000} {
			m, err := fit(ctx, kernel.Laplace{Lengthscale: 3}, fitOptions[int]{Resources: learn.Resources{Bytes: bytes}},
				data.Rows(x), code, y)
			var over *learn.OverBudget
			switch {
			case errors.As(err, &over):
				if over.Needs <= bytes || !strings.Contains(err.Error(), "100 points") {
					t.Errorf("%s, %d bytes: %v", name, bytes, err)
				}
			case err != nil:
				if !strings.Contains(err.Error(), "budget") && !strings.Contains(err.Error(), "bytes") {
					t.Errorf("%s, %d bytes: %v", name, bytes, err)
				}
			case m.Report().Bytes > bytes:
				t.Errorf("%s uses %d bytes of %d", name, m.Report().Bytes, bytes)
			}
		}
		if _, err := fit(ctx, kernel.Gaussian{}, fitOptions[int]{Resources: learn.Resources{Bytes: -1}}, data.Rows(x), code,
			y); err == nil || !strings.Contains(fmt.Sprint(err), "Bytes") {
			t.Errorf("%s: a budget of -1: %v", name, err)
		}
	}
}
