package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
)

// growth draws the tables that bench/run leaves, growth-NAME.csv in the folder:
// growth-NAME-time.png and growth-NAME-memory.png beside each, or growth-NAME-speedup.png where the
// table has that.
func growth(folder string) error {
	files, err := filepath.Glob(filepath.Join(folder, "growth-*.csv"))
	if err != nil {
		return err
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return err
		}
		rows, err := csv.NewReader(f).ReadAll()
		if err := errors.Join(err, f.Close()); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		measures := []string{"time", "memory"}
		if len(rows) > 0 && slices.Contains(rows[0], "speedup") {
			measures = []string{"speedup"}
		}
		for _, measure := range measures {
			if err := drawGrowth(rows, measure, strings.TrimSuffix(file, ".csv")+"-"+measure+".png"); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
	}
	return nil
}

// drawGrowth draws a column against the second one, a line for each method. Time is that of the
// processor where every row has it, as others then disturb it least. Where nothing was measured
// there is no picture.
func drawGrowth(rows [][]string, measure, file string) error {
	column, label := "megabytes", "megabytes beside the data"
	switch measure {
	case "speedup":
		column, label = "speedup", "times the speed of one"
	case "time":
		if column, label = "cpu_seconds", "processor seconds"; !full(rows, column) {
			column, label = "seconds", "seconds"
		}
	}
	lines, err := linesOf(rows, column)
	if err != nil || len(lines) == 0 {
		return err
	}
	size := rows[0][1]
	fig, err := plot.LogLog(size, label, label+" against "+size, lines...)
	if err != nil {
		return err
	}
	return write(fig, file)
}

// full says that no cell of a column is empty.
func full(rows [][]string, column string) bool {
	at := slices.Index(rows[0], column)
	return at >= 0 && !slices.ContainsFunc(rows[1:], func(r []string) bool { return r[at] == "" })
}

// linesOf is the numbers of a column against the second one, by method, in the order of the table,
// so that a method looks the same in both pictures. Empty cells are left out, and methods that have
// no other.
func linesOf(rows [][]string, column string) ([]plot.Series, error) {
	up := slices.Index(rows[0], column)
	if up < 2 || rows[0][0] != "method" {
		return nil, fmt.Errorf("columns %v; want method, what grows, and %s among the others", rows[0], column)
	}
	var lines []plot.Series
	at := map[string]int{}
	for i, r := range rows[1:] {
		if _, ok := at[r[0]]; !ok {
			at[r[0]], lines = len(lines), append(lines, plot.Series{Name: r[0]})
		}
		if r[up] == "" {
			continue
		}
		x, errX := strconv.ParseFloat(r[1], 64)
		y, errY := strconv.ParseFloat(r[up], 64)
		if err := errors.Join(errX, errY); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		s := &lines[at[r[0]]]
		s.X, s.Y = append(s.X, x), append(s.Y, y)
	}
	return slices.DeleteFunc(lines, func(s plot.Series) bool { return len(s.X) == 0 }), nil
}

func write(f *plot.Figure, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(f.WritePNG(out), out.Close())
}
