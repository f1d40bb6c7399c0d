package model

import (
	"io"
	"math"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/spec"
	"gonum.org/v1/gonum/mat"
)

// ONNXOptions says how to write a model as ONNX.
type ONNXOptions struct {
	// Single writes the operators SVMClassifier and SVMRegressor of ai.onnx.ml where they would do:
	// a smaller file, whose features and values have single precision. Of scaled features about six
	// digits are left; where columns are not scaled and far from 0, none may be.
	Single bool
}

// maxONNXNumbers bounds the centres of an exported file, which are dense there:
// a protocol buffer ends at 2 GiB.
const maxONNXNumbers = 1 << 27

// WriteONNX writes the model for runtimes of ONNX, in core operators and double precision.
//
// The input "features" (double, N × columns) is the numeric columns as they are in a data set, in
// the order the encoder has them; each categorical column is an input of strings (N × 1) of its own
// name, after which an underscore stands where that is the name of something else. Scaling, filling
// in and one-hot coding are part of the graph. Outputs are "prediction" (N × outputs) for numbers,
// or "label" (strings) with "scores" and, where they are a function of the scores, "probabilities".
// A row that Predict would refuse for a missing number has NaN for a prediction, and an empty
// label. The error is an *UnfitError where the model does not fit.
func (m *Model) WriteONNX(w io.Writer, o ONNXOptions) error {
	r := m.body.record()
	if err := r.byFunction(onnxFormat); err != nil {
		return err
	}
	if t := m.info.TargetMap; t != nil && t.Kind != "log" {
		return unfitMap(onnxFormat, t)
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
		r.dense = denseCenters(r)
	}
	done := false
	if o.Single && m.info.TargetMap == nil {
		if done, err = m.machines(g, m.unscaled(r), x); err != nil {
			return err
		}
	}
	if !done {
		scores, err := g.scores(m.unscaled(r), x)
		if err != nil {
			return err
		}
		if m.info.TargetMap != nil {
			scores = g.op("Exp", scores)
		}
		if err := m.head(g, r, scores); err != nil {
			return err
		}
	}
	if t := m.info.Threshold; t != nil {
		notes["mercer.threshold"] = t.String()
	}
	notes["mercer.learner"], notes["mercer.kernel"] = r.learner, r.kernel
	return g.writeTo(w, notes)
}

// denseCenters spells the zeros of sparse centres out.
func denseCenters(r record) linalg.Matrix[float64] {
	m := linalg.New[float64](r.sparse.Rows, r.dim)
	for i := range m.Rows {
		index, value := r.sparse.Row(i)
		for a, j := range index {
			m.Set(i, int(j), value[a])
		}
	}
	return m
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
	how, err := r.rule(onnxFormat)
	if err != nil {
		return err
	}
	if how, err = m.decided(how, onnxFormat); err != nil {
		return err
	}
	_, outputs := r.coef.Dims()
	if how.decide == "value" {
		g.output("prediction", scores, onnxDouble, outputs)
		return nil
	}
	proba := g.probabilities(r, how.proba, scores)
	if proba != "" {
		g.output("probabilities", proba, onnxDouble, r.classes)
	}
	var code string
	switch how.decide {
	case "threshold", "probable":
		code = m.mostProbable(g, proba)
	case "sign":
		code = g.op("Squeeze", g.cast(g.op("Greater", scores, g.scalar(0)), onnxInt64), g.indices(1))
	case "largest":
		code = g.argMax(scores)
	case "grades":
		cuts := r.arrays["thresholds"].RawRowView(0)
		above := g.cast(g.op("Greater", scores, g.store(slices.Clone(cuts), 1, len(cuts))), onnxDouble)
		code = g.cast(g.sum(above, 1, false), onnxInt64)
	default:
		code = g.votes(r, scores)
	}
	g.output("label", m.label(g, code, scores), onnxString, 0)
	g.output("scores", scores, onnxDouble, outputs)
	return nil
}

