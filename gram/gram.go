package gram

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Gram is all that a solver sees of a kernel and its points. It is safe for
// concurrent use.
type Gram interface {
	Dims() (r, c int)
	// MulTo sets dst = K·v, or Kᵀ·v when trans. dst is already of that shape
	// and shares no memory with v.
	MulTo(dst, v *mat.Dense, trans bool)
	// Diag sets dst to the diagonal.
	Diag(dst []float64)
	// Column sets dst to column j.
	Column(dst []float64, j int)
}

// Accessor is a Gram that also gives rows and rectangles. Everything in this
// package is one.
type Accessor interface {
	Gram
	// Row sets dst to row i.
	Row(dst []float64, i int)
	// Block sets dst[a, b] = K[i+a, j+b].
	Block(dst *mat.Dense, i, j int)
	// Describe says in one line how the matrix is kept, and why.
	Describe() string
}

// Columns32 is a Gram with columns in single precision, the form in which SMO
// reads them.
type Columns32 interface {
	// Column32 returns column j. The slice is shared: do not write to it. It
	// stays valid, whatever the cache does afterwards.
	Column32(j int) []float32
}

// Layout is a way to keep a Gram matrix.
type Layout int

// The layouts.
const (
	Auto    Layout = iota // the fastest that fits the budget
	Full                  // all n² entries
	Half                  // tiles of the lower triangle
	Columns               // recently used columns
	Lazy                  // nothing kept: tiles evaluated in every product
)

func (l Layout) String() string {
	if l < Auto || l > Lazy {
		return fmt.Sprintf("Layout(%d)", int(l))
	}
	return [...]string{"auto", "full", "half", "columns", "lazy"}[l]
}

// Precision is the type entries are kept (or, when lazy, evaluated) in.
// Products are always accumulated over tiles in float64.
type Precision int

// The precisions.
const (
	Double Precision = iota // float64
	Single                  // float32: half the memory, twice the speed, entries to 7 digits
	Either                  // float64 where it fits the budget, else float32 if that fits
)

func (p Precision) String() string {
	if p < Double || p > Either {
		return fmt.Sprintf("Precision(%d)", int(p))
	}
	return [...]string{"float64", "float32", "either"}[p]
}

// Options chooses how a Gram matrix is kept. The zero value means: float64,
// the fastest layout in a quarter of the machine's memory.
type Options struct {
	Bytes     int64  // byte budget; 0 means a quarter of the machine's memory
	Threads   int    // 0 means GOMAXPROCS
	Layout    Layout // Auto, or a layout asked for
	Precision Precision
	ByColumn  bool // columns will be asked for, not products: Auto then prefers Columns to Lazy
	// Device makes the products of K(X, X) where it can, the layout is open or Lazy, and that is
	// worth the while; nil means processors alone. Release gives its memory back.
	Device *Device
}

func (o Options) check() error {
	if o.Bytes < 0 {
		return fault.Errorf("gram", "byte budget is %d; want a positive number, or 0 for a quarter of memory", o.Bytes)
	}
	if o.Layout < Auto || o.Layout > Lazy {
		return fault.Errorf("gram", "unknown layout %d", int(o.Layout))
	}
	if o.Precision < Double || o.Precision > Either {
		return fault.Errorf("gram", "unknown precision %d", int(o.Precision))
	}
	return nil
}

// New returns K(X, X). When ctx ends before it is made, the error is that of ctx; a layout that
// evaluates when asked gives unfinished values once ctx has ended, so who works with one looks at
// ctx before believing a result.
func New[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], o Options) (Accessor, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkPoints(k, x); err != nil {
		return nil, err
	}
	n := x.Len()
	c, err := choose(n, n, true, o)
	if err != nil {
		return nil, err
	}
	c.ctx = ctx
	if g, err := newSparseProduct(ctx, k, x, o); g != nil || err != nil {
		return g, err
	}
	tiles := kernel.Prepare(ctx, k, x, x)
	diag := make([]float64, n)
	tiles.Diag(diag)
	if err := tiles.Err(); err != nil {
		return nil, err
	}
	if err := finiteSelves(diag, "row"); err != nil {
		return nil, err
	}
	build := func(c choice) (Accessor, error) { return c.build(tiles, diag) }
	if o.Device.usable() && !o.ByColumn && (o.Layout == Auto || o.Layout == Lazy) {
		free := c
		free.Layout = Lazy
		entries, err := build(free)
		if err != nil {
			return nil, err
		}
		if g := newDeviceGram(c, k, x, entries, func() (Accessor, error) { return build(c) }); g != nil {
			return g, nil
		}
	}
	return build(c)
}

