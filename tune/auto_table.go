package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"gonum.org/v1/gonum/mat"
)

// Table is rows that do not fit into memory: read in chunks, pass after pass. load.OpenTable makes
// one of a file.
type Table interface {
	data.Passer
	// Head is some of the first rows, with the roles of columns.
	Head() *data.Dataset
}

// Of the time of AutoTable a search on rows that are drawn takes a share; of these some are held
// out for the test.
const (
	tableSearch = 0.4
	tableRows   = 200_000
	tableTests  = 20_000
)

// AutoTable is Auto for a table that is read in passes. The first fits the encoder to all rows and
// draws some of them; Auto searches on those, and holds some out for the test; the model is then
// fitted on few centres to all rows but those held out, pass after pass, in the time that is left.
// The data set is the rows that were drawn, which the result's Split is of.
func AutoTable(ctx context.Context, t Table, o AutoOptions) (*AutoResult, *data.Dataset, error) {
	a := &tableFit{table: t, o: o, clock: clockOr(o.clock)}
	if a.o.Budget == 0 {
		a.o.Budget = time.Minute
	}
	if a.o.Bytes == 0 {
		a.o.Bytes = gram.DefaultBytes()
	}
	a.start = a.clock.now().Add(-o.Spent)
	if err := a.check(); err != nil {
		return nil, nil, err
	}
	for _, step := range []func(context.Context) error{a.survey, a.search, a.fit, a.judge} {
		if err := step(ctx); err != nil {
			return nil, nil, err
		}
	}
	a.r.Elapsed = a.clock.now().Sub(a.start) + o.Spent
	return a.r, a.sample, nil
}

type tableFit struct {
	table Table
	o     AutoOptions
	clock clock
	start time.Time

	all     int // rows
	pass    time.Duration
	encoder *data.Encoder
	sample  *data.Dataset
	drawn   []int // rows of the table
	r       *AutoResult
	found   *found
}

func (a *tableFit) left() time.Duration { return a.start.Add(a.o.Budget).Sub(a.clock.now()) }

// survey reads all rows once: scales, levels, and rows to search on.
func (a *tableFit) survey(ctx context.Context) error {
	head := a.table.Head()
	target, err := head.Column(head.Target)
	if err != nil {
		return err
	}
	if a.o.Task == data.Unsupervised {
		if a.o.Task, _, err = data.InferTask(target); err != nil {
			return data.PlaceError(head.Name, 0, err)
		}
	}
	a.o.Encoder.Task = a.o.Task
	fit, err := data.NewEncoderFit(a.o.Encoder)
	if err != nil {
		return err
	}
	// Rows that are drawn are held as read, as encoded, and in parts of a search.
	each := max(a.o.Bytes/16/int64(8*max(len(head.Columns), 1)), 1)
	draw := data.NewRowSample(int(min(tableRows, each)), a.o.Seed)
	begun := a.clock.now()
	if err := a.table.Pass(ctx, func(d *data.Dataset) error {
		if err := fit.Add(d); err != nil {
			return err
		}
		return draw.Add(d)
	}); err != nil {
		return err
	}
	a.pass, a.all = a.clock.now().Sub(begun), fit.Rows()
	if a.encoder, err = fit.Encoder(); err != nil {
		return err
	}
	a.sample, a.drawn, err = draw.Rows()
	return err
}

// search is Auto on the rows that were drawn, for kernel and penalty.
func (a *tableFit) search(ctx context.Context) error {
	o := a.o
	o.Spent = a.clock.now().Sub(a.start)
	o.Budget = o.Spent + time.Duration(tableSearch*float64(a.left()))
	o.Bytes /= 2
	o.fitted, o.only = a.encoder, onlyCenters
	if n := a.sample.Len(); o.Holdout >= 0 && n > 5*tableTests {
		o.Holdout = float64(tableTests) / float64(n)
	}
	r, err := Auto(ctx, a.sample, o)
	if err != nil {
		return err
	}
	f, ok := r.outcome.(found)
	if ok && f.Result.first { // on rows that were drawn: there is no time for all of them
		a.r, a.found = r, &f
		return nil
	}
	if !ok || f.Result.wide == "" {
		return fault.Errorf("tune", "there was no time to search on %s rows that were drawn; give more time",
			phrase.Thousands(len(a.drawn)))
	}
	a.r, a.found = r, &f
	return nil
}

