package all

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/sparse"
	"gonum.org/v1/gonum/mat"
)

// TestVectorMachinesOfScikitLearn: L1VM, L2VM and RBF networks are linear models on kernel columns;
// the numbers are scikit-learn 1.9's, by bench/fixtures/vector_machines_sklearn.py. Its ℓ1 solvers
// stop at an objective of their own; ours may be below it, not above.
func TestVectorMachinesOfScikitLearn(t *testing.T) {
	type fitted struct {
		Fit   []float64
		Value float64
	}
	var p struct {
		X, Y          []float64
		Label         []int
		Width, Lambda float64
		Lasso         fitted
		Ridge         fitted
		Logistic      fitted
		L1            fitted `json:"l1_logistic"`
		RBF           struct {
			Centres   []int
			Coef      []float64
			Intercept float64
		}
		Spline struct {
			Lambda    float64
			At, Value []float64
		}
	}
	b, err := os.ReadFile("testdata/vector_machines_sklearn.json")
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	if err != nil {
		t.Fatal(err)
	}
	x := data.Rows(mat.NewDense(len(p.X), 1, p.X))
	k := kernel.Gaussian{Lengthscale: p.Width}
	o := sparse.Options{Lambda: p.Lambda, Tol: 1e-12}

	l1 := modeltest.Must(sparse.L1VM[kernel.Vec]{Kernel: k, Options: o}.Fit(learntest.Ctx, x, p.Y))(t)
	learntest.AllNear(t, "lasso", modeltest.Predict(t, l1, x), p.Lasso.Fit, 1e-4)
	if v := l1.Report().Objective; v > p.Lasso.Value*(1+1e-9) || v < p.Lasso.Value*(1-1e-4) {
		t.Errorf("lasso: objective %.12g, scikit-learn's %.12g", v, p.Lasso.Value)
	}
	l2 := modeltest.Must(sparse.L2VM[kernel.Vec]{Kernel: k, Options: o}.Fit(learntest.Ctx, x, p.Y))(t)
	learntest.AllNear(t, "ridge on columns", modeltest.Predict(t, l2, x), p.Ridge.Fit, 1e-7)
	lr := modeltest.Must(sparse.L2VMClassification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(learntest.Ctx, x,
		p.Label))(t)
	learntest.AllNear(t, "logistic on columns", modeltest.Decision(t, lr, x).RawMatrix().Data, p.Logistic.Fit, 1e-5)
	o.NoIntercept = true
	ls := modeltest.Must(sparse.L1VMClassification[kernel.Vec, int]{Kernel: k, Options: o}.Fit(learntest.Ctx, x,
		p.Label))(t)
	learntest.AllNear(t, "l1 logistic", modeltest.Decision(t, ls, x).RawMatrix().Data, p.L1.Fit, 1e-3)
	if v := ls.Report().Objective; v > p.L1.Value*(1+1e-9) || v < p.L1.Value*(1-1e-4) {
		t.Errorf("l1 logistic: objective %.12g, scikit-learn's %.12g", v, p.L1.Value)
	}

	s := modeltest.Must(ridge.Spline{Lambda: p.Spline.Lambda}.Fit(learntest.Ctx, data.Line(p.X), p.Y))(t)
	learntest.AllNear(t, "smoothing spline of scipy", modeltest.Predict(t, s, data.Line(p.Spline.At)), p.Spline.Value,
		1e-7)

	f, err := os.Open("testdata/spline_kernlab.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var spline, process []float64
	for _, r := range rows[1:] {
		a, errA := strconv.ParseFloat(strings.TrimSpace(r[0]), 64)
		b, errB := strconv.ParseFloat(strings.TrimSpace(r[1]), 64)
		if errA != nil || errB != nil {
			t.Fatal(r)
		}
		spline, process = append(spline, a), append(process, b)
	}
	// R integrates the squares of second derivatives with 0.333 for ⅓
	// (src/library/stats/src/sgram.f): a penalty up to 1e-3 off.
	learntest.AllNear(t, "smooth.spline of R", modeltest.Predict(t, s, data.Line(p.X)), spline, 1e-4)
	g := modeltest.Must(gp.Regression[kernel.Vec]{Kernel: k, Noise: 0.05, FixedNoise: true,
		HyperOptions: gp.HyperOptions{FixedKernel: true}}.Fit(learntest.Ctx, x, p.Y))(t)
	learntest.AllNear(t, "gausspr of kernlab", modeltest.Predict(t, g, x), process, 1e-9)

	// The network on given centres: the centres of an RBF network are chosen, so the columns are
	// given to the solver below it.
	q := &fitting.RidgeGLM{Columns: learntest.Basis(k, x, p.RBF.Centres), Target: p.Y, Weight: learntest.Ones(len(p.Y)),
		Intercept: true, Lambda: p.Lambda}
	r, err := q.Solve(learntest.Ctx, 1e-14, 50)
	if err != nil {
		t.Fatal(err)
	}
	learntest.AllNear(t, "rbf network", append(r.Beta, r.Bias), append(p.RBF.Coef, p.RBF.Intercept), 1e-7)
	if math.IsNaN(r.Gap) {
		t.Error("no certificate")
	}
}
