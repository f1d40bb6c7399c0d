package data

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/lazy"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Doubts looks for columns that a model should hardly be given: those that number the rows, that
// have one value only, that tell the target of every row by themselves, as what is known only
// afterwards does, that name what several rows are of, by whose time the rows are in order, and
// that look like dates and are not read as such; for levels that differ in capitals only; for
// numbers such as -999 that seem to stand for missing values; and for a row of totals at the end.
// They are no errors; each says the column, why, and what mends it.
func (d *Dataset) Doubts() []*Error {
	var out []*Error
	say := func(c *Column, reason string) {
		out = append(out, &Error{File: d.label(), Column: c.Name, Remedy: mend.Ignore,
			Reason: fmt.Sprintf("column %q %s", c.Name, reason)})
	}
	target, err := d.Column(d.Target)
	task := Unsupervised
	if d.Target != "" && err == nil && d.Len() >= 20 && target.Missing() == 0 {
		task, _, _ = InferTask(target)
	}
	features := d.Features()
	for _, c := range features {
		things, named := c.things()
		switch {
		case d.Len() < 2:
		case c.empty():
			say(c, "has no values")
		case (c.Kind == Text || c.Kind.named()) && c.looksLikeShortDates():
			out = append(out, &Error{File: d.label(), Column: c.Name, Remedy: mend.Dates,
				Reason: fmt.Sprintf("column %q is read as %s: it looks like dates, which are read as such where years have four "+
					"digits or the order is said (years of two digits fit every order)", c.Name, c.Kind)})
		case c.constant():
			say(c, "has one value only, and says nothing")
		case c.numbersRows():
			say(c, "numbers the rows, and says nothing about a new one")
		case things > 0 && things == named:
			say(c, "is different in every row: as a name it says nothing about a new one")
		case d.Target == "" && c.namesGroups(things):
			say(c, fmt.Sprintf("names %s in %s rows: rows of one are alike by their name alone", phrase.Thousands(things),
				phrase.Thousands(named)))
		case task != Unsupervised && c.namesGroups(things):
			out = append(out, &Error{File: d.label(), Column: c.Name, Remedy: mend.Groups,
				Reason: fmt.Sprintf("column %q names %s in %s rows: if new rows are of others, tests that have rows of the same "+
					"ones on both sides are too kind", c.Name, phrase.Thousands(things), phrase.Thousands(named))})
		case task != Unsupervised && c.inTime():
			out = append(out, &Error{File: d.label(), Column: c.Name, Remedy: mend.Order,
				Reason: fmt.Sprintf("the rows are in the order of %q: if new rows are later ones, tests on rows between others "+
					"are too kind", c.Name)})
		case task != Unsupervised && c.tells(target, task):
			say(c, fmt.Sprintf("tells %q of every row by itself: is it known before %q is?", d.Target, d.Target))
		}
	}
	if d.Target != "" && err == nil {
		features = append(features, target)
	}
	for _, c := range features {
		if a, b := c.alikeLevels(); a != "" {
			out = append(out, &Error{File: d.label(), Column: c.Name, Advice: "write them alike in the file if they are",
				Reason: fmt.Sprintf("%q and %q of column %q differ in capitals only, and are taken for two", a, b, c.Name)})
		}
	}
	out = d.doubtSentinels(out)
	if word := d.totals(); word != "" {
		out = append(out, &Error{File: d.label(), Value: word, Advice: "take it out of the file",
			Reason: fmt.Sprintf("the last row says %q: it may be a total of the rows above, which is no row of its own", word)})
	}
	return out
}

// totalWords are what a row of totals begins with.
var totalWords = lazy.Regexp(`(?i)^\s*(grand |sub)?(totals?|sums?|average|mean|summe|gesamt|gesamtsumme|insgesamt|` +
	`mittelwert|totale?|total général|totaal|totalt|suma|razem|итого|всего|合計|总计|합계)\s*:?\s*$`)

// totals is the word by which the last row seems to be the sum of the others: it stands there and
// nowhere else in its column.
func (d *Dataset) totals() string {
	n := d.Len()
	if n < 3 {
		return ""
	}
	for i := range d.Columns {
		c := &d.Columns[i]
		if c.Kind != Text && !c.Kind.named() || c.IsMissing(n-1) || !totalWords().MatchString(c.String(n-1)) {
			continue
		}
		alone := true
		for j := range n - 1 {
			alone = alone && !c.same(j, n-1)
		}
		if alone {
			return c.String(n - 1)
		}
	}
	return ""
}

