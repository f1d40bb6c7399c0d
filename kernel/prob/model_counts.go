package prob

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"gonum.org/v1/gonum/mathext"
)

// Multinomial is a model of counts: x_w times word w of n = Σ x_w words. Its parameters are the
// log-probabilities (p = softmax of them), so that the score is x_w - n·p_w. The exact Fisher
// kernel, for documents of Length words (1 when zero), is Σ (x_w - n·p_w)(y_w -
// m·p_w)/(p_w·Length).
type Multinomial struct {
	P      []float64
	Length float64
}

// Validate refuses what is no distribution.
func (m Multinomial) Validate() error {
	if err := distribution(m.P); err != nil {
		return fmt.Errorf("kernel: multinomial: the model%w", err)
	}
	return field.MustBePositive("multinomial", "length", m.Length)
}

// CheckPoints refuses what are no counts, and words of probability 0.
func (m Multinomial) CheckPoints(x data.Points[kernel.Vec]) error {
	if err := checkCounts("multinomial", len(m.P), x); err != nil {
		return err
	}
	for i := range x.Len() {
		for w, v := range x.At(i) {
			if v > 0 && m.P[w] == 0 {
				return fmt.Errorf("kernel: multinomial: row %d, column %d is %g, but the model gives it probability 0 "+
					"(smooth the model)", i, w, v)
			}
		}
	}
	return nil
}

func checkCounts(name string, dim int, x data.Points[kernel.Vec]) error {
	for i := range x.Len() {
		row := x.At(i)
		if len(row) != dim {
			return fmt.Errorf("kernel: %s: row %d has %d counts, want %d", name, i, len(row), dim)
		}
		for w, v := range row {
			if !(v >= 0) || math.IsInf(v, 0) {
				return fmt.Errorf("kernel: %s: row %d, column %d is %g; a count is a finite number ≥ 0", name, i, w, v)
			}
		}
	}
	return nil
}

// Score is x_w - n·p_w.
func (m Multinomial) Score(x kernel.Vec) kernel.Vec {
	n := total(x)
	out := make(kernel.Vec, len(x))
	for w, v := range x {
		out[w] = v - n*m.P[w]
	}
	return out
}

func total(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// Whiten divides by √(p_w·Length): diag(1/p) is a generalised inverse of diag(p) - ppᵀ.
func (m Multinomial) Whiten(g kernel.Vec) kernel.Vec {
	out := make(kernel.Vec, len(g))
	for w, v := range g {
		if m.P[w] > 0 {
			out[w] = v / math.Sqrt(m.P[w]*field.Or(m.Length, 1))
		}
	}
	return out
}

// Draw is the counts of a document of Length words.
func (m Multinomial) Draw(rng *rand.Rand) kernel.Vec {
	out := make(kernel.Vec, len(m.P))
	for range int(field.Or(m.Length, 1)) {
		out[drawFrom(rng, m.P)]++
	}
	return out
}

// DirichletMultinomial is a model of counts in which every document has probabilities of its own,
// drawn from a Dirichlet distribution: words come in bursts. Its parameters are Alpha, all > 0, and
//
//	∂ ln p(x)/∂α_w = ψ(s) - ψ(s+n) + ψ(α_w+x_w) - ψ(α_w),   s = Σα, n = Σx, ψ the digamma function.
//
// Where α is small, as for words that are rare, this is about 1/α_w where x_w > 0, and grows with
// ln x_w: the Fisher kernel is nearly that of TF-IDF (Elkan, Deriving TF-IDF as a Fisher kernel,
// SPIRE 2005). The information matrix has no closed form.
type DirichletMultinomial struct {
	Alpha []float64
}

// Validate refuses α ≤ 0.
func (m DirichletMultinomial) Validate() error {
	if len(m.Alpha) == 0 {
		return fmt.Errorf("kernel: dirichlet-multinomial: no alpha")
	}
	for w, a := range m.Alpha {
		if !(a > 0) || math.IsInf(a, 0) {
			return fmt.Errorf("kernel: dirichlet-multinomial: alpha[%d] = %g, want a finite number > 0", w, a)
		}
	}
	return nil
}

// CheckPoints refuses what are no counts.
func (m DirichletMultinomial) CheckPoints(x data.Points[kernel.Vec]) error {
	return checkCounts("dirichlet-multinomial", len(m.Alpha), x)
}

// Score is by each α_w.
func (m DirichletMultinomial) Score(x kernel.Vec) kernel.Vec {
	s := total(m.Alpha)
	common := mathext.Digamma(s) - mathext.Digamma(s+total(x))
	out := make(kernel.Vec, len(x))
	for w, v := range x {
		out[w] = common
		if v > 0 {
			out[w] += mathext.Digamma(m.Alpha[w]+v) - mathext.Digamma(m.Alpha[w])
		}
	}
	return out
}

// LogJoint is ln ∫ p(x | θ)p(y | θ) dDir(θ; α), of sequences of words with these counts: what
// Covariance asks for.
func (m DirichletMultinomial) LogJoint(x, y kernel.Vec) float64 {
	s := total(m.Alpha)
	out := logGamma(s) - logGamma(s+total(x)+total(y))
	for w, a := range m.Alpha {
		if n := x[w] + y[w]; n > 0 {
			out += logGamma(a+n) - logGamma(a)
		}
	}
	return out
}

func logGamma(v float64) float64 {
	l, _ := math.Lgamma(v)
	return l
}
