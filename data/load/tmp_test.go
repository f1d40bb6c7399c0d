package load_test

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data/csvio"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/par"
	"io"
)

func TestTmp(t *testing.T) {
	path := "/tmp/fmt100.csv"
	if _, err := os.Stat(path); err != nil {
		os.Rename(writeNumbers(t, 100e6), path)
		p := writeNumbers(t, 100e6)
		b, _ := os.ReadFile(p)
		os.WriteFile(path, b, 0o644)
	}
	for range 5 {
		runtime.GC()
		s := time.Now()
		load.Read(context.Background(), path, load.Options{NoTarget: true})
		t.Log("load", time.Since(s))
	}
	for _, th := range []int{1, 2} {
		for range 3 {
			runtime.GC()
			s := time.Now()
			csvio.Read(func() (io.ReadCloser, error) { return os.Open(path) }, "x", csvio.Options{Threads: par.Threads(th)})
			t.Log("csvio", th, time.Since(s))
		}
	}
}
