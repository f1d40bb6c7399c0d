package csvio_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/csvio"
)

func ExampleNewReader() {
	r, err := csvio.NewReader(strings.NewReader("a;b\n1,5;x\n2,25;y\n"), "t.csv", csvio.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	d, err := r.Next()
	fmt.Println(d.Columns[0].Numbers, err)
	fmt.Printf("%c %c\n", r.Delimiter(), r.Decimal())
	// Output:
	// [1.5 2.25] <nil>
	// ; ,
}

func ExampleWriter() {
	w := csvio.NewWriter(os.Stdout, 0)
	err := w.Write(&data.Dataset{Columns: []data.Column{
		data.NumberColumn("prediction", []float64{0.5, 2}), data.TextColumn("note", []string{"a, b", "c"})}})
	if err != nil {
		fmt.Println(err)
	}
	w.Flush()
	// Output:
	// prediction,note
	// 0.5,"a, b"
	// 2,c
}
