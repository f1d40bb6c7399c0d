package gram_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

var test = data.Rows(mat.NewDense(2, 1, []float64{0.5, 5}))

func ExampleGram() {
	var g gram.Gram
	g, err := gram.New(context.Background(), k, x, gram.Options{})
	if err != nil {
		panic(err)
	}
	r, c := g.Dims()
	diag, column, product := make([]float64, r), make([]float64, r), mat.NewDense(r, 1, nil)
	g.Diag(diag)
	g.Column(column, 1)
	g.MulTo(product, mat.NewDense(c, 1, []float64{0, 1, 0, 0}), false)
	fmt.Printf("%d×%d %v %.4f %.4f\n", r, c, diag, column, product.RawMatrix().Data)
	// Output: 4×4 [1 1 1 1] [0.6065 1.0000 0.6065 0.1353] [0.6065 1.0000 0.6065 0.1353]
}

func ExampleAccessor() {
	g, err := gram.New(context.Background(), k, x, gram.Options{Layout: gram.Half})
	if err != nil {
		panic(err)
	}
	row, block := make([]float64, 4), mat.NewDense(2, 2, nil)
	g.Row(row, 0)
	g.Block(block, 0, 2)
	fmt.Printf("%.4f\n%.4f\n%s\n", row, mat.Formatted(block), g.Describe())
	// Output:
	// [1.0000 0.6065 0.1353 0.0111]
	// ⎡0.1353  0.0111⎤
	// ⎣0.6065  0.1353⎦
	// half float64, 4×4: asked for
}

func ExampleColumns32() {
	g, err := gram.New(context.Background(), k, x, gram.Options{Layout: gram.Columns, Precision: gram.Single})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", g.(gram.Columns32).Column32(0))
	// Output: [1.0000 0.6065 0.1353 0.0111]
}

func ExampleLayout() {
	fmt.Println(gram.Auto, gram.Full, gram.Half, gram.Columns, gram.Lazy)
	// Output: auto full half columns lazy
}

func ExamplePrecision() {
	fmt.Println(gram.Double, gram.Single, gram.Either)
	// Output: float64 float32 either
}

func ExampleDense() {
	g, err := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 0.5, 0.5, 1}), 0)
	if err != nil {
		panic(err)
	}
	var c mat.Cholesky
	fmt.Println(g.RawMatrix().Data, g.At(0, 1), g.SymmetricDim(), g.T().At(1, 0), c.Factorize(g))
	// Output: [1 0.5 0.5 1] 0.5 2 0.5 true
}

func ExampleDense32() {
	g, err := gram.New(context.Background(), k, x, gram.Options{Layout: gram.Full, Precision: gram.Single})
	if err != nil {
		panic(err)
	}
	d := g.(gram.Dense32)
	fmt.Printf("%.4f %.4f %d %.4f\n", d.RawMatrix().Data[:4], d.At(1, 0), d.SymmetricDim(), d.T().At(0, 1))
	// Output: [1.0000 0.6065 0.1353 0.0111] 0.6065 4 0.6065
}

func ExampleFromTiles() {
	g := gram.FromTiles(kernel.Prepare[kernel.Vec](context.Background(), k, test, x), gram.Options{Layout: gram.Lazy})
	r, c := g.Dims()
	fmt.Println(r, c, g.Describe())
	// Output: 2 4 lazy float64, 2×4: asked for
}

func ExamplePrecomputedCross() {
	g, err := gram.PrecomputedCross(mat.NewDense(1, 2, []float64{0.3, 0.7}), 0)
	r, c := g.Dims()
	fmt.Println(r, c, err)
	// Output: 1 2 <nil>
}

func ExampleCentered() {
	g, _ := gram.New(context.Background(), k, x, gram.Options{})
	c, err := gram.Center(g)
	if err != nil {
		panic(err)
	}
	rows, all := c.Means()
	star, _ := gram.Cross(context.Background(), k, test, x, gram.Options{})
	s, err := c.Cross(star)
	if err != nil {
		panic(err)
	}
	row := make([]float64, 4)
	s.Row(row, 0)
	fmt.Printf("%.4f %.4f\n%.4f\n", rows, all, row)
	// Output:
	// [0.4382 0.5871 0.5871 0.4382] 0.5127
	// [0.4235 0.2747 -0.2832 -0.4150]
}

