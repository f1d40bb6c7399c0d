package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	. "github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// looker is what a kernel says of points: values and derivatives, by every way there is.
type looker map[string][]float64

func (l looker) keep(what string, v ...float64) { l[what] = append(l[what], v...) }

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// values are those of pairs, tiles and bases.
func values[T any](t *testing.T, out looker, kind string, k Kernel[T], x data.Slice[T]) {
	t.Helper()
	n, ctx := len(x), t.Context()
	for i := range n {
		for j := range n {
			out.keep(kind+"pairs", k.Eval(x[i], x[j]))
		}
	}
	tile := mat.NewDense(n, n, nil)
	must(t, Block[T](ctx, k, tile, x, x))
	out.keep(kind+"tile", tile.RawMatrix().Data...)
	others := mat.NewDense(n-1, n, nil)
	must(t, Block[T](ctx, k, others, x[1:], x))
	out.keep(kind+"tile of others", others.RawMatrix().Data...)
	row, base := make([]float64, n), NewBase(k, data.Points[T](x))
	for _, v := range x {
		must(t, base.Row(ctx, row, v))
		out.keep(kind+"rows of a base", row...)
	}
}

// byParameters are the derivatives by parameters.
func byParameters[T any](t *testing.T, out looker, kind string, k Kernel[T], x data.Slice[T]) {
	t.Helper()
	n, m, ctx := len(x), len(Params(k)), t.Context()
	if m == 0 {
		return
	}
	w := weightsOf(n)
	grad := make([]float64, m)
	must(t, ParamGradDot[T](ctx, k, grad, nil, w, x, x))
	out.keep(kind+"derivatives by parameters", grad...)
	must(t, ParamGradDot[T](ctx, k, grad, nil, mat.DenseCopyOf(w.Slice(1, n, 0, n)), x[1:], x))
	out.keep(kind+"derivatives of others by parameters", grad...)
	must(t, DiagGradDot[T](ctx, k, grad, nil, w.RawRowView(0), x))
	out.keep(kind+"derivatives of the diagonal", grad...)
	each := make([]*mat.Dense, m)
	for p := range each {
		each[p] = mat.NewDense(n, n, nil)
	}
	must(t, ParamGrads[T](ctx, k, each, x, x))
	for _, e := range each {
		out.keep(kind+"each derivative by parameters", e.RawMatrix().Data...)
	}
}

// byPoints are the derivatives by points, where there are any.
func byPoints(t *testing.T, out looker, k Kernel[Vec], x data.Slice[Vec]) {
	t.Helper()
	n, d := len(x), len(x[0])
	for i := range n {
		for j := range n {
			g := make(Vec, d)
			if InputGrad(k, g, x[i], x[j]) == nil {
				out.keep("derivatives of pairs by points", g...)
			}
		}
	}
	points := mat.NewDense(n, d, nil)
	if InputGradDot(t.Context(), k, points, weightsOf(n), x, x) == nil {
		out["derivatives by points"] = points.RawMatrix().Data
	}
}

func weightsOf(n int) *mat.Dense {
	w := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			w.Set(i, j, math.Sin(float64(3*i+5*j+1)))
		}
	}
	return w
}

// same asks that two looks agree to a share of the largest number of each kind.
func (want looker) same(t *testing.T, got looker, tol float64) {
	t.Helper()
	for what, w := range want {
		scale := 0.0
		for _, v := range w {
			scale = max(scale, math.Abs(v))
		}
		worst, at := 0.0, 0
		for i, v := range got[what] {
			if off := math.Abs(v - w[i]); !(off <= worst) {
				worst, at = off, i
			}
		}
		if len(got[what]) != len(w) || !(worst <= tol*scale) {
			t.Errorf("%s: number %d of %d is %.17g, near the origin %.17g (%.2g of %.2g)", what, at, len(w), got[what][at],
				w[at], worst, scale)
		}
	}
}

func sparseRows(x data.Slice[Vec]) data.Slice[data.SparseVec] {
	rows := make(data.Slice[data.SparseVec], len(x))
	for i, v := range x {
		for j, value := range v {
			if value != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, value)
			}
		}
	}
	return rows
}

// A kernel that sees only differences says of points far from the origin what it says of the same
// points near it: by pairs, tiles and bases, and of its derivatives by points and by parameters. The
// coordinates are multiples of 2⁻²², so that points and their differences are exact in both places.
func TestStationaryKernelsFarFromTheOrigin(t *testing.T) {
	const n = 7
	for _, s := range subjects() {
		if PropertiesOf(s.k).Stationary != Yes || s.sample == cube || s.sample == ball {
			continue
		}
		d := 3
		if s.sample == angle {
			d = 1
		}
		for _, by := range []float64{1 << 27, 1 << 30} {
			rng := rand.New(rand.NewPCG(3, 9))
			at, moved := make(data.Slice[Vec], n), make(data.Slice[Vec], n)
			for i := range n {
				x, y := make(Vec, d), make(Vec, d)
				for j := range x {
					if x[j] = math.Round(rng.NormFloat64()*(1<<22)) / (1 << 22); s.sample == codes {
						x[j] = float64(rng.IntN(4) - 1)
					}
					y[j] = x[j] + by
				}
				at[i], moved[i] = x, y
			}
			t.Run(fmt.Sprintf("%s/%g", s.name, by), func(t *testing.T) {
				near, far := looker{}, looker{}
				for x, to := range map[*data.Slice[Vec]]looker{&at: near, &moved: far} {
					values(t, to, "", s.k, *x)
					byParameters(t, to, "", s.k, *x)
					byPoints(t, to, s.k, *x)
					if k, err := OnSparse(s.k, d); err == nil {
						values(t, to, "sparse rows: ", k, sparseRows(*x))
						byParameters(t, to, "sparse rows: ", k, sparseRows(*x))
					}
				}
				near.same(t, far, max(1e-11, s.tol))
			})
		}
	}
}

// A periodic kernel has the values of points that lie many whole periods away, and their derivatives
// by points, wherever the others lie.
func TestWholePeriodsAreNothing(t *testing.T) {
	for name, k := range map[string]Kernel[Vec]{"periodic": Periodic{Period: 2, Lengthscale: 1.5},
		"sinusoids": Sinusoids{Degree: 3, Period: 2}} {
		rng := rand.New(rand.NewPCG(3, 9))
		at, moved := make(data.Slice[Vec], 6), make(data.Slice[Vec], 6)
		for i := range at {
			x, y := make(Vec, 3), make(Vec, 3)
			for j := range x {
				x[j] = math.Round(rng.NormFloat64()*(1<<20)) / (1 << 20)
				y[j] = x[j] + float64(rng.IntN(2))*(1<<31)
			}
			at[i], moved[i] = x, y
		}
		t.Run(name, func(t *testing.T) {
			near, far := looker{}, looker{}
			for x, to := range map[*data.Slice[Vec]]looker{&at: near, &moved: far} {
				byPoints(t, to, k, *x)
				values(t, to, "", k, *x)
				sparse, err := OnSparse(k, 3)
				must(t, err)
				values(t, to, "sparse rows: ", sparse, sparseRows(*x))
			}
			near.same(t, far, 1e-11)
		})
	}
}
