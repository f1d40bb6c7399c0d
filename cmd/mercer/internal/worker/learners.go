package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/all"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
	trees "github.com/mercer-ml/mercer/kernel/forest"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/gp"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Points are erased here: a learner of the table takes those of any type, with a kernel on them.

// fitJob is a fit with everything but its points.
type fitJob struct {
	args    fitArgs
	y       [][]float64 // a list for each target
	weights []float64
	noise   []float64 // the variance that is known of each target
	trace   trace.Func
	bag     *trees.OutOfBag // of a forest
	shares  []float64       // that columns have in what its cuts gain
}

// saved is the plain data of a model, whatever its points are.
type saved struct {
	numbers map[string]float64
	arrays  map[string]*mat.Dense
	coef    *mat.Dense
	bias    []float64
}

// on fits to points of one of the kinds.
func (j *fitJob) on(ctx context.Context, x points) (*fitted, error) {
	switch {
	case x.sparse != nil:
		k, err := onSparse(j.args.Kernel, x.sparse.Dim())
		if err != nil {
			return nil, err
		}
		m, err := learnFrom(ctx, j, kernel.OnSparseVectors(k), data.EraseSparse(x.sparse))
		if err != nil {
			return nil, err
		}
		return keep(j, m, m)
	case x.gram != nil:
		n, c := x.gram.Dims()
		if n != c {
			return nil, fmt.Errorf("precomputed matrix must be a square matrix: %d × %d", n, c)
		}
		m, err := learnFrom(ctx, j, kernel.OnVectors(listed{x.gram}), data.EraseVectors(places(n)))
		if err != nil {
			return nil, err
		}
		return keep(j, m, onObjects{m, x.gram})
	}
	k, err := spec.ParseKernel(j.args.Kernel)
	if err != nil {
		return nil, err
	}
	m, err := learnFrom(ctx, j, kernel.OnVectors(k), data.EraseVectors(data.Rows(x.dense)))
	if err != nil {
		return nil, err
	}
	return keep(j, m, m)
}

