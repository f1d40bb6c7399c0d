package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
)

// largeGrowth draws the table that `bench/run growth --only centres` prints, kept as large-growth.csv in the folder: seconds and memory against rows, and against centres.
func largeGrowth(folder string) error {
	f, err := os.Open(filepath.Join(folder, "large-growth.csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	for _, p := range []struct {
		file, x, y string
		byCentres  bool
		across, up int // columns
	}{
		{"large-rows-time.png", "rows", "processor seconds", false, 1, 4},
		{"large-rows-memory.png", "rows", "megabytes beside the rows", false, 1, 5},
		{"large-centres-time.png", "centres", "processor seconds", true, 2, 4},
		{"large-centres-memory.png", "centres", "megabytes beside the rows", true, 2, 5},
	} {
		var lines []plot.Series
		at := map[string]int{}
		for _, r := range rows[1:] {
			if strings.Contains(r[0], "n=") != p.byCentres {
				continue
			}
			if _, ok := at[r[0]]; !ok {
				at[r[0]], lines = len(lines), append(lines, plot.Series{Name: r[0]})
			}
			x, err := strconv.ParseFloat(r[p.across], 64)
			if err != nil {
				return err
			}
			y, err := strconv.ParseFloat(r[p.up], 64)
			if err != nil {
				return err
			}
			s := &lines[at[r[0]]]
			s.X, s.Y = append(s.X, x), append(s.Y, y)
		}
		fig, err := plot.LogLog(p.x, p.y, fmt.Sprintf("%s of fits against %s", p.y, p.x), lines...)
		if err != nil {
			return err
		}
		if err := write(fig, filepath.Join(folder, p.file)); err != nil {
			return err
		}
	}
	return nil
}

func write(f *plot.Figure, file string) error {
	out, err := os.Create(file)
	if err != nil {
		return err
	}
	return errors.Join(f.WritePNG(out), out.Close())
}
