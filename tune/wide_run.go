package tune

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// begin takes the kernel that the search chose, and one whose length-scales are found by descending
// the error on rows held out, and fits on the first few centres with either; the better of the two
// goes on. A search that had little time may have got no further than straight lines: what is tuned
// is a smooth kernel then.
func (v *wide) begin(ctx context.Context, k kernel.Kernel[any], label string) {
	if tuned := v.tune(ctx, k, label); tuned != nil {
		v.kernel, v.label = tuned.kernel, tuned.label
		if r := v.firstFit(ctx, tuned.kernel, v.path(learn.LogSpace(tuned.lambda/64, tuned.lambda*4, 5))); r != nil {
			v.take(r)
		}
	}
	if v.best != nil && (ctx.Err() != nil || v.best.rows < v.rest.Len()) {
		return // there is no time for another
	}
	size := meanDiagonal(k, v.rest.Points)
	plain := v.firstFit(ctx, k, v.path(learn.LogSpace(1e-9*size, 1e-2*size, 8)))
	if plain == nil || v.best != nil && !v.e.metric.better(plain.score, v.best.score) {
		return
	}
	v.kernel, v.label = k, label
	v.take(plain)
}

// first is the number of centres of the first fit: all of them, where they are asked for.
func (v *wide) first() int {
	if v.w.centers > 0 {
		return min(v.w.centers, v.rest.Len())
	}
	return min(firstRung, v.rest.Len(), v.most())
}

// most is the number of centres that the memory holds, and beyond which more have nothing to say.
func (v *wide) most() int {
	bytes := float64(2 * v.e.bytes)
	return int(math.Max(16, math.Min(math.Sqrt(bytes/64), 16*math.Sqrt(float64(v.rest.Len())))))
}

// proposedKernel is a kernel with its λ a point.
type proposedKernel struct {
	kernel kernel.Kernel[any]
	label  string
	lambda float64
}

// tune descends the error on rows held out, in a part of the time: with a length-scale for each
// column where there is one for all, and λ. Nil where there was no time, or nothing to vary.
func (v *wide) tune(ctx context.Context, k kernel.Kernel[any], label string) *proposedKernel {
	o := nystrom.Tuning{Rows: tuningRows}
	switch {
	case v.given: // its numbers stay, and what was not said of it is tuned as it is
		if o.Groups = freeGroups(k, v.hold); len(o.Groups) == 0 {
			return nil
		}
	case v.w.columns != nil:
		each, groups, spread := v.w.columns.spread(k)
		if !spread && kernelName(k) == "linear" {
			k = v.w.columns.plain(v.rest.Points, v.w.search.Seed)
			label = kernelName(k)
			each, groups, spread = v.w.columns.spread(k)
		}
		if k, o.Groups = each, groups; spread {
			label += " ard"
		}
	}
	within, cancel := v.w.clock.until(ctx, v.w.clock.now().Add(time.Duration(tuningShare*float64(v.w.left()))))
	defer cancel()
	r := nystrom.Regression[any]{Kernel: k, Lambda: 1e-5 * meanDiagonal(k, v.rest.Points), PerPoint: true,
		Weights: v.rest.FitWeights(), Options: nystrom.Options{
			Centers: min(tuningCenters, v.most()), Seed: v.w.search.Seed,
			Resources: learn.Resources{Threads: v.e.threads, Bytes: 2 * v.e.bytes, Device: v.e.device}}}
	var found nystrom.Tuned[any]
	var err error
	if v.rest.Task == data.Regression {
		found, err = r.Tune(within, v.rest.Points, v.rest.Y, o)
	} else {
		found, err = nystrom.Classification[any, int]{Regression: r}.Tune(within, v.rest.Points, v.rest.Codes(), o)
	}
	if err != nil {
		return nil
	}
	v.tuned = found.Rounds
	if v.w.columns != nil && !v.given {
		found.Kernel = v.w.columns.narrow(found.Kernel, v.rest.Points, found.Lambda)
	}
	return &proposedKernel{found.Kernel, label, found.Lambda}
}

// The largest round of a tuning.
const (
	tuningRows    = 16000
	tuningCenters = 700
)

