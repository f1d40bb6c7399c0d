package main

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
)

// machineSet is a set of ../shared/data as both sides read it: a file in LIBSVM's
// format to fit on and one to predict.
type machineSet struct {
	autoSet
	name  string
	test  string // another file of the same kind to predict; empty: rows of the set itself
	whole bool   // 0/1 features, never scaled
}

// machineSets are those of the suite. The solver's constants were chosen on the first seven
// and only shown on the others.
var machineSets = []machineSet{
	{autoSet: autoSet{file: "usps_train.csv.gz", target: "label", classes: true}, name: "usps", test: "usps_test.csv.gz"},
	{autoSet: autoSet{file: "banana.csv", classes: true}, name: "banana"},
	{autoSet: autoSet{file: "svmguide1", classes: true}, name: "svmguide1", test: "svmguide1.t"},
	{autoSet: autoSet{file: "a9a.gz", classes: true}, name: "a9a", test: "a9a.t.gz", whole: true},
	{autoSet: autoSet{file: "covtype_3v4.csv.gz", classes: true}, name: "covtype_3v4"},
	{autoSet: autoSet{file: "splice", classes: true}, name: "splice"},
	{autoSet: autoSet{file: "cpusmall.csv"}, name: "cpusmall"},

	{autoSet: autoSet{file: "digits8x8.csv", classes: true}, name: "digits8x8"},
	{autoSet: autoSet{file: "spam.csv", classes: true}, name: "spam"},
	{autoSet: autoSet{file: "a1a", classes: true}, name: "a1a", test: "a1a.t.gz", whole: true},
	{autoSet: autoSet{file: "w8a.gz", classes: true}, name: "w8a", whole: true},
	{autoSet: autoSet{file: "agaricus_train", classes: true}, name: "agaricus", test: "agaricus_test", whole: true},
	{autoSet: autoSet{file: "california_housing.csv.gz"}, name: "california"},
	{autoSet: autoSet{file: "oilflow_train.csv", target: "label", classes: true, drop: []string{"frac1", "frac2"}},
		name: "oilflow", test: "oilflow_test.csv"},
}

// mostPredicted bounds the rows of the file to predict.
const mostPredicted = 4000

// machineFiles is a set made ready.
type machineFiles struct {
	train, test labelled
	trainFile   string
	testFile    string
	d           int
	share       float64 // of the rarest class among it and any other
}

// prepare reads a set and writes its files; scaled to mean 0 and deviation 1 (targets
// too, where they are numbers), or as it is. Six digits, as such files have.
func (s machineSet) prepare(scaled bool) (*machineFiles, error) {
	train, names, err := s.load(s.file, nil)
	if err != nil {
		return nil, err
	}
	test := train
	if s.test != "" {
		if test, _, err = s.load(s.test, names); err != nil {
			return nil, err
		}
	}
	if scaled {
		standardise(train, test)
		if !s.classes {
			train.y, test.y = standardTargets(train.y, test.y)
		}
	}
	test = test.first(mostPredicted)
	f := &machineFiles{train: train, test: test, d: train.asSparse().Dim(), share: s.rarest(train.y)}
	kind := "raw"
	if scaled {
		kind = "scaled"
	}
	f.trainFile = train.file(fmt.Sprintf("svm-%s-%s.txt", s.name, kind))
	f.testFile = test.file(fmt.Sprintf("svm-%s-%s.t.txt", s.name, kind))
	return f, nil
}

