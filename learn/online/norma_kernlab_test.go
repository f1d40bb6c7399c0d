package online

import (
	"encoding/csv"
	"math"
	"os"
	"strconv"
	"testing"

	"github.com/mercer-ml/mercer/kernel"
)

// TestNormaIsKernlabs takes the steps of kernlab's onlearn
// (bench/fixtures/norma_kernlab.R): its lambda is both our η and, with λ = 1, the rate
// at which old terms shrink.
func TestNormaIsKernlabs(t *testing.T) {
	file, err := os.Open("testdata/norma_kernlab.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	o, err := Norma[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1}, Loss: Hinge, Nu: 0.2, Eta: 0.05, Lambda: 1,
		Schedule: Constant, Intercept: true}.Start()
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range rows[1:] {
		var v [6]float64
		for j := range v {
			if v[j], err = strconv.ParseFloat(row[j], 64); err != nil {
				t.Fatal(err)
			}
		}
		decision, err := o.Observe(kernel.Vec{v[0], v[1]}, v[2])
		if err != nil {
			t.Fatal(err)
		}
		s := o.State()
		for j, got := range []float64{decision, s.Rho, s.Bias} {
			if want := v[3+j]; math.Abs(got-want) > 1e-12 {
				t.Fatalf("example %d: decision, margin, bias are %g, %g, %g; kernlab's %g, %g, %g", i, decision, s.Rho, s.Bias,
					v[3], v[4], v[5])
			}
		}
	}
}
