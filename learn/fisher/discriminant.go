package fisher

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// Discriminant is the regularised kernel Fisher discriminant (Mika et al. 1999; Baudat and
// Anouar 2000 for several classes). With class means m_c, shares π_c and the within-class
// covariance S of the features φ(x), the discriminants
//
//	maximise over w   wᵀ(Σ π_c(m_c - m)(m_c - m)ᵀ)w / wᵀ(S + μI)w,
//
// and a point gets the class with the largest log π_c + m_cᵀ(S+μI)⁻¹φ(x) - ½m_cᵀ(S+μI)⁻¹m_c,
// as in linear discriminant analysis. All is one Cholesky factorisation: with rows φ(xᵢ) of Φ,
// shares pᵢ = wᵢ/Σw of the weights, D = diag(√p) and the projection Q = I - Σ u_c·u_cᵀ, u_c
// being √(wᵢ/Σ_c w) on class c, S = (QDΦ)ᵀ(QDΦ) and
//
//	(S + μI)⁻¹m_c = Φᵀa_c,  a_c = (e_c - DQ(QDKDQ + μI)⁻¹QDKe_c)/μ,
//
// e_c being wᵢ/Σ_c w on the class.
type Discriminant[T any, L cmp.Ordered] struct {
	Kernel       kernel.Kernel[T]
	Mu           float64       // μ > 0; 0 means Share times the variance of the features
	Share        float64       // used where Mu is 0; 0 means 1e-3
	Balance      learn.Balance // weights of the classes ClassWeights does not name
	ClassWeights map[L]float64 // weight of a class, in its share π_c too
	Weights      []float64     // weight of a point in means and covariance; nil means 1
	learn.Resources
}

// Fit learns from points and their labels.
func (c Discriminant[T, L]) Fit(ctx context.Context, x data.Points[T], y []L) (_ *Classifier[T, L], err error) {
	defer fault.Name("fisher", &err)
	own := discriminant{Kernel: kernel.Erase(c.Kernel), Mu: c.Mu, Share: c.Share, Resources: c.Resources}
	points := data.Erase(x)
	labels, weights, err := fitting.CheckClassification(own.Kernel, points, y, c.Balance, c.ClassWeights, c.Weights)
	if err != nil {
		return nil, err
	}
	found, err := own.fit(ctx, points, fitting.Codes(labels), weights)
	if err != nil {
		return nil, err
	}
	f, direction := rkhs.Typed(c.Kernel, found.f), rkhs.Typed(c.Kernel, found.direction)
	base := learn.NewExpansionClassifier(f, labels.Classes, found.support, found.report)
	return &Classifier[T, L]{*base, direction, found.discriminants}, nil
}

// discriminant is a Discriminant of points and labels that have lost their types.
type discriminant Discriminant[any, int]

// found is what its fit ends with.
type found struct {
	f, direction *rkhs.Func[any]
	support      []int
	report       learn.Report
	discriminants
}

// discriminants is what a Classifier knows of them beside their functions.
type discriminants struct {
	ratios []float64
	mu     float64
}

func (c discriminant) fit(
	ctx context.Context, x data.Points[any], labels learn.Labels[int], weights []float64,
) (*found, error) {
	start := time.Now()
	var err error
	if c.Resources, err = c.Resources.WithDefaults(); err != nil {
		return nil, err
	}
	if c.Mu < 0 || math.IsNaN(c.Mu) || math.IsInf(c.Mu, 0) {
		return nil, fmt.Errorf("Mu is %g; give a positive, finite number, or 0", c.Mu)
	}
	if err := fitting.SetOrDefault("Share", &c.Share, 1e-3); err != nil {
		return nil, err
	}
	moved := fitting.MoveToMean(c.Kernel, data.Own(x))
	m, err := fitting.Heed(ctx, func() (*found, error) { return c.solve(ctx, moved, labels, weights, start) })
	return m, fitting.Explain(ctx, err, c.Kernel, moved.Points, c.Resources)
}

