package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Every remedy has words here, and every flag they name is there.
func TestEveryRemedyNamesFlagsThatAreThere(t *testing.T) {
	flags := map[string]bool{}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags["--"+f.Name] = true })
		for _, s := range c.Commands() {
			walk(s)
		}
	}
	walk(newRoot(&App{Out: &bytes.Buffer{}, Err: &bytes.Buffer{}}))
	named := regexp.MustCompile(`--[a-z-]+`)
	for _, word := range mend.All {
		r := data.Remedy(word)
		e := &data.Error{File: "a.csv", Reason: "odd", Column: "town", Value: "bonn", Remedy: r}
		for _, fitted := range []bool{false, true} {
			text := inWordsFor(e, fitted).Error()
			names := named.FindAllString(text, -1)
			if len(names) == 0 {
				t.Errorf("remedy %q names no flag: %q", r, text)
			}
			for _, n := range names {
				if !flags[n] {
					t.Errorf("remedy %q names %s, which no verb has: %q", r, n, text)
				}
			}
		}
	}
}

func TestInWords(t *testing.T) {
	wrong := &data.Error{File: "a.csv", Row: 3, Reason: "odd", Remedy: mend.Unseen, Kind: data.ErrUnseen}
	plain := &data.Error{File: "a.csv", Reason: "odd", Advice: "mend it"}
	for _, c := range []struct {
		err    error
		fitted bool
		want   string
	}{
		{wrong, false, "a.csv: row 3: odd\n  choose --unseen zero to encode it as none of them"},
		{wrong, true,
			"a.csv: row 3: odd\n  predict and eval take it for none of them with --unseen zero; or fit the model again with " +
				"rows that have it"},
		{fault.Errorf("tune", "fold %d: %w", 2, wrong), false,
			"a.csv: row 3: odd\n  choose --unseen zero to encode it as none of them"},
		{plain, true, "a.csv: odd\n  mend it"},
		{fault.In("project", fault.Errorf("kernel", "no points")), false, "no points"},
		{fs.ErrClosed, false, "file already closed"},
	} {
		got := inWordsFor(c.err, c.fitted)
		if got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%q, want %q", got, c.want)
		}
		if again := inWords(fmt.Errorf("ctx: %w", got)); again.Error() != "ctx: "+c.want {
			t.Errorf("worded twice: %q", again)
		}
	}
	if inWords(nil) != nil {
		t.Error("nothing has words")
	}
	var bad *UsageError
	if err := lookError("b.csv", fault.Errorf("stat", "2 points")); err.Error() != "b.csv: 2 points" ||
		!errors.As(err, &bad) {
		t.Error(err)
	}
	if err := lookError("b.csv",
		wrong); err.Error() != "a.csv: row 3: odd\n  choose --unseen zero to encode it as none of them" ||
		!errors.Is(err, data.ErrUnseen) {
		t.Error(err)
	}
}
