package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// structuredRun is how the table of accuracies on structured data is made.
type structuredRun struct {
	only    string // sets whose name contains this
	asJSON  bool
	repeats int // of the ten folds; 0: as many as the set asks for
	seeds   int // of mercer fit on a set without an official split; 0: structuredSeeds
	tuned   bool
	plain   bool
}

// structuredSeeds is how many splits plain mercer fit is judged on where a set has no official one.
const structuredSeeds = 5

// structuredSlack is how far plain mercer fit may be behind the reference.
const structuredSlack = 0.01

// structuredRow is one line of the table. Scores are shares of rows that are told right, or
// balanced accuracy where the row says so.
type structuredRow struct {
	Set       string  `json:"set"`
	Protocol  string  `json:"protocol"`
	Reference string  `json:"reference"`
	Bar       float64 `json:"bar"`
	Tuned     float64 `json:"tuned"`
	TunedSE   float64 `json:"tuned_se"` // over repeats, or folds where there is one
	Kernel    string  `json:"kernel"`   // chosen most often
	TunedCPU  float64 `json:"tuned_cpu_s"`
	Plain     float64 `json:"plain"`
	PlainSE   float64 `json:"plain_se"`
	Chosen    string  `json:"plain_chosen"` // by the last of the fits
	PlainCPU  float64 `json:"plain_cpu_s"`
	Missing   string  `json:"missing,omitempty"`
	TunedOK   bool    `json:"tuned_ok"`
	PlainOK   bool    `json:"plain_ok"`
}

// structured prints what our own search reaches on sets of strings, series, trees, bags and graphs
// beside published numbers, and what mercer fit does when told nothing; it says whether all rows
// reach their bars.
func structured(w io.Writer, run structuredRun) bool {
	ctx := context.Background()
	sets := structuredSets()
	if !run.asJSON {
		fmt.Fprintln(w,
			"tuned: a support vector machine, its kernel and C chosen by 5-fold cross-validation within the rows to fit on "+
				"(nested); plain: mercer fit FILE, no flags")
		fmt.Fprintf(w, "%-18s %-24s %-34s %6s  %-17s %-40s %-17s %-30s  %s\n", "set", "judged by", "reference", "bar",
			"tuned (SE)", "kernel", "plain (SE)", "plain chose", "verdict")
	}
	good := true
	for _, s := range sets {
		if !strings.Contains(strings.ToLower(s.name), strings.ToLower(run.only)) {
			continue
		}
		row := structuredRow{Set: s.name, Protocol: s.protocol(run), Reference: s.reference, Bar: s.bar}
		if err := s.measure(ctx, run, &row); err != nil {
			row.Missing = err.Error()
		}
		row.TunedOK = !run.tuned || row.Tuned >= s.bar
		row.PlainOK = !run.plain || s.again || row.Plain >= s.bar-structuredSlack
		good = good && row.TunedOK && row.PlainOK && row.Missing == ""
		row.print(w, run)
	}
	return good
}

func (s structuredSet) measure(ctx context.Context, run structuredRun, row *structuredRow) error {
	if run.tuned {
		used := processorSeconds()
		scores, kernels, err := s.tuned(ctx, run)
		if err != nil {
			return err
		}
		row.Tuned, row.TunedSE = meanSE(scores)
		row.Kernel, row.TunedCPU = mostOften(kernels), processorSeconds()-used
	}
	if run.plain && !s.again {
		scores, chosen, cpu, err := s.plain(run)
		if err != nil {
			return err
		}
		row.Plain, row.PlainSE = meanSE(scores)
		row.Chosen, row.PlainCPU = chosen, cpu
	}
	return nil
}

func (r structuredRow) print(w io.Writer, run structuredRun) {
	if run.asJSON {
		b, _ := json.Marshal(r.finite())
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	if r.Missing != "" {
		fmt.Fprintf(w, "%-18s NOT RUN: %s\n", r.Set, r.Missing)
		return
	}
	var verdict []string
	if !r.TunedOK {
		verdict = append(verdict, "TUNED IS BELOW")
	}
	if !r.PlainOK {
		verdict = append(verdict, "PLAIN IS BELOW")
	}
	if verdict == nil {
		verdict = []string{"ok"}
	}
	score := func(asked bool, v, se float64) string {
		switch {
		case !asked:
			return "-"
		case se == se && se > 0:
			return fmt.Sprintf("%.4f (%.4f)", v, se)
		}
		return fmt.Sprintf("%.4f", v)
	}
	fmt.Fprintf(w, "%-18s %-24s %-34s %6.3f  %-17s %-40s %-17s %-30s  %s, %.0f + %.0f CPU s\n", r.Set, r.Protocol,
		r.Reference, r.Bar,
		score(run.tuned, r.Tuned, r.TunedSE), r.Kernel, score(run.plain && r.Chosen != "", r.Plain, r.PlainSE), r.Chosen,
		strings.Join(verdict, ", "), r.TunedCPU, r.PlainCPU)
}

// finite is the row as JSON can say it: the error of a single score is unknown.
func (r structuredRow) finite() structuredRow {
	for _, v := range []*float64{&r.TunedSE, &r.PlainSE} {
		if *v != *v {
			*v = 0
		}
	}
	return r
}

func mostOften(names []string) string {
	count, best := map[string]int{}, ""
	for _, n := range names {
		if count[n]++; count[n] > count[best] {
			best = n
		}
	}
	return best
}
