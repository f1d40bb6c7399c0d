package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// printHead prints what the table says and how its columns are named.
func (run autoRun) printHead(w io.Writer) {
	fmt.Fprintf(w, "tune.Auto (budget %v, best %s) beside scikit-learn; at most %d rows to fit on and %d to judge by.\n", run.budget, run.bestName(), run.rows, autoTest)
	fmt.Fprintf(w, "As good: mean score no worse than that of the best peer, chosen after the fact, by more than\n%.1g standard error of its mean over the splits. Ahead: our mean advantage over it, split by split.\n\n", autoSlack)
	fmt.Fprintf(w, "%-22s %2s %5s %5s %-8s %9s", "set", "n", "train", "d", "metric", "ours")
	for _, name := range autoPeers {
		fmt.Fprintf(w, " %9s", name)
	}
	fmt.Fprintf(w, " %9s %9s %6s %6s %6s  %s\n", "ahead", "(SE)", "ours s", "CPU s", "grid s", "as good")
}

// print prints the row.
func (r autoRow) print(w io.Writer) {
	fmt.Fprintf(w, "%-22s %2d %5d %5d %-8s %9.5g", r.Set, r.Splits, r.Train, r.Dim, r.Metric, r.Ours)
	for _, name := range autoPeers {
		if v, ran := r.Peers[name]; ran {
			fmt.Fprintf(w, " %9.5g", v)
		} else {
			fmt.Fprintf(w, " %9s", "-")
		}
	}
	verdict := "yes"
	if !r.Good {
		verdict = "NO"
	}
	fmt.Fprintf(w, " %9.2g (%7.2g) %6.1f %6.1f %6.1f  %-3s %s\n", r.Paired, r.PairSE, r.Seconds, r.CPU, r.Times[autoPeers[0]], verdict, mostChosen(r.Chosen))
}

// mostChosen is the learners and kernels chosen, with how many splits chose each.
func mostChosen(chosen []string) string {
	var names []string
	count := map[string]int{}
	for _, c := range chosen {
		name, _, _ := strings.Cut(c, "(")
		name, _, _ = strings.Cut(name, " its own kernel")
		if count[name]++; count[name] == 1 {
			names = append(names, name)
		}
	}
	for i, name := range names {
		names[i] = fmt.Sprintf("%d× %s", count[name], name)
	}
	return strings.Join(names, ", ")
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
	fmt.Fprintf(w, "\nas good or better than the best of the five on %d of %d sets; mean at least its on %d\n", tally(rows, func(r autoRow) bool { return r.Good }), len(rows),
		tally(rows, func(r autoRow) bool { return r.Paired >= -1e-12*math.Abs(r.Ours) }))
	fmt.Fprintf(w, "behind by more than two standard errors of the paired difference: %s\n", strings.Join(behind, ", "))
	average(w, rows, "classes, accuracy", true)
	average(w, rows, "numbers, ln RMSE", false)
	fmt.Fprintf(w, "longest call %.1f s of %v; a split takes %.1f CPU s on the mean, the grid of SVC/SVR %.1f s on one thread\n", longest, run.budget, ours/float64(len(rows)), grid/float64(len(rows)))
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
