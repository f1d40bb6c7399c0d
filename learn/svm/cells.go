package svm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/learn"
)

// svmTask is a two-class (or regression) programme of one fold on the shared
// Gram matrix, with the state that the path carries along.
type svmTask struct {
	qp   solve.BoxQP
	unit []float64 // bound of each variable at C = 1
	sign []float64 // side of zero the variable lives on
	beta []float64
	f    []float64 // Kβ at all points
	bias float64
	last solve.SharedResult // how the last solution was reached
	c    float64            // the price it was told last
	y    []float64          // regression: target of each variable's point
	far  bool               // not at its optimum at the price it was told last

	// Of starts from the machine of all rows: where each variable is there,
	// and room to work in.
	where           []int
	without         []int // variables of that machine that the fold leaves out
	outBeta, outF   []float64
	outC            float64 // outF is K times outBeta, the variables left out, at this price
	movers          []mover
	seedBeta, seedF []float64
	rows            [][]float32
	weights         []float64
}

// classTask makes the programme of C-SVC on rows, the positive ones marked.
func classTask(n int, rows []int, positive []bool, weights []float64) *svmTask {
	v := len(rows)
	t := &svmTask{
		qp:   solve.BoxQP{Point: rows, Linear: make([]float64, v), Lower: make([]float64, v), Upper: make([]float64, v)},
		unit: make([]float64, v), sign: make([]float64, v), beta: make([]float64, v), f: make([]float64, n),
	}
	for i, r := range rows {
		t.unit[i], t.sign[i] = 1, -1
		if weights != nil {
			t.unit[i] = weights[r]
		}
		if positive[i] {
			t.sign[i] = 1
		}
		t.qp.Linear[i] = t.sign[i]
	}
	return t
}

// tubeTask makes the programme of ε-SVR on rows.
func tubeTask(n int, rows []int, y, weights []float64) *svmTask {
	v := len(rows)
	t := classTask(n, append(slices.Clone(rows), rows...), make([]bool, 2*v), weights)
	t.y = make([]float64, 2*v)
	for i, r := range rows {
		t.sign[i], t.sign[i+v] = 1, -1
		t.y[i], t.y[i+v] = y[r], y[r]
	}
	return t
}

// price sets C (and ε): the box and the linear term.
func (t *svmTask) price(c, epsilon float64) {
	t.c = c
	for i, u := range t.unit {
		t.qp.Lower[i], t.qp.Upper[i] = 0, 0
		if t.sign[i] > 0 {
			t.qp.Upper[i] = c * u
		} else {
			t.qp.Lower[i] = -c * u
		}
		if t.y != nil {
			t.qp.Linear[i] = t.y[i] - t.sign[i]*epsilon
		}
	}
}

// stretch moves the solution at the price before along its own ray, s·β with
// 1 ≤ s ≤ C/before, to where the objective s²/2 βᵀKβ - s cᵀβ is least: at small prices,
// where all is at the bound, that is the new bound; where all is free it is
// where it was.
func (t *svmTask) stretch(c, before float64) {
	square, linear := 0.0, 0.0
	for i, b := range t.beta {
		if b != 0 {
			square += b * t.f[t.qp.Point[i]]
			linear += b * t.qp.Linear[i]
		}
	}
	if !(before > 0) || !(square > 0) {
		return
	}
	s := min(max(linear/square, 1), c/before)
	if s == 1 {
		return
	}
	for i, b := range t.beta {
		// A variable at its old bound is put exactly at the new one.
		if b *= s; s == c/before && t.beta[i] == before*t.unit[i]*t.sign[i] {
			b = c * t.unit[i] * t.sign[i]
		}
		t.beta[i] = min(max(b, t.qp.Lower[i]), t.qp.Upper[i])
	}
	for i := range t.f {
		t.f[i] *= s
	}
}

// pathSVM walks the path of one fold: for each setting of (C, ε) in increasing
// order of C it solves all tasks and hands the predictions on.
type pathSVM struct {
	solver *solve.SharedSMO
	tasks  []*svmTask
	k      int       // classes, 0 for regression
	at     float64   // C of the solutions that the tasks hold; 0 before the first
	seeded bool      // a task started from the machine of all rows
	diag   []float64 // of K, where the solver has no matrix
}

// price goes on to the next price without solving; far says whether some
// machine is not at its optimum there already.
func (p *pathSVM) price(c, epsilon float64) (far bool) {
	for _, t := range p.tasks {
		t.price(c, epsilon)
		t.stretch(c, p.at)
		violation, _, _ := solve.BoxViolation(t.qp, t.beta, t.f)
		t.far = violation > p.solver.Tolerance()
		far = far || t.far
	}
	return far
}

