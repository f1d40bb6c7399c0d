package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

// evidenceSearch is a search by marginal likelihood: a variance, a
// length-scale for each column and the noise, both sides from variance and lengths 1,
// each with its own optimiser, until it says it is done. Ours must end as high as
// theirs; it fits a constant mean too, which a centred target leaves near nothing to gain by.
func evidenceSearch(n, d int) Case {
	return Case{Work: fmt.Sprintf("GP with ARD by marginal likelihood, n=%d d=%d", n, d), Bar: 5, Peer: "evidence_search",
		Prepare: func() Work {
			x, y := regression(n, d)
			mean, _ := meanSE(y)
			for i := range y {
				y[i] -= mean
			}
			lengths := make([]float64, d)
			for i := range lengths {
				lengths[i] = 1
			}
			s := tune.Search{
				Problem: learn.Problem[kernel.Vec]{Points: data.RowsOf(x), Task: data.Regression, Y: y}.Erase(),
				Candidates: []tune.Candidate{{Learner: "gp",
					Kernel: kernel.Erase(kernel.Scale[kernel.Vec](1, kernel.ARD{Kernel: kernel.Gaussian{}, Lengthscales: lengths}))}},
				Protocol: tune.Protocol{Evidence: true},
			}
			var result *tune.Result
			return Work{
				Inputs: Inputs{"x": array(x), "y": vector(y)},
				Run: func() {
					var err error
					if result, err = s.Run(context.Background()); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					theirs := t["result"].Data[0]
					if got := result.Best.Mean; math.IsNaN(got) || got < theirs-0.1 {
						return fmt.Errorf("log marginal likelihood %.6g, theirs %.6g", got, theirs)
					}
					return nil
				},
			}
		}}
}
