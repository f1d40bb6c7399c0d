package cli

import (
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// A bomb is a file that stands for far more than the memory it is given: its parts, the middle many
// times.
type bomb struct {
	name             string
	head, body, tail string
	times            int
}

// write makes the file, compressed or in a workbook where its name says so.
func (b bomb) write(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var to io.Writer = f
	switch filepath.Ext(path) {
	case ".gz":
		z, _ := gzip.NewWriterLevel(f, gzip.BestSpeed)
		defer z.Close()
		to = z
	case ".xlsx":
		z := zip.NewWriter(f)
		defer z.Close()
		for _, part := range workbook {
			if to, err = z.Create(part.name); err != nil {
				t.Fatal(err)
			}
			io.WriteString(to, part.text)
		}
	}
	io.WriteString(to, b.head)
	for range b.times {
		io.WriteString(to, b.body)
	}
	if _, err := io.WriteString(to, b.tail); err != nil {
		t.Fatal(err)
	}
}

// workbook is the parts of a workbook of one sheet, which comes last.
var workbook = []struct{ name, text string }{
	{"xl/workbook.xml", `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Target="worksheets/sheet1.xml"/></Relationships>`},
	{"xl/worksheets/sheet1.xml", ""},
}

// bombs are files of all kinds that do not fit: very many ordinary rows, where what is collected is
// there beside what is held, and one endless line, name, key or cell.
func bombs() []bomb {
	texts := &strings.Builder{}
	for i := range 8000 {
		fmt.Fprintf(texts, "%d word,1\n", i)
	}
	mega := strings.Repeat("a", 1<<20)
	return []bomb{
		{"rows.csv.gz", "x,y\n", strings.Repeat("1,2\n", 1<<10), "", 6000},
		{"texts.csv.gz", "x,y\n", texts.String(), "", 300},
		{"rows.jsonl", "", strings.Repeat("{\"x\":1,\"y\":2}\n", 1<<10), "", 600},
		{"array.json", "[", strings.Repeat("{\"x\":1,\"y\":2},\n", 1<<10), "{}]", 600},
		{"empty.jsonl", "", strings.Repeat("{}\n", 1<<10), "", 12_000},
		{"rows.libsvm.gz", "", strings.Repeat("1 1:1 2:2 3:3\n", 1<<10), "", 1400},
		{"rows.fasta.gz", "", strings.Repeat(">a\nACGTACGTAC\n", 1<<10), "", 1400},
		{"rows.ts", "@problemName x\n@classLabel true a b\n@data\n", strings.Repeat("1,2,3:a\n", 1<<10), "", 1400},
		{"rows.xlsx", "<worksheet><sheetData>", strings.Repeat("<row><c><v>1</v></c><c><v>2</v></c></row>", 1<<10),
			"</sheetData></worksheet>", 2500},
		{"line.csv.gz", "", strings.Repeat("1,", 1<<19), "1\n", 200},
		{"field.csv.gz", "x,y\n1,\"", mega, "\"\n", 200},
		{"key.jsonl.gz", "{\"", mega, "\":1}\n", 200},
		{"value.jsonl.gz", "{\"x\":\"", mega, "\"}\n", 200},
		{"cell.xlsx", "<worksheet><sheetData><row><c t=\"inlineStr\"><is><t>", mega,
			"</t></is></c></row></sheetData></worksheet>", 200},
		{"name.fasta.gz", ">", mega, "\nACGT\n", 200},
		{"tree.klp.gz", "1 |BT| ", strings.Repeat("(a ", 1<<18), "|ET|\n", 200},
	}
}

// Reading keeps to its memory, whatever the file: the peak of the process, with its code and its
// buffers, is what it was allowed and no more than those beside it. Garbage counts: it is memory,
// too.
func TestReadingKeepsToItsMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("reads gigabytes in processes of their own")
	}
	if runtime.GOOS != "linux" {
		t.Skip("reads the peak of memory as Linux tells it")
	}
	if datatest.Race {
		t.Skip("under the race detector a process takes several times its memory")
	}
	const allowed = 64 << 20
	for _, b := range bombs() {
		t.Run(b.name, func(t *testing.T) {
			dir := t.TempDir()
			b.write(t, filepath.Join(dir, b.name))
			cmd := exec.Command("mercer", "data", b.name, "--memory", fmt.Sprint(allowed))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), peakFile+"="+filepath.Join(dir, "peak"))
			out, err := cmd.CombinedOutput()
			if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), "is allowed") {
				t.Errorf("%v: %s; want a refusal for want of memory", err, out)
			}
			peak := peakIn(t, filepath.Join(dir, "peak"))
			t.Logf("peak %d MB", peak>>20)
			if peak > allowed+programBytes+programBytes/2 { // a block for each core
				t.Errorf("peak memory %d MB where %d MB were allowed", peak>>20, allowed>>20)
			}
		})
	}
}
