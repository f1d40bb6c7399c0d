package fit

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
)

// Result is a fit with what was tried.
type Result struct {
	Model   *model.Model
	Report  learn.Report
	Task    data.Task
	Learner Learner
	Targets []string
	Passes  int // of Newton's method, a job each; 0 where there was nothing to iterate
	Rows    int // learnt from
	Dropped int // for a gap, a missing target or a weight of 0
	Folds   int
	// mean squared distance of targets from their means; with the logistic loss that of the shares
	// of classes
	Spread float64
	Tried  []Tried
	Best   Tried
}

// Tried is a kernel and λ with its error on rows held out.
type Tried struct {
	Kernel string  `json:"kernel"`
	Lambda float64 `json:"lambda"` // a row
	// mean ‖y - f(x)‖² on rows held out, where y is ±1 for classes; or the mean logistic loss
	Mean   float64   `json:"error"`
	ByFold []float64 `json:"by_fold"` // the same for each fold that was held out
	// Of several targets Mean is the mean over them of the share of its variance that is left of
	// each, and this the root of the mean squared error of each.
	ByTarget []float64 `json:"by_target"`
	at       int       // of the kernel
}

// verdict is what the cross-validation said of the chosen one.
func (r *Result) verdict() string {
	switch {
	case r.Folds == 1:
		return "not cross-validated"
	case r.Learner.Logistic():
		return fmt.Sprintf("log loss %.6g on the first of %d folds, held out; shares of classes alone %.6g", r.Best.Mean,
			r.Folds, r.Spread)
	case r.Task.Classification():
		return fmt.Sprintf("squared error of ±1 on held-out rows %.6g over %d folds; constant %.6g", r.Best.Mean, r.Folds,
			r.Spread)
	}
	if len(r.Targets) > 1 {
		each := make([]string, len(r.Targets))
		for t, name := range r.Targets {
			each[t] = fmt.Sprintf("%s rmse %.6g", name, r.Best.ByTarget[t])
		}
		return fmt.Sprintf("%.4g of the variance of the targets is left on held-out rows over %d folds: %s", r.Best.Mean,
			r.Folds, strings.Join(each, ", "))
	}
	return fmt.Sprintf("rmse %.6g on held-out rows over %d folds (R² %.4g); constant %.6g", math.Sqrt(r.Best.Mean),
		r.Folds, 1-r.Best.Mean/r.Spread, math.Sqrt(r.Spread))
}

// Write tells a person: the best λ of each kernel.
func (r *Result) Write(w io.Writer) {
	if r.Dropped > 0 {
		fmt.Fprintf(w, "%s rows are not learnt from (a gap, no target, or no weight)\n", phrase.Thousands(r.Dropped))
	}
	if r.Folds > 1 {
		best := map[string]Tried{}
		var order []string
		for _, t := range r.Tried {
			if b, ok := best[t.Kernel]; !ok || t.Mean < b.Mean {
				if best[t.Kernel] = t; !ok {
					order = append(order, t.Kernel)
				}
			}
		}
		judged := "squared error on held-out rows"
		switch {
		case r.Learner.Logistic():
			judged = "log loss on held-out rows"
		case len(r.Targets) > 1:
			judged = "share of variance left on held-out rows"
		}
		fmt.Fprintf(w, "  %-44s %10s  %s\n", "kernel", "λ a row", judged)
		for _, k := range order {
			mark := " "
			if k == r.Best.Kernel {
				mark = "▸"
			}
			fmt.Fprintf(w, "%s %-44s %10.3g  %.6g\n", mark, k, best[k].Lambda, best[k].Mean)
		}
	}
	of, count := "centres", r.Model.Centers()
	if r.Learner.Waves() {
		of, count = "random frequencies", count/2
	}
	fmt.Fprintf(w, "chosen   %s, λ = %.3g a row, %s %s, %s rows\n", r.Best.Kernel, r.Best.Lambda, phrase.Thousands(count),
		of, phrase.Thousands(r.Rows))
	if r.Passes > 0 {
		fmt.Fprintf(w, "solved   %d steps of Newton's method, a job each; gradient %.2g of that at f = 0\n", r.Passes,
			r.Report.Certificate)
	}
	fmt.Fprintf(w, "judged   %s\n", r.verdict())
	for _, line := range r.Report.Warnings {
		fmt.Fprintf(w, "note     %s\n", line)
	}
}

// WriteJSON tells a program all that was tried.
func (r *Result) WriteJSON(w io.Writer) error {
	finite := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	type tried struct {
		Kernel string     `json:"kernel"`
		Lambda float64    `json:"lambda"`
		Error  *float64   `json:"error"`
		Folds  []*float64 `json:"by_fold"`
		Rmse   []*float64 `json:"rmse_by_target,omitempty"`
	}
	of := func(t Tried) tried {
		out := tried{Kernel: t.Kernel, Lambda: t.Lambda, Error: finite(t.Mean), Folds: []*float64{}}
		for _, s := range t.ByTarget {
			out.Rmse = append(out.Rmse, finite(s))
		}
		for _, s := range t.ByFold {
			out.Folds = append(out.Folds, finite(s))
		}
		return out
	}
	all := []tried{}
	for _, t := range r.Tried {
		all = append(all, of(t))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(map[string]any{
		"task": r.Task.String(), "learner": r.Learner, "targets": r.Targets, "passes": r.Passes, "rows": r.Rows,
		"dropped": r.Dropped, "folds": r.Folds, "centres": r.Model.Centers(), "spread": finite(r.Spread),
		"chosen": of(r.Best), "tried": all,
		"certificate": finite(r.Report.Certificate), "warnings": append([]string{}, r.Report.Warnings...),
	})
}
