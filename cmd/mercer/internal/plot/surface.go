package plot

import (
	"image/color"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// shade maps [0, 1] to a blue that darkens throughout, so that order survives
// without colour.
func shade(t float64) color.RGBA {
	stops := []color.RGBA{{247, 251, 255, 255}, {198, 219, 239, 255}, {107, 174, 214, 255}, {33, 113, 181, 255},
		{8, 48, 107, 255}}
	t = math.Min(math.Max(t, 0), 1) * float64(len(stops)-1)
	i := min(int(t), len(stops)-2)
	w := t - float64(i)
	mix := func(a, b uint8) uint8 { return uint8(float64(a) + w*(float64(b)-float64(a)) + 0.5) }
	a, b := stops[i], stops[i+1]
	return color.RGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// cells fills boxes: unit squares around whole coordinates, or what scales say.
type cells struct {
	fill   func(x, y int) (color.Color, bool)
	text   func(x, y int) (string, color.Color)
	dot    func(x, y int) bool // whether there is a dot in the middle; nil: nowhere
	w, h   int
	xs, ys *scale // nil: unit squares
	bar    *colourBar
	mark   [2]int // a cell to frame; negative: none
}

// colourBar is the scale to the right of the cells.
type colourBar struct{ low, high string }

// DataRange makes room for the cells and the scale.
func (c cells) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmax = float64(c.w) - 0.5
	if c.bar != nil {
		xmax += 0.28 * float64(c.w)
	}
	return -0.5, xmax, -0.5, float64(c.h) - 0.5
}

// Plot draws them.
func (c cells) Plot(on canvas.Canvas, p *chart) {
	tx, ty := p.Transforms(on)
	box := func(x0, y0, x1, y1 float64) []canvas.Point {
		return []canvas.Point{{X: tx(x0), Y: ty(y0)}, {X: tx(x1), Y: ty(y0)}, {X: tx(x1), Y: ty(y1)}, {X: tx(x0), Y: ty(y1)}}
	}
	around := func(x, y int) []canvas.Point {
		x0, x1 := c.xs.sides(x)
		y0, y1 := c.ys.sides(y)
		return box(x0, y0, x1, y1)
	}
	for y := range c.h {
		for x := range c.w {
			fx, fy := c.xs.middle(x), c.ys.middle(y)
			if col, ok := c.fill(x, y); ok {
				on.Fill(col, around(x, y)...)
			}
			if c.dot != nil && c.dot(x, y) {
				on.Mark(canvas.Mark{Color: axis, Radius: 0.6, Shape: canvas.Circle}, canvas.Point{X: tx(fx), Y: ty(fy)})
			}
			if c.text != nil {
				s, col := c.text(x, y)
				style := canvas.Text{Color: col, Size: tickSize, AlignX: canvas.Middle, AlignY: canvas.Middle}
				on.Write(style, canvas.Point{X: tx(fx), Y: ty(fy)}, s)
			}
		}
	}
	if c.mark[0] >= 0 {
		frame := around(c.mark[0], c.mark[1])
		frame = append(frame, frame[0], frame[1])
		on.Stroke(canvas.Line{Color: color.White, Width: 3}, frame...)
		on.Stroke(canvas.Line{Color: colour(4), Width: 1.6}, frame...)
	}
	if c.bar != nil {
		const steps = 48
		w, top := float64(c.w), float64(c.h)
		x0, x1 := w-0.5+0.06*w, w-0.5+0.11*w
		for i := range steps {
			a, b := float64(i)/steps, float64(i+1)/steps
			on.Fill(shade((a+b)/2), box(x0, a*top-0.5, x1, b*top-0.5)...)
		}
		on.Stroke(canvas.Line{Color: axis, Width: 0.4}, append(box(x0, -0.5, x1, top-0.5),
			canvas.Point{X: tx(x0), Y: ty(-0.5)})...)
		style := canvas.Text{Color: ink, Size: tickSize, AlignX: canvas.Left}
		on.Write(style, canvas.Point{X: tx(x1) + 3, Y: ty(-0.5)}, c.bar.low)
		style.AlignY = canvas.Top
		on.Write(style, canvas.Point{X: tx(x1) + 3, Y: ty(top - 0.5)}, c.bar.high)
	}
}

// Confusion draws how often each class was taken for each.
func Confusion(classes []string, count [][]int) (*Figure, error) {
	f := newFigure("predicted", "true", "confusion matrix: true classes in rows, predicted in columns")
	k := len(classes)
	short, longest := make([]string, k), 0
	for i, c := range classes {
		r := []rune(c)
		longest = max(longest, len(r))
		if len(r) > 12 {
			r = append(r[:11], '…')
		}
		short[i] = string(r)
	}
	flipped := make(named, k)
	for i := range short {
		flipped[k-1-i] = short[i]
	}
	f.p.X.Ticks, f.p.Y.Ticks = named(short), flipped
	if k > 4 && longest > 3 {
		f.p.X.tickLabel.Rotation = math.Pi / 4
		f.p.X.tickLabel.AlignX, f.p.X.tickLabel.AlignY = canvas.Right, canvas.Middle
	}
	row := make([]int, k)
	for t := range count {
		for _, n := range count[t] {
			row[t] += n
		}
	}
	share := func(x, y int) float64 {
		t := k - 1 - y
		return float64(count[t][x]) / float64(max(row[t], 1))
	}
	f.p.Add(cells{w: k, h: k, mark: [2]int{-1, -1},
		fill: func(x, y int) (color.Color, bool) { return shade(share(x, y)), true },
		text: func(x, y int) (string, color.Color) {
			n := count[k-1-y][x]
			if k > 40 || n == 0 && k > 6 {
				return "", ink
			}
			if share(x, y) > 0.5 {
				return itoa(n), color.White
			}
			return itoa(n), ink
		}})
	if k > 6 {
		f.Height = 75 * canvas.Millimeter
	}
	if k > 12 { // a label has its own line
		f.Width, f.Height = float64(40+3.4*float64(k))*canvas.Millimeter, float64(30+3.4*float64(k))*canvas.Millimeter
		if longest > 1 {
			f.p.X.tickLabel.Rotation = math.Pi / 2
			f.p.X.tickLabel.AlignX, f.p.X.tickLabel.AlignY = canvas.Right, canvas.Middle
		}
	}
	return f, nil
}

// Regions draws which class a model predicts where, over a plane, and the
// points it was judged on. class[y][x] belongs to (xs[x], ys[y]).
type Regions struct {
	XName, YName string
	Xs, Ys       []float64
	Class        [][]int
	Names        []string
	PX, PY       []float64
	PClass       []int
}

// Plot fills runs of one class in a row at once.
func (r Regions) Plot(on canvas.Canvas, p *chart) {
	tx, ty := p.Transforms(on)
	dx, dy := (r.Xs[1]-r.Xs[0])/2, (r.Ys[1]-r.Ys[0])/2
	for y, row := range r.Class {
		for from := 0; from < len(row); {
			to := from
			for to < len(row) && row[to] == row[from] {
				to++
			}
			x0, x1, y0, y1 := tx(r.Xs[from]-dx), tx(r.Xs[to-1]+dx), ty(r.Ys[y]-dy), ty(r.Ys[y]+dy)
			// rows overlap by a hair, against seams
			x0, x1, y0, y1 = max(x0, on.Min.X), min(x1, on.Max.X), max(y0, on.Min.Y), min(y1+0.3, on.Max.Y)
			on.Fill(regionTint(row[from]), []canvas.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}}...)
			from = to
		}
	}
}

