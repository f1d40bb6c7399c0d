package density

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/smoothing"
)

// hardPoints are n points of one kind that error bounds get wrong easily.
func hardPoints(kind string, n, d int) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(41, uint64(d)))
	m := linalg.New[float64](n, d)
	for i := range n {
		for j := range m.Row(i) {
			v := rng.NormFloat64()
			switch kind {
			case "tight clusters far apart":
				v = 1e3*float64(i%3-1) + 1e-3*v
			case "duplicates": // five places, most of the points at one of them
				v = float64(max(i%16-11, 0)) / 2
			case "all one point":
				v = 1.5
			case "on a line, one far off":
				v = float64(i) / float64(n)
				if i == n-1 {
					v = 50
				}
			case "broad":
				v *= 3
			case "lattice": // on the edges of boxes and the cuts of the tree
				v = float64(rng.IntN(9)-4) / 4
			}
			m.Row(i)[j] = v
		}
	}
	return m
}

// hardQueries are points of x, points beside and between them, and points outside
// their hull at several bandwidths.
func hardQueries(x linalg.Matrix[float64], h float64) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(42, 43))
	q := linalg.New[float64](48, x.Cols)
	for i := range q.Rows {
		a, b := x.Row(i*x.Rows/q.Rows), x.Row((i*7+1)%x.Rows)
		for j := range q.Row(i) {
			v := a[j]
			switch i % 4 {
			case 1:
				v += h * rng.NormFloat64()
			case 2:
				v = (a[j] + b[j]) / 2
			case 3: // beyond the far corner
				for r := range x.Rows {
					v = max(v, x.At(r, j))
				}
				v += h * float64(i) / 8
			}
			q.Row(i)[j] = v
		}
	}
	return q
}

// The promise |computed - p(x)| ≤ RelTol·p(x) + AbsTol holds against the double
// loop where bounds are under stress. Rounding of the distances alone is allowed
// for: coordinates divided by the bandwidth carry a relative 2⁻⁵², and an error of u
// becomes u times as large a relative one of e^{-u²/2}, with u < 40 where that is not 0.
func TestKDEToleranceOnHardPoints(t *testing.T) {
	ctx := context.Background()
	// More points than the tree sums before it starts to settle nodes by bounds.
	dims, n := []int{1, 2, 3}, 4*smoothing.StartSize
	if testing.Short() {
		dims, n = []int{1, 2}, 3*smoothing.StartSize
	}
	type method struct {
		name string
		m    Method
	}
	turn := 0
	methods := []method{{"tree", Tree}, {"fast Gauss", FastGauss}, {"fused", Brute}, {"auto", Auto}, {"binned", Binned}}
	for _, kind := range []string{"tight clusters far apart", "duplicates", "all one point", "on a line, one far off",
		"lattice", "broad"} {
		for _, d := range dims {
			x := hardPoints(kind, n, d)
			largest := 0.0
			for _, v := range x.Data {
				largest = max(largest, math.Abs(v))
			}
			for _, h := range []float64{1e-6, 1e-3, 0.25, 30, 1e5} {
				q := hardQueries(x, h)
				var want []float64
				for _, tol := range []KDE{{}, {RelTol: 1e-2}, {RelTol: 1e-7}, {AbsTol: 1e-4}, {RelTol: 1e-3, AbsTol: 1e-9}} {
					for _, me := range methods {
						if me.m == Binned && (d > 1 || testing.Short() && tol.RelTol == 1e-7) { // -short: no grids of a million steps
							continue
						}
						// Brute force sums everything whatever the tolerance, and Auto is the tree
						// here.
						if (me.m == Brute || me.m == Auto) && (tol.RelTol != 0 || tol.AbsTol != 0) {
							continue
						}
						if turn++; testing.Short() && turn%5 > 0 {
							continue // a fifth of them, other ones for each kind of points
						}
						c := tol
						c.Bandwidth, c.Method = h, me.m
						m, err := c.Fit(ctx, data.RowsOf(x))
						if err != nil {
							t.Fatal(err)
						}
						if want == nil {
							for i := range q.Rows {
								want = append(want, plainDensity(c, m, q.Row(i)))
							}
						}
						got, err := m.Density(ctx, data.RowsOf(q))
						if err != nil {
							t.Fatal(err)
						}
						rounding := 1e-12 + 40*0x1p-52*math.Sqrt(float64(d))*(largest+6*h)/h
						for i, v := range got {
							slack := (c.RelTol+rounding)*want[i] + c.AbsTol
							if me.m == FastGauss { // sums of up to 24 terms a column, of size Σ wᵢe^{-u²/4} ≤ √(Σwᵢ·Σwᵢe^{-u²/2})
								slack += 24 * float64(d) * 0x1p-52 * math.Sqrt(want[i]*math.Pow(h*math.Sqrt(2*math.Pi), -float64(d)))
							}
							if !(math.Abs(v-want[i]) <= slack) && want[i] > 1e-290 || want[i] <= 1e-290 && !(v <= 1e-280+c.AbsTol) {
								t.Errorf("%s, %s: query %d is %g, exactly %g", me.name,
									fmt.Sprintf("%s d=%d h=%g rtol %g atol %g", kind, d, h, c.RelTol, c.AbsTol), i, v, want[i])
								break
							}
						}
					}
				}
			}
		}
	}
}
