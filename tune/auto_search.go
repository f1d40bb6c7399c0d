package tune

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/learn"
)

// autoSearch picks candidates, searches on as many rows as the budget allows,
// and fits the choice on all.
func autoSearch(
	ctx context.Context, r *AutoResult, p learn.Problem[any],
	pick func(learn.Problem[any], *relevance) ([]Candidate, error), columns columnKernels, o AutoOptions, start time.Time,
) (*Result, error) {
	a := autoRun{r: r, o: o, clock: clockOr(o.clock), columns: columns}
	a.pose(p)
	if o.Journal != "" {
		a.identity = o.identityOf(a.p)
		r.identity, a.began = a.identity, planIn(o.Journal, a.identity)
	}
	a.takeRows()
	found := a.findRelevance(ctx, start)
	candidates, err := pick(a.part, found)
	if err != nil {
		return nil, err
	}
	s, err := a.search(candidates, start)
	if err != nil {
		return nil, err
	}
	s.plan.Relevance = found
	if o.first {
		return a.firstAnswer(ctx, s)
	}
	res, err := s.Run(ctx)
	if err != nil {
		return nil, err
	}
	if s.NoModel {
		if err := a.fitWhole(ctx, s, res); err != nil {
			return nil, err
		}
	}
	if o.Journal != "" {
		res.judgedAs(res.by, res.Chosen.Mean)
	}
	r.Protocol = s.Protocol
	if o.Best == BestCommittee {
		formCommittee(ctx, a.clock, a.end, r, res, a.p, s.Protocol.Folds, o.Threads)
	}
	if len(r.Split.Test) == 0 && !o.Evidence {
		r.residuals = thinEach(foldResiduals(ctx, &s, res, a.part, s.Protocol.Folds, a.end))
	}
	a.tell(s, res)
	return res, nil
}

// firstAnswer is answer, with what is told of it.
func (a *autoRun) firstAnswer(ctx context.Context, s Search) (*Result, error) {
	res, err := a.answer(ctx, s)
	if err == nil {
		a.r.Protocol = s.Protocol
		a.tell(s, res)
	}
	return res, err
}

// tell takes over what a search found.
func (a *autoRun) tell(s Search, res *Result) {
	plain := a.r.plainly(res.Metric, a.metric)
	a.r.Chance = a.chance(res.Folds, plain)
	reportSearch(a.r, res, plain, s.Second, a.o.OneSE)
}

// autoRun is what the steps of autoSearch know of each other.
type autoRun struct {
	r       *AutoResult
	o       AutoOptions
	clock   clock
	columns columnKernels

	p      learn.Problem[any] // all rows, the target mapped as learners see it
	itself learn.Problem[any] // the same, the target as it is
	part   learn.Problem[any] // the rows of p that the folds are of
	rows   []int              // which these are
	all    []int              // r.searched of all rows
	share  float64            // of the time, for a search on some rows
	bytes  int64              // for the search
	metric Metric             // of the target as it is
	end    time.Time          // of the time for everything but judging on rows held out

	identity string      // of the search in its journal
	began    *searchPlan // of the search that this one goes on with; nil: none
}

// pose takes a problem over, and says which class is the positive one.
func (a *autoRun) pose(p learn.Problem[any]) {
	r := a.r
	p, _ = p.Weighty()
	p = p.NamePositive()
	r.Baseline = learn.BaselineOf(p)
	a.itself = p
	if r.TargetMap != nil {
		p.Y = r.TargetMap.ApplyAll(p.Y)
	}
	a.p = p
	if r.Positive = p.Positive; r.Positive != "" {
		tell := r.because
		if a.o.Metric.Name == "f1" {
			tell = r.note
		}
		tell("f1 is of class %q%s", r.Positive, rarer(p, a.o.Positive))
	}
}

