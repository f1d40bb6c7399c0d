package tune

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
)

// Growth is a model of the contest that ends a search on part of the rows: how good models are that
// see more rows, or have more centres, and what that costs. All are judged on the same rows, which
// none of them was fitted to.
type Growth struct {
	Learner  string  `json:"learner"`
	Rows     int     `json:"rows"`
	Centers  int     `json:"centers"`
	Score    float64 `json:"score"` // NaN: it was not judged
	Seconds  float64 `json:"seconds"`
	Bytes    int64   `json:"bytes"`    // of its big arrays
	Residual float64 `json:"residual"` // what its fit was certified by at the end
}

// wide is learning from all rows on few centres, with the kernel that a search on part of the rows
// found best.
type wide struct {
	w      *wholeFit
	e      *engine
	judged learn.Problem[any] // rows apart, by which all models of the contest are judged
	rest   learn.Problem[any] // the others
	split  data.Fold

	kernel kernel.Kernel[any]
	given  bool     // it is the user's: no other form of it takes its place
	hold   []string // parameters of it that were given
	lambda float64  // a point, or where it was given as the learner has it
	label  string   // of the kernel

	best   *rung
	apart  *learn.Predictions // of the rows apart, by the last model that did not see them; nil: none
	exact  float64            // score of the chosen cell on the most rows that it was judged with; NaN before
	flat   bool               // more centres were no better
	tuned  []nystrom.TunedRound
	growth []Growth

	start   []float64 // of the last fit, of a process that was killed
	resumed int       // after so many iterations
}

// rung is one fit.
type rung struct {
	centers int
	rows    int
	lambda  float64 // as that of wide
	model   *Fitted
	score   float64
	known   learn.Predictions // of the rows apart
	took    time.Duration     // with judging
	judging time.Duration     // of one model for each λ
	asked   time.Duration     // predictions of the rows apart
}

// Numbers of the contest: rows apart, centres of the first fit, what of the time that is left the
// last fit is planned to take, and by how much a larger model has to be better for a still larger
// one.
const (
	apartRows   = 4000
	apartShare  = 10 // one row of so many
	firstRung   = 256
	lastShare   = 0.9 // longer() has a margin of its own, and what does not end leaves what was judged before
	worthRung   = 1e-3
	wideTol     = 1e-5
	wideSteps   = 60
	tuningShare = 0.35

	alwaysAdded = 512 // centres

	// A preconditioner is made of all rows where that takes no longer than sketchPasses over them:
	// a few iterations are left then. Rows that few others are like are missed by a draw, and leave
	// forty and more; at least sketchTimes rows a centre are drawn.
	sketchPasses = 12
	sketchTimes  = 8
)

// newWide sets rows apart, like the rows held out for the test: later ones where there are times,
// whole groups where there are groups.
func newWide(w *wholeFit, e *engine) *wide {
	p := w.p
	count := min(apartRows, p.Len()/apartShare)
	searched := make([]bool, p.Len())
	for _, i := range w.rows {
		searched[i] = true
	}
	rng := rand.New(rand.NewPCG(w.search.Seed, 0x6170617274))
	var order []int
	switch {
	case p.Times != nil:
		order = descending(p.Times)
	case p.Groups != nil:
		order = groupsInTurn(p.Groups, searched, rng)
	default:
		order = rng.Perm(p.Len())
	}
	v := &wide{w: w, e: e, exact: math.NaN()}
	apart := make([]bool, p.Len())
	for _, i := range order {
		// A cell of the search is not judged by rows that it was fitted to; those of a time, or a
		// group, are together whatever was searched.
		if len(v.split.Test) < count && (!searched[i] || p.Times != nil) {
			apart[i] = true
			v.split.Test = append(v.split.Test, i)
		}
	}
	for i, a := range apart {
		if !a {
			v.split.Train = append(v.split.Train, i)
		}
	}
	slices.Sort(v.split.Test)
	v.judged, v.rest = p.Gather(v.split.Test), p.Gather(v.split.Train)
	return v
}

// groupsInTurn lists rows group by group, the groups in random order; groups with a row that was
// searched come last.
func groupsInTurn(groups []int, searched []bool, rng *rand.Rand) []int {
	rows, seen, names := map[int][]int{}, map[int]bool{}, []int{}
	for i, g := range groups {
		if rows[g] == nil {
			names = append(names, g)
		}
		rows[g] = append(rows[g], i)
		seen[g] = seen[g] || searched[i]
	}
	rng.Shuffle(len(names), func(a, b int) { names[a], names[b] = names[b], names[a] })
	slices.SortStableFunc(names, func(a, b int) int { return boolOrder(seen[a]) - boolOrder(seen[b]) })
	var out []int
	for _, g := range names {
		out = append(out, rows[g]...)
	}
	return out
}

func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}

// score judges a model on the rows apart.
func (v *wide) score(ctx context.Context, m *Fitted) float64 {
	_, score := v.judge(ctx, m)
	return score
}

// judge is what a model says of the rows apart, and its score.
func (v *wide) judge(ctx context.Context, m *Fitted) (learn.Predictions, float64) {
	known, err := m.known(context.WithoutCancel(ctx), v.judged) // of a fit that the time ended, too
	if err != nil {
		return known, math.NaN()
	}
	return known, v.e.metric.Score(known)
}

// solverOf is how equations with so many centres are solved for so many λ: where they are added up,
// all λ of a path cost as much as one.
func (v *wide) solverOf(centers, lambdas int) nystrom.Solver {
	switch {
	case lambdas > 2:
		return nystrom.Direct
	case v.w.solver != nystrom.Auto:
		return v.w.solver
	case centers <= alwaysAdded || v.added(centers) <= v.iterated(centers):
		return nystrom.Direct
	}
	return nystrom.Falkon
}

