package model

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/nodes"
	"gonum.org/v1/gonum/mat"
)

// errNodes is wrapped by the error of a model of the nodes of a graph that was asked for what only a
// function of features has.
var errNodes = errors.New("it is a function on the nodes of one graph")

// nodesBody is a function on the nodes of a graph; its points are their names.
type nodesBody struct{ m *nodes.Model }

// NewNodes is a model of a function on the nodes of a graph. Its points are names of nodes, in the
// column of NodesEncoder, which info.Encoder is to be. A name that is no node's is told what is told
// of nobody in particular, and that this is so (a data.Doubt that is "alone").
func NewNodes(fitted *nodes.Model, info Info) (*Model, error) {
	b := &nodesBody{fitted}
	if err := b.checkEncoder(info.Encoder); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return assemble(b, info)
}

// NodesEncoder is how names of nodes, in a column, become their numbers.
func NodesEncoder(column string, names []string, target *data.TargetCode) *data.Encoder {
	return &data.Encoder{
		Options: data.EncoderOptions{Scaling: "none", Missing: "drop", Unseen: "zero",
			Text: "keep", Categories: "code"},
		Columns: []data.ColumnCode{{Name: column, Kind: data.Categorical, Width: 1, Fill: []float64{-1}, Coded: true,
			Levels: names}},
		Target:    target,
		Dim:       1,
		Notations: map[string]data.Notation{column: {Kind: data.Categorical, Literal: true}},
	}
}

func (b *nodesBody) checkEncoder(e *data.Encoder) error {
	if e == nil || len(e.Columns) != 1 || e.Dim != 1 || !e.Columns[0].Coded || len(e.Columns[0].Levels) != b.m.Nodes() {
		return fmt.Errorf("a model of %d nodes needs an encoder of one column with their names", b.m.Nodes())
	}
	e.IndexLevels()
	return nil
}

func (b *nodesBody) domain() string          { return domainNodes }
func (b *nodesBody) kernelText() string      { return b.m.Plain().Kernel }
func (b *nodesBody) learner() string         { return "nodes" }
func (b *nodesBody) report() learn.Report    { return b.m.Report() }
func (b *nodesBody) classes() int            { return b.m.Plain().Classes }
func (b *nodesBody) centers() int            { return b.m.Nodes() }
func (b *nodesBody) onDevice(d *gram.Device) {}
func (b *nodesBody) dim() int                { return 1 }
func (b *nodesBody) targets() int            { return 1 }
func (b *nodesBody) of(int) body             { return b }
func (b *nodesBody) hasProba() bool          { return b.classes() > 0 }
func (b *nodesBody) hasStd() bool            { return false }
func (b *nodesBody) updatable() bool         { return false }

func (b *nodesBody) outputs() int {
	_, c := b.m.Plain().Values.Dims()
	return c
}

// nodesOf is the numbers of the nodes of encoded rows.
func nodesOf(x *data.Encoded) ([]int, error) {
	rows := x.AsDense()
	out := make([]int, rows.Len())
	for i := range out {
		if len(rows.At(i)) != 1 {
			return nil, &DimensionError{Have: len(rows.At(i)), Want: 1}
		}
		out[i] = int(rows.At(i)[0])
	}
	return out, nil
}

func (b *nodesBody) predict(_ context.Context, x *data.Encoded, w Want, _ bool) (*Prediction, error) {
	at, err := nodesOf(x)
	if err != nil {
		return nil, err
	}
	said := b.m.Predict(at)
	p := &Prediction{Values: said.Value, Codes: said.Class}
	for i, v := range at {
		if b.m.Alone(v) {
			p.alone = append(p.alone, i)
		}
	}
	if len(at) == 0 {
		return p, nil
	}
	if w.Proba {
		p.Proba = mat.NewDense(len(at), b.classes(), said.Prob)
	}
	if w.Scores {
		p.Scores = mat.NewDense(len(at), b.outputs(), nil)
		for i, v := range at {
			p.Scores.SetRow(i, b.m.Decision(v))
		}
	}
	if w.Covariance {
		return nil, fmt.Errorf("model: covariances: %w; a Gaussian process knows them", errNodes)
	}
	return p, nil
}

func (b *nodesBody) judge(
	_ context.Context, x *data.Encoded, known learn.Problem[int], _ bool,
) (learn.Predictions, error) {
	at, err := nodesOf(x)
	if err != nil {
		return learn.Predictions{}, err
	}
	return known.Complete(b.classes(), b.m.Predict(at)), nil
}

func (b *nodesBody) nearest(context.Context, *data.Encoded, int, int) (*Explained, error) {
	return nil, fmt.Errorf("%w: it has a value for each node, and no centres", errNodes)
}

func (b *nodesBody) update(context.Context, *data.Encoded, Info) (*Model, []float64, error) {
	return nil, nil, fmt.Errorf("%w: %w; fit it again with the new answers", errNoUpdate, errNodes)
}

// doubtAlone says of which predictions of nodes nothing is known. A name that is no node's is a
// category never seen, which is said already.
func (m *Model) doubtAlone(p *Prediction) {
	if len(p.alone) == 0 {
		return
	}
	column := m.info.Encoder.Columns[0].Name
	unseen := map[int]bool{}
	for _, d := range p.Doubts {
		unseen[d.Row] = unseen[d.Row] || d.What == "unseen"
	}
	doubts := append([]data.Doubt(nil), p.Doubts...)
	for _, i := range p.alone {
		if !unseen[i] {
			p.AloneRows++
			doubts = append(doubts, data.Doubt{Row: i, Column: column, What: "alone"})
		}
	}
	p.Doubts = doubts
}
