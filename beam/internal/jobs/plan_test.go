package jobs

import (
	"context"
	"errors"
	"os"
	"testing"
)

// TestWorkersStopWithTheirJob: a worker that has read its plan does no further shard when the
// folder of the job was removed, and does not bring it back.
func TestWorkersStopWithTheirJob(t *testing.T) {
	folder := t.TempDir() + "/job"
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if err := (&Plan{Shards: []string{"a.csv"}}).write(ctx, folder); err != nil {
		t.Fatal(err)
	}
	if _, err := workerFor(ctx, folder); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	for _, f := range []func() error{
		func() error { return (&shardFn{Folder: folder}).ProcessElement(ctx, 0) },
		func() error { return (&sumFn{Folder: folder}).ProcessElement(ctx, 0, nil) },
		func() error { return (&keepFn{Folder: folder}).ProcessElement(ctx, 0, chunk{}) },
	} {
		if err := f(); err == nil {
			t.Error("a shard of a job that is gone was done")
		}
	}
	if err := (&shardFn{Folder: folder}).ProcessElement(ctx, 0); !errors.Is(err, ErrGone) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is back: %v", err)
	}
}
