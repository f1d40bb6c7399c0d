package csvio

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
)

func TestEverydayFiles(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"separator said", "sep=;\na;b\n1;2,5\n", "a:numeric b:numeric \n[1][2.5]"},
		{"separator said, CRLF", "sep=,\r\na,b\r\n1,2\r\n", "a:numeric b:numeric \n[1][2]"},
		{"comments", "# one, 2021\n#two\na,b\n1,2\n# mid \"way\n3,4\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"header in a comment", "# made by hand\n# a, b\n1,2\n3,4\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"header in a comment, blanks", "# a b\n1 2\n3 4.5\n", "a:numeric b:numeric \n[1][2]\n[3][4.5]"},
		{"records with the sign of comments", "#x,1\ny,2\n", "x1:categorical x2:numeric \n[#x][1]\n[y][2]"},
		{"a column of that name", "#,name\n1,x\n2,y\n", "#:numeric name:categorical \n[1][x]\n[2][y]"},
		{"nothing but the sign", "#a\n#b\n", "#a:categorical \n[#b]"},
		{"a title", "Sales of 2024\nmade on Monday\n\na,b\n1,2\n3,4\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"a title, filled", "Sales of 2024,,\n,,\na,b,c\nx,1,2\ny,3,4\n",
			"a:categorical b:numeric c:numeric \n[x][1][2]\n[y][3][4]"},
		{"a title, semicolons", "Umsätze 2024, vorläufig\na;b\n1,5;2\n3;4\n", "a:numeric b:numeric \n[1.5][2]\n[3][4]"},
		{"a title with the delimiter", "Sales of all shops, 2024, by Monday, in francs\na,b\n1,2\n3,4\n",
			"a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"a title with the delimiter and a number", "Sales, 2024\n\na,b,c\nx,1,2\ny,3,4\n",
			"a:categorical b:numeric c:numeric \n[x][1][2]\n[y][3][4]"},
		{"names of R above words", "a\tb\nr1\tu\tv\nr2\tw\t4\n",
			"row.names:categorical a:categorical b:categorical \n[r1][u][v]\n[r2][w][4]"},
		{"a title after sep=", "sep=;\nUmsatz;\na;b\n1;2\n3;4\n", "a:numeric b:numeric \n[1][2]\n[3][4]"},
		{"R's table", "\"a\" \"g\"\n\"1\" 1.5 \"x y\"\n\"2\" NA \"z\"\n",
			"row.names:numeric a:numeric g:categorical \n[1][1.5][x y]\n[2][][z]"},
		{"R's table, names, tabs", "a\tg\nu v\t1\tx\nw\t2\ty\n",
			"row.names:categorical a:numeric g:categorical \n[u v][1][x]\n[w][2][y]"},
		{"R's table, numbers alone", "a b\n1 5 6\n2 7 8.5\n",
			"row.names:numeric a:numeric b:numeric \n[1][5][6]\n[2][7][8.5]"},
		{"blanks, words among numbers", "name   age\nann    12\nbob     3\n",
			"name:categorical age:numeric \n[ann][12]\n[bob][3]"},
		{"sentences of one length", "what was said\nyes of course\nno thank you\n",
			"what was said:categorical \n[yes of course]\n[no thank you]"},
		{"numbered names in one column", "name\nitem 1\nitem 2\n", "name:categorical \n[item 1]\n[item 2]"},
		{"an index without a name", ",x\n0,1.5\n1,2.5\n", "x1:numeric x:numeric \n[0][1.5]\n[1][2.5]"},
		{"one name for three columns", "x,,\na,1,2\nb,3,4\n", "x:categorical x2:numeric x3:numeric \n[a][1][2]\n[b][3][4]"},
		{"texts with commas in one column", "said\nyes\n\"no, thanks\"\nno\n",
			"said:categorical \n[yes]\n[no, thanks]\n[no]"},
		{"two marks", "a;b\n1.453;0,83\n1.200;1,5\n", "a:numeric b:numeric \n[1453][0.83]\n[1200][1.5]"},
		{"marks by column", "a;b\n1.45;0,83\n1.2;1,5\n", "a:numeric b:numeric \n[1.45][0.83]\n[1.2][1.5]"},
		{"decimal comma in quotes", "a,b\n\"0,83\",x\n\"1,5\",y\n", "a:numeric b:categorical \n[0.83][x]\n[1.5][y]"},
		{"money", "a,b\n\"$1,234\",45%\n$5,3%\n", "a:numeric b:numeric \n[1234][45]\n[5][3]"},
		{"codes", "a,b\n01234,1\n1234,2\n", "a:categorical b:numeric \n[01234][1]\n[1234][2]"},
		{"months", "a,b\n01,1\n12,2\n", "a:numeric b:numeric \n[01][1]\n[12][2]"},
		{"underscores", "a,b\n1_000,1\n2_000,2\n", "a:categorical b:numeric \n[1_000][1]\n[2_000][2]"},
		{"Latin-1", "a,n\xe9\ncaf\xe9,1\ncaf\xe8,2\n\x80,3\n", "a:categorical né:numeric \n[café][1]\n[cafè][2]\n[€][3]"},
		{"euros in Latin-1", "a;b\n5,5 \x80;1\n1.000,25 \x80;2\n", "a:numeric b:numeric \n[5.5][1]\n[1000.25][2]"},
	} {
		for _, block := range []int{0, 8, 31} {
			d, err := readString(t, c.text, Options{Block: block})
			if err != nil {
				t.Errorf("%s (block %d): %v", c.name, block, err)
			} else if got := cells(d); got != c.want {
				t.Errorf("%s (block %d):\n%s\nwant\n%s", c.name, block, got, c.want)
			}
		}
	}
}

