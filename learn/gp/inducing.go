package gp

import (
	"context"
	"fmt"
	"slices"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// inducing is few points Z that a process is known by: K(Z, Z) = LLᵀ and φ(x) = L⁻¹k(Z, x), so that
// ⟨φ(x), φ(y)⟩ is what f(Z) knows of k(x, y). Whatever is added to the diagonal to make it positive
// definite leaves bounds what they are: f(Z) is then seen with a little noise.
type inducing struct {
	kernel  kernel.Kernel[any]
	points  data.Points[any]
	chol    *linalg.Cholesky
	jitter  float64
	threads int
	on      *gram.FeatureRows // features of the rows on a device, nil where the processor makes them
	lost    []float64         // there, k(x, x) - ‖φ‖² of every row
}

func newInducing(ctx context.Context, threads int, k kernel.Kernel[any], z data.Points[any]) (*inducing, error) {
	u := &inducing{kernel: k, points: z, threads: threads}
	a := linalg.New[float64](z.Len(), z.Len())
	tiles := kernel.Prepare(ctx, k, z, z)
	var err error
	u.chol, u.jitter, err = jitteredCholesky(ctx, threads, a, func() { kernel.FillSym(threads, blas64.General(a), tiles) })
	return u, err
}

// leave gives the memory of a device back; what comes then is the processor's.
func (u *inducing) leave() {
	if u.on != nil {
		u.on.Close()
		u.on, u.lost = nil, nil
	}
}

func (u *inducing) count() int { return u.points.Len() }

// features are φ(x), a row each, and k(x, x) of the rows of a block.
type features struct {
	phi  linalg.Matrix[float64]
	self []float64
}

// visit calls f with the features of the rows, a block after the other; they are f's until it
// returns.
func (u *inducing) visit(
	ctx context.Context, rows data.Source[any], f func(b data.Block[any], x features) error,
) error {
	pair, err := gram.NewPair(u.kernel, rows, u.points, gram.PairOptions{Threads: u.threads})
	if err != nil {
		return err
	}
	var self []float64
	return pair.Visit(ctx, func(b data.Block[any], k *mat.Dense) error {
		self = slices.Grow(self[:0], b.Len())[:b.Len()]
		if err := kernel.Diag(ctx, u.kernel, self, b.Points); err != nil {
			return err
		}
		phi := linalg.Of(k)
		if err := linalg.TrsmContext(ctx, u.threads, linalg.Right, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, u.chol.L,
			phi); err != nil {
			return err
		}
		return f(b, features{phi, self})
	})
}

// known is ‖φ(x)‖² of row i, no more than k(x, x): the variance that f(Z) explains.
func (x features) known(i int) float64 {
	s := 0.0
	for _, v := range x.phi.Row(i) {
		s += v * v
	}
	return min(s, x.self[i])
}

// slopes collects the derivatives of a bound by all that φ and k(x, x) are made of: the parameters
// of the kernel and, where they move, the points Z.
type slopes struct {
	u      *inducing
	theta  []float64
	wanted []bool
	points linalg.Matrix[float64] // a row for each of Z; none where they are held
	outer  linalg.Matrix[float64] // Σ φ̄φᵀ
	part   []float64
	shift  linalg.Matrix[float64]
}

func newSlopes(u *inducing, wanted []bool, dim int) *slopes {
	m, params := u.count(), len(kernel.Params(u.kernel))
	s := &slopes{u: u, theta: make([]float64, params), part: make([]float64, params), wanted: wanted,
		outer: linalg.New[float64](m, m)}
	if dim > 0 {
		s.points, s.shift = linalg.New[float64](m, dim), linalg.New[float64](m, dim)
	}
	return s
}

// add takes the derivatives of the bound by φ, a row each, which it overwrites, and by k(x, x), of
// some rows. Since φ = L⁻¹k, those by k are L⁻ᵀφ̄.
func (s *slopes) add(
	ctx context.Context, x data.Points[any], f features, phibar linalg.Matrix[float64], selfbar []float64,
) error {
	if err := linalg.GemmContext(ctx, s.u.threads, linalg.Trans, linalg.NoTrans, 1, phibar, f.phi, 1,
		s.outer); err != nil {
		return err
	}
	if err := linalg.TrsmContext(ctx, s.u.threads, linalg.Right, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1,
		s.u.chol.L, phibar); err != nil {
		return err
	}
	return s.addValues(ctx, x, phibar, selfbar)
}

// addValues takes the derivatives by k(Z, x) itself, a row each, and by k(x, x); Σ φ̄φᵀ is then for
// the caller to set.
func (s *slopes) addValues(ctx context.Context, x data.Points[any], w linalg.Matrix[float64], selfbar []float64) error {
	if err := kernel.DiagGradDot(ctx, s.u.kernel, s.part, s.wanted, selfbar, x); err != nil {
		return err
	}
	for p, v := range s.part {
		s.theta[p] += v
	}
	return s.back(ctx, w, x, 1)
}

// back adds Σ Wᵢⱼ dk(xᵢ, zⱼ), the points Z counted so many times.
func (s *slopes) back(ctx context.Context, w linalg.Matrix[float64], x data.Points[any], times float64) error {
	if err := kernel.ParamGradDot(ctx, s.u.kernel, s.part, s.wanted, linalg.Dense(w), x, s.u.points); err != nil {
		return err
	}
	for p, v := range s.part {
		s.theta[p] += v
	}
	if s.points.Rows == 0 {
		return nil
	}
	k, rows, z := kernel.Concrete(s.u.kernel).(kernel.Kernel[kernel.Vec]), data.MustVectors(x),
		data.MustVectors(s.u.points)
	if err := kernel.InputGradDot(ctx, k, linalg.Dense(s.shift), linalg.Dense(w), rows, z); err != nil {
		return err
	}
	for i, v := range s.shift.Data {
		s.points.Data[i] += times * v
	}
	return nil
}

// finish adds what goes through L. With P = Σ φ̄φᵀ the derivative by L is -L⁻ᵀP, and that by K(Z,
// Z) is -½L⁻ᵀ(⌞P⌟ + ⌞P⌟ᵀ)L⁻¹, where ⌞P⌟ is the lower triangle with half the diagonal (I. Murray,
// Differentiation of the Cholesky decomposition, 2016).
func (s *slopes) finish(ctx context.Context) error {
	m := s.u.count()
	w := linalg.New[float64](m, m)
	for i := range m {
		for j := range i + 1 {
			v := -0.5 * s.outer.At(i, j)
			w.Set(i, j, v)
			w.Set(j, i, v)
		}
	}
	if err := linalg.TrsmContext(ctx, s.u.threads, linalg.Right, linalg.Lower, linalg.NoTrans, linalg.NonUnit, 1,
		s.u.chol.L, w); err != nil {
		return err
	}
	if err := linalg.TrsmContext(ctx, s.u.threads, linalg.Left, linalg.Lower, linalg.Trans, linalg.NonUnit, 1, s.u.chol.L,
		w); err != nil {
		return err
	}
	return s.back(ctx, w, s.u.points, 2)
}

// vectors is the number of coordinates of points that can be moved: vectors, with a kernel that has
// a derivative by them.
func vectors(k kernel.Kernel[any], z data.Points[any]) (int, error) {
	kv, ok := kernel.Concrete(k).(kernel.Kernel[kernel.Vec])
	points, same := data.VectorsOf(z)
	if !ok || !same {
		return 0, fmt.Errorf("inducing points can be moved where they are dense vectors; leave MoveInducing out")
	}
	x := points.At(0)
	if len(x) == 0 {
		return 0, nil
	}
	if err := kernel.InputGrad(kv, make(kernel.Vec, len(x)), x, x); err != nil {
		return 0, fmt.Errorf("%w; leave MoveInducing out", err)
	}
	return len(x), nil
}
