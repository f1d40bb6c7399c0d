package gram_test

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/gram"
	"github.com/mercer-ml/mercer/kernel"
	"gonum.org/v1/gonum/mat"
)

func ExampleRestoreFourierMap() {
	m, err := gram.NewFourierMap(k, 1, 3, false, 0, 1)
	if err != nil {
		panic(err)
	}
	back, err := gram.RestoreFourierMap(m.Frequencies(), m.Scale())
	if err != nil {
		panic(err)
	}
	a, _ := m.Features(context.Background(), x)
	b, err := back.Features(context.Background(), x)
	fmt.Println(mat.Equal(a, b), err)
	// Output: true <nil>
}

func ExampleRestoreNystromMap() {
	m, err := gram.NewNystromMap(context.Background(), k, data.Gather[kernel.Vec](x, []int{0, 3}), gram.LowRankOptions{})
	if err != nil {
		panic(err)
	}
	back, err := gram.RestoreNystromMap(k, m.Centers, m.Factor())
	if err != nil {
		panic(err)
	}
	a, _ := m.Features(context.Background(), x)
	b, err := back.Features(context.Background(), x)
	fmt.Println(mat.Equal(a, b), err)
	// Output: true <nil>
}
