package spec

import (
	"github.com/mercer-ml/mercer/internal/mixing"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// Algebra is the table of the operators, which are the same on points of every kind: those with a
// name, and those with a sign, whose Name is empty. It has an entry for every operator of package
// kernel that has a text: how it is written, read and printed.
func Algebra() []Entry { return append(signs(), functions()...) }

var innerKernel = Parameter{Name: "kernel", Meaning: "the kernel it is made from"}

// functions are the operators that are written as calls.
func functions() []Entry {
	return []Entry{
		{
			Name: "constant", Formula: "c",
			Params:  []Parameter{{"c", "1", "its value, ≥ 0"}},
			Samples: []string{"0.5", "2*constant(c=3)", "constant(c=2)*linear()"},
			build:   func(a *arguments) kernel.Kernel[any] { return kernel.Constant[any](a.number("c", 1)) },
			print: func(_ Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
				c, ok := k.(kernel.ConstantOf[any])
				return num(c.C), ok, nil
			},
		},
		unary("exp", "exp(k(x,y))", kernel.Exp[any], func(k kernel.ExpOf[any]) kernel.Kernel[any] { return k.Kernel }).
			shown(Anywhere, "exp(0.05*linear())"),
		normalised().shown(Cube, "normalize(poly(degree=2, gamma=1, offset=1) + addchi2())",
			"normalize(substitute(rq(lengthscale=1, alpha=2), gaussianbasis(centers=[0, 1], width=1)))^2"),
		unary("tanimoto", "k(x,y)/(k(x,x)+k(y,y)-k(x,y))", kernel.Tanimoto[any],
			func(k kernel.TanimotoOf[any]) kernel.Kernel[any] { return k.Kernel }).
			shown(Cube, "tanimoto(linear())", "0.5*tanimoto(intersection() + gaussian(lengthscale=2))"),
		{
			Name: "polynomial", Formula: "Σ aₙ·k(x,y)ⁿ",
			Params: []Parameter{innerKernel, {"coef", "", "a₀, a₁, …, all ≥ 0"},
				{"bound", "0", "|k| stays below this, for a truncated series"}, {"error", "0", "what the truncation leaves out"}},
			Samples: []string{"polynomial(gaussian(lengthscale=1), coef=[0.5, 1, 0.25])",
				"polynomial(cosine(), coef=[1, 1], bound=1.0001, error=1e-09)"},
			build: func(a *arguments) kernel.Kernel[any] {
				return kernel.PowersOf[any]{Kernel: a.kernel("kernel"), Coef: a.list("coef"), Bound: a.number("bound", 0),
					Error: a.number("error", 0)}
			},
			print: printPowers,
		},
		{
			Name: "substitute", Formula: "κ(‖φ(x)-φ(y)‖²), the outer kernel on the feature distances of the inner",
			Params:  []Parameter{{"outer", "", "a kernel of the squared distance, such as gaussian"}, innerKernel},
			Samples: []string{"substitute(gaussian(lengthscale=2), poly(degree=2, gamma=0.3, offset=1))"},
			build:   buildSubstitute,
			print:   printSubstitute,
		},
		arcCosine(),
		arcSine(),
	}
}

// normalised is kernel.Normalize; of a kernel that knows its logarithms it is seq.NormalizeLog,
// which is the same function where the values leave the range of numbers.
func normalised() Entry {
	of := func(k kernel.Kernel[any]) kernel.Kernel[any] {
		if logs, ok := byLogarithms(k); ok {
			return logs
		}
		return kernel.Normalize(k)
	}
	e := unary("normalize", "k(x,y)/√(k(x,x)·k(y,y))", of,
		func(k kernel.NormalizeOf[any]) kernel.Kernel[any] { return k.Kernel })
	plain := e.print
	e.print = func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
		switch logs := kernel.Concrete(k).(type) {
		case seq.NormalizedLogOf[string]:
			k = kernel.Normalize(kernel.Erase[string](logs.Kernel))
		case seq.NormalizedLogOf[series]:
			k = kernel.Normalize(kernel.Erase[series](logs.Kernel))
		}
		return plain(c, k)
	}
	return e
}

// byLogarithms is the normalised form of a kernel that knows its logarithms, on its own points or
// behind what is done to them first: as the kernel of a column of a table, or of series that are
// changed.
func byLogarithms(k kernel.Kernel[any]) (kernel.Kernel[any], bool) {
	switch k := kernel.Concrete(k).(type) {
	case seq.Logarithmic[string]:
		return kernel.Erase(seq.NormalizeLog(k)), true
	case seq.Logarithmic[series]:
		return kernel.Erase(seq.NormalizeLog(k)), true
	case kernel.PullbackOf[mixed.Row, any]:
		inner, ok := byLogarithms(k.Kernel)
		k.Kernel = inner
		return mixing.Erase(k), ok
	case kernel.PullbackOf[series, series]:
		inner, ok := byLogarithms(kernel.Erase(k.Kernel))
		if !ok {
			return nil, false
		}
		k.Kernel, ok = kernel.Typed[series](inner)
		return kernel.Erase[series](k), ok
	}
	return nil, false
}

// unary is an operator of one kernel and no parameter.
func unary[K kernel.Kernel[any]](
	name, formula string, of func(kernel.Kernel[any]) kernel.Kernel[any], inner func(K) kernel.Kernel[any],
) Entry {
	return Entry{
		Name: name, Formula: formula, Params: []Parameter{innerKernel},
		build: func(a *arguments) kernel.Kernel[any] { return of(a.kernel("kernel")) },
		print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			own, ok := k.(K)
			if !ok {
				return nil, false, nil
			}
			e, err := c.expr(inner(own))
			return Call{Name: name, Args: []Arg{{Value: e}}}, true, err
		},
	}
}

func printPowers(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
	p, ok := k.(kernel.PowersOf[any])
	if !ok {
		return nil, false, nil
	}
	e, err := c.expr(p.Kernel)
	args := []Arg{{Value: e}, named("coef", nums(p.Coef))}
	if p.Bound != 0 {
		args = append(args, named("bound", num(p.Bound)))
	}
	if p.Error != 0 {
		args = append(args, named("error", num(p.Error)))
	}
	return Call{Name: "polynomial", Args: args}, true, err
}

func buildSubstitute(a *arguments) kernel.Kernel[any] {
	k := a.kernel("kernel")
	e, ok := a.get("outer")
	if !ok {
		a.missing("outer")
		return nil
	}
	outer, err := (&builder{source: a.builder.source, catalogue: Vectors()}).kernel(e)
	if err != nil {
		if a.err == nil {
			a.err = err
		}
		return nil
	}
	profiled, ok := kernel.Concrete(outer).(kernel.Profiled)
	if !ok || profiled.Metric() != kernel.SqDist {
		a.fail(e.column(), Format(e)+" is not a function of the squared distance", "gaussian, laplace, matern and rq are")
		return nil
	}
	return kernel.Substitute(profiled, k)
}

func printSubstitute(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
	s, ok := k.(kernel.SubstituteOf[any])
	if !ok {
		return nil, false, nil
	}
	outer, err := Vectors().expr(kernel.OnVectors(s.Outer))
	if err != nil {
		return nil, false, err
	}
	e, err := c.expr(s.Kernel)
	return Call{Name: "substitute", Args: []Arg{{Value: outer}, {Value: e}}}, true, err
}
