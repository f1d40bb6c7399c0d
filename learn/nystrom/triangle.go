package nystrom

import (
	"context"
	"io"
	"math"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
)

// triangle is a Cholesky factor L, in the memory of the host or of a device.
type triangle interface {
	// solve sets b = L⁻¹b or, transposed, L⁻ᵀb, with as many first rows and columns of L as b has
	// rows.
	solve(b linalg.Matrix[float64], transposed bool)
	pivot(i int) float64
}

type onHost struct {
	chol    *linalg.Cholesky
	threads int
}

func (t onHost) pivot(i int) float64 { return t.chol.L.At(i, i) }

func (t onHost) solve(b linalg.Matrix[float64], transposed bool) {
	lead := &linalg.Cholesky{L: t.chol.L.Slice(0, b.Rows, 0, b.Rows)}
	if transposed {
		lead.SolveLT(t.threads, b)
	} else {
		lead.SolveL(t.threads, b)
	}
}

// scaled is the factor I/s: φ = s·k(C, x) as it is, for functions that were not made of a kernel's
// own values at the centres.
type scaled float64

func (s scaled) pivot(int) float64 { return 1 / float64(s) }

func (s scaled) solve(b linalg.Matrix[float64], _ bool) {
	for i := range b.Rows {
		for j := range b.Row(i) {
			b.Row(i)[j] *= float64(s)
		}
	}
}

// onDevice is a factor on a device, and how to have it on the host when that fails.
type onDevice struct {
	factor *gram.CenterFactor
	host   func() (*linalg.Cholesky, error)
	once   sync.Once
	spare  *onHost
	failed bool
}

func (t *onDevice) pivot(i int) float64 { return t.factor.Pivots()[i] }

func (t *onDevice) solve(b linalg.Matrix[float64], transposed bool) {
	if !t.failed && t.factor.SolveTo(linalg.Dense(b), transposed) == nil {
		return
	}
	t.failed = true
	t.once.Do(func() {
		if chol, err := t.host(); err == nil {
			t.spare = &onHost{chol, 0}
		}
	})
	if t.spare == nil { // what was positive definite on the device is so here; if not, no number must look right
		for i := range b.Rows {
			for j := range b.Row(i) {
				b.Row(i)[j] = math.NaN()
			}
		}
		return
	}
	t.spare.solve(b, transposed)
}

// deviceBasis makes the basis on the device, and says whether it could. Centres that depend on
// others need pivots, which are for the host.
func (p *problem) deviceBasis(centers data.Points[any], share []float64) bool {
	k, vectors := kernel.Concrete(p.kernel).(kernel.Kernel[kernel.Vec])
	if !p.onDevice || p.Device == nil || !vectors || p.Solver == Direct || p.Solver == Auto &&
		centers.Len() <= directUpTo {
		return false
	}
	f, err := gram.NewCenterFactor(p.Device, k, data.MustVectors(centers), 0)
	if err != nil {
		return false
	}
	b := &basis{device: f, centers: centers, share: p.shares(share, centers.Len()), threads: p.Threads}
	if b.center, err = f.Mean(b.share); err != nil {
		f.Close()
		return false
	}
	b.l = &onDevice{factor: f, host: func() (*linalg.Cholesky, error) { return p.hostFactor(centers) }}
	p.basis = b
	p.closers = append(p.closers, f.Close)
	return true
}

// hostFactor is the factor of K(C, C) on the host.
func (p *problem) hostFactor(centers data.Points[any]) (*linalg.Cholesky, error) {
	ctx := context.Background()
	m := linalg.New[float64](centers.Len(), centers.Len())
	if err := kernel.Block(ctx, p.kernel, linalg.Dense(m), centers, centers); err != nil {
		return nil, err
	}
	return linalg.NewCholeskyContext(ctx, p.Threads, m)
}

// shares is how much weight of all rows each centre stands for; nil is evenly.
func (p *problem) shares(share []float64, centers int) []float64 {
	if share != nil {
		return share
	}
	share = make([]float64, centers)
	for i := range share {
		share[i] = p.weight / float64(centers)
	}
	return share
}

// preconditioner is the matrix as the centres know it, factorised where L is.
func (f *falkon) preconditioner(ctx context.Context, lambda float64) (factor, error) {
	p, b := f.p, f.p.basis
	if b.device != nil {
		var mean []float64
		if p.intercept {
			mean = b.center
		}
		g, err := b.device.MomentFactor(b.share, mean, lambda)
		if err == nil {
			p.closers = append(p.closers, g.Close)
			return factor{&onDevice{factor: g, host: func() (*linalg.Cholesky, error) {
				if err := f.hostMoment(); err != nil {
					return nil, err
				}
				pre, err := preconditioner(context.Background(), p.Threads, f.moment, lambda)
				if err != nil {
					return nil, err
				}
				return pre.l.(onHost).chol, nil
			}}}, nil
		}
		if err := f.hostMoment(); err != nil {
			return factor{}, err
		}
	}
	return preconditioner(ctx, p.Threads, f.moment, lambda)
}

// hostMoment makes the second moment of the centres on the host after all.
func (f *falkon) hostMoment() error {
	b := f.p.basis
	if f.moment.Rows > 0 {
		return nil
	}
	chol, err := f.p.hostFactor(b.centers)
	if err != nil {
		return err
	}
	b.at = chol.L.Clone()
	for i := range b.at.Rows {
		clear(b.at.Row(i)[i+1:])
	}
	f.moment = b.secondMoment(f.p.intercept, nil)
	return nil
}

// closing gives the memory of a device that a pair has taken back when the problem is closed.
func (p *problem) closing(pair gram.Pair[any], err error) (gram.Pair[any], error) {
	if c, ok := pair.(io.Closer); ok && err == nil {
		p.closers = append(p.closers, func() { _ = c.Close() })
	}
	return pair, err
}

// close gives back what devices hold for the problem.
func (p *problem) close() {
	for _, f := range p.closers {
		f()
	}
	p.closers = nil
}
