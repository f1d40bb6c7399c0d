package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// threadWork is a piece of parallel work that is measured at several numbers of threads.
type threadWork struct {
	area string // the line of it in the picture
	Case
}

// threadTimes are the best times of a piece of work, ours and the peer's, by number of threads.
type threadTimes struct {
	area, work   string
	peer         string
	ours, theirs []float64 // seconds; theirs is empty where no peer can be told how many
}

// threads measures every parallel path at 1, 2, 4, … threads, as many as there are processors, and
// leaves out/threads.csv, and out/growth-threads.csv for the picture. Peers take part where their
// number of threads can be set from outside, which is that of BLAS.
func threads(w io.Writer, only string) error {
	var counts []int
	for n := 1; n <= runtime.NumCPU(); n *= 2 {
		counts = append(counts, n)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var all []threadTimes
	for _, t := range threadWorks() {
		if !strings.Contains(t.Work, only) {
			continue
		}
		row := t.measure(counts)
		row.print(w, counts)
		all = append(all, row)
	}
	if err := writeTable(filepath.Join("out", "growth-threads.csv"), speedups(counts, all)); err != nil {
		return err
	}
	return writeThreads(filepath.Join("out", "threads.csv"), counts, all)
}

// measure takes the best of a few runs at each number of threads. The inputs are made once.
func (t threadWork) measure(counts []int) threadTimes {
	w := t.Prepare()
	row := threadTimes{area: t.area, work: t.Work}
	for _, n := range counts {
		runtime.GOMAXPROCS(n)
		row.ours = append(row.ours, bestWithin(func() float64 { return seconds(1, w.Run) }))
		if blasPeers[t.Peer] {
			os.Setenv("OPENBLAS_NUM_THREADS", strconv.Itoa(n))
			row.theirs = append(row.theirs, t.peerTime(&row, w.Inputs))
		}
	}
	return row
}

// peerTime starts a peer, which has the number of threads of the environment, and is its best time;
// 0 where there is none.
func (t threadWork) peerTime(row *threadTimes, in Inputs) float64 {
	peer := StartPeer("engine")
	defer peer.Stop()
	name, err := peer.Load(t.Peer, in, t.Args)
	if err != nil {
		return 0
	}
	row.peer = name
	return bestWithin(func() float64 {
		s, err := peer.Time()
		if err != nil {
			return 0
		}
		return s
	})
}

// blasPeers are the functions of peers/engine.py that obey OPENBLAS_NUM_THREADS.
var blasPeers = map[string]bool{"gemm": true, "cholesky": true, "eigh": true}

// threadSeconds is how long a piece of work is repeated at each number of threads.
const threadSeconds = 1.0

// bestWithin is the smallest of the times that come within threadSeconds. The first run of short
// work only touches pages and warms caches, since others follow.
func bestWithin(run func() float64) float64 {
	start, best := time.Now(), run()
	for i := 0; time.Since(start).Seconds() < threadSeconds && i < 40; i++ {
		best = min(best, run())
	}
	return best
}

// print writes a row: the work, then for each number of threads the time and the efficiency
// t₁/(n·tₙ), then how many times the peer's speed that is.
func (t threadTimes) print(w io.Writer, counts []int) {
	fmt.Fprintf(w, "%-52s", t.work)
	for i, n := range counts {
		fmt.Fprintf(w, " %8.4f (%3.0f%%)", t.ours[i], 100*t.ours[0]/(float64(n)*t.ours[i]))
	}
	if len(t.theirs) > 0 && slices.Min(t.theirs) > 0 {
		fmt.Fprintf(w, "  × %s:", t.peer)
		for i := range counts {
			fmt.Fprintf(w, " %.2f", t.theirs[i]/t.ours[i])
		}
	}
	fmt.Fprintln(w)
}

// writeThreads leaves a line for each work and number of threads.
func writeThreads(file string, counts []int, rows []threadTimes) error {
	lines := [][]string{{"method", "threads", "seconds", "efficiency", "peer", "peer_seconds"}}
	for _, r := range rows {
		for i, n := range counts {
			line := []string{r.work, strconv.Itoa(n), digits(r.ours[i]), digits(r.ours[0] / (float64(n) * r.ours[i])), "", ""}
			if len(r.theirs) > 0 && r.theirs[i] > 0 {
				line[4], line[5] = r.peer, digits(r.theirs[i])
			}
			lines = append(lines, line)
		}
	}
	return writeTable(file, lines)
}

// speedups are the geometric means over the works of each area, and what they would be at best.
func speedups(counts []int, rows []threadTimes) [][]string {
	lines := [][]string{{"method", "threads", "speedup"}}
	var areas []string
	for _, r := range rows {
		if !slices.Contains(areas, r.area) {
			areas = append(areas, r.area)
		}
	}
	for _, area := range areas {
		for i, n := range counts {
			sum, works := 0.0, 0
			for _, r := range rows {
				if r.area == area {
					sum, works = sum+math.Log(r.ours[0]/r.ours[i]), works+1
				}
			}
			lines = append(lines, []string{area, strconv.Itoa(n), digits(math.Exp(sum / float64(works)))})
		}
	}
	for _, n := range counts {
		lines = append(lines, []string{"as many times as threads", strconv.Itoa(n), strconv.Itoa(n)})
	}
	return lines
}

func writeTable(file string, lines [][]string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(csv.NewWriter(f).WriteAll(lines), f.Close())
}

func digits(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }
