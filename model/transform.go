package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
)

// ErrNotPredictor is wrapped by the error of a model that was asked for predictions and has none:
// it is a projection, a grouping, a density or a smoother, which Transform uses.
var ErrNotPredictor = errors.New("it predicts nothing")

// errNotTransform is wrapped by the error of a predictor that was asked to transform.
var errNotTransform = errors.New("it is a predictor")

// Role is what a model is for.
type Role string

// The roles.
const (
	rolePredictor  Role = "predictor"
	roleProjection Role = "projection" // rows become coordinates
	roleGrouping   Role = "grouping"   // rows become groups
	roleDensity    Role = "density"    // rows become how common they are
	roleSmoother   Role = "smoother"   // rows become a curve with its band
)

// Fact is something to say about a fitted thing.
type Fact struct{ Name, Text string }

// TransformOptions says what Transform gives beside what every model of its kind has.
type TransformOptions struct {
	// Level is that of a smoother's band, in (0, 1); 0 means 0.95.
	Level float64
	// Anomalies marks the rows that are rarer than this share of rows that the density did not see,
	// in (0, 1); 0 means none.
	Anomalies float64
}

// Transformed is what a model makes of rows.
type Transformed struct {
	Rows    []int         // row of the data set that each place of a column belongs to
	Columns []data.Column // of numbers, and of texts

	Filled     int                // rows where a missing value was filled in
	UnseenRows int                // rows with a category that the model never saw
	Unseen     []data.UnseenCount // the columns of those
}

// transform is a fitted thing that makes columns of rows.
type transform struct {
	plain   rkhs.Plain[any]
	encoder *data.Encoder // nil: points are vectors
	parts   []part        // of the functions, where some compare objects; none: points are vectors
	role    Role
	size    int      // features of a point
	points  int      // that it is made of
	names   []string // of the columns
	facts   []Fact
	kernels []string // their texts
	apply   applied
}

// applied makes columns of points; held is Info.HeldDensity.
type applied func(ctx context.Context, x input, o TransformOptions, held []float64) ([]data.Column, error)

// input is encoded rows as a fitted thing takes them.
type input struct {
	rows   data.DenseRows     // of features
	points []data.Points[any] // what each function sees; none: all of them see rows
}

func (in input) of(function int) data.Points[any] {
	if in.points != nil {
		return in.points[function]
	}
	return data.EraseVectors(in.rows)
}

func (in input) len() int {
	if in.points != nil {
		return in.points[0].Len()
	}
	return in.rows.Len()
}

// NewTransform puts a fitted projection, grouping, density or smoother together with what is known
// about it, such as the encoder that its points come from. Model.Transform then does for the rows
// of a data set what the fitted thing does for points.
//
// T is kernel.Vec, or any where the points were erased: vectors, or rows of a table with columns of
// objects (mixed.Row), which need the encoder that made them.
func NewTransform[T any](fitted rkhs.Plainer[T], info Info) (*Model, error) {
	p, err := fitted.Plain()
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return transformOf(p.Erase(), info)
}

func transformOf(p rkhs.Plain[any], info Info) (*Model, error) {
	t, err := newTransform(p, info.Encoder)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return assemble(t, info)
}

// newTransform is the thing that plain data are of. What is used is what a file would give back.
func newTransform(p rkhs.Plain[any], e *data.Encoder) (*transform, error) {
	restore, ok := kinds[p.Kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind %q", clip(p.Kind))
	}
	t := &transform{plain: p, encoder: e}
	if err := t.readKernels(); err != nil {
		return nil, err
	}
	if err := restore(t); err != nil {
		return nil, fmt.Errorf("%s: %w", p.Kind, err)
	}
	return t, nil
}

// Role says what the model is for.
func (m *Model) Role() Role {
	if t, ok := m.body.(*transform); ok {
		return t.role
	}
	return rolePredictor
}

// Facts is what there is to say about a fitted thing that is no predictor.
func (m *Model) Facts() []Fact {
	if t, ok := m.body.(*transform); ok {
		return append([]Fact(nil), t.facts...)
	}
	return nil
}

// TransformNames is the names of the columns that Transform makes without options; nil of a
// predictor.
func (m *Model) TransformNames() []string {
	if t, ok := m.body.(*transform); ok {
		return append([]string(nil), t.names...)
	}
	return nil
}

