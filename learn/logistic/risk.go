package logistic

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/solve"
	"github.com/mercer-ml/mercer/internal/learn/fitting"
	"github.com/mercer-ml/mercer/internal/learn/sigmoid"
	"github.com/mercer-ml/mercer/trace"
	"gonum.org/v1/gonum/mat"
)

// logisticRisk is the objective in the geometry of the RKHS, scaled so that the
// penalty is ½‖·‖²: with K̃ = K/λ and a = λα it is Σ wᵢℓ(zᵢ + b) + ½aᵀK̃a, z = K̃a. Its
// coordinates are [a; z; b], a and z n×m by rows, z carried along so that inner
// products and line searches need no product with K.
type logisticRisk struct {
	g         gram.Gram
	lambda    float64
	code      []int
	weight    []float64
	outputs   int // 1 for two classes, else one for each
	intercept bool
	unit      float64 // the size of k̃(x, x), which is what b is measured by
}

// logisticSolution is α = a/λ and b with the account of how they were found.
type logisticSolution struct {
	alpha, bias []float64
	value       float64
	certificate float64 // gradient norm, relative to that at 0
	steps       int
}

// uncentre turns a solution on the centred matrix K̃ = H·K·H into one on K, whose row means are m.
// An intercept makes Σα = 0 at the optimum, so both have the same optimum; but far from the origin
// of feature space K is one large constant and little else, gradients are measured in its units,
// and a solver that sees K stops far from the optimum or never. With α' = H·α, Σ αᵢk̃(xᵢ, x) = Σ
// α'ᵢk(xᵢ, x) - Σ α'ᵢmᵢ.
func (s *logisticSolution) uncentre(m []float64) {
	outputs := len(s.bias)
	for c := range outputs {
		mean := 0.0
		for i := range m {
			mean += s.alpha[i*outputs+c] / float64(len(m))
		}
		for i, v := range m {
			s.alpha[i*outputs+c] -= mean
			s.bias[c] -= s.alpha[i*outputs+c] * v
		}
	}
}

func (r *logisticRisk) size() int { return len(r.code) * r.outputs }

// point evaluates the loss at scores s of point i: it returns w·ℓ and sets g
// to its derivatives.
func (r *logisticRisk) point(i int, s, g []float64) float64 {
	w := r.weight[i]
	if r.outputs == 1 {
		sign := float64(2*r.code[i] - 1)
		g[0] = -w * sign * sigmoid.Of(-sign*s[0])
		return -w * sigmoid.Log(sign*s[0])
	}
	z := sigmoid.LogSumExp(s)
	for c, v := range s {
		g[c] = w * math.Exp(v-z)
	}
	g[r.code[i]] -= w
	return w * (z - s[r.code[i]])
}

// image sets the z part of v to K̃ times its a part.
func (r *logisticRisk) image(v []float64) {
	n, m, k := len(r.code), r.outputs, r.size()
	z := v[k : 2*k]
	r.g.MulTo(mat.NewDense(n, m, z), mat.NewDense(n, m, v[:k]), false)
	for i := range z {
		z[i] /= r.lambda
	}
}

// Dot is aᵀK̃a' + bᵀb'/u: b counts as the coefficient of a constant function as large as the
// others, or conjugate gradients would be done with f long before b has moved.
func (r *logisticRisk) Dot(u, v []float64) float64 {
	k := r.size()
	return fitting.Dot(u[:k], v[k:2*k]) + fitting.Dot(u[2*k:], v[2*k:])/r.unit
}

// Eval is the objective with its gradient in the same coordinates.
func (r *logisticRisk) Eval(v, grad []float64) float64 {
	m, k := r.outputs, r.size()
	b := v[2*k:]
	sum := 0.5 * fitting.Dot(v[:k], v[k:2*k])
	slope := grad[2*k:]
	clear(slope)
	s, g := make([]float64, m), make([]float64, m)
	for i := range r.code {
		for c := range m {
			s[c] = v[k+i*m+c] + b[c]
		}
		sum += r.point(i, s, g)
		for c, d := range g {
			grad[i*m+c] = d + v[i*m+c]
			if r.intercept {
				slope[c] += d * r.unit
			}
		}
	}
	r.image(grad)
	return sum
}

