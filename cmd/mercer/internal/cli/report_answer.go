package cli

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/tune"
)

// meanings is what a measure says, in a line.
var meanings = map[string]string{
	"accuracy":          "share of rows of the right class",
	"balanced-accuracy": "the same, each class counting alike",
	"f1":                "2·hits over rows of the class and rows taken for it",
	"f1-macro":          "the mean of f1 over the classes",
	"f1-micro":          "f1 of all classes together",
	"logloss":           "mean of −log of the probability given to the right class; 0 is best",
	"brier":             "mean squared error of the probabilities; 0 is best",
	"auc":               "how often a row of a class gets a higher score than one of another; 0.5 is guessing",
	"average-precision": "precision, averaged over the recalls as a threshold goes down; the share of the class " +
		"is guessing",
	"recall":      "share of the rows of the class that is found",
	"precision":   "share of the rows named so that is right",
	"grade-mae":   "mean distance from the true grade, in grades; 0 is best",
	"kappa":       "agreement with the true grades, far ones counting more (quadratic weights); 0 is chance, 1 is best",
	"rps":         "ranked probability score: squared distance of the distribution of grades from the true one; 0 is best",
	"rmse":        "root of the mean squared error, in units of the target",
	"mae":         "mean size of an error, in units of the target",
	"rmse/sd":     "the mean over the targets of rmse, each in units of its target's deviation; 1 is the mean alone",
	"mae/sd":      "the mean over the targets of mae, each in units of its target's deviation",
	"r2":          "share of the variance that is explained; 0 is the mean alone",
	"kendall":     "agreement of the order of predictions and of answers, −1 to 1",
	"log-density": "mean log of the density that the model gave to the answer; more is better",
	"ndcg":        "how far up the largest answers stand when rows are ordered by prediction; 1 is best",
}

// rarest is how many rows the rarest class among those there has, or misses; a great number without
// classes.
func rarest(p learn.Predictions) int {
	if p.Class == nil {
		return math.MaxInt
	}
	count := make([]int, p.Classes)
	for _, y := range p.Truth {
		count[int(y)]++
	}
	return slices.Min(count)
}

// answerOf is the result in one sentence.
func answerOf(r *tune.AutoResult, target string) string {
	p := r.TestPredictions
	n := len(p.Truth)
	if n == 0 || len(r.Test) == 0 {
		return fmt.Sprintf("A model of %s; no rows were held out, so how good it is is not known.", target)
	}
	worse := ""
	if t := r.Test[0]; !math.IsNaN(t.Baseline) && (t.Value > t.Baseline) != r.Metric.Maximize && t.Value != t.Baseline {
		worse = " That is worse than no model at all."
	}
	if r.Metric.Name == "ndcg" && len(r.Test) > 0 { // it ranks: how near its numbers are is beside the point
		return fmt.Sprintf("Orders %s it never saw by %s with an ndcg of %s, where 1 is the true order.%s", plural(n, "row"),
			target, number(r.Test[0].Value), worse)
	}
	if p.Value != nil {
		var size []float64
		for i, y := range p.Truth {
			size = append(size, math.Abs(y-p.Value[i]))
		}
		slices.Sort(size)
		return fmt.Sprintf("Predicts %s to within %s for half of %s it never saw, and to within %s for nine of ten.%s",
			target, number(quantileOf(size, 0.5)), plural(n, "row"), number(quantileOf(size, 0.9)), worse)
	}
	if class := rareClass(r); class >= 0 {
		return rareAnswer(r, class) + worse
	}
	right := 0
	for i, y := range p.Truth {
		if p.Class[i] == int(y) {
			right++
		}
	}
	return fmt.Sprintf("Tells %s right for %s of %s it never saw.%s", target, phrase.Thousands(right), plural(n, "row"),
		worse)
}

// laterFit says which figures are of which model, where the one in the file was fitted after the
// test.
func laterFit(r *tune.AutoResult) string {
	if r.Refitted == 0 || len(r.Test) == 0 {
		return ""
	}
	return fmt.Sprintf("All scores and errors here are of the model that was fitted without them. The one in the file "+
		"was fitted once more, with them (%s): curves, surfaces, importance and dependence are of that one, and no rows "+
		"are left to judge it by.", plural(r.Refitted, "row"))
}

// mostShownColumns is how many columns the table of errors has beside the answers.
const mostShownColumns = 6