// takeRows takes as many rows for the search as there is time and memory for.
func (a *autoRun) takeRows() {
	p, r := a.p, a.r
	a.part, a.rows, a.all = p, par.Indices(0, p.Len()), r.searched
	a.share, a.bytes = searchShare, a.o.Bytes
	if a.o.first {
		if few := a.firstRows(); few < p.Len() {
			a.takeSome(few)
		}
		return
	}
	most, what := searchRows(a.o.Budget, a.o.Bytes, p.Task)
	r.linearAlone = a.o.linearObjects && p.Len() > most
	linear := r.linearAlone || a.o.onlyLinear(r, p)
	if linear {
		what = "time"
		if all := linearRows(a.o.Budget, p); p.Len() <= all {
			most = max(most, all)
		} else {
			most = max(most, int(linearShare*float64(all)))
		}
		if (p.Len() > most || a.began != nil && a.began.Rows < p.Len()) && a.o.only == 0 {
			a.o.only, a.share = straight, linearSearch // no other learner takes the place of the machine on all rows
		}
	}
	if a.began != nil {
		a.takeBegun(most)
		return
	}
	if p.Len() <= most {
		return
	}
	if a.o.only != onlyExact && !linear && p.Len() > manyRows*most { // what it chooses is a beginning
		most, a.share, a.bytes = most/2, manyShare, min(a.bytes, manyBytes)
	}
	a.takeSome(most)
	r.note("searched on %s, to keep to the %s", ofRows(a.part.Len(), p.Len()), what)
}

// takeBegun takes the rows that a search began with which goes on here; of many times as many the
// search has less to say, as it had.
func (a *autoRun) takeBegun(most int) {
	if a.began.Rows >= a.p.Len() {
		return
	}
	if a.o.only != onlyExact && a.p.Len() > manyRows*most {
		a.share, a.bytes = manyShare, min(a.bytes, manyBytes)
	}
	a.takeSome(a.began.Rows)
	a.r.note("searched on %s, with which the search began", ofRows(a.part.Len(), a.p.Len()))
}

// takeSome takes so many rows, drawn by the seed.
func (a *autoRun) takeSome(rows int) {
	a.rows = someRows(a.p, rows, a.o.Seed)
	a.part, a.r.searched = a.p.Gather(a.rows), data.Take(a.r.searched, a.rows)
}

// search is the search among candidates, with its share of what is left of the time.
func (a *autoRun) search(candidates []Candidate, start time.Time) (Search, error) {
	o := a.o
	a.metric = a.measure()
	protocol := autoProtocol(a.r, a.part, o, a.began)
	s := Search{
		identity: a.identity, plan: &searchPlan{Rows: a.part.Len(), Repeats: protocol.Repeats, Terms: o.terms},
		Problem: a.part, Candidates: candidates, Protocol: protocol, Metric: a.metric.onMapped(a.r.TargetMap),
		Strategy: o.Strategy, OneSE: o.OneSE,
		Seed: o.Seed, Threads: o.Threads, Device: o.Device, Bytes: a.bytes, Journal: o.Journal, Trace: o.Trace,
		clock: o.clock,
		// Violations are in units of the target.
		Tol:     1e-3 * a.part.Deviation(),
		NoModel: a.part.Len() < a.p.Len() || o.only == onlyCenters || o.only == straight, Probabilities: !o.NoProbabilities,
	}
	switch {
	case s.Strategy == nil && o.Axes != nil:
		s.Strategy = Grid{}
	case s.Strategy == nil:
		s.Strategy = Grid{Refine: 2}
	}
	if !o.Evidence && len(a.p.More) == 0 && (o.Metric.Score == nil || o.Metric.Name == Accuracy().Name || o.unasked &&
		o.Metric.Name == AveragePrecision().Name) {
		s.Second = autoSecond(a.part)
	}
	s.scouts = true
	s.text, s.standIn, s.lambdas = o.rowText, o.Learners == nil, o.givenValues("lambda", a.r.Task)
	setAxes(&s, o.Axes)
	setAxes(&s, solverNamed(o.Solver).counted(o.Centers))
	a.end = start.Add(o.Budget - judging(len(a.r.Split.Test)))
	s.Budget, s.whole = a.end.Sub(a.clock.now()), a.end
	switch {
	case s.Budget <= 0 && o.first: // whose time its context ends
		s.Budget = lateTime
	case s.Budget <= 0:
		return s, s.notFitted(fault.In("tune",
			tooShort(o.Budget, a.clock.now().Sub(start), "reading and encoding took all of it")))
	}
	switch {
	case s.NoModel:
		s.Budget = time.Duration(a.share * float64(s.Budget))
	case o.Best == BestCommittee:
		s.Budget = time.Duration(committeeShare * float64(s.Budget))
	}
	return s, nil
}