// path is the penalties to try: those that were given, or else these.
func (v *wide) path(found []float64) []float64 {
	if v.w.lambdas != nil {
		return v.w.lambdas
	}
	return found
}

// perPoint is penalties for each of n points, and as the learner has them, for all together.
func (v *wide) perPoint(lambdas []float64, n int) (each, whole []float64) {
	if v.w.lambdas == nil {
		return lambdas, scaled(lambdas, float64(n))
	}
	return scaled(lambdas, 1/float64(n)), lambdas
}

func scaled(v []float64, by float64) []float64 {
	out := make([]float64, len(v))
	for i := range v {
		out[i] = v[i] * by
	}
	return out
}

// fit learns from a problem on so many centres, for several λ. When ctx ends in the iterations the
// model is that of the last one. state goes on from one that was kept, and keeps others; nil:
// neither.
func (v *wide) fit(
	ctx context.Context, p learn.Problem[any], k kernel.Kernel[any], lambdas []float64, centers int,
	state func(*nystrom.Options),
) ([]*Fitted, error) {
	each, whole := v.perPoint(lambdas, p.Len())
	r := nystrom.Regression[any]{Kernel: k, PerPoint: true, Intercept: true, Weights: p.FitWeights(),
		Options: nystrom.Options{
			Centers: centers, Seed: v.w.search.Seed, Precision: gram.Single, Tol: wideTol, MaxIterations: wideSteps,
			Solver: v.solverOf(centers, len(lambdas)), Sketch: v.sketch(centers),
			Resources: learn.Resources{Threads: v.e.threads, Bytes: 2 * v.e.bytes, Device: v.e.device, TrustKernel: true}}}
	if state != nil {
		state(&r.Options)
	}
	var models []learn.Model[any]
	var err error
	if p.Task == data.Regression {
		var found []*nystrom.Regressor[any]
		found, err = r.Path(ctx, p.Points, p.Y, each)
		for _, m := range found {
			models = append(models, m)
		}
	} else {
		var found []*nystrom.Classifier[any, int]
		found, err = nystrom.Classification[any, int]{Regression: r}.Path(ctx, p.Points, p.Codes(), each)
		for _, m := range found {
			models = append(models, m)
		}
	}
	var stopped *learn.Stopped[any]
	if errors.As(err, &stopped) {
		models, err = []learn.Model[any]{stopped.Model}, nil
	}
	if err != nil {
		return nil, err
	}
	out := make([]*Fitted, len(models))
	for i, m := range models {
		out[i] = &Fitted{Learner: "nystrom", Kernel: k, Params: map[string]float64{"lambda": whole[i],
			"centres": float64(centers)},
			Task: p.Task, Rows: p.Len(), Classes: p.Classes, classes: p.ClassCount(), Model: m}
	}
	return out, nil
}

// clearly says whether a score is better than another by more than what the rows apart can leave to
// chance, about.
func (v *wide) clearly(better, than float64) bool {
	return v.loss(than)-v.loss(better) > 2/math.Sqrt(float64(v.judged.Len()))*v.loss(better)
}

// calibrated gives a classifier probabilities by the decision values of another on the rows apart,
// where they are asked for.
func (v *wide) calibrated(ctx context.Context, m, like *Fitted) *Fitted {
	if !(v.e.metric.NeedsProb || v.e.calibrate) || !m.Task.Classification() {
		return m
	}
	a, aok := m.Model.(learn.Classifier[any, int])
	b, bok := like.Model.(learn.Classifier[any, int])
	if !aok || !bok {
		return m
	}
	if c, ok := b.(*learn.Calibrated[any, int]); ok {
		b = c.Model()
	}
	c, err := learn.CalibrateOn(ctx, a, b, v.judged.Points, v.judged.Codes())
	if err != nil {
		return m
	}
	out := *m
	out.Model = c
	return &out
}

// climb fits on so many centres and judges; the best λ is kept. It returns nil where there was no
// time.
func (v *wide) climb(
	ctx context.Context, p learn.Problem[any], k kernel.Kernel[any], lambdas []float64, centers int,
) *rung {
	start := v.w.clock.now()
	models, err := v.fit(ctx, p, k, lambdas, centers, nil)
	if err != nil {
		return nil
	}
	var best *rung
	fitted := v.w.clock.now()
	for i, m := range models {
		m = v.calibrated(ctx, m, m)
		asked := v.w.clock.now()
		if known, s := v.judge(ctx, m); best == nil || v.e.metric.better(s, best.score) {
			best = &rung{centers: centers, rows: p.Len(), lambda: lambdas[i], model: m, score: s, known: known,
				asked: v.w.clock.now().Sub(asked)}
		}
	}
	best.took, best.judging = v.w.clock.now().Sub(start), v.w.clock.now().Sub(fitted)
	v.note(best.model, centers, best.score, best.took)
	return best
}

// take makes a fit the best so far.
func (v *wide) take(r *rung) {
	if v.best, v.lambda = r, r.lambda; r.known.Prob != nil {
		v.apart = &r.known
	}
}

func (v *wide) note(m *Fitted, centers int, score float64, took time.Duration) {
	r := m.Model.Report()
	v.growth = append(v.growth, Growth{Learner: m.Learner, Rows: m.Rows, Centers: centers, Score: score,
		Seconds: took.Seconds(), Bytes: r.Bytes, Residual: r.Certificate})
}