// solve finds the optima at price c, which the machines have been told. Each starts from its own
// solution at the price before, or, where that is a better start, from master's: the machine of all
// rows at this price, without the rows that this fold leaves out.
func (p *pathSVM) solve(ctx context.Context, c float64, master *pathSVM) error {
	p.seeded = false
	for i, t := range p.tasks {
		switch {
		case !t.far || p.solver.Separable(t.qp): // no use for another start
		case master != nil:
			p.seeded = t.startFrom(master.tasks[i], p.solver.K) || p.seeded
		case p.at == 0:
			t.startAtBounds(p.solver.K)
		}
		r, err := p.solver.Solve(ctx, t.qp, t.beta, t.f)
		if err != nil {
			return err
		}
		t.bias, t.last = r.Multiplier, r
	}
	p.at = c
	return nil
}

// loose says whether most variables are off their outer bounds: from there on the
// rows that a fold leaves out have a say in the places of all others.
func (p *pathSVM) loose() bool {
	bounded, all := 0, 0
	for _, t := range p.tasks {
		for i, b := range t.beta {
			if b != 0 && (b == t.qp.Lower[i] || b == t.qp.Upper[i]) {
				bounded++
			}
		}
		all += len(t.beta)
	}
	return 2*bounded < all
}

// stopped is the largest violation that a machine was left with above the
// tolerance; 0 when all reached it.
func (p *pathSVM) stopped() float64 {
	worst := 0.0
	for _, t := range p.tasks {
		if !t.last.Converged {
			worst = max(worst, t.last.Violation)
		}
	}
	return worst
}

// predict reads the predictions at rows off Kβ.
func (p *pathSVM) predict(rows []int) learn.Predictions {
	out := learn.Predictions{Rows: rows, Classes: p.k}
	if p.k == 0 {
		t := p.tasks[0]
		out.Value = make([]float64, len(rows))
		for i, r := range rows {
			out.Value[i] = t.f[r] + t.bias
		}
		return out
	}
	decision, units := make([]float64, len(p.tasks)), make([]float64, len(p.tasks))
	for j, t := range p.tasks {
		units[j] = p.unit(t)
	}
	votes, sums := make([]int, p.k), make([]float64, p.k)
	out.Class = make([]int, len(rows))
	out.Score = make([]float64, len(rows)*p.k)
	for i, r := range rows {
		for j, t := range p.tasks {
			decision[j] = math.Round((t.f[r]+t.bias)/units[j]) * units[j]
		}
		out.Class[i] = fitting.VoteOneVsOne(decision, p.k, votes, sums)
		row := out.Score[i*p.k : (i+1)*p.k]
		if p.k == 2 {
			row[0], row[1] = -decision[0], decision[0]
		} else {
			fitting.VoteScores(row, decision)
		}
	}
	return out
}

// unit is the difference of decision values that rounding cannot make: Kβ was added up in another
// order from row to row, and what that leaves of a zero, or between rows that are the same, is no
// reason to tell them apart. It is a power of two, and below the tolerance, to which decision
// values are known at all.
func (p *pathSVM) unit(t *svmTask) float64 {
	scale, peak := 0.0, 0.0
	for i, b := range t.beta {
		scale += math.Abs(b)
		r := t.qp.Point[i]
		if p.diag != nil {
			peak = max(peak, math.Abs(p.diag[r]))
		} else {
			peak = max(peak, math.Abs(float64(p.solver.K.At(r, r))))
		}
	}
	size := min(0x1p-44*(scale*peak+math.Abs(t.bias)), p.solver.Tolerance()/4)
	_, exponent := math.Frexp(max(size, 0x1p-1000))
	return math.Ldexp(1, exponent)
}

// foldSVM sets up the tasks of a fold.
func foldSVM(p learn.Problem[any], fold data.Fold, solver *solve.SharedSMO) *pathSVM {
	n := p.Len()
	if !p.Task.Classification() {
		return &pathSVM{solver: solver, tasks: []*svmTask{tubeTask(n, fold.Train, p.Y, p.Weights)}}
	}
	codes := make([]int, len(fold.Train))
	for i, r := range fold.Train {
		codes[i] = int(p.Y[r])
	}
	k := p.ClassCount()
	classes := make([]int, k)
	for c := range classes {
		classes[c] = c
	}
	path, weights := &pathSVM{solver: solver, k: k}, p.FitWeights()
	for _, t := range (learn.Labels[int]{Classes: classes, Code: codes}).Tasks(learn.OneVsOne) {
		path.tasks = append(path.tasks, classTask(n, data.Take(fold.Train, t.Index), t.Positive, weights))
	}
	return path
}

