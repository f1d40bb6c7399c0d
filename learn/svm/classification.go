package svm

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/trace"
)

// Classification is the support vector classifier (SVC). For two classes, y = ±1, it solves
//
//	minimise over f in the RKHS, b, ξ   ½‖f‖² + C Σ wᵢ ξᵢ
//	subject to                          yᵢ (f(xᵢ) + b) ≥ 1 - ξᵢ,  ξᵢ ≥ 0
//
// by its dual (C-SVC; Cortes & Vapnik 1995); with Nu > 0 the ν-SVC of Schölkopf
// et al. (2000); with C = +Inf the hard margin, where data that cannot be separated are a
// *NotSeparable error. wᵢ is the product of sample and class weight. More classes are told apart
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
	m, err := c.fit(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("svc: %w", fitting.Explain(ctx, err, c.Kernel, x, c.Resources))
	}
	return m, nil
}

func (c Classification[T, L]) fit(ctx context.Context, x data.Points[T], y []L) (*Classifier[T, L], error) {
	start := time.Now()
	if err := c.check(); err != nil {
		return nil, err
	}
	labels, weights, err := fitting.CheckClassification(c.Kernel, x, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	o, err := c.Options.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := o.leastFor("svc", x.Len()); err != nil {
		return nil, err
	}
	if c.NoBias {
		return c.fitWithoutBias(ctx, x, labels, weights, o, start)
	}
	// Points of one class stand together, so that the columns of a pair of
	// classes are two runs of a shared row.
	order := make([]int, 0, len(y))
	if len(labels.Classes) > 2 {
		for _, m := range labels.Members() {
			order = append(order, m...)
		}
		x = data.Gather(x, order)
		labels = learn.Labels[L]{Classes: labels.Classes, Code: data.Take(labels.Code, order)}
		weights = data.Take(weights, order)
	} else {
		for i := range y {
			order = append(order, i)
		}
	}
	moved := learn.MoveToMean(c.Kernel, x)
	x = moved.Points
	tasks := labels.Tasks(c.MultiClass)
	problems := make([]svmProblem, len(tasks))
	for i, t := range tasks {
		if problems[i], err = c.problem(t.Targets(), data.Take(weights, t.Index)); err != nil {
			return nil, err
		}
		problems[i].wantValues = c.Probability
	}
	if err := c.warm(problems, tasks, order); err != nil {
		return nil, err
	}
	km := newKernelMatrix(ctx, c.Kernel, x, o.Threads)
	if err := km.share(ctx, len(tasks), c.blockEnds(labels), &o); err != nil {
		return nil, err
	}
	var sigmoids []learn.Sigmoid
	var calibrate func(i int, rows *machineRows[T], main *machine, o Options) error
	if c.Probability {
		sigmoids = make([]learn.Sigmoid, len(tasks))
		calibrate = func(i int, rows *machineRows[T], main *machine, o Options) (err error) {
			sigmoids[i], err = c.calibrate(ctx, rows, tasks[i], data.Take(weights, tasks[i].Index), main, c.Seed+uint64(i), o)
			return err
		}
	}
	machines, err := fitMachines(ctx, km, tasks, problems, o, calibrate)
	if err != nil {
		return nil, err
	}
	m := newSVCModel(c, labels.Classes, x, order, tasks, machines)
	m.f = moved.Back(m.f)
	m.sigmoids = sigmoids
	m.report = svmReport(c.name(), machines, doubts(ctx, c.Kernel, x, o), start)
	return m, ctx.Err()
}

// blockEnds is where the points end that machines have in common: each class, or all of them.
func (c Classification[T, L]) blockEnds(labels learn.Labels[L]) []int {
	if c.MultiClass == learn.OneVsRest {
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

func (c Classification[T, L]) name() string {
	switch {
	case c.Nu > 0:
		return "nu-SVC"
	case math.IsInf(c.C, 1):
		return "hard-margin SVC"
	}
	return "C-SVC"
}

func (c Classification[T, L]) check() error {
	if c.Kernel == nil {
		return fmt.Errorf("no Kernel given")
	}
	if !(c.C >= 0) {
		return fmt.Errorf("C is %g; give a positive number, or +Inf for the hard margin", c.C)
	}
	if !(c.Nu >= 0 && c.Nu <= 1) {
		return fmt.Errorf("Nu is %g; give a number in (0, 1], or 0 for the C formulation", c.Nu)
	}
	if c.NoBias && (c.Nu > 0 || math.IsInf(c.C, 1) || c.Probability || c.Start != nil) {
		return fmt.Errorf("NoBias is of the soft margin with C; leave Nu, an infinite C, Probability and Start out")
	}
	if c.Probability && math.IsInf(c.C, 1) && c.Nu == 0 {
		return fmt.Errorf("Probability with the hard margin: its folds are fitted apart and separable data have no errors to calibrate on; use a finite C")
	}
	return nil
}

// problem is the programme of one task.
func (c Classification[T, L]) problem(y, weights []float64) (svmProblem, error) {
	if c.Nu > 0 {
		return nuSVC(y, weights, c.Nu)
	}
	price := c.C
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
func (c Classification[T, L]) warm(problems []svmProblem, tasks []learn.TwoClass, order []int) error {
	if c.Start == nil {
		return nil
	}
	if c.Start.n != len(order) || len(c.Start.machines) != len(tasks) {
		return fmt.Errorf("Start is a model of %d points and %d machines, not of these %d points and %d machines", c.Start.n, len(c.Start.machines), len(order), len(tasks))
	}
	for i := range problems {
		if old := c.Start.machines[i].beta; len(old) == len(problems[i].start) {
			problems[i].start = nearest(problems[i].qp, old, problems[i].start)
		}
	}
	return nil
}

// fitMachines solves the tasks: large ones one after another, each with all threads, or side by
// side where there is a device; the others side by side, a thread each. They share the rows of each
// class on its own columns. after, where it is not nil, is called with each machine and its rows.
func fitMachines[T any](ctx context.Context, km *kernelMatrix[T], tasks []learn.TwoClass, problems []svmProblem, o Options, after func(i int, rows *machineRows[T], main *machine, o Options) error) ([]*machine, error) {
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
		rows := &machineRows[T]{m: km, index: tasks[i].Index, threads: threads, keep: after != nil}
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
	if o.Device != nil && len(large) > 1 { // a device has room for several at a time: each is mostly the work of one of its multiprocessors
		side := o
		side.Trace = oneAtATime(o.Trace)
		par.For(min(par.Workers(o.Threads), sideBySide), len(large), 1, func(a, _ int) {
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

// sideBySide is how many machines are solved at a time at most.
const sideBySide = 8

func solveTask[T any](ctx context.Context, rows *machineRows[T], p svmProblem, o Options) (*machine, error) {
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
