package prob_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/prob"
	"gonum.org/v1/gonum/mat"
)

var numbers = data.Slice[kernel.Vec]{{1}, {2}, {-1}}

func ExampleModel() {
	var m prob.Model[kernel.Vec] = prob.NormalModel{Normal: bell(0, 4)}
	fmt.Println(m.Score(kernel.Vec{2}), m.Validate(), m.CheckPoints(numbers))
	// Output: [0.5] <nil> <nil>
}

func ExampleWhitener() {
	var m prob.Whitener[kernel.Vec] = prob.NormalModel{Normal: bell(0, 4)}
	fmt.Println(m.Whiten(m.Score(kernel.Vec{2}))) // one standard deviation
	// Output: [1]
}

func ExampleDrawer() {
	var m prob.Drawer[kernel.Vec] = prob.NormalModel{Normal: bell(100, 1)}
	x := m.Draw(rand.New(rand.NewPCG(1, 0)))
	fmt.Println(math.Abs(x[0]-100) < 6)
	// Output: true
}

func ExampleLister() {
	m := weatherModel
	m.Length = 2
	var l prob.Lister[[]int] = m
	x, p, err := l.Outcomes()
	fmt.Printf("%v %.4f %v\n", x, p, err)
	// Output: [[0 0] [1 0] [0 1] [1 1]] [0.6125 0.1375 0.1375 0.1125] <nil>
}

func ExampleFisherExact() {
	k, err := prob.FisherExact[kernel.Vec](prob.NormalModel{Normal: bell(0, 4)})
	fmt.Println(k.Name(), k.Eval(numbers[0], numbers[1]), err) // xy/σ²
	fmt.Println(k.Features(numbers[0]), k.Validate(), k.CheckPoints(numbers), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), numbers, numbers), numbers)
	// Output:
	// fisher 0.5 <nil>
	// [0.5] <nil> <nil> yes
	// [0.250 0.500 -0.250]
}

func ExampleFisherEmpirical() {
	k, err := prob.FisherEmpirical[kernel.Vec](prob.NormalModel{Normal: bell(0, 4)}, numbers)
	fmt.Printf("%.3f %v\n", k.Eval(numbers[0], numbers[1]), err) // xy over the mean of x², which is 2
	// Output: 1.000 <nil>
}

func ExampleFisherIdentity() {
	k, err := prob.FisherIdentity[kernel.Vec](prob.NormalModel{Normal: bell(0, 4)})
	fmt.Println(k.Eval(numbers[0], numbers[1]), err) // xy/σ⁴
	// Output: 0.125 <nil>
}

func ExampleFisherSimulated() {
	k, err := prob.FisherSimulated[kernel.Vec](prob.NormalModel{Normal: bell(0, 4)}, 50000, 1)
	fmt.Printf("%.2f %v\n", k.Eval(numbers[0], numbers[1]), err)
	// Output: 0.50 <nil>
}

func ExampleNormal_Draw() {
	fmt.Println(len(bells[0].Draw(rand.New(rand.NewPCG(1, 0)))))
	// Output: 1
}

func ExampleMixture_Latent() {
	m := prob.Mixture{Weights: []float64{0.5, 0.5}, Parts: []prob.Normal{bell(-2, 1), bell(2, 1)}}
	k := m.Latent()
	fmt.Printf("%.4f %.4f\n", k.Eval(kernel.Vec{2}, kernel.Vec{2}), k.Eval(kernel.Vec{2}, kernel.Vec{-2}))
	fmt.Printf("%.4f\n", m.Posterior(kernel.Vec{1}))
	fmt.Println(len(m.Draw(rand.New(rand.NewPCG(1, 0)))))
	// Output:
	// 0.0796 0.0001
	// [0.0180 0.9820]
	// 1
}

func ExampleNormalModel() {
	m := prob.NormalModel{Normal: bell(0, 4), FreeCovariance: true}
	fmt.Println(m.Validate(), m.CheckPoints(numbers), m.Score(numbers[1]), m.Whiten(m.Score(kernel.Vec{2})))
	// Output: <nil> <nil> [0.5 0] [1 0]
}

