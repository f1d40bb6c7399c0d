package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strconv"
	"sync/atomic"
	"time"
)

// growthTable is how time and memory of some methods grow with one number, its second column: lines
// of out/growth-NAME.csv, which cmd/mercer/internal/figures draws, and of shown. The file is made
// with the first line.
type growthTable struct {
	name, size string
	shown      io.Writer
	file       *os.File
	err        error
}

// measure runs f and adds what it took.
func (t *growthTable) measure(method string, size int, f func()) {
	runtime.GC()
	seconds, cpu, bytes := cost(f)
	t.add(method, size, seconds, cpu, bytes/1e6)
}

// add is a line. What is 0 was not measured, or too small to be seen, and is left empty.
func (t *growthTable) add(method string, size int, seconds, cpu, megabytes float64) {
	if t.err != nil {
		return
	}
	if t.file == nil {
		if t.file, t.err = os.Create(filepath.Join("out", "growth-"+t.name+".csv")); t.err != nil {
			return
		}
		t.write(fmt.Sprintf("method,%s,seconds,cpu_seconds,megabytes\n", t.size))
	}
	cell := func(v float64, digits int) string {
		if v == 0 {
			return ""
		}
		return strconv.FormatFloat(v, 'g', digits, 64)
	}
	t.write(fmt.Sprintf("%s,%d,%s,%s,%s\n", method, size, cell(seconds, 4), cell(cpu, 4), cell(megabytes, 4)))
}

func (t *growthTable) write(line string) {
	if _, err := io.WriteString(t.file, line); err != nil {
		t.err = err
	}
	io.WriteString(t.shown, line)
}

// close says what went wrong with the file.
func (t *growthTable) close() error {
	if t.file != nil && t.err == nil {
		t.err = t.file.Close()
	}
	return t.err
}

// cost is the seconds of a call, those of the processor, and the most memory in use at a time
// beyond what was there before; 0 where it was over before anyone looked.
func cost(f func()) (seconds, cpu, bytes float64) {
	use := func() float64 {
		s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(s)
		return float64(s[0].Value.Uint64())
	}
	before := use()
	var peak atomic.Uint64
	done := make(chan struct{})
	go func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(2 * time.Millisecond):
				peak.Store(max(peak.Load(), uint64(max(use()-before, 0))))
			}
		}
	}()
	begun, used := time.Now(), processorSeconds()
	f()
	seconds, cpu = time.Since(begun).Seconds(), processorSeconds()-used
	close(done)
	return seconds, cpu, float64(peak.Load())
}
