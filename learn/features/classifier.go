package features

import (
	"cmp"
	"context"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/learn"
)

// Classifier is a fitted Classification: its function has one output for two classes, positive for
// the larger label; else one for each class in order.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
}

func newClassifier[T any, L cmp.Ordered](m *fitted[T, L]) *Classifier[T, L] {
	return &Classifier[T, L]{*learn.NewExpansionClassifier(m.f, m.classes, nil, m.report)}
}

// Logistic is Classification with the loss log(1 + e^{-z}), by stochastic steps: its decision
// values are log odds, and it has probabilities. Loss is not read.
type Logistic[T any, L cmp.Ordered] struct {
	Classification[T, L]
}

// Fit learns from points and their labels. When ctx ends the error is a *learn.Stopped.
func (c Logistic[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *LogisticClassifier[T, L], err error) {
	defer fault.Name("random features", &err)
	c.Loss = logistic
	return asModel(newLogistic[T, L])(c.fit(ctx, x, y))
}

// FitSource learns from rows that come in blocks; see Classification.FitSource.
func (c Logistic[T, L]) FitSource(
	ctx context.Context, rows data.Source[T], classes []L,
) (_ *LogisticClassifier[T, L], err error) {
	defer fault.Name("random features", &err)
	c.Loss = logistic
	return asModel(newLogistic[T, L])(c.fitSource(ctx, rows, classes))
}

// LogisticClassifier is a fitted Logistic.
type LogisticClassifier[T any, L cmp.Ordered] struct {
	learn.LogOddsClassifier[T, L]
}

func newLogistic[T any, L cmp.Ordered](m *fitted[T, L]) *LogisticClassifier[T, L] {
	return &LogisticClassifier[T, L]{*learn.NewLogOddsClassifier(m.f, m.classes, nil, m.report)}
}

// shuffled is the order in which rows are met.
func shuffled(n int, seed uint64) []int { return rand.New(rand.NewPCG(seed, 0x5a17)).Perm(n) }
