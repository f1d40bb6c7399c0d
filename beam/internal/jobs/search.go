package jobs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// Search is a cross-validation over a file that fits into a worker: an element of the job is the
// cells of one setting of a kernel.
type Search struct {
	File            string
	Target, Weights string
	Encoder         data.EncoderOptions
	Learners        []string
	Kernels         []string    // as text
	Axes            []tune.Axis // in place of what would be tried
	Folds           int
	Metric          string // empty: the first for the task
	Seed            uint64
	Parts           int // groups of cells
}

// searchFile is the file in the folder of the job: all workers have the same rows.
const searchFile = "rows"

// Prepared is a search with what its rows were made by.
type Prepared struct {
	Search  tune.Search
	Encoder *data.Encoder
	Rows    *data.Dataset
}

// Prepare reads the rows and makes the search, the same in every process.
func (s *Search) Prepare(ctx context.Context, file string, in load.Options) (*Prepared, error) {
	in.Target, in.Weights = s.Target, s.Weights
	d, err := load.Read(ctx, file, in)
	if err != nil {
		return nil, err
	}
	d.Name = s.File
	e, err := data.FitEncoder(d, s.Encoder)
	if err != nil {
		return nil, err
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		return nil, err
	}
	if len(x.Objects) > 0 {
		return nil, &data.Error{File: s.File, Column: x.Objects[0].Name, Kind: data.ErrValue, Remedy: mend.Text,
			Reason: fmt.Sprintf("column %q is %s, and a search over many machines is one of numbers, categories and instants",
				x.Objects[0].Name, x.Objects[0].Kind)}
	}
	if e.Target == nil {
		return nil, &data.Error{File: s.File, Kind: data.ErrTarget, Remedy: mend.Target,
			Reason: "no column can be the target"}
	}
	p := learn.Problem[kernel.Vec]{Points: x.AsDense(), Task: e.Target.Task, Y: x.Target, Classes: e.Target.Classes,
		Weights: x.Weights}
	out := &Prepared{Encoder: e, Rows: d}
	out.Search = tune.NewSearch(p)
	out.Search.Protocol, out.Search.Seed = tune.Protocol{Folds: s.Folds, Seed: s.Seed}, s.Seed
	if s.Metric != "" {
		if out.Search.Metric, err = metricNamed(p.Task, s.Metric); err != nil {
			return nil, err
		}
	}
	for _, name := range s.Learners {
		for _, text := range s.Kernels {
			c, err := s.candidate(name, text, p)
			if err != nil {
				return nil, err
			}
			out.Search.Candidates = append(out.Search.Candidates, c)
		}
	}
	return out, s.unused(out.Search.Candidates)
}

// candidate is a learner with a kernel: the learner's own grid, and length-scales about the
// distance of rows where the kernel has one.
func (s *Search) candidate(name, text string, p learn.Problem[kernel.Vec]) (tune.Candidate, error) {
	c := tune.Candidate{Learner: name, Label: name + " " + text}
	entry, err := all.ByName(name)
	if err != nil {
		return c, err
	}
	k, err := spec.ParseKernel(text)
	if err != nil {
		return c, err
	}
	c.Kernel = kernel.Erase(k)
	for _, k := range kernel.Params(c.Kernel) {
		switch values := s.axis(k.Name); {
		case values != nil:
			c.Axes = append(c.Axes, tune.Axis{Name: k.Name, Values: values})
		case strings.HasSuffix(k.Name, "lengthscale"):
			width := MedianDistance(p.Points)
			c.Axes = append(c.Axes, tune.Axis{Name: k.Name, Values: learn.LogSpace(width/4, width*4, 5)})
		}
	}
	for _, l := range entry.ParamsFor(p.Task) {
		switch values := s.axis(l.Name); {
		case values != nil:
			c.Axes = append(c.Axes, tune.Axis{Name: l.Name, Values: values})
		case len(l.Grid) > 0:
			c.Axes = append(c.Axes, tune.Axis{Name: l.Name, Values: l.Grid})
		}
	}
	return c, nil
}

// axis is the values that were asked for a parameter, which may be named by its last part.
func (s *Search) axis(name string) []float64 {
	for _, a := range s.Axes {
		if a.Name == name || strings.HasSuffix(name, "."+a.Name) {
			return a.Values
		}
	}
	return nil
}

// unused refuses values for a parameter that no candidate has.
func (s *Search) unused(candidates []tune.Candidate) error {
	for _, a := range s.Axes {
		found := false
		for _, c := range candidates {
			for _, b := range c.Axes {
				found = found || b.Name == a.Name || strings.HasSuffix(b.Name, "."+a.Name)
			}
		}
		if !found {
			return fmt.Errorf("no learner or kernel has a parameter %q", a.Name)
		}
	}
	return nil
}

func metricNamed(task data.Task, name string) (tune.Metric, error) {
	var names []string
	for _, m := range tune.Metrics(task) {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return tune.Metric{}, fmt.Errorf("no metric %q for %s (there are: %s)", name, task, strings.Join(names, ", "))
}

// search judges one part of the cells and leaves its journal.
func (w *worker) search(ctx context.Context, index int) (int, error) {
	local, err := os.MkdirTemp("", "mercer-beam-search-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(local)
	ready, err := w.prepare(func() (any, error) {
		b, err := store.Read(ctx, store.Join(w.folder, searchFile))
		if err != nil {
			return nil, err
		}
		file := filepath.Join(local, store.Base(w.Plan.Search.File))
		if err := os.WriteFile(file, b, 0o600); err != nil {
			return nil, err
		}
		return w.Plan.Search.Prepare(ctx, file, w.Input.Options(w.Threads))
	})
	if err != nil {
		return 0, err
	}
	s := ready.(*Prepared).Search
	s.Strategy, s.NoModel, s.Threads, s.Journal = tune.GridPart{Part: index, Parts: w.Plan.Search.Parts}, true, w.Threads,
		filepath.Join(local, "journal")
	r, err := s.Run(ctx)
	if _, noJournal := os.Stat(s.Journal); err != nil && (ctx.Err() != nil || noJournal != nil) {
		return 0, err
	}
	// A part in which no cell has a score is a finding, too: the whole search will say so of them.
	b, err := os.ReadFile(s.Journal)
	if err != nil {
		return 0, err
	}
	cells := 0
	if r != nil {
		cells = len(r.Cells)
	}
	return cells, store.WriteBytes(ctx, store.Join(w.folder, ofShard("journal", index)), b)
}

// SearchParts has all cells judged, and makes one journal of what the parts found.
func (j *Job) SearchParts(ctx context.Context, p *Plan, rows []byte, journal string) error {
	if err := store.MakeFolder(j.Folder); err != nil {
		return err
	}
	if err := store.WriteBytes(ctx, store.Join(j.Folder, searchFile), rows); err != nil {
		return err
	}
	if err := j.eachShard(ctx, p, "judging"); err != nil {
		return err
	}
	local, err := os.MkdirTemp("", "mercer-beam-journals-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(local)
	var parts []string
	for i := range p.Shards {
		b, err := store.Read(ctx, store.Join(j.Folder, ofShard("journal", i)))
		if err != nil {
			return err
		}
		parts = append(parts, filepath.Join(local, ofShard("journal", i)))
		if err := os.WriteFile(parts[i], b, 0o600); err != nil {
			return err
		}
	}
	return tune.MergeJournals(journal, parts...)
}
