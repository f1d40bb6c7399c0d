package spec

import "github.com/mercer-ml/mercer/kernel"

// algebra is the part of the language that has names but is not a leaf.
func algebra[T any]() []Entry[T] {
	inner := Parameter{Name: "kernel", Meaning: "the kernel it is made from"}
	return []Entry[T]{
		{
			Name: "constant", Formula: "c",
			Params: []Parameter{{"c", "1", "its value, ≥ 0"}},
			build:  func(a *arguments[T]) kernel.Kernel[T] { return kernel.Constant[T](a.number("c", 1)) },
		},
		{
			Name: "exp", Formula: "exp(k(x,y))",
			Params: []Parameter{inner},
			build:  func(a *arguments[T]) kernel.Kernel[T] { return kernel.Exp(a.kernel("kernel")) },
		},
		{
			Name: "normalize", Formula: "k(x,y)/√(k(x,x)·k(y,y))",
			Params: []Parameter{inner},
			build:  func(a *arguments[T]) kernel.Kernel[T] { return kernel.Normalize(a.kernel("kernel")) },
		},
		{
			Name: "polynomial", Formula: "Σ aₙ·k(x,y)ⁿ",
			Params: []Parameter{inner, {"coef", "", "a₀, a₁, …, all ≥ 0"}, {"bound", "0", "|k| stays below this, for a truncated series"}, {"error", "0", "what the truncation leaves out"}},
			build: func(a *arguments[T]) kernel.Kernel[T] {
				return kernel.PowersOf[T]{Kernel: a.kernel("kernel"), Coef: a.list("coef"), Bound: a.number("bound", 0), Error: a.number("error", 0)}
			},
		},
		{
			Name: "substitute", Formula: "κ(‖φ(x)-φ(y)‖²), the outer kernel on the feature distances of the inner",
			Params: []Parameter{{"outer", "", "a kernel of the squared distance, such as gaussian"}, inner},
			build:  buildSubstitute[T],
		},
	}
}

func buildSubstitute[T any](a *arguments[T]) kernel.Kernel[T] {
	k := a.kernel("kernel")
	e, ok := a.get("outer")
	if !ok {
		a.missing("outer")
		return nil
	}
	outer, err := (&builder[kernel.Vec]{a.builder.source, Vectors()}).kernel(e)
	if err != nil {
		if a.err == nil {
			a.err = err
		}
		return nil
	}
	profiled, ok := outer.(kernel.Profiled)
	if !ok || profiled.Metric() != kernel.SqDist {
		a.fail(e.column(), Format(e)+" is not a function of the squared distance", "gaussian, laplace, matern and rq are")
		return nil
	}
	return kernel.Substitute(profiled, k)
}

// algebraExpr prints the nodes that algebra builds.
func (c Catalogue[T]) algebraExpr(k kernel.Kernel[T]) (e Expr, ok bool, err error) {
	call := func(name string, inner kernel.Kernel[T], args ...Arg) (Expr, bool, error) {
		e, err := c.expr(inner)
		if err != nil {
			return nil, false, err
		}
		return Call{Name: name, Args: append([]Arg{{Value: e}}, args...)}, true, nil
	}
	switch k := k.(type) {
	case kernel.ExpOf[T]:
		return call("exp", k.Kernel)
	case kernel.NormalizeOf[T]:
		return call("normalize", k.Kernel)
	case kernel.PowersOf[T]:
		args := []Arg{named("coef", nums(k.Coef))}
		if k.Bound != 0 {
			args = append(args, named("bound", num(k.Bound)))
		}
		if k.Error != 0 {
			args = append(args, named("error", num(k.Error)))
		}
		return call("polynomial", k.Kernel, args...)
	case kernel.SubstituteOf[T]:
		outer, err := Vectors().expr(k.Outer)
		if err != nil {
			return nil, false, err
		}
		e, err := c.expr(k.Kernel)
		if err != nil {
			return nil, false, err
		}
		return Call{Name: "substitute", Args: []Arg{{Value: outer}, {Value: e}}}, true, nil
	}
	return nil, false, nil
}
