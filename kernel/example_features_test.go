package kernel_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// initials compares texts by the first letters of their words.
type initials struct{}

func (k initials) Eval(x, y string) float64 {
	sum := 0.0
	k.EachFeature(x, func(a string, u float64) {
		k.EachFeature(y, func(b string, v float64) {
			if a == b {
				sum += u * v
			}
		})
	})
	return sum
}

func (initials) EachFeature(x string, add func(name string, value float64)) {
	for _, w := range strings.Fields(x) {
		add(w[:1], 1)
	}
}

func ExampleSparseMapper() {
	var k kernel.SparseMapper[string] = initials{}
	k.EachFeature("peter piper", func(name string, value float64) { fmt.Println(name, value) })
	// Output:
	// p 1
	// p 1
}

func ExampleHasSparseMap() {
	words := kernel.Erase[string](kernel.Normalize[string](initials{}))
	smooth := kernel.OnVectors(kernel.Gaussian{Lengthscale: 1})
	fmt.Println(kernel.HasSparseMap(words), kernel.HasSparseMap(smooth))
	// Output: true false
}

func ExampleMapSparse() {
	texts := data.Erase(data.Points[string](data.Slice[string]{"peter piper", "pepper picked peter", "a peck"}))
	space, rows, err := kernel.MapSparse(context.Background(), 1, kernel.Erase[string](initials{}), texts, 0)
	fmt.Println(space.Names, rows.At(0).Value, rows.At(2).Value, err)
	// Output: [a p] [2] [1 1] <nil>
}

func ExampleNewFeatureSpace() {
	space, err := kernel.NewFeatureSpace(kernel.Erase[string](initials{}), []string{"a", "p"})
	if err != nil {
		panic(err)
	}
	texts := data.Erase(data.Points[string](data.Slice[string]{"a new pepper"}))
	fmt.Println(space.Rows(context.Background(), 1, texts).At(0),
		space.Eval("pepper", data.SparseVec{Index: []int32{1}, Value: []float64{3}}))
	// Output: {[0 1] [1 1]} 3
}
