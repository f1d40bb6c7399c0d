package fisher

import (
	"context"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/internal/modeltest"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// TestFisherIsLDAOnFeatures computes S + μI and the class means of the linear
// kernel's features explicitly.
func TestFisherIsLDAOnFeatures(t *testing.T) {
	for _, classes := range []int{2, 3, 4} {
		x, y := learntest.Blobs(90, 3, classes, 1.2, 31)
		m, err := Discriminant[kernel.Vec, int]{Kernel: kernel.Linear{}, Mu: 0.05}.Fit(context.Background(), data.Rows(x), y)
		if err != nil {
			t.Fatal(err)
		}
		mean, count := mat.NewDense(classes, 3, nil), make([]float64, classes)
		for i, c := range y {
			count[c]++
			for j := range 3 {
				mean.Set(c, j, mean.At(c, j)+x.At(i, j))
			}
		}
		for c := range classes {
			for j := range 3 {
				mean.Set(c, j, mean.At(c, j)/count[c])
			}
		}
		s := mat.NewDense(3, 3, nil)
		for i, c := range y {
			for a := range 3 {
				for b := range 3 {
					s.Set(a, b, s.At(a, b)+(x.At(i, a)-mean.At(c, a))*(x.At(i, b)-mean.At(c, b))/90)
				}
			}
		}
		for a := range 3 {
			s.Set(a, a, s.At(a, a)+0.05)
		}
		var w mat.Dense // 3 × classes
		if err := w.Solve(s, mean.T()); err != nil {
			t.Fatal(err)
		}
		score := func(i, c int) float64 {
			v := math.Log(count[c] / 90)
			for j := range 3 {
				v += w.At(j, c) * (x.At(i, j) - mean.At(c, j)/2)
			}
			return v
		}
		d := modeltest.Decision(t, m, data.Rows(x))
		for i := range y {
			for o := range d.RawRowView(i) {
				want := score(i, o)
				if classes == 2 {
					want = score(i, 1) - score(i, 0)
				}
				if got := d.At(i, o); math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
					t.Fatalf("%d classes: score %d of point %d is %g, want %g", classes, o, i, got, want)
				}
			}
		}
		// Along each discriminant the regularised within-class variance is 1 and
		// the ratio is what Ratios says.
		z, _ := m.Discriminants().Evaluate(context.Background(), data.Rows(x))
		for o, ratio := range m.Ratios() {
			if o >= 3 {
				break
			}
			dir := make([]float64, 3)
			norm := m.Discriminants()
			for a := range norm.Centers.Len() {
				for j := range 3 {
					dir[j] += norm.Coef.At(a, o) * norm.Centers.At(a)[j]
				}
			}
			within, between, all := 0.05*(dir[0]*dir[0]+dir[1]*dir[1]+dir[2]*dir[2]), 0.0, 0.0
			sum := make([]float64, classes)
			for i, c := range y {
				sum[c] += z.At(i, o) / count[c]
				all += z.At(i, o) / 90
			}
			for i, c := range y {
				within += (z.At(i, o) - sum[c]) * (z.At(i, o) - sum[c]) / 90
			}
			for c := range classes {
				between += count[c] / 90 * (sum[c] - all) * (sum[c] - all)
			}
			if math.Abs(within-1) > 1e-6 || math.Abs(between-ratio) > 1e-6*(1+ratio) {
				t.Errorf("%d classes, discriminant %d: within %g, between %g, ratio %g", classes, o, within, between, ratio)
			}
		}
	}
}
