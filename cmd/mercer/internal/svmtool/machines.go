package svmtool

import (
	"context"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learn/plattscale"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// machines is what a model file holds beside the kernel: the decision values
// Σ coef·k(svᵢ, x) - ρ, one for each pair of classes, or a single one.
type machines struct {
	Type  svmType
	Label []int // classes, for classifiers
	Rho   []float64
	// Coef[r][i] belongs to support vector i: for a vector of class a, row b-1
	// is its coefficient against class b > a and row b against class b < a.
	Coef  [][]float64
	Count []int // support vectors of each class, for classifiers
	ProbA []float64
	ProbB []float64
	Marks []float64 // of the decision values of a single class, by which probabilities are told
}

func (m *machines) outputs() int {
	if m.Type.classifies() {
		return len(m.Label) * (len(m.Label) - 1) / 2
	}
	return 1
}

// byMachine lays the coefficients out as the functions need them: a row for
// each support vector, a column for each pair.
func (m *machines) byMachine() *mat.Dense {
	n := len(m.Coef[0])
	out := mat.NewDense(n, m.outputs(), nil)
	if !m.Type.classifies() {
		out.SetCol(0, m.Coef[0])
		return out
	}
	start := make([]int, len(m.Count)+1)
	for c, k := range m.Count {
		start[c+1] = start[c] + k
	}
	p := 0
	for a := range m.Label {
		for b := a + 1; b < len(m.Label); b++ {
			for i := start[a]; i < start[a+1]; i++ {
				out.Set(i, p, m.Coef[b-1][i])
			}
			for i := start[b]; i < start[b+1]; i++ {
				out.Set(i, p, m.Coef[a][i])
			}
			p++
		}
	}
	return out
}

// decide evaluates the machines at points; sv are the support vectors. With no
// support vectors the decision values are -ρ.
func decide[T any](ctx context.Context, m *machines, k kernel.Kernel[T], sv, x data.Points[T]) (*mat.Dense, error) {
	if x.Len() == 0 || m.outputs() == 0 {
		return new(mat.Dense), nil
	}
	out := mat.NewDense(x.Len(), m.outputs(), nil)
	if len(m.Coef) == 0 || len(m.Coef[0]) == 0 {
		for i := range x.Len() {
			copy(out.RawRowView(i), m.biases())
		}
		return out, nil
	}
	f := rkhs.Func[T]{Kernel: k, Centers: sv, Coef: m.byMachine(), Bias: m.biases()}
	return out, f.EvaluateTo(ctx, out, x)
}

// function is the machines on dense support vectors, made ready for many calls.
func (m *machines) function(k kernel.Kernel[kernel.Vec], sv data.Points[kernel.Vec]) *rkhs.Func[kernel.Vec] {
	f := rkhs.Func[kernel.Vec]{Kernel: k, Centers: sv, Coef: m.byMachine(), Bias: m.biases()}
	return f.Prepare()
}

func (m *machines) biases() []float64 {
	out := make([]float64, len(m.Rho))
	for i, r := range m.Rho {
		out[i] = -r
	}
	return out
}

// value is the prediction for one row of decision values.
func (m *machines) value(decision []float64) float64 {
	switch {
	case m.Type == oneClass:
		if decision[0] > 0 {
			return 1
		}
		return -1
	case m.Type.regresses():
		return decision[0]
	}
	// Votes, ties to the class that stands first.
	votes := make([]int, len(m.Label))
	p := 0
	for a := range m.Label {
		for b := a + 1; b < len(m.Label); b++ {
			if decision[p] > 0 {
				votes[a]++
			} else {
				votes[b]++
			}
			p++
		}
	}
	return float64(m.Label[learn.ArgMax(votes)])
}

// hasProbability says whether the model was trained with -b 1.
func (m *machines) hasProbability() bool {
	return m.Type.classifies() && m.ProbA != nil && m.ProbB != nil || m.Type.regresses() && m.ProbA != nil ||
		m.Type == oneClass && m.Marks != nil
}

// probabilities fills p, in the order of Label, and returns the label of the
// most probable class. Pairs are coupled to LIBSVM's tolerance, which shows in the
// digits; what it says when that is not reached goes to say.
func (m *machines) probabilities(p, decision []float64, say io.Writer) float64 {
	k := len(m.Label)
	r := make([][]float64, k)
	for a := range r {
		r[a] = make([]float64, k)
	}
	i := 0
	for a := range k {
		for b := a + 1; b < k; b++ {
			v := min(max(platt(m.ProbA[i], m.ProbB[i], decision[i]), 1e-7), 1-1e-7)
			r[a][b], r[b][a] = v, 1-v
			i++
		}
	}
	switch k {
	case 1:
		p[0] = 1
	case 2:
		p[0], p[1] = r[0][1], r[1][0]
	default:
		if !plattscale.CouplePairs(p, r, 0.005/float64(k)) {
			io.WriteString(say, "Exceeds max_iter in multiclass_prob\n")
		}
	}
	return float64(m.Label[learn.ArgMax(p)])
}
