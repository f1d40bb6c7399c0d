package neighbours

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

func localPoints(n, d int) (data.DenseRows, []float64) {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(d)))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
			y[i] += math.Sin(x.At(i, j) + float64(j))
		}
	}
	return data.Rows(x), y
}

// The oracle is the weighted least squares problem of each point, written out and solved by QR.
func TestLocalAgainstLeastSquares(t *testing.T) {
	k := kernel.Gaussian{Lengthscale: 0.9}
	for _, c := range []struct{ d, degree int }{{1, 0}, {1, 1}, {1, 2}, {3, 1}, {3, 2}} {
		x, y := localPoints(60, c.d)
		weights := make([]float64, 60)
		for i := range weights {
			weights[i] = []float64{1, 2, 0, 0.5}[i%4]
		}
		m := modeltest.Must(Local{Kernel: k, Degree: c.degree, Weights: weights}.Fit(learntest.Ctx, x, y))(t)
		fresh, _ := localPoints(15, c.d)
		got := modeltest.Predict(t, m, fresh)
		equivalent := modeltest.Must(m.EquivalentWeights(learntest.Ctx, fresh))(t)
		for q := range fresh.Len() {
			at := fresh.At(q)
			a, b := mat.NewDense(60, 1+termsOf(c.d, c.degree), nil), mat.NewVecDense(60, nil)
			for i := range 60 {
				root := math.Sqrt(weights[i] * k.Eval(x.At(i), at))
				row := []float64{1}
				if c.degree > 0 {
					for j := range c.d {
						row = append(row, x.At(i)[j]-at[j])
					}
				}
				if c.degree > 1 {
					for j := range c.d {
						for l := range j + 1 {
							row = append(row, row[1+j]*row[1+l])
						}
					}
				}
				for j, v := range row {
					a.Set(i, j, root*v)
				}
				b.SetVec(i, root*y[i])
			}
			var beta mat.VecDense
			if err := beta.SolveVec(a, b); err != nil {
				t.Fatal(err)
			}
			learntest.Near(t, "value", got[q], beta.AtVec(0), 1e-6)
			sum, dot := 0.0, 0.0
			for i, l := range equivalent.RawRowView(q) {
				sum, dot = sum+l, dot+l*y[i]
			}
			learntest.Near(t, "sum of the equivalent weights", sum, 1, 1e-9)
			learntest.Near(t, "their mean of the targets", dot, got[q], 1e-9)
		}
	}
}

// Lines and parabolas are what they are, however far apart the points and wherever they lie; a
// degree of 0 is kernel regression.
func TestLocalReproducesPolynomials(t *testing.T) {
	x, _ := localPoints(50, 2)
	line, parabola := make([]float64, 50), make([]float64, 50)
	for i := range line {
		a, b := x.At(i)[0], x.At(i)[1]
		line[i], parabola[i] = 3+2*a-b, 1+a*b-2*b*b+a
	}
	fresh, _ := localPoints(9, 2)
	k := kernel.Gaussian{Lengthscale: 1}
	l := modeltest.Must(Local{Kernel: k, Degree: 1}.Fit(learntest.Ctx, x, line))(t)
	p := modeltest.Must(Local{Kernel: k, Degree: 2}.Fit(learntest.Ctx, x, parabola))(t)
	for i, v := range modeltest.Predict(t, l, fresh) {
		learntest.Near(t, "line", v, 3+2*fresh.At(i)[0]-fresh.At(i)[1], 1e-7)
	}
	for i, v := range modeltest.Predict(t, p, fresh) {
		a, b := fresh.At(i)[0], fresh.At(i)[1]
		learntest.Near(t, "parabola", v, 1+a*b-2*b*b+a, 1e-6)
	}
	flat := modeltest.Must(Local{Kernel: k}.Fit(learntest.Ctx, x, line))(t)
	mean := modeltest.Must(KernelMean[kernel.Vec]{Kernel: k}.Fit(learntest.Ctx, x, line))(t)
	learntest.AllNear(t, "degree 0", modeltest.Predict(t, flat, fresh), modeltest.Predict(t, mean, fresh), 1e-12)
}

// One point, points that are all the same, a constant column, fewer points than columns, and a
// place where nothing is near have a level.
func TestLocalDegenerate(t *testing.T) {
	for name, x := range map[string]data.Slice[kernel.Vec]{
		"one point":          {{1, 2}},
		"duplicates":         {{1, 2}, {1, 2}, {1, 2}},
		"a constant column":  {{0, 7}, {1, 7}, {2, 7}, {3, 7}},
		"fewer than columns": {{1, 2, 3, 4}, {2, 3, 4, 6}},
	} {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = 5
		}
		for degree := range 3 {
			m := modeltest.Must(Local{Kernel: kernel.Gaussian{}, Degree: degree}.Fit(learntest.Ctx, x, y))(t)
			for _, v := range modeltest.Predict(t, m, x) {
				learntest.Near(t, name, v, 5, 1e-9)
			}
		}
	}
	x, y := localPoints(20, 1)
	m := modeltest.Must(Local{Kernel: kernel.Wendland{Lengthscale: 0.5, Dim: 1}, Degree: 1}.Fit(learntest.Ctx, x, y))(t)
	learntest.Near(t, "far away", modeltest.Predict(t, m, data.Slice[kernel.Vec]{{100}})[0], learn.Mean(y, nil), 1e-12)
	for _, bad := range []Local{{Kernel: kernel.Gaussian{}, Degree: 3}, {Kernel: kernel.Linear{}, Degree: 1}, {}} {
		if _, err := bad.Fit(learntest.Ctx, x, y); err == nil {
			t.Errorf("%+v was fitted", bad)
		}
	}
	wide, values := localPoints(5, 40)
	if _, err := (Local{Kernel: kernel.Gaussian{}, Degree: 2}).Fit(learntest.Ctx, wide, values); err == nil {
		t.Error("820 slopes")
	}
}
