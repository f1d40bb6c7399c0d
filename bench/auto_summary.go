package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// printHead prints what the table says and how its columns are named.
func (run autoRun) printHead(w io.Writer) {
	fmt.Fprintf(w, "tune.Auto (budget %v, best %s) beside scikit-learn; at most %d rows to fit on and %d to judge by.\n",
		run.budget, run.bestName(), run.rows, autoTest)
	fmt.Fprintf(w,
		"As good: mean score no worse than that of the best peer, chosen after the fact, by more than\n%.1g standard error "+
			"of its mean over the splits. Ahead: our mean advantage over it, split by split.\n\n", autoSlack)
	fmt.Fprintf(w, "%-20s %5s %4s %7s", "set", "train", "d", "ours")
	for _, name := range autoPeers {
		fmt.Fprintf(w, " %7s", name)
	}
	fmt.Fprintf(w, " %8s %7s %4s %5s %6s %4s\n", "ahead", "± SE", "s", "CPU s", "grid s", "good")
}

// print prints the row.
func (r autoRow) print(w io.Writer) {
	fmt.Fprintf(w, "%-20s %5d %4d %7.5g", r.Set, r.Train, r.Dim, r.Ours)
	for _, name := range autoPeers {
		if v, ran := r.Peers[name]; ran {
			fmt.Fprintf(w, " %7.5g", v)
		} else {
			fmt.Fprintf(w, " %7s", "-")
		}
	}
	verdict := "yes"
	if !r.Good {
		verdict = "NO"
	}
	fmt.Fprintf(w, " %8.2g %7.2g %4.1f %5.1f %6.1f %4s\n", r.Paired, r.PairSE, r.Seconds, r.CPU, r.Times[autoPeers[0]],
		verdict)
}

// summary counts verdicts, and averages our advantage over each peer and over the best of all on
// each set.
func summary(w io.Writer, rows []autoRow, run autoRun) {
	if len(rows) == 0 {
		return
	}
	var behind []string
	longest, ours, grid := 0.0, 0.0, 0.0
	for _, r := range rows {
		if r.Paired < -2*r.PairSE {
			behind = append(behind, r.Set)
		}
		longest, ours, grid = max(longest, r.Most), ours+r.CPU, grid+r.Times[autoPeers[0]]
	}
	fmt.Fprintf(w, "\nas good or better than the best of the five on %d of %d sets; mean at least its on %d\n",
		tally(rows, func(r autoRow) bool { return r.Good }), len(rows),
		tally(rows, func(r autoRow) bool { return r.Paired >= -1e-12*math.Abs(r.Ours) }))
	fmt.Fprintf(w, "behind by more than two standard errors of the paired difference: %s\n", strings.Join(behind, ", "))
	average(w, rows, "classes, accuracy", true)
	average(w, rows, "numbers, ln RMSE", false)
	fmt.Fprintf(w,
		"longest call %.1f s of %v; a split takes %.1f CPU s on the mean, the grid of SVC/SVR %.1f s on one thread\n",
		longest, run.budget, ours/float64(len(rows)), grid/float64(len(rows)))
}

func tally(rows []autoRow, is func(autoRow) bool) (n int) {
	for _, r := range rows {
		if is(r) {
			n++
		}
	}
	return n
}

// average prints our mean advantage over each peer and over the best of all, every set counting
// once.
func average(w io.Writer, rows []autoRow, kind string, maximize bool) {
	over := map[string][]float64{}
	for _, r := range rows {
		if r.Maximize != maximize {
			continue
		}
		for name, v := range r.Over {
			over[name] = append(over[name], v)
		}
		over["the best of the five"] = append(over["the best of the five"], r.Over[r.Best])
	}
	fmt.Fprintf(w, "%s: our mean advantage", kind)
	for _, name := range append([]string{"the best of the five"}, autoPeers...) {
		if v := over[name]; len(v) > 1 {
			m, se := meanSE(v)
			fmt.Fprintf(w, " over %s %.4f ± %.4f on %d;", name, m, se, len(v))
		}
	}
	fmt.Fprintln(w)
}
