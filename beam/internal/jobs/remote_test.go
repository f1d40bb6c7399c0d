package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/mercer-ml/mercer/beam/internal/store"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// sums is a survey and sums of shards in a folder, with the folders of the jobs beside them.
func sums(t *testing.T, folder string) (*Surveyed, [][]float64) {
	t.Helper()
	ctx := context.Background()
	var shards []string
	for s := range 3 {
		text := "x,y\n"
		for i := range 20 {
			text += fmt.Sprintf("%d,%g\n", i, float64(i*(s+1))/7)
		}
		shards = append(shards, store.Join(folder, fmt.Sprintf("%d.csv", s)))
		if err := store.WriteBytes(ctx, shards[s], []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	local := filepath.Join(t.TempDir(), "0.csv")
	b, err := store.Read(ctx, shards[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(local, b, 0o666); err != nil {
		t.Fatal(err)
	}
	table, err := load.OpenTable(ctx, local, load.Options{Target: "y"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	first := &Job{Engine: Engine{Runner: Loop}, Folder: store.Join(folder, "first"), Name: "first"}
	seen, err := first.SurveyShards(ctx, &Plan{Shards: shards, Threads: 1,
		Survey: &Survey{Layout: table.Layout(), Encoder: data.EncoderOptions{Task: data.Regression}, Sample: 5, Seed: 1}})
	if err != nil {
		t.Fatal(err)
	}
	centers, err := seen.Encode()
	if err != nil {
		t.Fatal(err)
	}
	e, err := nystrom.NewEquations[kernel.Vec](ctx, kernel.Gaussian{Lengthscale: 1}, centers, 0, seen.Means, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	job := &Job{Engine: Engine{Runner: Loop}, Folder: store.Join(folder, "second"), Name: "second"}
	got, err := job.SumShards(ctx, &Plan{Shards: shards, Threads: 1,
		Sums: &Sums{Layout: table.Layout(), Encoder: seen.Encoder, Kernels: []string{"gaussian"}, Folds: 2, Seed: 1}},
		[]*nystrom.Equations[kernel.Vec]{e}, seen.Kept)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range []*Job{first, job} {
		if err := j.Remove(); err != nil {
			t.Fatal(err)
		}
		if names, _ := store.Names(ctx, j.Folder, ""); len(names) > 0 {
			t.Errorf("left in the folder of the job: %v", names)
		}
	}
	return seen, got
}

// TestJobsOnOtherStorage: shards, plans, marks and sums on a file system of Beam's give what those
// of this machine do, to the bit.
func TestJobsOnOtherStorage(t *testing.T) {
	here, a := sums(t, t.TempDir())
	there, b := sums(t, "memfs://bucket/table")
	if fmt.Sprint(a) != fmt.Sprint(b) || here.Kept != there.Kept ||
		fmt.Sprint(here.Encoder.Columns) != fmt.Sprint(there.Encoder.Columns) {
		t.Errorf("%v\n%v", a, b)
	}
}

// TestAMissingShardIsNamed: one that is gone when its turn comes, here or elsewhere, with the
// others done.
func TestAMissingShardIsNamed(t *testing.T) {
	ctx, folder := context.Background(), t.TempDir()
	there := store.Join(folder, "a.csv")
	if err := store.WriteBytes(ctx, there, []byte("x,y\n1,2\n2,3\n")); err != nil {
		t.Fatal(err)
	}
	table, err := load.OpenTable(ctx, there, load.Options{Target: "y"}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for i, gone := range []string{store.Join(folder, "gone.csv"), "memfs://nobody/gone.csv"} {
		j := &Job{Engine: Engine{Runner: Loop}, Folder: store.Join(folder, fmt.Sprintf("job-%d", i)), Name: "job"}
		_, err := j.SurveyShards(ctx, &Plan{Shards: []string{gone, there}, Threads: 1,
			Survey: &Survey{Layout: table.Layout(), Encoder: data.EncoderOptions{Task: data.Regression}, Sample: 2}})
		var faulty *FaultyShards
		if !errors.As(err, &faulty) || len(faulty.Faults) != 1 || !strings.Contains(err.Error(), gone) ||
			!errors.Is(err, ErrFaultyShards) {
			t.Errorf("%v", err)
		}
		if done, _ := store.Exists(ctx, store.Join(j.Folder, "done-000001")); !done {
			t.Error("the other shard was not looked through")
		}
	}
}

// TestALostWorkerIsSaid: what an engine says when it gives up comes with what to look at, and its
// hundred lines are cut.
func TestALostWorkerIsSaid(t *testing.T) {
	lost := errors.New("worker 7 lost" + strings.Repeat("\n\tat java.lang.Thread", 100))
	beam.RegisterRunner("losing", func(context.Context, *beam.Pipeline) (beam.PipelineResult, error) { return nil, lost })
	err := Engine{Runner: "losing"}.run(context.Background(), "job", func(s beam.Scope) { beam.Create(s, 1) })
	var engine *EngineError
	if !errors.As(err, &engine) || !errors.Is(err, lost) || strings.Count(err.Error(), "\n") > 14 {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{"losing gave the job up", "worker 7 lost", "memory", "start again"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not said: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := (Engine{Runner: "losing"}).run(ctx, "job", func(s beam.Scope) { beam.Create(s, 1) }); !errors.Is(err,
		context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestJobsAreKnownByName: as Flink's job server lists them, and no other's.
func TestJobsAreKnownByName(t *testing.T) {
	const name = "mercer-beam-fit-84ba867a4ea7-survey"
	for listed, want := range map[string]bool{
		name: true, "mercer0beam0fit084ba867a4ea70survey-root-1116165233-6de86c40": true,
		"mercer0beam0fit084ba867a4ea70survey":                        true,
		"mercer0beam0fit084ba867a4ea70sums-root-1116165233-6de86c40": false,
		"mercer0beam0fit084ba867a4ea70survey2-root-1":                false, "": false,
	} {
		if isJob(listed, name) != want {
			t.Errorf("%q: %v", listed, !want)
		}
	}
}
