package spec

import (
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
)

// Algebra is the table of the operators for kernels on vectors: those with a name, and those with a sign, whose Name is
// empty.
func Algebra() []Entry[vec] { return algebra[vec]() }

// algebra has an entry for every operator of package kernel that has a text: how it is written, read and printed.
func algebra[T any]() []Entry[T] {
	return append(signs[T](), functions[T]()...)
}

var innerKernel = Parameter{Name: "kernel", Meaning: "the kernel it is made from"}

// functions are the operators that are written as calls.
func functions[T any]() []Entry[T] {
	return []Entry[T]{
		{
			Name: "constant", Formula: "c",
			Params:  []Parameter{{"c", "1", "its value, ≥ 0"}},
			Samples: []string{"0.5", "2*constant(c=3)", "constant(c=2)*linear()"},
			build:   func(a *arguments[T]) kernel.Kernel[T] { return kernel.Constant[T](a.number("c", 1)) },
			print: func(_ Catalogue[T], k kernel.Kernel[T]) (Expr, bool, error) {
				c, ok := k.(kernel.ConstantOf[T])
				return num(c.C), ok, nil
			},
		},
		unary("exp", "exp(k(x,y))", kernel.Exp[T], func(k kernel.ExpOf[T]) kernel.Kernel[T] { return k.Kernel }).
			shown(Anywhere, "exp(0.05*linear())"),
		normalised[T]().shown(Cube, "normalize(poly(degree=2, gamma=1, offset=1) + addchi2())", "normalize(substitute(rq(lengthscale=1, alpha=2), gaussianbasis(centers=[0, 1], width=1)))^2"),
		unary("tanimoto", "k(x,y)/(k(x,x)+k(y,y)-k(x,y))", kernel.Tanimoto[T], func(k kernel.TanimotoOf[T]) kernel.Kernel[T] { return k.Kernel }).
			shown(Cube, "tanimoto(linear())", "0.5*tanimoto(intersection() + gaussian(lengthscale=2))"),
		{
			Name: "polynomial", Formula: "Σ aₙ·k(x,y)ⁿ",
			Params:  []Parameter{innerKernel, {"coef", "", "a₀, a₁, …, all ≥ 0"}, {"bound", "0", "|k| stays below this, for a truncated series"}, {"error", "0", "what the truncation leaves out"}},
			Samples: []string{"polynomial(gaussian(lengthscale=1), coef=[0.5, 1, 0.25])", "polynomial(cosine(), coef=[1, 1], bound=1.0001, error=1e-09)"},
			build: func(a *arguments[T]) kernel.Kernel[T] {
				return kernel.PowersOf[T]{Kernel: a.kernel("kernel"), Coef: a.list("coef"), Bound: a.number("bound", 0), Error: a.number("error", 0)}
			},
			print: printPowers[T],
		},
		{
			Name: "substitute", Formula: "κ(‖φ(x)-φ(y)‖²), the outer kernel on the feature distances of the inner",
			Params:  []Parameter{{"outer", "", "a kernel of the squared distance, such as gaussian"}, innerKernel},
			Samples: []string{"substitute(gaussian(lengthscale=2), poly(degree=2, gamma=0.3, offset=1))"},
			build:   buildSubstitute[T],
			print:   printSubstitute[T],
		},
	}
}

// normalised is kernel.Normalize; of a kernel that knows its logarithms it is seq.NormalizeLog, which is the same
// function where the values leave the range of numbers.
func normalised[T any]() Entry[T] {
	of := func(k kernel.Kernel[T]) kernel.Kernel[T] {
		if logs, ok := byLogarithms(k); ok {
			return logs
		}
		return kernel.Normalize(k)
	}
	e := unary("normalize", "k(x,y)/√(k(x,x)·k(y,y))", of, func(k kernel.NormalizeOf[T]) kernel.Kernel[T] { return k.Kernel })
	plain := e.print
	e.print = func(c Catalogue[T], k kernel.Kernel[T]) (Expr, bool, error) {
		if logs, ok := k.(seq.NormalizedLogOf[T]); ok {
			k = kernel.NormalizeOf[T]{Kernel: logs.Kernel}
		}
		return plain(c, k)
	}
	return e
}

// byLogarithms is the normalised form of a kernel that knows its logarithms, on its own points or behind what is done to them first: as the
// kernel of a column of a table, or of series that are changed.
func byLogarithms[T any](k kernel.Kernel[T]) (kernel.Kernel[T], bool) {
	if logs, ok := k.(seq.Logarithmic[T]); ok {
		return seq.NormalizeLog(logs), true
	}
	if of, ok := k.(kernel.PullbackOf[T, series]); ok {
		inner, ok := byLogarithms(of.Kernel)
		of.Kernel = inner
		return of, ok
	}
	if of, ok := k.(kernel.PullbackOf[T, string]); ok {
		inner, ok := byLogarithms(of.Kernel)
		of.Kernel = inner
		return of, ok
	}
	return nil, false
}

// unary is an operator of one kernel and no parameter.
func unary[T any, K kernel.Kernel[T]](name, formula string, of func(kernel.Kernel[T]) kernel.Kernel[T], inner func(K) kernel.Kernel[T]) Entry[T] {
	return Entry[T]{
		Name: name, Formula: formula, Params: []Parameter{innerKernel},
		build: func(a *arguments[T]) kernel.Kernel[T] { return of(a.kernel("kernel")) },
		print: func(c Catalogue[T], k kernel.Kernel[T]) (Expr, bool, error) {
			own, ok := k.(K)
			if !ok {
				return nil, false, nil
			}
			e, err := c.expr(inner(own))
			return Call{Name: name, Args: []Arg{{Value: e}}}, true, err
		},
	}
}

func printPowers[T any](c Catalogue[T], k kernel.Kernel[T]) (Expr, bool, error) {
	p, ok := k.(kernel.PowersOf[T])
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

func buildSubstitute[T any](a *arguments[T]) kernel.Kernel[T] {
	k := a.kernel("kernel")
	e, ok := a.get("outer")
	if !ok {
		a.missing("outer")
		return nil
	}
	outer, err := (&builder[vec]{source: a.builder.source, catalogue: Vectors()}).kernel(e)
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

func printSubstitute[T any](c Catalogue[T], k kernel.Kernel[T]) (Expr, bool, error) {
	s, ok := k.(kernel.SubstituteOf[T])
	if !ok {
		return nil, false, nil
	}
	outer, err := Vectors().expr(s.Outer)
	if err != nil {
		return nil, false, err
	}
	e, err := c.expr(s.Kernel)
	return Call{Name: "substitute", Args: []Arg{{Value: outer}, {Value: e}}}, true, err
}
