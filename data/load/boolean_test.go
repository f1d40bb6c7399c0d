package load_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// truthFiles are the truth values of a file of pyarrow's, as every format writes them.
func truthFiles(t *testing.T, from string) (files []string, want []int32) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(from), "types.json"))
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]any{}
	if err := json.Unmarshal(text, &columns); err != nil {
		t.Fatal(err)
	}
	files = []string{from}
	dir := t.TempDir()
	write := func(name string, text []byte) {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, v := range columns["bool"] {
		k := int32(-1)
		if v != nil {
			k = int32(v.(float64))
		}
		want = append(want, k)
	}
	for name, words := range map[string][]string{"python.csv": {"False", "True", ""}, "r.csv": {"FALSE", "TRUE", "NA"},
		"small.csv": {"false", "true", "?"}, "words.csv": {"no", "Yes", ""}, "switch.csv": {"off", "on", ""}} {
		b := []byte("bool,other\n")
		for i, k := range want {
			b = fmt.Appendf(b, "%s,%d\n", words[(k+3)%3], i) // -1 is the third
		}
		write(name, b)
	}
	var lines []byte
	rows := `<row><c t="inlineStr"><is><t>bool</t></is></c><c t="inlineStr"><is><t>other</t></is></c></row>`
	for i, k := range want {
		lines = fmt.Appendf(lines, `{"bool": %s, "other": %d}`+"\n", []string{"false", "true", "null"}[(k+3)%3], i)
		cell := ""
		if k >= 0 {
			cell = fmt.Sprintf(`<c r="A%d" t="b"><v>%d</v></c>`, i+2, k)
		}
		rows += fmt.Sprintf(`<row>%s<c r="B%d"><v>%d</v></c></row>`, cell, i+2, i)
	}
	write("lines.jsonl", lines)
	write("book.xlsx", sheetOf(t, rows))
	return files, want
}

// sheetOf is a workbook with one sheet.
func sheetOf(t *testing.T, rows string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"xl/workbook.xml":            `<workbook><sheets><sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`,
		"xl/worksheets/sheet1.xml":   "<worksheet><sheetData>" + rows + "</sheetData></worksheet>",
	} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Truth values are one kind, whatever the file: an encoder of one format sees those of every other
// with the same eyes, also those that an older mercer fitted on categories of words, or on the
// numbers that Parquet, Arrow and JSON gave.
func TestTruthValuesOfEveryFormat(t *testing.T) {
	for _, from := range []string{"../../internal/format/parquet/testdata/types.parquet",
		"../../internal/format/arrow/testdata/types.arrow"} {
		files, want := truthFiles(t, from)
		sets := make([]*data.Dataset, len(files))
		for i, file := range files {
			d, err := load.Read(context.Background(), file, load.Options{NoTarget: true})
			if err != nil {
				t.Fatal(err)
			}
			c, err := d.Column("bool")
			if err != nil {
				t.Fatal(err)
			}
			if c.Kind != data.Boolean || !slices.Equal(c.Codes, want) {
				t.Errorf("%s: a column of kind %s with codes %v, want %v", file, c.Kind, c.Codes, want)
			}
			sets[i] = &data.Dataset{Name: d.Name, Columns: []data.Column{*c}}
		}
		older := data.LevelColumn("bool", []string{"False", "True"})
		numbers := data.NumberColumn("bool", []float64{0, 1})
		single := data.LevelColumn("bool", []string{"n", "y"})
		for _, c := range []data.Column{older, numbers, single} {
			sets = append(sets, &data.Dataset{Name: "older", Columns: []data.Column{c}})
		}
		for i, fitted := range sets {
			e, err := data.FitEncoder(fitted, data.EncoderOptions{Missing: "mean", Scaling: "none",
				Unseen: "error"})
			if err != nil {
				t.Fatal(err)
			}
			for j, other := range sets[:len(files)] {
				x, err := e.Transform(other)
				if err != nil {
					t.Errorf("fitted on %d, %s: %v", i, files[j], err)
					continue
				}
				for row, k := range want {
					if k >= 0 && x.Dense.At(row)[e.Dim-1] != float64(k) {
						t.Fatalf("fitted on %s (%d), %s: row %d is %v, want %d", fitted.Name, i, files[j], row, x.Dense.At(row), k)
					}
				}
				streamed(t, e, files[j], want)
			}
		}
	}
}