func ExampleCrossCentered() {
	g, _ := gram.New(context.Background(), k, x, gram.Options{})
	c, _ := gram.Center(g)
	star, _ := gram.Cross(context.Background(), k, test, x, gram.Options{})
	s, err := c.Cross(star)
	if err != nil {
		panic(err)
	}
	self := []float64{1, 1} // k(x*, x*)
	s.SelfDiag(self)
	fmt.Printf("%.4f\n", self) // squared distances from the mean of x
	// Output: [0.4459 1.4393]
}

func ExampleMinEigen() {
	g, _ := gram.Precomputed(mat.NewDense(2, 2, []float64{2, 1, 1, 2}), 0)
	v, _, err := gram.MinEigen(g, 0)
	fmt.Printf("%.4f %v\n", v, err)
	// Output: 1.0000 <nil>
}

func ExamplePSD() {
	g, _ := gram.New(context.Background(), k, x, gram.Options{})
	p, _ := gram.CheckPSD(g, 0)
	fmt.Println(p.OK, p.Err())
	// Output: true <nil>
}

func ExampleNotPSD() {
	g, _ := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), 0)
	p, _ := gram.CheckPSD(g, 0)
	var bad *gram.NotPSD
	fmt.Printf("%v %.1f\n", errors.As(p.Err(), &bad), bad.Min)
	// Output: true -1.0
}

func ExampleHow() {
	fmt.Println(gram.Clip, gram.Flip, gram.Shift)
	// Output: clip flip shift
}

func ExampleRepaired() {
	g, _ := gram.Precomputed(mat.NewDense(2, 2, []float64{1, 2, 2, 1}), 0)
	r, err := gram.Repair(g, gram.Clip, 0)
	if err != nil {
		panic(err)
	}
	star := mat.NewDense(1, 2, []float64{1, 0})
	r.CrossTo(star) // the part along the eigenvector of -1 is gone
	fmt.Printf("%.2f %.2f %d\n", star.RawRowView(0), r.At(0, 1), r.SymmetricDim())
	// Output: [0.50 0.50] 1.50 2
}

func ExampleUniformCenters() {
	c, err := gram.UniformCenters(100, 3, 1)
	fmt.Println(len(c), err)
	// Output: 3 <nil>
}

func ExampleKMeansCenters() {
	c, err := gram.KMeansCenters(context.Background(), k, x, 4, 0, 1)
	fmt.Println(len(c), err)
	// Output: 4 <nil>
}

func ExampleLeverageScores() {
	s, err := gram.LeverageScores(context.Background(), k, x, 1e-9, 10, 0, 1) // next to no ridge: every point matters
	fmt.Printf("%.3f %v\n", s, err)
	// Output: [1.000 1.000 1.000 1.000] <nil>
}

func ExampleNewSampleScores() {
	s, err := gram.NewSampleScores(context.Background(), k, x, 4, 2, 0.5, 1) // all four rows are the sample
	if err != nil {
		panic(err)
	}
	scores := make([]float64, 2)
	if err := s.ScoresTo(context.Background(), scores, test); err != nil {
		panic(err)
	}
	fmt.Printf("%.3f at λ = %g\n", scores, s.Lambda())
	// Output: [0.520 1.000] at λ = 0.5
}

func ExampleLeverageCenters() {
	c, err := gram.LeverageCenters(context.Background(), k, x, 2, 0, 0, 1)
	fmt.Println(len(c), err)
	// Output: 2 <nil>
}

func ExampleFromFactor() {
	g := gram.FromFactor(mat.NewDense(2, 1, []float64{1, 2}), 0)
	row := make([]float64, 2)
	g.Row(row, 1)
	fmt.Println(row)
	// Output: [2 4]
}

func ExampleFromFactors() {
	g, err := gram.FromFactors(mat.NewDense(2, 1, []float64{1, 2}), mat.NewDense(3, 1, []float64{1, 0, 1}), 0)
	r, c := g.Dims()
	fmt.Println(r, c, err)
	// Output: 2 3 <nil>
}

