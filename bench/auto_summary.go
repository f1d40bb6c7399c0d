package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/tune"
)

// summary counts verdicts, by the rule and without its allowance, of ours and of the peers
// themselves.
func summary(w io.Writer, rows []autoRow, run autoRun) bool {
	good := tally(rows, func(r autoRow) bool { return r.Good })
	if !run.asJSON {
		level := func(v, of float64) bool { return v >= -1e-12*math.Abs(of) }
		fmt.Fprintf(w, "\nas good or better on %d of %d sets; by the same rule SVC/SVR itself on %d, the Gaussian process on %d of the %d it was run on\n", good, len(rows),
			tally(rows, func(r autoRow) bool { return r.SVMGood }), tally(rows, func(r autoRow) bool { return r.GPGood }), tally(rows, func(r autoRow) bool { return !math.IsNaN(r.GP) }))
		fmt.Fprintf(w, "mean at least the better peer's, with no allowance, on %d; not worse by more than a standard error of the paired difference on %d\n",
			tally(rows, func(r autoRow) bool { return level(r.Paired, r.Ours) }), tally(rows, func(r autoRow) bool { return level(r.Paired+r.PairSE, r.Ours) }))
		fmt.Fprintf(w, "beside SVC/SVR alone: as good or better by the rule on %d, mean at least as good on %d; not on %s\n", tally(rows, func(r autoRow) bool { return r.AsSVM }),
			tally(rows, func(r autoRow) bool { return level(r.overSVM(), r.Ours) }), strings.Join(lostToSVM(rows), ", "))
		average(w, rows, "classes", "accuracy", true)
		average(w, rows, "numbers", "ln RMSE", false)
		longest, cpu := 0.0, 0.0
		for _, r := range rows {
			longest, cpu = max(longest, r.MostS), max(cpu, r.CPU)
		}
		fmt.Fprintf(w, "longest call: %.2f s of %v; most CPU seconds of a set's mean: %.1f\n", longest, run.budget, cpu)
	}
	return good == len(rows) && len(rows) > 0
}

// overSVM is how far our mean is ahead of that of SVC/SVR.
func (r autoRow) overSVM() float64 {
	if r.Metric == tune.Accuracy().Name {
		return r.Ours - r.SVM
	}
	return r.SVM - r.Ours
}

// lostToSVM is the sets on which SVC/SVR alone was better by the rule.
func lostToSVM(rows []autoRow) (out []string) {
	for _, r := range rows {
		if !r.AsSVM {
			out = append(out, r.Set)
		}
	}
	return out
}

func tally(rows []autoRow, is func(autoRow) bool) (n int) {
	for _, r := range rows {
		if is(r) {
			n++
		}
	}
	return n
}

// average prints our mean advantage over each peer, every set counting once.
func average(w io.Writer, rows []autoRow, kind, unit string, maximize bool) {
	var svm, gp, best, hgb, rf []float64
	for _, r := range rows {
		if maximize != (r.Metric == tune.Accuracy().Name) {
			continue
		}
		svm, hgb, rf = append(svm, r.OverSVM), append(hgb, r.OverHGB), append(rf, r.OverRF)
		over := r.OverSVM
		if !math.IsNaN(r.OverGP) {
			gp = append(gp, r.OverGP)
			over = min(over, r.OverGP)
		}
		best = append(best, over)
	}
	if len(svm) == 0 {
		return
	}
	m, se := meanSE(svm)
	fmt.Fprintf(w, "%s: our mean advantage in %s over SVC/SVR %.4f ± %.4f on %d sets", kind, unit, m, se, len(svm))
	m, se = meanSE(gp)
	fmt.Fprintf(w, ", over the Gaussian process %.4f ± %.4f on %d", m, se, len(gp))
	m, se = meanSE(best)
	fmt.Fprintf(w, ", over the better of the two on each set %.4f ± %.4f\n", m, se)
	m, se = meanSE(hgb)
	fmt.Fprintf(w, "%s: over HistGradientBoosting %.4f ± %.4f", kind, m, se)
	m, se = meanSE(rf)
	fmt.Fprintf(w, ", over RandomForest %.4f ± %.4f (defaults, 500 trees)\n", m, se)
}
