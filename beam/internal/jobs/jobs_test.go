package jobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// TestReservoirDoesNotDependOnChunks: the rows of the least keys are drawn, however the rows come.
func TestReservoirDoesNotDependOnChunks(t *testing.T) {
	const n, size = 5000, 20
	draw := func(chunk int) string {
		r := newReservoir(size)
		for lo := 0; lo < n; lo += chunk {
			x := make([]float64, min(chunk, n-lo))
			for i := range x {
				x[i] = float64(lo + i)
			}
			d := &data.Dataset{Name: "t", Columns: []data.Column{data.NumberColumn("x", x)}}
			if err := r.show(d, func(i int) (uint64, bool) { return keyOf(7, 0, lo+i), (lo+i)%2 == 0 }); err != nil {
				t.Fatal(err)
			}
		}
		_, rows, err := r.rows()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(rows.Columns[0].Numbers)
	}
	want := draw(n)
	if len(strings.Fields(want)) != size {
		t.Fatalf("%s", want)
	}
	for _, chunk := range []int{1, 37, 1000} {
		if got := draw(chunk); got != want {
			t.Errorf("chunks of %d: %s, want %s", chunk, got, want)
		}
	}
}

// TestFoldsAreEven: every fold has about its share of the rows of a shard.
func TestFoldsAreEven(t *testing.T) {
	counts := make([]int, 5)
	for row := range 10000 {
		counts[FoldOf(3, 4, row, 5)]++
	}
	for f, n := range counts {
		if n < 1800 || n > 2200 { // five standard deviations
			t.Errorf("fold %d has %d of 10 000 rows", f, n)
		}
	}
}

// TestRowsAreCountedOnce: a shard that an engine adds twice, or leaves out, is found out before
// anything is solved; a shard whose first pass is done twice changes nothing.
func TestRowsAreCountedOnce(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	var shards []string
	for s := range 3 {
		text := "x,y\n"
		for i := range 20 {
			text += fmt.Sprintf("%d,%g\n", i, float64(i*s)/7)
		}
		shards = append(shards, filepath.Join(dir, fmt.Sprintf("%d.csv", s)))
		if err := os.WriteFile(shards[s], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	table, err := load.OpenTable(ctx, shards[1], load.Options{Target: "y"}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	survey := &Plan{Shards: shards, Threads: 1, Survey: &Survey{Layout: table.Layout(),
		Encoder: data.EncoderOptions{Task: data.Regression}, Sample: 5, Seed: 1}}
	first := &Job{Engine: Engine{Runner: Loop}, Folder: filepath.Join(dir, "first"), Name: "first"}
	seen, err := first.SurveyShards(ctx, survey)
	if err != nil || seen.Kept != 60 || seen.Rows != 60 {
		t.Fatalf("%+v, %v", seen, err)
	}
	if err := (&shardFn{Folder: first.Folder}).ProcessElement(ctx, 1); err != nil {
		t.Fatal(err)
	}
	again, err := first.SurveyShards(ctx, survey)
	if err != nil || again.Kept != 60 || fmt.Sprint(again.Encoder.Columns) != fmt.Sprint(seen.Encoder.Columns) {
		t.Errorf("done again: %+v, %v", again, err)
	}
	centers, err := seen.Encode()
	if err != nil {
		t.Fatal(err)
	}
	e, err := nystrom.NewEquations[kernel.Vec](ctx, kernel.Gaussian{Lengthscale: 1}, centers, 0, seen.Means, true, 1)
	if err != nil {
		t.Fatal(err)
	}
	equations := []*nystrom.Equations[kernel.Vec]{e}
	plan := &Plan{Shards: shards, Threads: 1, Sums: &Sums{Layout: table.Layout(), Encoder: seen.Encoder,
		Kernels: []string{"gaussian"}, Folds: 2, Seed: 1}}
	job := &Job{Engine: Engine{Runner: Loop}, Folder: filepath.Join(dir, "second"), Name: "second"}
	if _, err := job.SumShards(ctx, plan, equations, seen.Kept); err != nil {
		t.Fatal(err)
	}
	for _, elements := range [][]int{{0, 1, 1, 2}, {0, 2}} {
		f, keep := &sumFn{Folder: job.Folder}, &keepFn{Folder: job.Folder}
		for _, i := range elements {
			if err := f.ProcessElement(ctx, i, nil); err != nil {
				t.Fatal(err)
			}
		}
		var failed error
		_ = f.FinishBundle(ctx, func(key int, c chunk) { failed = errors.Join(failed, keep.ProcessElement(ctx, key, c)) })
		if failed != nil {
			t.Fatal(failed)
		}
		if _, err := job.gather(ctx, plan, equations, seen.Kept); err == nil {
			t.Errorf("shards %v were taken for all", elements)
		}
	}
}
