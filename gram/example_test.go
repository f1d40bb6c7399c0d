package gram_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var (
	k kernel.Kernel[kernel.Vec] = kernel.Gaussian{Lengthscale: 1}
	x                           = data.Rows(mat.NewDense(4, 1, []float64{0, 1, 2, 3}))
)

func ExampleNew() {
	g, err := gram.New(context.Background(), k, x, gram.Options{Bytes: 1 << 20})
	if err != nil {
		panic(err)
	}
	fmt.Println(g.Describe())
	col := make([]float64, 4)
	g.Column(col, 0)
	fmt.Printf("%.4f\n", col)
	// Output:
	// full float64, 4×4: needs 128 B of a budget of 1 MiB
	// [1.0000 0.6065 0.1353 0.0111]
}

func ExampleCross() {
	test := data.Rows(mat.NewDense(1, 1, []float64{1}))
	g, err := gram.Cross(context.Background(), k, test, x, gram.Options{Layout: gram.Lazy})
	if err != nil {
		panic(err)
	}
	out := mat.NewDense(1, 1, nil)
	g.MulTo(out, mat.NewDense(4, 1, []float64{1, 1, 1, 1}), false)
	fmt.Printf("%.4f\n", out.At(0, 0))
	// Output: 2.3484
}

func ExamplePrecomputed() {
	_, err := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 0.5, 0.4, 1}), 0)
	fmt.Println(err)
	// Output: gram: precomputed matrix is not symmetric: entry (1, 0) is 0.4 but (0, 1) is 0.5; symmetrise it first
}

func ExampleCenter() {
	g, err := gram.New(context.Background(), k, x, gram.Options{})
	if err != nil {
		panic(err)
	}
	c, err := gram.Center(g)
	if err != nil {
		panic(err)
	}
	row, sum := make([]float64, 4), 0.0
	c.Row(row, 2)
	for _, v := range row {
		sum += v
	}
	fmt.Printf("row sums are zero: %.4f\n", sum+1)
	// Output: row sums are zero: 1.0000
}

func ExampleCheckPSD() {
	g, err := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), 0)
	if err != nil {
		panic(err)
	}
	p, err := gram.CheckPSD(g, 0)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%v, smallest eigenvalue %.0f\n", p.OK, p.Min)
	// Output: false, smallest eigenvalue -1
}

func ExampleSpectrum() {
	g, err := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), 0)
	if err != nil {
		panic(err)
	}
	values, err := gram.Spectrum(g)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.0f\n", values)
	// Output: [3 -1]
}

func ExampleRepair() {
	g, err := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), 0)
	if err != nil {
		panic(err)
	}
	r, err := gram.Repair(g, gram.Clip, 0)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d negative eigenvalue, moved by %.2f of the norm\n", r.Negative, r.Relative)
	// Output: 1 negative eigenvalue, moved by 0.32 of the norm
}

func ExampleIncompleteCholesky() {
	a, err := gram.IncompleteCholesky(context.Background(), k, x, gram.LowRankOptions{MaxRank: 3})
	if err != nil {
		panic(err)
	}
	fmt.Printf("rank %d, trace error %.3f of %.0f\n", a.Report.Rank, a.Report.TraceError, a.Report.Trace)
	// Output: rank 3, trace error 0.292 of 4
}

func ExampleNystrom() {
	centers, err := gram.KMeansCenters(context.Background(), k, x, 2, 0, 1)
	if err != nil {
		panic(err)
	}
	a, err := gram.Nystrom(context.Background(), k, x, centers, gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Rank(), a.Report.Certified)
	// Output: 2 true
}

func ExampleFourierFeatures() {
	a, err := gram.FourierFeatures(context.Background(), k, x, 500, false, gram.LowRankOptions{Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Rank(), a.Report.MaxAbs < 0.1)
	// Output: 1000 true
}