// Along is the objective on a line.
func (r *logisticRisk) Along(v, d []float64) func(t float64) (float64, float64) {
	m, k := r.outputs, r.size()
	vv, vd, dd := fitting.Dot(v[:k], v[k:2*k]), fitting.Dot(v[:k], d[k:2*k]), fitting.Dot(d[:k], d[k:2*k])
	s, g := make([]float64, m), make([]float64, m)
	return func(t float64) (float64, float64) {
		sum, slope := 0.5*(vv+2*t*vd+t*t*dd), vd+t*dd
		for i := range r.code {
			for c := range m {
				s[c] = v[k+i*m+c] + v[2*k+c] + t*(d[k+i*m+c]+d[2*k+c])
			}
			sum += r.point(i, s, g)
			for c, e := range g {
				slope += e * (d[k+i*m+c] + d[2*k+c])
			}
		}
		return sum, slope
	}
}

// Hessian is v ↦ v_a + W·(v_z + v_b), with W the second derivatives of the
// loss at each point: w·p(1-p), or w·(diag p - ppᵀ).
func (r *logisticRisk) Hessian(at []float64) func(dst, v []float64) {
	m, k := r.outputs, r.size()
	p := make([]float64, k)
	s := make([]float64, m)
	for i := range r.code {
		for c := range m {
			s[c] = at[k+i*m+c] + at[2*k+c]
		}
		if m == 1 {
			p[i] = sigmoid.Of(s[0])
			continue
		}
		z := sigmoid.LogSumExp(s)
		for c, v := range s {
			p[i*m+c] = math.Exp(v - z)
		}
	}
	return func(dst, v []float64) {
		slope := dst[2*k:]
		clear(slope)
		for i, w := range r.weight {
			mean := 0.0
			for c := range m {
				mean += p[i*m+c] * (v[k+i*m+c] + v[2*k+c])
			}
			for c := range m {
				q := i*m + c
				h := w * p[q] * (v[k+q] + v[2*k+c] - mean)
				dst[q] = v[q] + h
				if r.intercept {
					slope[c] += h * r.unit
				}
			}
		}
		r.image(dst)
	}
}

// truncated runs Newton's method with steps by conjugate gradients.
func (r *logisticRisk) truncated(
	ctx context.Context, tol float64, maxIter int, listen trace.Func,
) (*logisticSolution, error) {
	k := r.size()
	state := make([]float64, 2*k+r.outputs)
	grad := make([]float64, len(state))
	r.Eval(state, grad)
	first := math.Sqrt(math.Max(0, r.Dot(grad, grad)))
	if math.IsNaN(first) || math.IsInf(first, 0) {
		return nil, fmt.Errorf("the gradient at 0 is %g: kernel values overflow; scale the points or the kernel", first)
	}
	// A tenth of the tolerance, because z is carried along and drifts.
	goal := solve.Settings{Tol: 1e-300, AbsTol: 0.1 * tol * math.Max(first, 1e-300), MaxIter: maxIter, Trace: listen}
	min, err := solve.Newton(ctx, r, state, goal)
	if err != nil {
		return nil, err
	}
	return r.finish(state, first, min.Iterations), nil
}

// finish measures the certificate afresh.
func (r *logisticRisk) finish(state []float64, first float64, steps int) *logisticSolution {
	k := r.size()
	r.image(state)
	grad := make([]float64, len(state))
	s := &logisticSolution{value: r.Eval(state, grad), steps: steps, alpha: make([]float64, k)}
	if first > 0 {
		s.certificate = math.Sqrt(math.Max(0, r.Dot(grad, grad))) / first
	}
	for i := range s.alpha {
		s.alpha[i] = state[i] / r.lambda
	}
	s.bias = append(s.bias, state[2*k:]...)
	return s
}

