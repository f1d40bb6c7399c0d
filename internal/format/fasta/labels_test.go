package fasta

import (
	"fmt"
	"strings"
	"testing"
)

func TestLabelsOfHeaders(t *testing.T) {
	all := func(headers ...string) string {
		var b strings.Builder
		for _, h := range headers {
			fmt.Fprintf(&b, ">%s\nACGT\n", h)
		}
		return b.String()
	}
	for text, want := range map[string]string{
		all("a label=x n=1", "b label=y n=2", "c n=3 label=x",
			"d label=y n=4"): "label:categorical n:numeric sequence:text | id",
		all("a yes", "b no", "c yes", "d no"): "label:categorical sequence:text | id",
		all("a|yes", "b|no", "c|yes", "d|no"): "label:categorical sequence:text | id",
		// As it stands: one class, all different, some without, keys that differ, a key twice, a
		// key that is taken.
		all("a yes", "b yes"):                                 "id:text description:text sequence:text |",
		all("a one", "b two", "c three"):                      "id:text description:text sequence:text |",
		all("a yes", "b no", "c yes", "d"):                    "id:text description:text sequence:text |",
		all("a label=x", "b class=y", "c label=x"):            "id:text description:text sequence:text |",
		all("a label=x label=y", "b label=x label=z"):         "id:text description:text sequence:text |",
		all("a sequence=x", "b sequence=y"):                   "id:text description:text sequence:text |",
		all("|yes", "|no", "|yes", "|no"):                     "id:text sequence:text |",
		all("a|yes text", "b|no text", "c|yes more", "d|no."): "id:text description:text sequence:text |",
	} {
		records, err := Read(strings.NewReader(text), "t")
		if err != nil {
			t.Fatal(err)
		}
		d, got := Dataset(records, "t"), ""
		for _, c := range d.Columns {
			got += c.Name + ":" + c.Kind.String() + " "
		}
		got += "|"
		for _, s := range d.Skipped {
			got += " " + s.Column
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
