package model

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Want says what to compute beside the prediction itself.
type Want struct {
	Scores, Proba bool
	Std           bool // standard deviations, of the mean and of a new observation
	// Covariance asks for the covariance of the mean at all pairs of rows, which a Gaussian process
	// on all of its rows knows.
	Covariance bool
	// Interval is the share of new observations that intervals are to hold, in (0, 1); 0 means
	// none.
	Interval float64
	// OfMean asks for intervals of the mean instead, where the model has a distribution.
	OfMean bool
	// OfAll asks for intervals that hold all targets of a row together for the share, of a model of
	// several.
	OfAll bool
	// Contributions asks what each column adds to each prediction (Model.Contributions), of a model
	// of one target.
	Contributions bool
	// Remarks asks for a column in a table (Model.Table) that says what is doubtful about each row.
	Remarks bool
}

// Prediction is what a model says about the rows of a data set.
type Prediction struct {
	Rows   []int      // row of the data set that each entry belongs to
	Values []float64  // regression: the predicted numbers
	Codes  []int      // classification: class codes
	Labels []string   // classification: class names
	Scores *mat.Dense // regression or decision values, as asked for
	Proba  *mat.Dense // a column for each class, as asked for
	Std    []float64  // standard deviations of the mean, as asked for
	// ObservationStd is the standard deviations of new observations, noise included, as asked for.
	ObservationStd []float64
	Covariance     *mat.Dense     // of the mean at all pairs of rows, as asked for
	Low, High      []float64      // intervals, as asked for
	Contributions  *Contributions // of the columns, as asked for
	// More is what is predicted of further targets (Model.Targets): Values, and Std,
	// ObservationStd, Low and High as asked for.
	More []*Prediction
	// Outputs is, of a joint model of several targets, the covariance of all of them at each row,
	// their noise left out: beside Std, as asked for. Off the diagonal it is that of new
	// observations, too, whose noises are independent.
	Outputs []*mat.SymDense

	Filled     int                // predictions of rows where a missing value was filled in
	UnseenRows int                // predictions of rows with a category that the model never saw
	Unseen     []data.UnseenCount // the columns of those
	// predictions of rows with a number or a time far outside of those that the model was fitted on
	FarRows   int
	AloneRows int          // predictions of nodes about which nothing is known (a data.Doubt that is "alone")
	Doubts    []data.Doubt // all of these by row, which is that among the predictions

	alone []int // those predictions
}

// Len is the number of predictions.
func (p *Prediction) Len() int { return len(p.Rows) }

// Text is prediction i as a file would hold it.
func (p *Prediction) Text(i int) string {
	if p.Labels != nil {
		return p.Labels[i]
	}
	return phrase.Number(p.Values[i])
}

// Predict says what the model thinks of the rows of d. Columns are found by name, in any order;
// what is missing, unseen or of the wrong kind is said exactly. Without an encoder (imported
// models) the sparse features or, where there are none, all columns but the target are the
// features, in their order.
func (m *Model) Predict(ctx context.Context, d *data.Dataset, w Want) (*Prediction, error) {
	return m.predictAfter(ctx, d, 0, w)
}

// predictAfter is Predict of rows that come after others, which messages count.
func (m *Model) predictAfter(ctx context.Context, d *data.Dataset, before int, w Want) (*Prediction, error) {
	x, wide, err := m.encode(d, before)
	if err != nil {
		return nil, err
	}
	return m.predict(ctx, x, w, wide)
}

// Encode is what Predict makes of the rows of d before it computes anything, for PredictEncoded:
// faults of the data show here.
func (m *Model) Encode(d *data.Dataset) (*data.Encoded, error) {
	x, _, err := m.encode(d, 0)
	return x, err
}

// PredictEncoded is Predict on features made by Encode, or by the model's encoder.
func (m *Model) PredictEncoded(ctx context.Context, x *data.Encoded, w Want) (*Prediction, error) {
	return m.predict(ctx, x, w, m.info.Encoder == nil)
}

