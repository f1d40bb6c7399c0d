package tune

import (
	"context"
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/learn"
)

// posed is the rows that are not held out, encoded, with all that a search has to know of them.
type posed struct {
	x            *data.Encoded
	schema       mixed.Schema
	groups       []int
	times        []float64
	classWeights []float64
}

// noted joins columns with their notes, and says how columns of text are read; neither looks at the
// target.
func (o *AutoOptions) noted(d *data.Dataset, r *AutoResult) (*data.Dataset, error) {
	if o.fitted == nil {
		var err error
		if d, o.notes, err = notedColumns(d); err != nil {
			return nil, err
		}
		for _, n := range o.notes {
			r.note("%s has a note for each letter of %s", n.notes, n.letters)
		}
	}
	if o.Encoder.Text == "" && o.Encoder.Texts == nil {
		var why []string
		o.Encoder.Texts, o.wordColumns, why = textPolicies(d)
		for _, w := range why {
			r.note("%s", w)
		}
	}
	return d, nil
}

// pose encodes the rows that are not held out.
func (o *AutoOptions) pose(ctx context.Context, d *data.Dataset, r *AutoResult, start time.Time) (*posed, error) {
	o.Encoder.Task = r.Task // of all rows, not of those that are not held out
	if o.Evidence && o.Learners == nil {
		o.Learners = []string{"gp"}
	}
	train := d.Gather(r.Split.Train)
	var err error
	if r.Encoder = o.fitted; r.Encoder == nil {
		if err := o.chooseTerms(ctx, train, r, start); err != nil {
			return nil, err
		}
		r.Encoder, err = data.FitEncoder(train, o.Encoder)
	}
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	p := &posed{}
	if p.x, err = r.Encoder.TransformLabelled(train); err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	if o.Bytes, err = besideRows(o.Bytes, p.x); err != nil {
		return nil, err
	}
	if err := o.encodeCenters(r); err != nil {
		return nil, err
	}
	r.Dropped = train.Len() - p.x.Len()
	r.searched = data.Take(r.Split.Train, p.x.Kept)
	if r.Encoder.Target != nil {
		r.Classes = r.Encoder.Target.Classes
		if r.Task == data.Multiclass && len(r.Classes) == 2 { // others were left out
			r.Task, r.Encoder.Target.Task = data.Binary, data.Binary
		}
	}
	if p.groups, err = d.RowGroups(r.searched); err != nil {
		return nil, err
	}
	if p.times, err = timesOf(d, o.Time, r.searched); err != nil {
		return nil, err
	}
	if p.classWeights, err = o.classWeights(r.Task, p.x, r.Classes); err != nil {
		return nil, err
	}
	if p.classWeights != nil {
		r.because("weights of the classes in fits: %s", weightText(r.Classes, p.classWeights))
	}
	r.tellNoise(d.Noise, p.x.Noise)
	p.schema = mixing.SchemaOf(r.Encoder)
	if o.Columns != nil && len(p.schema.Objects()) == 0 {
		if o.Kernel, err = o.Columns.Features(p.schema); err != nil {
			return nil, err
		}
		o.parseFeatures = func(text string) (kernel.Kernel[kernel.Vec], error) { return spec.ParseFeatures(p.schema, text) }
	}
	return p, nil
}

// problemOn is the problem of the search, on the encoded rows as points of one kind.
func problemOn(p *posed, points data.Points[any], r *AutoResult, o AutoOptions) learn.Problem[any] {
	return learn.Problem[any]{Points: points, Task: r.Task, Y: p.x.Target, More: p.x.More, Outputs: o.Outputs,
		Classes: r.Classes, Positive: o.Positive, Weights: p.x.Weights, ClassWeights: p.classWeights, Noise: p.x.Noise,
		Groups: p.groups, Times: p.times}
}

// onVectors is a kernel on vectors for points that are such.
func onVectors(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error) {
	return kernel.OnVectors(k), nil
}

// onSparse is a kernel on vectors for sparse rows of so many columns.
func onSparse(dim int) func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error) {
	return func(k kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error) {
		on, err := kernel.OnSparse(k, dim)
		if err != nil {
			return nil, err
		}
		return kernel.OnSparseVectors(on), nil
	}
}

// search finds a model on rows of objects, on sparse rows or on vectors, whichever the encoder
// makes.
func (p *posed) search(ctx context.Context, r *AutoResult, o AutoOptions, start time.Time) error {
	switch {
	case len(p.schema.Objects()) > 0:
		return p.searchRows(ctx, r, o, start)
	case p.x.Sparse != nil:
		return p.searchSparse(ctx, r, o, start)
	}
	r.because("%s, scaling: %s", features(r.Encoder.Dim, "feature"), r.Encoder.Options.Scaling)
	pick := func(part learn.Problem[any], found *relevance) ([]Candidate, error) {
		return autoCandidates(r, part, onVectors, o, found)
	}
	res, err := autoSearch(ctx, r, problemOn(p, data.EraseVectors(p.x.Dense), r, o), pick,
		vectorColumns{r.Encoder, o.Kernel != nil}, o, start)
	r.outcome = found{res, func(x *data.Encoded) (data.Points[any], error) { return data.EraseVectors(x.Dense), nil },
		r.Positive, p.classWeights, r.TargetMap}
	return err
}

func (p *posed) searchSparse(ctx context.Context, r *AutoResult, o AutoOptions, start time.Time) error {
	r.because("%s, scaled by the largest absolute value", features(r.Encoder.Dim, "sparse feature"))
	pick := func(part learn.Problem[any], _ *relevance) ([]Candidate, error) {
		return autoCandidates(r, part, onSparse(r.Encoder.Dim), o, nil)
	}
	res, err := autoSearch(ctx, r, problemOn(p, data.EraseSparse(*p.x.Sparse), r, o), pick, nil, o, start)
	r.outcome = found{res, func(x *data.Encoded) (data.Points[any], error) { return data.EraseSparse(*x.Sparse), nil },
		r.Positive, p.classWeights, r.TargetMap}
	return err
}

func (p *posed) searchRows(ctx context.Context, r *AutoResult, o AutoOptions, start time.Time) error {
	if r.Encoder.Dim > 0 {
		r.because("%s, scaling: %s", features(r.Encoder.Dim, "feature"), r.Encoder.Options.Scaling)
	}
	rows, err := p.schema.Rows(p.x)
	if err != nil {
		return data.PlaceRow(r.Split.Train, err)
	}
	pick := func(part learn.Problem[any], _ *relevance) ([]Candidate, error) {
		return rowCandidates(ctx, r, p.schema, part, o)
	}
	o.rowText = func(k kernel.Kernel[any]) (string, bool) {
		row, ok := kernel.Concrete(k).(kernel.Kernel[mixed.Row])
		if !ok {
			return "", false
		}
		text, err := spec.FormatRows(p.schema, row)
		return text, err == nil
	}
	o.linearObjects = o.onlyText(p.schema, r)
	if o.Strategy == nil {
		o.Strategy = Grid{} // numbers of rounds and letters have nothing in between
	}
	res, err := autoSearch(ctx, r, problemOn(p, mixing.EraseRows(rows), r, o), pick, nil, o, start)
	r.outcome = found{res, func(x *data.Encoded) (data.Points[any], error) {
		rows, err := p.schema.Rows(x)
		return mixing.EraseRows(rows), err
	}, r.Positive, p.classWeights, r.TargetMap}
	return err
}

func features(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
