package seq

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// LowRankSignature is Signature of order 1 by factors of low rank: every level of a series is a
// vector of at most Rank numbers (100 when zero), and a value is an inner product of these, so that
// a Gram matrix of n series takes time linear in n·length (the low-rank algorithm of F. Király and
// H. Oberhauser, JMLR 2019). The levels follow
//
//	P₁(i) = Δxᵢ,   P_{m+1}(i) = C_m[(Σ_{i'<i} P_m(i')) ⊗ Δxᵢ],   S_m = Σᵢ P_m(i).
//
// As long as the tensors have at most Rank entries they are kept whole and the kernel is exact.
// Beyond that C_m is a random projection of products, a ⊗ b ↦ (Ga)·(Hb)/√Rank entry by entry with
// signs G and H drawn by Seed: over seeds the mean is the exact kernel. For a given seed it is a
// positive semi-definite kernel in its own right, the same whatever other points there are.
//
// With a Static kernel the increments are those of its Nyström features k(z, z)^{-1/2}·k(z, ·) on
// Landmarks z.
type LowRankSignature struct {
	Level, Rank int
	Scale       float64
	Seed        uint64
	Static      kernel.Kernel[kernel.Vec]
	Landmarks   []kernel.Vec
}

func (k LowRankSignature) level() int { return or(k.Level, 3) }
func (k LowRankSignature) rank() int  { return or(k.Rank, 100) }

// Name is "lowranksignature".
func (LowRankSignature) Name() string { return "lowranksignature" }

// Features is the vector whose inner products are the kernel: 1, then S₁, …, S_Level.
func (k LowRankSignature) Features(s Series) []float64 { return k.features(s, k.nystrom()) }

func (k LowRankSignature) features(s Series, root *mat.Dense) []float64 {
	step := k.lift(s, root)
	out := []float64{1}
	if len(step) == 0 {
		return out
	}
	rng := rand.New(rand.NewPCG(k.Seed, 0x5151))
	now, width := step, len(step[0]) // P_m(i), and how many numbers it has
	for m := 1; ; m++ {
		sum := make([]float64, width)
		for _, p := range now {
			for q, v := range p {
				sum[q] += v
			}
		}
		out = append(out, sum...)
		if m == k.level() {
			return out
		}
		compress, next := k.projection(rng, width, len(step[0]))
		clear(sum)
		above := make([][]float64, len(step))
		for i, b := range step {
			above[i] = compress(sum, b)
			for q, v := range now[i] {
				sum[q] += v
			}
		}
		now, width = above, next
	}
}

// projection returns C_m for vectors of a and b entries, and the number of entries of its values.
func (k LowRankSignature) projection(rng *rand.Rand, a, b int) (func(u, v []float64) []float64, int) {
	if rank := k.rank(); a*b > rank {
		g, h := signs(rng, rank, a), signs(rng, rank, b)
		f := 1 / math.Sqrt(float64(rank))
		return func(u, v []float64) []float64 {
			out := make([]float64, rank)
			for r := range out {
				out[r] = f * inner(g[r], u) * inner(h[r], v)
			}
			return out
		}, rank
	}
	return func(u, v []float64) []float64 {
		out := make([]float64, 0, a*b)
		for _, p := range u {
			for _, q := range v {
				out = append(out, p*q)
			}
		}
		return out
	}, a * b
}

func signs(rng *rand.Rand, rows, cols int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
		for j := range out[i] {
			out[i][j] = float64(2*rng.IntN(2) - 1)
		}
	}
	return out
}

func inner(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// nystrom is k(z, z)^{-1/2}, or nil without a static kernel.
func (k LowRankSignature) nystrom() *mat.Dense {
	if k.Static == nil {
		return nil
	}
	n := len(k.Landmarks)
	s := mat.NewSymDense(n, nil)
	for i, a := range k.Landmarks {
		for j, b := range k.Landmarks[:i+1] {
			s.SetSym(i, j, k.Static.Eval(a, b))
		}
	}
	var e mat.EigenSym
	if !e.Factorize(s, true) {
		return mat.NewDense(n, n, nil)
	}
	var v, scaled, root mat.Dense
	e.VectorsTo(&v)
	values := e.Values(nil)
	scaled.CloneFrom(&v)
	for j, l := range values {
		f := 0.0
		if l > 1e-12*values[n-1] {
			f = 1 / math.Sqrt(l)
		}
		for i := range n {
			scaled.Set(i, j, f*v.At(i, j))
		}
	}
	root.Mul(&scaled, v.T())
	return &root
}

// lift is the increments of a series, or of its Nyström features.
func (k LowRankSignature) lift(s Series, root *mat.Dense) [][]float64 {
	points := make([][]float64, s.Len())
	for i := range points {
		for _, v := range s.At(i) {
			points[i] = append(points[i], or(k.Scale, 1)*v)
		}
		if root != nil {
			likeness := make([]float64, len(k.Landmarks))
			for z, at := range k.Landmarks {
				likeness[z] = k.Static.Eval(at, points[i])
			}
			var f mat.VecDense
			f.MulVec(root, mat.NewVecDense(len(likeness), likeness))
			points[i] = f.RawVector().Data
		}
	}
	var out [][]float64
	for i := 1; i < len(points); i++ {
		d := make([]float64, len(points[i]))
		for q, v := range points[i] {
			d[q] = v - points[i-1][q]
		}
		out = append(out, d)
	}
	return out
}

// Eval returns the inner product of the features. Series that stand still have the first feature
// alone.
func (k LowRankSignature) Eval(x, y Series) float64 {
	if mismatched(x, y) {
		return math.NaN()
	}
	root := k.nystrom()
	u, v := k.features(x, root), k.features(y, root)
	return inner(u[:min(len(u), len(v))], v)
}

// PreparePoints computes the features of each series once.
func (k LowRankSignature) PreparePoints(ctx context.Context, x, y data.Points[Series]) kernel.Rectangle {
	root := k.nystrom()
	return preparePairs(ctx, x, y, func(s Series) []float64 { return k.features(s, root) },
		func(u, v []float64) float64 { return inner(u[:min(len(u), len(v))], v) })
}
