package prob

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/internal/features"
	"github.com/mercer-ml/mercer/kernel/internal/field"
	"gonum.org/v1/gonum/mat"
)

// Model is a probability model p(x | θ) as a Fisher kernel sees it.
type Model[T any] interface {
	// Score is ∇ ln p(x | θ), by the parameters of the model.
	Score(x T) kernel.Vec
	// Validate says why the parameters make no model.
	Validate() error
	// CheckPoints refuses points of which the model cannot speak: those of probability 0 have no
	// score.
	CheckPoints(x data.Points[T]) error
}

// Whitener is a Model whose Fisher information F = E[g gᵀ] under the model is known in closed form.
type Whitener[T any] interface {
	Model[T]
	// Whiten is R·g for a score g, RᵀR an inverse of F (a generalised one where parameters are
	// redundant).
	Whiten(g kernel.Vec) kernel.Vec
}

// Drawer is a Model that can draw points.
type Drawer[T any] interface {
	Model[T]
	Draw(rng *rand.Rand) T
}

// Fisher is the Fisher kernel of a model,
//
//	k(x, y) = g(x)ᵀ F⁻¹ g(y),   g(x) = ∇ ln p(x | θ),
//
// F the information matrix of FisherExact (E[g gᵀ] under the model), FisherEmpirical (its mean over
// a sample), FisherSimulated (over points that the model draws) or FisherIdentity (Jaakkola &
// Haussler 1998). With the exact F it does not depend on how the model is parametrised. Where F is
// singular, its pseudo-inverse stands for the inverse.
type Fisher[T any] struct {
	Model  Model[T]
	whiten func(g kernel.Vec) kernel.Vec // nil: F = I
	root   *mat.Dense                    // of whiten, where it is a matrix
}

// FisherIdentity is g(x)ᵀg(y).
func FisherIdentity[T any](m Model[T]) (Fisher[T], error) {
	return Fisher[T]{Model: m}, m.Validate()
}

// FisherExact has the information E[g gᵀ] under the model: in closed form (Whitener), or as a sum
// over all outcomes (Lister), as long as they are not too many: a hidden Markov model of short
// sequences, a mixture in one, two or three dimensions.
func FisherExact[T any](m Model[T]) (Fisher[T], error) {
	if err := m.Validate(); err != nil {
		return Fisher[T]{}, err
	}
	switch m := m.(type) {
	case Whitener[T]:
		return Fisher[T]{Model: m, whiten: m.Whiten}, nil
	case Lister[T]:
		f, err := listed(m)
		if err != nil {
			return Fisher[T]{}, err
		}
		root, err := inverseRoot(f)
		if err != nil {
			return Fisher[T]{}, err
		}
		return FisherRooted(Model[T](m), root)
	}
	return Fisher[T]{}, fmt.Errorf("kernel: fisher: the information matrix of %T has no closed form; use "+
		"FisherEmpirical or FisherSimulated", m)
}

// FisherEmpirical has the information 1/n Σ g(xᵢ)g(xᵢ)ᵀ of a sample, for instance of the points
// that the model was fitted to.
func FisherEmpirical[T any](m Model[T], x data.Points[T]) (Fisher[T], error) {
	if err := m.Validate(); err != nil {
		return Fisher[T]{}, err
	}
	if err := m.CheckPoints(x); err != nil {
		return Fisher[T]{}, err
	}
	if x.Len() == 0 {
		return Fisher[T]{}, fmt.Errorf("kernel: fisher: no points to take the information matrix from")
	}
	var f *mat.SymDense
	for i := range x.Len() {
		g := m.Score(x.At(i))
		if f == nil {
			f = mat.NewSymDense(len(g), nil)
		}
		f.SymRankOne(f, 1/float64(x.Len()), mat.NewVecDense(len(g), g))
	}
	root, err := inverseRoot(f)
	if err != nil {
		return Fisher[T]{}, err
	}
	return FisherRooted(m, root)
}

