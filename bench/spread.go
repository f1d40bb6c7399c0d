package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// The suite of everything else beside scikit-learn (NumPy for tests of hypotheses, pandas for
// files): each learner on five shapes, small ones among them, where what is paid is goroutines,
// plans and allocations.
const barSpread = 2

// spreadShapes are rows and columns.
var spreadShapes = [][2]int{{300, 5}, {300, 50}, {2000, 5}, {2000, 100}, {5000, 10}}

// spreadWorks are the rows of one shape.
func spreadWorks(n, d int) []Case {
	out := []Case{
		spreadRidge(n, d), spreadRidgePrediction(n, d), spreadSVR(n, d), spreadOneClass(n, d), spreadProbabilities(n, d),
		spreadPCA(n, d), spreadKDE(n, d), spreadProcess(n, d), spreadLogistic(n, d),
	}
	if n <= 2000 { // the peer decomposes a matrix of all rows
		out = append(out, spreadKernelLogistic(n, d))
	}
	return append(out, spreadNeighbours(n, d), spreadSpectral(n, d), spreadMMD(n, d), spreadReading(n, d))
}

// spreadRow is one line.
type spreadRow struct {
	Work     string  `json:"work"`
	Rows     int     `json:"rows"`
	Columns  int     `json:"columns"`
	Peer     string  `json:"peer"`
	OursS    float64 `json:"ours_s"`
	TheirsS  float64 `json:"theirs_s"`
	Ratio    float64 `json:"ratio"`
	RatioCPU float64 `json:"ratio_cpu"`
	Allocs   uint64  `json:"allocs"`   // of one run of ours
	AllocMB  float64 `json:"alloc_mb"` // what they add up to
	PeakMB   float64 `json:"peak_mb"`  // resident memory above what was held before, -1: not known
	TheirMB  float64 `json:"theirs_peak_mb"`
	Missing  string  `json:"missing,omitempty"`
	Wrong    string  `json:"wrong,omitempty"`
}

// spread prints the table; it says whether every row is right and above the bar.
func spread(w io.Writer, only string, repeats int, asJSON bool) bool {
	peer := StartPeer("spread")
	defer peer.Stop()
	if !asJSON {
		fmt.Fprintf(w, "%s, %d threads, %s; best of interleaved runs; memory above what was held before the run\n\n",
			cpuName(), runtime.GOMAXPROCS(0), runtime.Version())
		fmt.Fprintf(w, "%-22s %10s %-38s %10s %10s %7s %7s %8s %9s %8s %8s\n", "work", "shape", "peer", "ours ms",
			"theirs ms", "ratio", "(cpu)", "allocs", "alloc MB", "peak MB", "theirs")
	}
	var rows []spreadRow
	good := true
	for _, shape := range spreadShapes {
		for _, c := range spreadWorks(shape[0], shape[1]) {
			row := spreadRow{Work: c.Work, Rows: shape[0], Columns: shape[1]}
			if !strings.Contains(fmt.Sprintf("%s %s", row.Work, row.shape()), only) {
				continue
			}
			row.measure(c, peer, repeats)
			row.print(w, asJSON)
			good = good && row.Wrong == "" && (row.Missing != "" || row.Ratio >= barSpread)
			rows = append(rows, row)
		}
	}
	if !asJSON {
		summariseSpread(w, rows)
	}
	return good
}

func (r *spreadRow) shape() string { return fmt.Sprintf("%d×%d", r.Rows, r.Columns) }

// measure runs both sides in turn, keeps the best of each, and then looks at memory, in runs that
// are not timed.
func (r *spreadRow) measure(c Case, peer *Peer, repeats int) {
	work := c.Prepare()
	var err error
	if r.Peer, err = peer.Load(c.Peer, work.Inputs, c.Args); err != nil {
		r.Missing = err.Error()
	}
	var ours, theirs spent
	for i := 0; i == 0 || i < repeats || repeats == 0 && i < spreadRepeats(max(ours.wall, theirs.wall)); i++ {
		runtime.GC()
		time.Sleep(settle)
		t, _ := inProcess(func() error { work.Run(); return nil })
		ours = better(ours, t)
		if r.Missing != "" {
			continue
		}
		time.Sleep(settle)
		if t.wall, t.cpu, err = peer.TimeCPU(); err != nil {
			r.Missing = err.Error()
			continue
		}
		theirs = better(theirs, t)
	}
	r.OursS, r.TheirsS = ours.wall, theirs.wall
	r.Allocs, r.AllocMB, r.PeakMB = memoryOf(work.Run)
	if r.TheirMB = -1; r.Missing != "" {
		return
	}
	r.Ratio, r.RatioCPU = theirs.wall/ours.wall, theirs.cpu/ours.cpu
	if r.TheirMB, err = peer.Memory(); err != nil {
		r.TheirMB = -1
	}
	result, err := peer.Result()
	if err == nil {
		err = work.Check(result)
	}
	if err != nil {
		r.Wrong = err.Error()
	}
}

// spreadRepeats spends about three seconds a side, between 2 and 40 repeats.
func spreadRepeats(slow float64) int { return int(min(max(3/max(slow, 1e-3), 2), 40)) }

func (r spreadRow) print(w io.Writer, asJSON bool) {
	if asJSON {
		b, _ := json.Marshal(r)
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	megabytes := func(v float64) string {
		if v < 0 {
			return "-"
		}
		return fmt.Sprintf("%.1f", v)
	}
	verdict := ""
	switch {
	case r.Wrong != "":
		verdict = "  WRONG RESULT: " + r.Wrong
	case r.Missing != "":
		verdict = "  peer missing: " + r.Missing
	case r.Ratio < barSpread:
		verdict = "  BELOW THE BAR"
	}
	fmt.Fprintf(w, "%-22s %10s %-38s %10.2f %10.2f %7.2f %7.2f %8d %9.1f %8s %8s%s\n", r.Work, r.shape(), r.Peer,
		1e3*r.OursS, 1e3*r.TheirsS, r.Ratio, r.RatioCPU, r.Allocs, r.AllocMB, megabytes(r.PeakMB), megabytes(r.TheirMB),
		verdict)
}

// summariseSpread prints the geometric mean and the worst of every work over its shapes.
func summariseSpread(w io.Writer, rows []spreadRow) {
	var works []string
	for _, r := range rows {
		if !slices.Contains(works, r.Work) {
			works = append(works, r.Work)
		}
	}
	fmt.Fprintln(w)
	for _, work := range works {
		sum, n, worst, where := 0.0, 0, math.Inf(1), ""
		for _, r := range rows {
			if r.Work != work || r.Missing != "" || r.Wrong != "" {
				continue
			}
			sum += math.Log(r.Ratio)
			n++
			if r.Ratio < worst {
				worst, where = r.Ratio, r.shape()
			}
		}
		if n > 0 {
			fmt.Fprintf(w, "%-22s %d shapes: geometric mean %.1f, worst %.1f (%s)\n", work, n, math.Exp(sum/float64(n)), worst,
				where)
		}
	}
}

// spreadFile is where a file for both sides to read lies.
func spreadFile(name string) string {
	os.MkdirAll("out", 0o777)
	return "out/" + name
}