func ExampleMixtureModel() {
	m := prob.MixtureModel{Mixture: prob.Mixture{Weights: []float64{0.5, 0.5},
		Parts: []prob.Normal{bell(-2, 1), bell(2, 1)}}}
	fmt.Printf("%v %v %.2f\n", m.Validate(), m.CheckPoints(numbers), m.Score(kernel.Vec{1}))
	// Output: <nil> <nil> [-0.48 0.48 0.05 -0.98]
}

func ExampleMultinomial() {
	m := prob.Multinomial{P: []float64{0.5, 0.25, 0.25}, Length: 4}
	x := data.Slice[kernel.Vec]{{2, 2, 0}}
	fmt.Println(m.Validate(), m.CheckPoints(x), m.Score(x[0]), m.Whiten(m.Score(x[0])))
	fmt.Println(len(m.Draw(rand.New(rand.NewPCG(1, 0)))))
	// Output:
	// <nil> <nil> [0 1 -1] [0 1 -1]
	// 3
}

func ExampleDirichletMultinomial() {
	m := prob.DirichletMultinomial{Alpha: []float64{1, 1}}
	x := data.Slice[kernel.Vec]{{1, 0}}
	// ln ∫p² dp = ln ⅓
	fmt.Printf("%v %v %.1f %.3f\n", m.Validate(), m.CheckPoints(x), m.Score(x[0]), m.LogJoint(x[0], x[0]))
	// Output: <nil> <nil> [0.5 -0.5] -1.099
}

func ExampleNewMarkovChain() {
	x := data.Slice[[]int]{{0, 1, 0, 1, 1}, {1, 0, 1}}
	m, err := prob.NewMarkovChain(x, 1, 2, 0)
	fmt.Printf("%.2f %v %v\n", m.P, m.Visits, err)
	fmt.Println(m.Validate(), m.CheckPoints(x))
	fmt.Printf("%.2f %.2f %.2f\n", m.Score(x[0]), m.Whiten(m.Score(x[0])), m.FreeScore(x[0]))
	// Output:
	// [0.00 1.00 0.67 0.33] [1.5 1.5] <nil>
	// <nil> <nil>
	// [0.00 0.00 -0.33 0.33] [0.00 0.00 -0.33 0.47] [0.00 2.00 1.50 3.00]
}

var weatherModel = prob.HMM{Initial: []float64{0.5, 0.5}, Transition: mat.NewDense(2, 2, []float64{0.9, 0.1, 0.1, 0.9}),
	Emission: mat.NewDense(2, 2, []float64{1, 0, 0.5, 0.5}), Length: 6}

var days = data.Slice[[]int]{{0, 0, 0}, {0, 1, 1}, {1, 1, 1}}

func ExampleHMM() {
	m := weatherModel
	fmt.Println(m.States(), m.Symbols(), m.Validate(), m.CheckPoints(days))
	fmt.Printf("%.4f\n", m.LogLikelihood(days[0]))
	fmt.Printf("%.2f\n", m.Score(days[2]))
	fmt.Println(len(m.Draw(rand.New(rand.NewPCG(1, 0)))))
	// Output:
	// 2 2 <nil> <nil>
	// -0.6408
	// [-0.50 0.50 0.00 0.00 -0.20 0.20 0.00 0.00 -1.50 1.50]
	// 6
}

func ExampleBaumWelch() {
	m, report, err := prob.BaumWelch{States: 1}.Fit(context.Background(), days)
	fmt.Printf("%.3f %v %v\n", m.Emission.RawRowView(0), report.Converged, err)
	// Output: [0.444 0.556] true <nil>
}

func ExampleHMMProduct() {
	k := prob.HMMProduct{Model: weatherModel}
	fmt.Printf("%s %.4f %.4f\n", k.Name(), k.Eval(days[1], days[2]), k.Log(days[1], days[2]))
	fmt.Println(k.Validate(), k.CheckPoints(days), k.Properties().PSD)
	// Output:
	// hmmproduct 0.0063 -5.0628
	// <nil> <nil> yes
}

func ExampleMarginalizedCount() {
	k := prob.MarginalizedCount{Model: weatherModel}
	fmt.Printf("%s %.4f %.3f\n", k.Name(), k.Eval(days[0], days[1]), k.Features(days[1]))
	fmt.Println(k.Validate(), k.CheckPoints(days), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), days, days), days)
	// Output:
	// marginalizedcount 0.0937 [0.061 0.273 0.000 0.667]
	// <nil> <nil> yes
	// [0.736 0.094 0.000]
}

func ExampleLatent() {
	k := prob.Latent[int]{Weights: []float64{0.5, 0.5},
		Density: func(i, x int) float64 { return [2][2]float64{{0.9, 0.1}, {0.2, 0.8}}[i][x] }}
	x := data.Slice[int]{0, 1}
	fmt.Printf("%s %.3f %.3f\n", k.Name(), k.Eval(0, 1), k.Features(1))
	fmt.Println(k.Validate(), k.CheckPoints(x), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), x, x), x)
	// Output:
	// latent 0.125 [0.071 0.566]
	// <nil> <nil> yes
	// [0.425 0.125]
}

// oneState tells states apart and nothing else.
type oneState struct{}

func (oneState) Eval(x, y prob.Caused[int]) float64 {
	if x.State == y.State {
		return 1
	}
	return 0
}
func (oneState) Properties() kernel.Properties { return kernel.Properties{PSD: kernel.Yes, Bound: 1} }

func ExampleMarginalized() {
	k := prob.Marginalized[int]{Posterior: func(x int) []float64 { return [2][]float64{{0.9, 0.1}, {0.2, 0.8}}[x] },
		Kernel: oneState{}}
	x := data.Slice[int]{0, 1}
	fmt.Printf("%s %.2f\n", k.Name(), k.Eval(0, 1)) // 0.9·0.2 + 0.1·0.8
	fmt.Println(k.Validate(), k.CheckPoints(x), k.Properties().PSD, k.Params(), k.With(nil).Eval(0, 0))
	firstRow(k.PreparePoints(context.Background(), x, x), x)
	// Output:
	// marginalized 0.26
	// <nil> <nil> yes [] 0.8200000000000001
	// [0.820 0.260]
}

func ExampleFactorLatent() {
	k := prob.FactorLatent{Loadings: mat.NewDense(1, 1, []float64{1}), Mean: kernel.Vec{0}, Noise: kernel.Vec{1}}
	fmt.Printf("%s %.4f %.4f\n", k.Name(), k.Eval(numbers[0], numbers[1]), k.LogJoint(numbers[0], numbers[1]))
	fmt.Println(k.Validate(), k.CheckPoints(numbers), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), numbers, numbers), numbers)
	// Output:
	// factorlatent 0.0338 -3.3872
	// <nil> <nil> yes
	// [0.066 0.034 0.034]
}

func ExampleCovariance() {
	factor := prob.FactorLatent{Loadings: mat.NewDense(1, 1, []float64{1}), Mean: kernel.Vec{0}, Noise: kernel.Vec{1}}
	k := prob.Covariance[kernel.Vec]{LogJoint: factor.LogJoint}
	fmt.Printf("%s %.4f\n", k.Name(), k.Eval(numbers[0], numbers[1]))
	fmt.Println(k.Validate(), k.CheckPoints(numbers), k.Properties().PSD)
	firstRow(k.PreparePoints(context.Background(), numbers, numbers), numbers)
	// Output:
	// seegercovariance 0.8465
	// <nil> <nil> yes
	// [1.000 0.846 0.513]
}

func ExampleFisherRooted() {
	x := data.Slice[kernel.Vec]{{2, 1}, {0, 3}, {1, 1}}
	k, _ := prob.FisherEmpirical[kernel.Vec](prob.Multinomial{P: []float64{0.5, 0.5}}, x)
	again, err := prob.FisherRooted(k.Model, k.Root()) // as of a file: the same bits
	fmt.Println(again.Eval(x[0], x[1]) == k.Eval(x[0], x[1]), err)
	// Output: true <nil>
}

func ExampleFisher_Root() {
	x := data.Slice[kernel.Vec]{{2, 1}, {0, 3}, {1, 1}}
	m := prob.Multinomial{P: []float64{0.5, 0.5}}
	exact, _ := prob.FisherExact[kernel.Vec](m) // in closed form
	empirical, _ := prob.FisherEmpirical[kernel.Vec](m, x)
	fmt.Println(exact.Root() == nil, empirical.Root() == nil)
	// Output: true false
}
