package csvio

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
)

func readString(t testing.TB, text string, o Options) (*data.Dataset, error) {
	t.Helper()
	return Read(func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }, "t.csv", o)
}

// cells formats a data set as rows of strings, kinds of columns first.
func cells(d *data.Dataset) string {
	var b strings.Builder
	for i := range d.Columns {
		fmt.Fprintf(&b, "%s:%s ", d.Columns[i].Name, d.Columns[i].Kind)
	}
	for i := range d.Len() {
		b.WriteByte('\n')
		for j := range d.Columns {
			fmt.Fprintf(&b, "[%s]", d.Columns[j].String(i))
		}
	}
	return b.String()
}

func TestRead(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a,b\n1,2\n3,4\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"no last line end", "a,b\n1,2\n3,4", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"BOM", "\xef\xbb\xbfa,b\n1,2\n", "a:numeric b:numeric \n[1][2]"},
		{"CRLF", "a,b\r\n1,2\r\n3,4\r\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"CRLF text last", "a,b\r\n1,x\r\n3,y\r\n", "a:numeric b:categorical \n[1][x]\n[3][y]"},
		{"no header", "1,2\n3,4\n", "x1:numeric x2:numeric \n[1][2]\n[3][4]"},
		{"quoted numbers", "a,b\n\"1\",\"2.5\"\n3,4\n", "a:numeric b:numeric \n[1][2.5]\n[3][4]"},
		{"quoted header", "\"a,b\",\"c\"\"d\"\n1,2\n", "a,b:numeric c\"d:numeric \n[1][2]"},
		{"line end in quotes", "a,b\n1,\"x\ny\"\n2,z\n", "a:numeric b:categorical \n[1][x\ny]\n[2][z]"},
		{"doubled quotes", "a,b\n1,\"say \"\"hi\"\"\"\n2,z\n", "a:numeric b:categorical \n[1][say \"hi\"]\n[2][z]"},
		{"stray quote inside", "a,b\n1,5\" pipe\n2,z\n", "a:numeric b:categorical \n[1][5\" pipe]\n[2][z]"},
		{"trailing delimiter", "a,b,\n1,2,\n3,4,\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"trailing delimiter in rows", "a,b\n1,2,\n3,4,\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"blank lines", "a,b\n\n1,2\n  \n3,4\n\n\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"semicolon, decimal comma", "a;b\n1,5;2\n-3,25;4\n", "a:numeric b:numeric \n[1.5][2]\n[-3.25][4]"},
		{"semicolon, decimal comma, no header", "1,5;2,25\n-3,25;4,5\n", "x1:numeric x2:numeric \n[1.5][2.25]\n[-3.25][4.5]"},
		{"tab", "a\tb\n1\t2\n", "a:numeric b:numeric \n[1][2]"},
		{"bar", "a|b\n1|2\n", "a:numeric b:numeric \n[1][2]"},
		{"blanks", " 1   2\n 3  4.5 \n", "x1:numeric x2:numeric \n[1][2]\n[3][4.5]"},
		{"blanks and header", "a b\n 1   2\n 3\t4.5 \r\n", "a:numeric b:numeric \n[1][2]\n[3][4.5]"},
		{"blanks around", "a, b\n 1 , 2 \n3, x\n", "a:numeric b:categorical \n[1][2]\n[3][x]"},
		{"one column", "a\n1\n2\n", "a:numeric \n[1]\n[2]"},
		{"large and small", "a\n1e308\n-1E-308\n5e-324\n", "a:numeric \n[1e+308]\n[-1e-308]\n[5e-324]"},
		{"missing", "a,b\n1,NA\n,2\nNaN,3\n", "a:numeric b:numeric \n[1][]\n[][2]\n[][3]"},
		{"missing category", "a,b\n1,x\n2,NA\n3,\n", "a:numeric b:categorical \n[1][x]\n[2][]\n[3][]"},
		{"number forms", "a\n+1\n.5\n2.\n1e3\n-0\n", "a:numeric \n[1]\n[0.5]\n[2]\n[1000]\n[-0]"},
		{"dates", "d,x\n2020-01-31,1\n2021-02-28,2\n", "d:time x:numeric \n[2020-01-31][1]\n[2021-02-28][2]"},
		{"day first", "d;x\n31/01/2020;1\n02/02/2021;2\n", "d:time x:numeric \n[2020-01-31][1]\n[2021-02-02][2]"},
		{"times", "d,x\n2020-01-31T12:30:00Z,1\n2021-02-28T00:00:01+01:00,2\n",
			"d:time x:numeric \n[2020-01-31T12:30:00Z][1]\n[2021-02-27T23:00:01Z][2]"},
		{"sequences", "y\ts\n1\t1,2,3.5\n2\t4,5\n", "y:numeric s:sequence \n[1][1,2,3.5]\n[2][4,5]"},
		{"unnamed first column", ",a\n1,2\n2,3\n", "x1:numeric a:numeric \n[1][2]\n[2][3]"},
		{"all missing", "a,b\n1,\n2,\n", "a:numeric b:numeric \n[1][]\n[2][]"},
		{"many digits", "a\n0.1000000000000000055511151231257827\n123456789012345678901234567890\n",
			"a:numeric \n[0.1]\n[123456789012345678901234567890]"},
	} {
		for _, block := range []int{0, 8, 31} { // small blocks cut records in every place
			d, err := readString(t, c.text, Options{Block: block})
			if err != nil {
				t.Errorf("%s (block %d): %v", c.name, block, err)
				continue
			}
			if got := cells(d); got != c.want {
				t.Errorf("%s (block %d):\n%s\nwant\n%s", c.name, block, got, c.want)
			}
		}
	}
}

