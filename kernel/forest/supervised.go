package forest

import (
	"context"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Fit grows a forest by numbers y.
func (s Supervised) Fit(ctx context.Context, x data.Points[kernel.Vec], y []float64) (*Forest, *OutOfBag, error) {
	if x == nil || x.Len() != len(y) {
		return nil, nil, fault.Errorf("forest", "%d rows but %d targets", lenOf(x), len(y))
	}
	t, err := newValues(y, s.Weights)
	if err != nil {
		return nil, nil, err
	}
	return s.fit(ctx, x, t)
}

// FitClasses grows a forest by classes, which are numbered from 0.
func (s Supervised) FitClasses(
	ctx context.Context, x data.Points[kernel.Vec], code []int, classes int,
) (*Forest, *OutOfBag, error) {
	if x == nil || x.Len() != len(code) {
		return nil, nil, fault.Errorf("forest", "%d rows but %d classes", lenOf(x), len(code))
	}
	t, err := newClasses(code, classes, s.Weights)
	if err != nil {
		return nil, nil, err
	}
	return s.fit(ctx, x, t)
}

func lenOf(x data.Points[kernel.Vec]) int {
	if x == nil {
		return 0
	}
	return x.Len()
}

func (s Supervised) fit(ctx context.Context, x data.Points[kernel.Vec], y *target) (*Forest, *OutOfBag, error) {
	d := len(x.At(0))
	var err error
	if s.Growth, err = s.withDefaults(d, y.classes > 0); err != nil {
		return nil, nil, err
	}
	if err := checkRows(x, d, s.Missing); err != nil {
		return nil, nil, err
	}
	columns := binColumns(ctx, s.Threads, x, s.Categories)
	f := ungrown(s.Growth, columns, y.outputs())
	var bags []*bitmap
	if s.Sampling == Bootstrap {
		bags = make([]*bitmap, s.Trees)
	}
	trees := make([]tree, s.Trees)
	growers := make(chan *grower, par.Workers(s.Threads))
	par.For(s.Threads, s.Trees, 1, func(t, _ int) {
		if ctx.Err() != nil {
			return
		}
		var g *grower
		select {
		case g = <-growers:
		default:
			g = newGrower(&s.Growth, columns, y)
		}
		if bags != nil {
			bags[t] = newBitmap(x.Len())
			g.inBag = bags[t]
		}
		trees[t] = g.grow(ctx, t)
		growers <- g
	})
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	if err := f.join(trees); err != nil {
		return nil, nil, err
	}
	f.weigh(trees)
	if bags == nil {
		return f, nil, nil
	}
	left, err := f.outOfBag(ctx, s.Threads, x, y, bags)
	return f, left, err
}

// ungrown is a forest without trees yet, on columns in bins.
func ungrown(s Growth, columns []column, outputs int) *Forest {
	f := &Forest{name: "forest", dim: len(columns), outputs: outputs, missing: s.Missing}
	if len(s.Categories) > 0 {
		f.categories = make([][]float64, len(columns))
		for j, c := range columns {
			f.categories[j] = c.categories
		}
	}
	return f
}

// join puts trees one after the other, and numbers their leaves and sets through.
func (f *Forest) join(trees []tree) error {
	nodes, leaves, sets := 0, 0, 0
	for _, t := range trees {
		nodes, leaves, sets = nodes+len(t.nodes), leaves+len(t.values)/f.outputs, sets+len(t.sets)
	}
	if leaves > math.MaxInt32 {
		return fault.Errorf("forest", "%d leaves are more than can be numbered; grow fewer or smaller trees", leaves)
	}
	f.nodes, f.values, f.sets, f.roots = make([]node, 0, nodes), make([]float64, 0, leaves*f.outputs),
		make([]set, 0, sets), make([]int, 0, len(trees)+1)
	for _, t := range trees {
		f.roots = append(f.roots, len(f.nodes))
		leaf, sets := int32(len(f.values)/f.outputs), int32(len(f.sets))
		for _, n := range t.nodes {
			if n.column < 0 {
				n.child += leaf
			}
			if n.set >= 0 {
				n.set += sets
			}
			f.nodes = append(f.nodes, n)
		}
		f.sets, f.values = append(f.sets, t.sets...), append(f.values, t.values...)
	}
	f.roots = append(f.roots, len(f.nodes))
	return nil
}