// fit learns from all rows but those held out.
func (a *tableFit) fit(ctx context.Context) error {
	if a.found.Result.first {
		return nil
	}
	except := data.Take(a.drawn, a.r.Split.Test)
	rows, err := data.NewEncodedRows(ctx, a.table, a.encoder, except)
	if err != nil {
		return err
	}
	m := a.found.Model
	lambda := m.Params["lambda"] / float64(m.Rows)
	given := a.o.givenValues("lambda", a.r.Task)
	if given != nil {
		lambda = m.Params["lambda"] / float64(rows.Len()) // the number that was asked for is of all rows together
	}
	centers, solver, err := a.plan(ctx, rows.Len(), m)
	if err != nil {
		return err
	}
	within, cancel := a.clock.until(ctx, a.start.Add(a.o.Budget-judging(len(a.r.Split.Test))))
	defer cancel()
	begun, source := a.clock.now(), data.EraseVectorSource(rows)
	r := nystrom.Regression[any]{Kernel: m.Kernel, Lambda: lambda, PerPoint: true, Intercept: true,
		Options: nystrom.Options{
			Centers: centers, Solver: solver, Precision: gram.Single, Tol: wideTol, Sketch: sketchTimes * centers,
			Seed:      a.o.Seed,
			Resources: learn.Resources{Threads: a.o.Threads, Bytes: a.o.Bytes, Device: a.o.Device, TrustKernel: true}}}
	var model learn.Model[any]
	if a.r.Task == data.Regression {
		model, err = fitting.Fitted(r.FitSource(within, source))
	} else {
		codes := make([]int, len(a.encoder.Target.Classes))
		for c := range codes {
			codes[c] = c
		}
		model, err = fitting.Fitted(nystrom.Classification[any, int]{Regression: r}.FitSource(within, source, codes))
	}
	var stopped *learn.Stopped[any]
	switch {
	case errors.As(err, &stopped) && stopped.Model.Report().Certificate > enoughResidual:
		a.r.doubt("the time was up early in the iterations on all %s rows (relative residual %.2g): the model is of %s "+
			"that were drawn", phrase.Thousands(rows.Len()), stopped.Model.Report().Certificate, phrase.Thousands(m.Rows))
		return nil
	case errors.As(err, &stopped):
		model = stopped.Model
		a.r.doubt("the time was up in the iterations on all rows: relative residual %.2g after %d",
			model.Report().Certificate, model.Report().Iterations)
	case err != nil && within.Err() != nil:
		a.r.doubt("there was no time for a fit of all %s rows: the model is of %s that were drawn",
			phrase.Thousands(rows.Len()), phrase.Thousands(m.Rows))
		return nil
	case err != nil:
		return err
	}
	out := *m
	if c, ok := m.Model.(*learn.Calibrated[any, int]); ok {
		model = learn.WithSlope[any, int](model.(*nystrom.Classifier[any, int]), c.Slope())
	}
	out.Model, out.Rows = model, rows.Len()
	out.Params = map[string]float64{"lambda": lambda * float64(rows.Len()), "centres": float64(centers)}
	if given != nil {
		out.Params["lambda"] = m.Params["lambda"]
	}
	if given := int(m.Params["centres"]); centers < given {
		if few, many, err := a.compare(ctx, &out, m); err != nil {
			return err
		} else if a.found.Metric.better(many, few) {
			a.r.doubt("on all %s rows there was time for %d centres, which are worse (%s %.4g) than %d of %s that were drawn "+
				"(%.4g): the model is of those; give more time", phrase.Thousands(rows.Len()), centers, a.found.Metric.Name, few,
				given, phrase.Thousands(m.Rows), many)
			return nil
		}
	}
	took := a.clock.now().Sub(begun)
	a.r.Growth = append(a.r.Growth, Growth{Learner: "nystrom", Rows: rows.Len(), Centers: centers, Score: math.NaN(),
		Seconds: took.Seconds(), Bytes: model.Report().Bytes, Residual: model.Report().Certificate})
	for i := range a.r.Chosen.Params {
		a.r.Chosen.Params[i].Value = out.Params[a.r.Chosen.Params[i].Name]
	}
	a.found.Result.Model = &out
	a.r.outcome, a.r.Given = *a.found, rows.Len()
	a.r.note("fitted on all %s rows but those held out, %s centres, in passes of %.3g s of reading (%s rows a "+
		"second in all)", phrase.Thousands(rows.Len()), phrase.Thousands(centers), a.pass.Seconds(),
		phrase.Thousands(int(float64(rows.Len())/math.Max(took.Seconds(), 1e-9))))
	return nil
}

// compare judges a model of all rows on few centres and one of the rows that were drawn on more, by
// some of these, which both have seen: so many rows to a centre leave nothing that one of them
// knows by heart. Rows held out for the test choose nothing.
func (a *tableFit) compare(ctx context.Context, few, many *Fitted) (fewScore, manyScore float64, err error) {
	x, err := a.encoder.TransformLabelled(a.sample.Gather(a.r.Split.Train[:min(len(a.r.Split.Train), tableTests)]))
	if err != nil {
		return 0, 0, err
	}
	p, err := a.found.problem(x)
	if err != nil {
		return 0, 0, err
	}
	var scores [2]float64
	for i, m := range []*Fitted{few, many} {
		known, err := m.known(context.WithoutCancel(ctx), p) // of a fit that was stopped, too
		if err != nil {
			return 0, 0, err
		}
		scores[i] = a.found.Metric.Score(known)
	}
	return scores[0], scores[1], nil
}