// ladder fits on twice as many centres while that pays and there is time for it and for the last
// fit, which is of all rows, those apart with them.
func (v *wide) ladder(ctx context.Context) {
	ctx, cancel := v.w.clock.until(ctx, v.w.end)
	defer cancel()
	for v.best != nil && ctx.Err() == nil && v.w.centers == 0 {
		next := min(2*v.best.centers, v.rest.Len(), v.most())
		longer := v.longer(v.best, next)
		if next <= v.best.centers || float64(2*longer) > lastShare*float64(v.left(v.best, next)) {
			break
		}
		lambdas := []float64{v.lambda}
		if v.solverOf(next, 1) == nystrom.Direct && v.w.lambdas == nil {
			lambdas = learn.LogSpace(v.lambda/16, 4*v.lambda, 4)
		}
		r := v.climb(ctx, v.rest, v.kernel, lambdas, next)
		if r == nil {
			break
		}
		gain := v.loss(v.best.score) - v.loss(r.score)
		if gain > 0 {
			v.take(r)
		}
		if gain < worthRung*v.loss(r.score) {
			v.flat = true
			break
		}
	}
}

// longer is the time that a fit of all rows on so many centres will take, by that of another and
// the operations of both, with a margin.
func (v *wide) longer(than *rung, centers int) time.Duration {
	fit, judging := float64(than.took-than.judging)*v.work(centers)/v.work(than.centers),
		float64(than.judging)*float64(centers)/float64(than.centers)
	if than.rows > 0 { // 0: of all, by a process that was stopped
		fit *= float64(v.rest.Len()) / float64(than.rows)
	}
	return time.Duration(1.25 * (fit + judging))
}

// work is about the operations for each row, in double precision.
func (v *wide) work(centers int) float64 {
	if v.solverOf(centers, 1) == nystrom.Direct {
		return v.added(centers)
	}
	return v.iterated(centers)
}

// values is the operations for the kernel of a row with all centres.
func (v *wide) values(centers int) float64 {
	return float64(centers) * (2*float64(dimension(v.w.p.Points)) + 40)
}

// added is those of adding the equations up: the values once, a triangular solve and products of
// all with each other.
func (v *wide) added(centers int) float64 {
	m, n := float64(centers), float64(v.w.p.Len())
	return v.values(centers) + 2*m*m + 10*m*m*m/n
}

// iterated is those of conjugate gradients: the preconditioner and the values in some passes.
func (v *wide) iterated(centers int) float64 {
	m, n := float64(centers), float64(v.w.p.Len())
	passes, share := 4.0, float64(v.sketch(centers))/n
	if share < 1 {
		passes = sketchPasses
	}
	return passes*v.values(centers) + share*m*m + 8*m*m*m/n
}

// sketch is the number of rows that the preconditioner is made of.
func (v *wide) sketch(centers int) int {
	n := v.w.p.Len()
	share := sketchPasses * v.values(centers) / (float64(centers) * float64(centers))
	if share > 0.5 { // drawn rows are copied
		return n
	}
	return min(n, max(int(share*float64(n)), sketchTimes*centers))
}

// left is the time that is left but for that of predicting the rows held out for the test on so
// many centres, by that of the rows apart and another model.
func (v *wide) left(by *rung, centers int) time.Duration {
	asked := float64(by.asked) * float64(centers) / float64(by.centers)
	return v.w.left() - time.Duration(1.5*asked*float64(v.w.test)/float64(max(v.judged.Len(), 1)))
}

// loss is a score as something to be made small.
func (v *wide) loss(score float64) float64 {
	if v.e.metric.Maximize {
		return 1 - score
	}
	return score
}

// last fits to all rows, on as many centres as there is time for; what was judged before stands
// where that does not end.
func (v *wide) last(ctx context.Context) {
	if v.best == nil || ctx.Err() != nil {
		return
	}
	if v.best.rows > 0 && v.best.rows < v.rest.Len() {
		v.mostRows(ctx)
		return
	}
	centers := v.best.centers
	if !v.flat && v.w.centers == 0 {
		step := max(centers/8, 1)
		for most := min(4*centers, v.w.p.Len(), v.most()); centers+step <= most &&
			v.affords(v.best, centers+step, lastShare); {
			centers += step
		}
	}
	if !v.affords(v.best, centers, lastShare) {
		return
	}
	begun := v.w.clock.now()
	within, cancel := v.w.clock.until(ctx, v.w.end)
	defer cancel()
	models, err := v.fit(within, v.w.p, v.kernel, []float64{v.lambda}, centers, v.keep(centers))
	if err != nil {
		return
	}
	m := models[0]
	if v.best.model != nil {
		m = v.calibrated(context.WithoutCancel(ctx), m, v.best.model)
	} else if m.Task.Classification() {
		m.calibrate(within, v.w.p, func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
			found, err := v.fit(ctx, p, v.kernel, []float64{v.lambda}, centers, nil)
			if err != nil {
				return nil, err
			}
			return found[0], nil
		})
	}
	if r := m.Model.Report(); !r.Converged && r.Certificate > enoughResidual && v.best.model != nil &&
		!v.e.metric.better(v.score(ctx, m), v.best.score) {
		return // stopped too early to be better than what there is
	}
	took := v.w.clock.now().Sub(begun)
	v.note(m, centers, math.NaN(), took)
	v.best = &rung{centers: centers, rows: m.Rows, model: m, score: v.best.score, took: took}
}

