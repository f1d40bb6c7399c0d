package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// remedy is how the command line says what mends a fault of data.
type remedy struct {
	say func(e *data.Error) string
	// again is set where the flag is one of the verbs that fit: those that use a model have
	// it from the model, and say how to fit another.
	again string
}

// remedies is the one place where faults of data meet flags.
var remedies = map[data.Remedy]remedy{
	mend.Missing: {say: advice("choose: --missing drop | mean | indicator      (see: mercer help missing)"),
		again: "fill them in; predict and eval have --missing drop | mean, fit has indicator, too      (see: mercer " +
			"help missing)"},
	mend.Unseen: {say: advice("choose --unseen zero to encode it as none of them"),
		again: "predict and eval take it for none of them with --unseen zero; or fit the model again with rows that have it"},
	mend.Target: {say: advice("choose another with --target")},
	mend.Scaling: {say: advice("correct the value or use --scaling none"),
		again: "correct the value, or fit the model again with --scaling none"},
	mend.Text: {say: func(e *data.Error) string {
		return fmt.Sprintf("leave it out, or take it as categories: --type %s=categorical", e.Column)
	}},
	mend.Rows:   {say: advice("add rows; if the first line is data, say --header no")},
	mend.Header: {say: advice("if the first line is data, say --header no")},
	mend.NA: {say: func(e *data.Error) string {
		return fmt.Sprintf("correct it, or count it as missing: --na %q",
			e.Value)
	}},
	mend.Kind: {say: func(e *data.Error) string {
		return fmt.Sprintf("correct it, count it as missing (--na %q), or take the column as categories (--type "+
			"%s=categorical)", e.Value, e.Column)
	}},
	mend.Delimiter: {say: func(e *data.Error) string {
		return fmt.Sprintf("quote fields that hold %s, or name the delimiter with --delimiter", e.Value)
	}},
	mend.Format: {say: advice("name the format with --format, or check the file")},
	mend.Dates: {say: func(e *data.Error) string {
		return fmt.Sprintf("write it so, or say how dates are written here: --type %s=date:dmy (or mdy, ymd)",
			shellWord(e.Column))
	}},
	mend.Numbers: {say: func(e *data.Error) string {
		return fmt.Sprintf("write it so, or say the decimal mark here: --type %[1]s=numeric:comma (or numeric:point)",
			shellWord(e.Column))
	}},
	mend.Ignore: {say: func(e *data.Error) string {
		return fmt.Sprintf("leave it out: --ignore %s",
			shellWord(e.Column))
	}},
	mend.Order: {say: func(e *data.Error) string {
		return fmt.Sprintf("test on the last ones: --order %s", shellWord(e.Column))
	}},
	mend.Names: {say: advice("one line of names: --header yes; two: --header 2")},
	mend.Groups: {say: func(e *data.Error) string {
		return fmt.Sprintf("keep the rows of each together: --groups %s", shellWord(e.Column))
	}},
	mend.Encoding: {say: advice("say the encoding with --encoding latin-1, or save the file as UTF-8")},
	mend.Temp:     {say: advice("name a folder on a disk with more room: --tmp FOLDER")},
	mend.Map:      {say: advice("correct the value, or give --transform rank, which takes any number")},
	mend.Memory: {say: func(e *data.Error) string {
		return fmt.Sprintf("allow it with --memory %s where the machine has that, or give fewer rows or columns",
			strings.ReplaceAll(phrase.Bytes(e.Bytes+e.Bytes/10), " ", ""))
	}},
}

func advice(text string) func(*data.Error) string { return func(*data.Error) string { return text } }

// worded is an error in the words of the command line.
type worded struct {
	text string
	err  error
}

func (e *worded) Error() string { return e.text }
func (e *worded) Unwrap() error { return e.err }

// inWords puts an error of the libraries into the words of the command line: a fault of data speaks
// for itself, whoever passed it on, and names the flags that mend it; others leave out the names
// of packages.
func inWords(err error) error { return inWordsFor(err, false) }

// inWordsFor is inWords for verbs that fit, or for those that use a fitted model.
func inWordsFor(err error, fitted bool) error {
	var done *worded
	var wrong *data.Error
	switch {
	case err == nil || errors.As(err, &done):
		return err
	case errors.As(err, &wrong):
		text := ""
		if r, ok := remedies[wrong.Remedy]; ok {
			if text = r.say(wrong); fitted && r.again != "" {
				text = r.again
			}
		}
		return &worded{wrong.With(text), err}
	}
	return &worded{inFlags(fault.Plain(err).Error()), err}
}
