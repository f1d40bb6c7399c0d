package svmtool

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// lattice is n rows on a line, a step apart, whose classes change every run rows.
func lattice(n, run int) *table {
	rows, y := make([]data.SparseVec, n), make([]float64, n)
	for i := range rows {
		rows[i] = data.SparseVec{Index: []int32{0}, Value: []float64{float64(i + 1)}}
		y[i] = float64(1 - 2*(i/run%2))
	}
	return &table{name: "lattice", rows: data.SparseOf(rows, 1), y: y}
}

// A path whose length is known soon is given up soon: of points that are next to orthogonal each
// takes a step, and ν machines begin with a row for each coefficient.
func TestLongPathsAreGivenUpSoon(t *testing.T) {
	const n, steps = 320, 300
	for name, c := range map[string]struct {
		options []string
		rows    *table
		long    bool
		most    int // steps that may have been taken
	}{
		"orthogonal": {[]string{"-g", "100"}, lattice(n, 1), true, n/16 + 1},
		"ν of 1":     {[]string{"-s", "2", "-n", "1", "-g", "0.01"}, lattice(3*n, 1), true, 3 * n / 2},
		"easy":       {[]string{"-g", "1e-4"}, lattice(n, n/2), false, steps},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := parseTrain(append(c.options, "rows"))
			if err != nil {
				t.Fatal(err)
			}
			left := steps
			tr := &trainer{params: *p, log: io.Discard, warn: io.Discard, random: newRand(), steps: &left}
			tr.Identical = true
			problem, err := c.rows.sparseProblem(p.Kernel, 0)
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = fit(context.Background(), tr, problem)
			if long := errors.Is(err, errLongPath); long != c.long || err != nil && !long {
				t.Fatalf("given up: %v, with %d of %d steps left (%v)", long, left, steps, err)
			}
			if taken := steps - left; taken > c.most {
				t.Errorf("%d steps taken, of at most %d", taken, c.most)
			}
		})
	}
}