// measure is what cells are compared by: as asked for, over all targets, and where the target is
// mapped and nothing is asked for, the root mean squared error.
func (a *autoRun) measure() Metric {
	metric := a.o.Metric
	if a.o.Evidence {
		return metric
	}
	metric = overTargets(metric, a.r.Baseline)
	if a.r.TargetMap != nil && metric.Score == nil {
		metric = RMSE()
	}
	return metric
}

// fitWhole fits the choice of a search on some rows to as many as there is time for.
func (a *autoRun) fitWhole(ctx context.Context, s Search, res *Result) error {
	r, o, p := a.r, a.o, a.p
	if len(p.More) > 0 || p.Noise != nil {
		return fitSeveral(ctx, a.clock, a.end, r, res, p, a.part)
	}
	w := wholeFit{search: s, p: p, rows: a.rows, clock: a.clock, end: a.end, test: len(r.Split.Test), foot: footRows,
		columns: a.columns, centers: a.givenCenters(res), only: o.only, solver: solverNamed(o.Solver).centers,
		lambdas: s.lambdas}
	if err := w.fit(ctx, res); err != nil {
		return err
	}
	if res.ofAll {
		a.part, r.searched = p, a.all // what the folds are of
	}
	for _, t := range res.tuned {
		r.because("length-scales by the gradient of the error on rows held out: %.4g, then %.4g (%s rows, %d centres, %d "+
			"evaluations, %.2g s)", t.Before, t.After, phrase.Thousands(t.Rows), t.Centers, t.Calls, t.Elapsed.Seconds())
	}
	if r.Growth = res.growth; res.wide != "" {
		r.note("%s", res.wide)
	}
	if res.Model.Rows < p.Len() {
		r.note("fitted on %s, to keep to the time; how many depends on the speed of the machine",
			ofRows(res.Model.Rows, p.Len()))
	}
	res.Interrupted = res.Interrupted || ctx.Err() != nil
	return nil
}

// givenValues are the values of a parameter of learners that were asked for, with a learner or as
// values to try; nil: none.
func (o AutoOptions) givenValues(name string, task data.Task) []float64 {
	for _, axis := range o.Axes {
		if axis.Name == name {
			return axis.Values
		}
	}
	learners, err := askedFor(o.Learners, task)
	if err != nil || len(learners) != 1 {
		return nil
	}
	for _, axis := range learners[0].axes {
		if axis.Name == name {
			return axis.Values
		}
	}
	return nil
}

// givenCenters is the number of centres that was asked for, of several the chosen one; 0: none was.
func (a *autoRun) givenCenters(res *Result) int {
	values := a.o.givenValues("centres", a.r.Task)
	switch chosen := res.Chosen.Param("centres"); {
	case a.o.Centers > 0 || values == nil:
		return a.o.Centers
	case slices.Contains(values, chosen):
		return int(chosen)
	}
	return int(values[0])
}

// chance is how good it is to predict the same for every row.
func (a *autoRun) chance(folds []data.Fold, metric Metric) Cell {
	if a.o.Evidence {
		return Cell{Candidate: -1, Label: "baseline", Learner: "baseline", Mean: math.NaN(), SE: math.NaN(), Low: math.NaN(),
			High: math.NaN(), Second: math.NaN()}
	}
	if a.part.Len() < a.itself.Len() {
		return baselineCell(a.itself.Gather(a.rows), folds, metric)
	}
	return baselineCell(a.itself, folds, metric)
}