// removeMeans applies Q: from each column it takes the part along the u_c.
func removeMeans(ctx context.Context, m linalg.Matrix[float64], members [][]int, u []float64) {
	along := make([]float64, m.Cols)
	for _, rows := range members {
		clear(along)
		for _, i := range rows {
			if ctx.Err() != nil {
				return
			}
			simd.Axpy(u[i], m.Row(i), along)
		}
		for _, i := range rows {
			if ctx.Err() != nil {
				return
			}
			simd.Axpy(-u[i], along, m.Row(i))
		}
	}
}

func scaleRows(m linalg.Matrix[float64], by []float64) {
	for i, v := range by {
		simd.Scal(v, m.Row(i))
	}
}

// transposeInPlace goes square by square, so that both sides stay in cache.
func transposeInPlace(ctx context.Context, m linalg.Matrix[float64]) {
	const side = 32
	for i0 := 0; i0 < m.Rows && ctx.Err() == nil; i0 += side {
		for j0 := 0; j0 <= i0; j0 += side {
			for i := i0; i < min(i0+side, m.Rows); i++ {
				for j := j0; j < min(j0+side, i); j++ {
					a, b := m.At(i, j), m.At(j, i)
					m.Set(i, j, b)
					m.Set(j, i, a)
				}
			}
		}
	}
}

// variance is Σ pᵢ‖φ(xᵢ) - m‖² = Σ pᵢk(xᵢ, xᵢ) - Σ pᵢpⱼk(xᵢ, xⱼ): unlike k(x, x) itself it does not
// depend on where the points lie. It is 1 where all features are the same.
func variance(k linalg.Matrix[float64], weights []float64, total float64) float64 {
	v := 0.0
	for i, w := range weights {
		row := 0.0
		for j, u := range weights {
			row += u / total * k.At(i, j)
		}
		v += w / total * (k.At(i, i) - row)
	}
	if !(v > 0) {
		return 1
	}
	return v
}

func (c discriminant) solve(
	ctx context.Context, moved fitting.Moved[any], labels learn.Labels[int], weights []float64, start time.Time,
) (*found, error) {
	x := moved.Points
	n, classes := x.Len(), len(labels.Classes)
	k, err := fitting.KernelBasis(ctx, "fisher", c.Kernel, x, c.Resources, 0, 2)
	if err != nil {
		return nil, err
	}
	total := fitting.Sum(weights)
	if c.Mu == 0 {
		c.Mu = c.Share * variance(k, weights, total)
	}
	members := labels.Members()
	share, e, u, root := make([]float64, classes), make([]float64, n), make([]float64, n), make([]float64, n)
	means := linalg.New[float64](n, classes) // K·e_c
	for j, rows := range members {
		sum := 0.0
		for _, i := range rows {
			sum += weights[i]
		}
		share[j] = sum / total
		for _, i := range rows {
			e[i], u[i], root[i] = weights[i]/sum, math.Sqrt(weights[i]/sum), math.Sqrt(weights[i]/total)
		}
		for i := range n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			s := 0.0
			for _, r := range rows {
				s += k.At(i, r) * e[r]
			}
			means.Set(i, j, s)
		}
	}
	h := k.Clone()
	for range 2 { // rows, then columns
		scaleRows(h, root)
		removeMeans(ctx, h, members, u)
		transposeInPlace(ctx, h)
	}
	for i := range n {
		h.Row(i)[i] += c.Mu
	}
	chol, err := linalg.NewCholeskyContext(ctx, c.Threads, h)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("within-class covariance: %w; raise mu, or use a positive semi-definite kernel", err)
	}
	a := means.Clone()
	scaleRows(a, root)
	removeMeans(ctx, a, members, u)
	if err := chol.SolveContext(ctx, c.Threads, a); err != nil {
		return nil, err
	}
	removeMeans(ctx, a, members, u)
	scaleRows(a, root)
	for i := range n {
		row := a.Row(i)
		for j := range row {
			row[j] = -row[j] / c.Mu
		}
		row[labels.Code[i]] += e[i] / c.Mu
	}
	m := &found{discriminants: discriminants{mu: c.Mu}}
	report := learn.Report{Learner: "fisher", Certified: "direct solution", Converged: true, Bytes: int64(16 * n * n),
		Warnings: fitting.Doubts(ctx, c.Kernel, x, c.Resources)}
	g := linalg.New[float64](classes, classes) // m_cᵀ(S+μI)⁻¹m_d
	linalg.Gemm(c.Threads, linalg.Trans, linalg.NoTrans, 1, means, a, 0, g)
	if err := m.directions(c.Kernel, c.Threads, x, a, g, share); err != nil {
		return nil, err
	}
	score := func(j int) ([]float64, float64) {
		beta := make([]float64, n)
		for i := range beta {
			beta[i] = a.At(i, j)
		}
		return beta, math.Log(share[j]) - g.At(j, j)/2
	}
	var beta [][]float64
	var bias []float64
	for j := range classes {
		b, v := score(j)
		beta, bias = append(beta, b), append(bias, v)
	}
	if classes == 2 {
		for i := range n {
			beta[1][i] -= beta[0][i]
		}
		beta, bias = beta[1:], []float64{bias[1] - bias[0]}
	}
	f, support := fitting.Expansion(c.Kernel, x, beta, bias)
	f, m.direction = moved.Back(f), moved.Back(m.direction)
	report.Elapsed = time.Since(start)
	m.f, m.support, m.report = f, support, report
	return m, fitting.FiniteCoefficients(f)
}

