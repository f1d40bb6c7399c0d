package rkhs_test

import (
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/rkhs"
	"gonum.org/v1/gonum/mat"
)

// What was fitted is read back piece by piece, each checked.
func ExamplePlain() {
	p := rkhs.Plain[kernel.Vec]{
		Kind: "heights",
		Funcs: []*rkhs.Func[kernel.Vec]{{
			Kernel: kernel.Linear{}, Centers: data.Slice[kernel.Vec]{{1}, {2}}, Coef: mat.NewDense(2, 1, []float64{1, 1}),
		}},
		Numbers: map[string]float64{"spread": 0.5, "neighbours": 3},
		Arrays: map[string]*mat.Dense{"table": mat.NewDense(2, 2, []float64{1, 2, 3, 4}),
			"levels": rkhs.ListArray([]float64{0.1, 0.9}), "groups": rkhs.ListArray([]int{0, 1, 1})},
	}
	f, err := p.Function(0, 1, 1)
	fmt.Println(f.At(kernel.Vec{2})[0], err)
	fmt.Println(p.Number("spread"))
	fmt.Println(p.Whole("neighbours", 1, 10))
	table, err := p.Array("table", 2, -1)
	fmt.Println(table.At(1, 1), err)
	fmt.Println(p.List("levels", 2))
	fmt.Println(p.Codes("groups", 3, 2))
	_, err = p.Codes("groups", 3, 1)
	fmt.Println(err)
	// Output:
	// 6 <nil>
	// 0.5 <nil>
	// 3 <nil>
	// 4 <nil>
	// [0.1 0.9] <nil>
	// [0 1 1] <nil>
	// array "groups": entry 1 is 1; want a whole number below 1
}

// line is a fitted thing of two numbers.
type line struct{ slope, offset float64 }

// Plain writes it down.
func (l line) Plain() (rkhs.Plain[kernel.Vec], error) {
	return rkhs.Plain[kernel.Vec]{Kind: "line", Numbers: map[string]float64{"slope": l.slope, "offset": l.offset}}, nil
}

func ExamplePlainer() {
	var fitted rkhs.Plainer[kernel.Vec] = line{2, 1}
	p, err := fitted.Plain()
	fmt.Println(p.Kind, p.Numbers["slope"], err)
	// Output: line 2 <nil>
}

func ExampleListArray() {
	fmt.Println(mat.Formatted(rkhs.ListArray([]int{3, 1, 2})))
	// Output: [3  1  2]
}
