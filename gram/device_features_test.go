package gram

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// featuresOf is φ of the rows by the processor, a row each, and L.
func featuresOf(
	t *testing.T, k kernel.Kernel[kernel.Vec], x, z data.Points[kernel.Vec],
) (phi *mat.Dense, l *mat.TriDense) {
	t.Helper()
	m := z.Len()
	a, cross := mat.NewSymDense(m, nil), mat.NewDense(m, x.Len(), nil)
	for i := range m {
		for j := range i + 1 {
			a.SetSym(i, j, k.Eval(z.At(i), z.At(j)))
		}
		for j := range x.Len() {
			cross.Set(i, j, k.Eval(z.At(i), x.At(j)))
		}
	}
	var c mat.Cholesky
	if !c.Factorize(a) {
		t.Fatal("no factor")
	}
	l = mat.NewTriDense(m, mat.Lower, nil)
	c.LTo(l)
	var solved mat.Dense
	if err := solved.Solve(l, cross); err != nil {
		t.Fatal(err)
	}
	return mat.DenseCopyOf(solved.T()), l
}

// Features, their products, moments, spreads and derivatives on a device are their definitions by
// the processor, in one piece or several, kept or made anew; nothing is left on the device.
func TestFeatureRows(t *testing.T) {
	const n, m = 240, 9
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rng := rand.New(rand.NewPCG(8, 8))
	x, _, _ := evidencePoints(n)
	at := mat.NewDense(m, 3, nil)
	for i := range at.RawMatrix().Data {
		at.RawMatrix().Data[i] = 2 * rng.Float64()
	}
	z := data.Rows(at)
	draw := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = 0.1 + rng.Float64()
		}
		return out
	}
	weights, other, own, pull, pull2, mean, mean2 := draw(n), draw(n), draw(n), draw(n), draw(n), draw(m), draw(m)
	kernels := evidenceKernels()
	delete(kernels, "periodic") // of points beside one another, K(Z, Z) is as good as singular
	for name, k := range kernels {
		phi, l := featuresOf(t, k, x, z)
		wanted := allButNu(k)
		for how, bytes := range map[string]int64{"one piece": 1 << 30, "pieces": 200 << 10, "made anew": 72 << 10} {
			if how != "one piece" && name != "ard" {
				continue
			}
			d := EmulatedDevice(1, bytes, 0)
			if how == "pieces" { // a copy that nobody waits for is a wrong number
				d = &Device{always: true,
					chips: []cuda.Device{cuda.Pooled(cuda.Emulate(cuda.Emulated{Bytes: bytes, Libraries: true, Late: true}))}}
			}
			f, err := NewFeatureRows(t.Context(), d, k, data.NewInMemory(x, nil, 0, nil), z, wanted, []float64{0, 1e-10})
			if err != nil {
				t.Fatal(name, how, err, d.Notes())
			}
			if (how == "one piece") != (len(f.pieces) == 1) || f.keep == (how == "made anew") || f.Jitter() != 0 {
				t.Errorf("%s: %d pieces, kept %v, jitter %g", how, len(f.pieces), f.keep, f.Jitter())
			}
			near := func(what string, got, want float64) {
				t.Helper()
				if !(math.Abs(got-want) <= 1e-8*math.Max(1, math.Abs(want))) {
					t.Fatalf("%s, %s: %s is %.12g, want %.12g", name, how, what, got, want)
				}
			}
			got := mat.NewDense(m, m, nil)
			check(f.FactorTo(got))
			for i := range m {
				for j := range i + 1 {
					near("L", got.At(i, j), l.At(i, j))
				}
			}
			u, v := make([]float64, n), make([]float64, m)
			check(f.TimesTo(u, mean))
			check(f.TransposedTo(v, pull))
			var wantV mat.VecDense
			wantV.MulVec(phi.T(), mat.NewVecDense(n, pull))
			moment := mat.NewDense(m, m, nil)
			for i := range n {
				row := phi.RawRowView(i)
				near("‖φ‖²", f.Known()[i], mat.Dot(mat.NewVecDense(m, row), mat.NewVecDense(m, row)))
				near("⟨φ, v⟩", u[i], mat.Dot(mat.NewVecDense(m, row), mat.NewVecDense(m, mean)))
				for a := range m {
					for b := range m {
						moment.Set(a, b, moment.At(a, b)+weights[i]*row[a]*row[b])
					}
				}
			}
			for i := range m {
				near("Σ uφ", v[i], wantV.AtVec(i))
				moment.Set(i, i, moment.At(i, i)+1)
			}
			made, err := f.Moment(weights)
			check(err)
			given, err := f.Precision(moment)
			check(err)
			check(f.MomentTo(got, weights))
			var inverse mat.Dense
			check(inverse.Inverse(moment))
			for which, a := range []*FeatureMoment{made, given} {
				back := mat.NewDense(m, m, nil)
				check(a.MatrixTo(back))
				for i := range m {
					for j := range i + 1 {
						near("A", back.At(i, j), moment.At(i, j))
						near("A alone", got.At(i, j), moment.At(i, j))
					}
				}
				near("log det", a.LogDet(), math.Log(mat.Det(moment)))
				trace, err := a.InverseTrace()
				check(err)
				near("tr A⁻¹", trace, mat.Trace(&inverse))
				solved, want := append([]float64{}, mean...), mat.NewVecDense(m, nil)
				check(a.SolveTo(solved))
				want.MulVec(&inverse, mat.NewVecDense(m, mean))
				near("A⁻¹v", solved[m-1], want.AtVec(m-1))
				spread := make([]float64, n)
				check(a.SpreadTo(spread))
				for i := range n {
					row := mat.NewVecDense(m, phi.RawRowView(i))
					near("φᵀA⁻¹φ", spread[i], mat.Inner(row, &inverse, row))
				}
				if which == 0 && len(a.weights) != n || which == 1 && a.weights != nil {
					t.Error("weights of a moment")
				}
				if stays := which == 0 && how == "one piece"; stays && a.spread == nil || which == 1 && a.spread != nil {
					t.Error("R⁻¹φ stays where it should not, or the other way round")
				}
			}
			// Derivatives: φ̄ by definition, then differences of Σ⟨φ̄, φ⟩ with it held.
			for terms := range 3 {
				bar := mat.NewDense(n, m, nil)
				add := func(p, u, mu []float64) {
					for i := range n {
						for j := range m {
							s := p[i]*mu[j] + u[i]*phi.At(i, j)
							for a := range m {
								s -= u[i] * inverse.At(j, a) * phi.At(i, a)
							}
							bar.Set(i, j, bar.At(i, j)+s)
						}
					}
				}
				all, mine := []FeatureTerm{{Pull: pull, Mean: mean, Moment: made}}, []float64(nil)
				add(pull, weights, mean)
				if terms > 0 {
					mine = own
					for i := range n {
						for j := range m {
							bar.Set(i, j, bar.At(i, j)+own[i]*phi.At(i, j))
						}
					}
				}
				if terms > 1 {
					all = append(all, FeatureTerm{Pull: pull2, Mean: mean2, Moment: given, Weights: other})
					add(pull2, other, mean2)
				}
				grad, points := make([]float64, len(wanted)), make([]float64, 3*m)
				check(f.SlopesTo(t.Context(), grad, points, all, mine))
				const h = 1e-5
				held := func(k kernel.Kernel[kernel.Vec], z data.Points[kernel.Vec]) float64 {
					moved, _ := featuresOf(t, k, x, z)
					moved.MulElem(moved, bar)
					return mat.Sum(moved)
				}
				slope := func(what string, got, up, down float64) {
					t.Helper()
					if want := (up - down) / (2 * h); !(math.Abs(got-want) <= 1e-5*math.Max(1, math.Abs(want))) {
						t.Errorf("%s, %s, %d terms: the derivative by %s is %.10g, differences give %.10g", name, how, len(all), what,
							got, want)
					}
				}
				values := kernel.Values(k)
				for p, param := range kernel.Params(k) {
					if !wanted[p] {
						continue
					}
					moved := func(by float64) float64 {
						theta := append([]float64{}, values...)
						theta[p] += by
						return held(k.(kernel.Tunable[kernel.Vec]).With(theta), z)
					}
					slope(param.Name, grad[p], moved(h), moved(-h))
				}
				for c := range points {
					if c%5 != 0 || name == "chi" {
						continue
					}
					moved := func(by float64) float64 {
						to := mat.DenseCopyOf(at)
						to.RawMatrix().Data[c] += by
						return held(k, data.Rows(to))
					}
					slope("a coordinate", points[c], moved(h), moved(-h))
				}
			}
			made.Close()
			given.Close()
			f.Close()
			if left := cuda.Left(d.chips[0]); left != "" || len(d.Notes()) > 0 {
				t.Errorf("%s: %s %v", name, left, d.Notes())
			}
		}
	}
}

