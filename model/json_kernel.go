package model

import "github.com/mercer-ml/mercer/internal/spec"

// jsonKernel is the kernel as a tree: {"kernel": name} with its parameters by name and the kernels
// that it is made of under "of"; {"sum": […]}, {"product": […]}, {"constant": number}, {"power":
// number, "of": […]}.
func jsonKernel(r record) (any, error) {
	if r.domain == domainPrecomputed {
		return map[string]any{"kernel": "precomputed"}, nil
	}
	e, err := spec.Parse(r.kernel)
	if err != nil {
		return nil, err
	}
	return kernelTree(e), nil
}

func kernelTree(e spec.Expr) any {
	switch e := e.(type) {
	case spec.Number:
		return map[string]any{"constant": number(e.Value)}
	case spec.Sum:
		return map[string]any{"sum": kernelTrees(e.Terms)}
	case spec.Product:
		return map[string]any{"product": kernelTrees(e.Factors)}
	case spec.Power:
		return map[string]any{"power": number(e.Exponent), "of": []any{kernelTree(e.Base)}}
	case spec.Call:
		node := map[string]any{"kernel": e.Name}
		var of []any
		for _, a := range e.Args {
			if a.Name == "" {
				of = append(of, kernelArgument(a.Value))
			} else {
				node[a.Name] = kernelArgument(a.Value)
			}
		}
		if of != nil {
			node["of"] = of
		}
		return node
	}
	return spec.Format(e)
}

func kernelTrees(parts []spec.Expr) []any {
	out := make([]any, len(parts))
	for i, p := range parts {
		out[i] = kernelTree(p)
	}
	return out
}

// kernelArgument is a number, a text, a list or a kernel.
func kernelArgument(e spec.Expr) any {
	switch e := e.(type) {
	case spec.Number:
		return number(e.Value)
	case spec.Text:
		return e.Value
	case spec.List:
		out := make([]any, len(e.Items))
		for i, item := range e.Items {
			out[i] = kernelArgument(item)
		}
		return out
	case spec.Call:
		if e.Bare {
			return e.Name
		}
	}
	return kernelTree(e)
}
