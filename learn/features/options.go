package features

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/blas/blas64"
)

// Options is what all learners of this package can be told. The zero value is a sound choice.
type Options struct {
	Frequencies int    // m, two features each; 0 means ½√n·log n, from 100 to 1000
	Orthogonal  bool   // draw them in blocks of mutually orthogonal ones, which has less variance
	Seed        uint64 // of the draw

	learn.Resources
}

func (o Options) withDefaults(n int) (Options, error) {
	if o.Frequencies < 0 {
		return o, fmt.Errorf("Frequencies is %d; give a positive number, or 0 for ½√n·log n", o.Frequencies)
	}
	if o.Frequencies == 0 {
		o.Frequencies = fewFrequencies(n)
	}
	var err error
	o.Resources, err = o.Resources.WithDefaults()
	return o, err
}

// fewFrequencies: about √n·log n features add an error as small as that of the sample (A. Rudi and
// L. Rosasco 2017).
func fewFrequencies(n int) int {
	return min(1000, max(100, int(0.5*math.Sqrt(float64(n))*math.Log(float64(n)))))
}

// waves are the features φⱼ(x) = s·h(cⱼ, x) with the Hartley kernel h and the frequencies ±ω as
// centres, s² = k(0)/2m: rotated by 45° they are the cosines and sines of ⟨ω, x⟩.
type waves[T any] struct {
	kernel  kernel.Kernel[T] // Hartley's
	centers data.Points[T]
	base    *kernel.Base[T]
	scale   float64
	threads int
}

// newWaves draws the frequencies of a kernel on points like those given.
func newWaves[T any](k kernel.Kernel[T], like data.Points[T], o Options) (*waves[T], error) {
	w := &waves[T]{threads: o.Threads}
	var dense kernel.Kernel[kernel.Vec]
	dim, sparse := 0, false
	if x, ok := data.VectorsOf(like); ok {
		if dense, ok = kernel.Concrete(k).(kernel.Kernel[kernel.Vec]); !ok {
			return nil, fmt.Errorf("random features need a kernel on vectors, not %s", kernel.NameOf(k))
		}
		dim = len(x.At(0))
		w.kernel = kernel.FromVectors[T](kernel.Kernel[kernel.Vec](kernel.Hartley{}))
	} else if _, sparseRows := data.SparseOfPoints(like); sparseRows {
		lifted, ok := kernel.Concrete(k).(kernel.SparseOf)
		if !ok {
			return nil, fmt.Errorf("random features need the kernel on sparse rows of one on vectors (kernel.OnSparse)")
		}
		on, err := kernel.OnSparse(kernel.Hartley{}, lifted.Dim)
		if err != nil {
			return nil, err
		}
		dense, dim, sparse, w.kernel = lifted.Dense, lifted.Dim, true, kernel.FromSparse[T](on)
	} else {
		return nil, fmt.Errorf("random features are for points that are vectors, not %T", like.At(0))
	}
	if dim == 0 {
		return nil, fmt.Errorf("random features need points of at least one coordinate")
	}
	m, err := gram.NewFourierMap(dense, dim, o.Frequencies, o.Orthogonal, o.Threads, o.Seed)
	if err != nil {
		return nil, err
	}
	measure, err := kernel.SpectralOf(dense, dim)
	if err != nil {
		return nil, err
	}
	w.scale = math.Sqrt(measure.Mass() / float64(2*o.Frequencies))
	both := linalg.New[float64](2*o.Frequencies, dim)
	omega := linalg.Of(m.Frequencies())
	for i := range o.Frequencies {
		for j, v := range omega.Row(i) {
			both.Set(2*i, j, v)
			both.Set(2*i+1, j, -v)
		}
	}
	if sparse {
		w.centers = data.FromSparse[T](sparseRows(both))
	} else {
		w.centers = data.FromVectors[T](data.RowsOf(blas64.General(both)))
	}
	w.base = kernel.NewBase(w.kernel, w.centers)
	return w, nil
}

func sparseRows(m linalg.Matrix[float64]) data.SparseRows {
	rows := make([]data.SparseVec, m.Rows)
	for i := range rows {
		for j, v := range m.Row(i) {
			if v != 0 {
				rows[i].Index, rows[i].Value = append(rows[i].Index, int32(j)), append(rows[i].Value, v)
			}
		}
	}
	return data.SparseOf(rows, m.Cols)
}

func (w *waves[T]) dim() int { return w.centers.Len() }

// fill sets row i of dst to φ of point i.
func (w *waves[T]) fill(ctx context.Context, dst linalg.Matrix[float64], x data.Points[T]) error {
	if err := kernel.Fill(w.threads, blas64.General(dst), w.base.Prepare(ctx, x)); err != nil {
		return err
	}
	fitting.Rows(ctx, w.threads, dst.Rows, 64, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.Row(i)
			for j := range row {
				row[j] *= w.scale
			}
		}
	})
	return ctx.Err()
}

// function is Σ vⱼφⱼ + b, an output for each column of v.
func (w *waves[T]) function(v linalg.Matrix[float64], bias []float64) (*rkhs.Func[T], error) {
	coef := v.Clone()
	for i := range coef.Data {
		coef.Data[i] *= w.scale
	}
	f := &rkhs.Func[T]{Kernel: w.kernel, Centers: w.centers, Coef: linalg.Dense(coef), Bias: bias}
	return f, fitting.FiniteCoefficients(f)
}

// blockRows is how many rows are in memory at a time.
const blockRows = 1024

// pass calls f with the features of the rows, a block after the other, each checked as it comes.
// The frequencies are drawn when the first block tells the number of columns.
func pass[T any](
	ctx context.Context, k kernel.Kernel[T], rows data.Source[T], o Options, w **waves[T],
	f func(b data.Block[T], phi linalg.Matrix[float64]) error,
) error {
	var all linalg.Matrix[float64]
	width := -1
	return rows.Pass(ctx, blockRows, func(b data.Block[T]) error {
		if err := fitting.CheckBlock(k, b); err != nil {
			return err
		}
		if *w == nil {
			made, err := newWaves(k, b.Points, o)
			if err != nil {
				return err
			}
			*w = made
		}
		if x, ok := any(b.Points.At(0)).(kernel.Vec); ok {
			if width < 0 {
				width = len(any((*w).centers.At(0)).(kernel.Vec))
			}
			if len(x) != width {
				return fmt.Errorf("row %d has %d coordinates, those before %d", b.First, len(x), width)
			}
		}
		if all.Rows < b.Len() {
			all = linalg.New[float64](b.Len(), (*w).dim())
		}
		phi := all.Slice(0, b.Len(), 0, (*w).dim())
		if err := (*w).fill(ctx, phi, b.Points); err != nil {
			return err
		}
		return f(b, phi)
	})
}

// bytesFor is what a fit of some outputs holds: with squares the equations, their factor and a
// copy; blocks of features; weights and their averages.
func bytesFor(frequencies, outputs int, squares bool) int64 {
	d := int64(2*frequencies + 1 + outputs)
	bytes := 8 * (2*blockRows*d + 4*d*int64(outputs))
	if squares {
		bytes += 8 * 3 * d * d
	}
	return bytes
}
