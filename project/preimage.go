package project

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// Preimager finds points whose images in feature space lie near given points
// of the plane of principal components: for each row z of scores a vector x
// with φ(x) ≈ φ̄ + Σⱼ zⱼ·vⱼ. Usually no exact one exists.
type Preimager interface {
	// Preimages returns a row for each row of scores. start, where not nil, has
	// for each a point to start from; a method without iterations ignores it.
	Preimages(ctx context.Context, scores *mat.Dense, start data.Points[kernel.Vec]) (*mat.Dense, error)
	// PreimagesTo sets the rows of dst to what Preimages returns.
	PreimagesTo(ctx context.Context, dst, scores *mat.Dense, start data.Points[kernel.Vec]) error
}

// Denoise projects points on the components of m and returns the pre-images
// of the projections (Mika et al. 1999): what the components do not explain is
// taken to be noise. x may be of any type that m takes; where it is vectors
// they are also the start of an iterative p.
func Denoise[T any](ctx context.Context, m *PCAModel[T], p Preimager, x data.Points[T]) (*mat.Dense, error) {
	z, err := m.Transform(ctx, x)
	if err != nil {
		return nil, err
	}
	start, _ := data.VectorsOf(x)
	return p.Preimages(ctx, z, start)
}

// DenoiseTo sets the rows of dst to what Denoise returns.
func DenoiseTo[T any](ctx context.Context, dst *mat.Dense, m *PCAModel[T], p Preimager, x data.Points[T]) error {
	z, err := m.Transform(ctx, x)
	if err != nil {
		return err
	}
	start, _ := data.VectorsOf(x)
	return p.PreimagesTo(ctx, dst, z, start)
}

// checkScores refuses scores that are not a table of finite numbers of so many
// columns. An empty one is the scores of no points.
func checkScores(scores *mat.Dense, columns int) error {
	if scores == nil {
		return fault.Errorf("project", "no scores: the matrix is nil")
	}
	if scores.IsEmpty() {
		return nil
	}
	r, c := scores.Dims()
	if c != columns {
		return fault.Errorf("project", "row 0 of the scores has %d columns, the model %d components", c, columns)
	}
	for i := range r {
		for j, v := range scores.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Errorf("project", "score in row %d, column %d is %g; remove or replace it", i, j, v)
			}
		}
	}
	return nil
}

// forScores makes room for a vector of so many coordinates a row of scores, and
// fills it.
func forScores(scores *mat.Dense, coordinates int, fill func(dst *mat.Dense) error) (*mat.Dense, error) {
	dst := new(mat.Dense)
	if scores != nil && !scores.IsEmpty() {
		r, _ := scores.Dims()
		dst = mat.NewDense(r, coordinates, nil)
	}
	if err := fill(dst); err != nil {
		return nil, err
	}
	return dst, nil
}

// target is Σᵢ γᵢ φ(cᵢ), the point of the plane with given scores:
// γ = A·z + (coefficients of the mean), since the αⱼ of exact components sum
// to zero and those of low-rank ones are taken about the mean.
type target struct {
	model   *PCAModel[kernel.Vec]
	centers linalg.Matrix[float64]
}

func newTarget(m *PCAModel[kernel.Vec]) target {
	c := m.all.Centers
	if r, ok := data.Concrete(c).(data.DenseRows); ok {
		return target{m, linalg.Matrix[float64](r.RawMatrix())}
	}
	r := linalg.New[float64](c.Len(), len(c.At(0)))
	for i := range r.Rows {
		copy(r.Row(i), c.At(i))
	}
	return target{m, r}
}

// coefficients sets gamma for scores z.
func (t target) coefficients(gamma, z []float64) {
	coef := linalg.Of(t.model.all.Coef)
	for i := range gamma {
		row := coef.Row(i)
		g := row[len(z)]
		for j, v := range z {
			g += row[j] * v
		}
		gamma[i] = g
	}
}

// check refuses scores and starts that do not fit.
func (t target) check(dst, scores *mat.Dense, start data.Points[kernel.Vec]) error {
	if err := checkScores(scores, t.model.Components()); err != nil {
		return err
	}
	r, _ := scores.Dims()
	if err := apply.CheckDims(dst, r, t.centers.Cols); err != nil {
		return fault.In("project", err)
	}
	if start == nil {
		return nil
	}
	if start.Len() != r {
		return fault.Errorf("project", "%d rows of scores but %d points to start from", r, start.Len())
	}
	for i := range r {
		if d := len(start.At(i)); d != t.centers.Cols {
			return fault.Errorf("project", "start %d has %d coordinates, the training points %d", i, d, t.centers.Cols)
		}
		for j, v := range start.At(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fault.Errorf("project", "start %d, coordinate %d is %g; remove or replace it", i, j, v)
			}
		}
	}
	return nil
}

// startFor is the given start, else the centre nearest to z in the plane.
func (t target) startFor(i int, z []float64, start data.Points[kernel.Vec], scores linalg.Matrix[float64]) []float64 {
	if start != nil {
		return append([]float64(nil), start.At(i)...)
	}
	best, at := math.Inf(1), 0
	for c := range scores.Rows {
		s := 0.0
		for j, v := range scores.Row(c) {
			s += (v - z[j]) * (v - z[j])
		}
		if s < best {
			best, at = s, c
		}
	}
	return append([]float64(nil), t.centers.Row(at)...)
}

// each runs find for every row of scores, in parallel, each on its own.
func (t target) each(
	ctx context.Context, threads int, dst, scores *mat.Dense, start data.Points[kernel.Vec],
	find func(gamma, x []float64) error,
) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := t.check(dst, scores, start); err != nil || scores.IsEmpty() {
		return err
	}
	var of linalg.Matrix[float64]
	if start == nil {
		z, err := t.model.Transform(ctx, t.model.all.Centers)
		if err != nil {
			return err
		}
		of = linalg.Of(z)
	}
	r, _ := scores.Dims()
	errs := make([]error, r)
	par.For(threads, r, 1, func(i, _ int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		z := scores.RawRowView(i)
		gamma := make([]float64, t.centers.Rows)
		t.coefficients(gamma, z)
		x := t.startFor(i, z, start, of)
		errs[i] = find(gamma, x)
		copy(dst.RawRowView(i), x)
	})
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// squaredDistances sets dst[i] = ‖x − cᵢ‖².
func (t target) squaredDistances(dst, x []float64) {
	for i := range dst {
		s := 0.0
		for j, v := range t.centers.Row(i) {
			s += (x[j] - v) * (x[j] - v)
		}
		dst[i] = s
	}
}
