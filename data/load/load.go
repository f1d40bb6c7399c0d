// Package load reads data sets from files of any format the toolkit knows, from
// standard input, and from the built-in sets, by name.
//
// Names to know: [Read] reads a whole file of any format, [Open] one in parts, [OpenTable] one that
// may be larger than memory, and [Options] says how. [Detect] names the [Format] of a file.
// [ReadGraph] reads the graph whose nodes are the points.
//
// The format is found from the file's name, and where that says nothing from
// its first bytes. gzip and zstd are undone first, whatever the name says.
package load

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

// Options says how to read; the zero value finds everything from the content.
type Options struct {
	Format   Format // zero: from the name, then the content
	Target   string // column to predict; empty: the last, if it can be one
	NoTarget bool   // no column is the target
	Weights  string // column of row weights
	Noise    string // column of the known noise variance of each row's target
	Groups   string // column of row groups
	Order    string // column that says the order of the rows and is no feature
	// Told says what columns are and how they are written, by name; each must be there. Where only
	// kinds are to be said: data.Kinds.
	Told map[string]data.Notation
	// Readings is how an encoder read the same columns before (data.Encoder.Readings), for those
	// that are there; Told comes before it.
	Readings map[string]data.Notation
	// columns to leave out; each must be there. Those of weights, noise, groups and order stay,
	// being no features
	Ignore    []string
	Labels    string    // a second file with further columns of the same rows (data.Dataset.Beside)
	NA        []string  // further markers of missing values
	Encoding  string    // of CSV, "utf-8" or "latin-1"; empty: UTF-8, and Windows-1252 for fields that are not
	Delimiter byte      // of CSV; zero: from the content
	Decimal   byte      // of CSV; zero: from the content
	Header    string    // of CSV, "yes", "no" or "2", two lines of names; empty: from the content
	Sheet     string    // of a workbook, by name or by number from 1; zero: the first
	Seed      uint64    // for generated built-in sets
	Threads   int       // zero: all cores
	Stdin     io.Reader // what "-" reads; nil: os.Stdin
	StdinName string    // how messages call what "-" reads; empty: standard input
	// Bytes is the memory for the data set, or in a stream for a chunk of it; 0: half of the
	// machine's. A file that needs more is refused with what it needs, whatever it says of itself:
	// see data.ErrTooLarge.
	Bytes int64
	// Progress is told how many bytes of a file, as stored, were read, and how many there are.
	// Formats whose readers seek tell nothing.
	Progress func(done, of int64)
}

// inference joins what was asked for and what is known from before.
func (o Options) inference() data.Inference {
	in := data.Inference{Told: map[string]data.Notation{}, Missing: o.NA}
	maps.Copy(in.Told, o.Readings)
	maps.Copy(in.Told, o.Told)
	for _, name := range o.Ignore {
		if o.ignores(name) { // nothing in it can be wrong
			in.Told[name] = data.Notation{Kind: data.Text}
			in.Ignore = append(in.Ignore, name)
		}
	}
	return in
}

// check refuses words that stand for no header or encoding.
func (o Options) check() error {
	if _, err := csvio.ParseHeader(o.Header); err != nil {
		return fmt.Errorf("load: header %w", err)
	}
	switch csvio.Encoding(o.Encoding) {
	case "", csvio.UTF8, csvio.Windows1252:
		return nil
	}
	return fmt.Errorf("load: encoding %q; give %s or %s", o.Encoding, csvio.UTF8, csvio.Windows1252)
}

func (o Options) csv() csvio.Options {
	return csvio.Options{Delimiter: o.Delimiter, Decimal: o.Decimal, Header: csvio.Header(o.Header), NA: o.words(),
		Told: o.inference().Told, Encoding: csvio.Encoding(o.Encoding), Threads: o.Threads, Bytes: o.Bytes}
}

// stdinName is how messages call what "-" reads.
func (o Options) stdinName() string { return cmp.Or(o.StdinName, "standard input") }

