package newcomer

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"gonum.org/v1/gonum/mat"
)

// Customer is a type of one's own.
type Customer struct {
	Age  float64
	Says string
}

// Alike is a kernel on customers: any function of two that is symmetric and positive semi-definite.
type Alike struct{ Years float64 }

func (k Alike) Eval(x, y Customer) float64 {
	shared := 0.0
	for w := range strings.FieldsSeq(x.Says) {
		if strings.Contains(" "+y.Says+" ", " "+w+" ") {
			shared++
		}
	}
	return kernel.Gaussian{Lengthscale: k.Years}.Eval(kernel.Vec{x.Age}, kernel.Vec{y.Age}) + shared
}

func Example_kernelOfOnesOwn() {
	x := data.Slice[Customer]{{25, "love it"}, {61, "too slow"}, {33, "love the colour"}, {58, "slow and dear"}}
	m, err := svm.Classification[Customer, string]{Kernel: Alike{Years: 10}}.Fit(ctx, x,
		[]string{"stays", "leaves", "stays", "leaves"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(ctx, data.Slice[Customer]{{40, "love this"}, {40, "so slow"}}))
	// Output: [stays leaves] <nil>
}

func Example_precomputedMatrix() {
	gram := mat.NewDense(3, 3, []float64{2, 1, 0, 1, 2, 0, 0, 0, 2}) // of three objects that nobody need see
	m, err := ridge.Regression[int]{Kernel: kernel.Precomputed{K: gram}, Lambda: 1}.Fit(ctx, data.Indices(3),
		[]float64{1, 2, 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	at, err := m.Predict(ctx, data.Indices(3))
	fmt.Printf("%.3f %v\n", at, err)
	// Output: [0.875 1.375 2.000] <nil>
}

func Example_sparseRows() {
	words := []data.SparseVec{{Index: []int32{0, 700}, Value: []float64{1, 1}},
		{Index: []int32{3, 900}, Value: []float64{1, 2}}}
	x := data.SparseOf(words, 1000)
	m, err := svm.LinearClassification[data.SparseVec, string]{C: 10}.Fit(ctx, x, []string{"sport", "trade"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Predict(ctx, data.SparseOf([]data.SparseVec{{Index: []int32{700}, Value: []float64{1}}}, 1000)))
	// Output: [sport] <nil>
}
