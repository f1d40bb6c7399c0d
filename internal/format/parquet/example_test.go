package parquet_test

import (
	"fmt"
	"os"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/parquet"
)

func ExampleRead() {
	f, err := os.Open("testdata/types_v2.parquet")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := parquet.Read(f, info.Size(), "types_v2.parquet", data.Inference{})
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := d.Column("category")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d.Len(), "rows,", c.Kind, c.Levels)
	// Output: 120 rows, categorical [low middle]
}
