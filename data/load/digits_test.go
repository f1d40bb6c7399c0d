package load_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

// Whole numbers beyond 2^53 that differ in every row are numbers to a learner, and keep their
// digits as keys and where they are written, from every format, whole and in chunks.
func TestWholeNumbersStayExact(t *testing.T) {
	ids := []string{"9007199254740993", "9007199254740992", "-9007199254740995", "12", "1234567890123456789",
		"9223372036854775807"}
	dir := t.TempDir()
	csv, lines, rows := "id,y\n", "",
		`<row><c t="inlineStr"><is><t>id</t></is></c><c t="inlineStr"><is><t>y</t></is></c></row>`
	npy := []byte("\x93NUMPY\x01\x00\x60\x00" + fmt.Sprintf("%-95s\n",
		fmt.Sprintf("{'descr': '<i8', 'fortran_order': False, 'shape': (%d, 2), }", len(ids))))
	fortran := []byte(strings.Replace(string(npy), "False", "True ", 1))
	var first, second []byte
	for i, id := range ids {
		csv += fmt.Sprintf("%s,%d\n", id, i)
		lines += fmt.Sprintf(`{"id": %s, "y": %d}`+"\n", id, i)
		rows += fmt.Sprintf(`<row><c><v>%s</v></c><c><v>%d</v></c></row>`, id, i)
		var x int64
		fmt.Sscan(id, &x)
		npy = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(npy, uint64(x)), uint64(i))
		first, second = binary.LittleEndian.AppendUint64(first, uint64(x)),
			binary.LittleEndian.AppendUint64(second, uint64(i))
	}
	files := map[string][]byte{"a.csv": []byte(csv), "a.jsonl": []byte(lines), "a.xlsx": sheetOf(t, rows), "a.npy": npy,
		"f.npy": append(append(fortran, first...), second...)}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		whole, err := load.Read(context.Background(), file, load.Options{NoTarget: true})
		if err != nil {
			t.Fatal(err)
		}
		s, err := load.Open(context.Background(), file, load.Options{NoTarget: true,
			Told: data.Kinds(map[string]data.Kind{whole.Columns[0].Name: data.Numeric})})
		if err != nil {
			t.Fatal(err)
		}
		part, err := s.Next()
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
		for what, d := range map[string]*data.Dataset{"whole": whole, "part": part,
			"turned": whole.Gather([]int{5, 4, 3, 2, 1, 0})} {
			c := &d.Columns[0]
			if c.Kind != data.Numeric {
				t.Errorf("%s, %s: a column of kind %s", name, what, c.Kind)
			}
			var b bytes.Buffer
			w := csvio.NewWriter(&b, ',')
			if err := w.Write(d); err != nil || w.Flush() != nil {
				t.Fatal(err)
			}
			for i, id := range ids {
				row := i
				if what == "turned" {
					row = len(ids) - 1 - i
				}
				if got := c.String(row); got != id {
					t.Errorf("%s, %s: row %d is %s, want %s", name, what, row, got, id)
				}
				if !strings.Contains(b.String(), "\n"+id+",") {
					t.Errorf("%s, %s: %s is not in what was written:\n%s", name, what, id, b.String())
				}
			}
		}
		if whole.Columns[0].Numbers[0] != 9007199254740992 {
			t.Errorf("%s: the number is %v", name, whole.Columns[0].Numbers[0])
		}
	}
}

// Rows are matched by keys that float64 would take for one.
func TestKeysBeyondFloats(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	rows := write("x.csv", "id,x\n9007199254740992,1\n9007199254740993,2\n9007199254740994,3\n")
	labels := write("y.csv", "id,y\n9007199254740993,b\n9007199254740994,c\n9007199254740992,a\n")
	d, err := load.Read(context.Background(), rows, load.Options{Labels: labels, Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := d.Column("y")
	if err != nil || c.String(0)+c.String(1)+c.String(2) != "abc" {
		t.Errorf("labels %v, %v", c, err)
	}
}
