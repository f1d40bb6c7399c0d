package plot

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
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
	ticks := make(plot.ConstantTicks, n)
	low, high := 0.0, 0.0
	for i, b := range bars {
		ticks[i] = plot.Tick{Value: float64(n - 1 - i), Label: clipName(b.Name)}
		if !bad(b.Value) && !bad(b.Error) {
			low, high = min(low, b.Value-b.Error), max(high, b.Value+b.Error)
		}
	}
	f.p.Y.Tick.Marker = ticks
	f.p.Y.Tick.Length, f.p.Y.LineStyle.Width = 0, 0
	f.p.Y.Min, f.p.Y.Max = -0.6, float64(n)-0.4
	f.p.X.Min, f.p.X.Max = margin(low, high)
	if low == high {
		f.p.X.Min, f.p.X.Max = 0, 1
	}
	f.Height = max(60, vg.Length(14+5*n)) * vg.Millimeter
	f.p.Add(barsOf(bars))
	return f, nil
}

func clipName(s string) string {
	if r := []rune(s); len(r) > 18 {
		return string(r[:17]) + "…"
	}
	return s
}

type barsOf []Bar

// Plot draws the bars.
func (b barsOf) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for i, v := range b {
		if bad(v.Value) {
			continue
		}
		y := ty(float64(len(b) - 1 - i))
		half := vg.Length(math.Min(6, math.Abs(float64(ty(1)-ty(0)))*0.36))
		x0, x1 := tx(0), tx(v.Value)
		c.FillPolygon(tint(colour(0), 0.75), []vg.Point{{X: x0, Y: y - half}, {X: x1, Y: y - half}, {X: x1, Y: y + half}, {X: x0, Y: y + half}})
		if v.Error > 0 {
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.7}, tx(v.Value-v.Error), y, tx(v.Value+v.Error), y)
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: axis, Width: 0.5}, tx(0), c.Min.Y, tx(0), c.Max.Y)
}
