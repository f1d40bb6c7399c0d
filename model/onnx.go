package model

import (
	"io"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/spec"
	"gonum.org/v1/gonum/mat"
)

// ONNXOptions says how to write a model as ONNX.
type ONNXOptions struct {
	// Core writes core operators in double precision even where the operators
	// SVMClassifier and SVMRegressor of ai.onnx.ml, which know single precision only, would do.
	Core bool
}

// maxONNXNumbers bounds the centres of an exported file, which are dense there:
// a protocol buffer ends at 2 GiB.
const maxONNXNumbers = 1 << 27

// WriteONNX writes the model for runtimes of ONNX. Support vector machines
// with the kernels linear, poly, gaussian and sigmoid become SVMClassifier or
// SVMRegressor; other models become core operators in double precision.
//
// The input "features" (double, N × columns) is the numeric columns as they are in a data
// set, in the order the encoder has them; each categorical column is an input of strings
// (N × 1) of its own name. Scaling, filling in and one-hot coding are part of the graph. Outputs are
// "prediction" (N × outputs) for numbers, or "label" (strings) with "scores" and, where the model has
// them, "probabilities". The error is an *UnfitError where the model does not fit.
func (m *Model) WriteONNX(w io.Writer, o ONNXOptions) error {
	r := m.body.record()
	if err := r.byFunction(onnxFormat); err != nil {
		return err
	}
	g := newGraph()
	x, notes, err := g.encoder(m.info.Encoder, r)
	if err != nil {
		return err
	}
	if r.sparse != nil {
		if r.sparse.Rows > 0 && r.dim > maxONNXNumbers/r.sparse.Rows {
			return unfit(onnxFormat, "%d centres of %d features are too many for a file of dense numbers", r.sparse.Rows, r.dim)
		}
		r.dense = linalg.New[float64](r.sparse.Rows, r.dim)
		for i := range r.dense.Rows {
			index, value := r.sparse.Row(i)
			for a, j := range index {
				r.dense.Set(i, int(j), value[a])
			}
		}
	}
	done := false
	if !o.Core {
		if done, err = m.machines(g, m.unscaled(r), x); err != nil {
			return err
		}
	}
	if !done {
		scores, err := g.scores(m.unscaled(r), x)
		if err != nil {
			return err
		}
		if err := m.head(g, r, scores); err != nil {
			return err
		}
	}
	notes["mercer.learner"], notes["mercer.kernel"] = r.learner, r.kernel
	return g.writeTo(w, notes)
}

// unscaled is the record with the scaling of the target taken into its function.
func (m *Model) unscaled(r record) record {
	a := m.info.TargetScale
	if a == nil {
		return r
	}
	coef := mat.DenseCopyOf(r.coef)
	coef.Scale(1/a.Factor, coef)
	_, n := coef.Dims()
	bias := make([]float64, n)
	for j := range bias {
		if r.bias != nil {
			bias[j] = r.bias[j] / a.Factor
		}
		bias[j] += a.Center
	}
	r.coef, r.bias = coef, bias
	return r
}

// scores is the values of the function, N × outputs.
func (g *graph) scores(r record, x string) (string, error) {
	var values string
	if r.domain == domainPrecomputed {
		index := make([]int64, r.dense.Rows)
		for i := range index {
			index[i] = int64(r.dense.At(i, 0))
		}
		values = g.gather(x, 1, index...)
	} else {
		k, err := spec.ParseKernel(r.kernel)
		if err != nil {
			return "", err
		}
		if values, err = (&onnxPair{g: g, x: x, d: r.dim, centers: r.dense}).values(k); err != nil {
			return "", err
		}
	}
	n, c := r.coef.Dims()
	s := g.product(values, linalg.Of(r.coef).Clone().Data, n, c)
	if r.bias != nil {
		s = g.op("Add", s, g.store(r.bias, 1, len(r.bias)))
	}
	return s, nil
}