// learnFrom fits a learner of the table, or the one-class machine, which has no targets and so is
// not in it.
func learnFrom(ctx context.Context, j *fitJob, k kernel.Kernel[any], x data.Points[any]) (learn.Saver[any], error) {
	e := kernel.Examples{Points: x, Weights: j.weights, Threads: j.args.Threads}
	if len(j.y) > 0 {
		e.Targets = j.y[0]
	}
	if j.task().Classification() {
		e.Classes = len(j.args.Classes)
	}
	k, err := kernel.Learn(ctx, k, e)
	if err != nil {
		return nil, err
	}
	s := learn.Settings{Kernel: k, NoIntercept: j.args.NoIntercept, Proba: j.args.Proba, Tol: j.args.Tol,
		MaxIterations: j.args.MaxIterations, Resources: learn.Resources{
			Threads: j.args.Threads, Bytes: j.args.Bytes, Trace: j.trace, TrustKernel: definite(k),
		}}
	if j.args.Learner == "one-class" {
		nu, _ := j.args.Params["nu"].(float64)
		return svm.OneClass[any]{Kernel: k, Nu: nu, Weights: j.weights,
			Options: svm.Options{Tol: s.Tol, MaxIterations: s.MaxIterations, Resources: s.Resources}}.Fit(ctx, x)
	}
	p := learn.Problem[any]{Points: x, Task: j.task(), Classes: j.args.Classes, Weights: j.weights, Noise: j.noise}
	if len(j.y) > 0 {
		p.Y, p.More = j.y[0], j.y[1:]
	}
	if len(p.More) == 0 {
		p.More = nil
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	entry, err := all.ByName(j.args.Learner)
	if err != nil {
		return nil, err
	}
	if s.Params, err = settings(entry.ParamsFor(p.Task), j.args); err != nil {
		return nil, err
	}
	if j.args.Forest != nil {
		return j.fitForest(ctx, s, p)
	}
	if j.args.Process != nil {
		return fitProcess(ctx, *j.args.Process, s, p)
	}
	if j.args.Learner == "linear-svm" { // whose entry has a tolerance of its own, that of a search
		return svm.LinearClassification[any, int]{C: s.Params["C"], Hinge: s.Asks("loss"), NoIntercept: s.Asks("bias"),
			Weights: p.Weights,
			Tol:     s.Tol, MaxIterations: s.MaxIterations, Resources: s.Resources}.Fit(ctx, x, p.Codes())
	}
	m, err := entry.Fit(ctx, s, p)
	if err != nil {
		return nil, err
	}
	return m.(learn.Saver[any]), nil
}

// processArgs is what a Gaussian process can be told beyond its entry in the table.
type processArgs struct {
	Fixed    bool     `json:"fixed"` // the parameters of the kernel stay
	Noise    *float64 `json:"noise"` // nil: found
	FitMean  bool     `json:"fit_mean"`
	Restarts int      `json:"restarts"`
	Seed     uint64   `json:"seed"`
}

func fitProcess(
	ctx context.Context, args processArgs, s learn.Settings, p learn.Problem[any],
) (learn.Saver[any], error) {
	hyper := gp.HyperOptions{FixedKernel: args.Fixed, Restarts: args.Restarts, Seed: args.Seed}
	if p.Task.Classification() {
		return gp.Classification[any, int]{Kernel: s.Kernel, Weights: p.Weights, HyperOptions: hyper,
			Resources: s.Resources}.Fit(ctx, p.Points, p.Codes())
	}
	g := gp.Regression[any]{Kernel: s.Kernel, Weights: p.Weights, PointNoise: p.Noise, FitMean: args.FitMean,
		HyperOptions: hyper, Resources: s.Resources}
	if args.Noise != nil {
		g.Noise, g.FixedNoise, g.NoNoise = *args.Noise, *args.Noise > 0, *args.Noise == 0
	}
	return g.Fit(ctx, p.Points, p.Y)
}

func (j *fitJob) task() data.Task {
	switch {
	case j.args.Task == "regression":
		return data.Regression
	case len(j.args.Classes) == 2:
		return data.Binary
	}
	return data.Multiclass
}

// settings is the parameters of a learner: those that were said, and the defaults of the others.
func settings(params []learn.Param, args fitArgs) (map[string]float64, error) {
	out := map[string]float64{}
	var names []string
	for _, p := range params {
		out[p.Name] = p.Default
		names = append(names, p.Name)
	}
	for name, said := range args.Params {
		i := slices.Index(names, name)
		if i < 0 {
			return nil, fmt.Errorf("%s has no parameter %q; it has %s", args.Learner, name, strings.Join(names, ", "))
		}
		switch v := said.(type) {
		case float64:
			if d := params[i].Domain; !d.Contains(v) {
				return nil, fmt.Errorf("%s: %s is %g; %s", args.Learner, name, v, params[i].Summary)
			}
			out[name] = v
		case string:
			place := slices.Index(params[i].Choices, v)
			if place < 0 {
				return nil, fmt.Errorf("%s: %s is %q; give %s", args.Learner, name, v, strings.Join(params[i].Choices, ", "))
			}
			out[name] = float64(place)
		}
	}
	return out, nil
}

// keep makes a model file of what was fitted: m is what was learnt, file how it is written.
func keep[U any](j *fitJob, m learn.Saver[any], file learn.Saver[U]) (*fitted, error) {
	return keepWith(j, m, file, nil)
}

// keepWith is keep of a model that has an encoder.
func keepWith[U any](j *fitJob, m learn.Saver[any], file learn.Saver[U], encoder *data.Encoder) (*fitted, error) {
	classes := j.args.Classes
	if j.args.Learner == "one-class" {
		classes = nil
	}
	info := model.Info{Spec: j.args.Learner, Classes: classes, Encoder: encoder}
	if t := j.args.TargetScale; len(t) == 2 {
		info.TargetScale = &data.Affine{Center: t[0], Factor: t[1]}
	}
	done, err := model.New(file, info)
	if err != nil {
		return nil, err
	}
	plain := m.Saved()
	out := &fitted{model: done, report: m.Report(), saved: saved{plain.Numbers, plain.Arrays, plain.Func.Coef,
		plain.Func.Bias}}
	if s, ok := any(m).(interface{ Support() []int }); ok {
		out.support = s.Support()
	}
	if d, ok := any(m).(interface{ Dual() *mat.Dense }); ok { // the function may have weights of features
		if dual := d.Dual(); dual != nil {
			out.saved.coef = dual
		}
	}
	out.told, out.bag, out.shares = map[string]float64{}, j.bag, j.shares
	if j.bag != nil {
		out.told["oob_score"] = j.bag.Score
	}
	out.machines = machinesOf(m)
	if e, ok := any(m).(interface{ LogMarginal() float64 }); ok {
		out.told["log_marginal"] = e.LogMarginal()
	}
	if e, ok := any(m).(interface{ Noise() float64 }); ok {
		out.told["noise"] = e.Noise()
	}
	if rows, ok := data.Concrete(plain.Func.Centers).(data.DenseRows); ok {
		raw := rows.RawMatrix()
		out.centers = mat.NewDense(raw.Rows, raw.Cols, nil)
		out.centers.Copy(mat.NewDense(raw.Rows, raw.Stride, raw.Data[:raw.Rows*raw.Stride]).Slice(0, raw.Rows, 0, raw.Cols))
	}
	return out, nil
}

// definite says that a kernel is known to be positive semi-definite, so that nobody need look at
// its matrix.
func definite(k kernel.Kernel[any]) bool {
	return kernel.PropertiesOf(k).PSD == kernel.Yes
}
