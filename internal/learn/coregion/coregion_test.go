package coregion

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// problem is a kernel matrix of n points, m targets, a B and noise variances; weights of 1 to 3
// where asked for.
type problem struct {
	k, y, b linalg.Matrix[float64]
	noise   []float64
	weights []float64
	level   bool
}

func newProblem(n, m int, weighted, level bool) problem {
	rng := rand.New(rand.NewPCG(uint64(n), uint64(m)))
	p := problem{k: linalg.New[float64](n, n), y: linalg.New[float64](n, m), b: linalg.New[float64](m, m), level: level}
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range n {
		for j := range n {
			p.k.Set(i, j, math.Exp(-(x[i]-x[j])*(x[i]-x[j])/2))
		}
		for t := range m {
			p.y.Set(i, t, rng.NormFloat64()+float64(t))
		}
		if weighted {
			p.weights = append(p.weights, float64(1+i%3))
		}
	}
	l := linalg.New[float64](m, m)
	for i := range l.Data {
		l.Data[i] = rng.NormFloat64()
	}
	linalg.Gemm(1, linalg.NoTrans, linalg.Trans, 1, l, l, 0, p.b)
	for t := range m {
		p.noise = append(p.noise, 0.1+0.3*float64(t))
	}
	return p
}

func (p problem) spectrum(t *testing.T) *Spectrum {
	t.Helper()
	s, err := Decompose(context.Background(), 2, p.k.Clone(), p.y, p.weights, p.level)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p problem) state(t *testing.T) *State {
	t.Helper()
	st, err := p.spectrum(t).At(p.b, p.noise)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// dense is the oracle: every row as often as its weight says, K⊗B + I⊗Σ as one matrix, its Cholesky
// factor, the means by generalised least squares.
type dense struct {
	rows  []int
	a     mat.Cholesky
	alpha *mat.VecDense
	free  *mat.Dense // A⁻¹(1⊗I)
	ahead *mat.Dense // ((1⊗I)ᵀA⁻¹(1⊗I))⁻¹
	mean  []float64
	value float64
}

func (p problem) dense(t *testing.T) *dense {
	t.Helper()
	d := &dense{mean: make([]float64, p.y.Cols)}
	for i := range p.k.Rows {
		times := 1
		if p.weights != nil {
			times = int(p.weights[i])
		}
		for range times {
			d.rows = append(d.rows, i)
		}
	}
	n, m := len(d.rows), p.y.Cols
	a, y, ones := mat.NewSymDense(n*m, nil), mat.NewVecDense(n*m, nil), mat.NewDense(n*m, m, nil)
	for i, r := range d.rows {
		for u := range m {
			y.SetVec(i*m+u, p.y.At(r, u))
			ones.Set(i*m+u, u, 1)
			for j, q := range d.rows {
				for v := range m {
					c := p.k.At(r, q) * p.b.At(u, v)
					if i == j && u == v {
						c += p.noise[u]
					}
					a.SetSym(i*m+u, j*m+v, c)
				}
			}
		}
	}
	if !d.a.Factorize(a) {
		t.Fatal("the dense matrix is not positive definite")
	}
	if p.level {
		d.free, d.ahead = &mat.Dense{}, &mat.Dense{}
		var inner mat.Dense
		if err := d.a.SolveTo(d.free, ones); err != nil {
			t.Fatal(err)
		}
		inner.Mul(ones.T(), d.free)
		if err := d.ahead.Inverse(&inner); err != nil {
			t.Fatal(err)
		}
		var top, b mat.VecDense
		top.MulVec(d.free.T(), y)
		b.MulVec(d.ahead, &top)
		copy(d.mean, b.RawVector().Data)
		for i := range n {
			for u := range m {
				y.SetVec(i*m+u, y.AtVec(i*m+u)-d.mean[u])
			}
		}
	}
	d.alpha = &mat.VecDense{}
	if err := d.a.SolveVecTo(d.alpha, y); err != nil {
		t.Fatal(err)
	}
	d.value = -0.5*mat.Dot(y, d.alpha) - 0.5*d.a.LogDet() - 0.5*float64(n*m)*math.Log(2*math.Pi)
	return d
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*(1+math.Abs(want))) {
		t.Errorf("%s is %.15g, want %.15g", what, got, want)
	}
}