// head turns scores into what the model predicts.
func (m *Model) head(g *graph, r record, scores string) error {
	_, outputs := r.coef.Dims()
	if r.classes == 0 {
		g.output("prediction", scores, onnxDouble, outputs)
		return nil
	}
	var code string
	rest := r.numbers["one-vs-rest"] != 0 || r.learner != "svc"
	platt := r.arrays["platt"]
	switch {
	case r.learner == "gp-classifier" && r.classes > 2:
		return unfit(onnxFormat, "its class probabilities are averages over random draws")
	case r.logOdds():
		p := g.logistic(r, scores)
		g.output("probabilities", p, onnxDouble, r.classes)
		code = g.argMax(p)
	case platt != nil && r.classes > 2 && !rest:
		return unfit(onnxFormat, "its class probabilities come from coupling pairs of classes, which only SVMClassifier does, and that does not know the kernel %s; fit it without probabilities", clip(r.kernel))
	case platt != nil:
		p := g.platt(r, scores)
		g.output("probabilities", p, onnxDouble, r.classes)
		code = g.argMax(p)
	case outputs == 1:
		code = g.op("Squeeze", g.cast(g.op("Greater", scores, g.scalar(0)), onnxInt64), g.indices(1))
	case rest:
		code = g.argMax(scores)
	default:
		code = g.votes(r, scores)
	}
	g.output("label", m.label(g, code), onnxString, 0)
	g.output("scores", scores, onnxDouble, outputs)
	return nil
}

// label is the names of class codes.
func (m *Model) label(g *graph, code string) string {
	return g.opWith("Gather", []attribute{{"axis", int64(0)}}, g.store(m.info.Classes, len(m.info.Classes)), code)
}

// logistic is the class probabilities of logistic regression.
func (g *graph) logistic(r record, scores string) string {
	switch {
	case r.classes == 2:
		p := g.op("Sigmoid", scores)
		return g.opWith("Concat", []attribute{{"axis", int64(1)}}, g.op("Sigmoid", g.op("Neg", scores)), p)
	case r.numbers["softmax"] != 0:
		return g.opWith("Softmax", []attribute{{"axis", int64(1)}}, scores)
	}
	p := g.op("Sigmoid", scores)
	return g.op("Div", p, g.sum(p, 1, true))
}

// platt is the class probabilities of two classes or of one-vs-rest machines.
func (g *graph) platt(r record, scores string) string {
	n, _ := r.arrays["platt"].Dims()
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = -r.arrays["platt"].At(i, 0), -r.arrays["platt"].At(i, 1)
	}
	// 1/(1 + exp(Af + B)), kept from 0 and 1 as the model does.
	p := g.op("Sigmoid", g.op("Add", g.op("Mul", scores, g.store(a, 1, n)), g.store(b, 1, n)))
	p = g.op("Min", g.op("Max", p, g.scalar(1e-7)), g.scalar(1-1e-7))
	if r.classes == 2 {
		return g.opWith("Concat", []attribute{{"axis", int64(1)}}, g.op("Sub", g.scalar(1), p), p)
	}
	return g.op("Div", p, g.sum(p, 1, true))
}

// votes is the class of each row of pairwise decisions: most votes, then the
// largest sum of decisions, then the first; with an order of LIBSVM's most
// votes, then the first of the order.
func (g *graph) votes(r record, scores string) string {
	k := r.classes
	order := make([]int, k)
	for c := range order {
		order[c] = c
	}
	libsvm := r.arrays["order"]
	if libsvm != nil {
		for i, v := range libsvm.RawRowView(0) {
			order[i] = int(v)
		}
	}
	_, pairs := r.coef.Dims()
	// A vote for the first of the pair where sign·score > 0, else for the second.
	sign := make([]float64, pairs)
	first, second := linalg.New[float64](pairs, k), linalg.New[float64](pairs, k)
	difference := linalg.New[float64](pairs, k)
	eachPair(order, func(i, j, column int, s float64) {
		sign[column] = s
		first.Set(column, i, 1)
		second.Set(column, j, 1)
		difference.Set(column, i, 1)
		difference.Set(column, j, -1)
	})
	signed := g.op("Mul", scores, g.store(sign, 1, pairs))
	yes := g.cast(g.op("Greater", signed, g.scalar(0)), onnxDouble)
	votes := g.op("Add", g.op("MatMul", yes, g.store(first.Data, pairs, k)),
		g.op("MatMul", g.op("Sub", g.scalar(1), yes), g.store(second.Data, pairs, k)))
	if libsvm != nil {
		back := make([]int64, k)
		for i, c := range order {
			back[i] = int64(c)
		}
		return g.op("Gather", g.indices(back...), g.argMax(votes))
	}
	most := g.opWith("ReduceMax", []attribute{{"axes", []int64{1}}, {"keepdims", int64(1)}}, votes)
	sums := g.op("MatMul", signed, g.store(difference.Data, pairs, k))
	return g.argMax(g.op("Where", g.op("Equal", votes, most), sums, g.scalar(-1e308)))
}

// join writes column names into a note.
func join(names []string) string { return strings.Join(names, "\t") }
