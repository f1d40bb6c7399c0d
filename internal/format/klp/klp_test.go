package klp

import (
	"fmt"
	"strings"
	"testing"
)

func ExampleRead() {
	d,
		err := Read(strings.NewReader("LOC |BT:parse| (S (NP Rome)) |ET| |BS:text| where is Rome |ES|\nNUM\t|BS:text| how "+
		"far |ES| |BV:bow| how:1 far:1 |EV|\n"), "qc.klp", 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range d.Columns {
		fmt.Printf("%s %s %q %q\n", c.Name, c.Kind, c.String(0), c.String(1))
	}
	fmt.Println(d.Skipped)
	// Output:
	// label categorical "LOC" "NUM"
	// parse tree "(S (NP Rome))" ""
	// text text "where is Rome" "how far"
	// [column "bow" is left out: vectors of KeLP files are not read]
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                       "t: no examples",
		"LOC (S a)\n":                            "t:1:1: an example without representations",
		"|BS:a| b |ES|\n":                        "t:1:1: an example without a label",
		"X |BQ:a| b |EQ|\n":                      "t:1:3: unknown bracket |BQ:a|",
		"X |BS:| b |ES|\n":                       "t:1:3: unknown bracket |BS:|",
		"X |BS:label| b |ES|\n":                  "t:1:3: unknown bracket |BS:label|",
		"X |BT:a| (S b) |ES|\n":                  "t:1:3: |BT:a| is not closed by |ET|",
		"\nX |BT:a| (S b |ET|\n":                 "t:2:10: \"a\" is no tree",
		"X |BS:a| b |ES| c\n":                    "t:1:17: 'c' outside a representation",
		"X |BS:a| b |ES||BS:a|c|ES|":             "t:1:22: \"a\" comes twice",
		"X |BS:a| b |ES|\nY |BT:a| (S b) |ET|\n": "t:2:10: \"a\" comes twice",
	} {
		if _, err := Read(strings.NewReader(text), "t", 0); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("LOC |BT:p| (S a) |ET| |BS:t| x |ES|\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "t", 1<<20)
		if err == nil && d.Check() != nil {
			t.Errorf("%q makes a data set that is not sound: %v", text, d.Check())
		}
	})
}