// passes is how many a fit by conjugate gradients takes, about.
const passes = 14

// plan measures what rows and centres cost on some of the rows drawn, and says how many centres
// there is time for and how to solve.
func (a *tableFit) plan(ctx context.Context, n int, m *Fitted) (int, nystrom.Solver, error) {
	x, err := a.encoder.TransformLabelled(a.sample.Gather(a.r.Split.Train[:min(len(a.r.Split.Train), 1<<15)]))
	if err != nil {
		return 0, 0, err
	}
	given := int(m.Params["centres"])
	if a.o.Centers > 0 {
		given = a.o.Centers
	}
	probe := min(512, x.Len())
	pair, err := gram.NewPair(m.Kernel, data.EraseVectorSource(data.NewInMemory[kernel.Vec](x.Dense, nil, 0, nil)),
		data.EraseVectors(data.Span[kernel.Vec](x.Dense, 0, probe)),
		gram.PairOptions{Threads: a.o.Threads, Precision: gram.Single})
	if err != nil {
		return 0, 0, err
	}
	v := mat.NewDense(probe, 1, nil)
	begun := a.clock.now()
	if err := pair.MulTo(ctx, v, v, gram.Copy[any]); err != nil {
		return 0, 0, err
	}
	each := a.clock.now().Sub(begun).Seconds() / float64(x.Len()) / float64(probe) // a row and a centre
	left, all := a.left().Seconds(), float64(n)*each
	most := math.Min(math.Sqrt(float64(a.o.Bytes)/64), 16*math.Sqrt(float64(n)))
	if a.o.Centers > 0 {
		most = float64(given)
	}
	// Iterations read all rows again and again, and leave a model whenever they end; the equations
	// are added up in one pass, with more work the more centres there are, and leave nothing before
	// its end: for them there has to be twice the time. all·(M + directWork·M²) is that of the
	// pass.
	byPasses := math.Max((lastShare*left/passes-a.pass.Seconds())/all, 0)
	spare := math.Max((left/2-3*a.pass.Seconds())/all, 0)
	inOne := (math.Sqrt(1+4*directWork*spare) - 1) / (2 * directWork)
	switch {
	case a.o.Centers > 0 && inOne >= float64(given):
		return given, nystrom.Direct, nil
	case a.o.Centers > 0:
		return given, nystrom.Falkon, nil
	case inOne >= math.Min(byPasses, most) || inOne >= 1000:
		return int(math.Max(math.Min(inOne, most), 16)), nystrom.Direct, nil
	}
	return int(math.Max(math.Min(byPasses, most), 16)), nystrom.Falkon, nil
}

// directWork is what sums of products cost for each centre, in units of a product with a vector.
const directWork = 0.1

// judge asks the model about the rows held out.
func (a *tableFit) judge(ctx context.Context) error {
	a.r.Test, a.r.TestPredictions, a.r.Refused = nil, learn.Predictions{}, 0
	return a.r.judge(ctx, a.sample, a.o.Seed, timeLeft(ctx, a.clock, a.start.Add(a.o.Budget)), a.clock)
}

// check refuses what a table cannot have.
func (a *tableFit) check() error {
	if a.o.Learners != nil && !a.o.onlyNamed(ofCenters...) {
		return fault.In("tune", &NotFitted{a.o.learnerNames(),
			fmt.Errorf("the table is larger than the memory and is read in passes, by which nystrom is fitted alone; give " +
				"more memory, or take fewer rows")})
	}
	if values := a.o.givenValues("centres", a.o.Task); len(values) == 1 && a.o.Centers == 0 {
		a.o.Centers = int(values[0])
	}
	if a.o.Columns != nil || a.o.Time != "" {
		return fault.Errorf("tune", "kernels of columns and rows in time need the table in memory")
	}
	if a.o.Solver != "" && solverNamed(a.o.Solver).contest != onlyCenters {
		return fault.Errorf("tune",
			"solver %q needs the table in memory; a table that is read in passes is fitted by nystrom or falkon", a.o.Solver)
	}
	if a.o.Transform != "" && a.o.Transform != transformNone {
		return fault.Errorf("tune",
			"transform %q of the target needs the table in memory; take fewer rows, or map the column before", a.o.Transform)
	}
	if name := a.table.Head().Noise; name != "" {
		return fault.Errorf("tune",
			"a table that is read in passes is fitted on few centres, which do not heed the noise of each row (%q); take "+
				"fewer rows, or leave the noise out", name)
	}
	if n := len(a.table.Head().More); n > 0 {
		return fault.Errorf("tune",
			"a table that is read in passes has one target, and %d are named; take fewer rows, or fit a model for each", n+1)
	}
	return nil
}
