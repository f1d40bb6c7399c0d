package learn

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestVectorMachinesOfScikitLearn: L1VM, L2VM and RBF networks are linear models on kernel columns; the numbers are
// scikit-learn 1.9's, by bench/fixtures/vector_machines_sklearn.py. Its ℓ1 solvers stop at an objective of their own; ours may be
// below it, not above.
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
	o := VectorMachineOptions{Lambda: p.Lambda, Tol: 1e-12}

	l1 := must[*ExpansionRegressor[kernel.Vec]](t)(L1VM[kernel.Vec]{Kernel: k, VectorMachineOptions: o}.Fit(ctx0, x, p.Y))
	allNear(t, "lasso", l1.Predict(nil, x), p.Lasso.Fit, 1e-4)
	if v := l1.Report().Objective; v > p.Lasso.Value*(1+1e-9) || v < p.Lasso.Value*(1-1e-4) {
		t.Errorf("lasso: objective %.12g, scikit-learn's %.12g", v, p.Lasso.Value)
	}
	l2 := must[*ExpansionRegressor[kernel.Vec]](t)(L2VM[kernel.Vec]{Kernel: k, VectorMachineOptions: o}.Fit(ctx0, x, p.Y))
	allNear(t, "ridge on columns", l2.Predict(nil, x), p.Ridge.Fit, 1e-7)
	lr := must[*VectorMachineModel[kernel.Vec, int]](t)(L2VMClassifier[kernel.Vec, int]{Kernel: k, VectorMachineOptions: o}.Fit(ctx0, x, p.Label))
	allNear(t, "logistic on columns", lr.Decision(nil, x).RawMatrix().Data, p.Logistic.Fit, 1e-5)
	o.NoIntercept = true
	ls := must[*VectorMachineModel[kernel.Vec, int]](t)(L1VMClassifier[kernel.Vec, int]{Kernel: k, VectorMachineOptions: o}.Fit(ctx0, x, p.Label))
	allNear(t, "l1 logistic", ls.Decision(nil, x).RawMatrix().Data, p.L1.Fit, 1e-3)
	if v := ls.Report().Objective; v > p.L1.Value*(1+1e-9) || v < p.L1.Value*(1-1e-4) {
		t.Errorf("l1 logistic: objective %.12g, scikit-learn's %.12g", v, p.L1.Value)
	}

	s := must[*SplineModel](t)(SmoothingSpline{Lambda: p.Spline.Lambda}.Fit(ctx0, p.X, p.Y))
	allNear(t, "smoothing spline of scipy", s.Predict(nil, p.Spline.At), p.Spline.Value, 1e-7)

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
	// R integrates the squares of second derivatives with 0.333 for ⅓ (src/library/stats/src/sgram.f): a penalty up to 1e-3 off.
	allNear(t, "smooth.spline of R", s.Predict(nil, p.X), spline, 1e-4)
	g := must[*GPModel[kernel.Vec]](t)(GP[kernel.Vec]{Kernel: k, Noise: 0.05, FixedNoise: true, HyperOptions: HyperOptions{FixedKernel: true}}.Fit(ctx0, x, p.Y))
	allNear(t, "gausspr of kernlab", g.Predict(nil, x), process, 1e-9)

	// The network on given centres: the centres of an RBF network are chosen, so the columns are given to the solver below it.
	q := &ridgeGLM{columns: basisOf(k, x, p.RBF.Centres), target: p.Y, weight: ones(len(p.Y)), intercept: true, lambda: p.Lambda}
	r, err := q.solve(ctx0, 1e-14, 50)
	if err != nil {
		t.Fatal(err)
	}
	allNear(t, "rbf network", append(r.beta, r.bias), append(p.RBF.Coef, p.RBF.Intercept), 1e-7)
	if math.IsNaN(r.gap) {
		t.Error("no certificate")
	}
}

func ones(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1
	}
	return v
}

// basisOf is the columns k(cⱼ, ·), a row for each centre.
func basisOf(k kernel.Kernel[kernel.Vec], x data.Points[kernel.Vec], centres []int) linalg.Matrix[float64] {
	m := linalg.New[float64](len(centres), x.Len())
	kernel.Fill(1, m, kernel.Prepare(k, data.Gather(x, centres), x))
	return m
}