// Cross returns the rectangle K(X, Y): rows are x, columns are y. For ctx see New.
func Cross[T any](ctx context.Context, k kernel.Kernel[T], x, y data.Points[T], o Options) (Accessor, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dx, err := selfValues(ctx, k, x, "row")
	if err != nil {
		return nil, err
	}
	dy, err := selfValues(ctx, k, y, "column")
	if err != nil {
		return nil, err
	}
	if err := kernel.CheckPair(k, x, y); err != nil {
		return nil, fault.In("gram", err)
	}
	c, err := choose(len(dx), len(dy), false, o)
	if err != nil {
		return nil, err
	}
	c.ctx = ctx
	return c.build(kernel.Prepare(ctx, k, x, y), nil)
}

// Precomputed wraps a symmetric matrix given by the user; nothing is copied.
// It refuses a matrix that is not square, not finite, or not symmetric to
// 1e-8 of its largest entry.
func Precomputed(m *mat.Dense, threads int) (Dense, error) {
	a := linalg.Of(m)
	if a.Rows != a.Cols || a.Rows == 0 {
		return Dense{}, fault.Errorf("gram",
			"a precomputed Gram matrix must be square and not empty, this is %d×%d; for K(X, Y) use PrecomputedCross", a.Rows,
			a.Cols)
	}
	d, err := PrecomputedCross(m, threads)
	if err != nil {
		return Dense{}, err
	}
	scale := 0.0
	for i := range a.Rows {
		for _, v := range a.Row(i) {
			scale = math.Max(scale, math.Abs(v))
		}
	}
	for i := range a.Rows {
		for j := range i {
			if math.Abs(a.At(i, j)-a.At(j, i)) > 1e-8*scale {
				return Dense{}, fault.Errorf("gram",
					"precomputed matrix is not symmetric: entry (%d, %d) is %g but (%d, %d) is %g; symmetrise it first", i, j,
					a.At(i, j), j, i, a.At(j, i))
			}
		}
	}
	d.symmetric = true
	return d, nil
}

// PrecomputedCross wraps a rectangle K(X, Y) given by the user; nothing is
// copied.
func PrecomputedCross(m *mat.Dense, threads int) (Dense, error) {
	a := linalg.Of(m)
	if i, j, bad := notFinite(a); bad {
		return Dense{}, fault.Errorf("gram", "precomputed entry (%d, %d) is %g", i, j, a.At(i, j))
	}
	return Dense{stored[float64]{m: a, threads: threads, why: "given by the caller"}}, nil
}

// selfValues returns k(xᵢ, xᵢ), and refuses what cannot be a row of a kernel
// matrix. A finite diagonal bounds every entry of a positive semi-definite
// matrix: |k(x, y)|² ≤ k(x, x)·k(y, y).
func selfValues[T any](ctx context.Context, k kernel.Kernel[T], x data.Points[T], what string) ([]float64, error) {
	if err := checkPoints(k, x); err != nil {
		return nil, err
	}
	diag := make([]float64, x.Len())
	if err := kernel.Diag(ctx, k, diag, x); err != nil {
		return nil, err
	}
	return diag, finiteSelves(diag, what)
}

// checkPoints refuses what has no kernel matrix.
func checkPoints[T any](k kernel.Kernel[T], x data.Points[T]) error {
	if k == nil {
		return fault.Errorf("gram", "no kernel")
	}
	if x == nil || x.Len() == 0 {
		return fault.Errorf("gram", "no points")
	}
	if err := kernel.Check(k, x); err != nil {
		return fault.In("gram", err)
	}
	return nil
}

func finiteSelves(diag []float64, what string) error {
	for i, v := range diag {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fault.Errorf("gram",
				"k(x, x) of %s %d is %g: the point holds NaN or Inf, or the kernel overflows there; scale the data", what, i, v)
		}
	}
	return nil
}

// notFinite finds the first NaN or Inf.
func notFinite[F linalg.Float](m linalg.Matrix[F]) (int, int, bool) {
	for i := range m.Rows {
		// NaN if and only if some entry is NaN or Inf. Four sums: none waits for the one before.
		var a, b, c, d F
		row := m.Row(i)
		j := 0
		for ; j+4 <= len(row); j += 4 {
			a += row[j] * 0
			b += row[j+1] * 0
			c += row[j+2] * 0
			d += row[j+3] * 0
		}
		for ; j < len(row); j++ {
			a += row[j] * 0
		}
		if a+b+c+d != 0 {
			for j, v := range row {
				if v*0 != 0 {
					return i, j, true
				}
			}
		}
	}
	return 0, 0, false
}

// allNotFinite is notFinite of a large matrix, some rows in each goroutine; the first entry in the
// order of rows.
func allNotFinite[F linalg.Float](threads int, m linalg.Matrix[F]) (int, int, bool) {
	type place struct {
		i, j int
		bad  bool
	}
	const tall = 64
	places := make([]place, (m.Rows+tall-1)/tall)
	par.For(threads, m.Rows, tall, func(lo, hi int) {
		i, j, bad := notFinite(m.Slice(lo, hi, 0, m.Cols))
		places[lo/tall] = place{lo + i, j, bad}
	})
	for _, p := range places {
		if p.bad {
			return p.i, p.j, true
		}
	}
	return 0, 0, false
}
