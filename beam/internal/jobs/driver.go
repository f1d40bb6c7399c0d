package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
)

// Job is a folder of work in common.
type Job struct {
	Engine
	Folder string // on storage that all workers share; made anew
	Name   string
}

// start writes the plan.
func (j *Job) start(ctx context.Context, p *Plan) error {
	if err := store.MakeFolder(j.Folder); err != nil {
		return fmt.Errorf("the folder of the job: %w", err)
	}
	return p.write(ctx, j.Folder)
}

// shards is a collection of their numbers, spread over the workers.
func shards(s beam.Scope, count int) beam.PCollection {
	index := make([]int, count)
	for i := range index {
		index[i] = i
	}
	return beam.Reshuffle(s, beam.CreateList(s, index))
}

// eachShard has the work of a plan done on every shard, and looks whether it was.
func (j *Job) eachShard(ctx context.Context, p *Plan, what string) error {
	if err := j.start(ctx, p); err != nil {
		return err
	}
	err := j.watched(ctx, what, len(p.Shards), func() error {
		if f := (&shardFn{Folder: j.Folder}); j.Runner == Loop {
			return inTurn(len(p.Shards), func(i int) error { return f.ProcessElement(ctx, i) })
		}
		return j.run(ctx, j.Name, func(s beam.Scope) {
			beam.ParDo0(s, &shardFn{Folder: j.Folder}, shards(s, len(p.Shards)))
		})
	})
	return j.ended(ctx, p, err)
}

// inTurn is a plain loop.
func inTurn(count int, f func(i int) error) error {
	for i := range count {
		if err := f(i); err != nil {
			return err
		}
	}
	return nil
}

// ended is the error of a job: the faults of shards before what the engine says.
func (j *Job) ended(ctx context.Context, p *Plan, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	faults, unread := j.faults(ctx)
	if len(faults) > 0 {
		return &FaultyShards{faults, len(p.Shards)}
	}
	if err := errors.Join(err, unread); err != nil {
		return err
	}
	for i, shard := range p.Shards {
		if there, err := store.Exists(ctx, store.Join(j.Folder, ofShard("done", i))); err != nil || !there {
			return errors.Join(fmt.Errorf("%s: the engine calls the job done, and left this shard out; start again", shard), err)
		}
	}
	return nil
}

// faults are those that workers found, in the order of the shards.
func (j *Job) faults(ctx context.Context) ([]Fault, error) {
	names, err := store.Names(ctx, j.Folder, "fault-")
	if err != nil {
		return nil, err
	}
	var out []Fault
	for _, name := range names {
		b, err := store.Read(ctx, name)
		if err != nil {
			return nil, err
		}
		var f Fault
		if err := json.Unmarshal(b, &f); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out = append(out, f)
	}
	slices.SortFunc(out, func(a, b Fault) int { return strings.Compare(a.Shard, b.Shard) })
	return out, nil
}

// FaultyShards is the error of shards that are not what they should be.
type FaultyShards struct {
	Faults []Fault
	Of     int
}

func (e *FaultyShards) Error() string {
	return e.Text(func(*data.Error) string { return "" })
}

// Text says it, with words for remedies.
func (e *FaultyShards) Text(words func(*data.Error) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d shards cannot be used:", len(e.Faults), e.Of)
	for i, f := range e.Faults {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(e.Faults)-i)
			break
		}
		b.WriteString("\n  " + strings.ReplaceAll(f.Text(words), "\n", "\n  "))
	}
	return b.String()
}

// Is says that it is of ErrFaultyShards.
func (e *FaultyShards) Is(target error) bool { return target == ErrFaultyShards }

// watched tells of progress while work goes on: how many shards have left word.
func (j *Job) watched(ctx context.Context, what string, of int, work func() error) error {
	if j.Told == nil {
		return work()
	}
	j.Told("%s %d shards", what, of)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		before := 0
		for {
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Second):
			}
			names, err := store.Names(ctx, j.Folder, "done-")
			if n := len(names); err == nil && (n-before)*10 >= of && n < of {
				j.Told("%s %d of %d shards", what, n, of)
				before = n
			}
		}
	}()
	err := work()
	close(stop)
	<-stopped
	return err
}

// PredictShards writes the predictions of all shards, given the bytes of a model file.
func (j *Job) PredictShards(ctx context.Context, p *Plan, model []byte) (Doubtful, error) {
	if err := store.MakeFolder(j.Folder); err != nil {
		return Doubtful{}, err
	}
	if err := store.WriteBytes(ctx, store.Join(j.Folder, modelFile), model); err != nil {
		return Doubtful{}, err
	}
	if err := j.eachShard(ctx, p, "predicting"); err != nil {
		return Doubtful{}, err
	}
	return doubtfulRows(ctx, j.Folder, len(p.Shards))
}

// Remove removes the folder of the job.
func (j *Job) Remove() error { return store.RemoveFolder(context.Background(), j.Folder) }
