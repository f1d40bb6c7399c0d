package project

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/apply"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// Solver is a way to find principal components.
type Solver int

// The solvers.
const (
	// SolveAuto takes SolveTop for a part of the components, SolveFull for
	// most of them.
	SolveAuto Solver = iota
	// SolveFull decomposes the whole centred Gram matrix: O(n³).
	SolveFull
	// SolveTop finds the leading components alone by block Lanczos on the
	// centred Gram matrix, with the residual of each as certificate.
	SolveTop
	// SolveLowRank works with K ≈ F·Fᵀ: O(n·r²) for a factor of rank r.
	SolveLowRank
)

func (s Solver) String() string {
	if s < SolveAuto || s > SolveLowRank {
		return fmt.Sprintf("Solver(%d)", int(s))
	}
	return [...]string{"auto", "full", "top", "low rank"}[s]
}

// LowRank says how K ≈ F·Fᵀ is made for large n.
type LowRank struct {
	// Centers takes Nyström with so many centres, drawn by the k-means++ rule
	// in feature space. Zero takes incomplete Cholesky.
	Centers   int
	Tolerance float64 // incomplete Cholesky stops at tr(K−F·Fᵀ) ≤ Tolerance·tr K; 0 means 1e-6
	MaxRank   int     // or at so many columns; 0 means 1000
}

// PCA is kernel principal component analysis; see the package comment.
type PCA[T any] struct {
	Kernel     kernel.Kernel[T]
	Components int // how many to find; 0 means all with an eigenvalue above rounding
	Solver     Solver
	LowRank    LowRank // for SolveLowRank

	Tolerance float64 // SolveTop: residual ‖K̃u − nλu‖ allowed, relative to ‖K̃‖; 0 means 1e-10
	Seed      uint64  // of the starting block and of Nyström centres
	Threads   int     // 0 means all
	Bytes     int64   // budget of the Gram matrix; 0 means a quarter of the machine's memory
	// Device makes products with the Gram matrix, finds all eigenvectors and projects points where
	// that is worth the while (gram.OpenDevice); nil means processors alone.
	Device *gram.Device
	Trace  trace.Func // SolveTop: Residual is the largest relative residual
}

// PCAModel is a fitted PCA. It is immutable and safe for concurrent use.
type PCAModel[T any] struct {
	all *rkhs.Func[T]
	*components
}

// newPCAModel is the model of components whose functions are all.
func newPCAModel[T any](all *rkhs.Func[T], c *components) *PCAModel[T] {
	c.all = rkhs.Erase(all) // what is made ready for its centres is for both
	return &PCAModel[T]{all, c}
}

// components is a PCAModel of points that have lost their type.
type components struct {
	// all has an output for each component and a last one for x ↦ Σⱼ k(x, xⱼ)/n.
	all      *rkhs.Func[any]
	scores   linalg.Matrix[float64]
	variance []float64 // λ
	total    float64   // tr K̃/n
	meanNorm float64   // μ = Σᵢⱼ Kᵢⱼ/n²
	report   PCAReport
	threads  int
}

// PCAReport says how the components were found.
type PCAReport struct {
	Solver    Solver
	Rank      int       // SolveLowRank: columns of F
	Residuals []float64 // ‖K̃u − nλu‖ of each component, relative to the largest nλ
	// TraceError is tr(K − F·Fᵀ)/tr K with SolveLowRank: the share of the
	// variance about the origin that the factor does not see.
	TraceError float64
	Products   int // columns multiplied by the matrix
	Elapsed    time.Duration
	Warnings   []string
}