func TestFaults(t *testing.T) {
	good := strings.Repeat("1,2\n", 3000)
	for _, c := range []struct {
		name, text, want, advice string
		kind                     error
		remedy                   data.Remedy
	}{
		{"empty", "", "t.csv: the file is empty", "iris", data.ErrNoRows, mend.None},
		{"blank", " \n\n", "t.csv: the file is empty", "iris", data.ErrNoRows, mend.None},
		{"only header", "a,b\n", "t.csv:1: only a header (a, b) and no rows", "HeaderNo", data.ErrNoRows, mend.Rows},
		{"too many", "a,b\n1,2\n1,2,3\n", "t.csv:3:1: 3 fields where there are 2 columns (a, b)", "set Delimiter",
			data.ErrSyntax, mend.Delimiter},
		{"too few", "a,b\n1,2\n\n1\n", "t.csv:4:1: 1 field where there are 2 columns (a, b)", "complete the row",
			data.ErrSyntax, mend.None},
		{"too few far down", "a,b\n" + good + "7\n", "t.csv:3002:1: 1 field", "complete the row", data.ErrSyntax,
			mend.None},
		{"a note below", "a,b,c\n1,2,3\n1,2,3\nSource: the office, 2024\n",
			"t.csv:4:1: 2 fields where there are 3 columns (a, b, c)", "a note below the table", data.ErrSyntax, mend.None},
		{"open quote", "a,b\n1,2\n3,\"x\n4,5\n", "t.csv:3:3: a quote that is never closed", "close it", data.ErrSyntax,
			mend.None},
		{"text after quote", "a,b\n1,2\n3,\"x\"y\n4,5\n", "t.csv:3:6: 'y' after a closing quote", "double", data.ErrSyntax,
			mend.None},
		{"infinite", "a,b\n1,2\n3,inf\n", `t.csv:3:3: column "b" is inf, which is not a finite number`, "to NA",
			data.ErrNotFinite, mend.NA},
		{"overflow", "a,b\n1,2\n3,1e400\n", `t.csv:3:3: column "b" is 1e400, which is not a finite number`, "to NA",
			data.ErrNotFinite, mend.NA},
		{"not a number", "a,b\n" + good + "1,abc\n" + good,
			`t.csv:3002:3: column "b" is "abc" where 6,000 other rows are numbers`, `Notation{Kind: Categorical}`, data.ErrValue,
			mend.Kind},
		{"UTF-16", "\xff\xfea\x00", "t.csv:1: this is UTF-16 text", "UTF-8", data.ErrFormat, mend.None},
		{"binary", "a,b\n1,\x002\n", "t.csv:2: a zero byte: this is not text", "set Format", data.ErrFormat,
			mend.Format},
		{"old Mac", "a,b\r1,2\r", "t.csv:1: lines end with a carriage return alone", "line feeds", data.ErrFormat,
			mend.None},
	} {
		_, err := readString(t, c.text, Options{})
		var fault *data.Error
		if !errors.As(err, &fault) || !errors.Is(err, c.kind) || fault.Remedy != c.remedy {
			t.Errorf("%s: error %v, want a data.Error, %q, remedy %q", c.name, err, c.kind, c.remedy)
			continue
		}
		if !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%s:\n%v\nwant\n%s … %s", c.name, err, c.want, c.advice)
		}
	}
}

// A column that begins as numbers and goes on as words is words.
func TestNumbersThenWords(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,code\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,%d\n", i, i%7)
	}
	for i := range 5000 {
		fmt.Fprintf(&b, "%d,w%d\n", i, i%7)
	}
	d, err := readString(t, b.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := d.Columns[1]
	if c.Kind != data.Categorical || len(c.Levels) != 14 || c.String(0) != "0" || c.String(9999) != "w1" {
		t.Errorf("%v with %d levels, %q, %q", c.Kind, len(c.Levels), c.String(0), c.String(9999))
	}
}

