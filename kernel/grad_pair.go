package kernel

// The derivatives of one kernel value by all parameters, through the algebra. They
// are the meaning of ParamGrads and the way in which it does the kinds of kernels that have no
// faster one.

// pairGrader is implemented by the kernels of the algebra: the value at (x, y), and its
// derivatives by the parameters in dtheta, which has the length of Params.
type pairGrader[T any] interface {
	pairGrad(x, y T, dtheta []float64) float64
}

// pairGrad returns k(x, y) and sets dtheta to its derivatives.
func pairGrad[T any](k Kernel[T], x, y T, dtheta []float64) float64 {
	if g, ok := any(k).(pairGrader[T]); ok {
		return g.pairGrad(x, y, dtheta)
	}
	if len(dtheta) == 0 {
		return k.Eval(x, y)
	}
	if g, ok := any(k).(PairDifferentiable[T]); ok {
		g.EvalGrad(x, y, dtheta)
		return k.Eval(x, y)
	}
	if vx, ok := any(x).(Vec); ok {
		vy := any(y).(Vec)
		switch k := any(k).(type) {
		case embedded:
			if v, ok := embeddedPairGrad(k.embedding(), vx, vy, dtheta); ok {
				return v
			}
		case Differentiable:
			return profilePairGrad(k, k.Metric().Between(vx, vy), dtheta)
		}
	}
	return differencePairGrad(k, x, y, dtheta)
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
	u, v := e.image(x), e.image(y)
	inner := make([]float64, len(Params(e.inner)))
	value = pairGrad(e.inner, u, v, inner)
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
func differencePairGrad[T any](k Kernel[T], x, y T, dtheta []float64) float64 {
	t := any(k).(Tunable[T])
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

func (k SumOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	s := 0.0
	for _, t := range k.Terms {
		n := len(Params(t))
		s += pairGrad(t, x, y, dtheta[:n])
		dtheta = dtheta[n:]
	}
	return s
}

func (k ProductOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	values := make([]float64, len(k.Factors))
	at := 0
	for i, f := range k.Factors {
		n := len(Params(f))
		values[i] = pairGrad(f, x, y, dtheta[at:at+n])
		at += n
	}
	at = 0
	for i, f := range k.Factors {
		others := 1.0
		for j, v := range values {
			if j != i {
				others *= v
			}
		}
		for range len(Params(f)) {
			dtheta[at] *= others
			at++
		}
	}
	p := 1.0
	for _, v := range values {
		p *= v
	}
	return p
}

func (k ConstantOf[T]) pairGrad(_, _ T, dtheta []float64) float64 {
	if len(dtheta) > 0 {
		dtheta[0] = 1
	}
	return k.C
}

// chained scales the derivatives of an inner kernel by the slope of what is applied to it.
func chained(dtheta []float64, slope float64) {
	for i := range dtheta {
		dtheta[i] *= slope
	}
}

func (k ScaleOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta[1:])
	chained(dtheta[1:], k.Factor)
	dtheta[0] = v
	return k.Factor * v
}

func (k PowerOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	chained(dtheta, float64(k.Exponent)*intPower(v, k.Exponent-1))
	return intPower(v, k.Exponent)
}

func (k PowersOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	n := k.own()
	v := pairGrad(k.Kernel, x, y, dtheta[n:])
	chained(dtheta[n:], hornerSlope(k.Coef, v))
	p := 1.0
	for i := range n {
		dtheta[i] = p
		p *= v
	}
	return horner(k.Coef, v)
}

func (k ExpOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	v := pairGrad(k.Kernel, x, y, dtheta)
	e := [1]float64{v}
	expScale(e[:], 1)
	chained(dtheta, e[0])
	return e[0]
}

func (k MultiplyOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	w := k.F(x) * k.F(y)
	if len(dtheta) == 0 {
		return w * k.Kernel.Eval(x, y)
	}
	v := pairGrad(k.Kernel, x, y, dtheta)
	chained(dtheta, w)
	return w * v
}

// d[k/√(aᵢbⱼ)] = (dk - k(da/a + db/b)/2)/√(ab).
func (k NormalizeOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	dx, dy := make([]float64, len(dtheta)), make([]float64, len(dtheta))
	v := pairGrad(k.Kernel, x, y, dtheta)
	a, b := pairGrad(k.Kernel, x, x, dx), pairGrad(k.Kernel, y, y, dy)
	w := inverseRoot(a) * inverseRoot(b)
	for p := range dtheta {
		if w == 0 {
			dtheta[p] = 0
			continue
		}
		dtheta[p] = w * (dtheta[p] - v*(dx[p]/a+dy[p]/b)/2)
	}
	return v * w
}

func (k SubstituteOf[T]) pairGrad(x, y T, dtheta []float64) float64 {
	n := len(Params[Vec](k.Outer))
	inner := dtheta[n:]
	dx, dy := make([]float64, len(inner)), make([]float64, len(inner))
	v := pairGrad(k.Kernel, x, y, inner)
	a, b := pairGrad(k.Kernel, x, x, dx), pairGrad(k.Kernel, y, y, dy)
	m := max(a-2*v+b, 0)
	outer, ok := k.Outer.(Differentiable)
	if !ok {
		return differencePairGrad[T](k, x, y, dtheta)
	}
	slope := profileSlope(outer, m, dtheta[:n])
	for p := range inner {
		inner[p] = slope * (dx[p] - 2*inner[p] + dy[p])
	}
	out := [1]float64{m}
	k.Outer.Profile(out[:])
	return out[0]
}

func (k PullbackOf[T, U]) pairGrad(x, y T, dtheta []float64) float64 {
	return pairGrad(k.Kernel, k.Map(x), k.Map(y), dtheta)
}
