package solve

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// BlockOperator is a symmetric positive semi-definite matrix of which rows are asked for.
type BlockOperator interface {
	linalg.Operator
	// RowsTo sets dst = A[index, :]·v.
	RowsTo(dst *mat.Dense, index []int, v *mat.Dense)
	// BlockTo sets dst = A[index, index].
	BlockTo(dst *mat.Dense, index []int)
}

// BlockSolver is a BlockOperator that can solve the equations of a block itself, as one with a
// device beside it can.
type BlockSolver interface {
	// SolveBlock sets dst = (A[index, index] + shift·I)⁻¹·r, or says that it cannot.
	SolveBlock(dst *mat.Dense, index []int, shift float64, r *mat.Dense) bool
}

// ASkotch solves (A + Shift·I)X = B by accelerated approximate sketch-and-project (Rathore,
// Frangella, Yang, Dereziński and Udell 2024, algorithm 2, with uniform blocks): each iteration
// draws Block coordinates, takes the block of the equations with them, and moves them by
//
//	d = η·(Â + ρI)⁻¹((A + Shift·I)[blk, :]·z - b[blk]),
//
// Â a Nyström approximation of A[blk, blk] of rank Rank, ρ = Shift + its smallest eigenvalue, and η
// one over the largest eigenvalue of (Â + ρI)⁻¹(A[blk, blk] + Shift·I) by powering. A BlockSolver
// takes d = (A[blk, blk] + Shift·I)⁻¹(…) instead, sketch-and-project as such, of which that is an
// approximation. Nesterov's sequences w, v, z run over all coordinates, with μ = Shift and ν =
// n/Block, kept in their domain μν ≤ 1.
type ASkotch struct {
	Shift   float64
	Block   int     // coordinates at a time; 0 means n/100, at least 50
	Rank    int     // of the approximation; 0 means 100
	Tol     float64 // of the relative residual of the worst column; 0 means 1e-6
	Epochs  int     // passes over all of A, at the most; 0 means 500
	Threads int
	Seed    uint64
	Trace   trace.Func // after each epoch; Residual is that of the blocks as they were met
}

// ASkotchResult says how a solution was reached.
type ASkotchResult struct {
	Iterations int
	Residual   float64 // the largest ‖b-Ax‖/‖b‖ of a column, of all of A
	Converged  bool
}

const powerings = 10

// Solve overwrites x, from which it starts. Not reaching the tolerance is no error. The error is
// the context's (x is the last finished epoch), or about shapes.
func (o ASkotch) Solve(ctx context.Context, a BlockOperator, x, b *mat.Dense) (ASkotchResult, error) {
	n, m := b.Dims()
	if r, c := a.Dims(); r != c || r != n {
		return ASkotchResult{}, fmt.Errorf("askotch: operator is %d×%d but the right-hand side has %d rows", r, c, n)
	}
	if !(o.Shift > 0) {
		return ASkotchResult{}, fmt.Errorf("askotch: shift is %g, want > 0", o.Shift)
	}
	o = o.withDefaults(n)
	rng := rand.New(rand.NewPCG(o.Seed, 0xa5c0))
	s := newSkotch(o, a, linalg.Of(x), linalg.Of(b), rng)
	start := time.Now()
	each := (n + o.Block - 1) / o.Block
	res := ASkotchResult{Residual: 1}
	for epoch := 0; epoch < o.Epochs; epoch++ {
		clear(s.met)
		seen := 0
		for range each {
			if err := ctx.Err(); err != nil {
				return res, err
			}
			if err := s.step(ctx); err != nil {
				return res, err
			}
			res.Iterations++
			seen += o.Block
		}
		linalg.Of(x).CopyFrom(s.w)
		guess := 0.0
		for j := range m {
			if s.bnorm[j] > 0 {
				guess = math.Max(guess, math.Sqrt(s.met[j]*float64(n)/float64(seen))/s.bnorm[j])
			}
		}
		o.Trace.Report(trace.Step{Iteration: epoch + 1, Objective: math.NaN(), Residual: guess, Elapsed: time.Since(start)})
		// Blocks were met while the solution moved: the last of them were better than their mean.
		if guess <= 2*o.Tol || epoch == o.Epochs-1 {
			if res.Residual = s.residual(); ctx.Err() != nil {
				return res, ctx.Err()
			}
			if res.Converged = res.Residual <= o.Tol; res.Converged {
				return res, nil
			}
		} else {
			res.Residual = guess
		}
	}
	return res, nil
}

