package linalg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
)

// lanczos is the state of a block Lanczos run. Vectors are rows of basis.
//
// With Q the basis, X its last block, and N the block to come,
// A·Q = Q·H + N·B·(columns of X), so a Ritz pair (θ, Q·s) has the residual
// ‖B·s_X‖. After a thick restart Q begins with Ritz vectors, and the same holds.
type lanczos struct {
	op     Operator
	matrix Matrix[float64] // of op, when it is one: its lower triangle
	single bool            // blocks of one row, given up where they may hide something
	n, k   int
	o      TopKOptions
	random *rand.Rand
	team   *team     // for the many short parallel steps
	symm   *symmWork // for products with matrix

	basis     Matrix[float64] // MaxBasis rows
	images    Matrix[float64] // scale·A times each row of basis, for the certificate
	m         int             // of which are in use
	last      int             // rows of the last block
	widest    int             // rows of the largest block so far
	h         Matrix[float64] // H, in the leading m×m
	next      Matrix[float64] // N: rows, at most Block
	coupling  Matrix[float64] // B: next.Rows × last
	invariant bool            // the basis was an invariant subspace at some time
	scale     float64         // a power of two: the numbers here are those of scale·A
	norm      float64         // largest |Ritz value| so far
	products  int
	looked    look // the last
	restarts  int
}

func (s *lanczos) run(ctx context.Context) (*Eigs, error) {
	members := int(1)
	// another operator has goroutines of its own, in whose way a waiting team would be
	if s.matrix.Rows > 0 && s.n >= sharedOrder {
		members = s.o.Threads
	}
	s.team, s.symm = newTeam(members), newSymmWork(s.n)
	defer func() { s.team.close() }()
	s.basis = New[float64](s.o.MaxBasis, s.n)
	s.images = New[float64](s.o.MaxBasis, s.n)
	s.h = New[float64](s.o.MaxBasis, s.o.MaxBasis)
	s.next = s.orthonormal(New[float64](0, s.n), s.o.Block)
	tolerance := s.o.Tolerance
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.extend(); err != nil {
			return nil, err
		}
		if s.m < s.k || (s.m < s.k+2*s.o.Block && s.coupling.Rows > 0 && !s.invariant) {
			continue // too early to be worth a look
		}
		if s.spareLook() {
			continue
		}
		values, vectors, err := SymEigen(1, s.projected()) // too small to share
		if err != nil {
			return nil, err
		}
		order := s.o.Which.ranked(values)
		s.norm = max(s.norm, math.Abs(values[0]), math.Abs(values[s.m-1]))
		residual := s.estimate(vectors, order[:s.k])
		if s.o.Trace != nil {
			s.o.Trace(TopKStep{Products: s.products, Basis: s.m, Residual: residual / max(s.norm, math.SmallestNonzeroFloat64)})
		}
		s.looked = s.looked.after(s.products, s.m, residual/max(0.5*tolerance*s.norm, math.SmallestNonzeroFloat64))
		given := s.products >= s.o.MaxProducts
		if residual <= 0.5*tolerance*s.norm || given {
			e := &Eigs{Norm: s.norm / s.scale, Products: s.products, Restarts: s.restarts, Values: make([]float64, s.k)}
			for i, j := range order[:s.k] {
				e.Values[i] = values[j] / s.scale
			}
			image := s.combine(s.images, vectors, order[:s.k])
			scaleVec(1/s.scale, image.Data)
			e, err := e.certify(s.combine(s.basis, vectors, order[:s.k]), image, s.o)
			var missed *NoConvergence
			if given || err != nil && !errors.As(err, &missed) {
				return e, err
			}
			if err != nil {
				tolerance *= 0.1 // the estimate was too hopeful: ask more of it
			} else if s.widest >= s.k {
				return e, nil
			} else {
				found, err := s.hidden(ctx, values[order[s.k-1]])
				if err != nil {
					return nil, err
				}
				if found.Rows == 0 {
					e.Products = s.products
					return e, nil
				}
				if s.single {
					return &Eigs{Products: s.products}, errHidden
				}
				s.widen(found)
			}
		}
		if s.n <= s.o.DenseLimit && s.products >= 2*s.n {
			s.team.close()
			s.team = newTeam(1)
			return topKDense(ctx, s.op, s.k, s.o, s.products)
		}
		if s.m+s.next.Rows > s.o.MaxBasis {
			s.restart(values, vectors, order)
		}
	}
}

// sharedOrder is the order of a matrix from which products with it are shared among goroutines.
const sharedOrder = 512

// projected copies the m×m matrix H.
func (s *lanczos) projected() Matrix[float64] { return s.h.Slice(0, s.m, 0, s.m).Clone() }

