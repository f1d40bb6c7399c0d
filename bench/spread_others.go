package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	estimate "github.com/mercer-ml/mercer/density"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	tests "github.com/mercer-ml/mercer/stat"
)

// spreadPCA is five components beside the fastest of scikit-learn's solvers on these points.
func spreadPCA(n, d int) Case {
	gamma := 1 / float64(d)
	return Case{Work: "kernel PCA", Peer: "kernel_pca", Args: map[string]any{"gamma": gamma}, Prepare: func() Work {
		x := mixture(n, d, 56)
		var m *project.PCAModel[kernel.Vec]
		return Work{
			Inputs: Inputs{"x": array(x)},
			Run: func() {
				m = must(project.PCA[kernel.Vec]{Kernel: spreadKernel(d), Components: 5}.Fit(context.Background(), data.RowsOf(x)))
			},
			Check: func(t Inputs) error {
				values := m.Variance()
				for i := range values {
					values[i] *= float64(n)
				}
				tol := 1e-8
				if t["random"].Data[0] == 1 { // its randomised solver is accurate to a few digits only
					tol = 0.05
				}
				if err := agree("eigenvalue", values, t["result"].Data, tol); err != nil {
					return err
				}
				return pcaResiduals(x, gamma, m, 1e-8)
			},
		}
	}}
}

// spreadKDE is a density with Scott's bandwidth, made ready and asked at new points.
func spreadKDE(n, d int) Case {
	h := math.Pow(float64(n), -1/float64(d+4))
	return Case{Work: "KDE", Peer: "density", Args: map[string]any{"h": h}, Prepare: func() Work {
		x, q := random(n, d, 57), random(fresh, d, 58)
		var ours []float64
		return Work{
			Inputs: Inputs{"x": array(x), "q": array(q)},
			Run: func() {
				m := must(estimate.KDE{Bandwidth: h}.Fit(context.Background(), data.RowsOf(x)))
				ours = must(m.LogDensity(context.Background(), data.RowsOf(q)))
			},
			Check: func(t Inputs) error { return agree("log density", ours, t["exact"].Data, 1e-9) },
		}
	}}
}

// spreadSpectral finds four clouds that lie apart.
func spreadSpectral(n, d int) Case {
	return Case{Work: "spectral clustering", Peer: "spectral", Args: map[string]any{"gamma": 1 / float64(d)},
		Prepare: func() Work {
			x, centers := random(n, d, 59), random(4, d, 60)
			for i := range n {
				for j, v := range centers.Row(i % 4) {
					x.Row(i)[j] += 2.5 * v
				}
			}
			var labels []int
			return Work{
				Inputs: Inputs{"x": array(x)},
				Run: func() {
					labels = must(cluster.Spectral[kernel.Vec]{Kernel: spreadKernel(d), Clusters: 4}.Fit(context.Background(),
						data.RowsOf(x))).Labels()
				},
				Check: func(t Inputs) error {
					theirs := make([]int, n)
					for i, v := range t["result"].Data {
						theirs[i] = int(v)
					}
					if r, err := cluster.AdjustedRand(labels, theirs); err != nil || r < 0.95 {
						return fmt.Errorf("adjusted Rand with their clusters %g (%v)", r, err)
					}
					return nil
				},
			}
		}}
}

// spreadMMD is a two-sample test of half of the rows each. The permutations differ, so that
// p-values agree within the error of sampling them.
func spreadMMD(n, d int) Case {
	const draws = 200
	width := spreadKernel(d).Lengthscale
	return Case{Work: "MMD", Peer: "mmd", Args: map[string]any{"width": width, "draws": draws}, Prepare: func() Work {
		x, y := random(n/2, d, 61), random(n/2, d, 62)
		var r *tests.TestResult
		return Work{
			Inputs: Inputs{"x": array(x), "y": array(y)},
			Run: func() {
				t := tests.MMD[kernel.Vec]{Kernel: spreadKernel(d), TestSettings: tests.TestSettings{Permutations: draws}}
				r = must(t.Test(context.Background(), data.RowsOf(x), data.RowsOf(y)))
			},
			Check: func(t Inputs) error { return agreeTest(r, t) },
		}
	}}
}

// spreadReading is a CSV file with names in its first line.
func spreadReading(n, d int) Case {
	file := spreadFile(fmt.Sprintf("spread-%dx%d.csv", n, d))
	return Case{Work: "reading CSV", Peer: "reading", Args: map[string]any{"file": file}, Prepare: func() Work {
		x := random(n, d, 63)
		must(0, writeNumbers(file, x.Rows, x.Cols, x.At))
		var sums []float64
		return Work{
			Run: func() {
				set := must(load.Read(context.Background(), file, load.Options{NoTarget: true}))
				sums = sums[:0]
				for _, c := range set.Columns {
					s := 0.0
					for _, v := range c.Numbers {
						s += v
					}
					sums = append(sums, s)
				}
			},
			Check: func(t Inputs) error { return agree("sum of a column", sums, t["result"].Data, 1e-12) },
		}
	}}
}

func writeNumbers(file string, rows, cols int, at func(i, j int) float64) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	for j := range cols {
		if j > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(w, "x%d", j)
	}
	w.WriteByte('\n')
	for i := range rows {
		for j := range cols {
			if j > 0 {
				w.WriteByte(',')
			}
			w.WriteString(strconv.FormatFloat(at(i, j), 'g', 6, 64))
		}
		w.WriteByte('\n')
	}
	return w.Flush()
}
