package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// autoSearch picks candidates, searches on as many rows as the budget allows,
// and fits the choice on all.
func autoSearch[T any](ctx context.Context, r *AutoResult, p learn.Problem[T], pick func(learn.Problem[T]) ([]Candidate[T], error), columns columnKernels[T], o AutoOptions, start time.Time) (*Result[T], error) {
	p, _ = p.Weighty()
	p = p.NamePositive()
	r.Baseline = learn.BaselineOf(p)
	itself := p // with the target as it is
	if r.TargetMap != nil {
		p.Y = r.TargetMap.ApplyAll(p.Y)
	}
	if r.Positive = p.Positive; r.Positive != "" {
		tell := r.because
		if o.Metric.Name == "f1" {
			tell = r.note
		}
		tell("f1 is of class %q%s", r.Positive, rarer(p, o.Positive))
	}
	part, rows, all := p, par.Indices(0, p.Len()), r.searched
	share, bytes := searchShare, o.Bytes
	if most, what := searchRows(o.Budget, o.Bytes, p.Task); p.Len() > most {
		if o.only != onlyExact && p.Len() > manyRows*most { // what it chooses is a beginning
			most, share, bytes = most/2, manyShare, min(bytes, manyBytes)
		}
		rows = someRows(p, most, o.Seed)
		part, r.searched = p.Gather(rows), data.Take(r.searched, rows)
		r.note("searched on %s, to keep to the %s", ofRows(part.Len(), p.Len()), what)
	}
	candidates, err := pick(part)
	if err != nil {
		return nil, err
	}
	protocol := autoProtocol(r, part, o)
	strategy := o.Strategy
	switch {
	case strategy == nil && o.Axes != nil:
		strategy = Grid{}
	case strategy == nil:
		strategy = Grid{Refine: 2}
	}
	metric := o.Metric
	if !o.Evidence {
		metric = overTargets(metric, r.Baseline)
	}
	if r.TargetMap != nil && metric.Score == nil && !o.Evidence {
		metric = RMSE()
	}
	s := Search[T]{
		Problem: part, Candidates: candidates, Protocol: protocol, Metric: metric.onMapped(r.TargetMap), Strategy: strategy, OneSE: o.OneSE,
		Seed: o.Seed, Threads: o.Threads, Device: o.Device, Bytes: bytes, Journal: o.Journal, Trace: o.Trace, clock: o.clock,
		// Violations are in units of the target.
		Tol:     1e-3 * part.Deviation(),
		NoModel: part.Len() < p.Len() || o.only == onlyCenters || o.only == straight, Probabilities: !o.NoProbabilities,
	}
	if !o.Evidence && len(p.More) == 0 && (o.Metric.Score == nil || o.Metric.Name == Accuracy().Name) {
		s.Second = autoSecond(part)
	}
	end := start.Add(o.Budget - judging(len(r.Split.Test)))
	s.Budget = end.Sub(clockOr(o.clock).now())
	if s.Budget <= 0 {
		return nil, fault.In("tune", tooShort(o.Budget, clockOr(o.clock).now().Sub(start), "reading and encoding took all of it"))
	}
	if o.Best == BestCommittee && !s.NoModel {
		s.Budget = time.Duration(committeeShare * float64(s.Budget))
	}
	s.text, _ = any(o.rowText).(func(kernel.Kernel[T]) (string, bool))
	setAxes(&s, o.Axes)
	setAxes(&s, solverNamed(o.Solver).counted(o.Centers))
	if s.NoModel {
		s.Budget = time.Duration(share * float64(s.Budget))
	}
	res, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	if s.NoModel && len(p.More) > 0 {
		if err := fitSeveral(ctx, clockOr(o.clock), end, r, res, p, part); err != nil {
			return nil, err
		}
	} else if s.NoModel {
		w := wholeFit[T]{search: s, p: p, rows: rows, clock: clockOr(o.clock), end: end, test: len(r.Split.Test), foot: footRows, columns: columns, centers: o.Centers, only: o.only, solver: solverNamed(o.Solver).centers}
		if err := w.fit(ctx, res); err != nil {
			return nil, err
		}
		if res.ofAll {
			part, r.searched = p, all // what the folds are of
		}
		for _, t := range res.tuned {
			r.because("length-scales by the gradient of the error on rows held out: %.4g, then %.4g (%s rows, %d centres, %d evaluations, %.2g s)", t.Before, t.After, data.Thousands(t.Rows), t.Centers, t.Calls, t.Elapsed.Seconds())
		}
		if r.Growth = res.growth; res.wide != "" {
			r.note("%s", res.wide)
		}
		if res.Model.Rows < p.Len() {
			r.note("fitted on %s, to keep to the time; how many depends on the speed of the machine", ofRows(res.Model.Rows, p.Len()))
		}
		res.Interrupted = res.Interrupted || ctx.Err() != nil
	}
	r.Protocol = protocol
	if o.Best == BestCommittee {
		formCommittee(ctx, clockOr(o.clock), end, r, res, p, protocol.Folds, o.Threads)
	}
	if len(r.Split.Test) == 0 && !o.Evidence {
		r.residuals = thinEach(foldResiduals(ctx, &s, res, part, protocol.Folds, end))
	}
	if !o.Evidence {
		if part.Len() < itself.Len() {
			itself = itself.Gather(rows)
		}
		r.Chance = baselineCell(itself, res.Folds, r.plainly(res.Metric, metric))
	} else {
		r.Chance = Cell{Candidate: -1, Label: "baseline", Learner: "baseline", Mean: math.NaN(), SE: math.NaN(), Low: math.NaN(), High: math.NaN(), Second: math.NaN()}
	}
	reportSearch(r, res, r.plainly(res.Metric, metric), s.Second, o.OneSE)
	return res, nil
}

