package model

import (
	"bytes"
	"context"
	"errors"
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/container"
	kgraph "github.com/mercer-ml/mercer/kernel/graph"
	"github.com/mercer-ml/mercer/learn/nodes"
)

func nodesModel(t *testing.T, classes int) *Model {
	g := kgraph.Graph{Nodes: 7, Edges: [][2]int32{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {5, 6}}}
	known := nodes.Known{Nodes: []int{0, 4}, Y: []float64{0, 1}, Classes: classes}
	s := must(nodes.NewSpace(g, known.Nodes))
	m := must(s.Fit(t.Context(), known, nodes.Setting{Transform: kgraph.Diffusion{Sigma: 2}, Lambda: 0.1}, 3))
	target := &data.TargetCode{Name: "side", Task: data.Regression}
	if classes > 0 {
		target.Task, target.Classes = data.Binary, []string{"a", "b"}
	}
	names := []string{"007", "NA", "9007199254740993", "9007199254740992", "e", "f", "g"}
	return must(NewNodes(m, Info{Encoder: NodesEncoder("id", names, target)}))
}

// A file gives back what was said of every name, a name that is no node's and a node about which
// nothing is known are told so.
func TestNodesFile(t *testing.T) {
	for _, classes := range []int{0, 2} {
		m := nodesModel(t, classes)
		var b bytes.Buffer
		must(m.WriteTo(&b))
		again, err := Decode(b.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		if f := again.Summary().Format; f != nodesFormat || again.Learner() != "nodes" || again.Centers() != 7 {
			t.Errorf("format %d of %s", f, again.Learner())
		}
		d := &data.Dataset{Columns: []data.Column{data.TextColumn("id", []string{"9007199254740993", "g", "nobody", "007"})}}
		want := Want{Proba: classes > 0, Scores: true}
		p, q := must(m.Predict(context.Background(), d, want)), must(again.Predict(context.Background(), d, want))
		for i := range p.Rows {
			if p.Text(i) != q.Text(i) || p.Scores.At(i, 0) != q.Scores.At(i, 0) {
				t.Errorf("row %d: %s, want %s", i, q.Text(i), p.Text(i))
			}
		}
		if q.AloneRows != 1 || q.UnseenRows != 1 || len(q.Doubts) != 2 {
			t.Errorf("%d alone, %d unseen: %v", q.AloneRows, q.UnseenRows, q.Doubts)
		}
		if classes > 0 && (q.Labels[3] != "a" || math.Abs(q.Proba.At(1, 1)-0.5) > 1e-12 ||
			q.Proba.At(2, 0) != q.Proba.At(1, 0)) {
			t.Errorf("%v %v", q.Labels, q.Proba)
		}
		if classes == 0 && (q.Values[1] != 0.5 || math.Abs(q.Values[0]-0.5) > 1e-9) {
			t.Errorf("%v", q.Values)
		}
		var unfit *UnfitError
		if err := again.WriteJSON(&b); !errors.As(err, &unfit) {
			t.Errorf("export: %v", err)
		}
		if _, err := again.NearestCenters(context.Background(), must(again.Encode(d)), 0, 1); !errors.Is(err, errNodes) {
			t.Errorf("centres: %v", err)
		}
	}
}

// A file whose parts do not fit together is damaged, not used.
func TestNodesFileRefuses(t *testing.T) {
	m := nodesModel(t, 2)
	for what, spoil := range map[string]func(c *container.File){
		"no values": func(c *container.File) { delete(c.Tensors, tensorNodes) },
		"no prior":  func(c *container.File) { delete(c.Tensors, tensorPrior) },
		"a long prior": func(c *container.File) {
			c.Tensors[tensorPrior] = container.Float64s([]float64{0.2, 0.2, 0.6},
				3)
		},
		"NaN": func(c *container.File) {
			c.Tensors[tensorPrior] = container.Float64s([]float64{math.NaN(), 1},
				2)
		},
		"alone":          func(c *container.File) { c.Tensors[tensorAlone] = container.Int32s([]int32{9}) },
		"no encoder":     func(c *container.File) { delete(c.Metadata, keyEncoder) },
		"another number": func(c *container.File) { c.Metadata[keyNumbers] = `{"slope": -1}` },
	} {
		c := must(m.container())
		spoil(c)
		if _, err := decode(c); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := NewNodes(m.body.(*nodesBody).m, Info{}); err == nil {
		t.Error("a model without its encoder: no error")
	}
}
