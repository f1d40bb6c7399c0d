package gallery

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/sparse"
	"gonum.org/v1/gonum/mat"
)

// kept counts the points that a fitted machine is made of.
func kept(t *testing.T, m learn.Model[kernel.Vec], err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	count, coef := 0, m.Func().Coef
	rows, _ := coef.Dims()
	for i := range rows {
		if coef.At(i, 0) != 0 {
			count++
		}
	}
	return count
}

// In the plane the L2 machine keeps all points, the relevance vector machine fewest.
func TestMachines(t *testing.T) {
	d := data.Moons(100, 0.2, 2)
	x, class := mat.NewDense(100, 2, nil), make([]int, 100)
	for i := range class {
		x.SetRow(i, []float64{d.Columns[0].Numbers[i], d.Columns[1].Numbers[i]})
		class[i] = int(d.Columns[2].Codes[i])
	}
	k, rows := kernel.Gaussian{Lengthscale: 0.3}, data.Rows(x)
	m2, err := sparse.L2VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 5}}.Fit(t.Context(),
		rows, class)
	l2 := kept(t, m2, err)
	m1, err := sparse.L1VMClassification[kernel.Vec, int]{Kernel: k, Options: sparse.Options{Lambda: 1}}.Fit(t.Context(),
		rows, class)
	l1 := kept(t, m1, err)
	mr, err := sparse.RVMClassification[kernel.Vec, int]{Kernel: k}.Fit(t.Context(), rows, class)
	if rvm := kept(t, mr, err); l2 != 100 || l1 != 15 || rvm != 9 {
		t.Errorf("%d, %d and %d points kept", l2, l1, rvm)
	}
}

// On the sinc the L1 and the relevance vector machine keep about as many, and the L1 machine is the
// flatter one.
func TestMachinesOnSinc(t *testing.T) {
	d := data.Sinc(100, 0.1, 1)
	k, x, y := kernel.Gaussian{Lengthscale: 0.3}, data.Line(d.Columns[0].Numbers), d.Columns[1].Numbers
	m1, err := sparse.L1VM[kernel.Vec]{Kernel: k, Options: sparse.Options{Lambda: 0.5}}.Fit(t.Context(), x, y)
	l1 := kept(t, m1, err)
	mr, err := sparse.RVM[kernel.Vec]{Kernel: k}.Fit(t.Context(), x, y)
	if rvm := kept(t, mr, err); l1 != 9 || rvm != 10 {
		t.Errorf("%d and %d points kept", l1, rvm)
	}
	if flat, wave := m1.Func().At(kernel.Vec{2.5})[0], mr.Func().At(kernel.Vec{2.5})[0]; flat > 0.5*wave {
		t.Errorf("on the second wave %.3f by the L1 machine, %.3f by the relevance vector machine", flat, wave)
	}
}
