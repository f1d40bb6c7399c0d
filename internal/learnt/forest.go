package learnt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
)

// Forest is the kernel of a random forest that is grown by the targets of the rows
// (forest.Supervised): the share of trees in which two points fall into one leaf.
type Forest struct {
	Trees  int // 100 when zero
	Depth  int // cuts above a leaf, at most; 0: no bound
	Min    int // rows of a leaf, at least; 1 when zero
	Random bool
	Seed   uint64

	Grown string // the trees, as pack writes them
}

// ErrNoTargets is the error of Learn where a kernel looks at targets, and there are none.
var ErrNoTargets = errors.New("kernel: forest: its trees are grown by a target, and there is none here; " +
	"mondrian() and isolation() grow theirs without one")

// Name is "forest".
func (Forest) Name() string { return "forest" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Forest) Eval(x, y kernel.Vec) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Forest) CheckPoints(data.Points[kernel.Vec]) error { return notYet("forest") }

// Properties of a forest.
func (Forest) Properties() kernel.Properties { return ofTrees() }

// ofTrees is what is known of the kernel of trees before they are grown.
func ofTrees() kernel.Properties {
	p := finite(kernel.No)
	p.Continuous, p.Bound = kernel.No, 1
	return p
}

// Validate refuses numbers below 0.
func (f Forest) Validate() error {
	if f.Trees < 0 || f.Depth < 0 || f.Min < 0 {
		return fmt.Errorf("kernel: forest: %d trees of depth %d with leaves of %d rows, want none below 0", f.Trees, f.Depth,
			f.Min)
	}
	return nil
}

// grown is a forest that knows the settings that it was grown by.
type grown struct {
	*forest.Forest
	form *form
}

// form makes the Forest, Mondrian or Isolation with its trees.
type form struct{ of func() any }

// newGrown is a forest whose trees are written down when somebody asks: folds of a search have
// forests that nobody saves.
func newGrown(f *forest.Forest, with func(trees string) any) grown {
	return grown{f, &form{sync.OnceValue(func() any { return with(pack(f)) })}}
}

// Form is the settings and the trees.
func (k grown) Form() any { return k.form.of() }

// Kernel is the forest of trees that are given, and f itself where there are none yet.
func (f Forest) Kernel() (kernel.Kernel[kernel.Vec], error) {
	if err := f.Validate(); err != nil || f.Grown == "" {
		return f, err
	}
	return readGrown(f.Name(), f.Grown, func(text string) any { f.Grown = text; return f })
}

// Learn grows the trees.
func (f Forest) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[kernel.Vec]("forest", e)
	if err != nil {
		return nil, err
	}
	if e.Targets == nil {
		return nil, ErrNoTargets
	}
	s := forest.Supervised{Growth: forest.Growth{Trees: f.Trees, Depth: f.Depth, Min: f.Min, Seed: f.Seed},
		Weights: e.Weights, Threads: e.Threads}
	if f.Random {
		s.Splits = forest.RandomSplits
	}
	var trees *forest.Forest
	if e.Classes > 0 {
		codes := make([]int, len(e.Targets))
		for i, v := range e.Targets {
			codes[i] = int(v)
		}
		trees, _, err = s.FitClasses(ctx, x, codes, e.Classes)
	} else {
		trees, _, err = s.Fit(ctx, x, e.Targets)
	}
	if err != nil {
		return nil, err
	}
	return kernel.OnVectors(newGrown(trees, func(text string) any { f.Grown = text; return f })), nil
}
