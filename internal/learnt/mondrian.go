package learnt

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/forest"
)

// Mondrian is the kernel of trees that Mondrian processes draw around the rows (forest.Mondrian):
// the share of trees in which two points fall into one leaf.
type Mondrian struct {
	Trees    int     // 100 when zero
	Lifetime float64 // 1 over the length-scale; 1 when zero
	Seed     uint64

	Grown string // the trees, as pack writes them
}

// Name is "mondrian".
func (Mondrian) Name() string { return "mondrian" }

// Eval has no value: Kernel and Learn make kernels that have.
func (Mondrian) Eval(x, y kernel.Vec) float64 { return math.NaN() }

// CheckPoints refuses all points.
func (Mondrian) CheckPoints(data.Points[kernel.Vec]) error { return notYet("mondrian") }

// Properties of trees.
func (Mondrian) Properties() kernel.Properties { return ofTrees() }

// Validate refuses numbers below 0, and lifetimes without end.
func (m Mondrian) Validate() error {
	if m.Trees < 0 || !(m.Lifetime >= 0) || math.IsInf(m.Lifetime, 1) {
		return fmt.Errorf("kernel: mondrian: %d trees of lifetime %g, want finite numbers, none below 0", m.Trees, m.Lifetime)
	}
	return nil
}

// Kernel is the kernel of trees that are given, and m itself where there are none yet.
func (m Mondrian) Kernel() (kernel.Kernel[kernel.Vec], error) {
	if err := m.Validate(); err != nil || m.Grown == "" {
		return m, err
	}
	return readGrown(m.Name(), m.Grown, func(text string) any { m.Grown = text; return m })
}

// Learn draws the trees; targets are not looked at.
func (m Mondrian) Learn(ctx context.Context, e kernel.Examples) (kernel.Kernel[any], error) {
	x, err := pointsOf[kernel.Vec]("mondrian", e)
	if err != nil {
		return nil, err
	}
	trees, err := forest.Mondrian{Trees: m.Trees, Lifetime: m.Lifetime, Seed: m.Seed, Threads: e.Threads}.Fit(ctx, x)
	if err != nil {
		return nil, err
	}
	return kernel.OnVectors(newGrown(trees, func(text string) any { m.Grown = text; return m })), nil
}
