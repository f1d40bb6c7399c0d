package tune

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"sort"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// Result is what a search found.
type Result struct {
	Metric Metric
	Second Metric // of the search, zero without one
	Cells  []Cell // in the order they were judged
	Best   Cell   // the best mean over the folds
	Chosen Cell   // Best, or by the one-standard-error rule the simplest about as good
	Model  *Fitted
	Folds  []data.Fold

	Fits    int           // machines fitted
	Resumed int           // cells found in the journal
	Elapsed time.Duration // of the whole search, with the last fit
	// Interrupted says that the search, or its last fit, was stopped before its end, by its
	// context or by its time budget; Best is the best so far.
	Interrupted bool
	Warnings    []string
	// StandIn says why the model is of few centres in place of what the search was to find, which
	// had no time; empty: it is what was searched for. Learners that were named have none.
	StandIn string
	// JournalFaults says what went wrong with the journal: lines that were damaged, a disk that was
	// full. The result does not depend on it.
	JournalFaults []string

	// judged is the number of rows the cells were judged on: all of them, where
	// there was time.
	judged int
	// held is what the search had in hand, nil without a budget; fellBack says why it is the
	// result, where it is.
	held     *fallback
	fellBack string
	first    bool // it is the first answer of Auto, which looked at few rows
	ofAll    bool // Folds are of all rows, not of those of the search: in Auto
	// wide says why few centres of all rows are the result of Auto, where they are; growth has the
	// models that competed.
	wide   string
	growth []Growth
	tuned  []nystrom.TunedRound
	apart  *learn.Predictions // of rows that the model before the last fit did not see; nil: none
	// scored is the score of the choice by each of the rows and measures that it was judged by
	// (judgedBy, apartBy), where there is a journal.
	scored map[string]float64
	by     string // judgedBy of the folds, where there is a journal
	// refit fits the chosen cell to other rows, as the last fit did.
	refit func(ctx context.Context, p learn.Problem[any]) (*Fitted, error)
	// fitCell fits a cell to rows, as the last fit would.
	fitCell func(ctx context.Context, c Cell, p learn.Problem[any]) (*Fitted, error)
}

// Ranked lists the cells, the best first; those without a score last.
func (r *Result) Ranked() []Cell {
	out := append([]Cell(nil), r.Cells...)
	sort.SliceStable(out, func(a, b int) bool {
		if ca, cb := out[a].complete(), out[b].complete(); ca != cb {
			return ca
		}
		return r.Metric.better(out[a].Mean, out[b].Mean)
	})
	return out
}