// check refuses a configuration or points that cannot be used.
func (p pca) check(x data.Points[any]) error {
	if p.Kernel == nil {
		return fault.Errorf("project", "PCA has no kernel")
	}
	if x == nil || x.Len() < 2 {
		n := 0
		if x != nil {
			n = x.Len()
		}
		return fault.Errorf("project", "PCA of %d points; there is no variance in fewer than 2", n)
	}
	if p.Components < 0 || p.Components > x.Len()-1 {
		return fault.Errorf("project", "%d components of %d points; %d points about their mean span at most %d dimensions",
			p.Components, x.Len(), x.Len(), x.Len()-1)
	}
	if p.Solver < SolveAuto || p.Solver > SolveLowRank {
		return fault.Errorf("project", "unknown solver %d", int(p.Solver))
	}
	if !(p.Tolerance >= 0) || p.Tolerance >= 1 {
		return fault.Errorf("project", "tolerance is %g; want a number in [0, 1), 0 for 1e-10", p.Tolerance)
	}
	return nil
}

// examine refuses a kernel that is not positive definite on the points: its features would have
// negative variances, and the shares of the components would add up to more than all. It says where
// kernel values have too few digits.
func (p pca) examine(ctx context.Context, x data.Points[any]) (digits string, err error) {
	if kernel.Check(p.Kernel, x) != nil {
		return "", nil // refused with the row where the matrix is made
	}
	found, err := gram.Examine(ctx, p.Kernel, x, p.Threads)
	if err == nil {
		err = found.Err()
	}
	if err != nil {
		return "", fault.In("project", err)
	}
	return found.Digits, nil
}

// Fit finds the components.
func (p PCA[T]) Fit(ctx context.Context, x data.Points[T]) (*PCAModel[T], error) {
	m, err := p.open().fit(ctx, data.Erase(x))
	if err != nil {
		return nil, err
	}
	return newPCAModel(rkhs.Typed(p.Kernel, m.all), m), nil
}

// pca is a PCA of points that have lost their type.
type pca PCA[any]

func (p PCA[T]) open() pca {
	return pca{
		Kernel: kernel.Erase(p.Kernel), Components: p.Components, Solver: p.Solver, LowRank: p.LowRank,
		Tolerance: p.Tolerance, Seed: p.Seed, Threads: p.Threads, Bytes: p.Bytes, Device: p.Device, Trace: p.Trace,
	}
}

func (p pca) fit(ctx context.Context, x data.Points[any]) (*components, error) {
	start := time.Now()
	if err := p.check(x); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	digits, err := p.examine(ctx, x)
	if err != nil {
		return nil, err
	}
	n := x.Len()
	solver := p.Solver
	if solver == SolveAuto {
		solver = SolveFull
		if p.Components > 0 && p.Components <= max(n/10, 1) {
			solver = SolveTop
		}
	}
	var m *components
	if solver == SolveLowRank {
		m, err = p.fitLowRank(ctx, x)
	} else {
		m, err = p.fitGram(ctx, x, solver)
	}
	if ended := ctx.Err(); ended != nil {
		return nil, ended // products with the Gram matrix were left unfinished
	}
	if err != nil {
		return nil, err
	}
	if digits != "" {
		m.report.Warnings = append(m.report.Warnings, digits)
	}
	m.report.Warnings = append(m.report.Warnings, p.Device.Notes()...)
	m.all.OnDevice(p.Device)
	m.threads = p.Threads
	m.report.Solver, m.report.Elapsed = solver, time.Since(start)
	return m, nil
}

// keep counts the leading eigenvalues that stand above rounding, at most what
// was asked for, and warns where they are fewer. scale is tr K of the matrix
// before centring, which may be far larger than what centring leaves.
func (p pca) keep(m *components, values []float64, n int, scale float64) int {
	noise := float64(n) * 0x1p-52 * math.Max(values[0], scale/float64(n))
	k := 0
	for k < len(values) && values[k] > noise && (p.Components == 0 || k < p.Components) {
		k++
	}
	if k < p.Components {
		m.report.Warnings = append(m.report.Warnings,
			fmt.Sprintf("only %d of the %d components asked for have variance above rounding", k, p.Components))
	}
	return k
}

// errNoVariance is what data without any spread gives.
var errNoVariance = fault.Errorf("project",
	"the points do not differ in feature space: there is no variance to explain; look for constant columns, duplicate "+
		"rows or a length-scale far too large")