func (o ASkotch) withDefaults(n int) ASkotch {
	if o.Block == 0 {
		o.Block = max(n/100, 50)
	}
	o.Block = min(o.Block, n)
	if o.Rank == 0 {
		o.Rank = 100
	}
	o.Rank = min(o.Rank, o.Block)
	if o.Tol == 0 {
		o.Tol = 1e-6
	}
	if o.Epochs == 0 {
		o.Epochs = 500
	}
	return o
}

// skotch is the iteration.
type skotch struct {
	ASkotch
	a                  BlockOperator
	b, w, v, z         linalg.Matrix[float64]
	alpha, beta, gamma float64
	bnorm, met         []float64 // ‖b‖, and Σ of squares of block residuals in this epoch
	rng                *rand.Rand
	order              []int
}

func newSkotch(o ASkotch, a BlockOperator, x, b linalg.Matrix[float64], rng *rand.Rand) *skotch {
	s := &skotch{ASkotch: o, a: a, b: b.Clone(), w: x.Clone(), v: x.Clone(), z: linalg.New[float64](b.Rows, b.Cols),
		rng:   rng,
		bnorm: make([]float64, b.Cols), met: make([]float64, b.Cols), order: make([]int, b.Rows)}
	columnDots(s.bnorm, b, b)
	for j, v := range s.bnorm {
		s.bnorm[j] = math.Sqrt(v)
	}
	for i := range s.order {
		s.order[i] = i
	}
	nu := float64(b.Rows) / float64(o.Block)
	mu := math.Min(o.Shift, 1/nu)
	s.beta, s.gamma = 1-math.Sqrt(mu/nu), 1/math.Sqrt(mu*nu)
	s.alpha = 1 / (1 + s.gamma*nu)
	return s
}

// draw is Block different coordinates, all equally likely, in increasing order.
func (s *skotch) draw() []int {
	n := len(s.order)
	for i := range s.Block {
		j := i + s.rng.IntN(n-i)
		s.order[i], s.order[j] = s.order[j], s.order[i]
	}
	out := slices.Clone(s.order[:s.Block])
	slices.Sort(out)
	return out
}

func (s *skotch) step(ctx context.Context) error {
	blk := s.draw()
	for i := range s.z.Data {
		s.z.Data[i] = s.alpha*s.v.Data[i] + (1-s.alpha)*s.w.Data[i]
	}
	g := linalg.New[float64](len(blk), s.b.Cols)
	s.a.RowsTo(linalg.Dense(g), blk, linalg.Dense(s.z))
	for r, i := range blk {
		for j := range g.Row(r) {
			g.Row(r)[j] += s.Shift*s.z.At(i, j) - s.b.At(i, j)
			s.met[j] += g.At(r, j) * g.At(r, j)
		}
	}
	d := linalg.New[float64](g.Rows, g.Cols)
	eta := 1.0
	if own, can := s.a.(BlockSolver); !can || !own.SolveBlock(linalg.Dense(d), blk, s.Shift, linalg.Dense(g)) {
		var err error
		if eta, err = s.approximate(ctx, d, blk, g); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err // products were left unfinished
	}
	copy(s.w.Data, s.z.Data)
	for i := range s.v.Data {
		s.v.Data[i] = s.beta*s.v.Data[i] + (1-s.beta)*s.z.Data[i]
	}
	for r, i := range blk {
		for j := range d.Row(r) {
			s.w.Row(i)[j] -= eta * d.At(r, j)
			s.v.Row(i)[j] -= s.gamma * eta * d.At(r, j)
		}
	}
	return nil
}

// approximate sets d = (Â + ρI)⁻¹g of a block and returns η.
func (s *skotch) approximate(
	ctx context.Context, d linalg.Matrix[float64], blk []int, g linalg.Matrix[float64],
) (eta float64, err error) {
	kbb := linalg.New[float64](len(blk), len(blk))
	s.a.BlockTo(linalg.Dense(kbb), blk)
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	pre, err := s.precondition(kbb)
	if err != nil {
		return 0, err
	}
	pre.ApplyTo(linalg.Dense(d), linalg.Dense(g))
	return 1 / s.largest(kbb, pre), nil
}

