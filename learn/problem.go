package learn

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Problem is what there is to learn from.
type Problem[T any] struct {
	Points data.Points[T]
	Task   data.Task
	// Y is the value of each point, or for classification the index of its
	// class from 0.
	Y []float64
	// More is the values of further targets, of a regression, that one model is to learn beside Y
	// (Several).
	More [][]float64
	// Outputs is the matrix B of the separable kernel k·B that all targets share, in units of the
	// deviation of each, up to a factor; nil: none is given. Learners that do not heed it refuse it
	// (Learner.Joint).
	Outputs *mat.SymDense
	Classes []string // names of the classes; nil: their numbers
	// Positive names the class that measures of one class, such as F1, are of. Empty means the
	// rarer of two (of two equally common the second), and none of more.
	Positive string
	Weights  []float64 // weight of each point, 0 or more; nil: all 1
	// ClassWeights is what a row of each class weighs beside its own weight, > 0, when a model is
	// fitted: how dear it is to get that class wrong. Scores do not know them. Nil: all 1.
	ClassWeights []float64
	// Noise is the known noise variance of each point's value, of a regression, beside what a
	// learner finds; nil: none is known. Learners that do not heed it refuse it (Learner.RowNoise).
	Noise  []float64
	Groups []int     // points of one group are never on both sides of a split; also the queries of ranking metrics
	Times  []float64 // for time-ordered folds
}

// Len returns the number of points.
func (p Problem[T]) Len() int { return p.Points.Len() }

// ClassCount is the number of classes, 0 for regression.
func (p Problem[T]) ClassCount() int {
	if !p.Task.Classification() {
		return 0
	}
	if len(p.Classes) > 0 {
		return len(p.Classes)
	}
	k := 0
	for _, y := range p.Y {
		k = max(k, int(y)+1)
	}
	return k
}

// ClassName is the name of a class in messages.
func (p Problem[T]) ClassName(c int) string {
	if c < len(p.Classes) {
		return fmt.Sprintf("%q", p.Classes[c])
	}
	return fmt.Sprint(c)
}

// PositiveCode is the class that Positive names, by default the rarer of two; -1 where there is
// none.
func (p Problem[T]) PositiveCode() int { return positiveCode(p.Erase()) }

func positiveCode(p Problem[any]) int {
	k := p.ClassCount()
	if p.Positive != "" {
		for c := range k {
			if c < len(p.Classes) && p.Classes[c] == p.Positive || len(p.Classes) == 0 && strconv.Itoa(c) == p.Positive {
				return c
			}
		}
		return -1
	}
	if k != 2 {
		return -1
	}
	second := 0
	for _, y := range p.Y {
		second += int(y)
	}
	if 2*second <= len(p.Y) {
		return 1
	}
	return 0
}

// NamePositive is the problem with its positive class named, so that any part of it has the same
// one.
func (p Problem[T]) NamePositive() Problem[T] {
	if c := p.PositiveCode(); p.Positive == "" && c >= 0 {
		if p.Positive = strconv.Itoa(c); c < len(p.Classes) {
			p.Positive = p.Classes[c]
		}
	}
	return p
}

// Gather is the problem of the rows in index.
func (p Problem[T]) Gather(index []int) Problem[T] {
	q := p
	q.Points = data.Gather(p.Points, index)
	q.Y = data.Take(p.Y, index)
	q.More = takeEach(p.More, index)
	q.Weights = data.Take(p.Weights, index)
	q.Noise = data.Take(p.Noise, index)
	q.Groups = data.Take(p.Groups, index)
	q.Times = data.Take(p.Times, index)
	return q
}

// FitWeights is the weight of each point in a fit: its own times that of its class. Nil: all 1.
func (p Problem[T]) FitWeights() []float64 {
	if p.ClassWeights == nil {
		return p.Weights
	}
	return fitWeights(p.Y, p.ClassWeights, p.Weights)
}

func fitWeights(y, class, own []float64) []float64 {
	out := make([]float64, len(y))
	for i, c := range y {
		out[i] = class[int(c)]
		if own != nil {
			out[i] *= own[i]
		}
	}
	return out
}

// BalancedWeights weighs classes so that all have the same weight together, n/(classes·n_c), by the
// weights of their points.
func (p Problem[T]) BalancedWeights() []float64 { return balancedWeights(p.Erase()) }

func balancedWeights(p Problem[any]) []float64 {
	total, of := 0.0, make([]float64, p.ClassCount())
	for i, y := range p.Y {
		w := weightAt(p.Weights, i)
		total += w
		of[int(y)] += w
	}
	for c, v := range of {
		of[c] = total / (float64(len(of)) * v)
	}
	return of
}

// LargestTarget is the largest number, in size, that learners take for a target: its square, and
// sums of such squares, are numbers.
const LargestTarget = 1e150

