package seq_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/seq"
)

func ExampleSeries() {
	s := seq.Univariate([]float64{1, 2, 4})
	fmt.Println(s.Len(), s.Channels(), s.At(2))
	fmt.Println(s.WithStart().At(0), s.WithTime().At(1))
	fmt.Println(s.WithLag().At(2), s.LeadLag().At(1), s.LeadLag().At(2))
	// Output:
	// 3 1 [4]
	// [0] [0.5 2]
	// [4 2] [2 1] [2 2]
}

func ExampleNewSeries() {
	s, err := seq.NewSeries([]float64{1, 10, 2, 20}, 2)
	fmt.Println(s.Len(), s.At(1), err)
	_, err = seq.NewSeries([]float64{1, 10, 2}, 2)
	fmt.Println(err)
	// Output:
	// 2 [2 20] <nil>
	// seq: 3 values do not make steps of 2 channels
}

func ExampleUnivariate() {
	fmt.Println(seq.Univariate([]float64{3, 4}).At(1))
	// Output: [4]
}

var (
	rise = seq.Univariate([]float64{0, 1, 2})
	late = seq.Univariate([]float64{0, 0, 1, 2})
	fall = seq.Univariate([]float64{2, 1, 0})
)

func ExampleGlobalAlignment() {
	k := seq.NormalizeLog[seq.Series](seq.GlobalAlignment{Width: 0.5})
	fmt.Printf("%.3f %.3f\n", k.Eval(rise, late), k.Eval(rise, fall))
	// Output: 0.604 0.000
}

func ExampleTriangularAlignment() {
	k := seq.TriangularAlignment{Width: 0.5, Band: 1} // the diagonal alone
	fmt.Println(k.Eval(rise, rise), k.Eval(rise, late))
	// Output: 1 0
}

func ExampleWarping() {
	k := seq.Warping{}
	fmt.Println(k.Distance(rise, late), k.Eval(rise, late))
	// Output: 0 1
}

func ExampleSignature() {
	k := seq.Signature{Level: 2}
	fmt.Println(k.Eval(rise, rise)) // 1 + 2·2 + 1·1
	fmt.Println(seq.Signature{Level: 2, Order: 2}.Eval(rise, rise))
	// Output:
	// 6
	// 9
}

func ExampleSignaturePDE() {
	x := seq.Univariate([]float64{0, 1})
	fmt.Printf("%.6f\n", seq.SignaturePDE{}.Eval(x, x)) // I₀(2) = Σ 1/(m!)²
	// Output: 2.279585
}

func ExampleLowRankSignature() {
	k := seq.LowRankSignature{Level: 2}
	fmt.Println(k.Features(rise), k.Eval(rise, rise))
	// Output: [1 2 1] 6
}

func ExampleAutoregressive() {
	k := seq.Autoregressive{Weight: 20}
	other := seq.Univariate([]float64{1, -1, 1, -1, 1})
	same := seq.Univariate([]float64{2, -2, 2, -2})
	grow := seq.Univariate([]float64{1, 1, 1, 1})
	fmt.Println(k.Eval(other, same) > k.Eval(other, grow))
	// Output: true
}

func ExampleFourierSeries() {
	k := seq.FourierSeries{Decay: 0.5}
	fmt.Printf("%.3f %.3f\n", k.Eval(rise, rise), k.Eval(rise, fall))
	// Output: 3.375 0.076
}

func ExampleWindows() {
	k := seq.Windows{Length: 2, Kernel: kernel.Gaussian{Lengthscale: 0.5}}
	fmt.Printf("%.3f %.3f\n", k.Eval(rise, late), k.Eval(rise, fall))
	// Output: 0.362 0.009
}