func (m *Model) predict(ctx context.Context, x *data.Encoded, w Want, wide bool) (*Prediction, error) {
	if w.Proba && !m.HasProba() {
		return nil, fmt.Errorf("%w; fit it with them (for support vector machines: probability=true)", ErrNoProbabilities)
	}
	if w.Std && !m.HasStd() {
		return nil, m.noDeviations()
	}
	if w.Covariance && (m.info.TargetMap != nil || m.several()) {
		return nil, fmt.Errorf("model: covariances are of one target as it was fitted; ask the model of one target, fitted " +
			"without a map")
	}
	if err := m.settleAll(&w); err != nil {
		return nil, err
	}
	width, err := m.intervalWidth(&w)
	if err != nil {
		return nil, err
	}
	asked := w.Proba
	w.Proba = asked || m.info.Threshold != nil
	p, err := m.body.predict(ctx, x, w, wide)
	if err != nil {
		return nil, err
	}
	if t := m.info.Threshold; t != nil {
		if t.decide(p, m.info.Classes); !asked {
			p.Proba = nil
		}
	}
	p.Rows, p.Filled, p.UnseenRows, p.Unseen, p.FarRows, p.Doubts = x.Kept, x.Filled, x.UnseenRows, x.Unseen, x.FarRows,
		x.Doubts
	m.doubtAlone(p)
	if p.Codes != nil {
		p.Labels = make([]string, len(p.Codes))
		for i, c := range p.Codes {
			p.Labels[i] = m.info.Classes[c]
		}
	}
	if a := m.info.TargetScale; a != nil {
		for i, v := range p.Values {
			p.Values[i] = a.Invert(v)
		}
		for i := range p.Std {
			p.Std[i] /= max(a.Factor, -a.Factor)
			p.ObservationStd[i] /= max(a.Factor, -a.Factor)
		}
		if p.Covariance != nil {
			p.Covariance.Scale(1/(a.Factor*a.Factor), p.Covariance)
		}
		if p.Scores != nil {
			p.Scores.Apply(func(_, _ int, v float64) float64 { return a.Invert(v) }, p.Scores)
		}
	}
	for i, v := range x.Noise { // in the unit of the target, where it is known of new rows
		if p.ObservationStd != nil {
			p.ObservationStd[i] = math.Sqrt(p.ObservationStd[i]*p.ObservationStd[i] + v)
		}
	}
	if w.OfAll && p.Outputs != nil {
		p.boundAll(w.Interval)
	}
	if p.Low == nil { // a distribution that is not normal has bounded them already
		p.bound(width)
	}
	if t := m.info.TargetMap; t != nil {
		p.mapBack(t)
	}
	if !m.several() {
		p.More = nil // outputs without a name
	}
	if err := m.predictMore(p, w); err != nil {
		return nil, err
	}
	if w.Contributions {
		if p.Contributions, err = m.Contributions(ctx, x, ContributionOptions{}); err != nil {
			return nil, err
		}
	}
	return p, p.checkFinite(x)
}

func (b *fitted) predict(ctx context.Context, x *data.Encoded, w Want, wide bool) (*Prediction, error) {
	b, points, err := b.on(x, wide)
	if err != nil {
		return nil, err
	}
	return b.predictPoints(ctx, points, w)
}