func ExampleLowRank() {
	g := gram.FromFactor(mat.NewDense(2, 1, []float64{1, 2}), 0)
	f := g.Factor()
	fmt.Println(g.Rank(), f.At(1, 0), g.Describe())
	// Output: 1 2 low rank 1 (given factor), 2×2
}

func ExampleApproximation() {
	a, err := gram.IncompleteCholesky(context.Background(), k, x, gram.LowRankOptions{MaxRank: 3})
	if err != nil {
		panic(err)
	}
	c, err := a.Cross(context.Background(), test)
	if err != nil {
		panic(err)
	}
	row := make([]float64, 4)
	c.Row(row, 0)
	fmt.Printf("%.2f\n", row)
	// Output: [0.88 0.88 0.39 0.04]
}

func ExampleErrorReport() {
	a, err := gram.IncompleteCholesky(context.Background(), k, x, gram.LowRankOptions{Tolerance: 1e-9})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Report.Rank, a.Report.Certified, a.Report.Spectral <= a.Report.TraceError+1e-12)
	// Output: 4 true true
}

func ExampleFeatureMap() {
	a, err := gram.Nystrom(context.Background(), k, x, []int{0, 3}, gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	var m gram.FeatureMap[kernel.Vec] = a.Map
	phi := mat.NewDense(1, m.Dim(), nil)
	if err := m.FeaturesTo(context.Background(), phi, data.Slice[kernel.Vec]{{0}}); err != nil {
		panic(err)
	}
	again, err := m.Features(context.Background(), data.Slice[kernel.Vec]{{0}})
	fmt.Printf("%.4f %.4f %v\n", phi.RawRowView(0), again.RawRowView(0), err)
	// Output: [1.0000 0.0000] [1.0000 0.0000] <nil>
}

func ExampleNystromMap() {
	a, err := gram.Nystrom(context.Background(), k, x, []int{0, 3}, gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	m := a.Map.(*gram.NystromMap[kernel.Vec])
	alpha := m.Coefficients(mat.NewDense(2, 1, []float64{1, 0}))
	fmt.Println(m.Dim(), alpha.At(0, 0))
	// Output: 2 1
}

func ExampleNystromMap_Factor() {
	pair := data.Gather[kernel.Vec](x, []int{0, 0}) // the second is the first again
	m, err := gram.NewNystromMap(context.Background(), k, pair, gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	fmt.Println(m.Pivots, m.Factor().At(0, 0), m.AtCandidates().At(1, 0))
	// Output: [0] 1 1
}

func ExampleNewNystromMap() {
	m, err := gram.NewNystromMap(context.Background(), k, data.Gather[kernel.Vec](x, []int{0, 3}), gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	phi, err := m.Features(context.Background(), m.Centers)
	fmt.Printf("%d %.4f %v\n", m.Dim(), kernel.Inner.Between(phi.RawRowView(1), phi.RawRowView(1)), err)
	// Output: 2 1.0000 <nil>
}

func ExampleNewFourierMap() {
	m, err := gram.NewFourierMap(k, 1, 200, true, 0, 1)
	if err != nil {
		panic(err)
	}
	phi := mat.NewDense(1, m.Dim(), nil)
	m.FeaturesTo(context.Background(), phi, data.Slice[kernel.Vec]{{0.3}})
	r, _ := m.Frequencies().Dims()
	fmt.Printf("%d frequencies, ‖φ(x)‖² = %.4f\n", r, kernel.Inner.Between(phi.RawRowView(0), phi.RawRowView(0)))
	// Output: 200 frequencies, ‖φ(x)‖² = 1.0000
}

func ExampleDefaultBytes() {
	fmt.Println(gram.DefaultBytes() > 0)
	// Output: true
}

func ExampleRandomCholesky() {
	a, err := gram.RandomCholesky(context.Background(), k, x, gram.LowRankOptions{MaxRank: 2, Seed: 1})
	if err != nil {
		panic(err)
	}
	fmt.Println(a.Rank())
	// Output: 2
}