// What a device cannot do is left to the processor with a word why, or without one where nothing is
// wrong: rows that cannot be read are not a lost device.
func TestFeatureRowsLeft(t *testing.T) {
	x, _, _ := evidencePoints(30)
	z := data.Span(x, 0, 5)
	rows := data.NewInMemory(x, nil, 0, nil)
	matern := kernel.Matern{Nu: 2.5, Lengthscale: 1}
	none := []float64{0}
	d := EmulatedDevice(1, 1<<30, 0)
	if _, err := NewFeatureRows(t.Context(), d, matern, rows, z, nil, none); err == nil {
		t.Error("a derivative by ν")
	}
	twice := data.Slice[kernel.Vec]{z.At(0), z.At(0)}
	if _, err := NewFeatureRows(t.Context(), d, kernel.Gaussian{}, rows, twice, nil, none); !errors.Is(err, ErrDependent) {
		t.Error(err)
	}
	f, err := NewFeatureRows(t.Context(), d, kernel.Gaussian{}, rows, twice, nil, []float64{0, 1e-6})
	if err != nil || f.Jitter() != 1e-6 {
		t.Fatal(err)
	}
	f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := NewFeatureRows(ctx, d, kernel.Gaussian{}, rows, z, nil, none); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := cuda.Left(d.chips[0]); left != "" || len(d.Notes()) > 0 || !d.usable() {
		t.Error(left, d.Notes())
	}
	little := EmulatedDevice(1, 4<<10, 0)
	if _, err := NewFeatureRows(t.Context(), little, kernel.Gaussian{}, rows, z, nil, none); err == nil ||
		len(little.Notes()) != 1 || !little.usable() {
		t.Error(err, little.Notes())
	}
}
