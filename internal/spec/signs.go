package spec

import "github.com/mercer-ml/mercer/kernel"

// signs are the operators that are written with +, * and ^. The parser reads them; see builder.
func signs() []Entry {
	return []Entry{
		{Sign: "k1 + k2", Formula: "k₁(x,y) + k₂(x,y)", Samples: []string{
			"0.5*gaussian(lengthscale=2) + linear()*periodic(period=3, lengthscale=1)",
			"0.5*gaussian(lengthscale=[1, 2, 0.3]) + linear()^2", "linear() + 1",
		}, print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			sum, ok := k.(kernel.SumOf[any])
			if !ok {
				return nil, false, nil
			}
			terms, err := c.exprs(sum.Terms)
			return Sum{Terms: terms}, true, err
		}},
		{Sign: "k1 * k2", Formula: "k₁(x,y)·k₂(x,y)", Samples: []string{
			"(linear() + 1)*cosine()", "(0.25*linear())*cosine()",
			"on(gaussian(lengthscale=1), columns=[0])*on(laplacel1(lengthscale=2), columns=[1, 2])",
		}, print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
			product, ok := k.(kernel.ProductOf[any])
			if !ok {
				return nil, false, nil
			}
			factors, err := c.exprs(product.Factors)
			for i, f := range factors {
				// a bare number among factors would be read as a weight
				if n, ok := f.(Number); ok {
					factors[i] = Call{Name: "constant", Args: []Arg{named("c", n)}}
				}
			}
			return Product{Factors: factors}, true, err
		}},
		{Sign: "c * k", Formula: "c·k(x,y)", Samples: []string{"0.25*linear()*cosine()", "2*(3*linear())"},
			print: printScale},
		{Sign: "k ^ p", Formula: "k(x,y)^p", Samples: []string{"(linear()*cosine())^3", "(linear()^2)^2"},
			print: func(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
				power, ok := k.(kernel.PowerOf[any])
				if !ok {
					return nil, false, nil
				}
				e, err := c.expr(power.Kernel)
				return Power{Base: e, Exponent: float64(power.Exponent)}, true, err
			}},
	}
}

func printScale(c Catalogue, k kernel.Kernel[any]) (Expr, bool, error) {
	scale, ok := k.(kernel.ScaleOf[any])
	if !ok {
		return nil, false, nil
	}
	e, err := c.expr(scale.Kernel)
	switch inner := e.(type) {
	case Number:
		e = Call{Name: "constant", Args: []Arg{named("c", inner)}}
	case Product:
		// weight*(a*b) is what a*b with a weight in front parses to
		if _, weighted := inner.Factors[0].(Number); !weighted {
			return Product{Factors: append([]Expr{num(scale.Factor)}, inner.Factors...)}, true, err
		}
	}
	return Product{Factors: []Expr{num(scale.Factor), e}}, true, err
}
