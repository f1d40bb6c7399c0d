package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// tuning is the searches of package tune beside scikit-learn's and one LIBSVM fit.
func tuning() []Case {
	return []Case{
		svmGrid(1000),
		svmGridLibsvm(5000),
		ridgeGrid(),
		evidenceSearch(1000, 8),
		processSearch(500, 8, 50, true),
		processSearch(1000, 8, 50, true),
		processSearch(1000, 8, 50, false),
		processSearch(2000, 8, 50, true),
		processSearch(2000, 8, 50, false),
		processSearch(4000, 8, 50, false),
		outputsSearch(100, 2, 100),
		outputsSearch(200, 2, 100),
		outputsSearch(200, 4, 100),
		outputsSearch(300, 3, 100),
	}
}

// blobs draws two classes in d dimensions as scikit-learn's make_classification
// does: two Gaussian clusters for each class at vertices of a cube in the
// informative dimensions, each stretched by a random matrix; noise elsewhere;
// one label in a hundred flipped. Columns are then standardised.
func blobs(n, d, informative int, seed uint64) (linalg.Matrix[float64], []float64) {
	rng := rand.New(rand.NewPCG(seed, 0x626c6f6273))
	const clusters = 4
	vertex := map[string]bool{}
	var centre [clusters][]float64
	var stretch [clusters]linalg.Matrix[float64]
	for c := range clusters {
		for {
			v := make([]float64, informative)
			for j := range v {
				v[j] = float64(2*rng.IntN(2) - 1)
			}
			if name := fmt.Sprint(v); !vertex[name] {
				vertex[name], centre[c] = true, v
				break
			}
		}
		stretch[c] = linalg.New[float64](informative, informative)
		for i := range stretch[c].Data {
			stretch[c].Data[i] = 2*rng.Float64() - 1
		}
	}
	x, y := linalg.New[float64](n, d), make([]float64, n)
	z := make([]float64, informative)
	for i := range n {
		c := rng.IntN(clusters)
		for j := range z {
			z[j] = rng.NormFloat64()
		}
		row := x.Row(i)
		for j := range d {
			if j >= informative {
				row[j] = rng.NormFloat64()
				continue
			}
			row[j] = centre[c][j]
			for l, v := range z {
				row[j] += v * stretch[c].At(l, j)
			}
		}
		y[i] = float64(c % 2)
		if rng.Float64() < 0.01 {
			y[i] = float64(rng.IntN(2))
		}
	}
	for j := range d {
		mean, sq := 0.0, 0.0
		for i := range n {
			mean += x.At(i, j) / float64(n)
		}
		for i := range n {
			sq += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		for i := range n {
			x.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(sq))
		}
	}
	return x, y
}

// The customary grid: ten values of each, five decades.
func gammas() []float64 { return learn.LogSpace(1e-4, 10, 10) }
func prices() []float64 { return learn.LogSpace(1e-2, 1e3, 10) }

// svmSearch is the 10 × 10 grid with 5 folds.
func svmSearch(x linalg.Matrix[float64], y []float64) tune.Search {
	lengths := make([]float64, 10)
	for i, g := range gammas() {
		lengths[i] = math.Sqrt(1 / (2 * g))
	}
	folds := make([]data.Fold, 5)
	for i := range y {
		for f := range folds {
			if i%5 == f {
				folds[f].Test = append(folds[f].Test, i)
			} else {
				folds[f].Train = append(folds[f].Train, i)
			}
		}
	}
	return tune.Search{
		Problem: learn.Problem[kernel.Vec]{Points: data.RowsOf(x), Task: data.Binary, Y: y}.Erase(),
		Candidates: []tune.Candidate{{Learner: "svm", Kernel: kernel.Erase(kernel.Gaussian{}),
			Axes: []tune.Axis{{Name: "gaussian.lengthscale", Values: lengths}, {Name: "C", Values: prices()}}}},
		Folds: folds, NoModel: true,
	}
}

func svmGrid(n int) Case {
	return Case{Work: fmt.Sprintf("SVM, 10 × 10 grid, 5 folds, 50 features, n = %d", n), Bar: 60, Peer: "svm_grid",
		Args: map[string]any{"gammas": gammas(), "prices": prices()}, Prepare: func() Work {
			x, y := blobs(n, 50, 10, 1)
			s := svmSearch(x, y)
			var best tune.Cell
			return Work{
				Inputs: Inputs{"x": array(x), "y": {Rows: 1, Cols: n, Data: y}},
				Run: func() {
					r, err := s.Run(context.Background())
					if err != nil {
						panic(err)
					}
					best = r.Best
				},
				Check: func(t Inputs) error {
					if theirs := t["result"].Data[0]; math.Abs(best.Mean-theirs) > 0.003 {
						return fmt.Errorf("best accuracy %.4f, theirs %.4f", best.Mean, theirs)
					}
					return nil
				},
			}
		}}
}

