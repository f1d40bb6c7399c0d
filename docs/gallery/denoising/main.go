// Ten digits with noise, projected on principal components and on kernel principal components of
// two thousand digits without. A point of feature space need not be the image of any picture; what
// is shown is the picture whose image is nearest.
package main

import (
	"context"
	"math/rand/v2"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/docs/gallery/internal/draw"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

const white = -1.0 // of a pixel; black is 1

// pictures reads digits of 16 × 16 pixels; the label is the first column.
func pictures(name string) (x *mat.Dense, label []float64) {
	d := draw.Must(load.Read(context.Background(), draw.Shared(name),
		load.Options{Told: data.Kinds(map[string]data.Kind{"label": data.Numeric}), NoTarget: true}))
	x = mat.NewDense(d.Len(), 256, nil)
	for j := range 256 {
		x.SetCol(j, d.Columns[j+1].Numbers)
	}
	return x, d.Columns[0].Numbers
}

func main() {
	ctx := context.Background()
	all, _ := pictures("usps_train.csv.gz")
	clean := data.Rows(all.Slice(0, 2000, 0, 256))
	others, label := pictures("usps_test.csv.gz")
	rng := rand.New(rand.NewPCG(1, 1))
	var noisy, clear data.Slice[kernel.Vec]
	for digit := range 10 {
		for i, l := range label {
			if int(l) == digit {
				clear = append(clear, others.RawRowView(i))
				noisy = append(noisy, draw.Map(others.RawRowView(i), func(v float64) float64 { return v + 0.5*rng.NormFloat64() }))
				break
			}
		}
	}
	linear := draw.Must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 128}.Fit(ctx, clean))
	curved := draw.Must(project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 11.3}, Components: 128}.Fit(ctx,
		clean))
	flat := draw.Must(project.Denoise(ctx, linear, project.Gradient{Model: linear}, noisy))
	bent := draw.Must(project.Denoise(ctx, curved, project.FixedPoint{Model: curved}, noisy))
	const cell = 16 + 2 // a picture and the room beside it
	sheet := mat.NewDense(4*cell, 10*cell, nil)
	sheet.Apply(func(_, _ int, _ float64) float64 { return white }, sheet)
	for row, x := range []data.Points[kernel.Vec]{clear, noisy, data.Rows(flat), data.Rows(bent)} {
		for digit := range 10 {
			for i, v := range x.At(digit) {
				sheet.Set(cell*row+i/16, cell*digit+i%16, v)
			}
		}
	}
	p := draw.New("", "", "")
	p.Matrix(sheet, white, 1)
	p.Bare()
	p.Labels([]float64{4*cell - 8, 3*cell - 8, 2*cell - 8, cell - 8},
		[]string{"digit", "with noise", "linear components", "kernel components"})
	draw.Save("denoising", 1, p)
}
