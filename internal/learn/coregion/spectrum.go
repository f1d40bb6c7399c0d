package coregion

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// Spectrum is K = UΛUᵀ and the targets in its coordinates.
type Spectrum struct {
	Threads int
	Values  []float64              // λ, ascending
	Vectors linalg.Matrix[float64] // U, or W^½U with weights, in columns
	Targets linalg.Matrix[float64] // UᵀY, of W^½Y with weights
	Level   []float64              // Uᵀ1, of W^½1 with weights; nil where the mean is 0

	repeats float64   // Σ (wᵢ - 1)
	root    []float64 // √w; nil means 1
}

// Decompose finds the spectrum of the symmetric K, which is overwritten, for the targets y, a
// column each. Weights are positive, nil means 1; level says that each output has a constant of its
// own, which is found.
func Decompose(
	ctx context.Context, threads int, k, y linalg.Matrix[float64], weights []float64, level bool,
) (*Spectrum, error) {
	n := k.Rows
	s := &Spectrum{Threads: threads, Targets: linalg.New[float64](n, y.Cols)}
	rows, ones := y.Clone(), make([]float64, n)
	for i := range ones {
		ones[i] = 1
	}
	if weights != nil {
		s.root = make([]float64, n)
		for i, w := range weights {
			s.repeats += w - 1
			s.root[i] = math.Sqrt(w)
			ones[i] = s.root[i]
			for t := range rows.Row(i) {
				rows.Row(i)[t] *= s.root[i]
			}
		}
		for i := range n {
			for j := range k.Row(i) {
				k.Row(i)[j] *= s.root[i] * s.root[j]
			}
		}
	}
	var err error
	if s.Values, s.Vectors, err = linalg.SymEigenContext(ctx, threads, k); err != nil {
		return nil, err
	}
	if err := linalg.GemmContext(ctx, threads, linalg.Trans, linalg.NoTrans, 1, s.Vectors, rows, 0,
		s.Targets); err != nil {
		return nil, err
	}
	if level {
		s.Level = make([]float64, n)
		linalg.Gemv(threads, linalg.Trans, 1, s.Vectors, ones, 0, s.Level)
	}
	for i, r := range s.root { // from here on U stands beside columns of K that have no weight
		for j := range s.Vectors.Row(i) {
			s.Vectors.Row(i)[j] *= r
		}
	}
	return s, nil
}

// Outputs is m.
func (s *Spectrum) Outputs() int { return s.Targets.Cols }

// State is the posterior at one B and Σ.
type State struct {
	*Spectrum
	B     linalg.Matrix[float64] // m×m
	Noise []float64              // σ²
	Scale []float64              // s, of Σ^-½BΣ^-½ = VSVᵀ
	Turn  linalg.Matrix[float64] // V, in columns
	Mean  []float64              // b of each output; 0 without a level
	Value float64                // log p(Y)

	shrunk linalg.Matrix[float64] // 1/(1 + λᵢsⱼ), n×m
	alpha  linalg.Matrix[float64] // those times the residuals, in the coordinates of U and V
	ahead  []float64              // Σᵢ (Uᵀ1)ᵢ²/(1 + λᵢsⱼ): the precision of the mean of output j
}

// At computes log p(Y) = -½rᵀA⁻¹r - ½ log det A - ½nm·log 2π with A = K⊗B + I⊗Σ and r the residuals
// of the means, which are those of generalised least squares.
func (s *Spectrum) At(b linalg.Matrix[float64], noise []float64) (*State, error) {
	n, m := len(s.Values), s.Outputs()
	st := &State{Spectrum: s, B: b, Noise: noise, Mean: make([]float64, m), ahead: make([]float64, m)}
	half := linalg.New[float64](m, m)
	for t, v := range noise {
		if !(v > 0) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("the noise variance of output %d is %g; give a positive number", t, v)
		}
		for u := range m {
			half.Set(t, u, b.At(t, u)/math.Sqrt(v*noise[u]))
		}
	}
	var err error
	if st.Scale, st.Turn, err = linalg.SymEigen(1, half); err != nil {
		return nil, fmt.Errorf("covariance of the outputs: %w", err)
	}
	st.shrunk, st.alpha = linalg.New[float64](n, m), linalg.New[float64](n, m)
	turn := linalg.New[float64](m, m) // Σ^-½V
	for t, v := range noise {
		for j := range m {
			turn.Set(t, j, st.Turn.At(t, j)/math.Sqrt(v))
		}
	}
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, s.Targets, turn, 0, st.alpha)
	logDet, top := 0.0, make([]float64, m)
	for i, l := range s.Values {
		for j, c := range st.Scale {
			v := 1 + l*c
			if !(v > 0) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("covariance matrix: eigenvalue %g of the kernel matrix with %g of the outputs; raise the "+
					"noise, or repair the kernel if it is not positive definite", l, c)
			}
			st.shrunk.Set(i, j, 1/v)
			logDet += math.Log(v)
			if s.Level != nil {
				st.ahead[j] += s.Level[i] * s.Level[i] / v
				top[j] += s.Level[i] * st.alpha.At(i, j) / v
			}
		}
	}
	mean := make([]float64, m) // in the coordinates of V
	for j := range mean {
		if s.Level != nil {
			mean[j] = top[j] / st.ahead[j]
		}
	}
	for t, v := range noise {
		for j, b := range mean {
			st.Mean[t] += math.Sqrt(v) * st.Turn.At(t, j) * b
		}
		st.Value -= 0.5 * (float64(n)*math.Log(v) + s.repeats*math.Log(2*math.Pi*v))
	}
	st.Value -= 0.5*logDet + 0.5*float64(n*m)*math.Log(2*math.Pi)
	for i := range n {
		for j, b := range mean {
			r := st.alpha.At(i, j)
			if s.Level != nil {
				r -= s.Level[i] * b
			}
			a := r * st.shrunk.At(i, j)
			st.Value -= 0.5 * r * a
			st.alpha.Set(i, j, a)
		}
	}
	if math.IsNaN(st.Value) || math.IsInf(st.Value, 0) {
		return nil, fmt.Errorf("the log marginal likelihood is %g", st.Value)
	}
	return st, nil
}

// Coefficients is the n×m matrix C such that the posterior means are k(x, X)·C + b.
func (st *State) Coefficients() linalg.Matrix[float64] {
	m := st.Outputs()
	back := linalg.New[float64](m, m) // S·Vᵀ·Σ^½
	for j, s := range st.Scale {
		for t, v := range st.Noise {
			back.Set(j, t, s*st.Turn.At(t, j)*math.Sqrt(v))
		}
	}
	inner, out := linalg.New[float64](len(st.Values), m), linalg.New[float64](len(st.Values), m)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, st.alpha, back, 0, inner)
	linalg.Gemm(st.Threads, linalg.NoTrans, linalg.NoTrans, 1, st.Vectors, inner, 0, out)
	return out
}
