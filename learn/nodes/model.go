package nodes

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Model is a function on the nodes of a graph. It is immutable.
type Model struct {
	values *mat.Dense // nodes × outputs
	prior  []float64  // shares of the classes, or the mean
	slope  float64    // of probabilities
	alone  []bool     // of each node
	class  int
	kernel string
	lambda float64
	report learn.Report
}

// Fit learns from known nodes in one way. Slope is that of the decision values of nodes that were
// held out (Cell.Slope), which makes probabilities of them; 0 means not known, and takes that of the
// known nodes themselves.
func (s *Space) Fit(ctx context.Context, known Known, set Setting, slope float64) (*Model, error) {
	if err := known.check(s.nodes); err != nil {
		return nil, err
	}
	if !(set.Lambda > 0) || math.IsInf(set.Lambda, 0) {
		return nil, fmt.Errorf("nodes: lambda = %g, want a number > 0", set.Lambda)
	}
	for _, v := range known.Nodes {
		if s.place[v] < 0 {
			return nil, fmt.Errorf("nodes: node %d was not among those with an answer when the space was made", v)
		}
	}
	start := time.Now()
	k, err := s.kind(ctx, set.Combinatorial)
	if err != nil {
		return nil, err
	}
	sys, bias := s.system(known)
	found, err := s.solveAll(ctx, k, set.Transform, []system{sys}, []float64{set.Lambda}, s.last())
	if err != nil {
		return nil, err
	}
	f := found[0][0]
	m := &Model{values: mat.NewDense(max(s.nodes, 1), len(bias), nil), prior: known.prior(), class: known.Classes,
		slope: slope, kernel: set.Kernel(), lambda: set.Lambda}
	m.alone = s.withoutAnswer(known.Nodes)
	for v := range s.nodes {
		row := m.values.RawRowView(v)
		copy(row, bias)
		if at := s.place[v]; at >= 0 && !m.alone[v] {
			for j, x := range f.f.Row(int(at)) {
				row[j] += x
			}
		}
	}
	if m.class > 0 && m.slope == 0 {
		var scores []float64
		var codes []int
		for i, v := range known.Nodes {
			scores, codes = append(scores, classScores(m.values.RawRowView(v))...), append(codes, int(known.Y[i]))
		}
		m.slope = learn.FitSlope(scores, codes, m.class)
	}
	m.report = learn.Report{Learner: "nodes", Iterations: f.iterations, Certificate: f.residual, Certified: f.certified,
		Converged: f.converged, Elapsed: time.Since(start)}
	return m, nil
}

// withoutAnswer says of each node that no node of its component is among those known.
func (s *Space) withoutAnswer(known []int) []bool {
	reached := make([]bool, len(s.size))
	for _, v := range known {
		reached[s.component[v]] = true
	}
	out := make([]bool, s.nodes)
	for v, c := range s.component {
		out[v] = !reached[c]
	}
	return out
}

// Restore makes a model of what Plain gives.
func Restore(p Plain) (*Model, error) {
	outputs := 1
	if p.Classes > 2 {
		outputs = p.Classes
	}
	if p.Values == nil || p.Classes < 0 || p.Classes == 1 {
		return nil, fmt.Errorf("nodes: no values, or %d classes", p.Classes)
	}
	n, c := p.Values.Dims()
	if c != outputs || len(p.Prior) != max(p.Classes, 1) {
		return nil, fmt.Errorf("nodes: %d values of a node and a prior of %d, of a model of %d classes", c, len(p.Prior),
			p.Classes)
	}
	for i := range n {
		for _, v := range p.Values.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("nodes: the value of node %d is %g", i, v)
			}
		}
	}
	sum := 0.0
	for _, v := range p.Prior {
		if sum += v; math.IsNaN(v) || math.IsInf(v, 0) || p.Classes > 0 && !(v >= 0) {
			return nil, fmt.Errorf("nodes: a prior of %g", v)
		}
	}
	if p.Classes > 0 && (math.Abs(sum-1) > 1e-9 || !(p.Slope > 0) || math.IsInf(p.Slope, 0)) {
		return nil, fmt.Errorf("nodes: shares that sum to %g, and a slope of %g", sum, p.Slope)
	}
	m := &Model{values: p.Values, prior: p.Prior, slope: p.Slope, class: p.Classes, kernel: p.Kernel, lambda: p.Lambda,
		report: p.Report, alone: make([]bool, n)}
	for i, v := range p.Alone {
		if v < 0 || v >= n || i > 0 && v <= p.Alone[i-1] {
			return nil, fmt.Errorf("nodes: node %d of %d is alone, or named out of order", v, n)
		}
		m.alone[v] = true
	}
	return m, nil
}

