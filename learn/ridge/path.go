package ridge

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"gonum.org/v1/gonum/mat"
)

// Path is the solutions of a Regression for all λ, from one eigendecomposition:
// with P the projection that takes the functions without penalty out,
// P·K'·P = U·diag(d)·Uᵀ gives β(λ) = G·y' with
//
//	G(λ) = P·U·diag(1/(dⱼ+λ))·Uᵀ·P,
//
// so that one more λ costs a product instead of a factorisation. The residuals
// are y' - ŷ' = λ·G·y' and those of leaving one point out, without a refit,
// βᵢ/Gᵢᵢ (Allen 1974; Wahba 1990, §4.2). It is immutable.
type Path[T any] struct {
	kernel kernel.Kernel[T]
	*path
}

// path is a Path of points that have lost their type.
type path struct {
	p        *ridgeProblem
	perPoint float64 // what a λ is multiplied by
	total    int     // points, with those of weight 0
	left     []int   // points of weight 0
	leftX    data.Points[any]
	leftY    linalg.Matrix[float64]
	d        []float64
	u        linalg.Matrix[float64] // P·U, n×n
	uy       linalg.Matrix[float64] // Uᵀ·P·y', n×m
	qr       *linalg.QR
	q, kq    linalg.Matrix[float64] // Q and K'·Q, n×q
	start    time.Time
}

// Path decomposes the kernel matrix once for all λ. Lambda and Method are not
// read. It needs about 24n² bytes.
func (r Regression[T]) Path(ctx context.Context, x data.Points[T], y []float64) (*Path[T], error) {
	h, err := r.open().pathOfOne(ctx, data.Erase(x), y)
	if err != nil {
		return nil, err
	}
	return &Path[T]{r.Kernel, h}, nil
}

// PathMulti is Path for several outputs, a column of y each.
func (r Regression[T]) PathMulti(ctx context.Context, x data.Points[T], y *mat.Dense) (*Path[T], error) {
	h, err := r.open().path(ctx, data.Erase(x), y)
	if err != nil {
		return nil, err
	}
	return &Path[T]{r.Kernel, h}, nil
}

func (r regression) pathOfOne(ctx context.Context, x data.Points[any], y []float64) (*path, error) {
	if err := fitting.CheckTargets(x, y); err != nil {
		return nil, fmt.Errorf("ridge path: %w", err)
	}
	return r.path(ctx, x, mat.NewDense(len(y), 1, append([]float64(nil), y...)))
}

func (r regression) path(ctx context.Context, x data.Points[any], y *mat.Dense) (*path, error) {
	start := time.Now()
	perPoint := r.PerPoint
	r.Lambda, r.PerPoint = 1, false
	p, err := r.problem(ctx, x, y)
	if err != nil {
		return nil, fmt.Errorf("ridge path: %w", err)
	}
	n := len(p.keep)
	if need := 24 * int64(n) * int64(n); need > p.Bytes {
		return nil, &learn.OverBudget{
			Learner: "ridge path", Points: n, Needs: need, Budget: p.Bytes,
			Instead: "give it more memory, or fit each λ by itself",
		}
	}
	h := &path{p: p, perPoint: 1, total: x.Len(), start: start}
	if perPoint {
		h.perPoint = float64(n)
	}
	h.keepLeftOut(x, y)
	out, err := fitting.Heed(ctx, func() (*path, error) { return h, h.decompose(ctx) })
	if err != nil {
		return nil, fmt.Errorf("ridge path: %w", err)
	}
	return out, nil
}

// keepLeftOut remembers the points of weight 0, which the fit does not see.
func (h *path) keepLeftOut(x data.Points[any], y *mat.Dense) {
	a := 0
	for i := range x.Len() {
		if a < len(h.p.keep) && h.p.keep[a] == i {
			a++
		} else {
			h.left = append(h.left, i)
		}
	}
	if len(h.left) > 0 {
		h.leftX = data.OwnSubset(x, h.left)
		h.leftY = linalg.New[float64](len(h.left), h.p.y.Cols)
		for a, i := range h.left {
			copy(h.leftY.Row(a), y.RawRowView(i))
		}
	}
}