// Weighty is the problem without the points of weight 0, which have no say, and their places;
// without weights where all others are 1.
func (p Problem[T]) Weighty() (Problem[T], []int) {
	var rows []int
	even := true
	for i, w := range p.Weights {
		if w != 0 {
			rows = append(rows, i)
			even = even && w == 1
		}
	}
	if len(rows) < len(p.Weights) {
		p = p.Gather(rows)
	}
	if even {
		p.Weights = nil
	}
	return p, rows
}

// Check refuses what cannot be learned from, before any work is done.
func (p Problem[T]) Check() error { return checkProblem(p.Erase()) }

func checkProblem(p Problem[any]) error {
	if p.Points == nil || p.Points.Len() == 0 {
		return ErrNoPoints
	}
	n := p.Points.Len()
	if p.Task != data.Unsupervised && len(p.Y) != n {
		return fmt.Errorf("%d points but %d targets", n, len(p.Y))
	}
	lengths := map[string]int{
		"weights": len(p.Weights), "noise variances": len(p.Noise), "groups": len(p.Groups), "times": len(p.Times),
	}
	for name, have := range lengths {
		if have != 0 && have != n {
			return fmt.Errorf("%d points but %d %s", n, have, name)
		}
	}
	for i, w := range p.Weights {
		if !(w >= 0) || math.IsInf(w, 0) {
			return fmt.Errorf("weight of row %d is %g; give a finite number, 0 or more, or drop the row", i, w)
		}
	}
	if err := p.checkNoise(); err != nil {
		return err
	}
	if err := p.checkOutputs(); err != nil {
		return err
	}
	if !p.Task.Classification() {
		for i, y := range p.Y {
			if math.IsNaN(y) || math.IsInf(y, 0) {
				return fmt.Errorf("target of row %d is %g; drop the row or fill the value in", i, y)
			}
			if math.Abs(y) > LargestTarget {
				return fmt.Errorf("target of row %d is %g, too large to square; scale the targets", i, y)
			}
		}
		return p.checkMore()
	}
	if len(p.More) > 0 {
		return fmt.Errorf("%d targets beside one of classes; several targets are numbers", len(p.More))
	}
	k := p.ClassCount()
	count := make([]int, k)
	for i, y := range p.Y {
		if y != math.Trunc(y) || y < 0 || y >= float64(k) || math.IsNaN(y) {
			return fmt.Errorf("target of row %d is %g; a class is a whole number from 0 to %d", i, y, k-1)
		}
		count[int(y)]++
	}
	if k < 2 {
		return fmt.Errorf("all %d points are of one class; a classifier needs two or more", n)
	}
	for c, m := range count {
		if m == 0 {
			return fmt.Errorf("no point is of class %s; leave the class out", p.ClassName(c))
		}
	}
	if p.ClassWeights != nil && len(p.ClassWeights) != k {
		return fmt.Errorf("%d classes but %d class weights", k, len(p.ClassWeights))
	}
	for c, w := range p.ClassWeights {
		if !(w > 0) || math.IsInf(w, 0) {
			return fmt.Errorf("class weight of %s is %g; give a positive number", p.ClassName(c), w)
		}
	}
	if p.Positive != "" && p.PositiveCode() < 0 {
		return fmt.Errorf("no class %q to be the positive one", p.Positive)
	}
	return nil
}

// Codes is the class of each point as a whole number.
func (p Problem[T]) Codes() []int { return codes(p.Y) }

func codes(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}

// Deviation is the standard deviation of a regression's target; 1 for classes, and where all
// targets are the same.
func (p Problem[T]) Deviation() float64 {
	if p.Task != data.Regression {
		return 1
	}
	return deviation(p.Y)
}

func deviation(targets []float64) float64 {
	mean := Mean(targets, nil)
	off := make([]float64, len(targets))
	for i, y := range targets {
		off[i] = y - mean
	}
	if s := RootMeanSquare(off, nil); s > 0 && !math.IsInf(s, 0) {
		return s
	}
	return 1
}

// Regress is the problem of learning the value of each point.
func Regress[T any](x data.Points[T], y []float64) Problem[T] {
	return Problem[T]{Points: x, Task: data.Regression, Y: y}
}

// Classify is the problem of learning the label of each point. Classes are numbered in increasing
// order of their labels.
func Classify[T any, L cmp.Ordered](x data.Points[T], y []L) (Problem[T], error) {
	labels, err := EncodeLabels(y)
	if err != nil {
		return Problem[T]{}, err
	}
	p := Problem[T]{Points: x, Task: data.Multiclass, Y: make([]float64, len(y))}
	if len(labels.Classes) == 2 {
		p.Task = data.Binary
	}
	for i, c := range labels.Code {
		p.Y[i] = float64(c)
	}
	for _, l := range labels.Classes {
		p.Classes = append(p.Classes, fmt.Sprint(l))
	}
	return p, nil
}
