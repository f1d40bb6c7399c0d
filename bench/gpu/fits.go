package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"gonum.org/v1/gonum/mat"
)

var tables = flag.String("data", filepath.Join("..", "..", "shared", "data"), "folder of the tables of the row fits")

// fitSteps is the most steps of a search; evidence_fits.py has the same.
const fitSteps = 40

// fits are whole fits of Gaussian processes to real tables: a length-scale for each column, a
// factor and the noise by maximum evidence, by L-BFGS from several places, the first of which is
// the same for evidence_fits.py. Columns and target are in units of their deviation, from their
// mean; words are left out.
func fits() {
	for _, c := range []struct {
		name   string
		starts int
	}{{"concrete", 10}, {"airfoil", 10}, {"abalone", 10}, {"cpusmall", 3}, {"powerplant", 3}} {
		x, y, err := table(filepath.Join(*tables, c.name+".csv"))
		if err != nil {
			fmt.Println("SKIPPED", err)
			continue
		}
		n, d := x.Len(), x.RawMatrix().Cols
		lengths := slices.Repeat([]float64{math.Sqrt(float64(d))}, d)
		once := func(dev *gram.Device) (string, float64) {
			start := time.Now()
			m, err := gp.Regression[kernel.Vec]{Kernel: kernel.Scale[kernel.Vec](1,
				kernel.ARD{Kernel: kernel.Gaussian{Lengthscale: 1}, Lengthscales: lengths}), Noise: 0.1,
				HyperOptions: gp.HyperOptions{Restarts: c.starts - 1, Seed: 1, MaxIterations: fitSteps},
				Resources:    learn.Resources{Device: dev, Bytes: 100 << 30, TrustKernel: true}}.Fit(ctx, x, y)
			must(err)
			return fmt.Sprintf("evidence %.4f, noise %.4g, %d steps", m.LogMarginal(), m.Noise(), m.Report().Iterations),
				time.Since(start).Seconds()
		}
		said, seconds := once(device)
		fmt.Printf("%-34s n = %-8d d = %-3d %2d starts %10.3f s  (%s)\n", "gp fit, "+c.name, n, d, c.starts, seconds, said)
	}
}

// table reads a file of numbers, the target in its last column.
func table(path string) (data.DenseRows, []float64, error) {
	var none data.DenseRows
	file, err := os.Open(path)
	if err != nil {
		return none, nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return none, nil, err
	}
	lines = lines[1:]
	var columns [][]float64
	for j := range lines[0] {
		column := make([]float64, len(lines))
		for i, line := range lines {
			if column[i], err = strconv.ParseFloat(line[j], 64); err != nil {
				column = nil // words
				break
			}
		}
		if column != nil {
			columns = append(columns, standard(column))
		}
	}
	d := len(columns) - 1
	x := mat.NewDense(len(lines), d, nil)
	for j := range d {
		x.SetCol(j, columns[j])
	}
	return data.Rows(x), columns[d], nil
}

// standard is a column from its mean, in units of its deviation.
func standard(v []float64) []float64 {
	mean, square := 0.0, 0.0
	for _, t := range v {
		mean += t / float64(len(v))
	}
	for _, t := range v {
		square += (t - mean) * (t - mean) / float64(len(v))
	}
	for i := range v {
		v[i] = (v[i] - mean) / math.Sqrt(square)
	}
	return v
}