// setFunc makes the components Σᵢ αᵢⱼ k(cᵢ, ·) − bⱼ with the mean function as
// last output: coef is centres × components, mean the coefficients of the mean.
func (m *components) setFunc(
	k kernel.Kernel[any], centers data.Points[any], coef linalg.Matrix[float64], mean []float64, bias []float64,
) {
	all := linalg.New[float64](coef.Rows, coef.Cols+1)
	for i := range coef.Rows {
		copy(all.Row(i), coef.Row(i))
		all.Set(i, coef.Cols, mean[i])
	}
	m.all = (&rkhs.Func[any]{
		Kernel: k, Centers: centers, Coef: linalg.Dense(all), Bias: append(bias, 0),
	}).Prepare()
}

// Components is the number of components found.
func (m *components) Components() int { return len(m.variance) }

// Func is the projection: output j is the score on component j.
func (m *PCAModel[T]) Func() *rkhs.Func[T] {
	return m.all.First(m.all.Outputs() - 1)
}

// Scores returns the scores of the training points, a row each.
func (m *components) Scores() *mat.Dense { return linalg.Dense(m.scores.Clone()) }

// Transform returns the scores of points, a row each; of a training point they
// are its row of Scores.
func (m *PCAModel[T]) Transform(ctx context.Context, x data.Points[T]) (*mat.Dense, error) {
	return apply.Matrix(x, m.Components(), func(dst *mat.Dense) error { return m.TransformTo(ctx, dst, x) })
}

// TransformTo sets dst, a row for each point and a column for each component, to
// the scores.
func (m *PCAModel[T]) TransformTo(ctx context.Context, dst *mat.Dense, x data.Points[T]) error {
	if err := apply.To(ctx, m.Func(), dst, x, rkhs.EvalOptions{Threads: m.threads}); err != nil {
		return fault.In("project", err)
	}
	return nil
}

// Variance is λ of each component, largest first: the mean square of its
// training scores.
func (m *components) Variance() []float64 { return append([]float64(nil), m.variance...) }

// TotalVariance is tr K̃/n, the mean squared distance of the training points
// from their mean in feature space.
func (m *components) TotalVariance() float64 { return m.total }

// ExplainedRatio is the share of the total variance along each component.
func (m *components) ExplainedRatio() []float64 {
	r := m.Variance()
	for i := range r {
		r[i] /= m.total
	}
	return r
}

// ReconstructionErrors returns ‖φ(x) − Pφ(x)‖² of every point, its squared
// distance in feature space from the plane of the components through the
// mean: k̃(x, x) − Σⱼ zⱼ².
func (m *PCAModel[T]) ReconstructionErrors(ctx context.Context, x data.Points[T]) ([]float64, error) {
	return apply.Slice(x, func(dst []float64) error { return m.ReconstructionErrorsTo(ctx, dst, x) })
}

// ReconstructionErrorsTo sets dst, a place for each point, to ‖φ(x) − Pφ(x)‖².
func (m *PCAModel[T]) ReconstructionErrorsTo(ctx context.Context, e []float64, x data.Points[T]) error {
	return m.errors(ctx, e, data.Erase(x))
}

func (m *components) errors(ctx context.Context, e []float64, x data.Points[any]) error {
	z, err := apply.New(ctx, m.all, x, rkhs.EvalOptions{Threads: m.threads})
	if err == nil {
		err = apply.CheckLen(len(e), x.Len())
	}
	if err != nil {
		return fault.In("project", err)
	}
	kernel.Diag(ctx, m.all.Kernel, e, x)
	for i := range e {
		row := z.RawRowView(i)
		e[i] += m.meanNorm - 2*row[len(row)-1]
		for _, v := range row[:len(row)-1] {
			e[i] -= v * v
		}
		e[i] = math.Max(e[i], 0)
	}
	return nil
}

// Report says how the components were found.
func (m *components) Report() PCAReport { return m.report }
