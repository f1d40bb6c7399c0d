package nystrom

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// problem is rows to learn from, looked through once, with the basis that functions are to be made
// of.
type problem struct {
	Options
	kernel    kernel.Kernel[any]
	rows      data.Source[any]
	targets   targets
	outputs   int
	intercept bool

	kept   int       // rows of weight > 0
	weight float64   // Σw
	mean   []float64 // of the targets, weighted; 0 without an intercept
	square float64   // Σ w‖y - mean‖²
	ridge  float64   // the smallest λ, about

	basis    *basis
	warnings []string
	closers  []func() // of what devices hold
}

// targets makes what is to be learnt of a row out of its targets in the source; nil leaves them as
// they are.
type targets interface {
	outputs() int
	valid(row []float64) bool
	set(dst, row []float64)
}

func (p *problem) target(dst []float64, b data.Block[any], i int) {
	if p.targets == nil {
		copy(dst, b.Target(i))
	} else {
		p.targets.set(dst, b.Target(i))
	}
}

// newProblem checks the rows and chooses centres, unless they are given. lambda is the ridge that
// leverage scores are for.
func newProblem(
	ctx context.Context, o Options, k kernel.Kernel[any], rows data.Source[any], t targets, outputs int, intercept bool,
	given data.Points[any], lambda float64,
) (*problem, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if rows == nil || rows.Len() == 0 {
		return nil, learn.ErrNoPoints
	}
	if err := kernel.Validate(k); err != nil {
		return nil, err
	}
	p := &problem{Options: o, kernel: k, rows: rows, targets: t, outputs: outputs, intercept: intercept,
		mean: make([]float64, outputs), ridge: lambda}
	if err := p.survey(ctx); err != nil {
		return nil, err
	}
	if p.kept == 0 {
		return nil, fmt.Errorf("all sample weights are 0")
	}
	count := o.count(p.kept)
	if given != nil {
		count = given.Len()
	}
	if need := bytesFor(count, outputs); need > p.Bytes {
		return nil, &learn.OverBudget{Learner: "nystrom", Points: rows.Len(), Needs: need, Budget: p.Bytes,
			Instead: "give it more memory or take fewer centres"}
	}
	if given != nil {
		err = p.takeCenters(ctx, given)
	} else {
		err = p.chooseCenters(ctx, count, lambda)
	}
	if err != nil {
		p.close()
		return nil, err
	}
	p.warnings = append(p.warnings, fitting.Doubts(ctx, k, p.basis.centers, p.Resources)...)
	return p, ctx.Err()
}

// surveyRows is how many rows are looked through at a time where they are read for that; in memory
// they are there, and so many occupy all processors.
const (
	surveyRows = 1 << 14
	inMemory   = 1 << 20
)

func (p *problem) surveySize() int {
	if _, here := p.rows.(data.InMemory[any]); here {
		return inMemory
	}
	return surveyRows
}

