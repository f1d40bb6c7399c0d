package plot

import (
	"image/color"
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// chart is two axes and what is drawn between them, in the order in which it was added.
type chart struct {
	X, Y   chartAxis
	layers []layer
}

// layer is something that is drawn between the axes.
type layer interface {
	Plot(c canvas.Canvas, p *chart)
}

// ranger is a layer that the axes make room for.
type ranger interface {
	DataRange() (xmin, xmax, ymin, ymax float64)
}

// marked is a layer with marks, which are to be whole at the edge: it tells their places as shares
// of the axes, and their radii.
type marked interface {
	marks(p *chart) []room
}

// thumbnailer is a layer that can show in the legend what it looks like.
type thumbnailer interface {
	Thumbnail(c canvas.Canvas)
}

// Add adds layers, and room for them.
func (p *chart) Add(layers ...layer) {
	for _, l := range layers {
		if r, ok := l.(ranger); ok {
			xmin, xmax, ymin, ymax := r.DataRange()
			p.X.Min, p.X.Max = math.Min(p.X.Min, xmin), math.Max(p.X.Max, xmax)
			p.Y.Min, p.Y.Max = math.Min(p.Y.Min, ymin), math.Max(p.Y.Max, ymax)
		}
	}
	p.layers = append(p.layers, layers...)
}

// Draw draws the axes and the layers.
func (p *chart) Draw(c canvas.Canvas) {
	c.Fill(color.White, c.Min, canvas.Point{X: c.Max.X, Y: c.Min.Y}, c.Max, canvas.Point{X: c.Min.X, Y: c.Max.Y})
	p.X.settle()
	p.Y.settle()
	left, below := p.Y.width(), p.X.height()
	p.X.drawBelow(p.padX(c.Crop(left, 0, 0, 0)))
	p.Y.drawLeft(p.padY(c.Crop(0, 0, below, 0)))
	inner := p.padY(p.padX(c.Crop(left, 0, below, 0)))
	for _, l := range p.layers {
		l.Plot(inner, p)
	}
}

// Transforms are the places of values on a canvas.
func (p *chart) Transforms(c canvas.Canvas) (x, y func(float64) float64) {
	return func(v float64) float64 { return c.X(p.X.share(v)) }, func(v float64) float64 { return c.Y(p.Y.share(v)) }
}

// room is a box about a place, which is given as a share of each axis.
type room struct {
	x, y float64
	canvas.Rectangle
}

func (p *chart) markRooms() (all []room) {
	for _, l := range p.layers {
		if m, ok := l.(marked); ok {
			all = append(all, m.marks(p)...)
		}
	}
	return all
}

// padX makes a canvas narrower until the marks, and the labels of the axis on the right, are on it.
func (p *chart) padX(c canvas.Canvas) canvas.Canvas {
	marks := p.markRooms()
	low, at := overhang(marks, func(r room) (float64, float64) { return r.x, c.X(r.x) + r.Min.X - c.Min.X })
	high, to := overhang(append(marks, p.X.labelRooms()...), func(r room) (float64, float64) {
		return 1 - r.x, c.Max.X - c.X(r.x) - r.Max.X
	})
	c.Min.X, c.Max.X = squeeze(c.Min.X, c.Max.X, at, low, to, high)
	return c
}

// padY is padX of the other axis.
func (p *chart) padY(c canvas.Canvas) canvas.Canvas {
	marks := p.markRooms()
	low, at := overhang(marks, func(r room) (float64, float64) { return r.y, c.Y(r.y) + r.Min.Y - c.Min.Y })
	high, to := overhang(append(marks, p.Y.labelRooms()...), func(r room) (float64, float64) {
		return 1 - r.y, c.Max.Y - c.Y(r.y) - r.Max.Y
	})
	c.Min.Y, c.Max.Y = squeeze(c.Min.Y, c.Max.Y, at, low, to, high)
	return c
}

// overhang is how far the box that sticks out most does so over a side, and its share of the way
// from there; of tells both, the first as it is, the second negative where the box sticks out.
func overhang(rooms []room, of func(room) (share, inside float64)) (over, share float64) {
	for _, r := range rooms {
		if at, inside := of(r); at >= 0 && -inside > over {
			over, share = -inside, at
		}
	}
	return over, share
}

// squeeze moves the ends of an axis together so that what stuck out at both does not: with a at the
// share s of the way from the lower end, and b at the share t from the upper one, new ends l and h
// have to be with l + s(h-l) = low + s(high-low) + a and h - t(h-l) = high - t(high-low) - b.
func squeeze(low, high, s, a, t, b float64) (l, h float64) {
	span := high - low
	if det := 1 - s - t; det > 0 {
		// The new span w: subtract the first from the second.
		w := (span*(1-s-t) - a - b) / det
		l = low + s*span + a - s*w
		return l, l + w
	}
	return low, high
}
