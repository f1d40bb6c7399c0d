package play_test

import (
	"fmt"
	"math"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"github.com/mercer-ml/mercer/stat"
)

// spectral groups points by the ties of near neighbours.
func spectral(x data.Points[kernel.Vec], k kernel.Kernel[kernel.Vec], neighbours int) {
	m, err := cluster.Spectral[kernel.Vec]{Kernel: k, Clusters: 2, Graph: cluster.NeighbourGraph, Neighbours: neighbours,
		Seed: 1}.Fit(ctx, x)
	must(err)
	fmt.Printf("the second eigenvalue is %.6f; the groups are of %d points\n", m.Eigenvalues()[1], sizes(m.Labels()))
}

// sizes counts the points of two groups.
func sizes(labels []int) (n [2]int) {
	for _, l := range labels {
		n[l]++
	}
	return n
}

func Example_segments() {
	x := data.Slice[kernel.Vec]{}
	for i := range 20 { // two lines of ten
		x = append(x, kernel.Vec{float64(i % 10), float64(4*(i/10)) + 0.2*float64(i%10)})
	}
	spectral(x, kernel.Gaussian{Lengthscale: 1}, 2)
	// Output: the second eigenvalue is 1.000000; the groups are of [10 10] points
}

func Example_rings() {
	x, _ := plane("circles", 300, 0.03)
	spectral(x, kernel.Gaussian{Lengthscale: 0.3}, 12)
	// Output: the second eigenvalue is 1.000000; the groups are of [150 150] points
}

func Example_medoids() {
	x, _ := plane("blobs", 150, 1)
	m, err := cluster.KMedoids[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Clusters: 3, Restarts: 1,
		Seed: 1}.Fit(ctx, x)
	must(err)
	fmt.Printf("Σ‖φ(xᵢ) − φ(m)‖² = %.3f after %d swaps\n", m.Cost(), m.Swaps())
	// Output: Σ‖φ(xᵢ) − φ(m)‖² = 62.290 after 12 swaps
}

func Example_components() {
	x, _ := plane("blobs", 150, 1)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 2}, Components: 6}.Fit(ctx, x)
	must(err)
	fmt.Printf("shares of the variance: %.4f\n", m.ExplainedRatio())
	// Output: shares of the variance: [0.2962 0.2863 0.0813 0.0665 0.0562 0.0455]
}

func Example_sheet() {
	x := play.Sheet(100, 1)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2}.Fit(ctx, x)
	must(err)
	share := m.ExplainedRatio()
	fmt.Printf("the plane of the first two components has %.4f of the variance\n", share[0]+share[1])
	// Output: the plane of the first two components has 0.9932 of the variance
}

func Example_flow() {
	x, class := play.Flow(60, 1)
	m, err := project.GPLVM{Iterations: 150}.Fit(ctx, x)
	must(err)
	at, wrong := m.Latent(), 0
	for i := range class { // whose nearest neighbour is of another class?
		near, best := 0, math.Inf(1)
		for j := range class {
			if d := math.Hypot(at.At(i, 0)-at.At(j, 0), at.At(i, 1)-at.At(j, 1)); j != i && d < best {
				near, best = j, d
			}
		}
		if class[near] != class[i] {
			wrong++
		}
	}
	fmt.Printf("%d of 60 rows lie next to one of another class\n", wrong)
	// Output: 4 of 60 rows lie next to one of another class
}

func Example_denoise() {
	x := play.Digits(300, 1)
	m, err := project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 10}, Components: 80}.Fit(ctx, x)
	must(err)
	noisy := append(kernel.Vec(nil), x.At(3)...)
	for i := range noisy {
		noisy[i] += 0.3 * math.Sin(float64(17*i*i)) // noise, the same every time
	}
	clean, err := project.Denoise(ctx, m, project.FixedPoint{Model: m}, data.Slice[kernel.Vec]{noisy})
	must(err)
	far := func(v kernel.Vec) float64 {
		s := 0.0
		for i, p := range x.At(3) {
			s += (v[i] - p) * (v[i] - p)
		}
		return math.Sqrt(s)
	}
	fmt.Printf("from the digit: %.2f with noise, %.2f without\n", far(noisy), far(clean.RawRowView(0)))
	// Output: from the digit: 3.37 with noise, 1.36 without
}

func Example_correlation() {
	p, err := play.Draw("ring", 120, 0.15, 1)
	must(err)
	x, y := data.Slice[kernel.Vec]{}, data.Slice[kernel.Vec]{}
	for i := range p.Len() {
		x, y = append(x, kernel.Vec{p.XY[2*i]}), append(y, kernel.Vec{p.XY[2*i+1]})
	}
	k := kernel.Gaussian{Lengthscale: 0.5}
	m, err := project.CCA{Kappa: 0.02 * 120, Seed: 1}.Fit(ctx, project.NewView[kernel.Vec](k, x),
		project.NewView[kernel.Vec](k, y))
	must(err)
	fmt.Printf("canonical correlation %.4f\n", m.Correlations()[0])
	// Output: canonical correlation 0.5985
}

func Example_twoSample() {
	x, y := plane("shift", 120, 0.6)
	var index [2][]int
	for i, c := range y {
		index[c] = append(index[c], i)
	}
	a, b := data.Gather(x, index[0]), data.Gather(x, index[1])
	k, err := stat.MedianKernel(a, b)
	must(err)
	r, err := stat.MMD[kernel.Vec]{Kernel: k, TestSettings: stat.TestSettings{Permutations: 500, Alpha: 0.05,
		Seed: 1}}.Test(ctx, a, b)
	must(err)
	fmt.Printf("p = %.4f\n", r.P)
	// Output: p = 0.0120
}

func Example_independence() {
	p, err := play.Draw("ring", 120, 0.15, 1)
	must(err)
	x, y := data.Slice[kernel.Vec]{}, data.Slice[kernel.Vec]{}
	for i := range p.Len() {
		x, y = append(x, kernel.Vec{p.XY[2*i]}), append(y, kernel.Vec{p.XY[2*i+1]})
	}
	k, err := stat.MedianKernel(data.Span[kernel.Vec](x, 0, 60), data.Span[kernel.Vec](x, 60, 120))
	must(err)
	l, err := stat.MedianKernel(data.Span[kernel.Vec](y, 0, 60), data.Span[kernel.Vec](y, 60, 120))
	must(err)
	r, err := stat.HSIC[kernel.Vec, kernel.Vec]{KernelX: k, KernelY: l,
		TestSettings: stat.TestSettings{Permutations: 500, Alpha: 0.05, Seed: 1}}.Test(ctx, x, y)
	must(err)
	fmt.Printf("a ring: uncorrelated, and p = %.4f\n", r.P)
	// Output: a ring: uncorrelated, and p = 0.0140
}
