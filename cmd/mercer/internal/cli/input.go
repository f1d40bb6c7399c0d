package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/format/room"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/spf13/pflag"
)

// inputOptions says how a data file is read; every verb that reads one has
// these flags.
type inputOptions struct {
	Format    string
	Delimiter string
	Decimal   string
	Header    string
	NA        []string
	Types     []string
	Ignore    []string
	Labels    string
	Encoding  string
	Sheet     string
	Memory    string
}

func (o *inputOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Format, "format", "", "file format ("+formatNames()+"); default: from the name, then the content")
	f.StringVar(&o.Delimiter, "delimiter", "",
		"byte between CSV fields (\",\" \";\" \"|\" \"tab\" \"space\"); default: from the content")
	f.StringVar(&o.Decimal, "decimal", "", "decimal mark of CSV numbers (\".\" or \",\"); default: from the content")
	f.StringVar(&o.Header, "header", "auto",
		"whether the first line holds names: auto, yes, no, or 2 where the first two do")
	f.StringSliceVar(&o.NA, "na", nil, "further texts that mean a missing value")
	f.StringSliceVar(&o.Types, "type", nil,
		"what a column is: NAME=KIND, one of numeric, categorical, text, boolean, time, sequence, bag, tree, set, ranking, "+
			"graph, fuzzy, histogram, distribution; and how it is written: numeric:comma, numeric:point, date:dmy, "+
			"date:mdy, date:ymd")
	f.StringSliceVar(&o.Ignore, "ignore", nil, "columns to leave out")
	f.StringVar(&o.Labels, "labels", "",
		"a second file with further columns of the same rows, such as the labels of sequences: matched by a column that "+
			"both have, else row by row")
	f.StringVar(&o.Sheet, "sheet", "", "sheet of an .xlsx workbook, by name or number; default: the first")
	f.StringVar(&o.Encoding, "encoding", "",
		"encoding of CSV text: utf-8 or latin-1; default: UTF-8, and Windows-1252 (Latin-1) for fields that are not")
	if f.Lookup("memory") == nil { // mercer fit has one for all that it does
		f.StringVar(&o.Memory, "memory", "", "memory for the data, as in 2GB; default: half of the machine's")
	}
}

func formatNames() string {
	var names []string
	for _, f := range load.Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}

// options turns the flags into those of the reader.
func (o *inputOptions) options(a *App) (load.Options, error) {
	out := load.Options{NA: o.NA, Ignore: o.Ignore, Labels: o.Labels, Sheet: o.Sheet, Stdin: a.In}
	var err error
	if out.Bytes, err = o.bytes(); err != nil {
		return out, err
	}
	if o.Format != "" {
		f, err := load.ParseFormat(o.Format)
		if err != nil {
			return out, usage("--format: %w", err)
		}
		out.Format = f
	}
	if out.Delimiter, err = csvio.ParseDelimiter(o.Delimiter); err != nil {
		return out, usage("--delimiter: %w", err)
	}
	if out.Decimal, err = csvio.ParseDecimal(o.Decimal); err != nil {
		return out, usage("--decimal: %w", err)
	}
	header, err := csvio.ParseHeader(o.Header)
	if err != nil {
		return out, usage("--header: %w", err)
	}
	out.Header = string(header)
	switch strings.ToLower(o.Encoding) {
	case "":
	case "utf-8", "utf8":
		out.Encoding = string(csvio.UTF8)
	case "latin-1", "latin1", "iso-8859-1", "windows-1252", "cp1252":
		out.Encoding = string(csvio.Windows1252)
	default:
		return out, usage("--encoding: %q; give utf-8 or latin-1", o.Encoding)
	}
	for _, t := range o.Types {
		name, kind, ok := cutLast(t, "=")
		if !ok {
			return out, usage("--type: %q; write NAME=KIND, as in --type zip=categorical or --type price=numeric:comma", t)
		}
		n, err := data.ParseNotation(kind)
		if err != nil {
			return out, usage("--type: %w", err)
		}
		if out.Told == nil {
			out.Told = map[string]data.Notation{}
		}
		out.Told[name] = n
	}
	return out, nil
}

// cutLast is strings.Cut at the last separator: names of columns may hold it, kinds do not.
func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}

// bytes is the memory that data may take; 0: as the reader decides.
func (o *inputOptions) bytes() (int64, error) {
	if o.Memory == "" {
		return 0, nil
	}
	n, err := parseBytes(o.Memory)
	if err != nil {
		return 0, usage("--memory: %w", err)
	}
	return n, nil
}

