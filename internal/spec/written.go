package spec

// Written says which parameters of a kernel have their values from numbers that stand in its text:
// a number that somebody wrote is to stay, and what was left out may be searched for. values reads
// a text of the same form to the values of the kernel's parameters (kernel.Values of what
// ParseKernel makes of it, say); the result has an entry for each.
//
// Every number of the text is changed in turn, and the parameters that move with it are those it
// says.
func Written(text string, values func(text string) ([]float64, error)) ([]bool, error) {
	e, err := Parse(text)
	if err != nil {
		return nil, err
	}
	own, err := values(text)
	if err != nil {
		return nil, err
	}
	out := make([]bool, len(own))
	for nth := 0; ; nth++ {
		if _, found := withNumber(e, nth, func(v float64) float64 { return v }); !found {
			return out, nil
		}
		for _, other := range otherNumbers {
			moved, _ := withNumber(e, nth, other)
			theta, err := values(Format(moved))
			if err != nil || len(theta) != len(own) {
				continue // outside what the parameter may be, or another kernel: try the next
			}
			differs := false
			for i := range theta {
				if theta[i] != own[i] {
					out[i], differs = true, true
				}
			}
			if differs {
				break
			}
		}
	}
}

// otherNumbers are other values for a number of which nothing is known: whole ones stay whole,
// shares stay shares.
var otherNumbers = []func(v float64) float64{
	func(v float64) float64 { return v + 1 },
	func(v float64) float64 { return v - 1 },
	func(v float64) float64 { return 0.75 * v },
	func(v float64) float64 { return 1.25 * v },
	func(v float64) float64 { return 0.5 + v/4 },
}

// withNumber is a tree with its nth number, from the left, changed; found says whether there are so
// many.
func withNumber(e Expr, nth int, other func(float64) float64) (out Expr, found bool) {
	left := nth
	number := func(v float64) float64 {
		if left--; left == -1 {
			found = true
			return other(v)
		}
		return v
	}
	var walk func(e Expr) Expr
	walkAll := func(es []Expr) []Expr {
		out := make([]Expr, len(es))
		for i := range es {
			out[i] = walk(es[i])
		}
		return out
	}
	walk = func(e Expr) Expr {
		switch e := e.(type) {
		case Number:
			e.Value = number(e.Value)
			return e
		case List:
			e.Items = walkAll(e.Items)
			return e
		case Call:
			args := make([]Arg, len(e.Args))
			for i, a := range e.Args {
				a.Value = walk(a.Value)
				args[i] = a
			}
			e.Args = args
			return e
		case Sum:
			e.Terms = walkAll(e.Terms)
			return e
		case Product:
			e.Factors = walkAll(e.Factors)
			return e
		case Power:
			e.Base = walk(e.Base)
			e.Exponent = number(e.Exponent)
			return e
		case On:
			e.Kernel = walk(e.Kernel)
			return e
		}
		return e
	}
	out = walk(e)
	return out, found
}
