package spec_test

import (
	"errors"
	"fmt"
	"testing"

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

	_, err = spec.ParseKernel("gausian()")
	var wrong *spec.Error
	fmt.Println(errors.As(err, &wrong), wrong.Column, wrong.Message)
	// Output:
	// 0.5*gaussian(lengthscale=2) + linear()^2 <nil>
	// true 1 there is no kernel "gausian"
}

func TestRowsAreReadAndWritten(t *testing.T) {
	s := mixed.Schema{Dim: 2, Columns: []mixed.Column{{Name: "price", Width: 1, Object: -1}, {Name: "age", Offset: 1, Width: 1, Object: -1}}}
	k, err := spec.ParseRows(s, "gaussian() on price")
	if err != nil {
		t.Fatal(err)
	}
	text, err := spec.FormatRows(s, k)
	if err != nil || text != "gaussian(lengthscale=1) on price" {
		t.Errorf("%q, %v", text, err)
	}
	var wrong *spec.Error
	if _, err := spec.ParseRows(s, "gaussian() on prize"); !errors.As(err, &wrong) || wrong.Column != 15 {
		t.Errorf("%v", err)
	}
}
