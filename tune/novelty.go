package tune

import (
	"context"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
)

// NoveltyOptions steers Novelty; the zero value is a sound choice.
type NoveltyOptions struct {
	Nu     float64                   // share of the fitted rows that may lie outside, in (0, 1]; 0 means 0.05
	Kernel kernel.Kernel[kernel.Vec] // nil: a Gaussian with the median distance of two rows for its length-scale
	// Written is a kernel as text, in place of Kernel: it may name columns, and compare objects.
	// Without either, rows with columns of objects are compared by Compared.Likeliest.
	Written string
	Encoder data.EncoderOptions
	Holdout float64    // share of rows kept for the test; 0 means 0.2, negative none
	Split   *data.Fold // rows fitted on and held out, in place of Holdout
	// Target, where there is one, is no feature but says what rows are known to be: those of the
	// class Novel are not fitted on, and all held out.
	Target, Novel string

	Seed    uint64
	Threads int
	Bytes   int64
}

// NoveltyResult is a detector and how it does on rows that it was not fitted on.
type NoveltyResult struct {
	Encoder *data.Encoder
	Kernel  kernel.Kernel[kernel.Vec] // nil: rows have columns of objects
	Nu      float64
	Split   data.Fold // rows fitted on and held out
	Dropped int       // rows left out for missing values
	Notes   []string  // what was decided about columns that nobody asked for
	Support int
	Fitted  float64 // share of the fitted rows that lie outside, not on the border: at most Nu

	// Tested is how many rows held out are like the fitted ones, Alarms the share of them that lies
	// outside, with its 95 % interval: what to expect of new rows.
	Tested                        int
	Alarms, AlarmsLow, AlarmsHigh float64
	// Novel is how many rows held out are known to be novel, Caught the share of them that lies
	// outside, and AUC the chance that one lies further out than a row like the fitted ones; NaN
	// without any.
	Novel                         int
	Caught, CaughtLow, CaughtHigh float64
	AUC                           float64

	save func(info model.Info) (*model.Model, error)
}

