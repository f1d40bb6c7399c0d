package tune

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/graphs"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A text can be counted by its words, by pairs of them, or by runs of letters. Which one tells
// classes apart best is a matter of the texts: pairs where the order of words counts (questions),
// letters where words have many forms and slips (short messages). A linear machine on some of the
// rows says so in about a second, by its errors on rows that it was not fitted to.

// linearTexts is the learner of texts: it keeps a weight for each term, and no kernel matrix.
const linearTexts = "linear-svm"

// fewTexts is up to how many rows other learners are tried on texts, too.
const fewTexts = 1000

// linearTexts says that classes are told apart by the words of texts.
func (r *AutoResult) linearTexts(task data.Task) bool { return task.Classification() && r.ofWords() }

const (
	termRows    = 4000
	termLetters = 3 << 20 // of all texts that are tried
	mostLetters = 400     // of a text, on the mean, for runs of them: long texts have words enough
	termFolds   = 4
	leastTried  = 200 // rows
)

// termShare is how much of the time may be gone when the last of the ways to count texts has been
// tried: without any of them there are words, and a model of them.
const termShare = 0.25

// chooseTerms takes for columns of words what a linear machine makes the fewest errors with by the
// end of its share of the time, and says so; words where there is nothing to judge that by. A search
// that goes on counts texts as it did when it began: all that was tried is of those terms.
func (o *AutoOptions) chooseTerms(ctx context.Context, train *data.Dataset, r *AutoResult, start time.Time) error {
	columns := o.wordColumns
	if columns == nil {
		return nil
	}
	if kept := termsIn(o.Journal, columns); kept != nil {
		o.takeTerms(kept)
		for _, name := range columns {
			r.note("text of %s is counted by %s, weighted by rarity, with which the search began", name, termNames[kept[name]])
		}
		return nil
	}
	if o.first {
		return nil // words
	}
	some, long := o.triedRows(train, columns)
	if !r.Task.Classification() || o.Kernel != nil || o.Columns != nil || len(some) < leastTried {
		r.note("%s", wordsNote(columns))
		return nil
	}
	fold, err := termFold(train, some)
	if err != nil {
		return err
	}
	clock := clockOr(o.clock)
	within := ctx
	if o.Budget > 0 {
		var cancel context.CancelFunc
		within, cancel = clock.until(ctx, start.Add(time.Duration(termShare*float64(o.Budget))))
		defer cancel()
	}
	t := termTrial{o: o.Encoder, columns: columns, fold: fold}
	words, err := t.begin(within, train.Gather(some))
	if err != nil {
		if within.Err() != nil && ctx.Err() == nil {
			o.takeTerms(sameTerms(columns, "tfidf"))
			r.note("%s; there was no time to try others", wordsNote(columns))
		}
		return ctx.Err() // what is wrong with the rows is said where all are encoded
	}
	best, chosen := words, data.TextPolicy("tfidf")
	said := []string{fmt.Sprintf("words %.3g %%", percent(words))}
	for _, policy := range []data.TextPolicy{"pairs", "letters"} {
		if policy == "letters" && long {
			continue
		}
		wrong, err := t.errors(within, policy)
		if err != nil {
			if within.Err() != nil && ctx.Err() == nil {
				said = append(said, "no time for "+termNames[policy])
				break
			}
			return ctx.Err()
		}
		said = append(said, fmt.Sprintf("%s %.3g %%", termNames[policy], percent(wrong)))
		if clearlyFewer(wrong, best) {
			best, chosen = wrong, policy
		}
	}
	o.takeTerms(sameTerms(columns, chosen))
	r.note("text of %s is counted by %s, weighted by rarity; errors of a linear machine on %s: %s",
		strings.Join(columns, ", "), termNames[chosen], ofRows(len(some), train.Len()), strings.Join(said, ", "))
	return ctx.Err()
}

// takeTerms has columns counted by these, and notes them for the journal.
func (o *AutoOptions) takeTerms(terms map[string]data.TextPolicy) {
	maps.Copy(o.Encoder.Texts, terms)
	o.terms = terms
}