// load reads one file; classes get the codes 1, 2, … in the order of names, two of them -1 and 1.
func (s machineSet) load(file string, names map[string]float64) (labelled, map[string]float64, error) {
	one := s.autoSet
	one.file = file
	set, err := one.read(context.Background())
	if err != nil {
		return labelled{}, nil, err
	}
	target, err := set.Column(set.Target)
	if err != nil {
		return labelled{}, nil, err
	}
	l := labelled{y: target.Numbers}
	if s.classes {
		if names == nil {
			names = map[string]float64{}
			for c, name := range target.Levels {
				names[name] = float64(c + 1)
				if len(target.Levels) == 2 {
					names[name] = float64(2*c - 1)
				}
			}
		}
		l.y = make([]float64, set.Len())
		for i, c := range target.Codes {
			l.y[i] = names[target.Levels[c]]
		}
	}
	if set.Sparse != nil {
		l.sparse = set.Sparse
		if !s.whole {
			l.dense, l.sparse = expanded(*set.Sparse), nil
		}
		return l, names, nil
	}
	var columns []data.Column
	for _, c := range set.Columns {
		if c.Name != set.Target {
			columns = append(columns, c)
		}
	}
	x := linalg.New[float64](set.Len(), len(columns))
	for j, c := range columns {
		numbers, err := c.As(data.Numeric)
		if err != nil {
			return labelled{}, nil, err
		}
		for i, v := range numbers.Numbers {
			x.Set(i, j, v)
		}
	}
	l.dense = data.RowsOf(x)
	return l, names, nil
}

func expanded(r data.SparseRows) data.DenseRows {
	x := linalg.New[float64](r.Len(), r.Dim())
	for i := range r.Len() {
		v := r.At(i)
		for a, j := range v.Index {
			x.Set(i, int(j), v.Value[a])
		}
	}
	return data.RowsOf(x)
}

// standardise scales the dense features of both sets by the mean and deviation of the first.
func standardise(train, test labelled) {
	if train.sparse != nil {
		return
	}
	columns := func(l labelled) linalg.Matrix[float64] { return linalg.Matrix[float64](l.dense.RawMatrix()) }
	a, b := columns(train), columns(test)
	for j := range a.Cols {
		mean, deviation := moments(func(i int) float64 { return a.At(i, j) }, a.Rows)
		scale := func(m linalg.Matrix[float64]) {
			for i := range m.Rows {
				m.Set(i, j, sixDigits((m.At(i, j)-mean)/deviation))
			}
		}
		scale(a)
		if a.Rows > 0 && b.Rows > 0 && &a.Data[0] != &b.Data[0] && j < b.Cols {
			scale(b)
		}
	}
}

// standardTargets scales numbers to predict by the mean and deviation of the first.
func standardTargets(train, test []float64) ([]float64, []float64) {
	mean, deviation := moments(func(i int) float64 { return train[i] }, len(train))
	scale := func(y []float64) []float64 {
		out := make([]float64, len(y))
		for i, v := range y {
			out[i] = sixDigits((v - mean) / deviation)
		}
		return out
	}
	return scale(train), scale(test)
}

// rarest is the smallest share that a class has in a pair of classes: half of the largest ν.
func (s machineSet) rarest(y []float64) float64 {
	if !s.classes {
		return 0
	}
	count := map[float64]int{}
	for _, v := range y {
		count[v]++
	}
	least, most := len(y), 0
	for _, n := range count {
		least, most = min(least, n), max(most, n)
	}
	return float64(least) / float64(least+most)
}

func moments(at func(int) float64, n int) (mean, deviation float64) {
	for i := range n {
		mean += at(i)
	}
	mean /= float64(n)
	for i := range n {
		deviation += (at(i) - mean) * (at(i) - mean)
	}
	if deviation = math.Sqrt(deviation / float64(n)); deviation == 0 {
		deviation = 1
	}
	return mean, deviation
}

func sixDigits(v float64) float64 {
	out, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	return out
}

// first is the first n rows.
func (l labelled) first(n int) labelled {
	n = min(n, len(l.y))
	out := labelled{y: l.y[:n]}
	index := make([]int, n)
	for i := range index {
		index[i] = i
	}
	if l.sparse != nil {
		s := data.Gather[data.SparseVec](*l.sparse, index).(data.SparseRows)
		out.sparse = &s
		return out
	}
	out.dense = data.Gather[[]float64](l.dense, index).(data.DenseRows)
	return out
}
