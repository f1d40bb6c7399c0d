package jobs

import (
	"context"
	"encoding/json"
	"io"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/model"
)

// Predict is to write a file of predictions for each shard.
type Predict struct {
	Outputs         []string // of each shard
	Want            model.Want
	Keep            bool
	Missing, Unseen string // policies for what the model was not fitted for
}

// modelFile is the model in the folder of a job: all workers have the same, whatever becomes of the
// file it came from.
const modelFile = "model.mercer"

// Doubtful counts the rows of a shard that the model was not fitted for.
type Doubtful struct{ Rows, Empty, Filled, Unseen int }

// predictor is the model of a plan.
func (w *worker) predictor(ctx context.Context) (*model.Model, error) {
	m, err := w.prepare(func() (any, error) {
		b, err := store.Read(ctx, store.Join(w.folder, modelFile))
		if err != nil {
			return nil, err
		}
		m, err := model.Decode(b)
		if err != nil {
			return nil, err
		}
		return m.ForNewRows(data.MissingPolicy(w.Predict.Missing), data.UnseenPolicy(w.Predict.Unseen))
	})
	if err != nil {
		return nil, err
	}
	return m.(*model.Model), nil
}

// predict writes the predictions of a shard: the bytes that mercer predict writes.
func (w *worker) predict(ctx context.Context, index int) (rows int, err error) {
	m, err := w.predictor(ctx)
	if err != nil {
		return 0, err
	}
	o := w.Input.Options(w.Threads)
	o.NoTarget, o.Readings = true, m.Readings()
	s, err := store.Stream(ctx, w.Shards[index], o, load.Open)
	if err != nil {
		return 0, err
	}
	var seen Doubtful
	err = store.Write(ctx, w.Predict.Outputs[index], func(to io.Writer) error {
		seen = Doubtful{}
		reading, writing := m.Stream(s, w.Predict.Want).WriteCSV(ctx, to, w.Predict.Keep,
			func(d *data.Dataset, p *model.Prediction) {
				seen.Rows += d.Len()
				seen.Empty += d.Len() - p.Len()
				seen.Filled += p.Filled
				seen.Unseen += p.UnseenRows
			})
		if reading != nil {
			return reading
		}
		return writing
	})
	if err != nil {
		return 0, err
	}
	return seen.Rows, w.mark(ctx, "rows", index, seen)
}

// doubtfulRows adds up what all shards said.
func doubtfulRows(ctx context.Context, folder string, shards int) (all Doubtful, err error) {
	for i := range shards {
		b, err := store.Read(ctx, store.Join(folder, ofShard("rows", i)))
		if err != nil {
			return all, err
		}
		var one Doubtful
		if err := json.Unmarshal(b, &one); err != nil {
			return all, err
		}
		all.Rows += one.Rows
		all.Empty += one.Empty
		all.Filled += one.Filled
		all.Unseen += one.Unseen
	}
	return all, nil
}
