package rbf

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// A network at given centres is the penalised least squares problem on their kernel values, here by
// its normal equations; it has those centres and no others.
func TestNetworkAtGivenCentres(t *testing.T) {
	x, y := learntest.NoisySinc(40, 10, 0.1, 3)
	centers := data.Slice[kernel.Vec]{{-8}, {-3}, {0}, {2.5}, {7}, {100}}
	k, lambda := kernel.Gaussian{Lengthscale: 2}, 0.01
	m, err := Network[kernel.Vec]{Kernel: k, Given: centers,
		Options: Options{Lambda: lambda, Tol: 1e-12}}.Fit(learntest.Ctx, data.Rows(x), y)
	if err != nil {
		t.Fatal(err)
	}
	if m.Func().Centers.Len() != len(centers) || m.Func().Centers.At(4)[0] != 7 || m.CenterRows() != nil {
		t.Fatalf("%d centres, rows %v", m.Func().Centers.Len(), m.CenterRows())
	}
	p := len(centers) + 1
	a, b := mat.NewSymDense(p, nil), mat.NewVecDense(p, nil)
	for i := range y {
		phi := []float64{1}
		for _, c := range centers {
			phi = append(phi, k.Eval(c, x.RawRowView(i)))
		}
		for r := range p {
			b.SetVec(r, b.AtVec(r)+phi[r]*y[i])
			for c := range r + 1 {
				a.SetSym(r, c, a.At(r, c)+phi[r]*phi[c])
			}
		}
	}
	for r := 1; r < p; r++ {
		a.SetSym(r, r, a.At(r, r)+lambda)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		t.Fatal("the normal equations are singular")
	}
	var beta mat.VecDense
	if err := chol.SolveVecTo(&beta, b); err != nil {
		t.Fatal(err)
	}
	learntest.Near(t, "bias", m.Func().Bias[0], beta.AtVec(0), 1e-6)
	for j := range centers {
		learntest.Near(t, "coefficient", m.Func().Coef.At(j, 0), beta.AtVec(j+1), 1e-6)
	}
	label := make([]int, len(y))
	for i, v := range y {
		if v > 0.2 {
			label[i] = 1
		}
	}
	c, err := Classification[kernel.Vec, int]{Kernel: k, Given: centers}.Fit(learntest.Ctx, data.Rows(x), label)
	if err != nil || c.Func().Centers.Len() != len(centers) {
		t.Fatalf("classes: %v", err)
	}
}

// The entry of the table takes centres, and says what is wrong with them.
func TestGivenCentresByTheTable(t *testing.T) {
	x, y := learntest.NoisySinc(30, 10, 0.1, 3)
	l := Learners()[0]
	at := l.At(data.Erase[kernel.Vec](data.Slice[kernel.Vec]{{-5}, {0}, {5}}))
	m, err := at.Fit(learntest.Ctx, learn.Settings{Kernel: kernel.Erase[kernel.Vec](kernel.Gaussian{Lengthscale: 3}),
		Params: map[string]float64{"lambda": 1e-3}}, learn.Regress[kernel.Vec](data.Rows(x), y).Erase())
	if err != nil || m.Func().Centers.Len() != 3 {
		t.Fatalf("%v", err)
	}
	if len(modeltest.Predict(t, m.(learn.Regressor[any]), data.Erase[kernel.Vec](data.Rows(x)))) != 30 {
		t.Error("no predictions")
	}
	for name, bad := range map[string]data.Slice[kernel.Vec]{"none": {}, "NaN": {{math.NaN()}},
		"two coordinates": {{1, 2}}} {
		if _, err := (Network[kernel.Vec]{Kernel: kernel.Gaussian{}, Given: bad}).Fit(learntest.Ctx, data.Rows(x),
			y); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