// predictPoints is predict of points.
func (b *fitted) predictPoints(ctx context.Context, points data.Points[any], w Want) (p *Prediction, err error) {
	p = &Prediction{}
	if points.Len() == 0 {
		return p, nil
	}
	switch m := b.p.(type) {
	case learn.Classifier[any, int]:
		if p.Codes, err = m.Predict(ctx, points); err == nil && w.Scores {
			p.Scores, err = m.Decision(ctx, points)
		}
	case several:
		var all *mat.Dense
		if all, err = m.PredictMulti(ctx, points); err == nil {
			p.Values = mat.Col(nil, 0, all)
			b.spread(p, all)
			if w.Scores {
				p.Scores = all
			}
		}
	case learn.Regressor[any]:
		if p.Values, err = m.Predict(ctx, points); err == nil && w.Scores {
			p.Scores = mat.NewDense(len(p.Values), 1, append([]float64(nil), p.Values...))
		}
	}
	if err == nil && w.Proba {
		p.Proba, err = b.p.(learn.Probabilistic[any]).Proba(ctx, points)
	}
	if j, ok := b.p.(jointly); ok && err == nil && w.Std {
		err = p.spreadJoint(ctx, j, points)
	} else if err == nil && w.Std {
		u, _ := b.uncertain()
		if p.Std, err = u.Std(ctx, points); err == nil {
			p.ObservationStd, err = u.ObservationStd(ctx, points)
		}
		b.spreadStd(p)
	}
	if d, ok := b.p.(distributed); ok && err == nil && w.Interval > 0 {
		p.Low, p.High, err = d.Interval(ctx, points, w.Interval, w.OfMean)
	}
	if err == nil && w.Covariance {
		c, ok := b.p.(interface {
			Covariance(ctx context.Context, x data.Points[any]) (*mat.Dense, error)
		})
		if !ok {
			return nil, fmt.Errorf("model: %s knows no covariances; a Gaussian process does", b.learner())
		}
		p.Covariance, err = c.Covariance(ctx, points)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// on is the features as points of the model, and the model that takes them: one of more features
// than it knows, where that is no mistake.
func (b *fitted) on(x *data.Encoded, wide bool) (*fitted, data.Points[any], error) {
	if wide && b.wider != nil && x.Sparse != nil && x.Sparse.Dim() > b.size {
		var err error
		if b, err = b.wider(x.Sparse.Dim()); err != nil {
			return nil, nil, err
		}
	}
	points, err := b.points(x)
	return b, points, err
}

// encode makes points of a data set. wide says that more features than the
// model knows are no mistake.
func (m *Model) encode(d *data.Dataset, before int) (x *data.Encoded, wide bool, err error) {
	if m.info.Encoder != nil {
		x, err = m.info.Encoder.Transform(d)
		return x, false, err
	}
	if err := d.Check(); err != nil {
		return nil, false, err
	}
	x = &data.Encoded{Kept: make([]int, d.Len())}
	for i := range x.Kept {
		x.Kept[i] = i
	}
	if d.Sparse != nil {
		x.Sparse = d.Sparse
		if m.body.domain() == domainPrecomputed {
			x.Dense, x.Sparse = kernelRows(d.Sparse), nil
		}
		return x, true, nil
	}
	if x.Dense, err = numericRows(d); err != nil {
		return nil, false, data.PlaceError(d.Name, before, err)
	}
	return x, false, nil
}

// kernelRows is the kernel values of a LIBSVM file for a precomputed kernel,
// read with indices from 0: column 0 is the row's own number, which is left out.
func kernelRows(s *data.SparseRows) data.DenseRows {
	m := linalg.New[float64](s.Len(), max(s.Dim()-1, 0))
	for i := range m.Rows {
		v := s.At(i)
		for a, j := range v.Index {
			if j > 0 {
				m.Set(i, int(j)-1, v.Value[a])
			}
		}
	}
	return data.RowsOf(m)
}

// numericRows is the columns besides target, weights and groups as points.
func numericRows(d *data.Dataset) (data.DenseRows, error) {
	columns := d.Features()
	m := linalg.New[float64](d.Len(), len(columns))
	for j, c := range columns {
		n, err := c.As(data.Numeric)
		if err != nil {
			return data.DenseRows{}, data.ExplainError(": the model has no encoding, its features are numbers", err)
		}
		for i, v := range n.Numbers {
			if !finite(v) {
				return data.DenseRows{}, &data.Error{Row: i + 1, Column: c.Name, Kind: data.ErrMissing,
					Reason: fmt.Sprintf("column %q is missing, and the model has no encoding to fill it in", c.Name),
					Advice: "fill it in, or leave the row out"}
			}
			m.Set(i, j, v)
		}
	}
	return data.RowsOf(m), nil
}

// Stream predicts the chunks of a stream as they come, in the memory of one
// chunk whatever the size of the file.
type Stream struct {
	m       *Model
	w       Want
	raw     data.Stream
	encoded *data.EncodedStream
	rows    int // given so far
}

// Stream predicts s chunk by chunk.
func (m *Model) Stream(s data.Stream, w Want) *Stream {
	out := &Stream{m: m, w: w, raw: s}
	if m.info.Encoder != nil {
		out.encoded = m.info.Encoder.Stream(s)
	}
	return out
}

// Next returns the next chunk with its predictions, or io.EOF.
func (s *Stream) Next(ctx context.Context) (*data.Dataset, *Prediction, error) {
	if s.encoded != nil {
		d, x, err := s.encoded.Next()
		if err != nil {
			return nil, nil, err
		}
		p, err := s.m.predict(ctx, x, s.w, false)
		return d, p, err
	}
	d, err := s.raw.Next()
	if err != nil {
		return nil, nil, err
	}
	p, err := s.m.predictAfter(ctx, d, s.rows, s.w)
	s.rows += d.Len()
	return d, p, err
}

// Close closes the stream beneath.
func (s *Stream) Close() error { return s.raw.Close() }
