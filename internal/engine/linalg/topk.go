package linalg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/mercer-ml/mercer/internal/engine/par"
)

// Which says which end of the spectrum is wanted.
type Which int

const (
	// LargestAlgebraic wants the largest eigenvalues, largest first.
	LargestAlgebraic Which = iota
	// LargestMagnitude wants the largest absolute values, largest first.
	LargestMagnitude
	// SmallestAlgebraic wants the smallest (most negative) eigenvalues, smallest first.
	SmallestAlgebraic
)

// TopKOptions steers TopK; the zero value is ready to use.
type TopKOptions struct {
	Which     Which
	Tolerance float64 // residual ‖A·v − λ·v‖ allowed, relative to ‖A‖; 0 means 1e-10
	// columns multiplied at once; 0 means 4, for more than 16 pairs a quarter of k, at most 32; for
	// the largest of a small matrix 1 where that is seen to do
	Block int
	// vectors kept before a restart, each of n numbers; 0 means max(64, 10·Block, 3·(k+Block)), and
	// never less than k + 2·Block, nor than 2·(k + max(Block, 4)) where k > Block
	MaxBasis    int
	MaxProducts int // columns multiplied before giving up; 0 means 100·(k + MaxBasis)
	// an operator of at most this order is decomposed whole once 2n columns were of no avail; 0
	// means 4096, negative means never
	DenseLimit int
	Seed       uint64 // of the starting block
	Threads    int
	Trace      func(TopKStep) // called at every look at the pairs; nil means nobody listens
}

// TopKStep is the state of TopK at a look.
type TopKStep struct {
	Products int     // columns multiplied so far
	Basis    int     // vectors in the basis
	Residual float64 // largest estimated residual of the k wanted pairs, relative to ‖A‖
}

// Eigs are eigenpairs with the proof of their quality.
type Eigs struct {
	Values    []float64       // in the order that Which names
	Vectors   Matrix[float64] // in the columns, orthonormal
	Residuals []float64       // ‖A·v − λ·v‖₂ of each pair, from products with A
	Norm      float64         // the largest |eigenvalue estimate| met, a lower bound of ‖A‖₂
	Products  int             // columns multiplied by A in all
	Restarts  int
}

// TopK computes k eigenpairs at an end of the spectrum of the symmetric
// operator op by block Lanczos with full reorthogonalisation and thick restart
// (Golub & Underwood 1977; Wu & Simon 2000).
//
// Of a DenseOp, which must be symmetric like every operator here, and of a
// SymmetricOp only the lower triangle is read, once for each block.
//
// Each pair comes with its residual r = ‖A·v − λ·v‖: there is an eigenvalue of
// A within r of λ. A Krylov method alone would find an eigenvalue that is repeated
// more often than Block too few times: with fewer columns than pairs wanted, TopK looks
// for hidden copies from random vectors before it returns, and widens the block when it
// finds one. That none is missed is then certain but for a probability of some 1e-5.
//
// The error is a *NoConvergence, together with the best pairs found, a
// *NotFinite when the operator returns one, or the context's.
func TopK(ctx context.Context, op Operator, k int, o TopKOptions) (*Eigs, error) {
	n, c := op.Dims()
	if n != c || k < 0 || k > n {
		panic(fmt.Sprintf("linalg: top %d eigenpairs of a %d×%d operator", k, n, c))
	}
	if k == 0 {
		return &Eigs{Vectors: New[float64](n, 0)}, nil
	}
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	var matrix Matrix[float64]
	switch op := op.(type) {
	case DenseOp:
		matrix, o.Threads = op.A, op.Threads
	case SymmetricOp:
		matrix, o.Threads = op.A, op.Threads
	}
	// A matrix that stays in the cache is read as fast for one column as for four, and a basis of
	// single vectors reaches further. It sees one copy of each eigenvalue only; those of kernels
	// are seldom repeated at this end, and where they may be, blocks begin anew.
	single := o.Block == 0 && matrix.Rows > 0 && n < sharedOrder && k <= 16 && o.Which == LargestAlgebraic
	if o.Block == 0 {
		o.Block = min(max(k/4+3, 4)/4*4, 32) // the products take four columns at a time
	}
	if o.MaxBasis == 0 {
		o.MaxBasis = max(64, 10*o.Block, 3*(k+o.Block))
	}
	o.MaxBasis = max(o.MaxBasis, k+2*o.Block)
	if k > o.Block {
		o.MaxBasis = max(o.MaxBasis, 2*(k+max(o.Block, hiddenBlock))) // room for blocks widened by hidden directions
	}
	if o.MaxProducts == 0 {
		o.MaxProducts = 100 * (k + o.MaxBasis)
	}
	if o.DenseLimit == 0 {
		o.DenseLimit = 4096
	}
	if o.MaxBasis >= n {
		return topKDense(ctx, op, k, o, 0)
	}
	spent := 0
	if single {
		s := &lanczos{op: op, matrix: matrix, n: n, k: k, o: o, random: topKRandom(o.Seed), single: true}
		s.o.Block = 1
		e, err := s.run(ctx)
		if err != errHidden {
			return e, err
		}
		spent = e.Products
	}
	s := &lanczos{op: op, matrix: matrix, n: n, k: k, o: o, random: topKRandom(o.Seed)}
	e, err := s.run(ctx)
	if e != nil {
		e.Products += spent
	}
	return e, err
}

func topKRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x746f706b)) }

// before orders eigenvalues by what is wanted.
func (w Which) before(a, b float64) int {
	switch w {
	case SmallestAlgebraic:
		return cmp.Compare(a, b)
	case LargestMagnitude:
		return cmp.Compare(math.Abs(b), math.Abs(a))
	}
	return cmp.Compare(b, a)
}

// ranked lists the indices of values, wanted ones first.
func (w Which) ranked(values []float64) []int {
	index := par.Indices(0, len(values))
	slices.SortStableFunc(index, func(a, b int) int { return w.before(values[a], values[b]) })
	return index
}

// topKDense serves operators so small that the basis would be the whole space,
// or so unwilling that it is cheaper. products were spent before.
func topKDense(ctx context.Context, op Operator, k int, o TopKOptions, products int) (*Eigs, error) {
	n, _ := op.Dims()
	a := New[float64](n, n)
	const slab = 256 // columns between looks at the context
	for c0 := 0; c0 < n; c0 += slab {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c1 := min(c0+slab, n)
		unit, image := New[float64](n, c1-c0), New[float64](n, c1-c0)
		for c := c0; c < c1; c++ {
			unit.Set(c, c-c0, 1)
		}
		op.MulTo(Dense(image), Dense(unit), false)
		a.Slice(0, n, c0, c1).CopyFrom(image)
	}
	if _, err := finiteAll(a); err != nil {
		return nil, err
	}
	for i := range n { // the symmetric part, should op be symmetric to rounding only
		for j := range i {
			a.Set(i, j, 0.5*a.At(i, j)+0.5*a.At(j, i))
		}
	}
	values, vectors, err := symEigen(crew{threads: o.Threads, ctx: ctx}, a, Selection{})
	if err != nil {
		return nil, err
	}
	e := &Eigs{Values: make([]float64, k), Products: products + n}
	rows := New[float64](k, n)
	for i, j := range o.Which.ranked(values)[:k] {
		e.Values[i] = values[j]
		for r := range n {
			rows.Set(i, r, vectors.At(r, j))
		}
	}
	for _, w := range values {
		e.Norm = max(e.Norm, math.Abs(w))
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	image := New[float64](k, n)
	(&lanczos{op: op, n: n, o: o}).multiply(image, rows)
	e.Products += k
	return e.certify(rows, image, o)
}

// certify fills in vectors and residuals from vectors in rows and their images
// under the operator, and returns an error unless they are within tolerance.
func (e *Eigs) certify(rows, image Matrix[float64], o TopKOptions) (*Eigs, error) {
	k, n := rows.Rows, rows.Cols
	e.Vectors = New[float64](n, k)
	transposeRows(crew{threads: o.Threads}, e.Vectors, rows, par.Indices(0, k))
	e.Residuals = make([]float64, k)
	scale := unitScale(e.Norm) // squares must not overflow
	for j := range k {
		sum, v := 0.0, rows.Row(j)
		for i, w := range image.Row(j) {
			r := w*scale - e.Values[j]*scale*v[i]
			sum += r * r
		}
		e.Residuals[j] = math.Sqrt(sum) / scale
	}
	for j, r := range e.Residuals {
		if !(r <= o.Tolerance*e.Norm) {
			return e, &NoConvergence{Algorithm: "block Lanczos", Index: j, Iterations: e.Products, Residual: r / e.Norm}
		}
	}
	return e, nil
}
