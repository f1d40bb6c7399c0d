package prob_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

var dice = data.Slice[kernel.Vec]{{0.5, 0.5, 0}, {0.25, 0.25, 0.5}, {0, 0, 1}}

// firstRow prints the values that a prepared kernel gives for the first point with all points.
func firstRow[T any](fill kernel.Rectangle, x data.Slice[T]) {
	dst := mat.NewDense(1, len(x), nil)
	fill(dst, 0, 0)
	fmt.Printf("%.3f\n", dst.RawMatrix().Data)
}

func ExampleProduct() {
	k := prob.Product{}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(dice[0], dice[1]))
	fmt.Println(k.Params()[0].Name, k.With([]float64{1}).Eval(dice[0], dice[1]))
	fmt.Println(k.Validate(), k.CheckPoints(dice), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), dice, dice), dice)
	// Output:
	// probproduct 0.7071
	// probproduct.rho 0.25
	// <nil> <nil> yes
	// [1.000 0.707 0.000]
}

func ExampleHilbertian() {
	for _, of := range []prob.Divergence{prob.Hellinger, prob.JensenShannon, prob.ChiSquare, prob.TotalVariation} {
		k := prob.Hilbertian{Of: of}
		fmt.Printf("%s %v %.4f\n", k.Name(), of, k.Eval(dice[0], dice[1]))
	}
	k := prob.Hilbertian{}
	fmt.Println(k.Validate(), k.CheckPoints(dice), k.Properties().PSD)
	// Output:
	// hilbertian hellinger 0.7071
	// hilbertian jensenshannon 0.6887
	// hilbertian chisquare 0.6667
	// hilbertian totalvariation 0.5000
	// <nil> <nil> yes
}

func ExampleDivergence() {
	fmt.Println(prob.Hellinger, prob.TotalVariation)
	// Output: hellinger totalvariation
}

func ExampleSemigroupEntropy() {
	k := prob.SemigroupEntropy{}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(dice[0], dice[2])) // the middle is (¼, ¼, ½)
	fmt.Println(k.Params()[0].Name, k.With([]float64{2}).Eval(dice[2], dice[2]))
	fmt.Println(k.Validate(), k.CheckPoints(dice), k.Properties().PSD)
	// Output:
	// semigroupentropy 0.3536
	// semigroupentropy.rate 1
	// <nil> <nil> yes
}

func bell(mean, variance float64) prob.Normal {
	return prob.Normal{Mean: []float64{mean}, Cov: mat.NewSymDense(1, []float64{variance})}
}

var bells = data.Slice[prob.Normal]{bell(0, 1), bell(2, 1), bell(0, 4)}

func ExampleNormal() {
	fmt.Printf("%.4f\n", bells[0].LogDensity([]float64{1}))
	// Output: -1.4189
}

func ExampleNormalProduct() {
	k := prob.NormalProduct{}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(bells[0], bells[1])) // exp(-(2-0)²/8)
	fmt.Printf("%s %.4f\n", k.Params()[0].Name, k.With([]float64{1}).Eval(bells[0], bells[1]))
	fmt.Println(k.Validate(), k.CheckPoints(bells), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), bells, bells), bells)
	// Output:
	// normalproduct 0.6065
	// normalproduct.rho 0.1038
	// <nil> <nil> yes
	// [1.000 0.607 0.894]
}

func ExampleMixture() {
	m := prob.Mixture{Weights: []float64{0.5, 0.5}, Parts: bells[:2]}
	fmt.Printf("%v %.4f\n", m.Validate(), m.LogDensity([]float64{1}))
	// Output: <nil> -1.4189
}

func ExampleMixtureProduct() {
	k := prob.MixtureProduct{}
	x := data.Slice[prob.Mixture]{{Weights: []float64{0.5, 0.5}, Parts: bells[:2]},
		{Weights: []float64{1}, Parts: bells[2:]}}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(x[0], x[1]))
	fmt.Println(k.CheckPoints(x), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), x, x), x)
	// Output:
	// mixtureproduct 0.1490
	// <nil> yes
	// [0.193 0.149]
}

var twoSamples = data.Slice[[]kernel.Vec]{{{0}, {1}}, {{1}, {2}, {3}}, {}}

func ExampleMeanEmbedding() {
	k := prob.MeanEmbedding[kernel.Vec]{Kernel: kernel.Gaussian{}}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(twoSamples[0], twoSamples[1]))
	fmt.Println(k.Params()[0].Name, kernel.Values(k.With([]float64{2})))
	fmt.Println(k.Validate(), k.CheckPoints(twoSamples), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), twoSamples, twoSamples), twoSamples)
	// Output:
	// meanembedding 0.4158
	// gaussian.lengthscale [2]
	// <nil> <nil> yes
	// [0.803 0.416 0.000]
}

func ExampleGaussianMMD() {
	k := prob.GaussianMMD[kernel.Vec](kernel.Linear{}, 1)
	fmt.Printf("%.4f\n", k.Eval(twoSamples[0], twoSamples[1])) // the means are 0.5 and 2
	// Output: 0.3247
}

func ExampleSemigroupVariance() {
	k := prob.SemigroupVariance{Ridge: 0.5}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(twoSamples[0], twoSamples[0])) // a variance of ¼
	fmt.Println(k.Params()[0].Name, kernel.Values(k.With([]float64{2})))
	fmt.Println(k.Validate(), k.CheckPoints(twoSamples), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), twoSamples, twoSamples), twoSamples)
	// Output:
	// semigroupvariance 0.8165
	// semigroupvariance.ridge [2]
	// <nil> <nil> yes
	// [0.816 0.573 0.853]
}
