package npy_test

import (
	"bytes"
	"fmt"

	"github.com/mercer-ml/mercer/internal/format/npy"
)

func ExampleNewWriter() {
	var file bytes.Buffer
	w, err := npy.NewWriter(&file, 2, 2) // a Gram matrix, row by row
	if err != nil {
		fmt.Println(err)
		return
	}
	w.Write([]float64{1, 0.5})
	w.Write([]float64{0.5, 1})
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	a, err := npy.Read(&file, "gram.npy")
	fmt.Println(a.Shape, a.Values, err)
	// Output: [2 2] [1 0.5 0.5 1] <nil>
}