// reportSearch takes over what a search found, and says why it chose what it did.
func reportSearch(r *AutoResult, res *Result, metric, second Metric, oneSE bool) {
	r.Metric, r.Cells, r.Best, r.Chosen = metric, res.Cells, res.Best, res.Chosen
	r.Fits, r.Resumed, r.Interrupted, r.JournalFaults, r.StandIn = res.Fits, res.Resumed, res.Interrupted,
		res.JournalFaults, res.StandIn
	r.Warnings = append(r.Warnings, res.Warnings...)
	for _, w := range res.Warnings {
		r.because("%s", w)
	}
	if second.Score != nil && !oneSE && res.Chosen.Candidate != committeeCell && res.Chosen.String() != res.Best.String() {
		mean := fmt.Sprintf("a better mean (%.4g), but not by a standard error,", res.Best.Mean)
		if res.Best.Mean == res.Chosen.Mean {
			mean = "the same mean,"
		}
		r.because("%v had %s and its probabilities were worse (%s %.4g, the chosen one's %.4g)", res.Best, mean, second.Name,
			res.Best.Second, res.Chosen.Second)
	}
	over := fmt.Sprintf("± %.2g over %d folds", res.Chosen.SE, len(res.Folds))
	if len(res.Folds) == 1 {
		over = "on one fold" // which has no deviation
	}
	r.because("chosen of %d cells (%d fits): %v, %s %.4g %s", len(res.Cells), res.Fits, res.Chosen, res.Metric.Name,
		res.Chosen.Mean, over)
	if res.Interrupted {
		r.because("the search was stopped before its end; this is the best so far")
	}
}

// rarer says why a class is the positive one.
func rarer(p learn.Problem[any], given string) string {
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

// linearShare is how many of the rows that a grid of linear machines may take are searched where all
// rows are more: a price is found by a part of them, and the last fit takes them all.
const linearShare = 0.12

// linearSearch is how much of the time a search for a linear machine on some rows may take: one fit
// to all of them is what is left to do.
const linearSearch = 0.7

// searchShare is how much of the time a search on part of the rows may take; what is left is for
// models of more of them. Of rows many times those of a search no exact fit is likely to see
// enough, and the search has less to say.
const (
	searchShare = 0.35
	manyRows    = 8
	manyShare   = 0.2
	manyBytes   = 1 << 30
)

// searchRows is how many rows a search takes part in within a budget of time and memory: a grid of
// support vector machines takes about n², and 5,000 rows are good for a minute; it shares distances
// and a Gram matrix among folds and prices, in half of the memory, without which it takes many
// times as long. what is the one that counts.
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

// leastOfClass is how many rows of a class a part of the rows keeps, where it has them: folds need
// some to fit on and some to judge by.
const leastOfClass = 5

// someRows draws rows, of each class in proportion, and of rare ones a few more.
func someRows(p learn.Problem[any], count int, seed uint64) []int {
	share := 1 - float64(count)/float64(p.Len())
	rng := rand.New(rand.NewPCG(seed, 0x726f7773))
	if !p.Task.Classification() {
		return sorted(rng.Perm(p.Len())[:count])
	}
	codes := p.Codes()
	var rows []int
	if f, err := data.StratifiedHoldout(codes, share, seed); err == nil {
		rows = f.Train
	} else {
		rows = rng.Perm(p.Len())[:count]
	}
	drawn, of := make(map[int]bool, len(rows)), make([]int, p.ClassCount())
	for _, i := range rows {
		drawn[i] = true
		of[codes[i]]++
	}
	if slices.Min(of) >= leastOfClass {
		return sorted(rows)
	}
	rows = slices.Clone(rows)
	for _, i := range rng.Perm(p.Len()) {
		if c := codes[i]; of[c] < leastOfClass && !drawn[i] {
			rows = append(rows, i)
			of[c]++
		}
	}
	return sorted(rows)
}

func sorted(rows []int) []int {
	slices.Sort(rows)
	return rows
}