// Novelty learns where the rows of a data set lie, without a target (a one-class support vector
// machine; Schölkopf et al. 2001), to say of new rows whether they are like them.
func Novelty(ctx context.Context, d *data.Dataset, o NoveltyOptions) (*NoveltyResult, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if o.Nu == 0 {
		o.Nu = 0.05
	}
	if !(o.Nu > 0 && o.Nu <= 1) {
		return nil, fault.Errorf("tune", "Nu is %g; give a share in (0, 1]", o.Nu)
	}
	r := &NoveltyResult{Nu: o.Nu}
	novel, err := r.divide(d, o)
	if err != nil {
		return nil, err
	}
	plain := *d
	plain.Target = ""
	plain.Columns = slices.DeleteFunc(slices.Clone(d.Columns), func(c data.Column) bool {
		return o.Target != "" &&
			c.Name == o.Target
	})
	train := plain.Gather(r.Split.Train)
	how, train, err := Compare(train, o.Written, o.Encoder)
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	r.Encoder, r.Notes = how.Encoder, how.Notes
	x, err := r.Encoder.Transform(train)
	if err != nil {
		return nil, data.PlaceRow(r.Split.Train, err)
	}
	r.Dropped = train.Len() - x.Len()
	var weights []float64
	if d.Weights != "" {
		if weights, err = d.RowWeights(data.Take(r.Split.Train, x.Kept)); err != nil {
			return nil, err
		}
	}
	test := &data.Encoded{}
	if len(r.Split.Test) > 0 {
		if test, err = r.Encoder.Transform(plain.Gather(r.Split.Test)); err != nil {
			return nil, heldOut(err, r.Split.Test)
		}
	}
	resources := learn.Resources{Threads: o.Threads, Bytes: o.Bytes}
	if !how.Vectors() {
		err = detectRows(ctx, r, how, x, test, weights, data.Take(novel, test.Kept), o, resources)
		return r, err
	}
	if o.Kernel, err = how.vectorKernel(o.Kernel); err != nil {
		return nil, err
	}
	if x.Sparse != nil {
		var held data.Points[any]
		if test.Sparse != nil {
			held = data.EraseSparse(*test.Sparse)
		}
		err = detect(ctx, r, data.EraseSparse(*x.Sparse), held, onSparse(r.Encoder.Dim), weights, data.Take(novel, test.Kept),
			o, resources)
	} else {
		var held data.Points[any]
		if test.Len() > 0 {
			held = data.EraseVectors(test.Dense)
		}
		err = detect(ctx, r, data.EraseVectors(x.Dense), held, onVectors, weights, data.Take(novel, test.Kept), o, resources)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

// divide sets Split, and says of the rows held out whether they are known to be novel.
func (r *NoveltyResult) divide(d *data.Dataset, o NoveltyOptions) ([]bool, error) {
	isNovel := make([]bool, d.Len())
	if o.Target != "" && o.Novel != "" {
		c, err := d.Column(o.Target)
		if err != nil {
			return nil, err
		}
		known, err := c.As(data.Categorical)
		if err != nil {
			return nil, err
		}
		for i, code := range known.Codes {
			isNovel[i] = code >= 0 && known.Levels[code] == o.Novel
		}
	}
	var usual, others []int
	for i, n := range isNovel {
		if n {
			others = append(others, i)
		} else {
			usual = append(usual, i)
		}
	}
	switch {
	case len(usual) == 0:
		return nil, fault.Errorf("tune", "all rows are of class %q: there is nothing to learn what is usual from", o.Novel)
	case o.Split != nil:
		for _, i := range o.Split.Train {
			if !isNovel[i] {
				r.Split.Train = append(r.Split.Train, i)
			}
		}
		r.Split.Test = o.Split.Test
	case o.Holdout < 0 || len(usual) < 10:
		r.Split = data.Fold{Train: usual, Test: others}
	default:
		share := o.Holdout
		if share == 0 {
			share = 0.2
		}
		f, err := data.Holdout(len(usual), share, o.Seed)
		if err != nil {
			return nil, fault.In("tune", err)
		}
		slices.Sort(f.Train)
		r.Split = data.Fold{Train: data.Take(usual, f.Train), Test: append(data.Take(usual, f.Test), others...)}
	}
	if len(r.Split.Train) == 0 {
		return nil, fault.Errorf("tune", "no rows to fit on")
	}
	out := make([]bool, len(r.Split.Test))
	for i, row := range r.Split.Test {
		out[i] = isNovel[row]
	}
	return out, nil
}

// detect chooses the kernel of vectors.
func detect(
	ctx context.Context, r *NoveltyResult, x, held data.Points[any],
	lift func(kernel.Kernel[kernel.Vec]) (kernel.Kernel[any], error), weights []float64, novel []bool, o NoveltyOptions,
	resources learn.Resources,
) error {
	if r.Kernel = o.Kernel; r.Kernel == nil {
		linear, err := lift(kernel.Linear{})
		if err != nil {
			return err
		}
		r.Kernel = kernel.Gaussian{Lengthscale: medianDistance(x, linear, o.Seed)}
	}
	k, err := lift(r.Kernel)
	if err != nil {
		return err
	}
	return detectBy(ctx, r, k, x, held, weights, novel, o, resources)
}

// detectRows is detect of rows with columns of objects.
func detectRows(
	ctx context.Context, r *NoveltyResult, how *Compared, x, test *data.Encoded, weights []float64, novel []bool,
	o NoveltyOptions, resources learn.Resources,
) error {
	rows, err := how.Rows(x)
	if err != nil {
		return data.PlaceRow(r.Split.Train, err)
	}
	k, err := how.Kernel()
	if err == nil && k == nil {
		if o.Kernel != nil {
			return fault.Errorf("tune", "a kernel on features, and rows have columns of objects; give it as text")
		}
		k, err = how.Likeliest(rows, o.Seed)
	}
	if err != nil {
		return err
	}
	var held data.Points[any]
	if test.Len() > 0 {
		if held, err = how.Rows(test); err != nil {
			return heldOut(err, r.Split.Test)
		}
	}
	return detectBy(ctx, r, k, rows, held, weights, novel, o, resources)
}

// detectBy fits the machine with a kernel and judges it.
func detectBy(
	ctx context.Context, r *NoveltyResult, k kernel.Kernel[any], x, held data.Points[any], weights []float64, novel []bool,
	o NoveltyOptions, resources learn.Resources,
) error {
	k, err := kernel.Learn(ctx, k, kernel.Examples{Points: x, Weights: weights, Threads: o.Threads})
	if err != nil {
		return fault.In("tune", err)
	}
	m, err := svm.OneClass[any]{Kernel: k, Nu: o.Nu, Weights: weights, Options: svm.Options{Resources: resources}}.Fit(ctx,
		x)
	if err != nil {
		return fault.In("tune", err)
	}
	r.Support = len(m.Support())
	fitted, err := m.Decision(ctx, x)
	if err != nil {
		return err
	}
	// Support vectors that are free lie on the border, at 0 to what the solver left: they are
	// outside no more than inside, and a share above ν is theirs alone.
	inside := make([]bool, x.Len())
	for i := range inside {
		inside[i] = fitted.At(i, 0) >= -m.Report().Certificate
	}
	r.Fitted = outsideShare(inside)
	r.save = func(info model.Info) (*model.Model, error) {
		info.Encoder, info.Rows = r.Encoder, x.Len()
		return model.New(learn.Saver[any](savedDetector{m}), info)
	}
	r.Alarms, r.Caught, r.AUC = math.NaN(), math.NaN(), math.NaN()
	if held == nil || held.Len() == 0 {
		return nil
	}
	values, err := m.Decision(ctx, held)
	if err != nil {
		return err
	}
	p := learn.Predictions{Classes: 2, Score: make([]float64, 2*held.Len())}
	var usual, caught []bool
	for i := range held.Len() {
		v := values.At(i, 0)
		if p.Score[2*i], p.Score[2*i+1] = v, -v; novel[i] {
			caught = append(caught, v > 0)
			p.Truth = append(p.Truth, 1)
		} else {
			usual = append(usual, v > 0)
			p.Truth = append(p.Truth, 0)
		}
	}
	if r.Tested = len(usual); r.Tested > 0 {
		r.Alarms = outsideShare(usual)
		r.AlarmsLow, r.AlarmsHigh = wilson(r.Alarms, float64(len(usual)))
	}
	if r.Novel = len(caught); r.Novel > 0 {
		r.Caught = outsideShare(caught)
		r.CaughtLow, r.CaughtHigh = wilson(r.Caught, float64(len(caught)))
		r.AUC = auc(p, 1)
	}
	return nil
}

// savedDetector is a detector as a model file wants it: with a Saved.
type savedDetector struct{ *svm.Detector[any] }

func outsideShare(inside []bool) float64 {
	n := 0
	for _, in := range inside {
		if !in {
			n++
		}
	}
	return float64(n) / float64(len(inside))
}

// Model is the detector as a model file holds it. Its predictions are "inside" and "outside".
func (r *NoveltyResult) Model(info model.Info) (*model.Model, error) { return r.save(info) }
