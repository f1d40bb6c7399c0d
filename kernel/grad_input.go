package kernel

import (
	"github.com/mercer-ml/mercer/internal/fault"
)

// InputGrad sets dst = ∂k(x, y)/∂x, through the algebra. Where the kernel has a kink the derivative
// is the mean of those from both sides (0 for Laplace at x = y). The error says which part of the
// kernel has no derivative by its points.
func InputGrad(k Kernel[Vec], dst, x, y Vec) error {
	clear(dst)
	return addInputGrad(OnVectors(k), dst, 1, x, y)
}

// addInputGrad adds scale·∂k(x, y)/∂x to dst.
func addInputGrad(k Kernel[any], dst Vec, scale float64, x, y any) error {
	if o, ok := operatorOf(k); ok {
		return o.inputGrad(dst, scale, x, y)
	}
	leaf, ok := bare(k).(Kernel[Vec])
	if !ok {
		return noInputGrad(bare(k))
	}
	return addLeafGrad(leaf, dst, scale, x.(Vec), y.(Vec))
}

func addLeafGrad(k Kernel[Vec], dst Vec, scale float64, x, y Vec) error {
	switch k := k.(type) {
	case InputDifferentiable:
		g := make(Vec, len(x))
		k.InputGrad(g, x, y)
		for i, v := range g {
			dst[i] += scale * v
		}
		return nil
	case embedded:
		e := k.embedding()
		if e.linear {
			x, y = e.together(x, y)
		}
		u, v := e.image(x), e.image(y)
		g := make(Vec, len(u))
		if err := addInputGrad(OnVectors(e.inner), g, scale, u, v); err != nil {
			return err
		}
		e.pull(dst, g, x)
		return nil
	case Differentiable:
		m := k.Metric().Between(x, y)
		k.Metric().gradient(dst, scale*profileSlope(k, m, make([]float64, len(Params[Vec](k)))), x, y)
		return nil
	}
	return noInputGrad(k)
}

func noInputGrad(k any) error {
	return fault.Errorf("kernel", "%s has no derivative by its points", nameOf(k))
}
