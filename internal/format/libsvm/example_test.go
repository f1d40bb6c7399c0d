package libsvm_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/mercer-ml/mercer/internal/format/libsvm"
)

func ExampleRead() {
	d, err := libsvm.Read(strings.NewReader("+1 1:0.5 3:2\n-1 2:1\n"), "train", libsvm.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, _ := libsvm.FitRange(*d.Sparse, -1, 1)
	libsvm.Write(os.Stdout, r.Transform(*d.Sparse), d.Columns[0].Numbers, nil)
	// Output:
	// 1 1:1 2:-1 3:1
	// -1 1:-1 2:1 3:-1
}
