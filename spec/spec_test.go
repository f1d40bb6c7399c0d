package spec_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
	"github.com/mercer-ml/mercer/spec"
)

func ExampleParseKernel() {
	k, err := spec.ParseKernel("0.5*gaussian(lengthscale=2) + linear()^2")
	if err != nil {
		panic(err)
	}
	text, err := spec.FormatKernel(k)
	fmt.Println(text, err)
	// Output: 0.5*gaussian(lengthscale=2) + linear()^2 <nil>
}

func ExampleError() {
	_, err := spec.ParseKernel("gausian()")
	var wrong *spec.Error
	fmt.Println(errors.As(err, &wrong), wrong.Column, wrong.Message)
	// Output: true 1 unknown kernel "gausian"
}

// table has two columns of numbers.
var table = mixed.Schema{Dim: 2, Columns: []mixed.Column{
	{Name: "price", Width: 1, Object: -1},
	{Name: "age", Offset: 1, Width: 1, Object: -1},
}}

func ExampleParseRows() {
	k, err := spec.ParseRows(table, "gaussian() on price + linear()")
	if err != nil {
		panic(err)
	}
	text, err := spec.FormatRows(table, k)
	fmt.Println(text, err)
	// Output: gaussian(lengthscale=1) on price + linear() <nil>
}

func ExampleFormatKernel() {
	text, err := spec.FormatKernel(kernel.Gaussian{Lengthscale: 2})
	fmt.Println(text, err)
	// Output: gaussian(lengthscale=2) <nil>
}

func ExampleFormatRows() {
	price, err := table.OnColumns([]string{"price"}, kernel.Gaussian{Lengthscale: 2})
	if err != nil {
		panic(err)
	}
	text, err := spec.FormatRows(table, price)
	fmt.Println(text, err)
	// Output: gaussian(lengthscale=2) on price <nil>
}

func TestAnErrorKeepsItsType(t *testing.T) {
	var wrong *spec.Error
	if _, err := spec.ParseRows(table, "gaussian() on prize"); !errors.As(err, &wrong) || wrong.Column != 1 {
		t.Errorf("%v", err)
	}
}