// Lines above the table are left out, and that is said; a line below the names that is no row is
// called that.
func TestLinesThatAreNoRows(t *testing.T) {
	d, err := readString(t, "Sales of 2024\nmade on Monday\n\na,b\n1,2\n3,4\n", Options{})
	if err != nil || len(d.Notes) != 1 ||
		d.Notes[0].Text != `the first 2 lines ("Sales of 2024", …) stand above the table and are left out` {
		t.Errorf("%v %q", err, d.Notes)
	}
	// Another mark in the values makes no title of the names.
	d, err = readString(t, "id,tags\n1,a;b\n2,3;4\n3,5;6\n", Options{})
	if err != nil || fmt.Sprint(d.Names(), d.Notes) != "[id tags] []" {
		t.Errorf("%v %v %q", err, d.Names(), d.Notes)
	}
	rows := strings.Repeat("1,2,u\n", 30)
	for text, want := range map[string]string{
		"a,b,c\n1,2,v\ns,kPa,x\n" + rows:      `t.csv:3:1: column "a" is "s"`,
		"a,b,c\ns,3,x\n" + rows:               `t.csv:2:1: column "a" is "s"`,
		"Title\na,b,c\n1,2,v\n1,x,u\n" + rows: `t.csv:4:3: column "b" is "x"`,
	} {
		if _, err := readString(t, text, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text[:20], err, want)
		}
	}
}

// What the first rows suggest is not the last word: the rows that the dialect is judged by are
// 2,000.
func TestTheWholeColumnDecides(t *testing.T) {
	many := func(value, last string) string { return "a,b\n" + strings.Repeat(value+",1\n", 3000) + last + ",1\n" }
	for _, c := range []struct{ first, last, want, at string }{
		{"12", "00012", "text", "00012"},                                            // codes, of which the first have no zero
		{"9007199254740994", "9007199254740993", "categorical", "9007199254740993"}, // more digits than a number keeps
		{"1234", `"1,234"`, "numeric", "1234"},
		{"$5", "$7.5", "numeric", "7.5"},
		{`"1,234"`, `"1,5"`, "numeric", "1.5"}, // thousands, until one shows that they are none
	} {
		d, err := readString(t, many(c.first, c.last), Options{})
		if err != nil {
			t.Errorf("%s, then %s: %v", c.first, c.last, err)
			continue
		}
		got := &d.Columns[0]
		if kind := got.Kind.String(); kind != c.want && !(c.want == "text" && kind == "categorical") ||
			got.String(3000) != c.at {
			t.Errorf("%s, then %s: %s, %q", c.first, c.last, kind, got.String(3000))
		}
	}
	var fault *data.Error
	if _, err := readString(t, many("1.25", `"1,5"`), Options{}); !errors.As(err, &fault) || fault.Line != 3002 ||
		fault.Remedy != mend.Numbers {
		t.Errorf("a number with another mark among many: %v", err)
	}
}

// Rows mean the same in a stream of small blocks as in the whole file, by what is told of them.
func TestStreamsReadByNotation(t *testing.T) {
	var b strings.Builder
	b.WriteString("when;x;label\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%02d/%02d/2021;%d.%03d,5;%05d\n", 1+i/120, 1+i%12, 1+i%9, i%1000, i%7)
	}
	whole, err := readString(t, b.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	whole.Target = "label"
	e, err := data.FitEncoder(whole, data.EncoderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, threads := range []int{1, 4} {
		r, err := NewReader(strings.NewReader(b.String()), "t.csv", Options{Block: 500, Threads: threads, Told: e.Readings()})
		if err != nil {
			t.Fatal(err)
		}
		row := 0
		for {
			d, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			for i := range d.Len() {
				for j := range d.Columns {
					if got, want := d.Columns[j].String(i), whole.Columns[j].String(row); got != want {
						t.Fatalf("row %d: %q, in the whole %q", row, got, want)
					}
				}
				row++
			}
		}
		if row != 3000 {
			t.Errorf("%d rows", row)
		}
	}
}

func TestEncodings(t *testing.T) {
	d, err := readString(t, "a,b\nx,caf\xe9\ny,z\n", Options{})
	if err != nil || len(d.Notes) != 1 || d.Notes[0].Remedy != mend.Encoding ||
		!strings.Contains(d.Notes[0].Text, "1 field is not UTF-8") {
		t.Errorf("%v, %v", d, err)
	}
	if d, err := readString(t, "a,b\nx,caf\xc3\xa9\ny,z\n", Options{Encoding: Windows1252}); err != nil ||
		d.Columns[1].String(0) != "cafÃ©" || d.Notes != nil {
		t.Errorf("%v, %v", d, err)
	}
	var fault *data.Error
	for _, text := range []string{"a,b\nx,z\ny,caf\xe9\n", "a,\xe9\nx,z\n"} {
		if _, err := readString(t, text, Options{Encoding: UTF8}); !errors.As(err, &fault) ||
			fault.Remedy != mend.Encoding || fault.Line != 1+strings.Count(text[:strings.Index(text, "\xe9")], "\n") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