func (h *path) decompose(ctx context.Context) error {
	p, t := h.p, h.p.Threads
	k, err := p.scaledGram(ctx)
	if err != nil {
		return err
	}
	n, q := k.Rows, p.free.Cols
	y := p.y.Clone()
	if q > 0 {
		if h.qr, err = p.nullSpace(ctx); err != nil {
			return err
		}
		h.q = h.qr.ThinQ(t)
		h.kq = linalg.New[float64](n, q)
		if err := linalg.GemmContext(ctx, t, linalg.NoTrans, linalg.NoTrans, 1, k, h.q, 0, h.kq); err != nil {
			return err
		}
		if err := projectBothSides(ctx, t, k, h.q, h.kq); err != nil {
			return err
		}
		h.project(y)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	d, u, err := spectrum(ctx, p.Device, t, k)
	if err != nil {
		return err
	}
	if q > 0 {
		h.project(u)
	}
	removed := 0.0
	for i := range h.kq.Rows {
		for _, v := range h.kq.Row(i) {
			removed += v * v
		}
	}
	if !settleSpectrum(d, math.Sqrt(removed)) {
		p.warnings = append(p.warnings,
			fmt.Sprintf("the kernel is not positive definite on the points: smallest eigenvalue %.3g", d[0]))
	}
	h.d, h.u, h.uy = d, u, linalg.New[float64](n, y.Cols)
	return linalg.GemmContext(ctx, t, linalg.Trans, linalg.NoTrans, 1, u, y, 0, h.uy)
}

// projectBothSides overwrites k with P·k·P, P = I - QQᵀ, given kq = k·Q:
// k - Q·(kq)ᵀ - kq·Qᵀ + Q·(Qᵀ·kq)·Qᵀ.
func projectBothSides(ctx context.Context, t int, k, q, kq linalg.Matrix[float64]) error {
	c := linalg.New[float64](q.Cols, q.Cols)
	linalg.Gemm(t, linalg.Trans, linalg.NoTrans, 1, q, kq, 0, c)
	v := kq.Clone() // kq - ½·Q·c takes its share of the last term
	linalg.Gemm(t, linalg.NoTrans, linalg.NoTrans, -0.5, q, c, 1, v)
	if err := linalg.GemmContext(ctx, t, linalg.NoTrans, linalg.Trans, -1, q, v, 1, k); err != nil {
		return err
	}
	return linalg.GemmContext(ctx, t, linalg.NoTrans, linalg.Trans, -1, v, q, 1, k)
}

// project overwrites m with (I - QQᵀ)·m.
func (h *path) project(m linalg.Matrix[float64]) {
	c := linalg.New[float64](h.q.Cols, m.Cols)
	linalg.Gemm(h.p.Threads, linalg.Trans, linalg.NoTrans, 1, h.q, m, 0, c)
	linalg.Gemm(h.p.Threads, linalg.NoTrans, linalg.NoTrans, -1, h.q, c, 1, m)
}

// scaled is λ in the convention of the sum, after checking that it can be used.
func (h *path) scaled(lambda float64) (float64, error) {
	l := lambda * h.perPoint
	if !(l > 0) || math.IsInf(l, 0) {
		return 0, fmt.Errorf("ridge path: λ is %g; give a positive, finite number", lambda)
	}
	if !(h.d[0]+l > 0) {
		return 0, fmt.Errorf("ridge path: λ = %g does not make up for the eigenvalue %g of the kernel; give more than %g",
			lambda, h.d[0], -h.d[0]/h.perPoint)
	}
	return l, nil
}

// beta is β(λ).
func (h *path) beta(l float64) linalg.Matrix[float64] {
	w := h.uy.Clone()
	for j, d := range h.d {
		row := w.Row(j)
		for c := range row {
			row[c] /= d + l
		}
	}
	b := linalg.New[float64](w.Rows, w.Cols)
	linalg.Gemm(h.p.Threads, linalg.NoTrans, linalg.NoTrans, 1, h.u, w, 0, b)
	return b
}

// influence is the diagonal of G(λ).
func (h *path) influence(l float64) []float64 {
	g := make([]float64, len(h.d))
	for i := range g {
		for j, v := range h.u.Row(i) {
			g[i] += v * v / (h.d[j] + l)
		}
	}
	return g
}

// Model is the solution at one λ.
func (h *Path[T]) Model(lambda float64) (*Regressor[T], error) {
	m, err := h.at(lambda)
	return typed(h.kernel, m), err
}

func (h *path) at(lambda float64) (*Regressor[any], error) {
	l, err := h.scaled(lambda)
	if err != nil {
		return nil, err
	}
	return h.model(l)
}

func (h *path) model(l float64) (*Regressor[any], error) {
	p := *h.p
	p.lambda = l
	s := &ridgeSolution{beta: h.beta(l), bytes: 24 * int64(len(p.keep)) * int64(len(p.keep)), how: Cholesky, settled: true}
	if q := p.free.Cols; q > 0 {
		// R·c = Qᵀ(y' - K'β), the equations the projection took out.
		c := linalg.New[float64](q, p.y.Cols)
		linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, 1, h.q, p.y, 0, c)
		linalg.Gemm(p.Threads, linalg.Trans, linalg.NoTrans, -1, h.kq, s.beta, 1, c)
		linalg.Trsm(p.Threads, linalg.Left, linalg.Upper, linalg.NoTrans, linalg.NonUnit, 1, h.qr.R(), c)
		s.c = c
	}
	// The residual of the projected system, from the eigenvectors: what is left
	// of P·y' outside their span.
	norm, gap := 0.0, 0.0
	fit := linalg.New[float64](p.y.Rows, p.y.Cols)
	linalg.Gemm(p.Threads, linalg.NoTrans, linalg.NoTrans, 1, h.u, h.uy, 0, fit)
	y := p.y.Clone()
	if p.free.Cols > 0 {
		h.project(y)
	}
	for i := range y.Data {
		norm += y.Data[i] * y.Data[i]
		gap += (y.Data[i] - fit.Data[i]) * (y.Data[i] - fit.Data[i])
	}
	if norm > 0 {
		s.residual = math.Sqrt(gap / norm)
	}
	m, err := p.model(s, h.start)
	if err != nil {
		return nil, err
	}
	report := m.Report()
	report.Learner = "ridge (path)"
	return newRegressor(m.Func(), report), nil
}