// Columns lists all parameters that some cell has, in the order they come.
func (r *Result) columns() []string {
	var names []string
	seen := map[string]bool{}
	for _, c := range r.Cells {
		for _, s := range c.Params {
			if !seen[s.Name] {
				seen[s.Name] = true
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// WriteCSV writes the cells as a table: a row for each, a column for each
// parameter, then mean, standard error, interval and the score of each fold.
func (r *Result) WriteCSV(w io.Writer) error {
	names := r.columns()
	out := csv.NewWriter(w)
	head := append([]string{"learner", "kernel"}, names...)
	head = append(head, r.Metric.Name, "se", "low", "high", "fits", "seconds", "given_up", "failed")
	if r.Second.Score != nil {
		head = append(head, r.Second.Name)
	}
	for f := range r.Folds {
		head = append(head, "fold"+strconv.Itoa(f+1))
	}
	out.Write(head)
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, c := range r.Cells {
		row := []string{string(c.Learner), c.Kernel}
		for _, n := range names {
			row = append(row, number(c.Param(n)))
		}
		row = append(row, number(c.Mean), number(c.SE), number(c.Low), number(c.High),
			strconv.Itoa(c.Fits), number(c.Seconds), strconv.FormatBool(c.GivenUp), c.Failed)
		if r.Second.Score != nil {
			row = append(row, number(c.Second))
		}
		for _, s := range c.Scores {
			row = append(row, number(s))
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// MarshalJSON writes the cell with null for numbers that are not defined.
func (c Cell) MarshalJSON() ([]byte, error) {
	n := nullable([]float64{c.Mean, c.SE, c.Low, c.High})
	type plain Cell // without this method
	return json.Marshal(struct {
		plain
		Scores []*float64 `json:"scores"`
		Mean   *float64   `json:"mean"`
		Second *float64   `json:"second,omitempty"`
		SE     *float64   `json:"se"`
		Low    *float64   `json:"low"`
		High   *float64   `json:"high"`
	}{plain(c), nullable(c.Scores), n[0], nullable([]float64{c.Second})[0], n[1], n[2], n[3]})
}

// WriteJSON writes the result: metric, chosen and best cell, all cells.
func (r *Result) WriteJSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(struct {
		Metric      string   `json:"metric"`
		Maximize    bool     `json:"maximize"`
		Chosen      Cell     `json:"chosen"`
		Best        Cell     `json:"best"`
		Fits        int      `json:"fits"`
		Resumed     int      `json:"resumed"`
		Seconds     float64  `json:"seconds"`
		Interrupted bool     `json:"interrupted"`
		Warnings    []string `json:"warnings,omitempty"`
		Cells       []Cell   `json:"cells"`
	}{r.Metric.Name, r.Metric.Maximize, r.Chosen, r.Best, r.Fits, r.Resumed, r.Elapsed.Seconds(), r.Interrupted,
		r.Warnings, r.Cells})
}

// HeatMap is the metric over two axes of a candidate: the σ × λ map of the notes' hidden tuning
// parameters. Where several cells share a place (a third axis) the best stands.
type HeatMap struct {
	XName, YName string
	X, Y         []float64   // increasing
	Mean         [][]float64 // [y][x]; NaN where no cell was judged
	Metric       string
	Maximize     bool
	Best         [2]int // x, y of the best place; -1 when there is none
	Chosen       [2]int // x, y of the chosen cell; -1 when it is of another candidate
}

// HeatMap collects the cells of a candidate over two of its parameters.
func (r *Result) HeatMap(candidate int, x, y string) HeatMap {
	h := HeatMap{XName: x, YName: y, Metric: r.Metric.Name, Maximize: r.Metric.Maximize, Best: [2]int{-1, -1},
		Chosen: [2]int{-1, -1}}
	place := func(v []float64, at float64) int { return sort.SearchFloat64s(v, at) }
	insert := func(v []float64, at float64) []float64 {
		i := place(v, at)
		if math.IsNaN(at) || i < len(v) && v[i] == at {
			return v
		}
		v = append(v, 0)
		copy(v[i+1:], v[i:])
		v[i] = at
		return v
	}
	for _, c := range r.Cells {
		if c.Candidate == candidate {
			h.X, h.Y = insert(h.X, c.Param(x)), insert(h.Y, c.Param(y))
		}
	}
	h.Mean = make([][]float64, len(h.Y))
	for i := range h.Mean {
		h.Mean[i] = make([]float64, len(h.X))
		for j := range h.Mean[i] {
			h.Mean[i][j] = math.NaN()
		}
	}
	best := math.NaN()
	for _, c := range r.Cells {
		if c.Candidate != candidate || math.IsNaN(c.Param(x)) || math.IsNaN(c.Param(y)) {
			continue
		}
		i, j := place(h.Y, c.Param(y)), place(h.X, c.Param(x))
		if r.Metric.better(c.Mean, h.Mean[i][j]) {
			h.Mean[i][j] = c.Mean
		}
		if r.Metric.better(c.Mean, best) {
			best, h.Best = c.Mean, [2]int{j, i}
		}
		if r.Chosen.Candidate == candidate && key(0, c.theta) == key(0, r.Chosen.theta) {
			h.Chosen = [2]int{j, i}
		}
	}
	return h
}