// autoProtocol is how cells are judged: by five folds, more often where rows are few, by fewer where a class or the groups are.
func autoProtocol[T any](r *AutoResult, part learn.Problem[T], o AutoOptions) Protocol {
	if o.Evidence {
		r.because("judged by the marginal likelihood of the fitted rows, without folds")
		return Protocol{Evidence: true, Seed: o.Seed}
	}
	protocol := Protocol{Folds: o.Folds, Repeats: o.Repeats, Seed: o.Seed}
	if protocol.Folds == 0 {
		protocol.Folds = 5
	}
	// What a few folds of a few rows say is mostly chance: more of them, where
	// they cost little.
	if n := part.Len(); o.Folds == 0 && o.Repeats == 0 && n <= min(repeatRows, int(repeatRate*o.Budget.Seconds())) && part.Times == nil {
		protocol.Repeats = 3
		r.because("%d rows: cross-validation is repeated with other folds, 3 times", n)
	}
	if k := smallestClass(part); k > 0 && k < protocol.Folds && part.Groups == nil {
		protocol.Plain = k < 2
		protocol.Folds = max(2, min(protocol.Folds, k))
		r.note("%d folds, since the smallest class has %d rows", protocol.Folds, k)
	}
	switch n := groupCount(part.Groups); {
	case part.Groups == nil:
		protocol.Folds = min(protocol.Folds, part.Len())
	case o.Folds == 0 && n >= 2 && n < protocol.Folds:
		protocol.Folds = n
		r.note("%d folds, since there are %d groups", n, n)
	}
	return protocol
}

// reportSearch takes over what a search found, and says why it chose what it did.
func reportSearch[T any](r *AutoResult, res *Result[T], metric, second Metric, oneSE bool) {
	r.Metric, r.Cells, r.Best, r.Chosen = metric, res.Cells, res.Best, res.Chosen
	r.Fits, r.Resumed, r.Interrupted, r.Warnings, r.JournalFaults = res.Fits, res.Resumed, res.Interrupted, res.Warnings, res.JournalFaults
	for _, w := range res.Warnings {
		r.because("%s", w)
	}
	if second.Score != nil && !oneSE && res.Chosen.Candidate != committeeCell && res.Chosen.String() != res.Best.String() {
		r.because("%v had a better mean (%.4g), but not by a standard error, and its probabilities were worse (%s %.4g, the chosen one's %.4g)", res.Best, res.Best.Mean, second.Name, res.Best.Second, res.Chosen.Second)
	}
	r.because("chosen of %d cells (%d fits): %v, %s %.4g ± %.2g over %d folds", len(res.Cells), res.Fits, res.Chosen, res.Metric.Name, res.Chosen.Mean, res.Chosen.SE, len(res.Folds))
	if res.Interrupted {
		r.because("the search was stopped before its end; this is the best so far")
	}
}