// encode spells rows out as a table of numbers, where there is memory for it: categories and sparse
// features can make much of little.
func (o *inputOptions) encode(d *data.Dataset, e *data.Encoder) (*data.Encoded, data.DenseRows, error) {
	bytes, err := o.bytes()
	if err != nil {
		return nil, data.DenseRows{}, err
	}
	if need := 8 * float64(d.Len()) * float64(e.Dim); bytes > 0 && need > float64(bytes) {
		large := data.TooLargeError(d.Name, need, bytes, "")
		large.Reason = fmt.Sprintf("as a table of %s rows and %s features %s", phrase.Thousands(d.Len()),
			phrase.Thousands(e.Dim),
			large.Reason)
		return nil, data.DenseRows{}, inputError(large)
	}
	x, err := e.Transform(d)
	if err != nil {
		return nil, data.DenseRows{}, inputError(err)
	}
	rows, err := x.AsDenseWithin(d.Name, bytes)
	return x, rows, inputError(err)
}

// withArticle names what a column holds.
func withArticle(k data.Kind) string {
	switch k {
	case data.Sequence:
		return "a column of series"
	case data.Fuzzy:
		return "a column of fuzzy sets"
	case data.Text:
		return "a column of text"
	case data.Categorical:
		return "a column of categories"
	}
	return "a column of " + k.String() + "s"
}

// read reads a whole data set. What is wrong with a file is for the person to
// mend; a cancelled read and a failing disk are not.
func (a *App) read(ctx context.Context, path string, o load.Options) (*data.Dataset, error) {
	if d, given, err := a.memory.set(path, o); given {
		return d, err
	}
	defer collectWithin(o.Bytes)()
	d, err := load.Read(ctx, path, o)
	if err == nil {
		a.tellReading(d)
	}
	return d, inputError(err)
}

// collectWithin has what is no longer used collected while data are read before it and they are more
// than the data may be: without it, the process grows to twice what they take. A limit that stands,
// of a fit or of the environment, is left alone.
func collectWithin(bytes int64) (end func()) {
	if debug.SetMemoryLimit(-1) != math.MaxInt64 {
		return func() {}
	}
	if bytes <= 0 {
		bytes = room.Default()
	}
	debug.SetMemoryLimit(bytes + programBytes/4)
	return func() { debug.SetMemoryLimit(math.MaxInt64) }
}

// tellReading says what the reader did that nobody asked for, and what the values left open.
func (a *App) tellReading(d *data.Dataset) {
	if a.quiet {
		return
	}
	for _, s := range d.Skipped {
		fmt.Fprintf(a.Err, "%s: %s\n", d.Name, s)
	}
	for _, note := range d.Notes {
		another := ""
		switch note.Remedy {
		case mend.Encoding:
			another = "; another: --encoding"
		case mend.Names:
			another = "; one line of names: --header yes"
		case mend.Kind:
			another = "; otherwise: --type NAME=categorical"
		}
		fmt.Fprintf(a.Err, "%s: %s%s\n", d.Name, note.Text, another)
	}
	for _, c := range unsettled(d) {
		fmt.Fprintf(a.Err, "%s: column %q is read as %s, %s; settle it with %s\n", d.Name, c.Name, c.Kind,
			c.Notation.Describe(), overrule(&c))
	}
}

// unsettled are the columns whose values leave open how they are to be read, and that nobody has
// settled: a model has, for those it knows.
func unsettled(d *data.Dataset) (open []data.Column) {
	for _, c := range d.Columns {
		if n := c.Notation; n != nil && n.Ambiguous && !n.Settled {
			open = append(open, data.Column{Name: c.Name, Kind: c.Kind, Notation: n})
		}
	}
	return open
}

// heard is a stream that keeps what its reader said: counts in notes grow from chunk to chunk, and
// what a column leaves open is settled by its first values. Rows are not kept.
type heard struct {
	data.Stream
	said data.Dataset
}

func (h *heard) Next() (*data.Dataset, error) {
	d, err := h.Stream.Next()
	if err != nil {
		return d, err
	}
	h.said = data.Dataset{Name: d.Name, Skipped: d.Skipped, Notes: d.Notes,
		Columns: append(h.said.Columns, unsettled(d)...)}
	return d, nil
}

// overrule is the option by which a column is read in another way.
func overrule(c *data.Column) string {
	other := ""
	switch n := c.Notation; {
	case c.Kind == data.Time && n != nil && n.Ambiguous:
		other = "date:dmy or date:mdy"
	case c.Kind == data.Numeric && n != nil && n.Decimal == ",":
		other = "numeric:point"
	case c.Kind == data.Numeric && n != nil && n.Group != "":
		other = "numeric:comma"
	case c.Kind == data.Numeric:
		other = "categorical"
	case c.DescribeReading() != "" && (c.Kind == data.Categorical || c.Kind == data.Text):
		other = "numeric"
	case c.Kind == data.Categorical || c.Kind == data.Boolean:
		other = "text"
	default:
		other = "categorical"
	}
	return fmt.Sprintf("--type %s=%s", shellWord(c.Name), other)
}