// svmGridLibsvm is the grid on 5,000 points beside one fit by LIBSVM of the set of the learners'
// benchmark. Since the peer does other work, scikit-learn judges two cells of the grid, untimed, on
// the same folds.
func svmGridLibsvm(n int) Case {
	cells := [][2]int{{3, 6}, {4, 4}} // of gammas and prices
	file, _ := filepath.Abs(filepath.Join("out", "tune-20000-50.txt"))
	return Case{Work: fmt.Sprintf("the same at n = %d (500 fits); peer: ONE fit of 20 000 × 50", n), Bar: 5,
		Peer: "libsvm_one", Yardstick: true,
		Args: map[string]any{"file": file, "c": 1.0, "gamma": 0.02, "gammas": gammas(), "prices": prices(), "cells": cells},
		Prepare: func() Work {
			twoClasses(20_000, 50).file(filepath.Base(file))
			x, y := blobs(n, 50, 10, 1)
			s := svmSearch(x, y)
			var result *tune.Result
			return Work{
				Inputs: Inputs{"x": array(x), "y": {Rows: 1, Cols: len(y), Data: y}},
				Run: func() {
					var err error
					if result, err = s.Run(context.Background()); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					if result.Fits != 500 {
						return fmt.Errorf("%d fits", result.Fits)
					}
					for i, c := range cells {
						g, price := math.Sqrt(1/(2*gammas()[c[0]])), prices()[c[1]]
						for _, cell := range result.Cells {
							if cell.Param("gaussian.lengthscale") != g || cell.Param("C") != price {
								continue
							}
							if theirs := t["accuracy"].Data[i]; math.Abs(cell.Mean-theirs) > 0.003 {
								return fmt.Errorf("%v: accuracy %.4f, theirs %.4f", cell, cell.Mean, theirs)
							}
						}
					}
					return nil
				},
			}
		}}
}

// ridgeLambdas and ridgeLengths are the grid of the ridge row.
func ridgeLambdas() []float64 { return learn.LogSpace(1e-6, 1e2, 50) }
func ridgeLengths() []float64 { return learn.LogSpace(0.3, 30, 20) }

// ridgeGrid is 20 kernels × 50 λ with 10 folds: 10,000 fits. The peer times one
// kernel with 2 λ (20 fits, all of the same cost) and multiplies by 500.
func ridgeGrid() Case {
	const n = 2000
	return Case{Work: "ridge, 20 kernels × 50 λ, 10 folds, n = 2000", Bar: 40, Peer: "ridge_grid",
		Args: map[string]any{"lambdas": ridgeLambdas(), "lengths": ridgeLengths()}, Prepare: func() Work {
			x, _ := blobs(n, 10, 10, 2)
			rng := rand.New(rand.NewPCG(5, 5))
			y := make([]float64, n)
			for i := range y {
				v := x.Row(i)
				y[i] = math.Sin(v[0]*v[1]) + v[2] - v[3]*v[3]/3 + 0.1*rng.NormFloat64()
			}
			var folds []data.Fold
			for f := range 10 {
				folds = append(folds, data.Fold{})
				for i := range n {
					if i%10 == f {
						folds[f].Test = append(folds[f].Test, i)
					} else {
						folds[f].Train = append(folds[f].Train, i)
					}
				}
			}
			s := tune.Search{
				Problem: learn.Problem[kernel.Vec]{Points: data.RowsOf(x), Task: data.Regression, Y: y}.Erase(),
				Candidates: []tune.Candidate{{Learner: "ridge", Kernel: kernel.Erase(kernel.Gaussian{}), NoIntercept: true,
					Axes: []tune.Axis{{Name: "gaussian.lengthscale", Values: ridgeLengths()},
						{Name: "lambda", Values: ridgeLambdas()}}}},
				Folds: folds, NoModel: true,
			}
			var result *tune.Result
			return Work{
				Note:   "peer: 20 of the 10,000 equal fits timed, × 500",
				Inputs: Inputs{"x": array(x), "y": {Rows: 1, Cols: n, Data: y}},
				Run: func() {
					var err error
					if result, err = s.Run(context.Background()); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					// The two cells the peer fitted: third length-scale from the
					// middle, λ at the ends.
					for i, l := range []float64{ridgeLambdas()[0], ridgeLambdas()[49]} {
						for _, c := range result.Cells {
							if c.Param("lambda") == l && c.Param("gaussian.lengthscale") == ridgeLengths()[10] {
								if theirs := t["result"].Data[i]; math.Abs(c.Mean-theirs) > 1e-5*theirs {
									return fmt.Errorf("RMSE at λ = %g: %.8g, theirs %.8g", l, c.Mean, theirs)
								}
							}
						}
					}
					return nil
				},
			}
		}}
}