// directions solves the eigenproblem among the class means: with
// z_c = √π_c(m_c - m), the directions are (S+μI)⁻¹Z·u/√λ for ZᵀS⁻¹Z·u = λu, so that
// wᵀ(S+μI)w = 1.
func (m *found) directions(
	k kernel.Kernel[any], threads int, x data.Points[any], a, g linalg.Matrix[float64], share []float64,
) error {
	q := len(share)
	t := linalg.New[float64](q, q) // z_c = Σ_d t_cd m_d
	for i := range q {
		for j := range q {
			t.Set(i, j, -math.Sqrt(share[i])*share[j])
		}
		t.Row(i)[i] += math.Sqrt(share[i])
	}
	tg, between := linalg.New[float64](q, q), linalg.New[float64](q, q)
	linalg.Gemm(threads, linalg.NoTrans, linalg.NoTrans, 1, t, g, 0, tg)
	linalg.Gemm(threads, linalg.NoTrans, linalg.Trans, 1, tg, t, 0, between)
	for i := range q {
		for j := range i {
			v := (between.At(i, j) + between.At(j, i)) / 2
			between.Set(i, j, v)
			between.Set(j, i, v)
		}
	}
	values, vectors, err := linalg.SymEigen(threads, between)
	if err != nil {
		return err
	}
	largest := learn.ArgMax(values)
	coef := mat.NewDense(x.Len(), q-1, nil)
	column := 0
	ascending := values[0] <= values[q-1]
	for r := range q {
		p := r
		if ascending {
			p = q - 1 - r
		}
		if column == q-1 {
			break
		}
		m.ratios = append(m.ratios, math.Max(values[p], 0))
		if values[p] > 1e-13*values[largest] {
			for i := range x.Len() {
				s := 0.0
				for c := range q {
					for d := range q {
						s += a.At(i, d) * t.At(c, d) * vectors.At(c, p)
					}
				}
				coef.Set(i, column, s/math.Sqrt(values[p]))
			}
		}
		column++
	}
	m.direction = (&rkhs.Func[any]{Kernel: k, Centers: data.Own(x), Coef: coef}).Prepare()
	return nil
}

// Classifier is a fitted Discriminant.
type Classifier[T any, L cmp.Ordered] struct {
	learn.ExpansionClassifier[T, L]
	direction *rkhs.Func[T]
	discriminants
}

// Discriminants is the projections onto the discriminants, one output for each
// (one fewer than classes), the most telling first.
func (m *Classifier[T, L]) Discriminants() *rkhs.Func[T] { return m.direction }

// Ratios is the between-class over the regularised within-class variance along each discriminant.
func (m *discriminants) Ratios() []float64 { return append([]float64(nil), m.ratios...) }

// Mu is the regulariser used.
func (m *discriminants) Mu() float64 { return m.mu }
