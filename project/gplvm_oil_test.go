package project

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// On the hundred oil flows of Lawrence (2005), whose nearest neighbour in the plane is of another
// phase for 20 by principal components and for 4 by latent points.
func TestGPLVMOnOilFlow(t *testing.T) {
	all := sharedTable(t, "oilflow100.csv", 0)
	n, _ := all.Dims()
	y, phase := all.Slice(0, n, 0, 12).(*mat.Dense), all.ColView(12)
	strangers := func(x *mat.Dense) int {
		count := 0
		for i := range n {
			nearest, least := -1, math.Inf(1)
			for j := range n {
				if dist := math.Hypot(x.At(i, 0)-x.At(j, 0), x.At(i, 1)-x.At(j, 1)); j != i && dist < least {
					nearest, least = j, dist
				}
			}
			if phase.AtVec(nearest) != phase.AtVec(i) {
				count++
			}
		}
		return count
	}
	p, err := GPLVM{}.problem(t.Context(), data.Rows(y))
	if err != nil {
		t.Fatal(err)
	}
	first := strangers(mat.NewDense(n, 2, p.x0.Data))
	m, err := GPLVM{Iterations: 300}.Fit(t.Context(), data.Rows(y))
	if err != nil {
		t.Fatal(err)
	}
	found := strangers(m.Latent())
	t.Logf("nearest neighbours of another phase: %d by principal components, %d by latent points; %+v", first, found,
		m.Report())
	if first < 15 || found > 6 {
		t.Errorf("%d by principal components, %d by latent points; published 20 and 4", first, found)
	}
}
