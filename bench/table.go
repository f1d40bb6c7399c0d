package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
)

// Row is what is printed for a case.
type Row struct {
	Work    string  `json:"work"`
	Peer    string  `json:"peer"`
	OursS   float64 `json:"ours_s"`
	TheirsS float64 `json:"theirs_s"`
	Ratio   float64 `json:"ratio"`
	Bar     float64 `json:"bar"`
	OK      bool    `json:"ok"`
	Missing string  `json:"missing,omitempty"` // why the peer did not run
	Wrong   string  `json:"wrong,omitempty"`   // how the results differ
	Note    string  `json:"note,omitempty"`
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
