// Package jobs is what workers do to the shards of a table, and how a driver has it done by an
// engine: Prism in this process, or Flink, Spark, Dataflow.
//
// A job is a folder on storage that driver and workers share. The driver writes a plan there; an
// element of the pipeline is the number of a shard. A worker leaves what it found of a shard in a
// file of the shard's name, written whole or not at all: a shard that is done twice, after a worker
// was lost, leaves the same file. Sums over all rows go through the engine, which counts each shard
// once.
package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// Plan is what the workers of a job are told.
type Plan struct {
	Shards  []string
	Input   Input
	Threads int

	// One of these is the work.
	Predict  *Predict  `json:",omitempty"`
	Survey   *Survey   `json:",omitempty"`
	Leverage *Leverage `json:",omitempty"`
	Sums     *Sums     `json:",omitempty"`
	Search   *Search   `json:",omitempty"`
	Moments  *Moments  `json:",omitempty"`
	Blocks   *Blocks   `json:",omitempty"`
}

// Input is how shards are read, as load.Options has it.
type Input struct {
	Format    load.Format              `json:",omitempty"`
	Told      map[string]data.Notation `json:",omitempty"`
	Ignore    []string                 `json:",omitempty"`
	NA        []string                 `json:",omitempty"`
	Delimiter byte                     `json:",omitempty"`
	Decimal   byte                     `json:",omitempty"`
	Header    string                   `json:",omitempty"`
	Bytes     int64                    `json:",omitempty"`
}

// Options is the same for a reader.
func (in Input) Options(threads int) load.Options {
	return load.Options{Format: in.Format, Told: in.Told, Ignore: in.Ignore, NA: in.NA, Delimiter: in.Delimiter,
		Decimal: in.Decimal, Header: in.Header, Bytes: in.Bytes, Threads: threads}
}

const planFile = "plan.json"

// write puts the plan into the folder of its job.
func (p *Plan) write(ctx context.Context, folder string) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return store.WriteBytes(ctx, store.Join(folder, planFile), b)
}

// worker is a plan with all that a process needs to work by it.
type worker struct {
	Plan
	folder string
	once   sync.Once
	ready  any // what the work makes of its files, once
	err    error
}

// prepare makes what the work needs, once in a process.
func (w *worker) prepare(make func() (any, error)) (any, error) {
	w.once.Do(func() { w.ready, w.err = make() })
	return w.ready, w.err
}

var current struct {
	sync.Mutex
	worker *worker
}

// ErrGone says that a job was ended by whoever started it: its folder is no longer there. Not every
// job server cancels on the engine what it is told to cancel (Beam's for Flink forgets the job,
// which goes on), so that workers look for themselves.
var ErrGone = errors.New("the job was cancelled, or its folder is not on storage that all workers share")

// workerFor reads the plan of a job, once in a process; that of the job before is forgotten. It
// looks each time whether there is a job still.
func workerFor(ctx context.Context, folder string) (*worker, error) {
	current.Lock()
	defer current.Unlock()
	file := store.Join(folder, planFile)
	if there, err := store.Exists(ctx, file); err != nil || !there {
		return nil, errors.Join(fmt.Errorf("%s is not there: %w", file, ErrGone), err)
	}
	if w := current.worker; w != nil && w.folder == folder {
		return w, nil
	}
	b, err := store.Read(ctx, file)
	if err != nil {
		return nil, fmt.Errorf("the plan of the job cannot be read: %w", err)
	}
	w := &worker{folder: folder}
	if err := json.Unmarshal(b, &w.Plan); err != nil {
		return nil, fmt.Errorf("the plan of the job: %w", err)
	}
	current.worker = w
	return w, nil
}
