package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// farPoints are points of multiples of 2⁻²⁰ around 0, and the same points at an offset where all of
// them are numbers, too.
func farPoints(n, d int, offset float64, seed uint64) (at, moved data.Slice[Vec]) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for range n {
		x, y := make(Vec, d), make(Vec, d)
		for j := range x {
			x[j] = math.Round(rng.NormFloat64()*(1<<20)) / (1 << 20)
			y[j] = x[j] + offset*float64(j+1)
		}
		at, moved = append(at, x), append(moved, y)
	}
	return at, moved
}

func blockOf(t *testing.T, k Kernel[Vec], x, y data.Slice[Vec]) *mat.Dense {
	t.Helper()
	out := mat.NewDense(len(x), len(y), nil)
	if err := Block[Vec](t.Context(), k, out, x, y); err != nil {
		t.Fatal(err)
	}
	return out
}

// A kernel of x-y after a linear map has the value of the difference that is taken first, wherever
// the points lie: by pairs, by tiles, on a base, and its derivatives too.
func TestLinearMapsFarFromTheOrigin(t *testing.T) {
	const n, d = 9, 3
	sigma := mat.NewSymDense(d, []float64{2, 1.9, 0.3, 1.9, 2, 0.4, 0.3, 0.4, 0.7})
	maha, err := NewMahalanobis(Gaussian{Lengthscale: 1.3}, sigma)
	if err != nil {
		t.Fatal(err)
	}
	ard := ARD{Kernel: Gaussian{}, Lengthscales: []float64{0.7, 1.3, 3.1}}
	inArd, err := NewMahalanobis(ard, sigma)
	if err != nil {
		t.Fatal(err)
	}
	at, moved := farPoints(n, d, 1<<30, 5)
	zero := make(Vec, d)
	for name, k := range map[string]Kernel[Vec]{
		"mahalanobis": maha, "ard": ard, "ard in mahalanobis": inArd,
		"matern": ARD{Kernel: Matern{Nu: 1.5}, Lengthscales: []float64{0.7, 1.3, 3.1}},
		"two":    Sum[Vec](maha, Scale[Vec](0.5, ard)),
	} {
		// The oracle: the difference first, which is exact.
		want := func(i, j int) float64 {
			diff := make(Vec, d)
			for a := range diff {
				diff[a] = moved[i][a] - moved[j][a]
			}
			return k.Eval(diff, zero)
		}
		gram := blockOf(t, k, moved, moved)
		base := NewBase(k, data.Points[Vec](moved))
		params := make([]float64, len(Params(k)))
		atParams := make([]float64, len(Params(k)))
		for i := range n {
			row := blockOf(t, k, moved[i:i+1], moved[1:])
			one := make([]float64, n)
			if err := base.Row(t.Context(), one, moved[i]); err != nil {
				t.Fatal(err)
			}
			for j := range n {
				for what, got := range map[string]float64{"pair": k.Eval(moved[i], moved[j]), "tile": gram.At(i, j),
					"row of a base": one[j]} {
					if w := want(i, j); math.Abs(got-w) > 1e-13 {
						t.Errorf("%s: %s of %d, %d is %.17g, by differences %.17g", name, what, i, j, got, w)
					}
				}
				if j > 0 && math.Abs(row.At(0, j-1)-want(i, j)) > 1e-13 {
					t.Errorf("%s: a row of others at %d, %d is %.17g, want %.17g", name, i, j, row.At(0, j-1), want(i, j))
				}
				pairGrad(OnVectors(k), moved[i], moved[j], params)
				pairGrad(OnVectors(k), at[i], at[j], atParams)
				for p := range params {
					if math.Abs(params[p]-atParams[p]) > 1e-12 {
						t.Errorf("%s: derivative %d of %d, %d is %.17g, near the origin %.17g", name, p, i, j, params[p], atParams[p])
					}
				}
			}
		}
		w := mat.NewDense(n, n, nil)
		for i := range n {
			for j := range n {
				w.Set(i, j, math.Sin(float64(i*n+j)))
			}
		}
		far, near := make([]float64, len(params)), make([]float64, len(params))
		if err := ParamGradDot(t.Context(), k, far, nil, w, moved, moved); err != nil {
			t.Fatal(err)
		}
		if err := ParamGradDot(t.Context(), k, near, nil, w, at, at); err != nil {
			t.Fatal(err)
		}
		for p := range far {
			if math.Abs(far[p]-near[p]) > 1e-12*(1+math.Abs(near[p])) {
				t.Errorf("%s: summed derivative %d is %.17g, near the origin %.17g", name, p, far[p], near[p])
			}
		}
	}
}

// Points near the origin, and kernels that see where it is, keep their bits.
func TestPointsThatAreNotMoved(t *testing.T) {
	at, moved := farPoints(6, 2, 1<<20, 7)
	for _, c := range []struct {
		k Kernel[Vec]
		x data.Slice[Vec]
	}{
		{ARD{Kernel: Gaussian{}, Lengthscales: []float64{0.7, 1.3}}, at},
		{ARD{Kernel: Linear{}, Lengthscales: []float64{0.7, 1.3}}, moved},
		{ARD{Kernel: Polynomial{Degree: 2, Offset: 1}, Lengthscales: []float64{0.7, 1.3}}, moved},
	} {
		e := c.k.(embedded).embedding()
		if o := e.origin(c.x); o != nil {
			t.Errorf("%v: moved by %v", c.k, o)
		}
		for i := range c.x {
			for j := range c.x {
				if got, want := c.k.Eval(c.x[i], c.x[j]), e.inner.Eval(e.image(c.x[i]), e.image(c.x[j])); got != want {
					t.Errorf("%v: %g, want %g", c.k, got, want)
				}
			}
		}
	}
}

// Where points lie in groups that are far apart no place is near all of them, and a map that is
// taken of each point once rounds it there: a matrix then has the values of points that were moved
// by no more than a unit in their last place each. A pair by itself has the value of its differences.
func TestGroupsFarApart(t *testing.T) {
	lengths := []float64{0.7, 1.3, 2.1}
	k := ARD{Kernel: Gaussian{Lengthscale: 1}, Lengthscales: lengths}
	rng := rand.New(rand.NewPCG(3, 9))
	x := make(data.Slice[Vec], 12)
	for i := range x {
		x[i] = Vec{rng.NormFloat64() + float64(i%2)*1e9, rng.NormFloat64(), rng.NormFloat64()}
	}
	block := blockOf(t, k, x, x)
	for i := range x {
		for j := range x {
			exact, moved := 0.0, 0.0
			for c, l := range lengths {
				d := math.Abs(x[i][c] - x[j][c])
				unit := math.Nextafter(math.Abs(x[i][c]), math.Inf(1)) - math.Abs(x[i][c])
				exact += d * d / (l * l)
				moved += (d + 2*unit) * (d + 2*unit) / (l * l) // both points
			}
			want := math.Exp(-exact / 2)
			if off := math.Abs(k.Eval(x[i], x[j]) - want); off > 1e-15 {
				t.Errorf("%d, %d: alone off by %.2g", i, j, off)
			}
			if off, most := math.Abs(block.At(i, j)-want), want-math.Exp(-moved/2); off > most+1e-14 {
				t.Errorf("%d, %d: in a matrix off by %.2g, units in the last place make %.2g", i, j, off, most)
			}
		}
	}
}