// keep has the iterates of the last fit written beside the journal.
func (v *wide) keep(centers int) func(*nystrom.Options) {
	if v.w.columns == nil || v.w.search.Journal == "" {
		return nil
	}
	text, err := v.w.columns.text(v.kernel)
	if err != nil {
		return nil // a kernel without words
	}
	s := fitState{Of: v.fingerprint(), Kernel: text, Label: v.label, Lambda: v.lambda, Centers: centers,
		Score: v.best.score, Steps: v.resumed}
	file := stateFile(v.w.search.Journal)
	return func(o *nystrom.Options) {
		if o.Solver == nystrom.Falkon {
			o.Keep, o.Start = s.keeper(file), v.start
		}
	}
}

// fingerprint tells the rows and the search from others.
func (v *wide) fingerprint() string {
	return fmt.Sprint(v.e.fingerprint(), " ", v.w.p.Len(), " ", v.w.search.Seed, " ", v.w.centers, " ", v.w.solver)
}

// resume takes up the last fit of a process that was killed in it: kernel, λ and centres are those
// that it had found.
func (v *wide) resume(ctx context.Context) bool {
	if v.w.columns == nil || v.w.search.Journal == "" {
		return false
	}
	s := readState(stateFile(v.w.search.Journal), v.fingerprint())
	if s == nil {
		return false
	}
	k, err := v.w.columns.parse(s.Kernel)
	if err != nil {
		return false
	}
	v.kernel, v.label, v.lambda, v.start = k, s.Label, s.Lambda, s.start()
	v.best = &rung{centers: s.Centers, score: s.Score}
	v.resumed, v.flat = s.Steps, true
	v.last(ctx)
	if v.best.model != nil {
		return true
	}
	v.best, v.start, v.flat, v.resumed = nil, nil, false, 0
	return false
}

// enoughResidual is that of a fit stopped by the time that takes the place of one on fewer centres.
const enoughResidual = 1e-2

// cell is the result as a cell of the search.
func (v *wide) cell(candidate int) Cell {
	c := Cell{Candidate: candidate, Label: "nystrom " + v.label, Learner: "nystrom", told: true, Second: math.NaN(),
		Scores: []float64{v.best.score}, Fits: len(v.growth), Seconds: v.best.took.Seconds()}
	c.Kernel, _ = v.e.textOf(v.kernel)
	for _, name := range []string{"lambda", "centres"} {
		c.Params = append(c.Params, Setting{Name: name, Value: v.best.model.Params[name]})
	}
	c.theta = []float64{c.Params[0].Value, c.Params[1].Value}
	c.summarise()
	return c
}

// standsIn makes few centres of all rows the result.
func (v *wide) standsIn(res *Result, why string) {
	c := v.cell(len(v.w.search.Candidates))
	res.Cells = append(res.Cells[:len(res.Cells):len(res.Cells)], c)
	if res.fellBack != "" { // from what the search had in hand
		res.Warnings = res.Warnings[:len(res.Warnings)-1]
	}
	res.Best, res.Chosen, res.Model, res.Folds, res.judged, res.ofAll, res.wide = c, c, v.best.model, []data.Fold{v.split},
		min(v.best.model.Rows, v.rest.Len()), true, why
	res.apart = v.apart
	res.by = v.apartBy() // of which its mean is
	k, lambda, centers := v.kernel, v.lambda, v.best.centers
	res.refit = func(ctx context.Context, p learn.Problem[any]) (*Fitted, error) {
		m, err := v.fit(ctx, p, k, []float64{lambda}, centers, nil)
		if err != nil {
			return nil, err
		}
		return m[0], nil
	}
}

// summary says what was chosen and why.
func (v *wide) summary(of string) string {
	return fmt.Sprintf("%s centres of %s: %s %.4g on %s rows apart", phrase.Thousands(v.best.centers),
		ofRows(v.best.model.Rows, v.w.p.Len()), v.e.metric.Name, v.best.score, phrase.Thousands(v.judged.Len())) + of
}
