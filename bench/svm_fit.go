package main

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/svm"
)

// machineKind is a formulation.
type machineKind int

const (
	plainSVM machineKind = iota // C-SVC, ε-SVR
	nuSVM
	oneClassSVM
	probableSVM
)

// machineSetting is one row's parameters.
type machineSetting struct {
	name   string
	kind   machineKind
	c      float64
	gamma  float64 // times 1/d
	nu     float64
	scaled bool
}

// options are those of svm-train. γ in single precision is what Debian's program reads.
func (m machineSetting) options(classes bool, d int) []string {
	kind := "0"
	switch {
	case m.kind == oneClassSVM:
		kind = "2"
	case m.kind == nuSVM:
		kind = "1"
	case !classes:
		kind = "3"
	}
	out := []string{"-s", kind, "-c", number(m.c), "-g", number(m.gammaOf(d))}
	if m.kind == nuSVM || m.kind == oneClassSVM {
		out = append(out, "-n", number(m.nu))
	}
	if m.kind == probableSVM {
		out = append(out, "-b", "1")
	}
	return out
}

func (m machineSetting) gammaOf(d int) float64 { return float64(float32(m.gamma / float64(d))) }

// fittedMachine is what was fitted in this process.
type fittedMachine struct {
	objective float64
	predict   func(test labelled) error // classes or values of all rows
}

// fitOurs fits on the points of a set in this process.
func fitOurs(f *machineFiles, m machineSetting, classes bool) (fittedMachine, error) {
	l, d := f.train, f.d
	k := kernel.Gaussian{Lengthscale: math.Sqrt(0.5 / m.gammaOf(d))}
	if l.sparse == nil {
		return fitPoints[kernel.Vec](k, l.dense, l.y, m, classes, func(l labelled) data.Points[kernel.Vec] { return l.dense })
	}
	sparse, err := kernel.OnSparse(k, max(l.sparse.Dim(), f.test.sparse.Dim())) // rows to predict may have more columns
	if err != nil {
		return fittedMachine{}, err
	}
	return fitPoints[data.SparseVec](sparse, *l.sparse, l.y, m, classes,
		func(l labelled) data.Points[data.SparseVec] { return *l.sparse })
}

func fitPoints[T any](
	k kernel.Kernel[T], x data.Points[T], y []float64, m machineSetting, classes bool,
	points func(labelled) data.Points[T],
) (fittedMachine, error) {
	ctx := context.Background()
	switch {
	case m.kind == oneClassSVM:
		s, err := svm.OneClass[T]{Kernel: k, Nu: m.nu}.Fit(ctx, x)
		if err != nil {
			return fittedMachine{}, err
		}
		return fittedMachine{s.Report().Objective, func(l labelled) error {
			_, err := s.Predict(ctx, points(l))
			return err
		}}, nil
	case !classes:
		s, err := svm.Regression[T]{Kernel: k, C: m.c, Epsilon: 0.1}.Fit(ctx, x, y)
		if err != nil {
			return fittedMachine{}, err
		}
		return fittedMachine{s.Report().Objective, func(l labelled) error {
			_, err := s.Predict(ctx, points(l))
			return err
		}}, nil
	}
	c := svm.Classification[T, float64]{Kernel: k, C: m.c, Probability: m.kind == probableSVM}
	if m.kind == nuSVM {
		c.C, c.Nu = 0, m.nu
	}
	s, err := c.Fit(ctx, x, y)
	if err != nil {
		return fittedMachine{}, err
	}
	return fittedMachine{s.Report().Objective, func(l labelled) error {
		if m.kind == probableSVM {
			_, err := s.Proba(ctx, points(l))
			return err
		}
		_, err := s.Predict(ctx, points(l))
		return err
	}}, nil
}
