package kernel

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// Of many rows, which are looked at by all processors, the first that is unfit is named.
func TestCheckNamesTheFirstOfManyRows(t *testing.T) {
	x := mat.NewDense(20_000, 2, nil)
	rows := data.Rows(x)
	if err := Check(Gaussian{Lengthscale: 1}, rows); err != nil {
		t.Error(err)
	}
	for _, at := range []int{19_999, 8192, 8191, 4096, 0} { // each before the last
		x.Set(at, 1, math.Inf(-1))
		if err := Check(Gaussian{Lengthscale: 1}, rows); err == nil ||
			!strings.Contains(err.Error(), fmt.Sprintf("row %d,", at)) {
			t.Errorf("row %d: %v", at, err)
		}
	}
}
