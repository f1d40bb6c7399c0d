package main

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/engine/simd"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

type vectorKernel = kernel.Kernel[kernel.Vec]

// kernels is the suite of packages kernel, gram and rkhs.
func kernels() []Case {
	gaussian, matern, rq := kernel.Gaussian{Lengthscale: 10}, kernel.Matern{Nu: 2.5, Lengthscale: 10},
		kernel.RationalQuadratic{Lengthscale: 10}
	return []Case{
		gramMatrix("Gaussian", gaussian, "gaussian"),
		gramMatrix("Matérn-5/2", matern, "matern52"),
		sumOfThree("gaussian + matern52 + rq", gaussian, matern, rq),
		sumOfThree("gaussian + matern52 + linear", gaussian, matern, kernel.Linear{}),
		matrixFree(100_000, 20),
		evaluate(5000, 100_000, 20),
	}
}

func gramMatrix(name string, k vectorKernel, peer string) Case {
	return Case{Work: name + " Gram matrix, 8000 × 100", Bar: 3, Peer: peer, Args: map[string]any{"lengthscale": 10.0},
		Prepare: func() Work {
			x := random(8000, 100, 21)
			var out *mat.Dense
			return Work{
				Inputs: Inputs{"x": array(x)},
				Run: func() {
					out = linalg.Dense(linalg.New[float64](x.Rows, x.Rows))
					kernel.Block(context.Background(), k, out, data.RowsOf(x), data.RowsOf(x))
				},
				Check: func(t Inputs) error {
					var ours []float64
					for i := 0; i < x.Rows; i += 97 {
						for j := 0; j < x.Rows; j += 89 {
							ours = append(ours, out.At(i, j))
						}
					}
					return agree("Gram", ours, t["result"].Data, 1e-12)
				},
			}
		}}
}

// sumOfThree compares a sum with the dearest of its parts: the ratio is theirs
// (the part) over ours (the sum), so 1/1.6 is the bar.
func sumOfThree(name string, parts ...vectorKernel) Case {
	x := random(8000, 100, 22)
	out := linalg.Dense(linalg.New[float64](x.Rows, x.Rows))
	fill := func(k vectorKernel) { kernel.Block(context.Background(), k, out, data.RowsOf(x), data.RowsOf(x)) }
	dearest := 0
	return Case{Work: "Gram of " + name + " beside its dearest part", Bar: 1 / 1.6, Yardstick: true,
		Go: GoPeer{Name: "its dearest part", Run: func(Inputs) { fill(parts[dearest]) }},
		Prepare: func() Work {
			best := 0.0
			for i, k := range parts {
				if s := seconds(3, func() { fill(k) }); s > best {
					best, dearest = s, i
				}
			}
			return Work{Run: func() { fill(kernel.Sum(parts...)) }, Check: func(Inputs) error {
				sum := kernel.Sum(parts...)
				fill(sum)
				a, b := data.RowsOf(x).At(17), data.RowsOf(x).At(4711)
				return agree("entry", []float64{out.At(17, 4711)}, []float64{sum.Eval(a, b)}, 1e-12)
			}}
		}}
}

// matrixFree is K·v without K, in float32, beside the least that its kernel
// values cost by the routines of the engine: a matrix product of the points and
// an exponential, nothing else done with the entries. K is symmetric, so the
// strictest such roofline is over the tiles on and below the diagonal.
func matrixFree(n, d int) Case {
	x := random(n, d, 23)
	single := single(x)
	roofline := GoPeer{Name: "GEMM + exp of the lower triangle", Run: func(Inputs) {
		const tile = 512
		par.For(0, (n+tile-1)/tile, 1, func(block, _ int) {
			k := linalg.New[float32](tile, tile)
			i0, i1 := block*tile, min((block+1)*tile, n)
			for j0 := 0; j0 < i1; j0 += tile {
				j1 := min(j0+tile, n)
				linalg.GemmFunc(1, linalg.Full, linalg.NoTrans, linalg.Trans, 1, single.Slice(i0, i1, 0, d),
					single.Slice(j0, j1, 0, d), 0, k.Slice(0, i1-i0, 0, j1-j0),
					func(t linalg.Matrix[float32], _, _ int) {
						for i := range t.Rows {
							simd.ScaleExp32(t.Row(i), t.Row(i), -0.01)
						}
					})
			}
		})
	}}
	return Case{Work: fmt.Sprintf("matrix-free K·v, n=%d, d=%d, float32", n, d), Bar: 1 / 1.3, Yardstick: true,
		Go: roofline, Prepare: func() Work {
			k := kernel.Gaussian{Lengthscale: 4}
			g, err := gram.New[kernel.Vec](context.Background(), k, data.RowsOf(x),
				gram.Options{Layout: gram.Lazy, Precision: gram.Single})
			if err != nil {
				panic(err)
			}
			v, out := linalg.Dense(random(n, 1, 24)), mat.NewDense(n, 1, nil)
			return Work{Run: func() { g.MulTo(out, v, false) }, Check: func(Inputs) error {
				for _, i := range []int{0, n / 2, n - 1} {
					want, size := 0.0, 0.0
					for j := range n {
						term := k.Eval(x.Row(i), x.Row(j)) * v.At(j, 0)
						want, size = want+term, size+math.Abs(term)
					}
					if e := math.Abs(out.At(i, 0)-want) / size; !(e < 1e-5) {
						return fmt.Errorf("entry %d is off by %g", i, e)
					}
				}
				return nil
			}}
		}}
}

func evaluate(centres, points, d int) Case {
	work := fmt.Sprintf("rkhs.Func, %d centres at %d points, d=%d", centres, points, d)
	return Case{Work: work, Bar: 10, Peer: "predict", Args: map[string]any{"lengthscale": 4.0}, Prepare: func() Work {
		c, x, alpha := random(centres, d, 25), random(points, d, 26), random(centres, 1, 27)
		f := &rkhs.Func[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 4}, Centers: data.RowsOf(c),
			Coef: linalg.Dense(alpha)}
		out := mat.NewDense(points, 1, nil)
		return Work{
			Inputs: Inputs{"c": array(c), "x": array(x), "alpha": array(alpha)},
			Run:    func() { f.EvaluateTo(context.Background(), out, data.RowsOf(x)) },
			Check:  func(t Inputs) error { return agree("value", out.RawMatrix().Data, t["result"].Data, 1e-11) },
		}
	}}
}
