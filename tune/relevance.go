package tune

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
)

// Rows from which length-scales are found once. With fewer, processes find theirs in every fold,
// which is more honest; classes have no such processes from a few hundred rows on.
const (
	relevanceValues  = 1000
	relevanceClasses = 500
)

// The climb takes twice the rows at each stage, beginning with the first; each stage begins where
// the one before ended, and takes few steps. How far it goes depends on the budget, by work (n³ a
// step: a thousand rows are good for a minute), so that the same budget gives the same
// length-scales on any machine that is fast enough. The share of the time is the end of it on one
// that is not.
const (
	relevanceFirst   = 250
	relevanceLast    = 2000
	relevanceSteps   = 30
	relevanceShare   = 0.33
	relevanceColumns = 100
	relevanceCodes   = 30 // the most classes whose codes are climbed on together
)

// relevanceRows is how many rows the evidence is climbed on in a budget.
func relevanceRows(budget time.Duration, rows int) int {
	most := min(1000*math.Cbrt(budget.Seconds()/60), relevanceLast)
	out := relevanceFirst
	for 2*out <= rows && float64(2*out) <= 1.01*most {
		out *= 2
	}
	return out
}

// findRelevance climbs the evidence where length-scales of columns are worth it, and nobody said
// what the kernel is. It is nil where there are none: for too few rows, for points that are no
// vectors, or where the time was up before the first stage ended.
func (a *autoRun) findRelevance(ctx context.Context, start time.Time) *relevance {
	switch {
	case a.o.first:
		return nil
	case a.began != nil:
		return a.began.Relevance // a search that goes on has the candidates that it began with
	}
	x, dense := data.VectorsOf(a.part.Points)
	if !dense || !a.wantsRelevance() {
		return nil
	}
	points, ok := x.(data.DenseRows)
	if !ok || points.Dim() < 2 || points.Dim() > relevanceColumns {
		return nil
	}
	end := a.clock.now().Add(time.Duration(relevanceShare * float64(start.Add(a.o.Budget).Sub(a.clock.now()))))
	within, cancel := a.clock.until(ctx, end)
	defer cancel()
	median := medianDistance(a.part.Points, kernel.OnVectors(kernel.Linear{}), a.o.Seed)
	most, begun := relevanceRows(a.o.Budget, a.part.Len()), a.clock.now()
	var best *relevance
	for rows := relevanceFirst; rows <= most; rows *= 2 {
		p := a.codes(a.part.Gather(someRows(a.part, rows, a.o.Seed)))
		next := a.climbed(within, rows, best, median, points.Dim(), p)
		if next == nil {
			break
		}
		best = next
		if rows != min(formsRows, most) {
			continue
		}
		if found := a.formed(within, *best, p, rows); found != nil {
			best = found
		}
		if best.Plain != nil && rows == most { // no later stage goes on with it
			if next, _ := a.climbFrom(within, *best, relevanceSteps, p, rows); next != nil {
				best = next
			}
		}
	}
	if best != nil && best.Plain != nil {
		a.r.because("by the evidence of the same process columns %s", best.told(a.r.Encoder.Names()))
	}
	switch {
	case best == nil:
		a.r.because("length-scales of single columns were not found in %.2g of the time", relevanceShare)
	case best.Rows < most && within.Err() != nil:
		a.r.because("length-scales of single columns by the evidence of a process on %d rows: for more the time was short, "+
			"and how many depends on the speed of the machine", best.Rows)
	default:
		a.r.because("length-scales of single columns by the evidence of a process on %d rows, which the folds judge, too "+
			"(%.2g s); rows held out for the test are not among them", best.Rows, a.clock.now().Sub(begun).Seconds())
	}
	return best
}

// wantsRelevance says whether the search is one in which the program chooses kernels for a number
// or for classes, by learners that take length-scales of columns.
func (a *autoRun) wantsRelevance() bool {
	o, p := a.o, a.part
	least := relevanceClasses
	if p.Task == data.Regression {
		least = relevanceValues
	}
	if p.Len() < least || len(p.More) > 0 || p.Noise != nil || p.ClassCount() > relevanceCodes {
		return false
	}
	if o.Kernel != nil || o.Columns != nil || o.Axes != nil || o.Evidence || o.Repair != gram.NoRepair ||
		o.centers != nil || o.only == onlyCenters {
		return false
	}
	learners, err := askedFor(o.Learners, p.Task)
	if err != nil {
		return false
	}
	return o.Learners == nil || slices.ContainsFunc(learners, func(l asked) bool {
		return l.kernel == nil && slices.Contains(relevantLearners(p.Task), l.name)
	})
}

// climbed is a stage. At the first the rough profile is climbed from wide, from middling and from
// short length-scales, since the evidence has several tops; the smooth one begins at the highest.
func (a *autoRun) climbed(
	ctx context.Context, rows int, from *relevance, median float64, dim int, p learn.Problem[any],
) *relevance {
	if from != nil {
		steps := relevanceSteps
		if from.Plain != nil { // each takes longer, and the search for forms took some
			steps /= 2
		}
		best, _ := a.climbFrom(ctx, *from, steps, p, rows)
		return best
	}
	var best *relevance
	lead := math.Inf(-1)
	try := func(at relevance) {
		if found, value := a.climbFrom(ctx, at, 0, p, rows); found != nil && value > lead {
			best, lead = found, value
		}
	}
	for _, start := range []gp.Start{{Length: 1, Noise: 0.1}, {Length: 0.5, Noise: 0.01},
		{Length: 0.2, Noise: 0.1}} {
		try(relevance{Profile: "matern", Variance: 1, Noise: start.Noise,
			Lengths: slices.Repeat([]float64{start.Length * median}, dim)})
	}
	if best != nil {
		smooth := *best
		smooth.Profile = "gaussian"
		try(smooth)
	}
	if ctx.Err() != nil {
		return nil
	}
	return best
}

// climbFrom is the end of a climb and its evidence; nil where there is none.
func (a *autoRun) climbFrom(
	ctx context.Context, at relevance, steps int, p learn.Problem[any], rows int,
) (*relevance, float64) {
	k := at.kernel(1)
	found, err := gp.Climb(ctx, kernel.OnVectors(k), at.Noise, steps, keptInClimb(k), p,
		learn.Resources{Threads: a.o.Threads, Bytes: a.o.Bytes, Device: a.o.Device, TrustKernel: true})
	if err != nil || ctx.Err() != nil {
		return nil, 0
	}
	out := at.at(kernel.Values(found.Kernel), found.Noise)
	out.Rows = rows
	return &out, found.LogMarginal
}

// codes is a problem of numbers: the targets in units of their deviation, or for classes the
// indicators of all of them but the first of two, whose rows say how much each column has to do
// with them.
func (a *autoRun) codes(p learn.Problem[any]) learn.Problem[any] {
	out := learn.Problem[any]{Points: p.Points, Task: data.Regression, Weights: p.FitWeights()}
	if p.Task == data.Regression {
		out.Y = p.Y
		return out
	}
	first := 0
	if p.ClassCount() == 2 {
		first = 1
	}
	for class := first; class < p.ClassCount(); class++ {
		y := make([]float64, p.Len())
		for i, c := range p.Y {
			y[i] = indicator(int(c) == class)
		}
		if sum(y) == 0 {
			continue // a class that none of the rows drawn has
		}
		if out.Y == nil {
			out.Y = y
		} else {
			out.More = append(out.More, y)
		}
	}
	return out
}
