package play

import (
	"context"
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/project"
	"gonum.org/v1/gonum/mat"
)

type latentAsked struct {
	Set    string     `json:"set"` // "flow", "iris", "digits", "sheet" or "own"
	N      int        `json:"n"`
	Seed   uint64     `json:"seed"`
	Kernel KernelText `json:"kernel"` // of kernel PCA
}

// Latent is rows of many columns as points of the plane.
type Latent struct {
	Method   string       `json:"method"`
	Kernel   *KernelFacts `json:"kernel,omitempty"`
	XY       []Drawn      `json:"xy"` // two columns
	Class    []int        `json:"class"`
	Names    []string     `json:"names,omitempty"`
	Surface  *Surface     `json:"surface,omitempty"` // how unsure the model is of what lies there
	Readings []Reading    `json:"readings"`
	Warnings []string     `json:"warnings,omitempty"`
	Note     string       `json:"note,omitempty"`
}

// What a scene takes: a step of the latent variable model costs n³.
const (
	mostLatent    = 200
	latentSteps   = 150
	latentSurface = 40
)

// latent shows the same rows by principal components, by kernel principal components, and by a
// Gaussian process of latent points.
func latent(ctx context.Context, p *Player, q latentAsked, send sender) error {
	if q.N < 6 || q.N > mostLatent {
		return &Fault{Field: "n", Message: fmt.Sprintf("%d rows; give 6 to %d", q.N, mostLatent)}
	}
	k, facts, err := q.Kernel.vectors()
	if err != nil {
		return err
	}
	set, err := p.wide(q)
	if err != nil {
		return at("set", err)
	}
	y := set.rows
	if err := kernel.Check(k, y); err != nil {
		return at("kernel", err)
	}
	show := func(method string, xy *mat.Dense, out *Latent, readings ...Reading) error {
		out.Method, out.XY, out.Class, out.Names = method, columns(xy), set.class, set.names
		out.Note = strings.TrimSpace(set.note + " " + out.Note)
		if out.Readings = readings; len(set.names) > 0 {
			out.Readings = append(readings, reading("neighbour-"+method, "rows beside another class",
				float64(strangers(xy, set.class))))
		}
		return send(method, out)
	}
	for _, c := range []struct {
		method string
		kernel kernel.Kernel[vec]
		facts  *KernelFacts
	}{{"pca", kernel.Linear{}, nil}, {"kernel-pca", k, &facts}} {
		m, err := project.PCA[vec]{Kernel: c.kernel, Components: 2}.Fit(ctx, y)
		if err != nil {
			return at("kernel", err)
		}
		if len(m.ExplainedRatio()) < 2 {
			return &Fault{Field: "kernel", Message: "the kernel has fewer than two components of these rows; take another"}
		}
		share := m.ExplainedRatio()[0] + m.ExplainedRatio()[1]
		if err := show(c.method, m.Scores(), &Latent{Kernel: c.facts, Warnings: m.Report().Warnings},
			reading("explained-"+c.method, "share of the variance", share)); err != nil {
			return err
		}
	}
	return process(ctx, y, show)
}

// process is the latent variable model, with the standard deviation of a row at each place of the
// picture.
func process(ctx context.Context, y data.Points[vec], show func(string, *mat.Dense, *Latent, ...Reading) error) error {
	m, err := project.GPLVM{Iterations: latentSteps}.Fit(ctx, y)
	if err != nil {
		return at("set", err)
	}
	xy := m.Latent()
	w := frame(xy, 0.15)
	_, std, err := m.Reconstruct(ctx, w.grid(latentSurface))
	if err != nil {
		return err
	}
	r := m.Report()
	out := &Latent{Surface: &Surface{Size: latentSurface, Window: w, Values: []Drawn{std}}}
	if !r.Converged {
		out.Note = fmt.Sprintf("Stopped after %d steps, as a page that waits has to.", r.Iterations)
	}
	return show("gplvm", xy, out, reading("log-density", "log p(Y, X)", r.LogDensity),
		reading("noise-gplvm", "noise", m.Noise()), reading("steps", "steps", float64(r.Iterations)))
}

// frame is a window around two columns.
func frame(xy *mat.Dense, room float64) Window {
	span := func(j int) (low, high float64) {
		n, _ := xy.Dims()
		low, high = xy.At(0, j), xy.At(0, j)
		for i := range n {
			low, high = min(low, xy.At(i, j)), max(high, xy.At(i, j))
		}
		extra := room * max(high-low, 1e-9)
		return low - extra, high + extra
	}
	x0, x1 := span(0)
	y0, y1 := span(1)
	return Window{x0, x1, y0, y1}
}

// strangers counts the rows whose nearest neighbour in a picture is of another class: what Lawrence
// (2005) compares pictures by.
func strangers(xy *mat.Dense, class []int) int {
	count := 0
	for i := range class {
		best, nearest := -1.0, i
		for j := range class {
			dx, dy := xy.At(i, 0)-xy.At(j, 0), xy.At(i, 1)-xy.At(j, 1)
			if d := dx*dx + dy*dy; j != i && (best < 0 || d < best) {
				best, nearest = d, j
			}
		}
		if class[nearest] != class[i] {
			count++
		}
	}
	return count
}
