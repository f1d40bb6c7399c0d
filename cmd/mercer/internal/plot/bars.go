package plot

import (
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// Bar is a value with a name, and how uncertain it is.
type Bar struct {
	Name         string
	Value, Error float64
}

// Bars draws values as bars from zero to the right, the first on top; a line shows the uncertainty.
func Bars(x, alt string, bars []Bar) (*Figure, error) {
	f := newFigure(x, "", alt)
	n := len(bars)
	ticks := make(constantTicks, n)
	low, high := 0.0, 0.0
	names := make([]string, n)
	for i, b := range bars {
		names[i] = AxisName(b.Name)
	}
	names = NamesApart(names, 22)
	for i, b := range bars {
		ticks[i] = tick{Value: float64(n - 1 - i), Label: names[i]}
		if !bad(b.Value) && !bad(b.Error) {
			low, high = min(low, b.Value-b.Error), max(high, b.Value+b.Error)
		}
	}
	f.p.Y.Ticks = ticks
	f.p.Y.tickLength, f.p.Y.line.Width = 0, 0
	f.p.Y.Min, f.p.Y.Max = -0.6, float64(n)-0.4
	f.p.X.Min, f.p.X.Max = margin(low, high)
	if low == high {
		f.p.X.Min, f.p.X.Max = 0, 1
	}
	f.Height = max(60, float64(14+5*n)) * canvas.Millimeter
	f.p.Add(barsOf(bars))
	return f, nil
}

type barsOf []Bar

// Plot draws the bars.
func (b barsOf) Plot(c canvas.Canvas, p *chart) {
	tx, ty := p.Transforms(c)
	for i, v := range b {
		if bad(v.Value) {
			continue
		}
		y := ty(float64(len(b) - 1 - i))
		half := float64(math.Min(6, math.Abs(float64(ty(1)-ty(0)))*0.36))
		x0, x1 := tx(0), tx(v.Value)
		c.Fill(tint(colour(0), 0.75), []canvas.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half},
			{X: x0, Y: y + half}}...)
		if v.Error > 0 {
			c.Segment(canvas.Line{Color: ink, Width: 0.7}, tx(v.Value-v.Error), y, tx(v.Value+v.Error), y)
		}
	}
	c.Segment(canvas.Line{Color: axis, Width: 0.5}, tx(0), c.Min.Y, tx(0), c.Max.Y)
}
