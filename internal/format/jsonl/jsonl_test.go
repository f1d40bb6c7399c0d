package jsonl

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func TestRead(t *testing.T) {
	text := `{"x": 1.5, "ok": true, "c": "u", "s": [1, 2.5]}

{"c": "v", "x": null, "s": [3], "late": 4}
{"x": -2e3, "ok": false, "c": "u", "s": []}
`
	d, err := Read(strings.NewReader(text), "t.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(d.Names(), " "); got != "x ok c s late" {
		t.Errorf("columns %s", got)
	}
	for j, kind := range []data.Kind{data.Numeric, data.Boolean, data.Categorical, data.Sequence, data.Numeric} {
		if d.Columns[j].Kind != kind || d.Columns[j].Len() != 3 {
			t.Errorf("column %s is %v with %d rows", d.Columns[j].Name, d.Columns[j].Kind, d.Columns[j].Len())
		}
	}
	if x := d.Columns[0]; !x.IsMissing(1) || x.Numbers[2] != -2000 || x.Gap.Line != 3 {
		t.Errorf("x is %v, gap %v", x.Numbers, x.Gap)
	}
	if d.Columns[4].Missing() != 2 || d.Columns[3].Sequences[0][1] != 2.5 {
		t.Errorf("late %v, s %v", d.Columns[4].Numbers, d.Columns[3].Sequences)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "t: no rows",
		"{\"x\": 1}\n[1]\n":               "t:2:2: not an object",
		"{\"x\": 1}\n{\"x\": 1\n":         "t:2:",
		"{\"x\": [{\"y\": 1}]}\n":         `member "x" is neither`,
		"{\"x\": {\"y\": [{}]}}\n":        `member "x.y" is neither`,
		"{\"x\": {\"y\": 1}, \"x.y\": 2}": `member "x.y" stands twice`,
		"{\"x\": {\"y\": 1}":              "t:1:",
		"{\"x\": [1]}\n{\"x\": 1}\n":      `t:2: member "x" is not a list`,
		"{\"x\": 1, \"x\": 2}\n":          `member "x" stands twice`,
		"{\"x\": 1e999}\n":                "t:1:",
		"{\"x\": 1} {\"x\": 2}\n":         "more after the object",
		"{\"x\": 1}\n{\"x\": nonsense}\n": "t:2:",
	} {
		if _, err := Read(strings.NewReader(text), "t", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// An array of objects is read as its objects on a line each would be, however it is laid out, whole
// and in chunks.
func TestArray(t *testing.T) {
	lines := []string{`{"x": 1, "c": "u, ]\\\"[{", "s": [1, 2]}`, `{"x": -2.5, "c": "v\\\\", "s": [3, 4]}`,
		`{"c": "é", "x": 7, "s": []}`}
	want, err := Read(strings.NewReader(strings.Join(lines, "\n")), "t", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"on one line": "[" + strings.Join(lines, ",") + "]",
		"a line each": "[\n" + strings.Join(lines, ",\n") + "\n]\n",
		"spread": "\xef\xbb\xbf \r\n [\r\n" + strings.ReplaceAll(strings.Join(lines, "\n,\n"), `": `, "\":\r\n\t") +
			" \n ] \n\n",
	} {
		got, err := Read(strings.NewReader(text), "t", Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for j, c := range want.Columns {
			if !reflect.DeepEqual(got.Columns[j], c) {
				t.Errorf("%s: column %s is %+v, want %+v", name, c.Name, got.Columns[j], c)
			}
		}
		r := NewReader(strings.NewReader(text), "t", Options{Chunk: 2})
		for _, rows := range []int{2, 1} {
			if d, err := r.Next(); err != nil || d.Len() != rows {
				t.Errorf("%s, in chunks: %v, %v", name, d, err)
			}
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("%s, in chunks: %v at the end", name, err)
		}
	}
	for text, want := range map[string]string{
		"[]":                                "t: no rows",
		"[":                                 "t:1: the array has no end",
		"[{\"x\": 1},\n{\"x\": 2}":          "t:2: the array has no end",
		"[{\"x\": 1},\n\n 3]":               "t:3:3: not an object",
		"[{\"x\": 1},,{\"x\": 1}]":          "t:1: a comma with nothing before it",
		"[{\"x\": 1}]\n[{\"x\": 2}]":        "t:2: more after the array",
		"[\n {\"x\": 1}, {\"x\":\n  oops}]": "t:2:17: not JSON",
		"[{\"x\": 1}, {\"x\": 1}}, 5]":      "more after the object",
		"[{\"x\": 1}, {\"x\": [{}]}]":       `t:1:22: member "x" is neither`,
	} {
		if _, err := Read(strings.NewReader(text), "t", Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := Read(strings.NewReader("["+strings.Repeat(" ", 1<<20)+`{"x": "`+strings.Repeat("a", 1<<22)+`"}]`), "t",
		Options{Bytes: 1 << 20}); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("an element without room: %v", err)
	}
}

// Nothing in a member is a fault that nobody looks at.
func TestIgnored(t *testing.T) {
	d, err := Read(strings.NewReader("{\"x\": {\"y\": [1]}, \"z\": 2}\n{\"x\": 3, \"z\": 4}\n"), "t",
		Options{Infer: data.Inference{Ignore: []string{"x"}}})
	if err != nil || strings.Join(d.Names(), " ") != "x z" || d.Columns[1].Numbers[1] != 4 {
		t.Error(d, err)
	}
}

func TestStream(t *testing.T) {
	r := NewReader(strings.NewReader(strings.Repeat("{\"x\": 1, \"c\": \"u\"}\n", 100)), "t", Options{Chunk: 30})
	rows := 0
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += d.Len()
		if d.Columns[1].Kind != data.Text {
			t.Errorf("c is %v in a stream", d.Columns[1].Kind)
		}
	}
	if rows != 100 {
		t.Errorf("%d rows", rows)
	}
}

func FuzzRead(f *testing.F) {
	f.Add("{\"x\": 1, \"c\": \"u\", \"s\": [1,2]}\n{\"x\": null}\n")
	f.Add("[{\"x\": 1, \"c\": \"u\"},\n {\"x\": null}]\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := Read(strings.NewReader(text), "t", Options{})
		if err == nil {
			if err := d.Check(); err != nil && len(d.Columns) > 0 {
				t.Fatal(err)
			}
		}
	})
}

// Members of a member that is an object are columns named after both, in a whole file and in
// chunks, and it is said.
func TestNestedObjects(t *testing.T) {
	const text = `{"id": 1, "at": {"city": "Bern", "geo": {"lat": 46.9, "lon": 7.4}}, "tags": null}
{"id": 2, "at": {"city": "Rome", "geo": {"lat": 41.9}}}
{"at" : { } , "id":3}
`
	d, err := Read(strings.NewReader(text), "t", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(d.Names()); got != "[id at.city at.geo.lat at.geo.lon tags]" {
		t.Errorf("names %s", got)
	}
	lat, _ := d.Column("at.geo.lat")
	city, _ := d.Column("at.city")
	if lat.Numbers[1] != 41.9 || !lat.IsMissing(2) || city.String(0) != "Bern" || !city.IsMissing(2) ||
		d.Columns[0].Numbers[2] != 3 {
		t.Errorf("%v %v %v", lat.Numbers, city, d.Columns[0].Numbers)
	}
	if len(d.Notes) != 1 ||
		d.Notes[0].Text != `members that are objects have a column for each of their own, as "at.city"` {
		t.Errorf("notes %+v", d.Notes)
	}
	r := NewReader(strings.NewReader(text), "t", Options{Chunk: 1})
	for i, want := range []string{"Bern", "Rome", ""} {
		d, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		if c, err := d.Column("at.city"); err != nil || !c.IsMissing(0) && c.String(0) != want ||
			c.IsMissing(0) != (want == "") {
			t.Errorf("chunk %d: %v, %v", i, c, err)
		}
	}
	// One that is ignored is passed over whole.
	if d, err := Read(strings.NewReader(text), "t", Options{Infer: data.Inference{Ignore: []string{"at"}}}); err != nil ||
		fmt.Sprint(d.Names()) != "[id at tags]" {
		t.Errorf("%v, %v", d, err)
	}
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	if _, err := Read(strings.NewReader(deep), "t", Options{}); err == nil ||
		!strings.Contains(err.Error(), "lies deeper than 20 objects") {
		t.Errorf("%v", err)
	}
}
