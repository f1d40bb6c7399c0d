package serve

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// served is one version of a model that answers requests. It does not change.
type served struct {
	name, version string
	model         *model.Model // as the file has it
	strict        *model.Model // for tensors: a row without a prediction has no place in one
	lenient       *model.Model // for tables, as the command line predicts
	schema        *schema
	batch         *batcher
	bytes         int64 // of the file
	loaded        time.Time
	from          seenFile          // where it was read; empty: it was given as it is
	digest        [sha256.Size]byte // of that file
}

// serve makes a version of a model ready. A model that cannot be used in the way that requests ask
// is refused here.
func (s *Server) serve(name, version string, m *model.Model, bytes int64) (*served, error) {
	lenient, err := m.ForNewRows("", "")
	if err != nil {
		return nil, err
	}
	own := data.MissingPolicy("")
	if e := m.Info().Encoder; e != nil && e.Options.Missing == "drop" {
		own = "error"
	}
	strict, err := m.WithPolicies(own, "zero")
	if err != nil {
		return nil, err
	}
	v := &served{name: name, version: version, model: m, strict: strict, lenient: lenient, schema: schemaOf(m),
		bytes: bytes, loaded: s.now()}
	sizes := s.metrics.batches.With(name)
	v.batch = &batcher{free: s.options.Threads, seen: func(rows int) { sizes.Observe(float64(rows)) },
		predict: func(ctx context.Context, x *data.Encoded, w model.Want) (_ *model.Prediction, err error) {
			defer survive(&err)
			return m.PredictEncoded(ctx, x, w)
		}}
	return v, nil
}

// survive makes an error of a panic: one request must not end the others.
func survive(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}

// policies is the model with the policies that a request asks for, or base where it asks for none.
func (v *served) policies(base *model.Model, get func(name string) string) (*model.Model, error) {
	missing, unseen := data.MissingPolicy(get("missing")), data.UnseenPolicy(get("unseen"))
	if missing == "" && unseen == "" {
		return base, nil
	}
	switch missing {
	case "", "error", "drop", "mean":
	default:
		return nil, refused("missing=%q; give error, drop or mean", clip(string(missing)))
	}
	if unseen != "" && unseen != "error" && unseen != "zero" {
		return nil, refused("unseen=%q; give zero or error", clip(string(unseen)))
	}
	return base.WithPolicies(missing, unseen)
}

// infer answers a request with tensors.
func (v *served) infer(ctx context.Context, r *inference) ([]tensor, int, error) {
	r.doubts = nil
	ask, err := v.schema.ask(r, v.model)
	if err != nil {
		return nil, 0, err
	}
	m, err := v.policies(v.strict, func(name string) string { return r.params[name] })
	if err != nil {
		return nil, 0, err
	}
	d, err := v.schema.dataset(r.inputs)
	if err != nil {
		return nil, 0, err
	}
	x, err := m.Encode(d)
	if err != nil {
		return nil, 0, err
	}
	if n := d.Len(); x.Len() < n {
		return nil, 0, refused("%d of %d rows have missing values and no prediction, which a tensor cannot say; leave them "+
			"out, or ask with missing=mean", n-x.Len(), n)
	}
	r.doubts = x.Doubts
	if v.transforms() {
		out, err := ask.transform(ctx, m, x)
		return out, x.Len(), err
	}
	out, err := ask.fill(x.Len(), func(w model.Want) (*model.Prediction, error) { return v.batch.do(ctx, x, w) })
	return out, x.Len(), err
}