// mostProbable is the class of the largest probability, or the one that the threshold finds.
func (m *Model) mostProbable(g *graph, proba string) string {
	t := m.info.Threshold
	if t == nil {
		return g.argMax(proba)
	}
	c := slices.Index(m.info.Classes, t.Class)
	below := g.op("Squeeze", g.cast(g.op("Greater", g.scalar(t.At), g.gather(proba, 1, int64(c))), onnxInt64),
		g.indices(1))
	return g.op("Gather", g.indices(int64(c), int64(1-c)), below)
}

// label is the names of class codes, and nothing where a row has no scores: NaN is larger than
// nothing and smaller than nothing, so that some class would come out.
func (m *Model) label(g *graph, code, scores string) string {
	k := len(m.info.Classes)
	none := g.op("IsNaN", g.sum(scores, 1, false))
	code = g.op("Where", none, g.indices(int64(k)), code)
	names := append(append([]string(nil), m.info.Classes...), "")
	return g.opWith("Gather", []attribute{{"axis", int64(0)}}, g.store(names, k+1), code)
}

// probabilities is those of all classes, by the way that a rule names; empty where it names none.
func (g *graph) probabilities(r record, how, scores string) string {
	switch how {
	case "sigmoid":
		return g.both(g.op("Sigmoid", g.op("Neg", scores)), g.op("Sigmoid", scores))
	case "softmax":
		return g.softmax(scores)
	case "shares":
		return g.shares(g.op("Sigmoid", scores))
	case "slope":
		scaled := g.op("Mul", scores, g.scalar(r.numbers["slope"]))
		if _, outputs := r.coef.Dims(); outputs == 1 {
			return g.both(g.op("Sigmoid", g.op("Neg", scaled)), g.op("Sigmoid", scaled))
		}
		return g.softmax(scaled)
	case "platt":
		p := g.sigmoids(r, scores)
		return g.both(g.op("Sub", g.scalar(1), p), p)
	case "platt shares":
		return g.shares(g.sigmoids(r, scores))
	case "grades":
		return g.gradeChances(r.arrays["thresholds"].RawRowView(0), scores)
	case "platt pairs":
		return g.coupled(g.sigmoids(r, scores), r.classes)
	}
	return ""
}

// gradeChances is σ(b)·σ(-a)·(1 - e^{a-b}) of the grade between the cuts s + a and s + b, as the
// model has it: beyond the first and the last cut are others, as far away as numbers go.
func (g *graph) gradeChances(cuts []float64, scores string) string {
	k := len(cuts) + 1
	before, after, between := slices.Insert(slices.Clone(cuts), 0, -1e308), append(slices.Clone(cuts), 1e308),
		make([]float64, k)
	for i := range between {
		if between[i] = 1; 0 < i && i < k-1 {
			between[i] = -math.Expm1(before[i] - after[i])
		}
	}
	below, above := g.op("Sigmoid", g.op("Sub", g.store(after, 1, k), scores)),
		g.op("Sigmoid", g.op("Sub", scores, g.store(before, 1, k)))
	return g.op("Mul", g.op("Mul", below, above), g.store(between, 1, k))
}

func (g *graph) both(first, second string) string {
	return g.opWith("Concat", []attribute{{"axis", int64(1)}}, first, second)
}

func (g *graph) shares(p string) string { return g.op("Div", p, g.sum(p, 1, true)) }

func (g *graph) softmax(scores string) string {
	return g.opWith("Softmax", []attribute{{"axis", int64(1)}}, scores)
}

// sigmoids is Platt's probability of each machine, 1/(1 + exp(Af + B)), kept from 0 and 1 as the
// model does.
func (g *graph) sigmoids(r record, scores string) string {
	n, _ := r.arrays["platt"].Dims()
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = -r.arrays["platt"].At(i, 0), -r.arrays["platt"].At(i, 1)
	}
	p := g.op("Sigmoid", g.op("Add", g.op("Mul", scores, g.store(a, 1, n)), g.store(b, 1, n)))
	return g.op("Min", g.op("Max", p, g.scalar(1e-7)), g.scalar(1-1e-7))
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