// shellWord quotes what a shell would take apart.
func shellWord(s string) string { return shellWordOf(runtime.GOOS, s) }

// shellWordOf is shellWord for the shells of a system. Those of Windows know double quotes alone,
// and take paths with their own signs.
func shellWordOf(system, s string) string {
	plain := "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./"
	if system == "windows" {
		plain += `:\`
	}
	if s != "" && strings.Trim(s, plain) == "" {
		return s
	}
	if system == "windows" {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// inputError marks faults of the input as such.
func inputError(err error) error { return inputErrorFor(err, false) }

// inputErrorFor is inputError for verbs that fit, or for those that use a fitted model.
func inputErrorFor(err error, fitted bool) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	var bad *UsageError
	if errors.As(err, &bad) {
		return err
	}
	var path *os.PathError
	if errors.As(err, &path) && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) &&
		!isDirectory(path.Path) {
		return err
	}
	return &UsageError{inWordsFor(err, fitted)}
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// encoding are the flags that say how columns become features.
type encodingOptions struct {
	Missing, Unseen, Text, Scaling, Categories string
}

func (o *encodingOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.Missing, "missing", "error",
		"missing values: error, drop, mean or indicator (see: mercer help missing)")
	f.StringVar(&o.Unseen, "unseen", "",
		"categories not seen when fitting: error or zero; default: error, with --categories kernel zero")
	f.StringVar(&o.Text, "text", "auto",
		"text columns: tfidf, logtfidf, pairs, letters, hash or auto (see: mercer help formats)")
	f.StringVar(&o.Scaling, "scaling", "standardize", "numbers: standardize, minmax, robust, maxabs or none")
	f.StringVar(&o.Categories, "categories", "onehot",
		"categories: onehot, code, or kernel (mercer fit: codes compared by a categorical kernel)")
}

func (o *encodingOptions) options() (data.EncoderOptions, error) {
	pick := func(flag, value string, allowed ...string) error {
		for _, s := range allowed {
			if value == s {
				return nil
			}
		}
		return usage("--%s: %q; give %s", flag, value,
			strings.Join(slices.DeleteFunc(allowed, func(s string) bool { return s == "" }), ", "))
	}
	err := errors.Join(
		pick("missing", o.Missing, "error", "drop", "mean", "indicator"),
		pick("unseen", o.Unseen, "", "error", "zero"),
		pick("text", o.Text, "auto", "tfidf", "logtfidf", "pairs", "letters", "hash"),
		pick("scaling", o.Scaling, "standardize", "minmax", "robust", "maxabs", "none"),
		pick("categories", o.Categories, "onehot", "code", "kernel"),
	)
	if err != nil {
		return data.EncoderOptions{}, &UsageError{err}
	}
	out := data.EncoderOptions{
		Missing: data.MissingPolicy(o.Missing), Unseen: data.UnseenPolicy(o.Unseen), Text: data.TextPolicy(o.Text),
		Scaling: data.Scaling(o.Scaling), Categories: data.CategoryPolicy(o.Categories),
	}
	if o.Text == "auto" {
		out.Text = "tfidf" // mercer fit finds out (AutoOptions)
	}
	if o.Categories == "kernel" {
		out.Categories = "code"
		if o.Unseen == "" {
			out.Unseen = "zero"
		}
	}
	return out, nil
}

// parseBytes reads a size such as 512MB, 2GiB or 1e9.
func parseBytes(text string) (int64, error) {
	s := strings.TrimSpace(strings.ToLower(text))
	units := []struct {
		suffix string
		size   float64
	}{{"kib", 1 << 10}, {"mib", 1 << 20}, {"gib", 1 << 30}, {"tib", 1 << 40}, {"kb", 1e3}, {"mb", 1e6}, {"gb", 1e9},
		{"tb", 1e12},
		{"k", 1 << 10}, {"m", 1 << 20}, {"g", 1 << 30}, {"t", 1 << 40}, {"b", 1}}
	size := 1.0
	for _, u := range units {
		if strings.HasSuffix(s, u.suffix) {
			s, size = strings.TrimSpace(strings.TrimSuffix(s, u.suffix)), u.size
			break
		}
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v*size >= 1) || v*size > 1e18 {
		return 0, fmt.Errorf("%q is not a size; write 512MB, 2GiB or the like", text)
	}
	return int64(v * size), nil
}

// sizeText writes bytes for a person.
func sizeText(n int64) string { return phrase.Bytes(n) }
