package stat

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// pooled is the Gram matrix of the pooled points, centred: K̃ = HKH.
//
// Both statistics are unchanged when f(z) + f(z') is added to the kernel, so
// that K̃ may stand for K; as its rows sum to zero, a choice s ∈ {0,1}^N of m
// points has
//
//	sᵀK̃s = (1−s)ᵀK̃(1−s) = −sᵀK̃(1−s) = A,
//
// and both statistics are functions of A and d = Σ sᵢK̃ᵢᵢ alone. Besides,
// centring removes the common part of the kernel values before they are
// summed.
type pooled struct {
	m, n    int
	k       linalg.Matrix[float64] // centred, where it fits the byte budget
	lazy    gram.Accessor          // else the kernel itself, centred in each product
	diag    []float64              // of K̃
	trace   float64
	largest float64 // of the diagonal, which bounds every entry
	threads int
}

// close gives the memory of a device back.
func (p *pooled) close() {
	if p.lazy != nil {
		gram.Release(p.lazy)
	}
}

// form is what a choice of m points has to say.
type form struct{ a, d float64 }

func newPooled(ctx context.Context, k kernel.Kernel[any], x, y data.Points[any], s TestSettings) (*pooled, error) {
	o := gram.Options{Bytes: s.Bytes, Threads: s.Threads}
	bytes := s.Bytes
	if bytes == 0 {
		bytes = par.DefaultBytes()
	}
	if n := float64(x.Len() + y.Len()); s.Null == NullPermutation { // the others ask for the matrix itself
		o.Device = s.Device
	} else if 8*n*n <= float64(bytes) {
		o.Layout = gram.Full
	}
	g, err := gram.New(ctx, k, pool(x, y), o)
	if err != nil {
		return nil, fault.Errorf("stat", "MMD: %w", err)
	}
	p := centredPool(g, x.Len(), y.Len(), s.Threads)
	if err := ctx.Err(); err != nil {
		return nil, err // products with the Gram matrix were left unfinished
	}
	return p, nil
}

func centredPool(g gram.Accessor, m, n int, threads int) *pooled {
	p := &pooled{m: m, n: n, diag: make([]float64, m+n), threads: threads}
	if d, ok := g.(gram.Dense); ok {
		p.k = linalg.Matrix[float64](d.RawMatrix())
		center(threads, p.k)
		for i := range p.diag {
			p.diag[i] = p.k.At(i, i)
		}
	} else {
		p.lazy = g
		p.lazyDiag()
	}
	for _, v := range p.diag {
		p.trace += v
		p.largest = math.Max(p.largest, math.Abs(v))
	}
	return p
}

// lazyDiag sets the centred diagonal without the matrix.
func (p *pooled) lazyDiag() {
	size := p.m + p.n
	one, sum := linalg.New[float64](size, 1), linalg.New[float64](size, 1)
	for i := range one.Data {
		one.Data[i] = 1 / float64(size)
	}
	p.lazy.MulTo(linalg.Dense(sum), linalg.Dense(one), false)
	all := 0.0
	for _, v := range sum.Data {
		all += v / float64(size)
	}
	p.lazy.Diag(p.diag)
	for i := range p.diag {
		p.diag[i] += all - 2*sum.Data[i]
	}
}

// center replaces a symmetric matrix by H·K·H, H = I − 1·1ᵀ/n.
func center(threads int, k linalg.Matrix[float64]) {
	n := k.Rows
	mean := make([]float64, n)
	par.For(threads, n, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			s := 0.0
			for _, v := range k.Row(i) {
				s += v
			}
			mean[i] = s / float64(n)
		}
	})
	all := 0.0
	for _, v := range mean {
		all += v
	}
	all /= float64(n)
	par.For(threads, n, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, shift := k.Row(i), all-mean[i]
			for j := range row {
				row[j] += shift - mean[j]
			}
		}
	})
}

// observed is the choice that the data are: the first m points.
func (p *pooled) observed() form {
	s := linalg.New[float64](p.m+p.n, 1)
	for i := range p.m {
		s.Data[i] = 1
	}
	f := make([]form, 1)
	if err := p.forms(context.Background(), s, f); err != nil {
		return form{a: math.NaN()}
	}
	return f[0]
}