// LeaveOneOut is the residuals yᵢ - f₋ᵢ(xᵢ), f₋ᵢ fitted at λ without point i: a row
// for each training point, a column for each output. Nothing is refitted.
func (h *path) LeaveOneOut(lambda float64) (*mat.Dense, error) {
	l, err := h.scaled(lambda)
	if err != nil {
		return nil, err
	}
	out := mat.NewDense(h.total, h.p.y.Cols, nil)
	beta, g := h.beta(l), h.influence(l)
	for a, i := range h.p.keep {
		s := 1.0
		if h.p.s != nil {
			s = h.p.s[a]
		}
		for j, b := range beta.Row(a) {
			out.Set(i, j, b/(g[a]*s))
		}
	}
	if len(h.left) > 0 { // the fit never saw them
		m, err := h.model(l)
		if err != nil {
			return nil, err
		}
		f, err := m.PredictMulti(context.Background(), h.leftX)
		if err != nil {
			return nil, err
		}
		for a, i := range h.left {
			for j := range h.p.y.Cols {
				out.Set(i, j, h.leftY.At(a, j)-f.At(a, j))
			}
		}
	}
	return out, nil
}

// LeaveOneOutError is the weighted mean of the squared leave-one-out
// residuals, summed over the outputs (PRESS/n).
func (h *path) LeaveOneOutError(lambda float64) (float64, error) {
	l, err := h.scaled(lambda)
	if err != nil {
		return 0, err
	}
	beta, g := h.beta(l), h.influence(l)
	sum := 0.0
	for i := range g {
		for _, b := range beta.Row(i) {
			sum += (b / g[i]) * (b / g[i])
		}
	}
	return sum / h.weight(), nil
}

// GCV is generalised cross-validation (Golub, Heath and Wahba 1979), ‖y' - ŷ'‖²/Σw ÷ (1 - tr H/n)²:
// leave-one-out with all influences replaced by their mean, a mean over weights as LOO is. Formulas
// with n in the place of Σw give n/Σw times as much, whatever λ.
func (h *path) GCV(lambda float64) (float64, error) {
	l, err := h.scaled(lambda)
	if err != nil {
		return 0, err
	}
	beta, trace, sum := h.beta(l), 0.0, 0.0
	for _, g := range h.influence(l) {
		trace += g
	}
	for _, b := range beta.Data {
		sum += b * b
	}
	n := float64(len(h.d))
	return sum * n * n / (trace * trace) / h.weight(), nil
}

// DegreesOfFreedom is tr H(λ), the number of parameters the fit amounts to,
// functions without penalty included.
func (h *path) DegreesOfFreedom(lambda float64) (float64, error) {
	l, err := h.scaled(lambda)
	if err != nil {
		return 0, err
	}
	df := float64(len(h.d))
	for _, g := range h.influence(l) {
		df -= l * g
	}
	return df, nil
}

// weight is Σw.
func (h *path) weight() float64 {
	if h.p.s == nil {
		return float64(len(h.d))
	}
	sum := 0.0
	for _, s := range h.p.s {
		sum += s * s
	}
	return sum
}

// Best is the λ of a list with the least leave-one-out error.
func (h *path) Best(lambdas []float64) (lambda, looError float64, err error) {
	if len(lambdas) == 0 {
		return 0, 0, fmt.Errorf("ridge path: no λ to choose from")
	}
	looError = math.Inf(1)
	for _, l := range lambdas {
		e, err := h.LeaveOneOutError(l)
		if err != nil {
			return 0, 0, err
		}
		if e < looError {
			lambda, looError = l, e
		}
	}
	if math.IsInf(looError, 1) {
		return 0, 0, fmt.Errorf("ridge path: the leave-one-out error is not finite for any λ")
	}
	return lambda, looError, nil
}
