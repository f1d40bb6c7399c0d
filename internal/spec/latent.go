package spec

import (
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

// latentKernels are of probability models with a continuous cause. Seeger's covariance kernel of
// such a model is normalize of it: Q(x, y)/√(Q(x, x)·Q(y, y)).
func latentKernels() []Entry {
	return []Entry{
		leaf("factorlatent", "∫ N(x; Wz+μ, Ψ)·N(y; Wz+μ, Ψ)·N(z; 0, I) dz; normalize(…) is Seeger's covariance kernel",
			[]Parameter{{"loadings", "", "W, a row for each column of the table"}, {"noise", "", "the diagonal of Ψ, all > 0"},
				{"mean", "[]", "μ; [] means 0"}},
			func(a *arguments) (none prob.FactorLatent) {
				rows, noise := a.matrix("loadings"), a.list("noise")
				mean := make([]float64, len(rows))
				if _, given := a.get("mean"); given {
					if m := a.list("mean"); len(m) > 0 {
						mean = m
					}
				}
				if a.err != nil {
					return none
				}
				if len(rows[0]) == 0 {
					a.fail(a.call.column(), "loadings has rows without numbers", "give a number for each factor")
					return none
				}
				w := mat.NewDense(len(rows), len(rows[0]), nil)
				for i, row := range rows {
					w.SetRow(i, row)
				}
				return prob.FactorLatent{Loadings: w, Mean: mean, Noise: noise}
			},
			latentArgs).shown(Anywhere, "factorlatent(loadings=[[1, 0], [0.5, 1], [-0.5, 2]], noise=[1, 2, 1.5])",
			"normalize(factorlatent(loadings=[[1], [0.5], [0]], noise=[1, 1, 1], mean=[0.5, -1, 0]))"),
	}
}

// latentArgs prints the matrix and the lists; a mean of zeros is left out.
func latentArgs(own prob.FactorLatent) []Arg {
	n, _ := own.Loadings.Dims()
	loadings := make([][]float64, n)
	for i := range loadings {
		loadings[i] = mat.Row(nil, i, own.Loadings)
	}
	args := []Arg{named("loadings", rows(loadings)), named("noise", nums(own.Noise))}
	for _, v := range own.Mean {
		if v != 0 {
			return append(args, named("mean", nums(own.Mean)))
		}
	}
	return args
}
