package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/internal/engine/linalg"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
)

// stat is the suite of projections, clustering, tests and densities.
func stat() []Case {
	cases := []Case{
		kernelPCA(4000, "auto", 10), kernelPCA(4000, "randomized", 2.5),
		kernelCCA(500), spectralClustering(1000),
	}
	return append(append(cases, statTests()...), statDensity()...)
}

// mixture draws n points from ten Gaussian clouds in d dimensions.
func mixture(n, d int, seed uint64) linalg.Matrix[float64] {
	rng := rand.New(rand.NewPCG(seed, 0))
	centers := random(10, d, seed+1)
	x := random(n, d, seed+2)
	for i := range n {
		for j, v := range centers.Row(rng.IntN(10)) {
			x.Row(i)[j] += 2 * v
		}
	}
	return x
}

// kernelPCA is ten components of a Gaussian kernel; residuals ≤ 1e-8 of the
// largest eigenvalue are part of the check, on the matrix itself.
func kernelPCA(n int, solver string, bar float64) Case {
	const gamma = 0.02
	return Case{Work: fmt.Sprintf("kernel PCA, 10 components, n=%d", n), Bar: bar, Peer: "kernel_pca",
		Args: map[string]any{"gamma": gamma, "solver": solver}, Prepare: func() Work {
			x := mixture(n, 20, 21)
			p := project.PCA[kernel.Vec]{Kernel: kernel.LIBSVMGamma.Gaussian(gamma), Components: 10}
			var m *project.PCAModel[kernel.Vec]
			return Work{
				Inputs: Inputs{"x": array(x)},
				Run: func() {
					var err error
					if m, err = p.Fit(context.Background(), data.RowsOf(x)); err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					values := m.Variance()
					for i := range values {
						values[i] *= float64(n)
					}
					if solver == "auto" { // the randomized solver is accurate to a few digits only
						if err := agree("eigenvalue", values, t["result"].Data, 1e-9); err != nil {
							return err
						}
					}
					return pcaResiduals(x, gamma, m, 1e-8)
				},
			}
		}}
}

// pcaResiduals checks ‖K̃u − nλu‖ ≤ tol·nλ₁ with a Gram matrix of its own.
func pcaResiduals(x linalg.Matrix[float64], gamma float64, m *project.PCAModel[kernel.Vec], tol float64) error {
	u := linalg.Of(m.Scores())
	values := m.Variance()
	for i := range u.Rows {
		for j := range values {
			u.Row(i)[j] /= math.Sqrt(values[j] * float64(u.Rows))
		}
	}
	ku := linalg.New[float64](u.Rows, u.Cols)
	g, err := gram.Precomputed(linalg.Dense(gaussianGram(x, gamma)), 0)
	if err != nil {
		return err
	}
	centred, err := gram.Center(g)
	if err != nil {
		return err
	}
	centred.MulTo(linalg.Dense(ku), linalg.Dense(u), false)
	for j, v := range values {
		s := 0.0
		for i := range u.Rows {
			r := ku.At(i, j) - v*float64(u.Rows)*u.At(i, j)
			s += r * r
		}
		if r := math.Sqrt(s) / (values[0] * float64(u.Rows)); !(r <= tol) {
			return fmt.Errorf("residual of component %d is %g", j, r)
		}
	}
	return nil
}

// kernelCCA is ten components. kernlab regularises by K(K+γI) without
// centring, we by (K̃+κI)²: the problems are of one size, not one answer, so
// the check is that both see the strong correlation put into the data, and
// that ours solves its own problem.
func kernelCCA(n int) Case {
	return Case{Work: fmt.Sprintf("kernel CCA, 10 components, n=%d", n), Bar: 10, Peer: "kernel_cca",
		Prepare: func() Work {
			x, y := random(n, 5, 31), random(n, 5, 32)
			for i := range y.Data {
				y.Data[i] = x.Data[i] + 0.5*y.Data[i]
			}
			k := kernel.KernlabSigma.Gaussian(0.1)
			var m *project.CCAModel
			return Work{
				Inputs: Inputs{"x": array(x), "y": array(y)},
				Run: func() {
					var err error
					m, err = project.CCA{Components: 10, Kappa: 0.1}.Fit(context.Background(),
						project.NewView[kernel.Vec](k, data.RowsOf(x)), project.NewView[kernel.Vec](k, data.RowsOf(y)))
					if err != nil {
						panic(err)
					}
				},
				Check: func(t Inputs) error {
					for j, r := range m.Report().Residuals {
						if !(r <= 1e-9) {
							return fmt.Errorf("residual of component %d is %g", j, r)
						}
					}
					if ours, theirs := m.Correlations()[0], t["result"].Data[0]; ours < 0.9 || theirs < 0.9 {
						return fmt.Errorf("first correlation %g, theirs %g", ours, theirs)
					}
					return nil
				},
			}
		}}
}

// spectralClustering is two rings, by the same kernel on both sides.
func spectralClustering(n int) Case {
	const sigma = 50 // kernlab's: exp(-σ‖x−y‖²)
	return Case{Work: fmt.Sprintf("spectral clustering, 2 rings, n=%d", n), Bar: 20, Peer: "spectral_clustering",
		Args: map[string]any{"sigma": sigma}, Prepare: func() Work {
			d := data.Circles(n, 0.03, 41)
			x := linalg.New[float64](n, 2)
			for j, c := range d.Features() {
				for i, v := range c.Numbers {
					x.Set(i, j, v)
				}
			}
			target, err := d.Column(d.Target)
			if err != nil {
				panic(err)
			}
			var labels []int
			return Work{
				Inputs: Inputs{"x": array(x)},
				Run: func() {
					m, err := cluster.Spectral[kernel.Vec]{Kernel: kernel.KernlabSigma.Gaussian(sigma),
						Clusters: 2}.Fit(context.Background(), data.RowsOf(x))
					if err != nil {
						panic(err)
					}
					labels = m.Labels()
				},
				Check: func(t Inputs) error {
					theirs := make([]int, n)
					for i, v := range t["result"].Data {
						theirs[i] = int(v)
					}
					r, err := cluster.AdjustedRand(labels, target.Codes)
					if err == nil && r < 0.99 {
						err = fmt.Errorf("rings not solved: adjusted Rand %g", r)
					}
					if s, e := cluster.AdjustedRand(labels, theirs); err == nil && (e != nil || s < 0.9) {
						err = fmt.Errorf("adjusted Rand with kernlab's clusters %g (%v)", s, e)
					}
					return err
				},
			}
		}}
}
