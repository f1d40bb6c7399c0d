package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"gonum.org/v1/gonum/mat"
)

// engine is the suite of the ground floor: internal/engine/simd and internal/engine/linalg.
func engine() []Case {
	var cases []Case
	for _, n := range []int{1000, 2000, 4000} {
		cases = append(cases, dgemm(n, n, n), sgemm(n, n, n))
	}
	cases = append(cases, dgemm(8000, 100, 8000), sgemm(8000, 100, 8000))
	for _, n := range []int{2000, 4000, 8000} {
		cases = append(cases, cholesky(n))
	}
	for _, n := range []int{1000, 2000, 4000} {
		cases = append(cases, symEigen(n))
	}
	cases = append(cases, topEigen(4000))
	cases = append(cases, symEigenGonum(1000), vectorExp(10_000_000), gaussianPairs(8000, 100))
	return append(cases, sparse()...)
}

func random(rows, cols int, seed uint64) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 0))
	m := linalg.New[float64](rows, cols)
	for i := range m.Data {
		m.Data[i] = rng.NormFloat64()
	}
	return m
}

func array(m linalg.Matrix[float64]) Array { return Array{Rows: m.Rows, Cols: m.Cols, Data: m.Data} }

func single(m linalg.Matrix[float64]) linalg.Matrix[float32] {
	s := linalg.New[float32](m.Rows, m.Cols)
	for i, v := range m.Data {
		s.Data[i] = float32(v)
	}
	return s
}

// gaussianGram is the Gram matrix of n random points, as plainly as can be.
func gaussianGram(x linalg.Matrix[float64], gamma float64) linalg.Matrix[float64] {
	n := x.Rows
	k := linalg.New[float64](n, n)
	linalg.Gemm(0, linalg.NoTrans, linalg.Trans, 1, x, x, 0, k)
	sq := make([]float64, n)
	for i := range sq {
		sq[i] = k.At(i, i)
	}
	for i := range n {
		row := k.Row(i)
		for j := range row {
			row[j] = math.Exp(-gamma * max(0, sq[i]+sq[j]-2*row[j]))
		}
		row[i] = 1
	}
	return k
}

