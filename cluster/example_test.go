package cluster_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

var points = data.Slice[[]float64]{{0, 0}, {0.2, 0.1}, {0.1, -0.1}, {3, 3}, {3.1, 2.9}, {2.8, 3.2}}

func ExampleKMedoids() {
	m, err := cluster.KMedoids[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 2}.Fit(context.Background(), points)
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Labels(), "medoids", m.Medoids())
	// Output: [0 0 0 1 1 1] medoids [0 3]
}

func ExampleKMeans() {
	m, err := cluster.KMeans[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Clusters: 2}.Fit(context.Background(),
		points)
	if err != nil {
		panic(err)
	}
	next, err := m.Assign(context.Background(), data.Slice[[]float64]{{2.5, 2.5}})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Labels(), "new point in", next[0])
	// Output: [0 0 0 1 1 1] new point in 1
}

func ExampleSpectral() {
	m, err := cluster.Spectral[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Clusters: 2}.Fit(context.Background(),
		points)
	if err != nil {
		panic(err)
	}
	_, mean, err := cluster.Silhouette[kernel.Vec](context.Background(), kernel.Linear{}, points, m.Labels(), 0)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, mean silhouette %.2f\n", m.Labels(), mean)
	// Output: [0 0 0 1 1 1], mean silhouette 0.94
}

func ExampleAdjustedRand() {
	r, err := cluster.AdjustedRand([]int{0, 0, 1, 1}, []string{"b", "b", "a", "a"})
	if err != nil {
		panic(err)
	}
	fmt.Println(r)
	// Output: 1
}