// regionTint is the colour of the region of a class.
func regionTint(class int) color.Color { return tint(colour(class), 0.25+0.12*float64(class%2)) }

// holds says whether a class is predicted anywhere.
func (r Regions) holds(class int) bool {
	return slices.ContainsFunc(r.Class, func(row []int) bool { return slices.Contains(row, class) })
}

// Figure draws the regions.
func (r Regions) Figure() (*Figure, error) {
	f := newFigure(r.XName, r.YName, "regions of the plane by predicted class, with the points")
	f.p.Add(r)
	for c, name := range r.Names {
		var xy xys
		for i, k := range r.PClass {
			if k == c {
				xy = append(xy, canvas.Point{X: r.PX[i], Y: r.PY[i]})
			}
		}
		if len(xy) == 0 {
			if r.holds(c) {
				f.legend(name, swatch{regionTint(c)})
			}
			continue
		}
		s := dots{xys: xy, style: canvas.Mark{Color: darker(colour(c)), Radius: 1.5, Shape: shape(c)}}
		f.p.Add(s)
		f.legend(name, s)
	}
	f.p.X.Min, f.p.X.Max = r.Xs[0], r.Xs[len(r.Xs)-1]
	f.p.Y.Min, f.p.Y.Max = r.Ys[0], r.Ys[len(r.Ys)-1]
	f.p.X.Padding, f.p.Y.Padding = 0, 0
	return f, nil
}

func darker(c color.RGBA) color.RGBA {
	return color.RGBA{uint8(float64(c.R) * 0.75), uint8(float64(c.G) * 0.75), uint8(float64(c.B) * 0.75), 255}
}
