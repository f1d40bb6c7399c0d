package model

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/savedkind"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Projections and groupings of a precomputed kernel: a point is its row of kernel values with the
// training objects, and a centre the number of one of them, as in kernelValues. What k(x, x) of a
// new point is nobody knows, so that what depends on it (distances, residuals) is left out.

// valuesText is what a file has for the text of such a kernel.
const valuesText = "precomputed()"

// numberObjects is how many training objects there were, among the numbers of the file.
const numberObjects = "objects"

// Objects is the number of training objects.
func (k kernelValues) Objects() int { return k.objects }

// valuesOf is the kernel of a function on the numbers of training objects: one that says how many
// there are.
func valuesOf(k kernel.Kernel[kernel.Vec]) (kernelValues, bool) {
	of, ok := k.(interface{ Objects() int })
	if !ok {
		return kernelValues{}, false
	}
	return kernelValues{of.Objects()}, true
}

// checkValues refuses what a file of a precomputed kernel cannot hold.
func (t *transform) checkValues(k kernelValues, centers data.DenseRows) error {
	switch t.plain.Kind {
	case savedkind.PCA, savedkind.KMeans, savedkind.Spectral:
	default:
		return fmt.Errorf("%s of a precomputed kernel has no file", t.plain.Kind)
	}
	if k.objects < 1 || centers.Dim() != 1 {
		return fmt.Errorf("%d training objects, centres of %d columns", k.objects, centers.Dim())
	}
	for i := range centers.Len() {
		if v := centers.At(i)[0]; v != math.Trunc(v) || !(v >= 0 && v < float64(k.objects)) {
			return fmt.Errorf("centre %d is training object %g of %d", i, v, k.objects)
		}
	}
	return nil
}

// onValues says whether the kernel was precomputed, and of how many objects.
func (t *transform) onValues() (objects int, ok bool) {
	if len(t.plain.Funcs) == 0 {
		return 0, false
	}
	k, ok := kernel.Concrete(t.plain.Funcs[0].Kernel).(kernelValues)
	return k.objects, ok
}

// width is the features of a point of the first function.
func (t *transform) width() int {
	if n, ok := t.onValues(); ok {
		return n
	}
	return t.dimOf(0)
}

// dimOf is the features of what a function sees.
func (t *transform) dimOf(function int) int {
	if t.parts != nil {
		return t.parts[function].schema.Dim
	}
	x, _ := data.VectorsOf(t.plain.Funcs[function].Centers)
	return x.(data.DenseRows).Dim()
}

// values evaluates a function on rows of kernel values.
func values(ctx context.Context, of *rkhs.Func[any], in input) (*mat.Dense, error) {
	f, _ := rkhs.OnVectors(of)
	x := in.rows
	if err := f.Kernel.(kernelValues).CheckPair(f.Centers, x); err != nil {
		return nil, err
	}
	out := mat.NewDense(x.Len(), f.Outputs(), nil)
	return out, f.EvaluateTo(ctx, out, x, rkhs.EvalOptions{})
}

// nearestMeans is the group of each row whose mean is nearest: ‖φ(x) − μ‖² without k(x, x), which
// is the same for all groups.
func (t *transform) nearestMeans(norm []float64) applied {
	return func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		codes := make([]int, x.len())
		if len(codes) == 0 {
			return []data.Column{codeColumn("cluster", codes)}, nil
		}
		f, err := values(ctx, t.plain.Funcs[0], x)
		if err != nil {
			return nil, err
		}
		for i := range codes {
			for c, v := range f.RawRowView(i) {
				if best := codes[i]; norm[c]-2*v < norm[best]-2*f.At(i, best) {
					codes[i] = c
				}
			}
		}
		return []data.Column{codeColumn("cluster", codes)}, nil
	}
}

// nearestDirections continues eigenvectors to rows of kernel values (cluster.SpectralModel.Assign).
func (t *transform) nearestDirections(centers linalg.Matrix[float64]) applied {
	return func(ctx context.Context, x input, _ TransformOptions, _ []float64) ([]data.Column, error) {
		codes := make([]int, x.len())
		if len(codes) == 0 {
			return []data.Column{codeColumn("cluster", codes)}, nil
		}
		f, err := values(ctx, t.plain.Funcs[0], x)
		if err != nil {
			return nil, err
		}
		for i := range codes {
			row := f.RawRowView(i)
			length := mat.Norm(mat.NewVecDense(len(row), row), 2)
			if length == 0 {
				return nil, fmt.Errorf("row %d has no weight to any of the training objects: no group is nearer than another", i)
			}
			best := math.Inf(1)
			for c := range centers.Rows {
				d := 0.0
				for j, v := range centers.Row(c) {
					d += (row[j]/length - v) * (row[j]/length - v)
				}
				if d < best {
					codes[i], best = c, d
				}
			}
		}
		return []data.Column{codeColumn("cluster", codes)}, nil
	}
}
