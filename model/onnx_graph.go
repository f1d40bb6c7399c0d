package model

import (
	"fmt"
	"io"
	"math"

	"github.com/mercer-ml/mercer/internal/format/container"
)

// The versions of ONNX that the exported files ask for. Operator set 13 is the
// first with ReduceSum and Unsqueeze by input, and every runtime since 2020 has it.
const (
	onnxIR       = 7
	onnxOpset    = 13
	onnxMLOpset  = 1
	onnxMLDomain = "ai.onnx.ml"
)

// graph is an ONNX graph in the making. Nodes come in the order of use.
type graph struct {
	nodes, initializers, inputs, outputs []message
	constants                            map[string]string
	taken                                map[string]bool
	count                                int
	ml                                   bool // whether ai.onnx.ml is used
}

// newGraph keeps the names of outputs from being those of inputs, which are named after columns.
func newGraph() *graph {
	return &graph{constants: map[string]string{}, taken: map[string]bool{"prediction": true, "label": true, "scores": true,
		"probabilities": true}}
}

// name is one that nothing else in the graph has.
func (g *graph) name(hint string) string {
	for {
		g.count++
		if name := fmt.Sprintf("%s_%d", hint, g.count); !g.taken[name] {
			g.taken[name] = true
			return name
		}
	}
}

// op adds a node with one output and returns its name.
func (g *graph) op(op string, inputs ...string) string { return g.opWith(op, nil, inputs...) }

func (g *graph) opWith(op string, attributes []attribute, inputs ...string) string {
	out := g.name(op)
	g.node(op, "", attributes, inputs, []string{out})
	return out
}

func (g *graph) node(op, domain string, attributes []attribute, inputs, outputs []string) {
	var n message
	for _, in := range inputs {
		n.text(1, in)
	}
	for _, out := range outputs {
		n.text(2, out)
	}
	n.text(3, g.name("node"))
	n.text(4, op)
	for _, a := range attributes {
		n.bytes(5, a.encode())
	}
	if domain != "" {
		n.text(7, domain)
		g.ml = true
	}
	g.nodes = append(g.nodes, n)
}

func (g *graph) store(values any, dims ...int) string {
	name := g.name("constant")
	g.initializers = append(g.initializers, onnxTensor(name, values, dims...))
	return name
}

// scalar is a double that broadcasts.
func (g *graph) scalar(v float64) string {
	key := fmt.Sprint(math.Float64bits(v))
	if g.constants[key] == "" {
		g.constants[key] = g.store([]float64{v}, 1)
	}
	return g.constants[key]
}

// repeated is a row of n times the same double.
func (g *graph) repeated(v float64, n int) string {
	key := fmt.Sprint(n, " times ", math.Float64bits(v))
	if g.constants[key] == "" {
		row := make([]float64, n)
		for i := range row {
			row[i] = v
		}
		g.constants[key] = g.store(row, 1, n)
	}
	return g.constants[key]
}

// product is x times a constant matrix; with a single row that is no MatMul,
// which keeps onnxruntime from taking neighbouring factors into it in single precision.
func (g *graph) product(x string, m []float64, rows, cols int) string {
	op := "MatMul"
	if rows == 1 {
		op = "Mul"
	}
	return g.op(op, x, g.store(m, rows, cols))
}

// indices is a constant list of whole numbers.
func (g *graph) indices(v ...int64) string {
	key := fmt.Sprint("int", v)
	if g.constants[key] == "" {
		g.constants[key] = g.store(v, len(v))
	}
	return g.constants[key]
}

func (g *graph) cast(x string, to int64) string {
	return g.opWith("Cast", []attribute{{"to", to}}, x)
}

// sum adds over an axis, which is kept with length 1 when keep is set.
func (g *graph) sum(x string, axis int64, keep bool) string {
	k := int64(0)
	if keep {
		k = 1
	}
	return g.opWith("ReduceSum", []attribute{{"keepdims", k}}, x, g.indices(axis))
}

func (g *graph) gather(x string, axis int64, index ...int64) string {
	return g.opWith("Gather", []attribute{{"axis", axis}}, x, g.indices(index...))
}

func (g *graph) argMax(x string) string {
	return g.opWith("ArgMax", []attribute{{"axis", int64(1)}, {"keepdims", int64(0)}}, x)
}

func (g *graph) input(name string, elem int64, columns int) string {
	for g.taken[name] {
		name += "_"
	}
	g.taken[name] = true
	g.inputs = append(g.inputs, onnxValue(name, elem, columns))
	return name
}

// output gives a result its public name.
func (g *graph) output(name, from string, elem int64, columns int) {
	g.node("Identity", "", nil, []string{from}, []string{name})
	g.outputs = append(g.outputs, onnxValue(name, elem, columns))
}

// writeTo writes the ModelProto.
func (g *graph) writeTo(w io.Writer, notes map[string]string) error {
	var body message
	for _, n := range g.nodes {
		body.bytes(1, n)
	}
	body.text(2, "mercer")
	for _, t := range g.initializers {
		body.bytes(5, t)
	}
	for _, v := range g.inputs {
		body.bytes(11, v)
	}
	for _, v := range g.outputs {
		body.bytes(12, v)
	}
	var m message
	m.integer(1, onnxIR)
	m.text(2, "mercer")
	m.bytes(7, body)
	var set message
	set.text(1, "")
	set.integer(2, onnxOpset)
	m.bytes(8, set)
	if g.ml {
		var set message
		set.text(1, onnxMLDomain)
		set.integer(2, onnxMLOpset)
		m.bytes(8, set)
	}
	for _, k := range container.SortedKeys(notes) {
		var entry message
		entry.text(1, k)
		entry.text(2, notes[k])
		m.bytes(14, entry)
	}
	_, err := w.Write(m)
	return err
}
