package prob

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/features"
	"github.com/mercer-ml/mercer/kernel/internal/field"
)

// HMMProduct is the probability that a hidden Markov model emits both sequences from one hidden
// sequence,
//
//	k(x, y) = Σ_z p(x | z) p(y | z) p(z),
//
// by the forward recursion with emissions b(xₜ | s)·b(yₜ | s); 0 where the lengths differ, 1 for
// two empty sequences. Values fall by a factor for each symbol: kernel.Normalize divides that away.
type HMMProduct struct {
	Model HMM
}

// Name is "hmmproduct".
func (HMMProduct) Name() string { return "hmmproduct" }

// Eval returns the probability.
func (k HMMProduct) Eval(x, y []int) float64 { return math.Exp(k.Log(x, y)) }

// Log is ln k(x, y), also where k itself is too small for a number.
func (k HMMProduct) Log(x, y []int) float64 {
	if len(x) != len(y) {
		return math.Inf(-1)
	}
	m := k.Model
	n := m.States()
	before, now := make([]float64, n), make([]float64, n)
	l := 0.0
	for t := range x {
		sum := 0.0
		for s := range n {
			p := 0.0
			if t == 0 {
				p = m.Initial[s]
			} else {
				for r := range n {
					p += before[r] * m.Transition.At(r, s)
				}
			}
			now[s] = p * m.Emission.At(s, x[t]) * m.Emission.At(s, y[t])
			sum += now[s]
		}
		if sum == 0 {
			return math.Inf(-1)
		}
		for s := range now {
			now[s] /= sum
		}
		l += math.Log(sum)
		before, now = now, before
	}
	return l
}

// Validate asks the model.
func (k HMMProduct) Validate() error { return k.Model.Validate() }

// CheckPoints refuses unknown symbols, and sequences so long that k(x, x) is too small for a
// number.
func (k HMMProduct) CheckPoints(x data.Points[[]int]) error {
	if err := k.Model.checkFor("hmmproduct", x); err != nil {
		return err
	}
	for i := range x.Len() {
		if l := k.Log(x.At(i), x.At(i)); l < -700 {
			return fmt.Errorf("kernel: hmmproduct: row %d, of length %d, has k(x, x) = e^%.0f, too small for a number; cut it "+
				"into shorter pieces", i, len(x.At(i)), l)
		}
	}
	return nil
}

// Properties of the product: a feature √p(z)·p(x | z) for each hidden sequence z.
func (HMMProduct) Properties() kernel.Properties { return field.Discrete(1) }

// MarginalizedCount is the marginalised count kernel of a hidden Markov model: the inner product of
// the expected shares of symbols with their hidden states,
//
//	k(x, y) = Σ_z Σ_w p(z | x) p(w | y) κ((x, z), (y, w)),
//
// κ the count kernel on joint sequences: (symbol, state), or with Order 2 two of them in a row,
// each as a share of the length (Tsuda, Kin & Asai 2002). Order is 1 when zero. A sequence shorter
// than Order has k = 0.
type MarginalizedCount struct {
	Model HMM
	Order int
}

// Name is "marginalizedcount".
func (MarginalizedCount) Name() string { return "marginalizedcount" }

// Features is the expected shares: of (symbol a, state s) at a·States + s, or of (a, s), (b, r) in
// a row.
func (k MarginalizedCount) Features(x []int) kernel.Vec {
	n := k.Model.States()
	joint := n * k.Model.Symbols()
	if k.Order <= 1 {
		out := make(kernel.Vec, joint)
		k.Model.walk(x, func(t int, state []float64) {
			for s, p := range state {
				out[x[t]*n+s] += p / float64(len(x))
			}
		}, func(int, []float64) {})
		return out
	}
	out := make(kernel.Vec, joint*joint)
	k.Model.walk(x, func(int, []float64) {}, func(t int, pair []float64) {
		for i, p := range pair {
			out[(x[t]*n+i/n)*joint+x[t+1]*n+i%n] += p / float64(len(x)-1)
		}
	})
	return out
}

// Eval returns the inner product of the expected shares.
func (k MarginalizedCount) Eval(x, y []int) float64 {
	return kernel.Inner.Between(k.Features(x), k.Features(y))
}

// PreparePoints takes the expected shares of each sequence once.
func (k MarginalizedCount) PreparePoints(ctx context.Context, x, y data.Points[[]int]) kernel.Rectangle {
	return features.Prepare(ctx, x, y, k.Features)
}

// Validate refuses an order other than 1 and 2, and asks the model.
func (k MarginalizedCount) Validate() error {
	if k.Order < 0 || k.Order > 2 {
		return fmt.Errorf("kernel: marginalizedcount: order = %d, want 1 or 2", k.Order)
	}
	return k.Model.Validate()
}

// CheckPoints refuses unknown symbols and impossible sequences.
func (k MarginalizedCount) CheckPoints(x data.Points[[]int]) error {
	return k.Model.checkFor("marginalizedcount", x)
}

// Properties of expected shares: finitely many, of sum 1.
func (MarginalizedCount) Properties() kernel.Properties { return finite(1 + 1e-9) }
