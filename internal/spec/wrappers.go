package spec

import (
	"fmt"

	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

// wrappers are the entries that change the vectors before another kernel sees
// them.
func wrappers() []Entry {
	inner := Parameter{"kernel", "", "the kernel it changes"}
	return []Entry{
		{
			Name: "on", Formula: "k on some of the columns",
			Params:  []Parameter{inner, {"columns", "", "which, counted from 0"}},
			Samples: []string{"on(gaussian(lengthscale=2), columns=[1, 2])"},
			build: func(a *arguments) kernel.Kernel[any] {
				k := a.vectorKernel("kernel")
				var columns []int
				for _, v := range a.list("columns") {
					if v != float64(int(v)) {
						a.fail(a.call.column(), fmt.Sprintf("column %g, want a whole number", v), "")
					}
					columns = append(columns, int(v))
				}
				return kernel.OnVectors(kernel.OnColumns{Kernel: k, Columns: columns})
			},
			args: func(k any) ([]Arg, bool) {
				on, ok := k.(kernel.OnColumns)
				if !ok {
					return nil, false
				}
				columns := make([]float64, len(on.Columns))
				for i, c := range on.Columns {
					columns[i] = float64(c)
				}
				return wrapped(on.Kernel, named("columns", nums(columns)))
			},
		},
		{
			Name: "ard", Formula: "k(x/ℓ, y/ℓ), a length-scale for each column",
			Params:  []Parameter{inner, {"lengthscales", "", "ℓ₁, ℓ₂, …, all > 0; inf leaves a column out"}},
			Samples: []string{"ard(gaussian(lengthscale=2), lengthscales=[1, 2, 3])", "ard(linear(), lengthscales=[1, inf, 3])"},
			build: func(a *arguments) kernel.Kernel[any] {
				return kernel.OnVectors(kernel.ARD{Kernel: a.vectorKernel("kernel"), Lengthscales: a.scales("lengthscales")})
			},
			args: func(k any) ([]Arg, bool) {
				ard, ok := k.(kernel.ARD)
				if !ok {
					return nil, false
				}
				return wrapped(ard.Kernel, named("lengthscales", nums(ard.Lengthscales)))
			},
		},
		{
			Name: "mahalanobis", Formula: "k in the metric (x-y)ᵀΣ⁻¹(x-y)",
			Params:  []Parameter{inner, {"sigma", "", "rows of Σ, symmetric positive definite"}},
			Samples: []string{"mahalanobis(gaussian(lengthscale=1), sigma=[[2, 0.5, 0], [0.5, 1, 0], [0, 0, 1]])"},
			build: func(a *arguments) kernel.Kernel[any] {
				inner, sigma := a.vectorKernel("kernel"), symmetric(a, "sigma")
				if a.err != nil {
					return nil
				}
				k, err := kernel.NewMahalanobis(inner, sigma)
				if err != nil {
					a.fail(a.call.column(), err.Error(), "")
					return nil
				}
				return kernel.OnVectors(k)
			},
			args: func(k any) ([]Arg, bool) {
				m, ok := k.(kernel.Mahalanobis)
				if !ok {
					return nil, false
				}
				return wrapped(m.Kernel, named("sigma", symmetricRows(m.Sigma)))
			},
		},
	}
}

// wrapped prints the inner kernel as the first argument.
func wrapped(inner kernel.Kernel[vec], more Arg) ([]Arg, bool) {
	e, err := Vectors().expr(kernel.OnVectors(inner))
	if err != nil {
		return nil, false
	}
	return []Arg{{Value: e}, more}, true
}

// symmetric reads a symmetric matrix.
func symmetric(a *arguments, name string) *mat.SymDense {
	m := a.matrix(name)
	if a.err != nil {
		return nil
	}
	e, _ := a.get(name)
	if len(m) != len(m[0]) {
		a.fail(e.column(), fmt.Sprintf("%s is %d×%d, want a square matrix", name, len(m), len(m[0])), "")
		return nil
	}
	s := mat.NewSymDense(len(m), nil)
	for i := range m {
		for j := range i + 1 {
			if m[i][j] != m[j][i] {
				a.fail(e.column(), fmt.Sprintf("%s is not symmetric: entry (%d,%d) is %g, (%d,%d) is %g", name, i, j, m[i][j], j, i,
					m[j][i]), "")
				return nil
			}
			s.SetSym(i, j, m[i][j])
		}
	}
	return s
}

func symmetricRows(s *mat.SymDense) Expr {
	n := s.SymmetricDim()
	m := make([][]float64, n)
	for i := range m {
		m[i] = make([]float64, n)
		for j := range m[i] {
			m[i][j] = s.At(i, j)
		}
	}
	return rows(m)
}