// streamed reads the file in chunks, as predict does.
func streamed(t *testing.T, e *data.Encoder, file string, want []int32) {
	t.Helper()
	s, err := load.Open(context.Background(), file, load.Options{Readings: e.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	d, err := s.Next()
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(d)
	if err != nil {
		t.Errorf("streamed %s: %v", file, err)
		return
	}
	for row, k := range want[:d.Len()] {
		if k >= 0 && x.Dense.At(row)[e.Dim-1] != float64(k) {
			t.Fatalf("streamed %s: row %d is %v, want %d", file, row, x.Dense.At(row), k)
		}
	}
}

// A value that is neither true nor false is what a category is that was not seen, and a fault where
// somebody says that the column is truth values.
func TestNeitherTrueNorFalse(t *testing.T) {
	read := func(text string, o load.Options) (*data.Dataset, error) {
		file := filepath.Join(t.TempDir(), "x.csv")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return load.Read(context.Background(), file, o)
	}
	d, err := read("b,y\nyes,1\nno,2\nyes,3\nno,4\n", load.Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	e, err := data.FitEncoder(d, data.EncoderOptions{Unseen: "zero"})
	if err != nil {
		t.Fatal(err)
	}
	next, err := read("b\nTRUE\nmaybe\n0\n", load.Options{Readings: e.Readings(), NoTarget: true})
	if err != nil {
		t.Fatal(err)
	}
	x, err := e.Transform(next)
	if err != nil || x.UnseenRows != 1 || x.Unseen[0].Value != "maybe" {
		t.Fatalf("%+v, %v", x, err)
	}
	if got := fmt.Sprint(x.Dense.At(0), x.Dense.At(1), x.Dense.At(2)); got != "[0 1] [0 0] [1 0]" {
		t.Errorf("features %s", got)
	}
	if got := fmt.Sprint(e.Names()); got != "[b=false b=true]" {
		t.Errorf("features are named %s", got)
	}
	told := map[string]data.Notation{"b": {Kind: data.Boolean}}
	if _, err := read("b,y\nyes,1\nmaybe,2\n", load.Options{Told: told}); err == nil ||
		!strings.Contains(err.Error(), `"maybe"`) {
		t.Errorf("told: %v", err)
	}
}

// A target of truth values keeps the words of its file for classes, and knows them in another.
func TestTruthValuesAreClasses(t *testing.T) {
	target := data.LevelColumn("ok", []string{"Yes", "No", "Yes"})
	truth, err := target.As(data.Boolean)
	if err != nil {
		t.Fatal(err)
	}
	x := data.NumberColumn("x", []float64{1, 2, 3})
	e, err := data.FitEncoder(&data.Dataset{Columns: []data.Column{x, truth}, Target: "ok"}, data.EncoderOptions{})
	if err != nil || fmt.Sprint(e.Target.Classes) != "[No Yes]" {
		t.Fatalf("%v, %v", e, err)
	}
	for _, same := range []data.Column{truth, target, data.BooleanColumn("ok", []bool{true, false, true}, nil),
		data.NumberColumn("ok", []float64{1, 0, 1})} {
		out, err := e.TransformLabelled(&data.Dataset{Columns: []data.Column{x, same}})
		if err != nil || fmt.Sprint(out.Target) != "[1 0 1]" {
			t.Errorf("%v: %v, %v", same.Kind, out, err)
		}
	}
}
