package arrow_test

import (
	"fmt"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/arrow"
)

func ExampleReadAll() {
	f, err := os.Open("testdata/delta.arrows")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	r, err := arrow.NewStreamReader(f, "delta.arrows", data.Inference{})
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := arrow.ReadAll(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), "rows,", d.Columns[0].Kind, d.Columns[0].Levels)
	// Output: 7 rows, categorical [a b c z]
}
