package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
)

// Classification is the support vector classifier (SVC). For two classes, y = ±1, it solves
//
//	minimise over f in the RKHS, b, ξ   ½‖f‖² + C Σ wᵢ ξᵢ
//	subject to                          yᵢ (f(xᵢ) + b) ≥ 1 - ξᵢ,  ξᵢ ≥ 0
//
// by its dual (C-SVC; Cortes & Vapnik 1995); with Nu > 0 the ν-SVC of Schölkopf
// et al. (2000); with C = +Inf the hard margin, where data that cannot be separated are a
// *notSeparable error. wᵢ is the product of sample and class weight. More classes are told apart
// one-vs-one or one-vs-rest. The optimum is that of LIBSVM at the same Tol.
type Classification[T any, L cmp.Ordered] struct {
	Kernel kernel.Kernel[T]
	C      float64 // price of a margin error; 0 means 1, +Inf is the hard margin
	Nu     float64 // when positive, ν-SVC with this ν in (0, 1]; C is not used
	NoBias bool    // b = 0: the dual has no equality constraint, and a solver of its own

	MultiClass   learn.MultiClass // one-vs-one unless said otherwise
	Balance      learn.Balance    // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64    // multiplies C for a class
	Weights      []float64        // multiplies C for a point; nil means 1

	Probability bool   // calibrate probabilities by cross-validation (Platt 2000)
	Seed        uint64 // of the folds of the calibration

	// slopeOnly has sigmoids without an offset, so that probabilities never say another class than
	// the machine: with weights of classes an offset would be the share of the weighted classes,
	// and move the boundary once more.
	slopeOnly bool

	Start *Classifier[T, L] // a model of the same points with other parameters, to start from

	Options
}