// extend appends the next block to the basis, multiplies it by the operator,
// and splits the image into H, B and the block after it.
func (s *lanczos) extend() error {
	p := s.next.Rows
	first := s.m
	s.basis.Slice(first, first+p, 0, s.n).CopyFrom(s.next)
	s.m, s.last = first+p, p
	s.widest = max(s.widest, p)
	image, size, err := s.image(s.next)
	if err != nil {
		return err
	}
	s.images.Slice(first, s.m, 0, s.n).CopyFrom(image)

	q := s.basis.Slice(0, s.m, 0, s.n)
	c := s.project(image, q)
	again := s.project(image, q) // twice is enough (Kahan; Giraud, Langou & Rozložník 2005)
	for i := range p {
		for j := range s.m {
			v := c.At(i, j) + again.At(i, j)
			s.h.Set(first+i, j, v)
			if j < first {
				s.h.Set(j, first+i, v)
			}
		}
	}
	for i := first; i < s.m; i++ { // the new diagonal block, symmetric to rounding
		for j := first; j < i; j++ {
			v := 0.5 * (s.h.At(i, j) + s.h.At(j, i))
			s.h.Set(i, j, v)
			s.h.Set(j, i, v)
		}
	}
	s.next = s.orthonormalised(image.Clone(), q, size)
	s.coupling = New[float64](s.next.Rows, p)
	if s.next.Rows > 0 {
		for i := range s.next.Rows {
			dotRows(s.coupling.Row(i), image.Data, image.Stride, s.next.Row(i))
		}
	} else if s.m < s.n {
		// The basis is invariant. What else there is must come from elsewhere.
		s.next = s.orthonormal(q, min(s.o.Block, s.n-s.m))
		s.coupling = New[float64](s.next.Rows, p)
		s.invariant = true
	}
	return nil
}

// image returns scale·A times the rows of x, and the largest norm of a row.
func (s *lanczos) image(x Matrix[float64]) (image Matrix[float64], size float64, err error) {
	image = New[float64](x.Rows, s.n)
	s.multiply(image, x)
	s.products += x.Rows
	sum := 0.0
	for i := range image.Rows {
		sum += simd.Asum(image.Row(i))
	}
	if s.scale != 0 && sum <= math.MaxFloat64 { // then no term of it is infinite or NaN
		return s.scaled(image)
	}
	largest, err := finiteAll(image)
	if bad, ok := err.(*NotFinite); ok {
		// of the product, whose columns are rows here
		return image, 0, &NotFinite{Row: bad.Col, Col: bad.Row, Value: bad.Value}
	}
	if s.scale == 0 {
		s.scale = unitScale(largest)
	}
	return s.scaled(image)
}

// scaled finishes image for finite numbers.
func (s *lanczos) scaled(image Matrix[float64]) (_ Matrix[float64], size float64, err error) {
	scaleVec(s.scale, image.Data)
	for i := range image.Rows {
		size = max(size, math.Sqrt(dotVec(image.Row(i), image.Row(i))))
	}
	return image, size, nil
}

// multiply sets the rows of y to A times the rows of x.
func (s *lanczos) multiply(y, x Matrix[float64]) {
	if s.matrix.Rows > 0 {
		s.symm.multiply(s.team, y, s.matrix, x)
		return
	}
	p := x.Rows
	in, out := New[float64](s.n, p), New[float64](s.n, p)
	transposeRows(crew{threads: s.o.Threads}, in, x, par.Indices(0, p))
	s.op.MulTo(Dense(out), Dense(in), false)
	transposeRows(crew{threads: s.o.Threads}, y, out, par.Indices(0, s.n))
}

// estimate returns the largest residual of the Ritz pairs in the columns
// listed.
func (s *lanczos) estimate(vectors Matrix[float64], columns []int) float64 {
	largest := 0.0
	for _, j := range columns {
		sum := 0.0
		for r := range s.coupling.Rows {
			v := 0.0
			for i, b := range s.coupling.Row(r) {
				v += b * vectors.At(s.m-s.last+i, j)
			}
			sum += v * v
		}
		largest = max(largest, math.Sqrt(sum))
	}
	return largest
}

// combine returns, in rows, the combinations of the rows of q that the listed
// columns of vectors name: of the basis, the Ritz vectors; of the images, theirs.
func (s *lanczos) combine(q, vectors Matrix[float64], columns []int) Matrix[float64] {
	m := vectors.Rows
	coef := New[float64](len(columns), m)
	for i, j := range columns {
		for r := range m {
			coef.Set(i, r, vectors.At(r, j))
		}
	}
	out := New[float64](len(columns), s.n)
	Gemm(s.o.Threads, NoTrans, NoTrans, 1, coef, q.Slice(0, m, 0, s.n), 0, out)
	return out
}

// restart replaces the basis by the Ritz vectors nearest to the wanted end.
func (s *lanczos) restart(values []float64, vectors Matrix[float64], order []int) {
	keep := min(s.k+s.o.Block, s.o.MaxBasis-s.next.Rows, s.m)
	for _, q := range []Matrix[float64]{s.basis, s.images} {
		q.Slice(0, keep, 0, s.n).CopyFrom(s.combine(q, vectors, order[:keep]))
	}
	clear(s.h.Data)
	for i, j := range order[:keep] {
		s.h.Set(i, i, values[j])
	}
	s.m = keep
	s.looked = look{products: s.products, due: s.m}
	s.restarts++
}