// rarer says why a class is the positive one.
func rarer[T any](p learn.Problem[T], given string) string {
	if given != "" {
		return ", as told"
	}
	count := 0
	for _, y := range p.Y {
		count += int(indicator(int(y) == p.PositiveCode()))
	}
	if 2*count == p.Len() {
		return ", one of two equally common ones"
	}
	return fmt.Sprintf(", the rarer of two (%d of %d rows)", count, p.Len())
}

func groupCount(groups []int) int {
	seen := map[int]bool{}
	for _, g := range groups {
		seen[g] = true
	}
	return len(seen)
}

// searchShare is how much of the time a search on part of the rows may take; what is left is for models of more of them.
// Of rows many times those of a search no exact fit is likely to see enough, and the search has less to say.
const (
	searchShare = 0.35
	manyRows    = 8
	manyShare   = 0.2
	manyBytes   = 1 << 30
)

// The most rows for which cross-validation is repeated: in all, and for each
// second of the budget.
const (
	repeatRows = 400
	repeatRate = 40
)

// searchRows is how many rows a search takes part in within a budget of time and memory: a grid
// of support vector machines takes about n², and 5,000 rows are good for a minute; it shares distances and a Gram matrix
// among folds and prices, in half of the memory, without which it takes many times as long. what is the one that counts.
func searchRows(budget time.Duration, bytes int64, task data.Task) (rows int, what string) {
	inTime := min(max(5000*math.Sqrt(budget.Seconds()/60), 300), 10000)
	each := 48.0 // twice what machines take for each pair of rows
	if task == data.Regression {
		each = 140
	}
	inMemory := max(math.Sqrt(float64(bytes)/each), 500)
	if inMemory < inTime {
		return int(inMemory), "memory"
	}
	return int(inTime), "time"
}

// someRows draws rows, of each class in proportion.
func someRows[T any](p learn.Problem[T], count int, seed uint64) []int {
	share := 1 - float64(count)/float64(p.Len())
	if p.Task.Classification() {
		if f, err := data.StratifiedHoldout(p.Codes(), share, seed); err == nil {
			return f.Train
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x726f7773))
	rows := rng.Perm(p.Len())[:count]
	slices.Sort(rows)
	return rows
}

func smallestClass[T any](p learn.Problem[T]) int {
	k := p.ClassCount()
	if k == 0 {
		return 0
	}
	count := make([]int, k)
	for _, y := range p.Y {
		count[int(y)]++
	}
	return slices.Min(count)
}

// medianDistance is the median distance of pairs of points, from the kernel's
// own metric: with the linear kernel ‖x-y‖² = k(x,x) + k(y,y) - 2k(x,y).
func medianDistance[T any](x data.Points[T], linear kernel.Kernel[T], seed uint64) float64 {
	rng := rand.New(rand.NewPCG(seed, 0x6d656469616e))
	n := x.Len()
	square := func(a, b T) float64 { return linear.Eval(a, a) + linear.Eval(b, b) - 2*linear.Eval(a, b) }
	if _, dense := any(x).(data.Points[kernel.Vec]); dense { // the same, without what cancels far from the origin
		square = func(a, b T) float64 { return kernel.SqDist.Between(any(a).(kernel.Vec), any(b).(kernel.Vec)) }
	}
	var d []float64
	for range 1000 {
		if v := square(x.At(rng.IntN(n)), x.At(rng.IntN(n))); v > 0 {
			d = append(d, math.Sqrt(v))
		}
	}
	if len(d) == 0 {
		return 1
	}
	sort.Float64s(d)
	return d[len(d)/2]
}
