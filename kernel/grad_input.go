package kernel

import "fmt"

// InputGrad sets dst = ∂k(x, y)/∂x, through the algebra. Where the kernel has a
// kink (Laplace at x = y) the derivative is taken as 0. The error says which
// part of the kernel has no derivative by its points.
func InputGrad(k Kernel[Vec], dst, x, y Vec) error {
	clear(dst)
	return addInputGrad(k, dst, 1, x, y)
}

// addInputGrad adds scale·∂k(x, y)/∂x to dst.
func addInputGrad(k Kernel[Vec], dst Vec, scale float64, x, y Vec) error {
	switch k := k.(type) {
	case SumOf[Vec]:
		for _, t := range k.Terms {
			if err := addInputGrad(t, dst, scale, x, y); err != nil {
				return err
			}
		}
		return nil
	case ProductOf[Vec]:
		for i, f := range k.Factors {
			others := scale
			for j, g := range k.Factors {
				if j != i {
					others *= g.Eval(x, y)
				}
			}
			if err := addInputGrad(f, dst, others, x, y); err != nil {
				return err
			}
		}
		return nil
	case ConstantOf[Vec]:
		return nil
	case ScaleOf[Vec]:
		return addInputGrad(k.Kernel, dst, scale*k.Factor, x, y)
	case PowerOf[Vec]:
		return addInputGrad(k.Kernel, dst, scale*float64(k.Exponent)*intPower(k.Kernel.Eval(x, y), k.Exponent-1), x, y)
	case PowersOf[Vec]:
		return addInputGrad(k.Kernel, dst, scale*hornerSlope(k.Coef, k.Kernel.Eval(x, y)), x, y)
	case ExpOf[Vec]:
		return addInputGrad(k.Kernel, dst, scale*k.Eval(x, y), x, y)
	case NormalizeOf[Vec]:
		// k(x, x) changes with x too: its derivative is twice that by the first argument.
		a, b := k.Kernel.Eval(x, x), k.Kernel.Eval(y, y)
		w := inverseRoot(a) * inverseRoot(b)
		if w == 0 {
			return nil
		}
		if err := addInputGrad(k.Kernel, dst, scale*w, x, y); err != nil {
			return err
		}
		return addInputGrad(k.Kernel, dst, -scale*w*k.Kernel.Eval(x, y)/a, x, x)
	case SubstituteOf[Vec]:
		outer, ok := k.Outer.(Differentiable)
		if !ok {
			return noInputGrad(k.Outer)
		}
		m := max(k.Kernel.Eval(x, x)-2*k.Kernel.Eval(x, y)+k.Kernel.Eval(y, y), 0)
		slope := scale * profileSlope(outer, m, make([]float64, len(Params[Vec](k.Outer))))
		if err := addInputGrad(k.Kernel, dst, 2*slope, x, x); err != nil {
			return err
		}
		return addInputGrad(k.Kernel, dst, -2*slope, x, y)
	case InputDifferentiable:
		g := make(Vec, len(x))
		k.InputGrad(g, x, y)
		for i, v := range g {
			dst[i] += scale * v
		}
		return nil
	case embedded:
		e := k.embedding()
		u, v := e.image(x), e.image(y)
		g := make(Vec, len(u))
		if err := addInputGrad(e.inner, g, scale, u, v); err != nil {
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
	if n, ok := k.(Named); ok {
		return fmt.Errorf("kernel: %s has no derivative by its points", n.Name())
	}
	return fmt.Errorf("kernel: %T has no derivative by its points", k)
}