// Plain is a model as plain data.
type Plain struct {
	Values  *mat.Dense // of each node: f, or f of each of more than two classes
	Classes int        // 0: numbers
	Prior   []float64  // shares of the classes, or the mean
	Slope   float64    // of classes
	Alone   []int      // nodes of components without a known answer, increasing
	Kernel  string
	Lambda  float64
	Report  learn.Report
}

// Plain is the model as plain data, which shares its storage.
func (m *Model) Plain() Plain {
	p := Plain{Values: m.values, Classes: m.class, Prior: m.prior, Slope: m.slope, Kernel: m.kernel, Lambda: m.lambda,
		Report: m.report}
	for v, alone := range m.alone {
		if alone {
			p.Alone = append(p.Alone, v)
		}
	}
	return p
}

// Nodes is the number of nodes that the model knows.
func (m *Model) Nodes() int { return len(m.alone) }

// Alone says that no answer is known in the component of a node, or that there is no such node: what
// is said of it is what is said of nobody in particular.
func (m *Model) Alone(node int) bool { return node < 0 || node >= len(m.alone) || m.alone[node] }

// Report says how the fit went.
func (m *Model) Report() learn.Report { return m.report }

// Predict is what is said of nodes: values, or codes of classes, a row of decision values and one of
// probabilities for each. Numbers that are no node's get the prior.
func (m *Model) Predict(nodes []int) learn.Predictions {
	out := learn.Predictions{Rows: nodes, Classes: m.class, Positive: -1}
	p := make([]float64, m.class)
	for _, v := range nodes {
		if m.class == 0 {
			if m.Alone(v) {
				out.Value = append(out.Value, m.prior[0])
			} else {
				out.Value = append(out.Value, m.values.At(v, 0))
			}
			continue
		}
		if m.Alone(v) {
			out.Class = append(out.Class, learn.ArgMax(m.prior))
			out.Prob = append(out.Prob, m.prior...)
			out.Score = append(out.Score, m.priorScores()...)
			continue
		}
		row := m.values.RawRowView(v)
		scores := classScores(row)
		softmax(p, scores, m.slope)
		out.Class = append(out.Class, classOf(row))
		out.Prob = append(out.Prob, p...)
		out.Score = append(out.Score, scores...)
	}
	return out
}

// Decision is the decision values of a node: one for two classes, else one for each; of numbers the
// value.
func (m *Model) Decision(node int) []float64 {
	switch {
	case !m.Alone(node):
		return m.values.RawRowView(node)
	case m.class == 0:
		return m.prior
	case m.class == 2:
		return []float64{2*m.prior[1] - 1}
	}
	return m.priorScores()
}

// priorScores are the targets' means: decision values of a node that nothing is known of.
func (m *Model) priorScores() []float64 {
	out := make([]float64, m.class)
	for c, v := range m.prior {
		if out[c] = 2*v - 1; m.class == 2 {
			out[c] = v - 0.5
		}
	}
	return out
}

// classScores is a score for each class, as learn.Calibrated has them: ±f/2 of two.
func classScores(row []float64) []float64 {
	if len(row) == 1 {
		return []float64{-row[0] / 2, row[0] / 2}
	}
	return row
}

// classOf is the class of the largest score, the first of equals.
func classOf(row []float64) int { return learn.ArgMax(classScores(row)) }

// softmax writes exp(a·s_c)/Σ exp(a·s_b).
func softmax(p, s []float64, a float64) {
	top, sum := s[learn.ArgMax(s)], 0.0
	for c, v := range s {
		p[c] = math.Exp(a * (v - top))
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}
