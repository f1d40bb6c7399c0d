package kernel

import "github.com/mercer-ml/mercer/data"

// The derivatives of one kernel value by all parameters, through the algebra. They
// are the meaning of ParamGrads and the way in which it does the kinds of kernels that have no
// faster one.

// pairGrader is implemented by leaves over sparse rows: the value at (x, y), and its
// derivatives by the parameters in dtheta, which has the length of Params.
type pairGrader[T any] interface {
	pairGrad(x, y T, dtheta []float64) float64
}

// pairGrad returns k(x, y) and sets dtheta to its derivatives.
func pairGrad(k Kernel[any], x, y any, dtheta []float64) float64 {
	if o, ok := operatorOf(k); ok {
		return o.pairGrad(x, y, dtheta)
	}
	if g, ok := bare(k).(pairGrader[data.SparseVec]); ok {
		return g.pairGrad(x.(data.SparseVec), y.(data.SparseVec), dtheta)
	}
	if len(dtheta) == 0 || doorFor(k).evalGrad(x, y, dtheta) {
		return k.Eval(x, y)
	}
	if vx, ok := x.(Vec); ok {
		if v, ok := vectorPairGrad(bare(k), vx, y.(Vec), dtheta); ok {
			return v
		}
	}
	return differencePairGrad(k, x, y, dtheta)
}

// vectorPairGrad is pairGrad of a kernel on vectors that has a map or a profile.
func vectorPairGrad(k any, x, y Vec, dtheta []float64) (float64, bool) {
	switch k := k.(type) {
	case embedded:
		return embeddedPairGrad(k.embedding(), x, y, dtheta)
	case Differentiable:
		return profilePairGrad(k, k.Metric().Between(x, y), dtheta), true
	}
	return 0, false
}

// profilePairGrad is κ(m) with its derivatives by the parameters.
func profilePairGrad(k Differentiable, m float64, dtheta []float64) float64 {
	profileSlope(k, m, dtheta)
	v := [1]float64{m}
	k.Profile(v[:])
	return v[0]
}

// profileSlope is κ'(m); dtheta is set to the derivatives by the parameters.
func profileSlope(k Differentiable, m float64, dtheta []float64) float64 {
	in, dm := [1]float64{m}, [1]float64{}
	rows := make([][]float64, len(dtheta))
	for p := range rows {
		rows[p] = dtheta[p : p+1]
	}
	k.ProfileGrad(dm[:], rows, in[:])
	return dm[0]
}

// embeddedPairGrad differentiates through a map with parameters of its own: its
// tangents ∂u/∂θ meet the gradient of the inner kernel by both arguments. It is
// not ok when the inner kernel has no such gradient.
func embeddedPairGrad(e embedding, x, y Vec, dtheta []float64) (value float64, ok bool) {
	x, y = e.together(x, y)
	u, v := e.image(x), e.image(y)
	inner := make([]float64, len(Params(e.inner)))
	value = pairGrad(OnVectors(e.inner), u, v, inner)
	rest := dtheta[e.own:]
	if e.kept == nil {
		copy(rest, inner)
	}
	for i, j := range e.kept {
		rest[i] = inner[j]
	}
	if e.own > 0 {
		gu, gv, t := make(Vec, len(u)), make(Vec, len(u)), make(Vec, len(u))
		if InputGrad(e.inner, gu, u, v) != nil || InputGrad(e.inner, gv, v, u) != nil {
			return 0, false
		}
		for p := range e.own {
			e.tangent(t, p, x)
			dtheta[p] = Inner.Between(gu, t)
			e.tangent(t, p, y)
			dtheta[p] += Inner.Between(gv, t)
		}
	}
	return value, true
}

// differencePairGrad is what is left for a Tunable kernel that knows no derivative:
// central differences by With.
func differencePairGrad(k Kernel[any], x, y any, dtheta []float64) float64 {
	t := k.(Tunable[any])
	params := t.Params()
	theta := Values(k)
	for p, param := range params {
		dtheta[p] = 0
		if param.Domain.Integer {
			continue
		}
		h := 1e-5 * max(1, abs(param.Value))
		up, down := h, h
		if !param.Domain.Contains(param.Value - h) {
			down = 0
		}
		if !param.Domain.Contains(param.Value + h) {
			up = 0
		}
		theta[p] = param.Value + up
		hi := t.With(theta).Eval(x, y)
		theta[p] = param.Value - down
		lo := t.With(theta).Eval(x, y)
		theta[p] = param.Value
		if up+down > 0 {
			dtheta[p] = (hi - lo) / (up + down)
		}
	}
	return k.Eval(x, y)
}

func abs(v float64) float64 {
	if v < 0 {
		return -v
	}
	return v
}

// chained scales the derivatives of an inner kernel by the slope of what is applied to it.
func chained(dtheta []float64, slope float64) {
	for i := range dtheta {
		dtheta[i] *= slope
	}
}