// same says whether two values are equal; missing ones are.
func (c *Column) same(i, j int) bool {
	switch c.Kind {
	case Numeric:
		return c.Numbers[i] == c.Numbers[j] && c.Digits[i] == c.Digits[j] || c.IsMissing(i) && c.IsMissing(j)
	case Categorical, Boolean:
		return c.Codes[i] == c.Codes[j]
	case Time:
		return c.Micros[i] == c.Micros[j]
	case Sequence, Bag:
		return slices.Equal(c.Sequences[i], c.Sequences[j])
	}
	return c.Strings[i] == c.Strings[j]
}

func (c *Column) empty() bool {
	for i := range c.Len() {
		if !c.IsMissing(i) {
			return false
		}
	}
	return true
}

func (c *Column) constant() bool {
	for i := 1; i < c.Len(); i++ {
		if !c.same(0, i) {
			return false
		}
	}
	return true
}

// calledTime is what columns of numbers are called that are times: 1959.083, or seconds since
// something.
var calledTime = lazy.Regexp(`(?i)(^|[_ .-])(time|timestamp|datetime|date|year|ts)$`)

// inTime says that the column is of times, twenty different ones or more, and the rows go forth, or
// back, in it.
func (c *Column) inTime() bool {
	var order func(i, j int) int
	switch {
	case c.Missing() > 0:
		return false
	case c.Kind == Time:
		order = func(i, j int) int { return cmp.Compare(c.Micros[i], c.Micros[j]) }
	case c.Kind == Numeric && calledTime().MatchString(c.Name):
		order = func(i, j int) int { return cmp.Compare(c.Numbers[i], c.Numbers[j]) }
	default:
		return false
	}
	forth, back, changes := true, true, 0
	for i := 1; i < c.Len(); i++ {
		o := order(i-1, i)
		forth, back = forth && o <= 0, back && o >= 0
		if o != 0 {
			changes++
		}
	}
	return (forth || back) && changes >= 19
}

// alikeLevels is the first two levels of a column of categories that are the same but for capitals;
// empty where there are none.
func (c *Column) alikeLevels() (string, string) {
	if !c.Kind.named() {
		return "", ""
	}
	seen := map[string]string{}
	for _, level := range c.usedLevels() {
		small := strings.ToLower(level)
		if other, ok := seen[small]; ok {
			return other, level
		}
		seen[small] = level
	}
	return "", ""
}

// tells says that the column alone gives the target of every row, of which there are twenty or
// more: a level stands for one answer only and comes again, or numbers are in the order of the
// answers, in one stretch for each class.
func (c *Column) tells(target *Column, task Task) bool {
	n := c.Len()
	switch c.Kind {
	case Categorical, Boolean:
		return c.Missing() == 0 && oneAnswerEach(c.Codes, target)
	case Text:
		return c.Missing() == 0 && oneAnswerEach(c.Strings, target)
	case Numeric:
		// What does not hold in the first rows does not hold in all.
		if first := min(n, 300); first < n {
			rows := par.Indices(0, first)
			few, answers := c.Gather(rows), target.Gather(rows)
			if few.Missing() > 0 || !few.inOrderOf(&answers, task, 0) {
				return false
			}
		}
		return c.Missing() == 0 && c.inOrderOf(target, task, n/2)
	}
	return false
}

// oneAnswerEach says that equal values have equal answers, and come twice or more on average.
func oneAnswerEach[V comparable](values []V, target *Column) bool {
	first := map[V]int{}
	for i, v := range values {
		if j, seen := first[v]; !seen {
			first[v] = i
		} else if !target.same(i, j) {
			return false
		}
		if 2*len(first) > len(values) {
			return false
		}
	}
	return true
}

// inOrderOf says that sorted by the column the answers are sorted, up or down, and equal values
// have equal answers; for classes, that each is one stretch. A quantity is to have more different
// values than least.
func (c *Column) inOrderOf(target *Column, task Task, least int) bool {
	order := par.Indices(0, c.Len())
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(c.Numbers[a], c.Numbers[b]) })
	stretches, up, down := 1, true, true
	for k := 1; k < len(order); k++ {
		a, b := order[k-1], order[k]
		if target.same(a, b) {
			continue
		}
		stretches++
		if c.Numbers[a] == c.Numbers[b] {
			return false
		}
		if target.Kind == Numeric {
			up, down = up && target.Numbers[a] < target.Numbers[b], down && target.Numbers[a] > target.Numbers[b]
		}
	}
	if task == Regression {
		return (up || down) && stretches > least
	}
	classes, err := target.As(Categorical)
	return err == nil && stretches == len(classes.usedLevels())
}
