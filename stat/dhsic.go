package stat

import (
	"context"
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/internal/engine/par"
	"github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/kernel"
)

// Variable is one of several variables observed together: n points of any
// type, with a kernel on that type.
type Variable struct {
	n      int
	kernel string
	gram   func(ctx context.Context, o gram.Options) (gram.Accessor, error)
	factor func(ctx context.Context, o gram.LowRankOptions) (*gram.LowRank, error)
}

// NewVariable joins points and their kernel.
func NewVariable[T any](k kernel.Kernel[T], x data.Points[T]) Variable {
	return newVariable(kernel.Erase(k), data.Erase(x))
}

func newVariable(k kernel.Kernel[any], x data.Points[any]) Variable {
	v := Variable{n: length(x)}
	if k == nil {
		missing := fmt.Errorf("no kernel")
		v.gram = func(context.Context, gram.Options) (gram.Accessor, error) { return nil, missing }
		v.factor = func(context.Context, gram.LowRankOptions) (*gram.LowRank, error) { return nil, missing }
		return v
	}
	v.kernel = describeKernel(k)
	v.gram = func(ctx context.Context, o gram.Options) (gram.Accessor, error) {
		return gram.New(ctx, k, x, o)
	}
	v.factor = func(ctx context.Context, o gram.LowRankOptions) (*gram.LowRank, error) {
		if err := kernel.Check(k, x); err != nil {
			return nil, err
		}
		a, err := gram.IncompleteCholesky(ctx, k, x, o)
		if err != nil {
			return nil, err
		}
		return a.LowRank, nil
	}
	return v
}

// checkVariables refuses variables that were not observed together.
func checkVariables(test string, vars []Variable, least int) error {
	if len(vars) < 2 {
		return fault.Errorf("stat", "%s: %d variables; want at least 2", test, len(vars))
	}
	for j, v := range vars {
		if v.gram == nil {
			return fault.Errorf("stat", "%s: variable %d is empty; make it with NewVariable", test, j)
		}
		if v.n != vars[0].n {
			return fault.Errorf("stat", "%s: variable 0 has %d points but variable %d has %d", test, vars[0].n, j, v.n)
		}
	}
	if vars[0].n < least {
		return fault.Errorf("stat", "%s: %d points; want at least %d", test, vars[0].n, least)
	}
	return nil
}

func kernelsOf(vars []Variable) []string {
	names := make([]string, len(vars))
	for i, v := range vars {
		names[i] = v.kernel
	}
	return names
}

// DHSIC tests whether several variables are jointly independent: the squared
// distance between the embedding of their joint distribution and that of the
// product of all margins, in the tensor product of their spaces
// (N. Pfister, P. Bühlmann, B. Schölkopf and J. Peters, Kernel-based tests for
// joint independence, JRSS B 80, 2018),
//
//	dHSIC = n⁻² Σᵢⱼ Π_d Kᵈᵢⱼ + Π_d n⁻² Σᵢⱼ Kᵈᵢⱼ − 2n⁻¹ Σᵢ Π_d n⁻¹ Σⱼ Kᵈᵢⱼ.
//
// For two variables it is the biased HSIC. Pairwise independence is not
// enough for it to vanish. The null is by permutation: all variables but the
// first are shuffled, each by itself.
type DHSIC struct{ TestSettings }

// Test looks for any dependence among the variables.
func (t DHSIC) Test(ctx context.Context, vars ...Variable) (*TestResult, error) {
	s, err := t.resolve("dHSIC", NullPermutation)
	if err != nil {
		return nil, err
	}
	if err := checkVariables("dHSIC", vars, 2); err != nil {
		return nil, err
	}
	e, err := newTensor(ctx, vars, s)
	if err != nil {
		return nil, err
	}
	r := &TestResult{Test: fmt.Sprintf("joint independence test of %d variables", len(vars)), Measure: "dHSIC",
		Sizes: []int{e.n}, Kernels: kernelsOf(vars)}
	perms := make([][]int32, len(vars))
	for d := range perms {
		perms[d] = make([]int32, e.n)
		for i := range perms[d] {
			perms[d][i] = int32(i)
		}
	}
	r.Statistic = e.statistic(perms, make([]float64, e.n))
	draws := make([]float64, s.Permutations)
	err = s.inBatches(ctx, func(lo, hi int) error {
		par.For(s.Threads, hi-lo, 1, func(from, to int) {
			own, row := make([][]int32, len(vars)), make([]float64, e.n)
			own[0] = perms[0]
			for d := 1; d < len(own); d++ {
				own[d] = make([]int32, e.n)
			}
			for b := lo + from; b < lo+to && ctx.Err() == nil; b++ {
				rng := s.stream(drawPermutation, b)
				for _, p := range own[1:] {
					permutation(p, rng)
				}
				draws[b] = e.statistic(own, row)
			}
		})
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	return r, r.sampled(s, draws, 1e-14*e.large)
}

// tensor is the Gram matrices of all variables with their row means.
type tensor struct {
	n     int
	k     []linalg.Matrix[float64]
	means [][]float64
	prod  float64 // Π_d of the overall means
	large float64 // Π_d of the largest diagonal entries, which bounds the terms
}

func newTensor(ctx context.Context, vars []Variable, s TestSettings) (*tensor, error) {
	e := &tensor{n: vars[0].n, prod: 1, large: 1}
	for d, v := range vars {
		g, err := v.gram(ctx, gram.Options{Bytes: s.Bytes, Threads: s.Threads, Layout: gram.Full})
		if err != nil {
			return nil, fault.Errorf("stat", "dHSIC: variable %d: %w", d, err)
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := linalg.Matrix[float64](g.(gram.Dense).RawMatrix())
		mean, all, top := make([]float64, e.n), 0.0, 0.0
		for i := range mean {
			for _, v := range k.Row(i) {
				mean[i] += v
			}
			mean[i] /= float64(e.n)
			all += mean[i] / float64(e.n)
			top = math.Max(top, math.Abs(k.At(i, i)))
		}
		e.k, e.means = append(e.k, k), append(e.means, mean)
		e.prod *= all
		e.large *= top
	}
	return e, nil
}

// statistic is dHSIC with variable d in the order perms[d], the first as it
// is. Half of the products are enough.
func (e *tensor) statistic(perms [][]int32, row []float64) float64 {
	joint, cross := 0.0, 0.0
	for i := range e.n {
		part := row[:i+1]
		copy(part, e.k[0].Row(i))
		c := e.means[0][i]
		for d := 1; d < len(e.k); d++ {
			at := int(perms[d][i])
			other := e.k[d].Row(at)
			for j, pj := range perms[d][:i+1] {
				part[j] *= other[pj]
			}
			c *= e.means[d][at]
		}
		sum := 0.0
		for _, v := range part[:i] {
			sum += v
		}
		joint += 2*sum + part[i]
		cross += c
	}
	n := float64(e.n)
	return joint/(n*n) + e.prod - 2*cross/n
}
