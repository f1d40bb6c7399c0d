package spec_test

import (
	"errors"
	"fmt"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel"
)

func ExampleParseKernel() {
	k, err := spec.ParseKernel("0.5*gaussian(lengthscale=2) + linear()^2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", k.Eval([]float64{1, 0}, []float64{1, 2}))
	_, err = spec.ParseKernel("gausian(lengthscale=2) + linear()")
	fmt.Println(err)
	// Output:
	// 1.3033
	// unknown kernel "gausian" at column 1; did you mean "gaussian"?
}

func ExampleFormatKernel() {
	k, _ := spec.ParseKernel("gaussian([1,2,0.3])*3")
	text, _ := spec.FormatKernel(k)
	fmt.Println(text)
	// Output: 3*gaussian(lengthscale=[1, 2, 0.3])
}

func ExampleParse() {
	e, err := spec.Parse("2*( linear() +1 )")
	fmt.Println(spec.Format(e), err)
	// Output: 2*(linear() + 1) <nil>
}

func ExampleFormat() {
	fmt.Println(spec.Format(spec.Power{Base: spec.Call{Name: "linear"}, Exponent: 2}))
	// Output: linear()^2
}

func ExampleParseWith() {
	k, err := spec.ParseWith(spec.Vectors(), "linear()^2")
	fmt.Println(k.Eval([]float64{1, 2}, []float64{3, 1}), err)
	// Output: 25 <nil>
}

func ExampleFormatWith() {
	text, err := spec.FormatWith(spec.Vectors(), kernel.Exp[kernel.Vec](kernel.Gaussian{Lengthscale: 2}))
	fmt.Println(text, err)
	// Output: exp(gaussian(lengthscale=2)) <nil>
}

func ExampleVectors() {
	for _, e := range spec.Vectors()[:2] {
		fmt.Println(e.Name, e.Formula)
	}
	// Output:
	// linear ⟨x,y⟩
	// poly (γ⟨x,y⟩+c)^p
}

func ExampleAlgebra() {
	for _, e := range spec.Algebra() {
		if e.Name == "exp" && e.Operates() {
			fmt.Println(e.Formula, e.Samples)
		}
	}
	// Output: exp(k(x,y)) [exp(0.05*linear())]
}

func ExampleCatalogue() {
	fmt.Println(spec.Vectors().Names()[:3])
	// Output: [linear poly exponential]
}

func ExampleError() {
	_, err := spec.ParseKernel("linear() + gausian()")
	var e *spec.Error
	if errors.As(err, &e) {
		fmt.Println(e.Point())
	}
	// Output:
	// linear() + gausian()
	//            ^
}

// A learner as it is written; whoever knows what its parameters mean says what is wrong with them,
// at their place.
func ExampleParseLearners() {
	learners, err := spec.ParseLearners("svm(kernel=linear(), C=[1, 10], bias=no), knn")
	if err != nil {
		panic(err)
	}
	svm := learners[0]
	fmt.Println(svm.Name, svm.Kernel, svm.Settings[0].Name, svm.Settings[0].Values, svm.Settings[1].Words)
	fmt.Println(learners[1].Fault("knn is not for today", ""))
	fmt.Println(svm.FaultAt(svm.Settings[1], "no bias", spec.Meant("yess", []string{"yes", "no"})))
	// Output:
	// svm linear() C [1 10] [no]
	// knn is not for today at column 43
	// no bias at column 33; did you mean "yes"?
}

func ExampleMeant() {
	fmt.Println(spec.Meant("gausian", []string{"linear", "gaussian"}))
	// Output: did you mean "gaussian"?
}