// permute sets draws to the statistic of random choices of m points.
func (p *pooled) permute(ctx context.Context, s TestSettings, purpose int, e MMDEstimate, draws []float64) error {
	size := p.m + p.n
	batch := min(permutationBatch, s.Permutations)
	choices, f := linalg.New[float64](size, batch), make([]form, batch)
	return s.inBatches(ctx, func(lo, hi int) error {
		c := choices.Slice(0, size, 0, hi-lo)
		p.choose(s, purpose, lo, c)
		if err := p.forms(ctx, c, f[:hi-lo]); err != nil {
			return err
		}
		for b := lo; b < hi; b++ {
			draws[b] = p.statistic(e, f[b-lo])
		}
		return nil
	})
}

// choose fills the columns of c with random choices of m points, numbers lo,
// lo+1, …. They are the same for every kernel.
func (p *pooled) choose(s TestSettings, purpose, lo int, c linalg.Matrix[float64]) {
	par.For(p.threads, c.Cols, 8, func(from, to int) {
		work := make([]int32, c.Rows)
		for b := from; b < to; b++ {
			subset(c.Data[b:], c.Stride, c.Rows, p.m, work, s.stream(purpose, lo+b))
		}
	})
}

// A piece of forms is a block of rows of K̃ and some of the choices. Each is work for one
// goroutine: products of a few hundred rows in several at a time, one after the other, waited more
// than they multiplied.
const (
	formRows    = 256
	formChoices = 128
)

// forms sets f[b] for each column of c. Half of the matrix is enough: with
// blocks of rows I, sᵀK̃s = Σ_I s_Iᵀ(2·K̃_{I,<I}·s_{<I} + K̃_{I,I}·s_I).
func (p *pooled) forms(ctx context.Context, c linalg.Matrix[float64], f []form) error {
	clear(f)
	if p.lazy != nil {
		return p.lazyForms(c, f)
	}
	blocks, across := (c.Rows+formRows-1)/formRows, (c.Cols+formChoices-1)/formChoices
	sums := make([][]form, blocks*across)
	par.For(p.threads, len(sums), 1, func(k, _ int) {
		if ctx.Err() == nil {
			// The last rows meet all the others: they come first.
			sums[k] = p.blockForms(c, (blocks-1-k/across)*formRows, k%across*formChoices)
		}
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	for k, part := range sums {
		for j, v := range part {
			to := &f[k%across*formChoices+j]
			to.a += v.a
			to.d += v.d
		}
	}
	return nil
}

// blockForms is the part of forms of the rows from lo, for the choices from first.
func (p *pooled) blockForms(c linalg.Matrix[float64], lo, first int) []form {
	hi, last := min(lo+formRows, c.Rows), min(first+formChoices, c.Cols)
	rows := linalg.New[float64](hi-lo, last-first)
	linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 1, p.k.Slice(lo, hi, lo, hi), c.Slice(lo, hi, first, last), 0, rows)
	if lo > 0 {
		linalg.Gemm(1, linalg.NoTrans, linalg.NoTrans, 2, p.k.Slice(lo, hi, 0, lo), c.Slice(0, lo, first, last), 1, rows)
	}
	out := make([]form, last-first)
	for i := lo; i < hi; i++ {
		s := c.Row(i)[first:last]
		for j, v := range rows.Row(i - lo) {
			out[j].a += s[j] * v
			out[j].d += s[j] * p.diag[i]
		}
	}
	return out
}

// lazyForms is forms without a stored matrix: W = H·S, A = WᵀKW.
func (p *pooled) lazyForms(c linalg.Matrix[float64], f []form) error {
	w, kw := c.Clone(), linalg.New[float64](c.Rows, c.Cols)
	share := float64(p.m) / float64(c.Rows)
	for i := range w.Data {
		w.Data[i] -= share
	}
	p.lazy.MulTo(linalg.Dense(kw), linalg.Dense(w), false)
	for i := range c.Rows {
		s, left, right := c.Row(i), w.Row(i), kw.Row(i)
		for j := range f {
			f[j].a += left[j] * right[j]
			f[j].d += s[j] * p.diag[i]
		}
	}
	return nil
}

// stack copies n vectors into a matrix.
func stack(n int, at func(i int) kernel.Vec) data.DenseRows {
	m := linalg.New[float64](n, len(at(0)))
	for i := range n {
		copy(m.Row(i), at(i))
	}
	return data.RowsOf(m)
}