func everyProblem(t *testing.T, f func(t *testing.T, p problem)) {
	for _, n := range []int{1, 2, 9} {
		for _, m := range []int{1, 2, 4} {
			for _, weighted := range []bool{false, true} {
				for _, level := range []bool{false, true} {
					f(t, newProblem(n, m, weighted, level))
				}
			}
		}
	}
}

// Evidence, means and coefficients are those of the dense matrix.
func TestStateIsDense(t *testing.T) {
	everyProblem(t, func(t *testing.T, p problem) {
		st, d := p.state(t), p.dense(t)
		near(t, "evidence", st.Value, d.value, 1e-9)
		c, m := st.Coefficients(), p.y.Cols
		for u := range m {
			near(t, "mean", st.Mean[u], d.mean[u], 1e-9)
		}
		want := linalg.New[float64](p.k.Rows, m)
		for i, r := range d.rows {
			for u := range m {
				for v := range m {
					want.Row(r)[u] += d.alpha.AtVec(i*m+v) * p.b.At(v, u)
				}
			}
		}
		for i := range want.Data {
			near(t, "coefficient", c.Data[i], want.Data[i], 1e-9)
		}
	})
}

// The covariance of the outputs at two new points is k(x, y)B - kᵀA⁻¹k, and what the means that
// were found add.
func TestPosteriorIsDense(t *testing.T) {
	everyProblem(t, func(t *testing.T, p problem) {
		st, d := p.state(t), p.dense(t)
		n, m := p.k.Rows, p.y.Cols
		rng := rand.New(rand.NewPCG(8, 8))
		cross := linalg.New[float64](2, n)
		for i := range cross.Data {
			cross.Data[i] = rng.Float64()
		}
		got := linalg.New[float64](m, m)
		post := st.Posterior()
		turned := post.Turned(1, cross)
		post.Between(got, 0.7, turned.Row(0), turned.Row(1))
		side := func(x int) *mat.Dense { // (k⊗B), nm×m
			out := mat.NewDense(len(d.rows)*m, m, nil)
			for i, r := range d.rows {
				for u := range m {
					for v := range m {
						out.Set(i*m+u, v, cross.At(x, r)*p.b.At(u, v))
					}
				}
			}
			return out
		}
		var solved, less mat.Dense
		if err := d.a.SolveTo(&solved, side(1)); err != nil {
			t.Fatal(err)
		}
		less.Mul(side(0).T(), &solved)
		add := mat.NewDense(m, m, nil)
		if p.level { // (I - ktA⁻¹1)(1ᵀA⁻¹1)⁻¹(I - 1ᵀA⁻¹k)
			slack := func(x int) *mat.Dense {
				var s mat.Dense
				s.Mul(side(x).T(), d.free)
				s.Scale(-1, &s)
				for u := range m {
					s.Set(u, u, 1+s.At(u, u))
				}
				return &s
			}
			var half mat.Dense
			half.Mul(slack(0), d.ahead)
			add.Mul(&half, slack(1).T())
		}
		for u := range m {
			for v := range m {
				near(t, "covariance", got.At(u, v), 0.7*p.b.At(u, v)-less.At(u, v)+add.At(u, v), 1e-8)
			}
		}
	})
}

