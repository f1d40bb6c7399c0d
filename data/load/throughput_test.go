package load_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

// writeNumbers writes a CSV file of about the given size: 20 columns of numbers
// as float64 prints them (16 and 17 digits), with a header.
func writeNumbers(t testing.TB, bytes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "numbers.csv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	rng := rand.New(rand.NewPCG(1, 1))
	const cols = 20
	line := []byte{}
	for j := range cols {
		if j > 0 {
			line = append(line, ',')
		}
		line = fmt.Appendf(line, "x%d", j+1)
	}
	line = append(line, '\n')
	for n := 0; n < bytes; n += len(line) {
		w.Write(line)
		line = line[:0]
		for j := range cols {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, rng.NormFloat64(), 'g', -1, 64)
		}
		line = append(line, '\n')
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return path
}

// The memory taken while reading stays below a small multiple of the file.
func TestMemory(t *testing.T) {
	const size = 32 << 20
	path := writeNumbers(t, size)
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	var peak atomic.Uint64
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak.Store(max(peak.Load(), m.HeapAlloc))
			select {
			case <-stop:
				return
			case <-time.After(2 * time.Millisecond):
			}
		}
	}()
	d, err := load.Read(context.Background(), path, load.Options{})
	close(stop)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	took := float64(peak.Load()-before.HeapAlloc) / size
	t.Logf("%d rows: peak heap %.2f × the file", d.Len(), took)
	if took > 3 {
		t.Errorf("reading took %.2f times the size of the file in memory, want at most 3", took)
	}
}

// Streaming takes the same memory for a file eight times as long.
func TestStreamingMemory(t *testing.T) {
	peak := func(size int) uint64 {
		path := writeNumbers(t, size)
		s, err := load.Open(context.Background(), path, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		runtime.GC()
		high := uint64(0)
		for {
			_, err := s.Next()
			if err != nil {
				return high
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			high = max(high, m.HeapAlloc)
		}
	}
	size := datatest.Size(64, 40)
	small, large := peak(4<<20), peak(size<<20)
	t.Logf("peak heap %d MiB for 4 MiB, %d MiB for %d MiB", small>>20, large>>20, size)
	if large > 2*small+16<<20 {
		t.Errorf("streaming %d MiB took %d bytes, 4 MiB took %d", size, large, small)
	}
}

// TestBesidePandas times 100 MB of numbers beside pandas' C reader, in turns, the
// best of five each:
//
//	MERCER_PYTHON=python3 go test -run BesidePandas -v ./data/load
func TestBesidePandas(t *testing.T) {
	python := os.Getenv("MERCER_PYTHON")
	if python == "" {
		t.Skip("SKIPPED: set MERCER_PYTHON to a Python with pandas to time it beside us")
	}
	if err := exec.Command(python, "-c", "import pandas").Run(); err != nil {
		t.Skip("SKIPPED: the Python of MERCER_PYTHON has no pandas to time beside us")
	}
	path := writeNumbers(t, 100e6)
	script := `
import sys, time, pandas
for _ in sys.stdin:
    t = time.perf_counter(); d = pandas.read_csv(sys.argv[1], engine="c"); t = time.perf_counter() - t
    print(t, repr(float(d.to_numpy().sum())), d.shape[0], pandas.__version__, flush=True)
`
	cmd := exec.Command(python, "-c", script, path)
	ask, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(answers)
	ours, unhashed, theirs := math.Inf(1), math.Inf(1), math.Inf(1)
	var version string
	for range 5 {
		runtime.GC()
		start := time.Now()
		bare, err := csvio.Read(func() (io.ReadCloser, error) { return os.Open(path) }, path, csvio.Options{Size: 100e6})
		if err != nil || bare.Len() == 0 {
			t.Fatal(bare, err)
		}
		unhashed = min(unhashed, time.Since(start).Seconds())
		bare = nil
		runtime.GC()
		start = time.Now()
		d, err := load.Read(context.Background(), path, load.Options{NoTarget: true})
		if err != nil {
			t.Fatal(err)
		}
		ours = min(ours, time.Since(start).Seconds())
		sum := 0.0
		for i := range d.Columns {
			for _, x := range d.Columns[i].Numbers {
				sum += x
			}
		}
		fmt.Fprintln(ask, "read")
		var seconds, other float64
		var rows int
		if !lines.Scan() {
			t.Fatal("pandas gave no answer")
		}
		if _, err := fmt.Sscan(lines.Text(), &seconds, &other, &rows, &version); err != nil {
			t.Fatal(err)
		}
		theirs = min(theirs, seconds)
		if rows != d.Len() || math.Abs(sum-other) > 1e-6*math.Abs(sum) {
			t.Fatalf("%d rows with sum %v; pandas has %d with %v", d.Len(), sum, rows, other)
		}
	}
	ask.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("pandas %s %.3f s; csvio.Read %.3f s, %.2f of its time; load.Read, with the SHA-256 of the file, %.3f s, %.2f",
		version, theirs, unhashed, unhashed/theirs, ours, ours/theirs)
}