func sameTerms(columns []string, policy data.TextPolicy) map[string]data.TextPolicy {
	out := map[string]data.TextPolicy{}
	for _, name := range columns {
		out[name] = policy
	}
	return out
}

// termsIn is how the search of a journal counts the texts of columns; nil where it does not say. Of
// which search the journal is shows when the rows are encoded so.
func termsIn(journal string, columns []string) map[string]data.TextPolicy {
	plan := planIn(journal, "")
	if plan == nil || len(plan.Terms) != len(columns) {
		return nil
	}
	for _, name := range columns {
		if termNames[plan.Terms[name]] == "" {
			return nil
		}
	}
	return plan.Terms
}

// onlyLinear says that the linear machine of texts is the only learner of a search.
func (o *AutoOptions) onlyLinear(r *AutoResult, p learn.Problem[any]) bool {
	if o.Learners != nil {
		asked, err := askedFor(o.Learners, p.Task)
		return err == nil && len(asked) == 1 && asked[0].name == linearTexts
	}
	return o.Repair == gram.NoRepair && o.Kernel == nil && o.Columns == nil && r.linearTexts(p.Task) && p.Len() > fewTexts
}

// wordsNote is how it is told that columns of texts become words.
func wordsNote(columns []string) string {
	return fmt.Sprintf("text of %s becomes words weighted by rarity (tf-idf)", strings.Join(columns, ", "))
}

// linearRows is how many rows a grid of linear machines takes in half of the time: some passes over
// the entries of the rows, for each class, fold and price, at a few nanoseconds each. Of texts
// there are two grids, the second around the best of the first; of objects one, of a kernel.
func linearRows(budget time.Duration, p learn.Problem[any]) int {
	passes, cells := 30.0, 55.0
	const entry = 5e-9
	entries := 1.0 // of a row
	if rows, ok := mixing.RowsOf(p.Points); ok && rows.Len() > 0 {
		some := min(rows.Len(), 1000)
		passes, cells = 15, 35
		for i := range some {
			for _, object := range rows.At(i * rows.Len() / some).Objects {
				entries += 5 * lettersOf(object) / float64(some)
			}
		}
	}
	if rows, ok := data.SparseOfPoints(p.Points); ok {
		some := min(rows.Len(), 1000)
		for i := range some {
			entries += float64(len(rows.At(i*rows.Len()/some).Index)) / float64(some)
		}
	} else if rows, ok := data.VectorsOf(p.Points); ok && rows.Len() > 0 {
		entries = float64(max(len(rows.At(0)), 1))
	}
	machines := float64(p.ClassCount())
	if machines <= 2 {
		machines = 1
	}
	return int(budget.Seconds() / 2 / (passes * cells * entry * entries * machines))
}

// lettersOf is how many letters a text has, or nodes a graph; others 1.
func lettersOf(object any) float64 {
	switch object := object.(type) {
	case string:
		return float64(len(object))
	case graphs.Graph:
		return float64(object.Nodes)
	}
	return 1
}

// termNames are policies as they are told.
var termNames = map[data.TextPolicy]string{"tfidf": "words", "pairs": "pairs of words",
	"letters": "runs of letters"}

// triedRows is rows drawn by the seed, as many as have so many letters, and whether their texts are
// long.
func (o *AutoOptions) triedRows(d *data.Dataset, columns []string) (rows []int, long bool) {
	rows = rand.New(rand.NewPCG(o.Seed, 0x7465726d73)).Perm(d.Len())
	letters := 0
	for i, row := range rows {
		if i >= termRows || i >= leastTried && letters > termLetters {
			rows = rows[:i]
			break
		}
		for _, name := range columns {
			if c, err := d.Column(name); err == nil {
				letters += len(c.String(row))
			}
		}
	}
	return rows, letters > mostLetters*len(rows)
}

// termFold is the fold that each row is judged in: rows of a group in one.
func termFold(d *data.Dataset, rows []int) ([]int, error) {
	groups, err := d.RowGroups(rows)
	if err != nil {
		return nil, err
	}
	fold := make([]int, len(rows))
	for i := range fold {
		if fold[i] = i % termFolds; groups != nil {
			fold[i] = groups[i] % termFolds
		}
	}
	return fold, nil
}

