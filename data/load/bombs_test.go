package load

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/datatest"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// bomb is a file that stands for very much: a start, a piece that comes again and again up to so
// many bytes, and an end. Those of a workbook are in the part.
type bomb struct{ file, part, start, piece, end string }

// bombs are what one line, one field, one name, one key, one cell and one tag can be in each
// format, and very many of them.
var bombs = []bomb{
	{"fields.csv.gz", "", "", "1,", ""},
	{"fields-ended.csv.gz", "", "", "1,", "1\n"},
	{"fields-empty.csv.gz", "", "", ",", "\n"},
	{"fields-of-a-row.csv.gz", "", "a,b\n1,2\n3,4\n", "1,", "1\n"},
	{"names.csv.gz", "", "", "nx,", "y\n"},
	{"blanks.csv.gz", "", "", "1 ", "\n1 2\n"},
	{"field.csv.gz", "", "a,b\n1,", "x", "\n"},
	{"quoted.csv.gz", "", "a,b\n1,\"", "x", "\"\n"},
	{"open-quote.csv.gz", "", "a,b\n1,\"", "x\n", ""},
	{"name.csv.gz", "", "", "x", ",b\n1,2\n"},
	{"remark.csv.gz", "", "a,b\n#", "x,", "\n1,2\n"},
	{"fields.tsv.gz", "", "", "1\t", ""},
	{"plain.csv", "", "", "1,", ""},
	{"key.jsonl.gz", "", `{"`, "x", `": 1}` + "\n"},
	{"text.jsonl.gz", "", `{"a": "`, "x", `"}` + "\n"},
	{"list.jsonl.gz", "", `{"a": [1`, ",1", `]}` + "\n"},
	{"lists.jsonl.gz", "", `{"a": [[1]`, ",[1]", `]}` + "\n"},
	{"deep.jsonl.gz", "", `{"a": `, "[", ""},
	{"array.jsonl.gz", "", `[{"a": "`, "x", `"}]`},
	{"array-of-lists.json.gz", "", `[{"a": [1`, ",1", `]}]`},
	{"plain.jsonl", "", `{"`, "x", `": 1}` + "\n"},
	{"features.libsvm.gz", "", "1 1:1", " ", " 2:1\n"},
	{"number.libsvm.gz", "", "1 1:", "0", "1\n"},
	{"sequence.fasta.gz", "", ">a\n", "ACGT", "\n"},
	{"header.fasta.gz", "", ">", "a", "\nACGT\n"},
	{"series.ts.gz", "", "@data\n", "1,", "1\n"},
	{"string.klp.gz", "", "1 |BS:a| ", "x", " |ES|\n"},
	{"cell.xlsx", "sheet", `<row><c t="inlineStr"><is><t>`, "x", `</t></is></c></row>`},
	{"value.xlsx", "sheet", `<row><c><v>1`, "0", `</v></c></row>`},
	{"pieces.xlsx", "sheet", `<row><c><v>1`, "<!-- -->0", `</v></c></row>`},
	{"attribute.xlsx", "sheet", `<row><c r="`, "A", `"><v>1</v></c></row>`},
	{"attributes.xlsx", "sheet", `<row><c `, `a="" `, `><v>1</v></c></row>`},
	{"attributes-close.xlsx", "sheet", `<row><c `, `a=""`, `><v>1</v></c></row>`},
	{"namespaces-open.xlsx", "sheet", ``, `<row xmlns:a="` + strings.Repeat("x", 2000000) + `">`, ``},
	{"names-open.xlsx", "sheet", ``, "<" + strings.Repeat("x", 2000000) + ">", ``},
	{"element.xlsx", "sheet", `<row><`, "c", `></row>`},
	{"remark.xlsx", "sheet", `<row><!--`, "< x >", `--></row>`},
	{"deep.xlsx", "sheet", ``, "<row>", ``},
	{"cells.xlsx", "sheet", `<row>`, "</row><row><c><v>1</v></c>", `</row>`},
	{"shared.xlsx", "strings", `<si><t>`, "x", `</t></si>`},
	{"shared-many.xlsx", "strings", ``, "<si><t>x</t></si>", ``},
	{"sheets.xlsx", "book", ``, `<sheet name="a" id="b"/>`, ``},
	{"styles.xlsx", "styles", `<cellXfs>`, `<xf/>`, `</cellXfs>`},
	{"targets.xlsx", "rels", ``, `<Relationship Id="b"/>`, ``},
}

