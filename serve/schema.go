package serve

import (
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// schema is what a model wants and what it gives, in the terms of the protocol.
type schema struct {
	columns []column
	sparse  int // features of a sparse file, which stand before the columns; 0: none
	// open says that the points have no encoding: the columns have no names of their own.
	open    bool
	inputs  []tensor // names, datatypes and shapes
	outputs []tensor
	onAsk   []tensor  // outputs that are given only where they are named
	levels  []float64 // of the output quantiles, where nobody says
}

// column is a column that the model was fitted on.
type column struct {
	name   string
	kind   data.Kind
	code   *data.ColumnCode // nil: the model has no encoding
	joined *data.Join       // what the column is put together from
	how    string           // how its values are written, where that is not the plainest way
}

// matrixName is the input that holds all columns side by side.
const matrixName = "features"

// The outputs.
const (
	outPrediction     = "prediction"      // class names, or numbers
	outClass          = "class"           // the number of the class, from 0
	outProbabilities  = "probabilities"   // of each class
	outDecision       = "decision"        // decision values; of a regression its values, all of several
	outStdMean        = "std_mean"        // standard deviation of the mean
	outStdObservation = "std_observation" // of a new observation, noise included
	outVariance       = "variance"        // the square of std_observation
	outQuantiles      = "quantiles"       // of a new observation
	outCovariance     = "covariance"      // of the targets of a joint model, their noise left out; only where it is named
	// What each column adds to the decision values, or to the value of a regression; computed only
	// where they are named.
	outContributions      = "contributions"       // rows × outputs × columns
	outContributionErrors = "contribution_errors" // their standard errors, 0 where they are exact
	outBase               = "base"                // what they are added to, rows × outputs
)

// defaultQuantiles are those of intervals that hold nine of ten, and the middle.
var defaultQuantiles = []float64{0.05, 0.5, 0.95}

func schemaOf(m *model.Model) *schema {
	s := &schema{}
	if e := m.Info().Encoder; e != nil {
		s.sparse = e.SparseDim
		readings := e.Readings()
		if l := e.Lags; l != nil { // a row is a time, and the rest is made of it
			first, last := l.Range()
			s.columns = []column{{name: l.Order, kind: l.Kind, code: &data.ColumnCode{Name: l.Order, Kind: l.Kind},
				how: "from " + first + " to " + last}}
			for _, c := range l.Beside {
				if c.Ahead() {
					s.columns = append(s.columns, column{name: c.Name, kind: data.Numeric,
						code: &data.ColumnCode{Name: c.Name, Kind: data.Numeric}})
				}
			}
			s.inputs = s.inputsOf()
			s.outputsOf(m)
			return s
		}
		for i := range e.Columns {
			c := column{name: e.Columns[i].Name, kind: e.Columns[i].Kind, code: &e.Columns[i]}
			if n, ok := readings[c.name]; ok {
				c.how = n.Describe()
			}
			for j := range e.Joins {
				if e.Joins[j].Name == c.name {
					c.joined = &e.Joins[j]
				}
			}
			s.columns = append(s.columns, c)
		}
	} else {
		s.open = true
		for j := range m.Dim() {
			s.columns = append(s.columns, column{name: fmt.Sprintf("x%d", j+1), kind: data.Numeric})
		}
	}
	s.inputs = s.inputsOf()
	s.outputsOf(m)
	return s
}

// numeric says that every column is a number.
func (s *schema) numeric() bool {
	return !slices.ContainsFunc(s.columns, func(c column) bool { return c.kind != data.Numeric })
}

func (s *schema) inputsOf() (in []tensor) {
	width := int64(s.sparse)
	if s.sparse == 0 {
		width = int64(len(s.columns))
	}
	if s.open || s.sparse > 0 || s.numeric() && width > 1 {
		in = append(in, tensor{name: matrixName, kind: "FP64", shape: []int64{-1, width}})
		if s.sparse == 0 {
			return in
		}
	}
	for _, c := range s.columns {
		t := tensor{name: c.name, kind: "BYTES", shape: []int64{-1}}
		switch {
		case c.kind == data.Numeric:
			t.kind = "FP64"
		case c.kind == data.Boolean:
			t.kind = "BOOL"
		case c.kind == data.Sequence && c.code.Channels > 1:
			t.kind, t.shape = "FP64", []int64{-1, -1, int64(c.code.Channels)}
		case c.kind == data.Sequence:
			t.kind, t.shape = "FP64", []int64{-1, -1}
		}
		in = append(in, t)
	}
	return in
}

func (s *schema) outputsOf(m *model.Model) {
	add := func(name, kind string, width ...int64) {
		s.outputs = append(s.outputs, tensor{name: name, kind: kind, shape: append([]int64{-1}, width...)})
	}
	if m.Role() != "predictor" {
		s.transformOutputs(m)
		return
	}
	if targets := m.Targets(); len(targets) > 1 {
		s.severalOutputs(m, targets)
		return
	}
	if k := len(m.Classes()); k > 0 {
		add(outPrediction, "BYTES")
		add(outClass, "INT64")
		if m.HasProba() {
			add(outProbabilities, "FP64", int64(k))
		}
	} else {
		add(outPrediction, "FP64")
	}
	add(outDecision, "FP64", int64(m.Outputs()))
	if m.HasStd() {
		add(outStdMean, "FP64")
		add(outStdObservation, "FP64")
		add(outVariance, "FP64")
	}
	if m.HasIntervals() {
		s.levelsOf(m)
		add(outQuantiles, "FP64", -1)
	}
	s.contributionsOf(m)
}

// contributionsOf adds the outputs that take a prediction apart, where it has columns.
func (s *schema) contributionsOf(m *model.Model) {
	if s.sparse > 0 || s.open || len(s.columns) == 0 || !m.HasContributions() {
		return
	}
	outputs, columns := int64(m.Outputs()), int64(len(m.Info().Encoder.Columns))
	s.onAsk = []tensor{
		{name: outBase, kind: "FP64", shape: []int64{-1, outputs}},
		{name: outContributions, kind: "FP64", shape: []int64{-1, outputs, columns}},
		{name: outContributionErrors, kind: "FP64", shape: []int64{-1, outputs, columns}},
	}
}

// contributes says whether predictions can be taken apart.
func (s *schema) contributes() bool {
	return slices.ContainsFunc(s.onAsk, func(t tensor) bool { return t.name == outContributions })
}

// levelsOf sets the quantiles that are given where none are asked for.
func (s *schema) levelsOf(m *model.Model) {
	s.levels = defaultQuantiles
	if m.CheckInterval(centralLevel(s.levels[0])) != nil { // too few rows were held out: the widest they are good for
		n := float64(len(m.Info().Residuals))
		half := 0.5 * (n - 0.5) / (n + 1)
		s.levels = []float64{0.5 - half, 0.5, 0.5 + half}
	}
}

// severalOutputs are those of a model of several targets: for each what a model of one has, with
// the target's name behind it, and all values side by side.
func (s *schema) severalOutputs(m *model.Model, targets []string) {
	names := []string{outPrediction}
	if m.HasStd() {
		names = append(names, outStdMean, outStdObservation, outVariance)
	}
	if m.HasIntervals() {
		s.levelsOf(m)
		names = append(names, outQuantiles)
	}
	for t, target := range targets {
		for _, name := range names {
			out := tensor{name: name + "(" + target + ")", of: name, target: t, kind: "FP64", shape: []int64{-1}}
			if name == outQuantiles {
				out.shape = append(out.shape, -1)
			}
			s.outputs = append(s.outputs, out)
		}
	}
	s.outputs = append(s.outputs, tensor{name: outDecision, kind: "FP64", shape: []int64{-1, int64(m.Outputs())}})
	if k := int64(len(targets)); m.HasOutputs() {
		s.onAsk = append(s.onAsk, tensor{name: outCovariance, kind: "FP64", shape: []int64{-1, k, k}})
	}
}

// output finds an output by name.
func (s *schema) output(name string) (*tensor, bool) {
	for _, outputs := range [][]tensor{s.outputs, s.onAsk} {
		for i := range outputs {
			if outputs[i].name == name {
				return &outputs[i], true
			}
		}
	}
	return nil, false
}

// names lists the columns, for messages.
func (s *schema) names() []string {
	names := make([]string, len(s.columns))
	for i, c := range s.columns {
		names[i] = c.name
	}
	return names
}

func namesOf(tensors []tensor) []string {
	names := make([]string, len(tensors))
	for i := range tensors {
		names[i] = tensors[i].name
	}
	return names
}