// survey refuses what cannot be learnt from, naming the row, and takes the means. Sums are those of
// blocks, in order.
func (p *problem) survey(ctx context.Context) error {
	made, shift := make([]float64, p.outputs), make([]float64, p.outputs)
	sums, squares := make([]float64, p.outputs), 0.0
	first := true
	err := p.rows.Pass(ctx, p.surveySize(), func(b data.Block[any]) error {
		if err := kernel.Check(p.kernel, b.Points); err != nil {
			if b.First > 0 {
				err = fmt.Errorf("among the rows from %d on: %w", b.First, err)
			}
			return err
		}
		if err := p.sound(b); err != nil {
			return err
		}
		for i := range b.Len() {
			w := b.Weight(i)
			if w == 0 {
				continue
			}
			y := b.Target(i)
			if p.targets != nil {
				y = made
				p.targets.set(y, b.Target(i))
			}
			if first && p.intercept { // sums of differences keep the digits that those of large numbers lose
				copy(shift, y)
			}
			first = false
			p.kept++
			p.weight += w
			for j, v := range y {
				sums[j] += w * (v - shift[j])
				squares += w * (v - shift[j]) * (v - shift[j])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if p.square = squares; p.intercept && p.weight > 0 {
		for j, s := range sums {
			p.mean[j] = shift[j] + s/p.weight
			p.square -= s / p.weight * s
		}
	}
	p.square = math.Max(p.square, 0)
	return nil
}

// sound refuses weights and targets that cannot be learnt from, naming the row.
func (p *problem) sound(b data.Block[any]) error {
	for i, w := range b.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("sample weight of row %d is %g; give a finite number, 0 or more", b.First+i, w)
		}
	}
	for i, v := range b.Targets {
		if math.Abs(v) <= learn.LargestTarget {
			continue
		}
		row := b.First + i/b.Outputs
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("target of row %d is %g; drop the row or fill the value in", row, v)
		}
		return fmt.Errorf("target of row %d is %g, too large to square; scale the targets", row, v)
	}
	if p.targets == nil {
		return nil
	}
	for i := range b.Len() {
		if !p.targets.valid(b.Target(i)) {
			return fmt.Errorf("target of row %d is %g, which is the place of no class", b.First+i, b.Target(i)[0])
		}
	}
	return nil
}

// candidateRows is how many rows centres are chosen from where they are not just drawn: as many
// times their number, and at least this.
const (
	candidateTimes = 10
	candidateRows  = 20000
)

// chooseCenters draws centres among the rows of positive weight.
func (p *problem) chooseCenters(ctx context.Context, count int, lambda float64) error {
	some := count
	if p.Choice != Uniform {
		some = min(p.kept, max(candidateTimes*count, candidateRows))
	}
	x, weights, err := p.draw(ctx, some)
	if err != nil {
		return err
	}
	scale := float64(p.kept) / float64(some) // rows that a candidate stands for
	share := weights
	switch p.Choice {
	case Uniform:
		for i := range share {
			share[i] *= scale
		}
	case Leverage:
		index, stands, err := gram.BlessCenters(ctx, p.kernel, x, count, lambda/scale, p.Threads, p.Seed)
		if err != nil {
			return err
		}
		x, share = data.Gather(x, index), data.Take(weights, index)
		for i, s := range stands {
			share[i] *= s * scale
		}
	case KMeans:
		index, err := gram.KMeansCenters(ctx, p.kernel, x, count, p.Threads, p.Seed)
		if err != nil {
			return err
		}
		x, share = data.Gather(x, index), nil
	}
	return p.setBasis(ctx, x, share)
}

// draw collects some of the rows of positive weight, all equally likely, in their order, with their
// weights.
func (p *problem) draw(ctx context.Context, count int) (data.Points[any], []float64, error) {
	index, err := gram.UniformCenters(p.kept, count, p.Seed)
	if err != nil {
		return nil, nil, err
	}
	slices.Sort(index)
	weights := make([]float64, 0, count)
	seen := 0
	var parts []data.Points[any]
	err = p.rows.Pass(ctx, p.surveySize(), func(b data.Block[any]) error {
		var take []int
		if b.Weights == nil { // the rows are those that are counted
			for at := len(weights); at < count && index[at] < seen+b.Len(); at++ {
				take, weights = append(take, index[at]-seen), append(weights, 1)
			}
			seen += b.Len()
		}
		for i, w := range b.Weights {
			if w == 0 {
				continue
			}
			if at := len(weights); at < count && index[at] == seen {
				take, weights = append(take, i), append(weights, w)
			}
			seen++
		}
		if len(take) > 0 {
			parts = append(parts, data.OwnSubset(b.Points, take))
		}
		return nil
	})
	return data.JoinPoints(parts), weights, err
}

// takeCenters takes those that the user gave.
func (p *problem) takeCenters(ctx context.Context, given data.Points[any]) error {
	if given.Len() == 0 {
		return fmt.Errorf("Given has no centres; give some, or leave it nil")
	}
	if err := kernel.Check(p.kernel, given); err != nil {
		return fmt.Errorf("Given: %w", err)
	}
	if err := p.rows.Pass(ctx, 1, func(b data.Block[any]) error {
		if err := kernel.CheckPair(p.kernel, b.Points, given); err != nil {
			return fmt.Errorf("Given: %w", err)
		}
		return errEnough
	}); err != errEnough {
		return err
	}
	return p.setBasis(ctx, data.Own(given), nil)
}

var errEnough = fmt.Errorf("enough rows")
