package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	tests "github.com/mercer-ml/mercer/stat"
)

// statTests are the two-sample and independence tests of package stat, beside numpy
// that keeps its Gram matrix and permutes it. Both sides compute the Gram matrix
// too. The permutations are random on both sides, so what must agree is the
// statistic and, within the error of sampling it, the p-value.
func statTests() []Case {
	return []Case{mmdTest(2000, 1000), mmdTestProduct(2000, 1000), hsicTest(2000, 2, 1000), hsicTest(2000, 10, 1000)}
}

const testWidth = 2.0

func shifted(n, d int, seed uint64, shift float64) data.DenseRows {
	x := random(n, d, seed)
	for i := range x.Data {
		x.Data[i] += shift
	}
	return data.RowsOf(x)
}

// agreeTest compares statistic and p-value. The p-values are of independent
// permutations: five standard deviations apart is a failure.
func agreeTest(r *tests.TestResult, theirs Inputs) error {
	v := theirs["result"].Data
	if err := agree("statistic", []float64{r.Statistic}, v[:1], 1e-9); err != nil {
		return err
	}
	p := (r.P + v[1]) / 2
	if d := math.Abs(r.P - v[1]); d > 5*math.Sqrt(2*p*(1-p)/float64(len(r.Draws)))+2/float64(len(r.Draws)) {
		return fmt.Errorf("p-value %g, theirs %g", r.P, v[1])
	}
	return nil
}

func mmdCase(work, peer string, bar float64, n, draws int) Case {
	return Case{Work: work, Bar: bar, Peer: peer, Args: map[string]any{"width": testWidth, "draws": draws},
		Prepare: func() Work {
			x, y := shifted(n, 5, 1, 0), shifted(n, 5, 2, 0.012)
			var r *tests.TestResult
			return Work{
				Inputs: Inputs{"x": array(linalg.Matrix[float64](x.RawMatrix())),
					"y": array(linalg.Matrix[float64](y.RawMatrix()))},
				Run: func() {
					var err error
					t := tests.MMD[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: testWidth},
						TestSettings: tests.TestSettings{Permutations: draws}}
					if r, err = t.Test(context.Background(), x, y); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error { return agreeTest(r, t) },
			}
		}}
}

func mmdTest(n, draws int) Case {
	return mmdCase(fmt.Sprintf("MMD, m=n=%d, %d permutations", n, draws), "mmd", 20, n, draws)
}

// mmdTestProduct is the same against numpy that writes the permutations as a
// matrix product too; no bar was set for it.
func mmdTestProduct(n, draws int) Case {
	return mmdCase(fmt.Sprintf("MMD, m=n=%d, %d permutations, as K·S", n, draws), "mmd_product", 0, n, draws)
}

func hsicTest(n, d, draws int) Case {
	return Case{Work: fmt.Sprintf("HSIC, n=%d, %d-D, %d permutations", n, d, draws), Bar: 20, Peer: "hsic",
		Args: map[string]any{"width": testWidth, "draws": draws}, Prepare: func() Work {
			x, y := shifted(n, d, 1, 0), shifted(n, d, 2, 0)
			for i := range n {
				y.At(i)[0] += 0.03 * x.At(i)[0]
			}
			var r *tests.TestResult
			return Work{
				Inputs: Inputs{"x": array(linalg.Matrix[float64](x.RawMatrix())),
					"y": array(linalg.Matrix[float64](y.RawMatrix()))},
				Run: func() {
					k := kernel.Gaussian{Lengthscale: testWidth}
					var err error
					t := tests.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: k,
						TestSettings: tests.TestSettings{Permutations: draws}}
					if r, err = t.Test(context.Background(), x, y); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error { return agreeTest(r, t) },
			}
		}}
}
