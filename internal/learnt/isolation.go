package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
)

// Isolation is the kernel of trees that cut the rows at random (forest.Isolation): the share of
// trees in which two points fall into one leaf.
type Isolation struct {
	Trees  int // 100 when zero
	Sample int // rows of a tree; 256 when zero, and never more than there are
	Depth  int // cuts above a leaf, at most; log₂ of the rows of a tree when zero
	Seed   uint64

	Grown string // the trees, as pack writes them
}

// Name is "isolation".
func (Isolation) Name() string { return "isolation" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Isolation) Eval(x, y kernel.Vec) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Isolation) CheckPoints(data.Points[kernel.Vec]) error { return notYet("isolation") }

// Properties of trees.
func (Isolation) Properties() kernel.Properties { return ofTrees() }

// Validate refuses numbers below 0.
func (f Isolation) Validate() error {
	if f.Trees < 0 || f.Sample < 0 || f.Depth < 0 {
		return fmt.Errorf("kernel: isolation: %d trees of depth %d on %d rows, want none below 0", f.Trees, f.Depth, f.Sample)
	}
	return nil
}

// Kernel is the kernel of trees that are given, and f itself where there are none yet.
func (f Isolation) Kernel() (kernel.Kernel[kernel.Vec], error) {
	if err := f.Validate(); err != nil || f.Grown == "" {
		return f, err
	}
	return readGrown(f.Name(), f.Grown, func(text string) any { f.Grown = text; return f })
}

// Learn grows the trees; targets are not looked at.
func (f Isolation) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[kernel.Vec]("isolation", e)
	if err != nil {
		return nil, err
	}
	trees, err := forest.Isolation{Trees: f.Trees, Sample: f.Sample, Depth: f.Depth, Seed: f.Seed, Threads: e.Threads}.
		Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return kernel.OnVectors(newGrown(trees, func(text string) any { f.Grown = text; return f })), nil
}
