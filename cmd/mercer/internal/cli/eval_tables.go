package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
)

// classRow is how one class fares.
type classRow struct {
	Class     string   `json:"class"`
	Rows      int      `json:"rows"`
	Predicted int      `json:"predicted"`
	Precision *float64 `json:"precision"` // null where nothing was predicted so
	Recall    *float64 `json:"recall"`
	F1        *float64 `json:"f1"`
}

// classTable counts hits by class.
func classTable(p learn.Predictions, names []string) []classRow {
	count := confusionOf(p)
	out := make([]classRow, len(names))
	for c, name := range names {
		r := classRow{Class: name}
		hit := count[c][c]
		for o := range names {
			r.Rows += count[c][o]
			r.Predicted += count[o][c]
		}
		share := func(of int) *float64 {
			if of == 0 {
				return nil
			}
			v := float64(hit) / float64(of)
			return &v
		}
		r.Precision, r.Recall = share(r.Predicted), share(r.Rows)
		if r.Rows+r.Predicted > 0 {
			v := 2 * float64(hit) / float64(r.Rows+r.Predicted)
			r.F1 = &v
		}
		out[c] = r
	}
	return out
}

// calibrationRow is rows of like probability: what was said, and what came true.
type calibrationRow struct {
	From      float64 `json:"from"` // probabilities of the bin
	To        float64 `json:"to"`
	Count     int     `json:"count"`
	Predicted float64 `json:"predicted"` // mean probability
	Observed  float64 `json:"observed"`  // share that came true
}

// calibrationTable cuts the probabilities of all classes (of two: of the second) into fifths, and
// says how far off they are on average: Σ (count/all)·|observed − predicted|, the expected
// calibration error. nil where there are no probabilities.
func calibrationTable(p learn.Predictions) (rows []calibrationRow, off float64) {
	if p.Prob == nil {
		return nil, math.NaN()
	}
	const bins = 5
	rows = make([]calibrationRow, bins)
	for b := range rows {
		rows[b].From, rows[b].To = float64(b)/bins, float64(b+1)/bins
	}
	all := 0.0
	for i, y := range p.Truth {
		for c := range p.Classes {
			if p.Classes == 2 && c == 0 {
				continue
			}
			v := p.Prob[i*p.Classes+c]
			r := &rows[min(int(v*bins), bins-1)]
			r.Count++
			r.Predicted += v
			r.Observed += truth(int(y) == c)
			all++
		}
	}
	for b := range rows {
		if r := &rows[b]; r.Count > 0 {
			r.Predicted /= float64(r.Count)
			r.Observed /= float64(r.Count)
			off += float64(r.Count) / all * math.Abs(r.Observed-r.Predicted)
		}
	}
	return slices.DeleteFunc(rows, func(r calibrationRow) bool { return r.Count == 0 }), off
}

// residualRow is rows of like prediction: how far off they are.
type residualRow struct {
	From   float64 `json:"from"` // predictions of the part
	To     float64 `json:"to"`
	Rows   int     `json:"rows"`
	Mean   float64 `json:"mean"`   // of true − predicted: the model is too low where it is positive
	Median float64 `json:"median"` // of |true − predicted|
	Most   float64 `json:"most"`   // the largest of these
}

// residualTable cuts the rows into parts of equal size by prediction, four where there are twelve
// rows or more.
func residualTable(p learn.Predictions) []residualRow {
	n := len(p.Truth)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return p.Value[order[a]] < p.Value[order[b]] })
	parts := 4
	if n < 12 {
		parts = 1
	}
	var out []residualRow
	for k := range parts {
		part := order[k*n/parts : (k+1)*n/parts]
		r := residualRow{Rows: len(part), From: p.Value[part[0]], To: p.Value[part[len(part)-1]]}
		var size []float64
		for _, i := range part {
			d := p.Truth[i] - p.Value[i]
			r.Mean += d / float64(len(part))
			size = append(size, math.Abs(d))
		}
		slices.Sort(size)
		r.Median, r.Most = quantileOf(size, 0.5), size[len(size)-1]
		out = append(out, r)
	}
	return out
}

// quantileOf is linear between the values in order.
func quantileOf(sorted []float64, p float64) float64 {
	at := p * float64(len(sorted)-1)
	i := min(int(at), len(sorted)-1)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}

// mostShownClasses is how many classes the table of counts has on a screen.
const mostShownClasses = 8

// tellTables prints what stands behind the scores.
func tellTables(w io.Writer, p learn.Predictions, names []string) {
	if p.Value != nil {
		fmt.Fprintf(w, "\nresiduals, true − predicted, by prediction\n  %-23s %6s %10s %14s %10s\n", "predicted", "rows",
			"mean", "median size", "largest")
		for _, r := range residualTable(p) {
			fmt.Fprintf(w, "  %-23s %6s %10s %14s %10s\n", number(r.From)+" to "+number(r.To), phrase.Thousands(r.Rows),
				number(r.Mean), number(r.Median), number(r.Most))
		}
		return
	}
	fmt.Fprintf(w, "\n  %-20s %7s %9s %10s %7s %7s\n", "class", "rows", "predicted", "precision", "recall", "f1")
	text := func(v *float64) string {
		if v == nil {
			return "–"
		}
		return number(*v)
	}
	table := classTable(p, names)
	for _, r := range table {
		fmt.Fprintf(w, "  %-20s %7s %9s %10s %7s %7s\n", clipTo(r.Class, 20), phrase.Thousands(r.Rows),
			phrase.Thousands(r.Predicted), text(r.Precision), text(r.Recall), text(r.F1))
	}
	tellConfusion(w, p, names)
	rows, off := calibrationTable(p)
	if rows == nil {
		return
	}
	fmt.Fprintf(w, "\ncalibration, off by %s on average\n  %-12s %7s %10s %10s\n", number(off), "probability", "count",
		"mean", "came true")
	for _, r := range rows {
		fmt.Fprintf(w, "  %-12s %7s %10s %10s\n", fmt.Sprintf("%.1f to %.1f", r.From, r.To), phrase.Thousands(r.Count),
			number(r.Predicted), number(r.Observed))
	}
}

// tellConfusion prints the matrix or, of many classes, what is taken for what most often.
func tellConfusion(w io.Writer, p learn.Predictions, names []string) {
	count := confusionOf(p)
	if len(names) <= mostShownClasses {
		fmt.Fprintf(w, "\ntrue ↓ predicted →\n  %-20s", "")
		for _, n := range names {
			fmt.Fprintf(w, " %6s", clipTo(n, 6))
		}
		fmt.Fprintln(w)
		for c, n := range names {
			fmt.Fprintf(w, "  %-20s", clipTo(n, 20))
			for _, k := range count[c] {
				fmt.Fprintf(w, " %6d", k)
			}
			fmt.Fprintln(w)
		}
		return
	}
	type miss struct{ truth, said, rows int }
	var all []miss
	for t := range names {
		for s, k := range count[t] {
			if k > 0 && s != t {
				all = append(all, miss{t, s, k})
			}
		}
	}
	sort.SliceStable(all, func(a, b int) bool { return all[a].rows > all[b].rows })
	if len(all) > 0 {
		fmt.Fprintln(w, "\ntaken for another class most often")
	}
	for _, m := range all[:min(10, len(all))] {
		fmt.Fprintf(w, "  %s for %s: %s\n", clipTo(names[m.truth], 24), clipTo(names[m.said], 24), plural(m.rows, "row"))
	}
}
