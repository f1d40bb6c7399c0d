package tune

import (
	"context"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
)

// A fit of all rows may take longer than there is time, and leave nothing: of many rows some are
// fitted before, which is a model in hand and says what a row costs.
const (
	footRows      = 20_000
	footTimes     = 8   // all rows are so many times as many
	footCenters   = 128 // at most
	firstShare    = 0.3 // of the time that is left, for the first fit of all rows
	fewestCenters = 16
)

// firstFit is the first fit with a kernel: of all rows where there is time for that, on fewer
// centres if need be, else of some. It is that of some, too, where that is clearly worse than the
// best so far. Nil: there was no time.
func (v *wide) firstFit(ctx context.Context, k kernel.Kernel[any], lambdas []float64) *rung {
	if v.rest.Len() < footTimes*v.w.foot || v.w.foot == 0 {
		return v.climb(ctx, v.rest, k, lambdas, v.first())
	}
	few := min(footCenters, v.first())
	if v.w.centers > 0 {
		few = min(v.first(), v.w.foot)
	}
	foot := v.climb(ctx, v.someRest(v.w.foot), k, lambdas, few)
	if foot == nil || v.best != nil && v.clearly(v.best.score, foot.score) {
		return foot
	}
	centers := v.first()
	for v.w.centers == 0 && centers > fewestCenters && !v.affords(foot, centers, firstShare) {
		centers = max(centers/2, fewestCenters)
	}
	if !v.affords(foot, centers, firstShare) {
		return foot
	}
	if all := v.climb(ctx, v.rest, k, lambdas, centers); all != nil && !v.clearly(foot.score, all.score) {
		return all // of two that chance could have put in this order the one of all rows
	}
	return foot
}

// affords says whether a fit of all rows on so many centres takes no more than a share of the time
// that is left, by what another took.
func (v *wide) affords(by *rung, centers int, share float64) bool {
	return float64(v.longer(by, centers)) <= share*float64(v.left(by, centers))
}

// mostRows is the last fit where there was no time for one of all rows on the centres that there
// are: on fewer of them, or of as many rows as there is time for.
func (v *wide) mostRows(ctx context.Context) {
	centers := v.best.centers
	if v.w.centers > 0 {
		centers = v.first()
	}
	for v.w.centers == 0 && centers > fewestCenters && !v.affords(v.best, centers, lastShare) {
		centers = max(3*centers/4, fewestCenters)
	}
	rows := v.rest.Len()
	if !v.affords(v.best, centers, lastShare) {
		rows = int(float64(rows) * lastShare * float64(v.left(v.best, centers)) / float64(v.longer(v.best, centers)))
	}
	if rows <= v.best.rows {
		return
	}
	within, cancel := v.w.clock.until(ctx, v.w.end)
	defer cancel()
	if r := v.climb(within, v.someRest(rows), v.kernel, []float64{v.lambda}, centers); r != nil &&
		!v.clearly(v.best.score, r.score) {
		v.take(r)
	}
}

// someRest is so many of the rows that are not apart.
func (v *wide) someRest(count int) learn.Problem[any] {
	if count >= v.rest.Len() {
		return v.rest
	}
	return v.rest.Gather(someRows(v.rest, count, v.w.search.Seed))
}
