package kernel

import (
	"math"
	"testing"
)

// The sum of cosines is Dirichlet's kernel, Σ_{l=1}^L cos(lt) = sin((L+½)t)/(2·sin(t/2)) - ½, in
// each coordinate; and it has its period.
func TestSinusoidsAreDirichlet(t *testing.T) {
	for _, degree := range []int{0, 1, 2, 7} {
		for _, period := range []float64{0, 1, 24} {
			k := Sinusoids{degree, period}
			w := 2 * math.Pi / k.period()
			for _, at := range [][2]Vec{{{0.3}, {1.7}}, {{-2, 5}, {0.27, 4.3}}, {{10.35, 0, 3}, {-7, 0.45, 2.9}}} {
				x, y := at[0], at[1]
				want := 0.0
				for i := range x {
					u := w * (x[i] - y[i])
					want += math.Sin((float64(k.degree())+0.5)*u)/(2*math.Sin(u/2)) - 0.5
				}
				if got := k.Eval(x, y); math.Abs(got-want) > 1e-11*float64(k.degree()) {
					t.Errorf("%+v between %v and %v: %g, want %g", k, x, y, got, want)
				}
				far := append(Vec(nil), y...)
				far[0] += 3 * k.period()
				if got := k.Eval(x, far); math.Abs(got-want) > 1e-11*float64(k.degree()) {
					t.Errorf("%+v three periods on: %g, want %g", k, got, want)
				}
			}
		}
	}
}

func TestSinusoidsRefuse(t *testing.T) {
	for _, k := range []Sinusoids{{Degree: -1}, {Period: -2}, {Period: math.NaN()}, {Period: math.Inf(1)}} {
		if k.Validate() == nil {
			t.Errorf("%+v was not refused", k)
		}
	}
}
