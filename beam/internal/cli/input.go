package cli

import (
	"flag"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/beam/internal/jobs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/mend"
)

// list is an option that may be given several times, or with commas.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds to it.
func (l *list) Set(text string) error {
	*l = append(*l, strings.Split(text, ",")...)
	return nil
}

// texts is an option that may be given several times, commas and all.
type texts []string

func (l *texts) String() string { return strings.Join(*l, " ") }

// Set adds to it.
func (l *texts) Set(text string) error {
	*l = append(*l, text)
	return nil
}

// inputFlags are how shards are read: those of mercer.
type inputFlags struct {
	format, delimiter, decimal, header string
	na, types, ignore                  list
}

func (o *inputFlags) declare(f *flag.FlagSet) {
	f.StringVar(&o.format, "format", "", "format of the shards; default: from the name, then the content")
	f.StringVar(&o.delimiter, "delimiter", "", "byte between CSV fields (, ; | tab space); default: from the content")
	f.StringVar(&o.decimal, "decimal", "", "decimal mark of CSV numbers (. or ,); default: from the content")
	f.StringVar(&o.header, "header", "auto", "whether the first CSV line holds column names: auto, yes or no")
	f.Var(&o.na, "na", "further texts that mean a missing value")
	f.Var(&o.types, "type", "what a column is: NAME=KIND, as in mercer fit --type")
	f.Var(&o.ignore, "ignore", "columns to leave out")
}

// taughtFlags are what a verb that learns is told of its rows.
type taughtFlags struct {
	overwrite                                       bool
	target, weights, task, missing, unseen, scaling string
}

func (o *taughtFlags) declare(f *flag.FlagSet, taskFrom, scalings string) {
	f.BoolVar(&o.overwrite, "overwrite", false, "replace files that are there")
	f.StringVar(&o.target, "target", "",
		"column to predict; default: label, class or target, else the last; fit takes several columns of numbers, with "+
			"commas between them")
	f.StringVar(&o.weights, "weights", "", "column of row weights")
	f.StringVar(&o.task, "task", "", "regression or classification; default: from "+taskFrom)
	f.StringVar(&o.missing, "missing", "error", "missing values: error, drop, mean or indicator")
	f.StringVar(&o.unseen, "unseen", "", "categories not seen when fitting: error or zero; default: error")
	f.StringVar(&o.scaling, "scaling", "standardize", "numbers: "+scalings)
}

// targets are the columns that --target names.
func (o *taughtFlags) targets() (names []string) {
	for _, name := range strings.Split(o.target, ",") {
		names = append(names, strings.TrimSpace(name))
	}
	return names
}

func (o *inputFlags) input() (jobs.Input, error) {
	in := jobs.Input{NA: o.na, Ignore: o.ignore}
	if o.format != "" {
		f, err := load.ParseFormat(o.format)
		if err != nil {
			return in, usage("--format: %w", err)
		}
		in.Format = f
	}
	var err error
	if in.Delimiter, err = csvio.ParseDelimiter(o.delimiter); err != nil {
		return in, usage("--delimiter: %w", err)
	}
	if in.Decimal, err = csvio.ParseDecimal(o.decimal); err != nil {
		return in, usage("--decimal: %w", err)
	}
	header, err := csvio.ParseHeader(o.header)
	if err != nil {
		return in, usage("--header: %w", err)
	}
	in.Header = string(header)
	for _, t := range o.types {
		at := strings.LastIndex(t, "=")
		if at < 0 {
			return in, usage("--type: %q; write NAME=KIND, as in --type zip=categorical", t)
		}
		n, err := data.ParseNotation(t[at+1:])
		if err != nil {
			return in, usage("--type: %w", err)
		}
		if in.Told == nil {
			in.Told = map[string]data.Notation{}
		}
		in.Told[t[:at]] = n
	}
	return in, nil
}

// words are the options that mend faults of data.
func words(e *data.Error) string {
	switch e.Remedy {
	case mend.Missing:
		return "choose: --missing drop | mean | indicator (predict: drop | mean)"
	case mend.Unseen:
		return "choose --unseen zero to encode it as none of them"
	case mend.Target:
		return "choose another with --target"
	case mend.Scaling:
		return "choose another with --scaling: standardize, minmax, maxabs or none"
	case mend.Text:
		return fmt.Sprintf("leave it out (--ignore %s), or take it as categories: --type %[1]s=categorical", e.Column)
	case mend.Rows, mend.Header:
		return "if the first line is data, say --header no"
	case mend.NA:
		return fmt.Sprintf("correct it, or count it as missing: --na %q", e.Value)
	case mend.Kind:
		return fmt.Sprintf("correct it, count it as missing (--na %q), or take the column as categories (--type "+
			"%s=categorical)", e.Value, e.Column)
	case mend.Delimiter:
		return fmt.Sprintf("quote fields that hold %s, or name the delimiter with --delimiter", e.Value)
	case mend.Format:
		return "name the format with --format, or check the file"
	case mend.Dates:
		return fmt.Sprintf("write it so, or say how dates are written: --type %s=date:dmy (or mdy, ymd)", e.Column)
	case mend.Numbers:
		return fmt.Sprintf("write it so, or say the decimal mark: --type %s=numeric:comma (or numeric:point)", e.Column)
	case mend.Ignore:
		return fmt.Sprintf("leave it out: --ignore %s", e.Column)
	case mend.Encoding:
		return "save the file as UTF-8"
	case mend.Memory:
		return "make smaller shards, or give workers more memory"
	}
	return ""
}
