package data

import (
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// MissingPolicy says what becomes of missing values.
//
// "error" refuses them and is what zero means, "drop" leaves out the rows that have any, "mean" puts the
// mean of the column in their place, "indicator" does so and adds a column that says where.
type MissingPolicy string

// The policies for missing values.
const (
	// missingRefuse refuses them with an *Error that counts them per column.
	missingRefuse MissingPolicy = "error"
	// missingDrop leaves out the rows that have any.
	missingDrop MissingPolicy = "drop"
	// missingMean puts the column's mean in their place; for categories the
	// share of each level.
	missingMean MissingPolicy = "mean"
	// missingIndicator is missingMean, and adds a 0/1 column that says where.
	missingIndicator MissingPolicy = "indicator"
)

// UnseenPolicy says what becomes of a category that was not there when the
// encoder was fitted: "error" refuses it and is what zero means, "zero" encodes it as none of the
// known levels.
type UnseenPolicy string

// unseenZero encodes it as none of the known levels.
const unseenZero UnseenPolicy = "zero"

// TextPolicy says what text columns become: "keep" keeps strings and is what zero means; "hash" counts
// words in buckets; "tfidf", "logtfidf", "pairs" and "letters" count words, pairs of words or runs of
// letters, weighted by how rare they are.
type TextPolicy string

// The policies for text.
const (
	// textKeep keeps strings as they are, for string kernels.
	textKeep TextPolicy = "keep"
	// textHash counts words in 2^HashBits buckets.
	textHash TextPolicy = "hash"
	// textTFIDF counts the words seen when fitting, weighted by how rare they are.
	textTFIDF TextPolicy = "tfidf"
	// textLogTFIDF is textTFIDF with log(1 + n) for n occurrences of a word and log(N/(1 + d)) for
	// one that d of N texts have (K. P. Murphy, Machine Learning, 2012, §14.2.2).
	textLogTFIDF TextPolicy = "logtfidf"
	// textPairs is textTFIDF of words and of pairs of words that follow one another, of which n
	// count 1 + ln(n).
	textPairs TextPolicy = "pairs"
	// textLetters is that of runs of one to five letters within a word, ends of words among them:
	// for names, codes and texts with many forms and slips of a word.
	textLetters TextPolicy = "letters"
)

// textPolicies are the names of all but the first.
var textPolicies = []string{string(textHash), string(textTFIDF), string(textLogTFIDF), string(textPairs),
	string(textLetters)}

// CategoryPolicy says what categories become: "onehot", a 0/1 feature for each level, is what zero means;
// "code" is one feature with the number of the level, for categorical kernels.
type CategoryPolicy string

// categoryCode gives one feature that holds the level's number from 0, for categorical kernels; unseen
// and missing levels are -1.
const categoryCode CategoryPolicy = "code"

// EncoderOptions says how columns become features. The zero value
// standardises numbers, makes categories one-hot, keeps text, and refuses
// missing values and unseen categories.
type EncoderOptions struct {
	Scaling    Scaling        // zero: "standardize". Sparse features are scaled by "maxabs" unless "none"
	Missing    MissingPolicy  // zero: "error"
	Unseen     UnseenPolicy   // zero: "error"
	Text       TextPolicy     // zero: "keep"
	Categories CategoryPolicy // zero: "onehot"
	HashBits   int            // buckets of "hash": 2^HashBits; zero: 16
	Words      int            // most words kept by "tfidf"; zero: 50,000, 200,000 of pairs and letters
	// Texts says it for single columns, by name, in place of Text.
	Texts map[string]TextPolicy `json:",omitempty"`
	// Task is what the target sets; zero: InferTask on the rows fitted on. Whole
	// numbers may be either, and some of the rows may look other than all.
	Task Task `json:",omitzero"`
}

func (o EncoderOptions) withDefaults() (EncoderOptions, error) {
	fill := func(s *string, zero string, known ...string) error {
		if *s == "" {
			*s = zero
		}
		for _, k := range append(known, zero) {
			if *s == k {
				return nil
			}
		}
		return fmt.Errorf("unknown option %q%s", *s, phrase.DidYouMean(*s, append(known, zero)))
	}
	for _, err := range []error{
		fill((*string)(&o.Scaling), "standardize", "none", "minmax", "robust", "maxabs"),
		fill((*string)(&o.Missing), "error", "drop", "mean", "indicator"),
		fill((*string)(&o.Unseen), "error", "zero"),
		fill((*string)(&o.Text), "keep", textPolicies...),
		fill((*string)(&o.Categories), "onehot", "code"),
	} {
		if err != nil {
			return o, err
		}
	}
	for name, policy := range o.Texts {
		if err := fill((*string)(&policy), "keep", textPolicies...); err != nil {
			return o, inColumn(name, err)
		}
	}
	if o.HashBits == 0 {
		o.HashBits = 16
	}
	if o.HashBits < 1 || o.HashBits > 24 {
		return o, fmt.Errorf("HashBits is %d; it must lie between 1 and 24", o.HashBits)
	}
	return o, nil
}

// Encoder turns data sets into features, the same way for every set: it is
// fitted once, travels with the model as JSON, and finds columns by name.
type Encoder struct {
	Options EncoderOptions `json:"options"`
	Columns []ColumnCode   `json:"columns"`
	Target  *TargetCode    `json:"target,omitempty"`
	More    []string       `json:"more_targets,omitempty"` // further columns of numbers that are predicted
	Weights string         `json:"weights,omitempty"`
	Noise   string         `json:"noise,omitempty"`  // column of the known noise variance of each row's target
	Dim     int            `json:"dim"`              // features in all
	Sparse  bool           `json:"sparse,omitempty"` // whether features come out sparse
	// SparseDim features come from a sparse file; they stand first.
	SparseDim   int       `json:"sparse_dim,omitempty"`
	SparseScale []float64 `json:"sparse_scale,omitempty"`
	// Joins are what columns of a file are put together to before they are encoded.
	Joins []Join `json:"joins,omitempty"`
	// Notations are how the columns of the file that it was fitted on were read, by name, where
	// that was text.
	Notations map[string]Notation `json:"notations,omitempty"`
	// Lags, where it is there, makes the columns of rows that are nothing but a time.
	Lags *Lags `json:"lags,omitempty"`
	// SparseIndex, where it is there, lists the features that SparseScale is of, increasing, and
	// the others are as they are: a few features with very large numbers do not cost a scale for
	// every number below.
	SparseIndex []int32 `json:"sparse_index,omitempty"`
}

// ColumnCode is how one column is encoded: as Width features from Offset.
type ColumnCode struct {
	Name      string    `json:"name"`
	Kind      Kind      `json:"kind"`
	Offset    int       `json:"offset"`
	Width     int       `json:"width"` // without the indicator
	Scale     []Affine  `json:"scale,omitempty"`
	Fill      []float64 `json:"fill,omitempty"` // encoded values in place of a missing one
	Indicator bool      `json:"indicator,omitempty"`
	Levels    []string  `json:"levels,omitempty"`
	Coded     bool      `json:"coded,omitempty"`  // the level's number instead of a feature each
	Layout    string    `json:"layout,omitempty"` // of times
	Parts     []string  `json:"parts,omitempty"`
	Words     []string  `json:"words,omitempty"`
	Rarity    []float64 `json:"rarity,omitempty"`     // idf of each word
	LogCounts bool      `json:"log_counts,omitempty"` // n occurrences of a word count log(1 + n)
	// Terms is what the words are, where they are more than that: textPairs or textLetters.
	Terms TextPolicy `json:"terms,omitempty"`
	// numbers of a step or vector; bins of a histogram, coordinates of a distribution
	Channels int            `json:"channels,omitempty"`
	at       map[string]int // places of many levels (Encoder.IndexLevels); nil: found anew each time

	// Range is the least and the largest value seen, of times in Unix microseconds: what a form or
	// a page can tell of the column. Nothing is computed from it.
	Range []float64 `json:"range,omitempty"`
}

// Object says that the column becomes no features: its values are kept as they are, for a kernel of
// their own.
func (c *ColumnCode) Object() bool { return c.Width == 0 && c.Kind.Object() }

// TargetCode is how the target is encoded: a number for regression, the index
// of its class otherwise.
type TargetCode struct {
	Name    string   `json:"name"`
	Task    Task     `json:"task"`
	Classes []string `json:"classes,omitempty"`
	Why     string   `json:"why"`
}

// FitEncoder learns the encoding from d: scales, levels, words, fill values and
// the task the target sets.
func FitEncoder(d *Dataset, o EncoderOptions) (*Encoder, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := d.Check(); err != nil {
		return nil, err
	}
	e := &Encoder{Options: o, Weights: d.Weights, Noise: d.Noise, Joins: d.Joins, Notations: d.notations(), More: d.More}
	if d.Target != "" {
		if e.Target, err = fitTarget(d, o.Task); err != nil {
			return nil, err
		}
	}
	if err := d.checkMore(e.Target); err != nil {
		return nil, err
	}
	features := d.Features()
	if o.Missing == missingRefuse {
		check := o.mayMiss(features)
		if d.Target != "" {
			target, _ := d.Column(d.Target)
			check = append(check[:len(check):len(check)], target)
		}
		check = append(check[:len(check):len(check)], d.moreColumns()...)
		if err := missingError(d, check); err != nil {
			return nil, err
		}
	}
	if o.Missing == missingDrop {
		if err := d.checkDropped(o.mayMiss(features)); err != nil {
			return nil, err
		}
	}
	if err := d.checkSparseRange(0); err != nil {
		return nil, err
	}
	if d.Sparse != nil {
		if d.Sparse.Dim() > maxDim {
			return nil, d.fault(Error{Kind: ErrTooLarge, Bytes: 8 * int64(d.Sparse.Dim()), Advice: "renumber the features",
				Reason: fmt.Sprintf("features are numbered up to %s, above the %s that a model takes",
					phrase.Thousands(d.Sparse.Dim()),
					phrase.Thousands(maxDim))})
		}
		e.fitSparse(d.Sparse)
	}
	for _, c := range features {
		if err := d.checkRange(c, 0); err != nil {
			return nil, err
		}
		code, err := e.fitColumn(c)
		if err != nil {
			return nil, PlaceError(d.label(), 0, err)
		}
		e.append(code)
	}
	if len(e.Columns) == 0 && d.Sparse == nil {
		return nil, d.fault(Error{Reason: "no columns to learn from besides target, weights, noise and groups",
			Kind: ErrNoColumn})
	}
	return e, nil
}

// append gives a column the next features.
func (e *Encoder) append(code ColumnCode) {
	code.Offset = e.Dim
	e.Dim += code.Width
	if code.Indicator {
		e.Dim++
	}
	e.Columns = append(e.Columns, code)
}

func fitTarget(d *Dataset, task Task) (*TargetCode, error) {
	c, err := d.Column(d.Target)
	if err != nil {
		return nil, err
	}
	why := "the task is given"
	if task == Unsupervised {
		if task, why, err = InferTask(c); err != nil {
			return nil, PlaceError(d.label(), 0, err)
		}
	}
	if task == Regression && c.Kind != Numeric {
		return nil, PlaceError(d.label(), 0, noTarget(c, "target %q is %s, and regression needs numbers", c.Name, c.Kind))
	}
	if task == Regression {
		err = d.checkTargetRange(c, 0)
	} else {
		err = d.checkRange(c, 0)
	}
	if err != nil {
		return nil, err
	}
	t := &TargetCode{Name: c.Name, Task: task, Why: why}
	if task.Classification() {
		classes, err := c.As(Categorical)
		if err != nil {
			return nil, err
		}
		for k, n := range classes.levelCounts() {
			if n > 0 {
				t.Classes = append(t.Classes, classes.Levels[k])
			}
		}
	}
	return t, nil
}

// fitSparse keeps features sparse unless they are few and mostly present.
func (e *Encoder) fitSparse(s *SparseRows) {
	m := s.CSR()
	e.SparseDim = m.Cols
	e.Dim = m.Cols
	e.Sparse = m.Cols > 64 && float64(len(m.Value)) < 0.25*float64(m.Rows)*float64(m.Cols)
	if e.Options.Scaling == noScaling {
		return
	}
	place := func(j int32) int { return int(j) }
	n := m.Cols
	if n > 8*len(m.Index)+1<<16 {
		e.SparseIndex = slices.Clone(m.Index)
		slices.Sort(e.SparseIndex)
		e.SparseIndex = slices.Compact(e.SparseIndex)
		n = len(e.SparseIndex)
		place = func(j int32) int { k, _ := slices.BinarySearch(e.SparseIndex, j); return k }
	}
	e.SparseScale = make([]float64, n)
	for i, j := range m.Index {
		k := place(j)
		e.SparseScale[k] = max(e.SparseScale[k], math.Abs(m.Value[i]))
	}
	for j, v := range e.SparseScale {
		if f := 1 / v; v > 0 && !math.IsInf(f, 0) {
			e.SparseScale[j] = f
		} else {
			e.SparseScale[j] = 1
		}
	}
}

func (e *Encoder) fitColumn(c *Column) (ColumnCode, error) {
	if studied(c.Kind) {
		s := newStudy(c, e.Options)
		if err := s.add(c); err != nil {
			return s.code, err
		}
		return s.finish()
	}
	code := ColumnCode{Name: c.Name, Kind: c.Kind}
	switch c.Kind {
	case Text:
		if err := code.fitText(c, e.Options); err != nil {
			return code, err
		}
		e.Sparse = e.Sparse || code.Width > 0
	case Ranking:
		code.Levels = rankedItems(c.Strings)
	case Histogram, Distribution:
		code.fitSize(c)
	case Sequence, Bag:
		if err := code.fitChannels(c, e.Options.Scaling); err != nil {
			return code, inColumn(c.Name, err)
		}
	}
	return code, nil
}

// usedLevels lists the levels that some row has, in order.
func (c *Column) usedLevels() []string {
	var out []string
	for k, n := range c.levelCounts() {
		if n > 0 {
			out = append(out, c.Levels[k])
		}
	}
	return out
}

// Names lists the features in order: a column's name, and for columns that
// give several the level, part or word after an equals sign.
func (e *Encoder) Names() []string {
	names := make([]string, 0, e.Dim)
	for j := range e.SparseDim {
		names = append(names, fmt.Sprintf("x%d", j+1))
	}
	for i := range e.Columns {
		c := &e.Columns[i]
		for j := range c.Width {
			switch {
			case c.Kind.named() && !c.Coded:
				names = append(names, c.Name+"="+c.Levels[j])
			case c.Kind == Time:
				names = append(names, c.Name+"="+c.Parts[j])
			case c.Kind == Text && c.Words != nil:
				names = append(names, c.Name+"="+c.Words[j])
			case c.Kind == Text:
				names = append(names, fmt.Sprintf("%s=#%d", c.Name, j))
			default:
				names = append(names, c.Name)
			}
		}
		if c.Indicator {
			names = append(names, c.Name+"=missing")
		}
	}
	return names
}
