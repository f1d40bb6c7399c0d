// A hundred measurements of oil in a pipe, twelve numbers each, in the plane: by principal
// components, by kernel principal components and by a Gaussian process latent variable model. An
// error is a point whose nearest neighbour in the plane is of another phase of flow.
package main

import (
	"context"
	"fmt"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

func main() {
	ctx := context.Background()
	d := draw.Must(load.Read(ctx, draw.Shared("oilflow100.csv"), load.Options{}))
	x := draw.Points(d)
	class := make([]int, x.Len())
	for i := range class {
		class[i] = label(d, i)
	}
	linear := draw.Must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2}.Fit(ctx, x)).Scores()
	scaled := mat.NewDense(x.Len(), x.Dim(), nil)
	for j := range x.Dim() {
		mean, std := stat.PopMeanStdDev(draw.Coordinate(x, j), nil)
		scaled.SetCol(j, draw.Map(draw.Coordinate(x, j), func(v float64) float64 { return (v - mean) / std }))
	}
	curved := draw.Must(project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.58}, Components: 2}.Fit(ctx,
		data.Rows(scaled))).Scores()
	latent := draw.Must(project.GPLVM{Iterations: 300}.Fit(ctx, x)).Latent()
	var panels []*draw.Panel
	for _, c := range []struct {
		title string
		z     *mat.Dense
	}{{"principal components", linear}, {"kernel components", curved}, {"GPLVM", latent}} {
		p := draw.New(fmt.Sprintf("%s: %d errors", c.title, draw.Strangers(c.z, class)), "", "")
		p.Groups(data.Rows(c.z), class, "one phase", "another", "the third")
		p.Bare()
		panels = append(panels, p)
	}
	draw.Save("oil-flow", 3, panels...)
}

// label is the class of a row, from 0.
func label(d *data.Dataset, i int) int {
	c := d.Columns[len(d.Columns)-1]
	if c.Kind == data.Numeric {
		return int(c.Numbers[i])
	}
	return int(c.Codes[i])
}