// judgeCells solves the paths of all folds on one shared Gram matrix.
func judgeCells(ctx context.Context, c *learn.Cells) error {
	if cellsByFeatures(c) {
		if done, err := judgeFeatures(ctx, c); done || err != nil {
			return err
		}
		if sharedBytes(c.Problem.Task, c.Problem.Len()) > c.Bytes {
			return judgeEach(ctx, c)
		}
	}
	if d := newDeviceCells(ctx, c); d != nil {
		rest, err := d.judge(ctx)
		if d.close(); rest == nil || err != nil {
			return err
		}
		c = rest
	}
	gram, rest, done := c.BorrowGram()
	defer done()
	diag := make([]float32, gram.Rows)
	for i := range diag {
		diag[i] = gram.Data[i*gram.Stride+i]
	}
	if err := solve.CheckDiagonal(diag); err != nil {
		for i := range c.Params {
			c.Refuse(i, fmt.Errorf("svm: %w", err))
		}
		return nil
	}
	var solvers []*solve.SharedSMO
	defer func() {
		for _, s := range solvers {
			c.Scratch.Put(s)
		}
	}()
	start := func(f data.Fold) *pathSVM {
		// The working space of a solver is tens of megabytes, for every fold of every kernel.
		solver, _ := c.Scratch.Get().(*solve.SharedSMO)
		if solver == nil {
			solver = &solve.SharedSMO{}
		}
		solver.Renew(linalg.Matrix[float32]{Rows: gram.Rows, Cols: gram.Cols, Stride: gram.Stride, Data: gram.Data}, rest)
		solver.Tol = c.Tol
		solvers = append(solvers, solver)
		return foldSVM(c.Problem, f, solver)
	}
	if c.InOrder {
		return raceCells(ctx, c, start)
	}
	var master *pathSVM
	if c.Partition() && len(c.Folds) > 2 {
		master = start(data.Fold{Train: par.Indices(0, c.Problem.Len())})
	}
	paths := make([]*pathSVM, len(c.Folds))
	for f := range paths {
		paths[f] = start(c.Folds[f])
	}
	tube := 0.0
	for step, i := range c.Order("epsilon", "C") {
		price, epsilon := c.Params[i]["C"], c.Params[i]["epsilon"]
		if step > 0 && epsilon != tube {
			// A new tube starts again at the lowest price, where solving is cheap.
			for _, p := range append(paths, master) {
				p.reset()
			}
		}
		tube = epsilon
		far := false
		for f, p := range paths {
			far = c.Alive(i, f) && p.price(price, epsilon) || far
		}
		if master != nil && far {
			master.price(price, epsilon)
			if err := master.solve(ctx, price, nil); err != nil {
				return err
			}
		}
		err := c.OverFolds(len(c.Folds), func(f int) error {
			if !c.Alive(i, f) {
				return nil
			}
			if err := paths[f].solve(ctx, price, master); err != nil {
				return err
			}
			c.Doubt(i, paths[f].stopped())
			c.Judge(i, f, paths[f].predict(c.Folds[f].Test))
			return nil
		})
		if err != nil {
			return err
		}
		// At high prices a fold's own solution at the price before is the better
		// start; once no fold has use for the machine of all rows it is given up.
		if master != nil && far && master.loose() && !slices.ContainsFunc(paths, func(p *pathSVM) bool { return p.seeded }) {
			master = nil
		}
	}
	return nil
}

// raceCells walks the whole path fold after fold, so that before each fold the
// cells can be compared and the hopeless ones given up.
func raceCells(ctx context.Context, c *learn.Cells, start func(data.Fold) *pathSVM) error {
	for f, fold := range c.Folds {
		path := start(fold)
		tube := 0.0
		for _, i := range c.Order("epsilon", "C") {
			if !c.Alive(i, f) {
				continue
			}
			price, epsilon := c.Params[i]["C"], c.Params[i]["epsilon"]
			if epsilon != tube {
				path.reset()
			}
			path.price(price, epsilon)
			if err := path.solve(ctx, price, nil); err != nil {
				return err
			}
			tube = epsilon
			c.Doubt(i, path.stopped())
			c.Judge(i, f, path.predict(fold.Test))
		}
	}
	return nil
}

// reset goes back to before the first price.
func (p *pathSVM) reset() {
	if p == nil {
		return
	}
	p.at = 0
	for _, t := range p.tasks {
		clear(t.beta)
		clear(t.f)
	}
}