// newton factorises in each step (two classes). With S = √W, B = I + S·K̃·S and R = S·B⁻¹·S the
// step solves
//
//	a = g + W·h - R·K̃·(g + W·h) - b·R·1,  1ᵀa = 0 when there is an intercept,
//
// h = z + b the scores and g = -ℓ'. The step is halved until the objective has
// decreased as Armijo's rule asks; Newton directions of a strictly convex function then
// converge from anywhere.
func (r *logisticRisk) newton(
	ctx context.Context, k linalg.Matrix[float64], t int, tol float64, maxIter int, listen trace.Func,
) (*logisticSolution, error) {
	n := len(r.code)
	for i := range n { // K̃ in place
		row := k.Row(i)
		for j := range row {
			row[j] /= r.lambda
		}
	}
	scaled := *r
	scaled.lambda = 1
	state, grad, dir := make([]float64, 2*n+1), make([]float64, 2*n+1), make([]float64, 2*n+1)
	room := newtonRoom{linalg.New[float64](n, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	first, steps := 0.0, 0
	for ; ; steps++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		value := scaled.Eval(state, grad)
		norm := math.Sqrt(math.Max(0, scaled.Dot(grad, grad)))
		if steps == 0 {
			first = norm
			if math.IsNaN(first) || math.IsInf(first, 0) {
				return nil, fmt.Errorf("the gradient at 0 is %g: kernel values overflow; scale the points or the kernel", first)
			}
		}
		listen.Report(trace.Step{Iteration: steps, Objective: value, Residual: norm})
		if norm <= 0.5*tol*first || steps == maxIter {
			break
		}
		if err := r.direction(ctx, dir, state, grad, k, t, room); err != nil {
			return nil, err
		}
		slope, phi, step := scaled.Dot(grad, dir), scaled.Along(state, dir), 1.0
		if !(slope < 0) {
			break // rounding leaves nothing to gain
		}
		for ; step > 1e-12; step /= 2 {
			if f, _ := phi(step); f <= value+1e-4*step*slope+1e-14*math.Abs(value) {
				break
			}
		}
		if step <= 1e-12 {
			break
		}
		for i, d := range dir {
			state[i] += step * d
		}
	}
	s := scaled.finish(state, first, steps)
	for i := range s.alpha {
		s.alpha[i] /= r.lambda
	}
	return s, nil
}

// newtonRoom is memory that the steps of newton share: B, √W and two vectors.
type newtonRoom struct {
	work         linalg.Matrix[float64]
	root, v, one []float64
}

// direction sets dir to Newton's step from a state (a, z = K̃a, b), as newton has it, with K̃ times
// its first part in the second.
func (r *logisticRisk) direction(
	ctx context.Context, dir, state, grad []float64, k linalg.Matrix[float64], t int, m newtonRoom,
) error {
	n := len(r.code)
	a, z, b := state[:n], state[n:2*n], state[2*n]
	for i, w := range r.weight {
		p := sigmoid.Of(z[i] + b)
		m.root[i] = math.Sqrt(w * p * (1 - p))
		m.v[i] = a[i] - grad[i] + m.root[i]*m.root[i]*(z[i]+b) // g + W·h, g = a - grad
	}
	fitting.FillBordered(ctx, t, m.work, k, m.root)
	chol, err := linalg.NewCholeskyContext(ctx, t, m.work)
	if err != nil {
		return fitting.NotPSD(ctx, err)
	}
	precision := func(u []float64) { // u ← R·u
		for i := range u {
			u[i] *= m.root[i]
		}
		if chol.SolveContext(ctx, t, fitting.Column(u)) != nil {
			return // the next step looks at the context
		}
		for i := range u {
			u[i] *= m.root[i]
		}
	}
	linalg.Gemv(t, linalg.NoTrans, 1, k, m.v, 0, m.one)
	precision(m.one)
	for i := range m.v {
		dir[i] = m.v[i] - m.one[i]
	}
	next := b
	if r.intercept {
		for i := range m.one {
			m.one[i] = 1
		}
		precision(m.one)
		top, bottom := 0.0, 0.0
		for i, u := range m.one {
			top += dir[i]
			bottom += u
		}
		if bottom > 0 {
			next = top / bottom
			for i, u := range m.one {
				dir[i] -= next * u
			}
		}
	}
	for i := range a {
		dir[i] -= a[i]
	}
	dir[2*n] = next - b
	linalg.Gemv(t, linalg.NoTrans, 1, k, dir[:n], 0, dir[n:2*n])
	return nil
}
