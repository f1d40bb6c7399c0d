package tune

import (
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// At most a share ν of the fitted rows lies outside (Schölkopf et al. 2001, proposition 3): those
// on the border, which rounding has on either side, are not counted.
func TestNoveltyShareIsAtMostNu(t *testing.T) {
	for _, n := range []int{20, 37, 60, 88, 150} {
		rng := rand.New(rand.NewPCG(uint64(n), 1))
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		d := &data.Dataset{Name: "cloud", Columns: []data.Column{data.NumberColumn("a", a), data.NumberColumn("b", b)}}
		for _, nu := range []float64{0.05, 0.1, 0.33} {
			r, err := Novelty(t.Context(), d, NoveltyOptions{Nu: nu, Holdout: -1})
			if err != nil {
				t.Fatal(err)
			}
			if r.Fitted > nu || float64(r.Support) < nu*float64(n) {
				t.Errorf("%d rows, ν = %g: %.4f lie outside, %d are support vectors", n, nu, r.Fitted, r.Support)
			}
		}
	}
}
