package all

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// anyKernel are the learners to which k(xᵢ, ·) are functions like any others.
var anyKernel = []string{"rvm", "l1vm", "l2vm", "rbf", "sparse logistic", "smoothing spline", "thin plate", "forest",
	"forest boosted"}

// TestMachinesSayThatAKernelIsIndefinite: every learner that relies on a positive definite kernel
// either refuses one that is not, or says so with the worst eigenvalue.
func TestMachinesSayThatAKernelIsIndefinite(t *testing.T) {
	x, code := learntest.Blobs(40, 2, 2, 1, 73)
	y := make([]float64, 40)
	for i := range y {
		y[i] = x.At(i, 0)
	}
	p, k := data.Rows(x), kernel.Sigmoid{Gamma: 0.5, Offset: -1}
	g, err := gram.New(t.Context(), kernel.Kernel[kernel.Vec](k), p, gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	psd, err := gram.CheckPSD(g, 1)
	if err != nil || psd.OK {
		t.Fatal("the kernel is to be indefinite", psd, err)
	}
	for name, fit := range allMachines[kernel.Vec]() {
		if linear[name] {
			continue
		}
		m, err := fit(context.Background(), k, fitOptions[int]{}, p, code, y)
		// a kernel is a weight there: it is refused where it is negative
		if strings.HasPrefix(name, "nw") || strings.HasPrefix(name, "normalised") {
			if err == nil || !strings.Contains(err.Error(), "not negative") {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if slices.ContainsFunc(anyKernel, func(n string) bool { return strings.Contains(name, n) }) {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			var bad *gram.NotPSD
			if !errors.As(err, &bad) || math.Abs(bad.Min-psd.Min) > 1e-6 {
				t.Errorf("%s: error %v, smallest eigenvalue %g", name, err, psd.Min)
			}
			continue
		}
		if !slices.ContainsFunc(m.Report().Warnings, func(w string) bool {
			return strings.Contains(w, "smallest eigenvalue") && strings.Contains(w, gram.RepairWords)
		}) {
			t.Errorf("%s: warnings %q", name, m.Report().Warnings)
		}
	}
}

// TestRepairedLearners: a model of a repaired kernel, written with the kernel itself, has the
// values of Σ αᵢk'(xᵢ, x) + b at training points and at new ones, through Repair and CrossTo.
func TestRepairedLearners(t *testing.T) {
	ctx := context.Background()
	x, code := learntest.Blobs(40, 2, 3, 1, 74)
	query, _ := learntest.Blobs(15, 2, 3, 1, 75)
	y := make([]float64, 40)
	for i := range y {
		y[i] = x.At(i, 0)*x.At(i, 1) + float64(code[i])
	}
	var k kernel.Kernel[kernel.Vec] = kernel.Sigmoid{Gamma: 0.5, Offset: -1}
	g, err := gram.New[kernel.Vec](ctx, k, data.Rows(x), gram.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range Learners() {
		for _, how := range []gram.How{gram.Clip, gram.Flip, gram.Shift} {
			repaired, err := gram.Repair(g, how, 1)
			if err != nil {
				t.Fatal(err)
			}
			cross := mat.NewDense(15, 40, nil)
			if err := kernel.Block(ctx, k, cross, data.Points[kernel.Vec](data.Rows(query)),
				data.Points[kernel.Vec](data.Rows(x))); err != nil {
				t.Fatal(err)
			}
			repaired.CrossTo(cross)
			square := mat.NewDense(40, 40, nil)
			repaired.Block(square, 0, 0)
			pre, err := kernel.PrecomputedTest(square, cross)
			if err != nil {
				t.Fatal(err)
			}
			for _, task := range []data.Task{data.Regression, data.Multiclass} {
				if !l.Does(task) {
					continue
				}
				target := y
				if task == data.Multiclass {
					target = make([]float64, 40)
					for i, c := range code {
						target[i] = float64(c)
					}
				}
				params := map[string]float64{}
				for _, q := range l.ParamsFor(task) {
					params[q.Name] = q.Default
				}
				m, err := fitting.Repaired(l, how).Fit(ctx, learn.Settings{Kernel: kernel.Erase(k), Params: params, Tol: 1e-8},
					learn.Problem[kernel.Vec]{Points: data.Rows(x), Task: task, Y: target}.Erase())
				if !l.ByFunc {
					if err == nil || !strings.Contains(err.Error(), l.Name) {
						t.Errorf("%s: error %v", l.Name, err)
					}
					continue
				}
				if err != nil {
					t.Errorf("%s, %v, %v: %v", l.Name, how, task, err)
					continue
				}
				if !slices.ContainsFunc(m.Report().Warnings,
					func(w string) bool { return strings.Contains(w, "repaired by "+how.String()) }) {
					t.Errorf("%s, %v: warnings %q", l.Name, how, m.Report().Warnings)
				}
				byIndex, err := ByName(l.Name) // its points are places in a matrix
				if err != nil {
					t.Fatal(err)
				}
				want, err := byIndex.Fit(ctx, learn.Settings{Kernel: kernel.Erase[int](pre), Params: params, Tol: 1e-8},
					learn.Problem[int]{Points: data.Indices(40), Task: task, Y: target}.Erase())
				if err != nil {
					t.Fatal(l.Name, how, err)
				}
				some := make(data.Slice[int], 15)
				for i := range some {
					some[i] = 40 + i
				}
				a, b := m.Func(), want.Func()
				got, exact := mat.NewDense(15, a.Outputs(), nil), mat.NewDense(15, b.Outputs(), nil)
				if err := a.EvaluateTo(ctx, got, data.Erase[kernel.Vec](data.Rows(query))); err != nil {
					t.Fatal(err)
				}
				if err := b.EvaluateTo(ctx, exact, data.Erase[int](some)); err != nil {
					t.Fatal(err)
				}
				for i, v := range exact.RawMatrix().Data {
					if w := got.RawMatrix().Data[i]; !(math.Abs(v-w) <= 1e-5*(1+math.Abs(v))) {
						t.Errorf("%s, %v, %v: %g at a new point, by the repaired matrix %g", l.Name, how, task, w, v)
						break
					}
				}
			}
		}
	}
}