// shownColumns is the columns that stand beside the worst rows: the most important, where that is
// known.
func (p *reportPage) shownColumns(d *data.Dataset) []*data.Column {
	var out []*data.Column
	add := func(c *data.Column) {
		if len(out) < mostShownColumns && !c.Kind.Object() {
			out, p.WorstColumns = append(out, c), append(p.WorstColumns, clipTo(c.Name, 24))
		}
	}
	for _, i := range p.importance {
		if c, err := d.Column(i.Column); err == nil {
			add(c)
		}
	}
	if p.importance == nil {
		for _, c := range d.Features() {
			add(c)
		}
		if n := len(d.Features()); n > len(out) {
			p.WorstNote = fmt.Sprintf("Beside the answers stand the first %d of %s columns.", len(out), phrase.Thousands(n))
		}
	}
	return out
}

// The work that goes into importance and dependence on a page.
const (
	pageRows      = 200
	pageRepeats   = 5
	leastRows     = 10
	mostExplained = 60 // columns
	mostSummed    = 20000
)

// unexplained says why a page has no importance of columns, empty where it has. mercer explain
// takes the time that a page has not.
func unexplained(d *data.Dataset, centers, rows int) string {
	switch {
	case rows == 0:
		return "no rows were held out to measure it on"
	case rows < leastRows:
		return fmt.Sprintf("%s held out are too few to measure it on", plural(rows, "row"))
	case d.Sparse != nil:
		return "the columns of a sparse file have no names"
	case len(d.Features()) > mostExplained:
		return fmt.Sprintf("each of %s columns would have to be shuffled and predicted from; mercer explain does that, "+
			"in its time", phrase.Thousands(len(d.Features())))
	case centers > mostSummed:
		return fmt.Sprintf("a prediction is a sum over %s centres; mercer explain takes the time", phrase.Thousands(centers))
	}
	return ""
}

const noTimeToShuffle = "there is no time left to shuffle each and predict anew; mercer explain takes its own"

// idle says whether no column makes a difference: bars of no length are no picture.
func idle(all []tune.Importance) bool {
	for _, i := range all {
		if i.Loss != 0 {
			return false
		}
	}
	return len(all) > 0
}

// explained shows what the model goes by, on the rows held out: the importance of columns and the
// dependence on the two most important.
func (p *reportPage) explained(ctx context.Context, d *data.Dataset, r *tune.AutoResult, m *model.Model) error {
	rows := r.TestPredictions.Rows
	why := unexplained(d, m.Centers(), len(rows))
	if why == "" && ctx.Err() != nil {
		why = noTimeToShuffle
	}
	if why != "" {
		p.Missing = append(p.Missing, "There is no importance of columns: "+why+".")
		return nil
	}
	settings := tune.ExplainOptions{Metric: r.Metric, Repeats: pageRepeats, Rows: pageRows, Seed: 1}
	looked, err := tune.Explained(m, d.Gather(rows), settings)
	if err != nil {
		return err
	}
	e, err := explanationOf(ctx, m, looked, nil, settings)
	if err != nil || ctx.Err() != nil {
		if why = "the measure is not defined on so few rows"; ctx.Err() != nil {
			why = noTimeToShuffle
		}
		p.Missing = append(p.Missing, "There is no importance of columns: "+why+".")
		return nil
	}
	p.importance = e.importance
	if idle(e.importance) {
		p.Missing = append(p.Missing,
			"There is no picture of the importance of columns: shuffling any of them changes nothing on the rows held out.")
	} else if len(e.importance) > 1 {
		f, err := importanceFigure(e)
		says := fmt.Sprintf("How much %s gets worse on the held-out rows when the values of a column change places between "+
			"them; lines are one standard deviation over %d shuffles.", e.metric, pageRepeats)
		if r.Refitted > 0 {
			says += " The model in the file has learnt from these rows, too."
		}
		if err := p.add("Importance", says, f, err); err != nil {
			return err
		}
		for _, dep := range e.dependence[:min(2, len(e.dependence))] {
			f, err := dependenceFigure(dep, m)
			if err == nil && dep.X != nil {
				f.SpanY(moves(e.dependence) / 10) // what hardly moves is to look so
			}
			says := "The mean prediction as this column takes one value after the other and the others stay as they are."
			if drawn := len(shownClasses(dep, m)); drawn > 1 && drawn < len(m.Classes()) {
				says += fmt.Sprintf(" Drawn are the %d of %d classes that it moves most.", drawn, len(m.Classes()))
			}
			if err := p.add("Dependence on "+dep.Column, says, f, err); err != nil {
				return err
			}
		}
	}
	return nil
}
