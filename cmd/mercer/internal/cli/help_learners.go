package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/learn"
)

// learnersHelp is the table of learners with their parameters.
func learnersHelp() string {
	var b strings.Builder
	b.WriteString(`A learner is a name, with parameters in parentheses where others than those that
a search finds are wanted; several have commas between them:

  --learner svm,ridge
  --learner 'svm(C=[1, 10, 100]), svm(nu=0.2)'
  --learner 'norma(loss=hinge, budget=100, drop=project)'
  --learner 'ridge(kernel=matern(nu=2.5), loss=mean)'

A number or word is fixed; several in brackets are tried. kernel= is for one
learner what --kernel is for all. Parameters that are not said are searched for
(those with a grid) or have the value that is named here. --grid NAME=… sets the
values of a number for all learners. Several targets (--target a,b) are learnt
by those that say so.
`)
	for _, name := range all.Names() {
		l, _ := all.Described(name)
		b.WriteString("\n")
		learnerHelp(&b, l)
	}
	return strings.TrimRight(b.String(), "\n")
}

// learnerHelp is one learner of the table.
func learnerHelp(b *strings.Builder, l learn.Learner) {
	fmt.Fprintf(b, "%s\n", wrapped("  ", "    ", l.Name+": "+l.Summary+" ("+predicts(l)+")"))
	for _, p := range paramsOf(l) {
		text := p.Name + ": " + p.Summary
		if p.Choices != nil {
			text = p.Name + "=" + strings.Join(p.Choices, "|") + ": " + p.Summary
		}
		if p.Default != 0 && p.Grid == nil {
			text += fmt.Sprintf("; else %g", p.Default)
		}
		fmt.Fprintln(b, wrapped("    ", "      ", text))
	}
}

func predicts(l learn.Learner) string {
	switch {
	case l.Several && l.Classes:
		return "numbers, several targets, classes"
	case l.Values && l.Classes:
		return "numbers, classes"
	case l.Values:
		return "numbers"
	}
	return "classes"
}

// paramsOf lists the parameters of a learner for all of its tasks, each once; words that differ by
// the task are put together.
func paramsOf(l learn.Learner) []learn.Param {
	var out []learn.Param
	for _, task := range []data.Task{data.Multiclass, data.Regression} {
		if !l.Does(task) {
			continue
		}
		for _, p := range l.ParamsFor(task) {
			i := slices.IndexFunc(out, func(q learn.Param) bool { return q.Name == p.Name })
			if i < 0 {
				out = append(out, p)
				continue
			}
			for _, word := range p.Choices {
				if !slices.Contains(out[i].Choices, word) {
					out[i].Choices = append(slices.Clip(out[i].Choices), word)
				}
			}
		}
	}
	return out
}

// wrapped breaks a text between words into lines of 80 columns at most.
func wrapped(first, rest, text string) string {
	var lines []string
	line := first
	for _, word := range strings.Fields(text) {
		switch {
		case strings.TrimSpace(line) == "":
			line += word
		case len([]rune(line))+1+len([]rune(word)) > 80:
			lines = append(lines, line)
			line = rest + word
		default:
			line += " " + word
		}
	}
	return strings.Join(append(lines, line), "\n")
}

const tasksHelp = `What there is to learn is inferred from the target; --task says it:

  classify   the values of the target are classes, however many there are
  ordinal    they are grades, numbers in an order: one function and thresholds
             between them; judged by grade-mae (or --metric kappa, rps)
  regress    they are a quantity, whole numbers too
  rank       they say how relevant a row is among the rows of its query, which
             --groups names; judged by ndcg (kendall: --metric kendall)
  novelty    there is no target: the model says which rows are like those that
             it was fitted on. --nu is the share of them that may lie outside

--costs yes=50 has a class of two named from the probability on by which
mistakes cost least, where a "yes" that is missed costs 50 times the other
mistake; --threshold yes=0.2 gives the probability. It is kept in the model, and
mercer threshold chooses another without a new fit. Where one class of two is
rare (fewer than one row in ten) the search is by average precision, and the
threshold that of the best f1, unless these say otherwise.

--class-weight balanced weighs a mistake by how rare its class is, NAME=WEIGHT,…
as you say; only fits know it, not scores. --positive names the class that f1 is
of. --weights is a column with the weight of each row, --groups one of groups
that are never on both sides of a split. --noise is a column with the variance
of the noise of each row's target, where it is known, say of a measurement: a
Gaussian process (gp) heeds it beside the noise that it finds, and other
learners refuse it.

--transform log fits the logarithm of a positive target, rank the normal
quantile of its rank, auto whichever of them, or neither, is better on the folds
by more than chance, in a third of the time each. Predictions, intervals and
scores are of the target itself; a prediction is then its median, not its mean.

How a model is judged: --holdout is the share of rows for the final test, or
--test FILE has them. --order COLUMN holds the latest rows out, and folds judge
later rows by earlier ones; rows of one time stay together. --folds and
--repeats are those of the search; they are stratified by class. --nested 5 says
what the whole search is worth: each of five outer folds has a search of its own
(three quarters of the time are for it). --refit fits the choice on all rows in
the end, after the test.

--metric evidence judges Gaussian processes by their marginal likelihood, not by
folds.`