// Transform does with the rows of d what the fitted thing is for: coordinates, groups, densities, a
// curve. Columns are found by name, as Predict does.
func (m *Model) Transform(ctx context.Context, d *data.Dataset, o TransformOptions) (*Transformed, error) {
	x, _, err := m.encode(d, 0)
	if err != nil {
		return nil, err
	}
	return m.TransformEncoded(ctx, x, o)
}

// TransformEncoded is Transform on features made by Encode, or by the model's encoder.
func (m *Model) TransformEncoded(ctx context.Context, x *data.Encoded, o TransformOptions) (*Transformed, error) {
	t, ok := m.body.(*transform)
	if !ok {
		return nil, fmt.Errorf("%w (%s); use Predict", errNotTransform, m.Learner())
	}
	if !(o.Level >= 0 && o.Level < 1) || !(o.Anomalies >= 0 && o.Anomalies < 1) {
		return nil, fmt.Errorf("model: a level of %g and %g anomalies; both are shares between 0 and 1", o.Level, o.Anomalies)
	}
	if o.Anomalies > 0 {
		if err := m.CheckAnomalies(o.Anomalies); err != nil {
			return nil, err
		}
	}
	out := &Transformed{Rows: x.Kept, Filled: x.Filled, UnseenRows: x.UnseenRows, Unseen: x.Unseen}
	in, err := t.input(x)
	if err != nil {
		return nil, err
	}
	if out.Columns, err = t.apply(ctx, in, o, m.info.HeldDensity); err != nil {
		return nil, err
	}
	return out, nil
}

// input is what the functions see of encoded rows.
func (t *transform) input(x *data.Encoded) (input, error) {
	if t.parts == nil {
		rows := x.AsDense()
		if len(x.Kept) > 0 && rows.Dim() != t.size {
			return input{}, &DimensionError{Have: rows.Dim(), Want: t.size}
		}
		return input{rows: rows}, nil
	}
	in := input{points: make([]data.Points[any], len(t.parts))}
	for i, p := range t.parts {
		var err error
		if in.points[i], err = p.points(x); err != nil {
			return input{}, err
		}
	}
	return in, nil
}

// What a body needs, of a thing that predicts nothing.
func (t *transform) domain() string  { return domainTransform }
func (t *transform) learner() string { return t.plain.Kind }
func (t *transform) report() learn.Report {
	return learn.Report{Learner: t.plain.Kind, Converged: true}
}
func (t *transform) classes() int            { return 0 }
func (t *transform) centers() int            { return t.points }
func (t *transform) dim() int                { return t.size }
func (t *transform) onDevice(d *gram.Device) {}
func (t *transform) outputs() int            { return len(t.names) }
func (t *transform) targets() int            { return 1 }
func (t *transform) of(int) body             { return t }
func (t *transform) hasProba() bool          { return false }
func (t *transform) hasStd() bool            { return false }

func (t *transform) refuse() error {
	return fmt.Errorf("%w: it is %s (%s); use Transform", ErrNotPredictor, t.role, t.plain.Kind)
}

func (t *transform) updatable() bool { return false }

func (t *transform) update(context.Context, *data.Encoded, Info) (*Model, []float64, error) {
	return nil, nil, t.refuse()
}

func (t *transform) predict(context.Context, *data.Encoded, Want, bool) (*Prediction, error) {
	return nil, t.refuse()
}

func (t *transform) judge(context.Context, *data.Encoded, learn.Problem[int], bool) (learn.Predictions, error) {
	return learn.Predictions{}, t.refuse()
}

// Table is what a model made of rows as a file holds it: a row for each row of the data set, empty
// where the policy for missing values dropped it, and before them the columns of the data set
// itself where they are to be kept.
func (t *Transformed) Table(rows *data.Dataset, keep bool) *data.Dataset {
	out := &data.Dataset{Name: rows.Name}
	if keep {
		out.Columns = append(out.Columns, rows.Columns...)
	}
	for _, c := range t.Columns {
		cells := make([]string, rows.Len())
		for i, row := range t.Rows {
			if !c.IsMissing(i) {
				cells[row] = c.String(i)
			}
		}
		out.Columns = append(out.Columns, data.TextColumn(free(c.Name, out), cells))
	}
	return out
}
