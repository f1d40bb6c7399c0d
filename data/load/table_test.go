package load

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/npy"
)

// otherTime is when no file of these tests was written.
var otherTime = time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)

// textTable is a file of rows with everything that text can say of a column.
func textTable(rows int) string {
	var b strings.Builder
	b.WriteString("whole,half,word,day,y\n")
	for i := range rows {
		half := fmt.Sprint(float64(i%9)/2 + 0.1)
		if i%11 == 4 {
			half = ""
		}
		fmt.Fprintf(&b, "%d,%s,%s,2021-03-%02d,%g\n", i%300-100, half, []string{"red", "green", "blue"}[i*i%3], 1+i%28,
			math.Sqrt(float64(i)))
	}
	return b.String()
}

func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// rowsOf is all rows of a pass as text.
func rowsOf(t *testing.T, table *Table) []string {
	t.Helper()
	var out []string
	if err := table.Pass(t.Context(), func(d *data.Dataset) error {
		for i := range d.Len() {
			var cells []string
			for j := range d.Columns {
				cells = append(cells, d.Columns[j].Kind.String()+":"+d.Columns[j].String(i))
			}
			out = append(out, strings.Join(cells, ","))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTableOfText: passes give the rows as they are read whole, from the text first and then from
// the file of numbers, of which nothing is left.
func TestTableOfText(t *testing.T) {
	const rows = 70000 // more than decide what columns are
	path := written(t, "t.csv", textTable(rows))
	whole, err := Read(t.Context(), path, Options{Target: "y"})
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	table, err := OpenTable(t.Context(), path, Options{Target: "y"}, temp)
	if err != nil {
		t.Fatal(err)
	}
	for pass := range 3 {
		got := rowsOf(t, table)
		if len(got) != rows {
			t.Fatalf("pass %d: %d rows", pass, len(got))
		}
		for i := 0; i < rows; i += 997 {
			var cells []string
			for j := range whole.Columns {
				cells = append(cells, whole.Columns[j].Kind.String()+":"+whole.Columns[j].String(i))
			}
			if want := strings.Join(cells, ","); got[i] != want {
				t.Fatalf("pass %d, row %d: %s, want %s", pass, i, got[i], want)
			}
		}
		if pass == 0 {
			if table.Rows() != rows || table.blocks == nil || table.blocks.size > 28*rows {
				t.Errorf("%d rows in %d bytes", table.Rows(), table.blocks.size)
			}
			os.Remove(path) // what is read from now on is the file of numbers
		}
	}
	if err := table.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(temp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestTableOfNumbers: NPY is read where it is.
func TestTableOfNumbers(t *testing.T) {
	const rows = 200000
	values := make([]float64, 3*rows)
	for i := range values {
		values[i] = float64(float32(math.Sin(float64(i))))
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := npy.Write(f, &npy.Array{Shape: []int{rows, 3}, Values: values}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	table, err := OpenTable(t.Context(), path, Options{Target: "x3"}, "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for range 2 {
		at := 0
		if err := table.Pass(t.Context(), func(d *data.Dataset) error {
			if d.Target != "x3" {
				t.Fatalf("target %q", d.Target)
			}
			for i := range d.Len() {
				for j := range 3 {
					if d.Columns[j].Numbers[i] != values[3*at+j] {
						t.Fatalf("row %d, column %d", at, j)
					}
				}
				at++
			}
			return nil
		}); err != nil || at != rows {
			t.Fatalf("%d rows, %v", at, err)
		}
	}
	// Written to between passes, cut short with the old time, and gone.
	if err := os.Chtimes(path, otherTime, otherTime); err != nil {
		t.Fatal(err)
	}
	if err := table.Pass(t.Context(), func(*data.Dataset) error { return nil }); !errors.Is(err, data.ErrChanged) {
		t.Errorf("written to: %v", err)
	}
	os.Remove(path)
	if err := table.Pass(t.Context(), func(*data.Dataset) error { return nil }); err == nil {
		t.Error("gone: no error")
	}
}

// TestTableRefuses: a fault deep in the file names its line, and leaves nothing in the folder for
// files of numbers.
func TestTableRefuses(t *testing.T) {
	text := textTable(150000)
	for _, c := range []struct {
		name, text string
		is         error
		line       int
		act        func(*Table, context.CancelFunc) func(*data.Dataset) error
	}{
		{"a word among numbers", text + "1,2,red,2021-01-01,oops\n", data.ErrValue, 150002, nil},
		{"stopped", text, context.Canceled, 0, func(_ *Table, stop context.CancelFunc) func(*data.Dataset) error {
			return func(*data.Dataset) error { stop(); return nil }
		}},
		{"written to in the pass", text, data.ErrChanged, 0, func(t *Table, _ context.CancelFunc) func(*data.Dataset) error {
			return func(*data.Dataset) error { return os.Chtimes(t.path, otherTime, otherTime) }
		}},
	} {
		temp := t.TempDir()
		table, err := OpenTable(t.Context(), written(t, "t.csv", c.text), Options{Target: "y"}, temp)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		do := func(*data.Dataset) error { return nil }
		if c.act != nil {
			do = c.act(table, stop)
		}
		err = table.Pass(ctx, do)
		var fault *data.Error
		if !errors.Is(err, c.is) || errors.As(err, &fault) && fault.Line != c.line {
			t.Errorf("%s: %v (%+v)", c.name, err, fault)
		}
		table.Close()
		if left, _ := os.ReadDir(temp); len(left) > 0 {
			t.Errorf("%s: left behind: %v", c.name, left)
		}
	}
	// No place for the file of numbers, a full disk, standard input, no rows.
	table, err := OpenTable(t.Context(), written(t, "t.csv", text), Options{Target: "y"},
		filepath.Join(t.TempDir(), "nowhere"))
	if err != nil {
		t.Fatal(err)
	}
	if err := table.Pass(t.Context(), func(*data.Dataset) error { return nil }); !errors.Is(err, data.ErrDisk) {
		t.Errorf("no folder: %v", err)
	}
	if full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0); err == nil {
		b, w, err := newBlockFile(filepath.Join(t.TempDir(), "x"))
		if err != nil {
			t.Fatal(err)
		}
		w.out.Reset(full)
		d := &data.Dataset{Name: "d", Columns: []data.Column{data.NumberColumn("x", []float64{1, 2})}}
		err = w.add(d)
		if err == nil {
			err = w.finish()
		}
		if !errors.Is(err, data.ErrDisk) {
			t.Errorf("full disk: %v", err)
		}
		b.close()
		full.Close()
	}
	if _, err := OpenTable(t.Context(), "-", Options{}, ""); !errors.Is(err, data.ErrTooLarge) {
		t.Errorf("standard input: %v", err)
	}
	if _, err := OpenTable(t.Context(), written(t, "t.csv", "a,b\n"), Options{}, ""); err == nil {
		t.Error("no rows: no error")
	}
}

// TestBlockFileKeepsDigits: numbers of every size, and gaps among them, come back as they were, to
// the bit.
func TestBlockFileKeepsDigits(t *testing.T) {
	b, w, err := newBlockFile(filepath.Join(t.TempDir(), "x"))
	if err != nil {
		t.Fatal(err)
	}
	defer b.close()
	nan := math.NaN()
	lists := [][]float64{{1, -127, nan, 127}, {128, 1, nan, -128}, {40000, nan, 0, 1}, {1 << 31, -1 << 31, nan, 5},
		{0.5, 0.25, nan, 3}, {0.1, nan, 1e300, 0}, {math.Copysign(0, -1), 1, 2, 3}, {nan, nan, nan, nan}}
	for _, v := range lists {
		if err := w.add(&data.Dataset{Name: "d", Columns: []data.Column{data.NumberColumn("x", v)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	at := 0
	if err := b.pass(t.Context(), func(d *data.Dataset) error {
		for i, v := range d.Columns[0].Numbers {
			if want := lists[at][i]; math.IsNaN(want) != math.IsNaN(v) || !math.IsNaN(v) &&
				math.Float64bits(v) != math.Float64bits(want) {
				t.Errorf("block %d: %g, want %g", at, v, want)
			}
		}
		at++
		return nil
	}); err != nil || at != len(lists) {
		t.Errorf("%d blocks, %v", at, err)
	}
	// A bit that flips on the disk is found.
	if _, err := b.f.WriteAt([]byte{0xff}, 13); err != nil {
		t.Fatal(err)
	}
	if err := b.pass(t.Context(), func(*data.Dataset) error { return nil }); !errors.Is(err, data.ErrDamaged) {
		t.Errorf("a bit flipped: %v", err)
	}
}
