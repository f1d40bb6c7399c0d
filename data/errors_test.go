package data

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/mend"
)

func TestErrorText(t *testing.T) {
	cause := errors.New("broken pipe")
	for _, c := range []struct {
		e    Error
		want string
	}{
		{Error{Reason: "no rows"}, "no rows"},
		{Error{File: "a.csv", Reason: "no rows"}, "a.csv: no rows"},
		{Error{File: "a.csv", Line: 3, Byte: 7, Reason: "odd", Advice: "mend it"}, "a.csv:3:7: odd\n  mend it"},
		{Error{File: "a.csv", Byte: 7, Reason: "odd"}, "a.csv: odd"},
		{Error{Row: 12345, Reason: "odd"}, "row 12,345: odd"},
		{Error{File: "a", Row: 2, Reason: "odd", Err: cause}, "a: row 2: odd: broken pipe"},
		{Error{File: "a", Err: cause}, "a: broken pipe"},
		{Error{File: "a", Value: "1e999", Reason: "odd", Remedy: mend.NA},
			"a: odd\n  correct it, or count it as missing: add \"1e999\" to NA"},
	} {
		if got := c.e.Error(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.e, got, c.want)
		}
	}
	e := &Error{File: "a", Reason: "odd", Remedy: mend.Target, Advice: "never mind"}
	if got := e.With("say --it"); got != "a: odd\n  say --it" {
		t.Errorf("other words: %q", got)
	}
	if got := e.With(""); got != "a: odd\n  never mind" {
		t.Errorf("no words: %q", got)
	}
}

func TestErrorIsAskedByType(t *testing.T) {
	var err error = &Error{Kind: ErrNoRows, Err: fs.ErrClosed}
	err = fmt.Errorf("reading: %w", err)
	if !errors.Is(err, ErrNoRows) || !errors.Is(err, fs.ErrClosed) || errors.Is(err, ErrSyntax) ||
		errors.Is(&Error{}, nil) {
		t.Errorf("%v is not what it was made of", err)
	}
	d := &Dataset{Name: "d", Columns: []Column{NumberColumn("a", []float64{1, 2}), NumberColumn("w", []float64{0, 0}),
		TextColumn("s", []string{"x", "3"})}}
	_, noColumn := d.Column("b")
	_, _, one := InferTask(&Column{Name: "c", Kind: Numeric, Numbers: []float64{1, 1}})
	_, number := d.Columns[2].As(Numeric)
	_, infinite := FitScaling(standardize, []float64{1, math.Inf(1)})
	_, builtin := Builtin("nothing", 0)
	_, weights := weightsOf(d, "w", []int{0, 1}, 0)
	for _, c := range []struct {
		name string
		err  error
		kind error
		row  int
	}{
		{"column", noColumn, ErrNoColumn, 0}, {"one class", one, ErrTarget, 0},
		{"text target", d.SetTarget("s"), ErrTarget, 0}, {"number", number, ErrValue, 1},
		{"infinite", infinite, ErrNotFinite, 2}, {"built-in", builtin, fs.ErrNotExist, 0}, {"weights", weights, ErrValue, 0},
		{"nothing", (&Dataset{}).Check(), ErrNoColumn, 0},
		{"no rows", (&Dataset{Columns: []Column{NumberColumn("a", nil)}}).Check(), ErrNoRows, 0},
	} {
		var fault *Error
		if !errors.As(c.err, &fault) || !errors.Is(c.err, c.kind) || fault.Row != c.row {
			t.Errorf("%s: %#v, want %q in row %d", c.name, c.err, c.kind, c.row)
		}
	}
}

// Rows are counted from the start of the stream, and a place that is known stays.
func TestErrorsGetAPlace(t *testing.T) {
	err := PlaceError("s.csv", 1000, &Error{Row: 5, Reason: "odd"})
	if err.Error() != "s.csv: row 1,005: odd" {
		t.Error(err)
	}
	if again := PlaceError("other", 10, err); again != err {
		t.Error(again)
	}
	if part := PlaceRow([]int{7, 4}, &Error{Row: 2, Reason: "odd", Kind: ErrValue}); part.Error() != "row 5: odd" ||
		!errors.Is(part, ErrValue) {
		t.Error(part)
	}
	for _, other := range []error{fs.ErrClosed, &Error{Reason: "odd"}, &Error{Row: 3, Reason: "odd"}, nil} {
		if part := PlaceRow([]int{7, 4}, other); part != other {
			t.Error(part)
		}
	}
	if more := ExplainError(" here", &Error{Row: 2, Reason: "odd"}); more.Error() != "row 2: odd here" ||
		ExplainError(" here", fs.ErrClosed) != fs.ErrClosed {
		t.Error(more)
	}
	if plain := PlaceError("s.csv", 7, fs.ErrClosed); !errors.Is(plain, fs.ErrClosed) ||
		plain.Error() != "s.csv: file already closed" {
		t.Error(plain)
	}
}

// Every remedy has words of its own, and none speaks of a flag.
func TestRemediesAreWorded(t *testing.T) {
	seen := map[string]Remedy{}
	for _, word := range mend.All {
		r := Remedy(word)
		text := r.words(&Error{Value: "v", Column: "c"})
		if other, ok := seen[text]; ok || text == "" || strings.Contains(text, "--") {
			t.Errorf("remedy %q says %q, as %q does", r, text, other)
		}
		seen[text] = r
	}
	if len(seen) != len(mend.All) || Remedy(mend.None).words(&Error{}) != "" {
		t.Errorf("%d remedies", len(seen))
	}
}
