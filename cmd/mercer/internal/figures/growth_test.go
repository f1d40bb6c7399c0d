package main

import (
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A table of bench/run becomes two pictures. Processor time is shown where every row has it, and a
// method without memory has no line in that picture.
func TestGrowthIsDrawn(t *testing.T) {
	folder := t.TempDir()
	table := "method,rows,seconds,cpu_seconds,megabytes\nmercer,1000,0.1,0.2,3\nmercer,2000,0.4,0.8,12\nLIBSVM,1000,0.7,,\nLIBSVM,2000,2.8,,\n"
	if err := os.WriteFile(filepath.Join(folder, "growth-machines.csv"), []byte(table), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := growth(folder); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"growth-machines-time.png", "growth-machines-memory.png"} {
		f, err := os.Open(filepath.Join(folder, name))
		if err != nil {
			t.Error(err)
			continue
		}
		if _, err := png.Decode(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		f.Close()
	}
	rows := [][]string{}
	for line := range strings.Lines(table) {
		rows = append(rows, strings.Split(strings.TrimSpace(line), ","))
	}
	if full(rows, "cpu_seconds") || !full(rows, "seconds") || !full(rows[:3], "cpu_seconds") {
		t.Error("which columns are full?")
	}
	seconds, err := linesOf(rows, "seconds")
	if err != nil || len(seconds) != 2 || seconds[1].Name != "LIBSVM" ||
		!slices.Equal(seconds[1].X, []float64{1000, 2000}) || !slices.Equal(seconds[1].Y, []float64{0.7, 2.8}) {
		t.Errorf("seconds: %v, %v", seconds, err)
	}
	late := [][]string{rows[0], {"a", "1", "1", "1", ""}, {"b", "1", "1", "1", "5"}, {"a", "2", "1", "1", "7"}}
	if ordered, err := linesOf(late, "megabytes"); err != nil || len(ordered) != 2 || ordered[0].Name != "a" ||
		!slices.Equal(ordered[0].X, []float64{2}) {
		t.Errorf("%v, %v: a comes first in the table", ordered, err)
	}
	memory, err := linesOf(rows, "megabytes")
	if err != nil || len(memory) != 1 || !slices.Equal(memory[0].Y, []float64{3, 12}) {
		t.Errorf("memory: %v, %v", memory, err)
	}
}

// What cannot be drawn is said with its file and line.
func TestGrowthRefuses(t *testing.T) {
	for table, want := range map[string]string{
		"method,rows,seconds,cpu_seconds,megabytes\na,1000,x,1,1\n":   "",
		"method,rows,seconds,cpu_seconds,megabytes\na,1000,1,x,1\n":   "line 2",
		"method,rows,seconds,cpu_seconds,megabytes\na,many,1,1,1\n":   "line 2",
		"method,rows,seconds,cpu_seconds,megabytes\na,1000,1,-1,1\n":  "no logarithm",
		"method,rows,megabytes\na,1000,1\n":                           "columns",
		"method,rows,seconds,cpu_seconds,megabytes\na,1000,1,1,1,1\n": "fields",
	} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "growth-a.csv"), []byte(table), 0o644); err != nil {
			t.Fatal(err)
		}
		err := growth(folder)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "growth-a.csv")) {
			t.Errorf("%q: %v, want %q", table, err, want)
		}
	}
}