// precondition is (Â + ρI)⁻¹ for the Nyström approximation Â = Y(ΩᵀY)⁻¹Yᵀ, Y = AΩ with an
// orthonormal Ω, stabilised by a shift of rounding size (Frangella, Tropp and Udell 2023, algorithm
// 2.1).
func (s *skotch) precondition(k linalg.Matrix[float64]) (*LowRank, error) {
	b := k.Rows
	omega := linalg.New[float64](b, s.Rank)
	for i := range omega.Data {
		omega.Data[i] = s.rng.NormFloat64()
	}
	omega = linalg.NewQR(s.Threads, omega).ThinQ(s.Threads)
	y := linalg.New[float64](b, s.Rank)
	linalg.Gemm(s.Threads, linalg.NoTrans, linalg.NoTrans, 1, k, omega, 0, y)
	trace := 0.0
	for i := range b {
		trace += k.At(i, i)
	}
	shift := 0x1p-50*trace + math.SmallestNonzeroFloat64
	for i := range y.Data {
		y.Data[i] += shift * omega.Data[i]
	}
	inner := linalg.New[float64](s.Rank, s.Rank)
	linalg.Gemm(s.Threads, linalg.Trans, linalg.NoTrans, 1, omega, y, 0, inner)
	for i := range s.Rank { // exact symmetry
		for j := range i {
			mean := (inner.At(i, j) + inner.At(j, i)) / 2
			inner.Set(i, j, mean)
			inner.Set(j, i, mean)
		}
	}
	c, err := linalg.NewCholesky(s.Threads, inner)
	if err != nil {
		return nil, fmt.Errorf("askotch: approximation of a block: %w", err)
	}
	linalg.Trsm(s.Threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, c.L, y)
	gram := linalg.New[float64](s.Rank, s.Rank)
	linalg.Gemm(s.Threads, linalg.Trans, linalg.NoTrans, 1, y, y, 0, gram)
	values, err := linalg.SymEigenValues(s.Threads, gram)
	if err != nil {
		return nil, err
	}
	return NewLowRank(s.Threads, linalg.Dense(y), s.Shift+math.Max(values[0]-shift, 0))
}

// largest is the largest eigenvalue of P(K + Shift·I), from below, by powering from a random start.
func (s *skotch) largest(k linalg.Matrix[float64], pre *LowRank) float64 {
	n := k.Rows
	v, kv := linalg.New[float64](n, 1), linalg.New[float64](n, 1)
	for i := range v.Data {
		v.Data[i] = s.rng.NormFloat64()
	}
	value := 1.0
	for range powerings {
		linalg.Gemm(s.Threads, linalg.NoTrans, linalg.NoTrans, 1, k, v, 0, kv)
		for i := range kv.Data {
			kv.Data[i] += s.Shift * v.Data[i]
		}
		old := norm2(v.Data)
		pre.ApplyTo(linalg.Dense(v), linalg.Dense(kv))
		if value = norm2(v.Data) / old; !(value > 0) {
			return 1
		}
		scale := 1 / norm2(v.Data)
		for i := range v.Data {
			v.Data[i] *= scale
		}
	}
	return math.Max(value, 1)
}

func norm2(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x
	}
	return math.Sqrt(s)
}

// residual is the largest relative residual of a column at w.
func (s *skotch) residual() float64 {
	r := linalg.New[float64](s.b.Rows, s.b.Cols)
	s.a.MulTo(linalg.Dense(r), linalg.Dense(s.w), false)
	for i := range r.Data {
		r.Data[i] += s.Shift*s.w.Data[i] - s.b.Data[i]
	}
	sums := make([]float64, r.Cols)
	columnDots(sums, r, r)
	worst := 0.0
	for j, v := range sums {
		if s.bnorm[j] > 0 {
			worst = math.Max(worst, math.Sqrt(v)/s.bnorm[j])
		}
	}
	return worst
}