// FisherRooted has the information F with RᵀR = F⁻¹ for a root R that is known, as of a kernel that
// was written down: the same bits as of the kernel that the root is from (Root).
func FisherRooted[T any](m Model[T], root *mat.Dense) (Fisher[T], error) {
	if err := m.Validate(); err != nil {
		return Fisher[T]{}, err
	}
	if root == nil || root.IsEmpty() {
		return Fisher[T]{}, fmt.Errorf("kernel: fisher: no root of the inverse information matrix")
	}
	for _, v := range root.RawMatrix().Data {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return Fisher[T]{}, fmt.Errorf("kernel: fisher: the root of the inverse information matrix has the entry %g", v)
		}
	}
	rows, cols := root.Dims()
	return Fisher[T]{m, func(g kernel.Vec) kernel.Vec {
		out := mat.NewVecDense(rows, nil)
		out.MulVec(root, mat.NewVecDense(cols, g))
		return out.RawVector().Data
	}, root}, nil
}

// Root is the matrix R of k(x, y) = (R·g(x))ᵀ(R·g(y)); nil where F is the identity, and where R is
// known in closed form (Whitener).
func (k Fisher[T]) Root() *mat.Dense { return k.root }

// FisherSimulated is FisherEmpirical of points that the model draws itself: an estimate of the
// exact information where it has no closed form.
func FisherSimulated[T any](m Drawer[T], draws int, seed uint64) (Fisher[T], error) {
	if err := m.Validate(); err != nil {
		return Fisher[T]{}, err
	}
	if draws < 1 {
		return Fisher[T]{}, fmt.Errorf("kernel: fisher: draws = %d, want at least 1", draws)
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	x := make(data.Slice[T], draws)
	for i := range x {
		x[i] = m.Draw(rng)
	}
	return FisherEmpirical[T](m, x)
}

// inverseRoot is Λ^{-1/2}Vᵀ for F = VΛVᵀ, without the directions in which F is 0 up to
// rounding.
func inverseRoot(f *mat.SymDense) (*mat.Dense, error) {
	n := f.SymmetricDim()
	var e mat.EigenSym
	if !e.Factorize(f, true) {
		return nil, fmt.Errorf("kernel: fisher: the eigenvalues of the %d×%d information matrix did not converge", n, n)
	}
	values := e.Values(nil)
	var v mat.Dense
	e.VectorsTo(&v)
	root := mat.NewDense(n, n, nil)
	for c, l := range values {
		if l > 1e-10*values[n-1] {
			for i := range n {
				root.Set(c, i, v.At(i, c)/math.Sqrt(l))
			}
		}
	}
	return root, nil
}

// Name is "fisher".
func (Fisher[T]) Name() string { return "fisher" }

// Features is the score of x, whitened: k(x, y) is the inner product of two of them.
func (k Fisher[T]) Features(x T) kernel.Vec {
	g := k.Model.Score(x)
	if k.whiten == nil {
		return g
	}
	return k.whiten(g)
}

// Eval returns g(x)ᵀF⁻¹g(y).
func (k Fisher[T]) Eval(x, y T) float64 { return kernel.Inner.Between(k.Features(x), k.Features(y)) }

// PreparePoints takes each score once.
func (k Fisher[T]) PreparePoints(ctx context.Context, x, y data.Points[T]) kernel.Rectangle {
	return features.Prepare(ctx, x, y, k.Features)
}

// Validate asks the model.
func (k Fisher[T]) Validate() error {
	if k.Model == nil {
		return fmt.Errorf("kernel: fisher: no model")
	}
	return k.Model.Validate()
}

// CheckPoints asks the model.
func (k Fisher[T]) CheckPoints(x data.Points[T]) error { return k.Model.CheckPoints(x) }

// Properties of a Fisher kernel: a finite number of features.
func (Fisher[T]) Properties() kernel.Properties { return finite(math.Inf(1)) }

// finite is what is known of an inner product of finitely many features.
func finite(bound float64) kernel.Properties {
	p := field.Discrete(bound)
	p.Strict, p.Universal, p.Characteristic = kernel.No, kernel.No, kernel.No
	return p
}