// agree fails where two arrays differ by more than tol relative to the largest
// entry of theirs.
func agree(what string, ours, theirs []float64, tol float64) error {
	if len(ours) != len(theirs) {
		return fmt.Errorf("%s: %d values, theirs %d", what, len(ours), len(theirs))
	}
	scale := 0.0
	for _, v := range theirs {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range ours {
		if !(math.Abs(v-theirs[i]) <= tol*scale) {
			return fmt.Errorf("%s[%d] = %g, theirs %g", what, i, v, theirs[i])
		}
	}
	return nil
}

func dgemm(m, k, n int) Case {
	return Case{Work: fmt.Sprintf("DGEMM %d×%d · %d×%d", m, k, k, n), Bar: 0.95, Peer: "gemm", Prepare: func() Work {
		a, b, c := random(m, k, 1), random(k, n, 2), linalg.New[float64](m, n)
		return Work{
			Inputs: Inputs{"a": array(a), "b": array(b)},
			Run:    func() { linalg.Gemm(0, linalg.NoTrans, linalg.NoTrans, 1, a, b, 0, c) },
			Check:  func(t Inputs) error { return agree("product", c.Data, t["result"].Data, 1e-13) },
		}
	}}
}

func sgemm(m, k, n int) Case {
	return Case{Work: fmt.Sprintf("SGEMM %d×%d · %d×%d", m, k, k, n), Bar: 0.95, Peer: "gemm", Prepare: func() Work {
		a, b, c := single(random(m, k, 1)), single(random(k, n, 2)), linalg.New[float32](m, n)
		return Work{
			Inputs: Inputs{"a": {Rows: m, Cols: k, Single: a.Data}, "b": {Rows: k, Cols: n, Single: b.Data}},
			Run:    func() { linalg.Gemm(0, linalg.NoTrans, linalg.NoTrans, 1, a, b, 0, c) },
			Check: func(t Inputs) error {
				ours := make([]float64, len(c.Data))
				for i, v := range c.Data {
					ours[i] = float64(v)
				}
				return agree("product", ours, t["result"].Data, 1e-5)
			},
		}
	}}
}

// positive is a well-conditioned positive definite matrix.
func positive(n int) linalg.Matrix[float64] {
	x := random(n, n, 3)
	a := linalg.New[float64](n, n)
	linalg.Gemm(0, linalg.NoTrans, linalg.Trans, 1, x, x, 0, a)
	for i := range n {
		a.Row(i)[i] += float64(n)
	}
	return a
}

func cholesky(n int) Case {
	return Case{Work: fmt.Sprintf("Cholesky n=%d", n), Bar: 0.95, Peer: "cholesky", Prepare: func() Work {
		a := positive(n)
		work := a.Clone()
		var det float64
		return Work{
			Inputs: Inputs{"a": array(a)},
			Run: func() {
				// like the peer, the copy of the input is part of the work
				work.CopyFrom(a)
				c, err := linalg.NewCholesky(0, work)
				if err != nil {
					panic(err)
				}
				det = c.LogDet()
			},
			Check: func(t Inputs) error { return agree("log-determinant", []float64{det}, t["result"].Data, 1e-12) },
		}
	}}
}

func symEigen(n int) Case {
	return Case{Work: fmt.Sprintf("symmetric eigen, all pairs, n=%d", n), Bar: 0.8, Peer: "eigh", Prepare: func() Work {
		a, run, check := eigenWork(n)
		return Work{Inputs: Inputs{"a": array(a)}, Run: run, Check: check}
	}}
}

func symEigenGonum(n int) Case {
	peer := GoPeer{Name: "gonum EigenSym", Run: func(in Inputs) {
		var e mat.EigenSym
		e.Factorize(mat.NewSymDense(n, in["a"].Data), true)
	}}
	return Case{Work: fmt.Sprintf("symmetric eigen, all pairs, n=%d", n), Bar: 10, Go: peer, Prepare: func() Work {
		a, run, _ := eigenWork(n)
		return Work{Inputs: Inputs{"a": array(a)}, Run: run}
	}}
}

func eigenWork(n int) (a linalg.Matrix[float64], run func(), check func(Inputs) error) {
	a = random(n, n, 4)
	for i := range n {
		for j := range i {
			a.Set(j, i, a.At(i, j))
		}
	}
	work := a.Clone()
	var values []float64
	var vectors linalg.Matrix[float64]
	run = func() {
		work.CopyFrom(a)
		var err error
		if values, vectors, err = linalg.SymEigen(0, work); err != nil {
			panic(err)
		}
	}
	check = func(t Inputs) error {
		if err := agree("eigenvalue", values, t["result"].Data, 1e-12); err != nil {
			return err
		}
		av := linalg.New[float64](n, n)
		linalg.Gemm(0, linalg.NoTrans, linalg.NoTrans, 1, a, vectors, 0, av)
		vl := vectors.Clone()
		for i := range n {
			for j, l := range values {
				vl.Row(i)[j] *= l
			}
		}
		return agree("A·V - V·Λ", av.Data, vl.Data, 1e-11)
	}
	return a, run, check
}

// topEigen runs with the default options, but for the tolerance that both sides are given.
func topEigen(n int) Case {
	return Case{Work: fmt.Sprintf("top 10 eigenpairs, Gaussian Gram n=%d", n), Bar: 3, Peer: "eigsh",
		Prepare: func() Work {
			a := gaussianGram(random(n, 10, 5), 1.0/18)
			var e *linalg.Eigs
			return Work{
				Inputs: Inputs{"a": array(a)},
				Run: func() {
					var err error
					if e, err = linalg.TopK(context.Background(), linalg.DenseOp{A: a}, 10,
						linalg.TopKOptions{Tolerance: 1e-8}); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					v := t["vectors"]
					theirs := linalg.Matrix[float64]{Rows: v.Rows, Cols: v.Cols, Data: v.Data, Stride: v.Cols}
					for who, side := range map[string]linalg.Eigs{"ours": *e, "theirs": {Values: t["values"].Data, Vectors: theirs}} {
						if r := eigenResidual(a, side.Values, side.Vectors); !(r <= 1e-8*side.Values[0]) {
							return fmt.Errorf("%s: residual %g", who, r)
						}
					}
					return agree("eigenvalue", e.Values, t["values"].Data, 1e-10)
				},
			}
		}}
}

// eigenResidual is the largest ‖A·v - λ·v‖ of the pairs.
func eigenResidual(a linalg.Matrix[float64], values []float64, vectors linalg.Matrix[float64]) float64 {
	av := linalg.New[float64](a.Rows, vectors.Cols)
	linalg.Gemm(0, linalg.NoTrans, linalg.NoTrans, 1, a, vectors, 0, av)
	worst := 0.0
	for j, l := range values {
		s := 0.0
		for i := range a.Rows {
			r := av.At(i, j) - l*vectors.At(i, j)
			s += r * r
		}
		worst = max(worst, math.Sqrt(s))
	}
	return worst
}
