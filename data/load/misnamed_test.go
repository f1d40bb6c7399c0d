package load

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// texts are the beginnings of files in the formats that are text.
var texts = map[Format]string{
	formatCSV: "length,width,class\n1,2,a\n3,4,b\n", formatTSV: "length\twidth\tclass\n1\t2\ta\n3\t4\tb\n",
	formatLIBSVM: "1 1:0.5 3:1\n-1 2:0.25\n", formatJSONL: "{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2, \"b\": \"y\"}\n",
	formatFASTA: ">one label=a\nACGT\n>two label=b\nTTGA\n",
	formatTS:    "@problemName p\n@classLabel true a b\n@data\n1,2,3:a\n2,3,4:b\n",
	formatKLP:   "a |BT:t| (S (A x)) |ET|\nb |BT:t| (S (B y)) |ET|\n",
}

// Every format by every name: a file is read as what it is, or it is said what its name says, what
// it looks like, and that the format can be named. What is named is not second-guessed.
func TestMisnamed(t *testing.T) {
	dir := t.TempDir()
	for ext, named := range byExtension {
		for is, text := range texts {
			path := filepath.Join(dir, "x"+ext)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			what := fmt.Sprintf("%s in a file %s", is, ext)
			d, err := Read(t.Context(), path, Options{})
			tables := named == formatCSV && is == formatTSV || named == formatTSV && is == formatTSV
			if named == is || tables {
				if err != nil || d.Len() != 2 {
					t.Errorf("%s: %v", what, err)
				}
				continue
			}
			var told *data.Error
			if !errors.As(err, &told) || !errors.Is(err, data.ErrFormat) || told.Remedy == "" {
				t.Errorf("%s: %v", what, err)
				continue
			}
			looks := formatWords[is]
			if is == formatTSV {
				looks = formatWords[formatCSV] // of any delimiter
			}
			for _, want := range []string{"its name says " + formatWords[named], "it begins as " + looks + " does"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v; want %q", what, err, want)
				}
			}
			if d, err = Read(t.Context(), path, Options{Format: is}); err != nil || d.Len() != 2 {
				t.Errorf("%s, and it is said so: %v", what, err)
			}
		}
	}
}

// A matrix is no table, and a table no matrix.
func TestMatrixIsNoTable(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, table, graph string }{
		"x.mtx": {texts[formatCSV], "its name says a matrix (Matrix Market), and it begins as delimited text (CSV) does",
			"its name says a matrix (Matrix Market), and it begins as delimited text (CSV) does"},
		"m.csv": {"%%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 1\n",
			"this is a matrix in the form of Matrix Market", ""},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(t.Context(), path, Options{}); err == nil || !strings.Contains(err.Error(), c.table) {
			t.Errorf("%s as a table: %v", name, err)
		}
		_, err := ReadGraph(t.Context(), path, GraphOptions{})
		if c.graph == "" && err != nil || c.graph != "" && (err == nil || !strings.Contains(err.Error(), c.graph)) {
			t.Errorf("%s as a graph: %v", name, err)
		}
	}
}

// Names and cells that begin as another format does are those of tables all the same.
func TestTablesThatLookOdd(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "@id,y\n1,2\n3,4\n", "b.csv": ">x,y\n1,2\n3,4\n", "c.tsv": "a\tb\n1,2\tx\n3,4\ty\n",
		"d.csv": "\"{\"\"edges\"\":[]}\",1\n\"{\"\"edges\"\":[]}\",2\n",
		"e.svm": "1\n-1 1:1\n", "f.svm": "1 1:0.5 # a, b\n2 1:1\n",
		"g.tsv": "x\n1\n2\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if d, err := Read(t.Context(), path, Options{}); err != nil || d.Len() != 2 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
