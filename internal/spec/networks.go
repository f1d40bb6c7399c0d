package spec

import (
	"fmt"

	"github.com/mercer-ml/mercer/kernel"
)

var layersOfUnits = Parameter{"depth", "1", "layers of units, 1 to 1000"}

// arcCosine is kernel.ArcCosine; without a kernel, on vectors, it is of the linear one.
func arcCosine() Entry {
	e := Entry{
		Name: "arccosine", Formula: "infinitely many units max(0,z)ⁿ",
		Params: []Parameter{{"kernel", "linear()", innerKernel.Meaning},
			{"order", "1", "n: 0 steps, 1 ramps, 2 their squares"}, layersOfUnits},
		build: func(a *arguments) kernel.Kernel[any] {
			order := a.integer("order", 1)
			if order < 0 || order > 2 {
				a.fail(a.call.column(), fmt.Sprintf("order = %d, want 0, 1 or 2", order), "")
			}
			return kernel.ArcCosine(a.kernelOr("kernel", "linear()"), order, a.depth())
		},
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			n, ok := k.(kernel.NetworkOf[any])
			if !ok || n.Activation == kernel.ErfUnit {
				return nil, false, nil
			}
			e, err := c.expr(n.Kernel)
			return Call{Name: "arccosine", Args: []Arg{{Value: e}, named("order", num(float64(n.Activation))),
				named("depth", num(or(float64(n.Depth), 1)))}}, true, err
		},
	}
	return e.shown(Anywhere, "arccosine(linear(), order=1, depth=2)", "arccosine(linear() + 1, order=2, depth=1)",
		"arccosine(0.5*linear() + 0.1, order=1, depth=3)", "arccosine(gaussian(lengthscale=2), order=1, depth=1)",
		"arccosine(linear() + 1, order=0, depth=1)")
}

// arcSine is kernel.ArcSine; without a kernel, on vectors, it is of linear + 1, as Williams has it.
func arcSine() Entry {
	e := Entry{
		Name: "arcsine", Formula: "infinitely many units erf z",
		Params: []Parameter{{"kernel", "linear() + 1", innerKernel.Meaning}, layersOfUnits},
		build: func(a *arguments) kernel.Kernel[any] {
			return kernel.ArcSine(a.kernelOr("kernel", "linear() + 1"), a.depth())
		},
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			n, ok := k.(kernel.NetworkOf[any])
			if !ok || n.Activation != kernel.ErfUnit {
				return nil, false, nil
			}
			e, err := c.expr(n.Kernel)
			return Call{Name: "arcsine", Args: []Arg{{Value: e}, named("depth", num(or(float64(n.Depth), 1)))}}, true, err
		},
	}
	return e.shown(Anywhere, "arcsine(linear() + 1, depth=1)",
		"arcsine(2*gaussian(lengthscale=[1, 2, 3]) + linear(), depth=3)")
}

// kernelOr is an argument that is a kernel, or what stands for it on vectors where it is left out.
func (a *arguments) kernelOr(name, missing string) kernel.Kernel[any] {
	if _, given := a.get(name); given {
		return a.kernel(name)
	}
	e, err := Parse(missing)
	if err == nil {
		if k, bad := a.builder.kernel(e); bad == nil {
			return k
		}
	}
	a.missing(name)
	return nil
}

// depth is the number of layers; a zero that is written is a mistake.
func (a *arguments) depth() int {
	depth := a.integer("depth", 1)
	if depth == 0 {
		a.fail(a.call.column(), "depth = 0, want 1 to 1000", "")
	}
	return depth
}
