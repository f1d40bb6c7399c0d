package svmtool

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// trainer fits with one set of options, tells log what LIBSVM would tell, and
// draws random numbers in LIBSVM's order.
type trainer struct {
	params
	log    io.Writer
	warn   io.Writer
	random *crand
	device *gram.Device // nil: the processor
	steps  *int         // pair updates left on LIBSVM's path before it is given up; nil: no limit
}

func (t *trainer) say(format string, args ...any) { fmt.Fprintf(t.log, format, args...) }

func (t *trainer) options() svm.Options {
	return svm.Options{Tol: t.Eps, NoShrinking: !t.Shrinking,
		Resources: learn.Resources{Bytes: int64(t.CacheMB * (1 << 20)), Device: t.device}}
}

// fit solves a problem. sv lists the rows that are support vectors, in the
// order of the coefficients.
func fit[T any](ctx context.Context, t *trainer, p problem[T]) (m *machines, sv []int, err error) {
	if len(p.y) == 0 {
		return nil, nil, fmt.Errorf("ERROR: no rows to learn from")
	}
	switch {
	case t.Type == oneClass:
		return fitOneClass(ctx, t, p)
	case t.Type.regresses():
		return fitRegression(ctx, t, p)
	default:
		return fitClasses(ctx, t, p)
	}
}

// finished prints a dot for every so many iterations, as LIBSVM does while it
// works.
func (t *trainer) finished(iterations, rows int) {
	t.say("%s*\noptimization finished, #iter = %d\n", strings.Repeat(".", iterations/max(min(rows, 1000), 1)), iterations)
}

// solved prints what is known of a machine: f = Σ coef·k - ρ, and the counts of support
// vectors and of those at their bound.
func (t *trainer) solved(objective, rho float64, coef []float64, bound func(i int) float64) {
	n, bounded := 0, 0
	for i, a := range coef {
		if a != 0 {
			n++
			if math.Abs(a) >= bound(i) {
				bounded++
			}
		}
	}
	t.say("obj = %f, rho = %f\nnSV = %d, nBSV = %d\n", objective, rho, n, bounded)
}

func fitOneClass[T any](ctx context.Context, t *trainer, p problem[T]) (*machines, []int, error) {
	if t.Identical {
		coef, rho, err := pathSingle(ctx, t, p)
		if err != nil {
			return nil, nil, err
		}
		m, sv := nonzero(t.Type, coef, rho)
		return m, sv, mark(ctx, t, p, m, sv)
	}
	s, err := svm.OneClass[T]{Kernel: p.k, Nu: t.Nu, Options: t.options()}.Fit(ctx, p.x)
	if err != nil {
		return nil, nil, err
	}
	m, sv := single(t.Type, s.Func().Coef, s.Func().Bias[0], s.Support())
	t.finished(s.Report().Iterations, len(p.y))
	t.solved(s.Report().Objective, m.Rho[0], m.Coef[0], func(int) float64 { return 1 })
	return m, sv, mark(ctx, t, p, m, sv)
}

func fitRegression[T any](ctx context.Context, t *trainer, p problem[T]) (*machines, []int, error) {
	scale := 0.0
	if t.Probable {
		var err error
		if scale, err = laplace(ctx, t, p); err != nil {
			return nil, nil, err
		}
	}
	if t.Identical {
		coef, rho, err := pathSingle(ctx, t, p)
		if err != nil {
			return nil, nil, err
		}
		m, sv := nonzero(t.Type, coef, rho)
		if t.Probable {
			m.ProbA = []float64{scale}
		}
		return m, sv, nil
	}
	r := svm.Regression[T]{Kernel: p.k, C: t.C, Epsilon: t.P, NoTube: t.P == 0, Options: t.options()}
	if t.Type == nuSVR {
		r.Nu = t.Nu
	}
	s, err := r.Fit(ctx, p.x, p.y)
	if err != nil {
		return nil, nil, err
	}
	m, sv := single(t.Type, s.Func().Coef, s.Func().Bias[0], s.Support())
	if t.Probable {
		m.ProbA = []float64{scale}
	}
	t.finished(s.Report().Iterations, len(p.y))
	if t.Type == nuSVR {
		t.say("epsilon = %f\n", s.Tube())
	} else {
		t.say("nu = %f\n", sumAbs(m.Coef[0])/(t.C*float64(len(p.y))))
	}
	t.solved(s.Report().Objective, m.Rho[0], m.Coef[0], func(int) float64 { return t.C })
	return m, sv, nil
}

// single is a model of one machine. An empty list of support vectors comes
// from a function that is constant.
func single(kind svmType, coef *mat.Dense, bias float64, sv []int) (*machines, []int) {
	c := make([]float64, len(sv))
	for i := range c {
		c[i] = coef.At(i, 0)
	}
	return &machines{Type: kind, Rho: []float64{-bias}, Coef: [][]float64{c}}, sv
}

// nonzero is a model of one machine from the coefficients of all rows.
func nonzero(kind svmType, all []float64, rho float64) (*machines, []int) {
	var coef []float64
	var sv []int
	for i, c := range all {
		if c != 0 {
			coef, sv = append(coef, c), append(sv, i)
		}
	}
	return &machines{Type: kind, Rho: []float64{rho}, Coef: [][]float64{coef}}, sv
}

func sumAbs(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += math.Abs(x)
	}
	return s
}

// classWeights are the prices of the classes: C times what -wi says.
func (t *trainer) classWeights(g groups) []float64 {
	w := make([]float64, len(g.label))
	for c := range w {
		w[c] = 1
	}
	if t.Type != cSVC {
		return w
	}
	for i, label := range t.WeightFor {
		found := false
		for c, l := range g.label {
			if l == label {
				w[c] *= t.Weight[i]
				found = true
			}
		}
		if !found {
			fmt.Fprintf(t.warn, "WARNING: class label %d specified in weight is not found\n", label)
		}
	}
	return w
}