func TestOptions(t *testing.T) {
	d, err := readString(t, "a,b\n1,-99\n2,5\n-99,6\n", Options{NA: []string{"-99"}, Header: HeaderYes})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := d.Columns[0], d.Columns[1]; a.Missing() != 1 || b.Missing() != 1 || b.Gap.Line != 2 ||
		b.Gap.Value != "-99" {
		t.Errorf("marker -99: %v, %v, gap %+v", a.Numbers, b.Numbers, b.Gap)
	}
	d, err = readString(t, "zip,b\n01234,1\n98765,2\n",
		Options{Told: data.Kinds(map[string]data.Kind{"zip": data.Categorical})})
	if err != nil || d.Columns[0].String(0) != "01234" {
		t.Errorf("declared categories: %v, %v", d, err)
	}
	d, err = readString(t, "1,2\n3,4\n", Options{Header: HeaderYes})
	if err != nil || d.Columns[0].Name != "1" || d.Len() != 1 {
		t.Errorf("declared header: %v, %v", d, err)
	}
}

// The same rows come out whatever the threads and blocks.
func TestThreadsAndBlocks(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,name,note\n")
	for i := range 20000 {
		fmt.Fprintf(&b, "%d.5,n%d,\"text, %d\nline\"\n", i, i%11, i)
	}
	var first string
	for _, o := range []Options{{Threads: 1}, {Threads: 4, Block: 1000}, {Threads: 3, Block: 4096}} {
		d, err := readString(t, b.String(), o)
		if err != nil {
			t.Fatal(err)
		}
		got := cells(d)
		if first == "" {
			first = got
		} else if got != first {
			t.Errorf("options %+v give other cells", o)
		}
		if d.Columns[2].Kind != data.Text || d.Len() != 20000 {
			t.Errorf("column note is %v, %d rows", d.Columns[2].Kind, d.Len())
		}
	}
}

func TestStream(t *testing.T) {
	var b strings.Builder
	b.WriteString("x,name\n")
	for i := range 10000 {
		fmt.Fprintf(&b, "%d,n%d\n", i, i%3)
	}
	r, err := NewReader(strings.NewReader(b.String()), "t.csv",
		Options{Block: 4096, Told: data.Kinds(map[string]data.Kind{"name": data.Categorical})})
	if err != nil {
		t.Fatal(err)
	}
	rows, chunks := 0, 0
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if d.Columns[0].Numbers[0] != float64(rows) || d.Columns[1].Kind != data.Categorical {
			t.Fatalf("chunk %d starts with %v, want %d", chunks, d.Columns[0].Numbers[0], rows)
		}
		rows += d.Len()
		chunks++
	}
	if rows != 10000 || chunks < 10 {
		t.Errorf("%d rows in %d chunks", rows, chunks)
	}
	// Closing early stops the reader.
	r, _ = NewReader(strings.NewReader(b.String()), "t.csv", Options{Block: 64})
	r.Next()
	r.Close()
}

func TestWriteReadsBack(t *testing.T) {
	d := &data.Dataset{Columns: []data.Column{
		data.NumberColumn("x", []float64{0.1, math.NaN(), 1e-300, -5}),
		data.TextColumn("t, \"q\"", []string{"a \"b\" c", "line\nend", "plain", " x "}),
		data.LevelColumn("c", []string{"u", "v", "", "u"}),
	}}
	var b bytes.Buffer
	w := NewWriter(&b, 0)
	if err := w.Write(d); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	back, err := readString(t, b.String(), Options{Told: data.Kinds(map[string]data.Kind{"t, \"q\"": data.Text})})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(back), cells(d); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// FuzzRead: no input panics, and where encoding/csv agrees on the records, so
// do we on their number and text.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"a,b\n1,2\n", "a;b\n1,5;2\n", "\"a\n\",b\n\"1\"\"\",2\n", "x\n\n1\n", "a\tb\r\n1\t\"\n",
		"1 2\n3 4\n", "a,b,\n1,2,\n"} {
		f.Add(s, uint8(0))
		f.Add(s, uint8(9))
	}
	f.Fuzz(func(t *testing.T, text string, block uint8) {
		d, err := readString(t, text, Options{Block: int(block), Delimiter: ',', Decimal: '.', Header: HeaderNo})
		if err != nil {
			if !strings.Contains(err.Error(), "t.csv") {
				t.Fatalf("error does not name the file: %v", err)
			}
			return
		}
		whole, err := readString(t, text, Options{Delimiter: ',', Decimal: '.', Header: HeaderNo})
		if err != nil || cells(whole) != cells(d) {
			t.Fatalf("block %d changes the result: %v", block, err)
		}
		readString(t, text, Options{})
		if strings.ContainsAny(text, "\r \t\v\f") || strings.HasPrefix(text, "\xef\xbb\xbf") {
			return // we trim, and skip lines of blanks
		}
		if strings.HasPrefix(text, "##") || strings.Contains(text, "\n##") {
			return // a comment, whatever its fields
		}
		r := csv.NewReader(strings.NewReader(text))
		records, err := r.ReadAll()
		if err == nil && len(records) != d.Len() && len(d.Columns) > 1 {
			t.Fatalf("%d rows, encoding/csv has %d", d.Len(), len(records))
		}
	})
}
