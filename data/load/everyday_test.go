package load_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// The files are pyarrow's: bench/fixtures/reading.py. Words are values where there is a null, whole
// numbers keep their digits, decimals are the nearest float64, and the index of pandas is neither
// target nor feature.
func TestFormatsWithNull(t *testing.T) {
	for _, file := range []string{"../../internal/format/parquet/testdata/everyday.parquet",
		"../../internal/format/arrow/testdata/everyday.arrow"} {
		d, err := load.Read(context.Background(), file, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		column := func(name string) *data.Column {
			c, err := d.Column(name)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		if c := column("country"); strings.Join(c.Levels, " ") != "DE NA None" || c.Missing() != 10 {
			t.Errorf("%s: countries %v, %d missing", file, c.Levels, c.Missing())
		}
		if c := column("label"); strings.Join(c.Levels, " ") != "9007199254740992 9007199254740993" || d.Target != "label" {
			t.Errorf("%s: labels %v, target %q", file, c.Levels, d.Target)
		}
		if c := column("amount"); c.Numbers[0] != 123456789012345.67 || c.Numbers[3] != 123456789012348.67 {
			t.Errorf("%s: decimals %v", file, c.Numbers[:4])
		}
		if c := column("when"); c.Kind != data.Time || c.String(12) != "2021-01-13" {
			t.Errorf("%s: dates %v %s", file, c.Kind, c.String(12))
		}
		if _, err := d.Column("__index_level_0__"); err == nil || len(d.Skipped) != 1 {
			t.Errorf("%s: an index among the columns, %v", file, d.Skipped)
		}
		streamedAsWhole(t, file, d, 1)
	}
}

// streamedAsWhole reads a file in chunks with what a model of the whole knows of its columns: every
// cell is the same.
func streamedAsWhole(t *testing.T, file string, whole *data.Dataset, chunks int) {
	t.Helper()
	e, err := data.FitEncoder(whole, data.EncoderOptions{Missing: "mean"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := load.Open(context.Background(), file, load.Options{Readings: e.Readings()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	row, got := 0, 0
	for ; ; got++ {
		part, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range part.Len() {
			for j := range part.Columns {
				if got, want := part.Columns[j].String(i), whole.Columns[j].String(row); got != want {
					t.Fatalf("%s: row %d, column %q: %q in the stream, %q in the whole", file, row, whole.Columns[j].Name, got, want)
				}
			}
			row++
		}
	}
	if row != whole.Len() || got < chunks {
		t.Errorf("%s: %d of %d rows in %d chunks", file, row, whole.Len(), got)
	}
}

// A date means the same in every chunk, with what a model knows.
func TestChunksOfJSONLines(t *testing.T) {
	var b strings.Builder
	for i := range 20000 { // more than two chunks; a day over 12 in the last only
		fmt.Fprintf(&b, `{"when": "%02d/%02d/2021", "label": %d, "code": "%04d"}`+"\n", 1+i/1600, 1+i%12,
			9007199254740992+i%2, i%9)
	}
	path := filepath.Join(t.TempDir(), "a.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	whole, err := load.Read(context.Background(), path, load.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if c := &whole.Columns[0]; c.Kind != data.Time || c.String(1) != "2021-02-01" || len(whole.Columns[1].Levels) != 2 ||
		whole.Columns[2].String(1) != "0001" {
		t.Fatalf("%v %s, %v, %q", c.Kind, c.String(1), whole.Columns[1].Levels, whole.Columns[2].String(1))
	}
	streamedAsWhole(t, path, whole, 2)
}

// The order of day and month is told by a later group of rows, or record batch, than the first.
func TestDatesOfLaterGroups(t *testing.T) {
	for _, file := range []string{"../../internal/format/parquet/testdata/dates.parquet",
		"../../internal/format/arrow/testdata/dates.arrow"} {
		d, err := load.Read(context.Background(), file, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if c := &d.Columns[0]; c.Kind != data.Time || c.String(0) != "2021-01-01" || c.String(1) != "2021-01-02" ||
			c.String(11) != "2021-01-12" || c.String(24) != "2021-03-01" {
			t.Errorf("%s: %v %s %s", file, c.Kind, c.String(1), c.String(24))
		}
		streamedAsWhole(t, file, d, 3)
	}
}

// Excel's "Unicode text" is UTF-16; it says so by its first two bytes.
func TestUTF16(t *testing.T) {
	const text = "Größe\tname\r\n1,5\t😀 é\r\n2,5\t\"a\r\nb\"\r\n"
	encoded := func(order binary.AppendByteOrder, s string) string {
		b := order.AppendUint16(nil, 0xfeff)
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return string(b)
	}
	read := func(text string) (*data.Dataset, error) {
		return load.Read(context.Background(), "-", load.Options{Stdin: strings.NewReader(text)})
	}
	cells := func(d *data.Dataset) (out string) {
		for i := range d.Len() {
			for j := range d.Columns {
				out += "[" + d.Columns[j].String(i) + "]"
			}
		}
		return out
	}
	for name, order := range map[string]binary.AppendByteOrder{"little": binary.LittleEndian, "big": binary.BigEndian} {
		d, err := read(encoded(order, text))
		if err != nil || fmt.Sprint(d.Names()) != "[Größe name]" || cells(d) != "[1.5][😀 é][2.5][a\r\nb]" {
			t.Errorf("%s: %v %v", name, d, err)
		}
		s, err := load.Open(context.Background(), "-", load.Options{Stdin: strings.NewReader(encoded(order, text))})
		if err != nil {
			t.Fatal(err)
		}
		if d, err := s.Next(); err != nil || d.Len() != 2 {
			t.Errorf("%s, streamed: %v", name, err)
		}
		many := encoded(order, "a,b\n"+strings.Repeat("1,é😀\n", 20_000)) // units across the blocks that are decoded
		if d, err := read(many); err != nil || d.Len() != 20_000 || d.Columns[1].String(19_999) != "é😀" {
			t.Errorf("%s, many: %v", name, err)
		}
		for what, bad := range map[string]string{
			"half a unit":   encoded(order, text) + "x",
			"half a letter": encoded(order, "a\tb\n1\t") + string(order.AppendUint16(nil, 0xd83d)) + encoded(order, "\n")[2:],
		} {
			var fault *data.Error
			if _, err := read(bad); !errors.Is(err, data.ErrFormat) || !errors.As(err, &fault) || fault.Advice == "" {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}

func TestWhatIsNoText(t *testing.T) {
	for text, want := range map[string]error{
		// the decoder would make one letter of all that it does not know
		"{\"a\": \"caf\xe9\"}\n":                                           data.ErrFormat,
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and so on":                       data.ErrFormat,
		"PK\x03\x04mimetypeapplication/vnd.oasis.opendocument.spreadsheet": data.ErrFormat,
	} {
		for _, stream := range []bool{false, true} {
			o := load.Options{Stdin: strings.NewReader(text)}
			_, err := load.Read(context.Background(), "-", o)
			if stream {
				o.Stdin = strings.NewReader(text)
				s, openErr := load.Open(context.Background(), "-", o)
				if err = openErr; err == nil {
					_, err = s.Next()
				}
			}
			var fault *data.Error
			if !errors.Is(err, want) || !errors.As(err, &fault) || fault.Advice == "" {
				t.Errorf("%q, streamed %v: %v", text, stream, err)
			}
		}
	}
}

func TestIgnore(t *testing.T) {
	text := "id,a,y\nq,1,2\nw,3,4\n"
	d, err := load.Read(context.Background(), "-", load.Options{Stdin: strings.NewReader(text), Ignore: []string{"id"}})
	if err != nil || strings.Join(d.Names(), " ") != "a y" {
		t.Errorf("%v, %v", d, err)
	}
	if _, err := load.Read(context.Background(), "-", load.Options{Stdin: strings.NewReader(text),
		Ignore: []string{"ids"}}); !errors.Is(err, data.ErrNoColumn) {
		t.Error(err)
	}
	s, err := load.Open(context.Background(), "-", load.Options{Stdin: strings.NewReader(text), Ignore: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if d, err := s.Next(); err != nil || strings.Join(d.Names(), " ") != "id y" {
		t.Errorf("%v, %v", d, err)
	}
}

// A table whose rows are read in chunks, and other files by its layout, have the words that the
// whole file has: "NA" is a country where there is a null.
func TestChunksOfFormatsWithNull(t *testing.T) {
	for _, file := range []string{"../../internal/format/parquet/testdata/everyday.parquet",
		"../../internal/format/arrow/testdata/everyday.arrow"} {
		table, err := load.OpenTable(context.Background(), file, load.Options{}, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		table.Close()
		s, err := table.Layout().Open(context.Background(), file, load.Options{})
		if err != nil {
			t.Fatal(err)
		}
		other, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		for what, d := range map[string]*data.Dataset{"first rows": table.Head(), "by the layout": other} {
			c, err := d.Column("country")
			if err != nil {
				t.Fatal(err)
			}
			if strings.Join(c.Levels, " ") != "DE NA None" || c.Missing() != 10 {
				t.Errorf("%s: %s: countries %v, %d missing", file, what, c.Levels, c.Missing())
			}
		}
	}
}

// What is none of the formats is told by its name, and never read as text; an array of JSON objects
// is one of them.
func TestOtherFilesAreToldByName(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a.csv":   {"\n  <!DOCTYPE HTML>\n<p>a,b</p>\n", "this is a web page"},
		"b.csv":   {"<html lang=en>", "this is a web page"},
		"c.csv":   {"<?xml version=\"1.0\"?>\n<a/>", "this is XML"},
		"d":       {"%PDF-1.7\n", "this is a PDF document"},
		"e.db":    {"SQLite format 3\x00\x10", "this is an SQLite database"},
		"f.h5":    {"\x89HDF\r\n\x1a\n", "this is an HDF5 file"},
		"g.rda":   {"RDX3\nX\n\x00", "this is a file of R's save()"},
		"h.rds":   {"X\n\x00\x00\x00\x03", "this is a file of R's saveRDS()"},
		"i.pkl":   {"\x80\x04\x95\x1a", "this is a pickle of Python's"},
		"j.png":   {"\x89PNG\r\n\x1a\n", "this is a picture"},
		"k.csv":   {"\x10\x00\x00\x00\x00\x00\x00\x00{\"__metadata__\":{}}", "this is a model file"},
		"l.zip":   {zipOf(t, "train.csv"), "this is a zip archive"},
		"m.csv":   {"FEA1,FEA2\n1,2\n3,4\n", ""},
		"n.npz":   {zipOf(t, "x.npy"), "NPY"},
		"o.json":  {"[{\"x\": 1}, {\"x\": 2}]", ""},
		"p.json":  {"[\n  {\"x\": 1},\n  {\"x\": 2}\n]\n", ""},
		"q.jsonl": {"[ {\"x\": 1}\n]", ""},
		"r.csv":   {"[x],[y]\n1,2\n3,4\n", ""},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		d, err := load.Read(t.Context(), path, load.Options{NoTarget: true})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if c.want == "" && d != nil && (d.Len() == 0 || d.Columns[0].Kind != data.Numeric) {
			t.Errorf("%s: read as %+v", name, d)
		}
	}
}

func zipOf(t *testing.T, name string) string {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte("a,b\n1,2\n"))
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What R's write.table writes beside the columns is none of them.
func TestRowNamesOfR(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cars.txt")
	if err := os.WriteFile(path, []byte("\"mpg\" \"am\"\n\"Mazda RX4\" 21 \"yes\"\n\"Datsun\" 22.8 \"no\"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	d, err := load.Read(t.Context(), path, load.Options{})
	if err != nil || strings.Join(d.Names(), " ") != "mpg am" || d.Target != "am" || len(d.Skipped) != 1 ||
		d.Skipped[0].Column != "row.names" {
		t.Fatalf("%v: %+v", err, d)
	}
}
