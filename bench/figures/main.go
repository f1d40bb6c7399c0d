// Command figures draws the pictures of docs/projections.md.
//
//	cd bench && go run ./figures ../../shared/data ../docs/img [NAME]
package main

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/cluster"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

var (
	ctx    = context.Background()
	inks   = []color.RGBA{{214, 69, 65, 255}, {31, 119, 180, 255}, {44, 160, 44, 255}}
	shared string
	out    string
)

func main() {
	log.SetFlags(0)
	shared, out = os.Args[1], os.Args[2]
	only := ""
	if len(os.Args) > 3 {
		only = os.Args[3] // the name of one picture
	}
	for _, f := range []struct {
		name string
		draw func()
	}{{"clusters", threeClusters}, {"oilflow", oilFlow}, {"digits", digits}, {"spirals", spirals}} {
		if only == "" || only == f.name {
			f.draw()
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

func save(name string, img image.Image) {
	f := must(os.Create(filepath.Join(out, name)))
	defer f.Close()
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(f, img); err != nil {
		log.Fatal(err)
	}
}

// table reads numbers under a header.
func table(name string, limit int) *mat.Dense {
	var r io.Reader = must(os.Open(filepath.Join(shared, name)))
	if strings.HasSuffix(name, ".gz") {
		r = must(gzip.NewReader(r))
	}
	rec := must(csv.NewReader(r).ReadAll())[1:]
	if limit > 0 {
		rec = rec[:limit]
	}
	m := mat.NewDense(len(rec), len(rec[0]), nil)
	for i, row := range rec {
		for j, s := range row {
			m.Set(i, j, must(strconv.ParseFloat(s, 64)))
		}
	}
	return m
}

// panel is a square of an image with coordinates of its own.
type panel struct {
	img            *image.RGBA
	x0, y0, side   int
	left, low, wid float64
}

func newPanel(img *image.RGBA, x0, y0, side int, points *mat.Dense) panel {
	p := panel{img: img, x0: x0, y0: y0, side: side}
	n, _ := points.Dims()
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for i := range n {
		for j := range 2 {
			lo[j], hi[j] = math.Min(lo[j], points.At(i, j)), math.Max(hi[j], points.At(i, j))
		}
	}
	p.wid = 1.1 * math.Max(hi[0]-lo[0], hi[1]-lo[1])
	p.left, p.low = (lo[0]+hi[0]-p.wid)/2, (lo[1]+hi[1]-p.wid)/2
	for i := range side {
		for j := range side {
			img.Set(x0+i, y0+j, color.White)
		}
	}
	return p
}

func (p panel) dot(x, y float64, c color.Color) {
	px := p.x0 + int((x-p.left)/p.wid*float64(p.side))
	py := p.y0 + p.side - 1 - int((y-p.low)/p.wid*float64(p.side))
	for a := -2; a <= 2; a++ {
		for b := -2; b <= 2; b++ {
			if a*a+b*b <= 5 {
				p.img.Set(px+a, py+b, c)
			}
		}
	}
}

// threeClusters: eight components as landscapes with lines of equal score.
func threeClusters() {
	rng := rand.New(rand.NewPCG(3, 0))
	centers := [3][2]float64{{-0.5, -0.2}, {0, 0.6}, {0.5, 0}}
	x := mat.NewDense(90, 2, nil)
	for i := range 90 {
		c := centers[i/30]
		x.SetRow(i, []float64{c[0] + 0.1*rng.NormFloat64(), c[1] + 0.1*rng.NormFloat64()})
	}
	m := must(project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(0.05)}, Components: 8}.Fit(ctx, data.Rows(x)))
	const side, gap = 180, 8
	img := image.NewRGBA(image.Rect(0, 0, 4*side+5*gap, 2*side+3*gap))
	for j := range 8 {
		p := newPanel(img, gap+j%4*(side+gap), gap+j/4*(side+gap), side, x)
		grid := mat.NewDense(side*side, 2, nil)
		for a := range side {
			for b := range side {
				grid.SetRow(a*side+b, []float64{p.left + (float64(b)+0.5)/side*p.wid, p.low + (float64(side-1-a)+0.5)/side*p.wid})
			}
		}
		z := must(m.Transform(ctx, data.Rows(grid)))
		top := 0.0
		for i := range side * side {
			top = math.Max(top, math.Abs(z.At(i, j)))
		}
		level := func(i int) int { return int(math.Floor(z.At(i, j) / top * 6)) }
		for a := range side {
			for b := range side {
				i := a*side + b
				v := float64(level(i)) / 6
				c := color.RGBA{uint8(255 - 110*math.Max(-v, 0)), uint8(255 - 90*math.Abs(v)), uint8(255 - 110*math.Max(v, 0)), 255}
				if a+1 < side && level(i) != level(i+side) || b+1 < side && level(i) != level(i+1) {
					c = color.RGBA{120, 120, 120, 255}
				}
				img.Set(p.x0+b, p.y0+a, c)
			}
		}
		for i := range 90 {
			p.dot(x.At(i, 0), x.At(i, 1), inks[i/30])
		}
	}
	save("kpca-clusters.png", img)
}

// oilFlow: the plane of PCA beside that of kernel PCA.
func oilFlow() {
	t := table("oilflow100.csv", 0)
	n, c := t.Dims()
	x := mat.DenseCopyOf(t.Slice(0, n, 0, c-1))
	scaled := mat.DenseCopyOf(x)
	for j := range c - 1 {
		a := must(data.FitScaling(data.Standardize, mat.Col(nil, j, x)))
		for i := range n {
			scaled.Set(i, j, a.Apply(x.At(i, j)))
		}
	}
	const side, gap = 320, 10
	img := image.NewRGBA(image.Rect(0, 0, 2*side+3*gap, side+2*gap))
	for i, z := range []*mat.Dense{
		must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: 2}.Fit(ctx, data.Rows(x))).Scores(),
		must(project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 1.58}, Components: 2}.Fit(ctx, data.Rows(scaled))).Scores(),
	} {
		p := newPanel(img, gap+i*(side+gap), gap, side, z)
		for r := range n {
			p.dot(z.At(r, 0), z.At(r, 1), inks[int(t.At(r, c-1))%3])
		}
	}
	save("oilflow.png", img)
}

