package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/nystrom"
	"github.com/mercer-ml/mercer/learn/ridge"
	"gonum.org/v1/gonum/mat"
)

// large is the suite of many rows and few centres. SHRINK=k in the environment divides the rows by
// k, to try it out.
func large() []Case {
	shrink := shrunk()
	return []Case{
		nystromRidge(200_000/shrink, 50, 1000),
		pairProduct(1_000_000/shrink, 28, 2000, false),
		pairProduct(1_000_000/shrink, 28, 2000, true),
		falkonFit(500_000/shrink, 28, 2000, 20),
		fullRidge(50_000/shrink, 10, ridge.CG),
		fullRidge(50_000/shrink, 10, ridge.ASkotch),
		sgprFit(50_000/shrink, 10, 500/min(shrink, 10), 100/min(shrink, 10)),
	}
}

// shrunk is what the numbers of rows are divided by.
func shrunk() int {
	if k, err := strconv.Atoi(os.Getenv("SHRINK")); err == nil && k > 0 {
		return k
	}
	return 1
}

// held is the rows of a problem, of which some are kept to judge by.
type held struct {
	x, test   linalg.Matrix[float64]
	y, answer []float64
}

func heldOut(n, d, test int) held {
	x, y := regression(n+test, d)
	return held{x.Slice(0, n, 0, d), x.Slice(n, n+test, 0, d), y[:n], y[n:]}
}

func (h held) inputs() Inputs {
	return Inputs{"x": array(h.x), "y": vector(h.y), "test": array(h.test)}
}

// error is the root mean square error of predictions.
func (h held) error(p []float64) float64 {
	s := 0.0
	for i, v := range p {
		s += (v - h.answer[i]) * (v - h.answer[i])
	}
	return math.Sqrt(s / float64(len(p)))
}

// asGood compares the errors of both sides, which have drawn other centres.
func (h held) asGood(ours, theirs []float64, share float64) error {
	if a, b := h.error(ours), h.error(theirs); !(a <= b*(1+share)) {
		return fmt.Errorf("error %g, theirs %g", a, b)
	}
	return nil
}

// fitCase is a regression on centres beside a peer of the same size.
func fitCase(
	work, peer string, bar float64, args map[string]any, h func() held, r nystrom.Regression[kernel.Vec],
) Case {
	return Case{Work: work, Bar: bar, Peer: peer, Args: args, Prepare: func() Work {
		h := h()
		var values []float64
		return Work{Inputs: h.inputs(), Note: "fit and predictions of 2000 rows",
			Run: func() {
				m, err := r.Fit(context.Background(), data.RowsOf(h.x), h.y)
				if err != nil {
					panic(err)
				}
				if values, err = m.Predict(context.Background(), data.RowsOf(h.test)); err != nil {
					panic(err)
				}
			},
			Check: func(t Inputs) error { return h.asGood(values, t["result"].Data, 0.002) },
		}
	}}
}

// nystromRidge is ridge regression on centres; the peer maps all rows to features and solves for
// their weights.
func nystromRidge(n, d, m int) Case {
	gamma, alpha := 1/float64(2*d), 1.0
	return fitCase(fmt.Sprintf("Nyström ridge n=%d d=%d M=%d", n, d, m), "nystroem", 6,
		map[string]any{"gamma": gamma, "alpha": alpha, "centers": m},
		func() held { return heldOut(n, d, 2000) },
		nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))}, Lambda: alpha,
			Intercept: true,
			Options:   nystrom.Options{Centers: m, Solver: nystrom.Falkon, Precision: gram.Single, Tol: 1e-3, Sketch: 16 * m}})
}

// falkonFit is FALKON with a number of iterations.
func falkonFit(n, d, m, steps int) Case {
	gamma, lambda := 1/float64(2*d), 1e-6
	return fitCase(fmt.Sprintf("FALKON n=%d d=%d M=%d, %d iterations", n, d, m, steps), "falkon", 3,
		map[string]any{"gamma": gamma, "lam": lambda, "centers": m, "steps": steps},
		func() held { return heldOut(n, d, 2000) },
		nystrom.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))}, Lambda: lambda,
			PerPoint: true,
			Options:  nystrom.Options{Centers: m, Solver: nystrom.Falkon, Precision: gram.Single, MaxIterations: steps}})
}

// pairProduct is Kᵀ(Kv) in single precision: beside NumPy, or beside this machine's own matrix
// product and exponentials of as many values.
func pairProduct(n, d, m int, machine bool) Case {
	gamma := 1 / float64(2*d)
	c := Case{Work: fmt.Sprintf("pair product n=%d d=%d M=%d, float32", n, d, m), Bar: 4, Peer: "pair",
		Args: map[string]any{"gamma": gamma}}
	if machine {
		c.Work, c.Bar, c.Peer, c.Yardstick = c.Work+", against GEMM + exp", 1/1.3, "", true
		c.Go = GoPeer{Name: "own SGEMM + exp", Run: func(in Inputs) { gemmAndExp(in, gamma) }}
	}
	c.Prepare = func() Work {
		x, v := random(n, d, 5), random(m, 1, 6)
		centers := x.Slice(0, m, 0, d)
		p, err := gram.NewPair[kernel.Vec](kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))},
			data.NewInMemory[kernel.Vec](data.RowsOf(x), nil, 0, nil),
			data.RowsOf(centers), gram.PairOptions{Precision: gram.Single})
		if err != nil {
			panic(err)
		}
		out := mat.NewDense(m, 1, nil)
		return Work{Inputs: Inputs{"x": array(x), "centers": array(centers.Clone()), "v": array(v)},
			Run: func() {
				if err := p.MulTo(context.Background(), out, linalg.Dense(v), gram.Copy[kernel.Vec]); err != nil {
					panic(err)
				}
			},
			Check: func(t Inputs) error {
				if machine {
					return nil
				}
				return agree("product", linalg.Of(out).Data, t["result"].Data, 1e-4)
			},
		}
	}
	return c
}

// gemmAndExp multiplies all rows with all centres and raises the products, block by block: what a
// pair product cannot do without.
func gemmAndExp(in Inputs, gamma float64) {
	const block = 4096
	x, c := in["x"], in["centers"]
	centers := single(linalg.Matrix[float64]{Rows: c.Rows, Cols: c.Cols, Stride: c.Cols, Data: c.Data})
	rows, tile := linalg.New[float32](block, x.Cols), linalg.New[float32](block, c.Rows)
	for lo := 0; lo < x.Rows; lo += block {
		n := min(block, x.Rows-lo)
		for i, v := range x.Data[lo*x.Cols : (lo+n)*x.Cols] {
			rows.Data[i] = float32(v)
		}
		linalg.GemmFunc(0, linalg.Full, linalg.NoTrans, linalg.Trans, 1, rows.Slice(0, n, 0, x.Cols), centers, 0,
			tile.Slice(0, n, 0, c.Rows), func(t linalg.Matrix[float32], _, _ int) {
				for i := range t.Rows {
					simd.ScaleExp32(t.Row(i), t.Row(i), float32(-gamma))
				}
			})
	}
}