// Fit learns from points and their labels.
func (c Classification[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	k, points := kernel.Erase(c.Kernel), data.Erase(x)
	m, err := c.fit(ctx, k, points, y)
	if err != nil {
		return nil, fmt.Errorf("svc: %w", fitting.Explain(ctx, err, k, points, c.Resources))
	}
	return m, nil
}

func (c Classification[T, L]) fit(
	ctx context.Context, k kernel.Kernel[any], x data.Points[any], y []L,
) (*Classifier[T, L], error) {
	begin := time.Now()
	machine := classification{
		kernel: k, c: c.C, nu: c.Nu, noBias: c.NoBias, rule: c.MultiClass,
		probability: c.Probability, seed: c.Seed, slopeOnly: c.slopeOnly, Options: c.Options,
	}
	if c.Start != nil {
		machine.start = &c.Start.classMachines
	}
	if err := machine.check(); err != nil {
		return nil, err
	}
	labels, weights, err := fitting.CheckClassification(k, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	f, machines, err := machine.fit(ctx, x, fitting.Codes(labels), weights, begin)
	if err != nil {
		return nil, err
	}
	return newClassifier(c.Kernel, f, labels.Classes, machines), ctx.Err()
}

// classification is a Classification of points and labels that have lost their types: the programme
// sees rows of K and codes.
type classification struct {
	kernel      kernel.Kernel[any]
	c, nu       float64
	noBias      bool
	rule        learn.MultiClass
	probability bool
	seed        uint64
	slopeOnly   bool
	start       *classMachines // nil: from zero
	Options
}

// fit solves for all machines, and collects what they have in common.
func (c classification) fit(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64, begin time.Time,
) (*rkhs.Func[any], *classMachines, error) {
	o, err := c.Options.withDefaults()
	if err != nil {
		return nil, nil, err
	}
	if err := o.leastFor("svc", x.Len()); err != nil {
		return nil, nil, err
	}
	if c.noBias {
		return c.fitWithoutBias(ctx, x, labels, weights, o, begin)
	}
	// Points of one class stand together, so that the columns of a pair of
	// classes are two runs of a shared row.
	order := par.Indices(0, x.Len())
	if len(labels.Classes) > 2 {
		order = slices.Concat(labels.Members()...)
		x = data.Gather(x, order)
		labels = learn.Labels[int]{Classes: labels.Classes, Code: data.Take(labels.Code, order)}
		weights = data.Take(weights, order)
	}
	moved := fitting.MoveToMean(c.kernel, x)
	x = moved.Points
	tasks := labels.Tasks(c.rule)
	problems := make([]svmProblem, len(tasks))
	for i, t := range tasks {
		if problems[i], err = c.problem(t.Targets(), data.Take(weights, t.Index)); err != nil {
			return nil, nil, err
		}
		problems[i].wantValues = c.probability
	}
	if err := c.warm(problems, tasks, order); err != nil {
		return nil, nil, err
	}
	km := newKernelMatrix(ctx, c.kernel, x, o.Threads)
	if err := km.share(ctx, len(tasks), c.blockEnds(labels), &o); err != nil {
		return nil, nil, err
	}
	var sigmoids []learn.Sigmoid
	var calibrate func(i int, rows *machineRows, main *machine, o Options) error
	if c.probability {
		sigmoids = make([]learn.Sigmoid, len(tasks))
		calibrate = func(i int, rows *machineRows, main *machine, o Options) (err error) {
			o.Trace = nil
			again := func(p svmProblem) (*machine, error) { return rows.solve(ctx, p, o) }
			taken := data.Take(weights, tasks[i].Index)
			sigmoids[i], err = c.calibrate(tasks[i], taken, main, c.seed+uint64(i), again)
			return err
		}
	}
	machines, err := fitMachines(ctx, km, tasks, problems, o, calibrate)
	if err != nil {
		return nil, nil, err
	}
	f, m := collect(c.kernel, x, order, tasks, machines)
	m.rule, m.sigmoids = c.rule, sigmoids
	m.report = svmReport(c.name(), machines, doubts(ctx, c.kernel, x, o), begin)
	return moved.Back(f), m, nil
}

// blockEnds is where the points end that machines have in common: each class, or all of them.
func (c classification) blockEnds(labels learn.Labels[int]) []int {
	if c.rule == learn.OneVsRest {
		return []int{len(labels.Code)}
	}
	var ends []int
	end := 0
	for _, members := range labels.Members() {
		end += len(members)
		ends = append(ends, end)
	}
	return ends
}

func (c classification) name() string {
	switch {
	case c.nu > 0:
		return "nu-SVC"
	case math.IsInf(c.c, 1):
		return "hard-margin SVC"
	}
	return "C-SVC"
}

func (c classification) check() error {
	if c.kernel == nil {
		return fmt.Errorf("no Kernel given")
	}
	if !(c.c >= 0) {
		return fmt.Errorf("C is %g; give a positive number, or +Inf for the hard margin", c.c)
	}
	if !(c.nu >= 0 && c.nu <= 1) {
		return fmt.Errorf("Nu is %g; give a number in (0, 1], or 0 for the C formulation", c.nu)
	}
	if c.noBias && (c.nu > 0 || math.IsInf(c.c, 1) || c.probability || c.start != nil) {
		return fmt.Errorf("NoBias is of the soft margin with C; leave Nu, an infinite C, Probability and Start out")
	}
	if c.probability && math.IsInf(c.c, 1) && c.nu == 0 {
		return fmt.Errorf("Probability with the hard margin: its folds are fitted apart and separable data have no errors " +
			"to calibrate on; use a finite C")
	}
	return nil
}

// problem is the programme of one task.
func (c classification) problem(y, weights []float64) (svmProblem, error) {
	if c.nu > 0 {
		return nuSVC(y, weights, c.nu)
	}
	price := c.c
	if price == 0 {
		price = 1
	}
	bound := make([]float64, len(y))
	for i, w := range weights {
		// 0·∞: a point without weight has no say, whatever C.
		if w > 0 {
			bound[i] = price * w
		}
	}
	return cSVC(y, bound), nil
}

// warm puts the coefficients of Start, made feasible, where the solver begins.
func (c classification) warm(problems []svmProblem, tasks []learn.TwoClass, order []int) error {
	if c.start == nil {
		return nil
	}
	if c.start.n != len(order) || len(c.start.each) != len(tasks) {
		return fmt.Errorf("Start is a model of %d points and %d machines, not of these %d points and %d machines", c.start.n,
			len(c.start.each), len(order), len(tasks))
	}
	for i := range problems {
		if old := c.start.each[i].beta; len(old) == len(problems[i].start) {
			problems[i].start = nearest(problems[i].qp, old, problems[i].start)
		}
	}
	return nil
}

// fitMachines solves the tasks: large ones one after another, each with all threads, or side by
// side where there is a device; the others side by side, a thread each. They share the rows of each
// class on its own columns. after, where it is not nil, is called with each machine and its rows.
func fitMachines(
	ctx context.Context, km *kernelMatrix, tasks []learn.TwoClass, problems []svmProblem, o Options,
	after func(i int, rows *machineRows, main *machine, o Options) error,
) ([]*machine, error) {
	machines := make([]*machine, len(tasks))
	var large, small []int
	share := o.Bytes / sideBySide // of each, however many threads there are: what a machine may use shows in its bits
	for i, t := range tasks {
		if n := int64(len(t.Index)); len(tasks) == 1 || n > mostOnDemand || 8*n*n > share {
			large = append(large, i)
		} else {
			small = append(small, i)
		}
	}
	named := func(i int, err error) error {
		if len(tasks) > 1 {
			err = fmt.Errorf("machine %d: %w", i, err)
		}
		return err
	}
	solve := func(i int, o Options, threads int) (err error) {
		rows := &machineRows{m: km, index: tasks[i].Index, threads: threads, keep: after != nil}
		defer rows.leave()
		if len(rows.index) == km.x.Len() {
			rows.index = nil
		}
		if machines[i], err = solveTask(ctx, rows, problems[i], o); err == nil && after != nil {
			err = after(i, rows, machines[i], o)
		}
		return err
	}
	errs := make([]error, len(tasks))
	// a device has room for several at a time: each is mostly the work of one of its
	// multiprocessors
	if o.Device != nil && len(large) > 1 {
		side := o
		side.Trace = oneAtATime(o.Trace)
		par.For(min(par.Workers(o.Threads), sideOnDevice), len(large), 1, func(a, _ int) {
			errs[a] = solve(large[a], side, o.Threads)
		})
		for a, err := range errs[:len(large)] {
			if err != nil {
				return nil, named(large[a], err)
			}
		}
		large = nil
	}
	for _, i := range large {
		if err := solve(i, o, o.Threads); err != nil {
			return nil, named(i, err)
		}
	}
	o.Bytes, o.Trace = share, oneAtATime(o.Trace)
	par.For(min(par.Workers(o.Threads), sideBySide), len(small), 1, func(a, _ int) {
		errs[a] = solve(small[a], o, 1)
	})
	for a, err := range errs[:len(small)] {
		if err != nil {
			return nil, named(small[a], err)
		}
	}
	for _, m := range machines {
		m.bytes += km.blocks.bytes() + 4*int64(len(km.whole.Data))
	}
	return machines, nil
}

// sideBySide is how many machines are solved at a time at most, sideOnDevice how many large ones
// share a device.
const (
	sideBySide   = 16
	sideOnDevice = 8
)

func solveTask(ctx context.Context, rows *machineRows, p svmProblem, o Options) (*machine, error) {
	for _, hi := range p.qp.Upper {
		if math.IsInf(hi, 1) {
			return solveHard(ctx, rows, p, o)
		}
	}
	return rows.solve(ctx, p, o)
}

// oneAtATime makes a trace safe for machines that run side by side.
func oneAtATime(t trace.Func) trace.Func {
	if t == nil {
		return nil
	}
	var mu sync.Mutex
	return func(s trace.Step) {
		mu.Lock()
		defer mu.Unlock()
		t(s)
	}
}