func fitClasses[T any](ctx context.Context, t *trainer, p problem[T]) (*machines, []int, error) {
	g := groupClasses(p.y)
	k := len(g.label)
	m := &machines{Type: t.Type, Label: g.label, Count: make([]int, k)}
	if k == 1 {
		t.say("WARNING: training data in only one class. See README for details.\n")
		t.say("Total nSV = 0\n")
		return m, nil, nil
	}
	if t.Type == nuSVC && !g.feasible(t.Nu) {
		return nil, nil, fmt.Errorf("ERROR: specified nu is infeasible")
	}
	weight := t.classWeights(g)
	if t.Identical {
		coef, bias, err := pathClasses(ctx, t, p, g, weight, m)
		if err != nil {
			return nil, nil, err
		}
		sv := collect(m, coef, bias, g, par.Indices(0, len(p.y)))
		t.say("Total nSV = %d\n", len(sv))
		return m, sv, nil
	}
	own := t.Probable && slices.ContainsFunc(weight, func(w float64) bool { return w != 1 })
	if own { // mercer's sigmoids know the weights of classes, LIBSVM's are fitted to its weighted machines without them
		if err := sigmoids(ctx, t, p, g, weight, m); err != nil {
			return nil, nil, err
		}
	}
	s, err := solveClasses(ctx, t, p, g.class, k, weight, t.Probable && !own)
	if err != nil {
		return nil, nil, err
	}
	sv := collect(m, s.Func().Coef, s.Func().Bias, g, s.Support())
	for _, v := range s.Sigmoids() {
		m.ProbA, m.ProbB = append(m.ProbA, v.A), append(m.ProbB, v.B)
	}
	t.tellClasses(m, g, weight, s.Iterations(), s.Objectives())
	t.say("Total nSV = %d\n", len(sv))
	return m, sv, nil
}

// solveClasses fits all pairs over one kernel matrix. Of two classes mercer
// makes the larger code positive and LIBSVM the first class, so their codes are
// reversed.
func solveClasses[T any](
	ctx context.Context, t *trainer, p problem[T], class []int, k int, weight []float64, probable bool,
) (*svm.Classifier[T, int], error) {
	code := class
	weights := map[int]float64{}
	for c, w := range weight {
		weights[c] = w
	}
	if k == 2 {
		code = make([]int, len(class))
		for i, c := range class {
			code[i] = 1 - c
		}
		weights[0], weights[1] = weight[1], weight[0]
	}
	svc := svm.Classification[T, int]{Kernel: p.k, C: t.C, ClassWeights: weights, Probability: probable,
		Options: t.options()}
	if t.Type == nuSVC {
		svc.C, svc.Nu = 0, t.Nu
	}
	return svc.Fit(ctx, p.x, code)
}

// collect puts the support vectors in LIBSVM's order, class by class, and
// folds the coefficients of the machines into its k-1 rows.
func collect(m *machines, coef *mat.Dense, bias []float64, g groups, support []int) []int {
	k := len(g.label)
	for _, b := range bias {
		m.Rho = append(m.Rho, -b)
	}
	place := make(map[int]int, len(support))
	for i, row := range support {
		place[row] = i
	}
	var sv, at []int
	for c := range g.member {
		for _, row := range g.member[c] {
			i, used := place[row]
			if !used || allZero(coef.RawRowView(i)) {
				continue
			}
			sv, at = append(sv, row), append(at, i)
			m.Count[c]++
		}
	}
	m.Coef = make([][]float64, k-1)
	for r := range m.Coef {
		m.Coef[r] = make([]float64, len(sv))
	}
	for i, row := range sv {
		c, p := g.class[row], 0
		for a := range k {
			for b := a + 1; b < k; b++ {
				switch c {
				case a:
					m.Coef[b-1][i] = coef.At(at[i], p)
				case b:
					m.Coef[a][i] = coef.At(at[i], p)
				}
				p++
			}
		}
	}
	return sv
}

func allZero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// tellClasses prints a paragraph for each pair of classes.
func (t *trainer) tellClasses(m *machines, g groups, weight []float64, iterations []int, objective []float64) {
	by := mat.NewDense(1, len(iterations), nil)
	total := 0
	for _, n := range m.Count {
		total += n
	}
	if total > 0 {
		by = m.byMachine()
	}
	start := make([]int, len(m.Count)+1)
	for c, n := range m.Count {
		start[c+1] = start[c] + n
	}
	p := 0
	for a := range g.label {
		for b := a + 1; b < len(g.label); b++ {
			coef := mat.Col(nil, p, by)
			n := len(g.member[a]) + len(g.member[b])
			bound := func(i int) float64 {
				if i < start[a+1] {
					return t.C * weight[a]
				}
				return t.C * weight[b]
			}
			t.finished(iterations[p], n)
			value := objective[p]
			if t.Type == nuSVC {
				// Σ|α| = νn of the programme with bounds of 1, of which LIBSVM states the solution
				// scaled by 1/r: C = 1/r.
				price := sumAbs(coef) / (t.Nu * float64(n))
				value *= price * price
				bound = func(int) float64 { return price * (1 - 1e-12) }
				t.say("C = %f\n", price)
			} else if weight[a] == weight[b] {
				t.say("nu = %f\n", sumAbs(coef)/(t.C*weight[a]*float64(n)))
			}
			t.solved(value, m.Rho[p], coef, bound)
			p++
		}
	}
}

// rowsAt is the support vectors themselves.
func rowsAt[T any](x data.Points[T], index []int) data.Points[T] { return data.Gather(x, index) }
