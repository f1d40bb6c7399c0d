package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
)

func init() {
	beam.RegisterType(reflect.TypeOf((*shardFn)(nil)).Elem())
}

var (
	shardsDone = beam.NewCounter("mercer", "shards")
	rowsDone   = beam.NewCounter("mercer", "rows")
	shardsBad  = beam.NewCounter("mercer", "faulty shards")
)

// shardFn does the work of a plan on one shard after the other.
type shardFn struct{ Folder string }

// ProcessElement does it on one.
func (f *shardFn) ProcessElement(ctx context.Context, index int) error {
	w, err := workerFor(ctx, f.Folder)
	if err != nil {
		return err
	}
	return w.settle(ctx, index, func() (int, error) {
		switch {
		case w.Predict != nil:
			return w.predict(ctx, index)
		case w.Survey != nil:
			return w.survey(ctx, index)
		case w.Plan.Leverage != nil:
			return w.leverage(ctx, index)
		case w.Plan.Blocks != nil:
			return w.blocks(ctx, index)
		case w.Plan.Search != nil:
			return w.search(ctx, index)
		case w.Moments != nil:
			return w.moments(ctx, index)
		}
		return 0, errors.New("a plan without work")
	})
}

// Fault is what is wrong with a shard, for the person to mend.
type Fault struct {
	Shard         string
	Problem       string // where and what
	Advice        string
	Remedy        data.Remedy
	Value, Column string
}

// Text says it, with words for its remedy.
func (f Fault) Text(words func(*data.Error) string) string {
	e := &data.Error{Reason: f.Problem, Advice: f.Advice, Remedy: f.Remedy, Value: f.Value, Column: f.Column}
	return e.With(words(e))
}

// settle leaves word of what became of a shard. What is wrong with the shard itself is no error of
// the worker: done again, it would be wrong again. The driver collects it. Anything else is left to
// the engine, which tries again.
func (w *worker) settle(ctx context.Context, index int, work func() (int, error)) error {
	rows, err := work()
	if err == nil {
		shardsDone.Inc(ctx, 1)
		rowsDone.Inc(ctx, int64(rows))
		return w.mark(ctx, "done", index, rows)
	}
	var told *data.Error
	if !errors.As(err, &told) || ctx.Err() != nil || transient(told) {
		return fmt.Errorf("%s: %w", w.Shards[index], err)
	}
	shardsBad.Inc(ctx, 1)
	return w.mark(ctx, "fault", index, Fault{Shard: w.Shards[index], Problem: told.Problem(), Advice: told.Advice,
		Remedy: told.Remedy, Value: told.Value, Column: told.Column})
}

// transient says that the storage, not the file, is at fault.
func transient(e *data.Error) bool {
	return e.Kind == nil && e.Err != nil && !errors.Is(e.Err, fs.ErrNotExist) && !errors.Is(e.Err, fs.ErrPermission)
}

func (w *worker) mark(ctx context.Context, what string, index int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return store.WriteBytes(ctx, store.Join(w.folder, ofShard(what, index)), b)
}

// ofShard is the name of a file about a shard.
func ofShard(what string, index int) string { return fmt.Sprintf("%s-%06d", what, index) }