// write makes the file of so many bytes.
func (b bomb) write(t *testing.T, path string, size int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	var w io.Writer = f
	finish := f.Close
	switch filepath.Ext(path) {
	case ".gz":
		z, err := gzip.NewWriterLevel(f, gzip.BestSpeed)
		if err != nil {
			t.Fatal(err)
		}
		w, finish = z, func() error { return errors.Join(z.Close(), f.Close()) }
	case ".xlsx":
		z := zip.NewWriter(f)
		parts := map[string][3]string{
			"book": {"xl/workbook.xml", "<workbook><sheets>", `<sheet name="s" sheetId="1" r:id="r1"/></sheets></workbook>`},
			"rels": {"xl/_rels/workbook.xml.rels", "<Relationships>",
				`<Relationship Id="r1" Target="worksheets/sheet1.xml"/></Relationships>`},
			"styles":  {"xl/styles.xml", "<styleSheet>", "</styleSheet>"},
			"strings": {"xl/sharedStrings.xml", "<sst>", "</sst>"},
			"sheet":   {"xl/worksheets/sheet1.xml", "<worksheet><sheetData>", "</sheetData></worksheet>"}}
		for name, p := range parts {
			if name != b.part {
				to, err := z.Create(p[0])
				if err == nil {
					_, err = io.WriteString(to, p[1]+p[2])
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		p := parts[b.part]
		b.start, b.end = p[1]+b.start, b.end+p[2]
		if w, err = z.Create(p[0]); err != nil {
			t.Fatal(err)
		}
		finish = func() error { return errors.Join(z.Close(), f.Close()) }
	}
	many := strings.Repeat(b.piece, max(1, 1<<16/len(b.piece)))
	_, err = io.WriteString(w, b.start)
	for n := 0; n < size && err == nil; n += len(many) {
		_, err = io.WriteString(w, many)
	}
	if err == nil {
		_, err = io.WriteString(w, b.end)
	}
	if err = errors.Join(err, finish()); err != nil {
		t.Fatal(err)
	}
}

// The process that reads: it is told what, and in how many bytes.
const bombFile, bombBytes, bombWay = "MERCER_BOMB", "MERCER_BOMB_BYTES", "MERCER_BOMB_WAY"

// TestBombChild reads one file where TestBombs asks it to.
func TestBombChild(t *testing.T) {
	path := os.Getenv(bombFile)
	if path == "" {
		t.Skip("it is a part of TestBombs")
	}
	bytes, _ := strconv.ParseInt(os.Getenv(bombBytes), 10, 64)
	o := Options{Bytes: bytes, NoTarget: true}
	var err error
	if os.Getenv(bombWay) == "stream" {
		err = drain(path, o)
	} else {
		_, err = Read(context.Background(), path, o)
	}
	var e *data.Error
	if err == nil || !errors.As(err, &e) {
		fmt.Printf("BOMB: %v\n", err)
	}
}

// defusal is how bombs are read: in how much memory, and how much they stand for.
type defusal struct {
	self, dir     string
	allowed, size int
	ways          []string
}

func newDefusal(t *testing.T) defusal {
	if runtime.GOOS != "linux" {
		t.Skip("the peak of a process is measured on Linux")
	}
	if datatest.Race {
		t.Skip("under the race detector a process takes several times its memory")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	allowed := datatest.Size(32<<20, 4<<20)
	return defusal{self: self, dir: t.TempDir(), allowed: allowed, size: 12 * allowed,
		ways: []string{"read", "stream"}[:datatest.Size(2, 1)]}
}

// read has a process read a file, and its peak measured by the system; the file is removed.
func (d defusal) read(t *testing.T, path string) {
	t.Helper()
	most := 3*int64(d.allowed) + 56<<20 // garbage is there until it is collected, and the test itself takes some
	for _, way := range d.ways {
		c := exec.Command(d.self, "-test.run=^TestBombChild$", "-test.v")
		c.Env = append(os.Environ(), bombFile+"="+path, bombBytes+"="+strconv.Itoa(d.allowed), bombWay+"="+way)
		out, err := c.CombinedOutput()
		name := filepath.Base(path)
		if err != nil || strings.Contains(string(out), "BOMB: ") {
			t.Errorf("%s, %s: %v\n%s", name, way, err, clip(string(out)))
		}
		if peak := peakOf(c); peak > most {
			t.Errorf("%s, %s: a peak of %s, where %s are allowed", name, way, phrase.Bytes(peak),
				phrase.Bytes(int64(d.allowed)))
		} else {
			t.Logf("%s, %s: %s", name, way, phrase.Bytes(peak))
		}
	}
	os.Remove(path)
}

// A file that says very much takes no more than the memory that it is allowed, whatever it says.
func TestBombs(t *testing.T) {
	d := newDefusal(t)
	for i, b := range bombs {
		if i%datatest.Size(1, 4) > 0 { // of every format some
			continue
		}
		path := filepath.Join(d.dir, b.file)
		b.write(t, path, d.size)
		d.read(t, path)
	}
}

func clip(s string) string { return s[:min(len(s), 600)] }
