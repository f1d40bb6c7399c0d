package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Row is what is printed for a case.
type Row struct {
	Work      string  `json:"work"`
	Peer      string  `json:"peer"`
	OursS     float64 `json:"ours_s"`
	TheirsS   float64 `json:"theirs_s"`
	Ratio     float64 `json:"ratio"`
	Bar       float64 `json:"bar"`
	OK        bool    `json:"ok"`
	Yardstick bool    `json:"yardstick,omitempty"` // the other side is no peer at the same work
	Missing   string  `json:"missing,omitempty"`   // why the peer did not run
	Wrong     string  `json:"wrong,omitempty"`     // how the results differ
	Note      string  `json:"note,omitempty"`
}

func (r *Row) ours(s float64) {
	if r.OursS == 0 || s < r.OursS {
		r.OursS = s
	}
}

func (r *Row) theirs(s float64) {
	if r.TheirsS == 0 || s < r.TheirsS {
		r.TheirsS = s
	}
}

// finish judges the row. A missing peer is said, not failed; a wrong result
// always fails.
func (r *Row) finish() {
	if r.Missing == "" && r.OursS > 0 {
		r.Ratio = r.TheirsS / r.OursS
	}
	r.OK = r.Wrong == "" && (r.Missing != "" || r.Ratio >= r.Bar)
}

// Table prints rows as they come.
type Table struct {
	w     *bufio.Writer
	json  bool
	begun bool
	rows  []Row // of the suite
}

// NewTable starts a table on w.
func NewTable(w io.Writer, asJSON bool) *Table {
	t := &Table{w: bufio.NewWriter(w), json: asJSON}
	return t
}

// header is printed before the first row.
func (t *Table) header() {
	if t.json || t.begun {
		return
	}
	t.begun = true
	fmt.Fprintf(t.w, "%s, %d threads, %s\n\n", cpuName(), runtime.GOMAXPROCS(0), runtime.Version())
	fmt.Fprintf(t.w, "%-52s %-30s %10s %10s %8s %6s\n", "work", "peer", "ours s", "theirs s", "ratio", "bar")
}

// Add prints one row.
func (t *Table) Add(r Row) {
	defer t.w.Flush()
	t.header()
	t.rows = append(t.rows, r)
	if t.json {
		b, _ := json.Marshal(r)
		fmt.Fprintf(t.w, "%s\n", b)
		return
	}
	bar, verdict := "", "ok"
	if r.Bar > 0 {
		bar = fmt.Sprintf("%.4g", r.Bar)
	}
	if !r.OK {
		verdict = "BELOW THE BAR"
	}
	ratio := fmt.Sprintf("%.2f", r.Ratio)
	if r.Missing != "" {
		ratio, verdict = "-", "peer missing: "+r.Missing
	}
	if r.Wrong != "" {
		verdict = "WRONG RESULT: " + r.Wrong
	}
	fmt.Fprintf(t.w, "%-52s %-30s %10.4f %10.4f %8s %6s  %s", r.Work, r.Peer, r.OursS, r.TheirsS, ratio, bar, verdict)
	if r.Note != "" {
		fmt.Fprintf(t.w, "  (%s)", r.Note)
	}
	fmt.Fprintln(t.w)
}

// Summary ends a suite: the geometric mean of its rows with a peer that ran, the worst of them, and
// how many of all are below their bars.
func (t *Table) Summary(suite string) {
	defer t.w.Flush()
	below := 0
	for _, r := range t.rows {
		if !r.OK {
			below++
		}
	}
	rows := slices.DeleteFunc(t.rows, func(r Row) bool { return r.Missing != "" || r.Yardstick })
	t.rows = nil
	if len(rows) == 0 || t.json {
		return
	}
	logs := 0.0
	for _, r := range rows {
		logs += math.Log(r.Ratio)
	}
	worst := slices.MinFunc(rows, func(a, b Row) int { return cmp.Compare(a.Ratio, b.Ratio) })
	fmt.Fprintf(t.w,
		"\n%s: geometric mean %.2f of the %d rows with a peer, worst %.2f (%s), %d of all below the bar or wrong\n\n", suite,
		math.Exp(logs/float64(len(rows))), len(rows), worst.Ratio, worst.Work, below)
}

// Close ends the table.
func (t *Table) Close() { t.w.Flush() }

func cpuName() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