// digits: clean, noisy, linear PCA, kernel PCA by fixed point and by map.
func digits() {
	train, test := table("usps_train.csv.gz", 2000), table("usps_test.csv.gz", 200)
	x := mat.DenseCopyOf(train.Slice(0, 2000, 1, 257))
	clean := mat.DenseCopyOf(test.Slice(0, 200, 1, 257))
	noisy := mat.DenseCopyOf(clean)
	rng := rand.New(rand.NewPCG(11, 0))
	noisy.Apply(func(_, _ int, v float64) float64 { return v + 0.5*rng.NormFloat64() }, noisy)
	const q = 128
	lin := must(project.PCA[kernel.Vec]{Kernel: kernel.Linear{}, Components: q}.Fit(ctx, data.Rows(x)))
	back := must(project.MapLearner{Kernel: kernel.Linear{}, Lambda: 1e-8}.Fit(ctx, lin.Scores(), data.Rows(x)))
	m := must(project.PCA[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 11.3}, Components: q}.Fit(ctx, data.Rows(x)))
	lm := must(project.MapLearner{Lambda: 1e-2}.Fit(ctx, m.Scores(), data.Rows(x)))
	rows := []*mat.Dense{
		clean, noisy,
		must(project.Denoise[kernel.Vec](ctx, lin, back, data.Rows(noisy))),
		must(project.Denoise[kernel.Vec](ctx, m, project.FixedPoint{Model: m, MaxIterations: 100}, data.Rows(noisy))),
		must(project.Denoise[kernel.Vec](ctx, m, lm, data.Rows(noisy))),
	}
	const zoom, gap = 2, 3
	img := image.NewGray(image.Rect(0, 0, gap+12*(16*zoom+gap), gap+len(rows)*(16*zoom+gap)))
	for r, set := range rows {
		var d mat.Dense
		d.Sub(set, clean)
		f := mat.Norm(&d, 2)
		fmt.Printf("digits, row %d: MSE %.4f\n", r, f*f/(200*256))
		for c := range 12 {
			for p, v := range set.RawRowView(c * 16) {
				g := color.Gray{uint8(255 * (1 - math.Min(math.Max((v+1)/2, 0), 1)))}
				for a := range zoom * zoom {
					img.Set(gap+c*(16*zoom+gap)+p%16*zoom+a%zoom, gap+r*(16*zoom+gap)+p/16*zoom+a/zoom, g)
				}
			}
		}
	}
	save("usps-denoised.png", img)
}

// spirals: kernel k-means, k-medoids and spectral clustering of one data set.
func spirals() {
	x := table("spirals_kernlab.csv", 0)
	k := kernel.Gaussian{Lengthscale: 0.05}
	points := data.Rows(x)
	const side, gap = 220, 8
	img := image.NewRGBA(image.Rect(0, 0, 3*side+4*gap, side+2*gap))
	for i, labels := range [][]int{
		must(cluster.KMedoids[kernel.Vec]{Kernel: kernel.Linear{}, Clusters: 2}.Fit(ctx, points)).Labels(),
		must(cluster.KMeans[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 0.5}, Clusters: 2}.Fit(ctx, points)).Labels(),
		must(cluster.Spectral[kernel.Vec]{Kernel: k, Clusters: 2}.Fit(ctx, points)).Labels(),
	} {
		p := newPanel(img, gap+i*(side+gap), gap, side, x)
		for r, l := range labels {
			p.dot(x.At(r, 0), x.At(r, 1), inks[l])
		}
	}
	save("spirals.png", img)
}