// Derivatives are differences: by an entry of K, of B (both of its places at once) and by a noise.
func TestSlopesAreDifferences(t *testing.T) {
	const h = 1e-5
	everyProblem(t, func(t *testing.T, p problem) {
		st := p.state(t)
		byK, err := st.KernelSlopes(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		byB, byNoise := st.OutputSlopes()
		both := func(a linalg.Matrix[float64], i, j int) float64 {
			move := func(by float64) float64 {
				old, mirrored := a.At(i, j), a.At(j, i)
				a.Row(i)[j] = old + by
				if i != j {
					a.Row(j)[i] = mirrored + by
				}
				v := p.state(t).Value
				a.Row(i)[j], a.Row(j)[i] = old, mirrored
				return v
			}
			return (move(h) - move(-h)) / (2 * h)
		}
		sum := func(g linalg.Matrix[float64], i, j int) float64 {
			if i == j {
				return g.At(i, i)
			}
			return g.At(i, j) + g.At(j, i)
		}
		n, m := p.k.Rows, p.y.Cols
		for i := range n {
			near(t, "by K", sum(byK, i, n/2), both(p.k, i, n/2), 2e-5)
		}
		for u := range m {
			for v := range u + 1 {
				near(t, "by B", sum(byB, u, v), both(p.b, u, v), 2e-5)
			}
			old := p.noise[u]
			p.noise[u] = old + h
			up := p.state(t).Value
			p.noise[u] = old - h
			down := p.state(t).Value
			p.noise[u] = old
			near(t, "by noise", byNoise[u], (up-down)/(2*h), 2e-5)
		}
	})
}

// The parameters of both forms make the B they say, and derivatives by them are differences.
func TestForm(t *testing.T) {
	const h = 1e-6
	for _, f := range []Form{{3, 0}, {3, 1}, {4, 2}} {
		p := newProblem(8, f.Outputs, false, true)
		s := p.spectrum(t)
		v := f.Apart(0.8)
		rng := rand.New(rand.NewPCG(4, 4))
		for i := range v {
			v[i] += 0.3 * rng.NormFloat64()
		}
		at := func(v []float64) *State {
			st, err := s.At(f.Of(v), p.noise)
			if err != nil {
				t.Fatal(err)
			}
			return st
		}
		grad := make([]float64, f.Size())
		byB, _ := at(v).OutputSlopes()
		f.Slopes(grad, v, byB)
		for i := range v {
			old := v[i]
			v[i] = old + h
			up := at(v).Value
			v[i] = old - h
			near(t, "by a parameter", grad[i], (up-at(v).Value)/(2*h), 1e-5)
			v[i] = old
		}
	}
	one := Form{2, 0}.Of([]float64{2, 3, 4})
	for i, want := range []float64{4, 6, 6, 25} {
		near(t, "LLᵀ", one.Data[i], want, 0)
	}
	low := Form{2, 1}.Of([]float64{2, 3, 4, 5})
	for i, want := range []float64{4 + 16, 6, 6, 9 + 25} {
		near(t, "WWᵀ + q²", low.Data[i], want, 0)
	}
}

// A climb ends where the slope is nothing, higher than where it began; with the noise free at no
// less evidence than with it held.
func TestClimb(t *testing.T) {
	for _, f := range []Form{{3, 0}, {3, 1}} {
		p := newProblem(30, 3, true, true)
		s := p.spectrum(t)
		from := f.Apart(1)
		start, err := s.At(f.Of(from), p.noise)
		if err != nil {
			t.Fatal(err)
		}
		last := start.Value
		for _, free := range []bool{false, true} {
			v, noise, err := f.Climb(context.Background(), s, from, p.noise, free, 500)
			if err != nil {
				t.Fatal(err)
			}
			end, err := s.At(f.Of(v), noise)
			if err != nil {
				t.Fatal(err)
			}
			if end.Value < last-1e-9 {
				t.Errorf("%+v, free %v: evidence %.9g after %.9g", f, free, end.Value, last)
			}
			last = end.Value
			grad := make([]float64, f.Size())
			byB, _ := end.OutputSlopes()
			f.Slopes(grad, v, byB)
			for _, g := range grad {
				near(t, "slope at the end", g, 0, 1e-2)
			}
		}
	}
}

// What cannot be is refused.
func TestRefused(t *testing.T) {
	p := newProblem(5, 2, false, false)
	s := p.spectrum(t)
	for _, noise := range [][]float64{{0, 1}, {1, -1}, {1, math.NaN()}, {math.Inf(1), 1}} {
		if _, err := s.At(p.b, noise); err == nil {
			t.Errorf("noise %v is accepted", noise)
		}
	}
	negative := p.b.Clone()
	for i := range negative.Data {
		negative.Data[i] *= -100
	}
	if _, err := s.At(negative, p.noise); err == nil {
		t.Error("a B below zero is accepted")
	}
}
