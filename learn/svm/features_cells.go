package svm

import (
	"context"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// cellsFrom is the number of points from which a search goes by features where the kernel matrix
// fits into memory, too: below, all folds and prices on one matrix take less.
const cellsFrom = 5000

// cellsByFeatures says whether the cells of a search go by sparse features: whether its machines are
// plain ones of a kernel that has them, of many points.
func cellsByFeatures(c *learn.Cells) bool {
	n := c.Problem.Len()
	worth := n >= cellsFrom || sharedBytes(c.Problem.Task, n) > c.Bytes
	return n >= fitting.SparseFrom && worth && c.Device == nil &&
		fitting.HasSparseFeatures(c.Kernel, c.Problem.Points)
}

// judgeFeatures maps the points once for all folds and prices, and goes up along these, each machine
// from the coefficients of the one before; it says whether there were features to go by. What a
// feature is called does not depend on other points, and one that no fitted point has has no weight.
func judgeFeatures(ctx context.Context, c *learn.Cells) (bool, error) {
	held := learn.Resources{Threads: c.Threads, Bytes: c.Bytes}
	f, err := fitting.SparseFeaturesOf(ctx, c.Kernel, c.Problem.Points, held)
	if f == nil || err != nil {
		return false, err
	}
	p := c.Problem
	p.Points = f.Points()
	train, rows := make([]learn.Problem[any], len(c.Folds)), make([]*fitting.SparseFeatures, len(c.Folds))
	for i, fold := range c.Folds {
		train[i] = p.Gather(fold.Train)
		rows[i] = f.At(fold.Train)
	}
	beta, tube := make([][][]float64, len(c.Folds)), 0.0
	for _, i := range c.Order("epsilon", "C") { // one after another: where the time ends, those before are judged
		if epsilon := c.Params[i]["epsilon"]; epsilon != tube {
			tube = epsilon
			clear(beta)
		}
		err := c.OverFolds(len(c.Folds), func(fold int) error {
			if !c.Alive(i, fold) {
				return nil
			}
			s := c.Settings(i, f.Kernel(), 1)
			o := Options{Tol: s.Tol, Resources: s.Resources}
			weights := train[fold].FitWeights()
			if p.Task == data.Regression {
				r := regression{
					kernel: s.Kernel, c: s.Params["C"], epsilon: tube, noTube: tube == 0, weights: weights, Options: o,
				}
				_, q, o, err := r.programme(train[fold].Points, train[fold].Y)
				if err != nil {
					return err
				}
				if beta[fold] != nil {
					q.start = nearest(q.qp, beta[fold][0], q.start)
				}
				m, end, err := tubeByFeatures(ctx, rows[fold], q, o, time.Now())
				if err != nil {
					return err
				}
				beta[fold] = [][]float64{end}
				return c.JudgeModel(ctx, i, fold, m, p)
			}
			by := featureClassification{classification: classification{kernel: s.Kernel, c: s.Params["C"], Options: o}}
			of := train[fold]
			labels, w, err := fitting.CheckClassification(s.Kernel, of.Points, of.Codes(), learn.Unbalanced, nil, weights)
			if err != nil {
				return err
			}
			from := beta[fold]
			if from == nil {
				from = by.nothing(labels)
			}
			f, machines, end, err := by.fitRows(ctx, rows[fold], labels, w, from, time.Now())
			if err != nil {
				return err
			}
			beta[fold] = end
			return c.JudgeModel(ctx, i, fold, newClassifier(f.Kernel, f, labels.Classes, machines), p)
		})
		if err != nil {
			return true, err
		}
	}
	return true, nil
}

// judgeEach fits each cell by itself, where there are too many features and the matrix does not fit
// into memory.
func judgeEach(ctx context.Context, c *learn.Cells) error {
	for i := range c.Params {
		for fold := range c.Folds {
			if !c.Alive(i, fold) {
				continue
			}
			m, err := fitSettings(ctx, c.Settings(i, c.Kernel, c.Threads), c.Problem.Gather(c.Folds[fold].Train))
			if err != nil {
				return err
			}
			if err := c.JudgeModel(ctx, i, fold, m, c.Problem); err != nil {
				return err
			}
		}
	}
	return nil
}

// nothing is coefficients of 0 for each machine.
func (c featureClassification) nothing(labels learn.Labels[int]) [][]float64 {
	var out [][]float64
	for _, t := range labels.Tasks(c.rule) {
		out = append(out, make([]float64, len(t.Index)))
	}
	return out
}