// termTrial is rows with their classes, and the fold that each is judged in.
type termTrial struct {
	o       data.EncoderOptions
	columns []string
	fold    []int

	d       *data.Dataset
	y       []float64
	classes []string
	task    data.Task
}

// begin finds the classes of the rows, and the errors by words.
func (t *termTrial) begin(ctx context.Context, d *data.Dataset) ([]bool, error) {
	t.o.Unseen = "zero"
	if t.o.Missing == "error" || t.o.Missing == "" || t.o.Missing == "drop" {
		t.o.Missing = "mean"
	}
	e, err := data.FitEncoder(d, t.o)
	if err != nil {
		return nil, err
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		return nil, err
	}
	if x.Len() < d.Len() {
		return nil, fmt.Errorf("%d rows are left out", d.Len()-x.Len())
	}
	t.d, t.y, t.classes, t.task = d, x.Target, e.Target.Classes, e.Target.Task
	return t.errors(ctx, "tfidf")
}

// errors says which rows a linear machine takes for another class that was fitted to those of the
// other folds; its terms are of their texts alone.
func (t *termTrial) errors(ctx context.Context, policy data.TextPolicy) ([]bool, error) {
	o := t.o
	o.Texts = maps.Clone(t.o.Texts)
	for _, name := range t.columns {
		o.Texts[name] = policy
	}
	wrong := make([]bool, t.d.Len())
	for f := range termFolds {
		var train, test []int
		for i, at := range t.fold {
			if at == f {
				test = append(test, i)
			} else {
				train = append(train, i)
			}
		}
		said, err := t.judge(ctx, o, train, test)
		if err != nil {
			return nil, err
		}
		for i, row := range test {
			wrong[row] = said[i] != int(t.y[row])
		}
	}
	return wrong, nil
}

// judge is the classes of some rows by a machine that was fitted to others.
func (t *termTrial) judge(ctx context.Context, o data.EncoderOptions, train, test []int) ([]int, error) {
	if err := ctx.Err(); err != nil { // encoders do not ask
		return nil, err
	}
	some := t.d.Gather(train)
	e, err := data.FitEncoder(some, o)
	if err != nil {
		return nil, err
	}
	x, err := e.Transform(some)
	if err != nil {
		return nil, err
	}
	z, err := e.Transform(t.d.Gather(test))
	if err != nil {
		return nil, err
	}
	if x.Sparse == nil || z.Sparse == nil || x.Len() != len(train) || z.Len() != len(test) {
		return nil, fmt.Errorf("texts without words, or rows left out")
	}
	linear, err := all.ByName(linearTexts)
	if err != nil {
		return nil, err
	}
	k, err := kernel.OnSparse(kernel.Linear{}, e.Dim)
	if err != nil {
		return nil, err
	}
	p := learn.Problem[any]{Points: data.EraseSparse(x.Sparse), Task: t.task, Y: data.Take(t.y, train), Classes: t.classes}
	m, err := linear.Fit(ctx, learn.Settings{Kernel: kernel.OnSparseVectors(k), Params: map[string]float64{"C": 1}}, p)
	if err != nil {
		return nil, err
	}
	said, err := learn.PredictAll(ctx, m, len(t.classes), data.EraseSparse(z.Sparse))
	return said.Class, err
}

func percent(wrong []bool) float64 {
	n := 0
	for _, w := range wrong {
		if w {
			n++
		}
	}
	return 100 * float64(n) / float64(len(wrong))
}

// clearlyFewer says that a has fewer errors than b by more than one standard error of the
// difference, which rows decide that one of the two gets right (McNemar 1947).
func clearlyFewer(a, b []bool) bool {
	better, worse := 0.0, 0.0
	for i := range a {
		switch {
		case b[i] && !a[i]:
			better++
		case a[i] && !b[i]:
			worse++
		}
	}
	return better-worse > math.Sqrt(better+worse)
}