// words are those for missing values: what was said, and what was said when the columns were read
// before.
func (o Options) words() []string {
	words := slices.Clone(o.NA)
	for _, name := range slices.Sorted(maps.Keys(o.Readings)) {
		for _, w := range o.Readings[name].Missing {
			if !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// Read reads a whole data set: a file, "-" for standard input, or, where no
// such file exists, a built-in set. Cancelling ctx stops it.
func Read(ctx context.Context, path string, o Options) (*data.Dataset, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	src, set, err := openSource(ctx, path, o)
	if err != nil {
		return nil, err
	}
	if set != nil {
		return finishBeside(ctx, set, o)
	}
	defer src.close()
	format, err := src.format(o.Format)
	if err != nil {
		return nil, err
	}
	set, sum, err := src.readAndHash(format, o)
	if err != nil {
		return nil, orCancelled(ctx, err)
	}
	set.Hash = sum
	return finishBeside(ctx, set, o)
}

// finishBeside is finish with the columns of a second file beside those of the first.
func finishBeside(ctx context.Context, d *data.Dataset, o Options) (*data.Dataset, error) {
	if o.Labels == "" {
		return finish(d, o)
	}
	own := o
	own.Labels, own.Format, own.Target, own.NoTarget, own.Weights, own.Noise, own.Groups, own.Order, own.Told,
		own.Ignore = "", "", "", true, "", "", "", "", nil, nil
	own.Readings = maps.Clone(o.Readings)
	if own.Readings == nil {
		own.Readings = map[string]data.Notation{}
	}
	maps.Copy(own.Readings, o.Told)
	labels, err := Read(ctx, o.Labels, own)
	if err != nil {
		return nil, err
	}
	if d, err = d.Beside(labels); err != nil {
		return nil, err
	}
	return finish(d, o)
}

// orCancelled prefers the reason of a cancelled context to the fault that
// stopping made.
func orCancelled(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// finish gives the columns their roles.
func finish(d *data.Dataset, o Options) (*data.Dataset, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	asked := slices.Concat(slices.Sorted(maps.Keys(o.Told)), o.Ignore)
	for _, name := range asked {
		skipped := slices.ContainsFunc(d.Skipped, func(s data.SkippedColumn) bool { return s.Column == name })
		if _, err := d.Column(name); err != nil && !(skipped && o.ignores(name)) {
			return nil, err
		}
	}
	d = leaveOut(d, o)
	if err := d.Check(); err != nil {
		return nil, err
	}
	for _, role := range []struct {
		name string
		at   *string
	}{{o.Weights, &d.Weights}, {o.Noise, &d.Noise}, {o.Groups, &d.Groups}, {o.Order, &d.Order}} {
		if role.name != "" {
			if _, err := d.Column(role.name); err != nil {
				return nil, err
			}
			*role.at = role.name
		}
	}
	switch {
	case o.NoTarget:
		d.Target = ""
	case o.ignores(o.Target):
		return nil, &data.Error{File: d.Name, Column: o.Target, Kind: data.ErrTarget,
			Reason: fmt.Sprintf("column %q is the target and is to be ignored", o.Target), Advice: "drop one of the two"}
	case o.Target != "":
		c, err := d.Column(o.Target)
		if err != nil {
			return nil, err
		}
		// Few enough distinct strings are classes when they are asked to be.
		if c.Kind == data.Text {
			classes, err := c.As(data.Categorical)
			if err == nil && len(classes.Levels) <= min(1000, max(2, d.Len()/2)) {
				*c = classes
			}
		}
		if err := d.SetTarget(o.Target); err != nil {
			return nil, err
		}
	case d.Target == "" && len(d.Columns) > 1:
		if name := usualTarget(d); name != "" {
			return d, d.SetTarget(name)
		}
	}
	return d, nil
}

// targetNames are what the column to predict is called where it is called so.
var targetNames = []string{"label", "class", "target"}

// usualTarget is the column that is meant where nobody says: one that is called so, else the last
// that can be predicted.
func usualTarget(d *data.Dataset) string {
	free := func(c *data.Column) bool {
		return c.Name != d.Weights && c.Name != d.Noise && c.Name != d.Groups && c.Name != d.Order
	}
	for _, name := range targetNames {
		for i := range d.Columns {
			if c := &d.Columns[i]; strings.EqualFold(c.Name, name) && free(c) &&
				(c.Kind == data.Numeric || c.Kind == data.Categorical || c.Kind == data.Boolean) {
				return c.Name
			}
		}
	}
	last := ""
	for i := len(d.Columns) - 1; i >= 0; i-- {
		c := &d.Columns[i]
		if !free(c) {
			continue
		}
		if c.Kind == data.Numeric || c.Kind == data.Categorical || c.Kind == data.Boolean {
			return c.Name
		}
		if last == "" {
			last = c.Name
		}
	}
	return last // which says itself why it cannot be
}
