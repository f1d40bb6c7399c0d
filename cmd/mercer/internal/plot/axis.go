package plot

import (
	"math"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// tick is a mark on an axis; a small one where it has no label.
type tick struct {
	Value float64
	Label string
}

// IsMinor says that a tick has no label.
func (t tick) IsMinor() bool { return t.Label == "" }

// ticker says where an axis has ticks.
type ticker interface {
	Ticks(low, high float64) []tick
}

// constantTicks are ticks that are given.
type constantTicks []tick

// Ticks lists them.
func (t constantTicks) Ticks(_, _ float64) []tick { return t }

// chartAxis is an axis below or to the left of a chart.
type chartAxis struct {
	Min, Max float64
	Label    string
	Ticks    ticker
	Log      bool
	Padding  float64 // between the axis and what is drawn

	line, tickLine  canvas.Line
	tickLength      float64
	text, tickLabel canvas.Text
}

// labelGap is the room between the label of an axis and its numbers.
const labelGap = 2

// settle makes a range of what is none: an axis of nothing goes from 0 to 0, one of a single value
// goes a little to both sides.
func (a *chartAxis) settle() {
	if math.IsInf(a.Min, 0) {
		a.Min = 0
	}
	if math.IsInf(a.Max, 0) {
		a.Max = 0
	}
	if a.Min > a.Max {
		a.Min, a.Max = a.Max, a.Min
	}
	if a.Min == a.Max {
		a.Min--
		a.Max++
	}
}

// share is how far along the axis a value is; 0 is its beginning and 1 its end. What has no
// logarithm is far before the beginning.
func (a *chartAxis) share(v float64) float64 {
	if !a.Log {
		return (v - a.Min) / (a.Max - a.Min)
	}
	if !(v > 0 && a.Min > 0) {
		return -1
	}
	low := math.Log(a.Min)
	return (math.Log(v) - low) / (math.Log(a.Max) - low)
}

func (a *chartAxis) ticks() []tick { return a.Ticks.Ticks(a.Min, a.Max) }

// labelSizes are the width and the height of the largest label of a tick.
func (a *chartAxis) labelSizes(ticks []tick) (width, height float64) {
	for _, t := range ticks {
		if !t.IsMinor() {
			b := a.tickLabel.Box(t.Label)
			width, height = max(width, b.Max.X-b.Min.X), max(height, b.Max.Y-b.Min.Y)
		}
	}
	return width, height
}

// height is the room that an axis takes below a chart.
func (a *chartAxis) height() float64 {
	h := a.line.Width/2 + a.Padding
	if a.Label != "" {
		h += a.text.Height() + labelGap
	}
	if ticks := a.ticks(); len(ticks) > 0 {
		_, labels := a.labelSizes(ticks)
		h += a.tickLength + labels
	}
	return h
}

// drawBelow draws the axis along the lower side of a canvas: label, numbers, ticks and line from
// below.
func (a *chartAxis) drawBelow(c canvas.Canvas) {
	y := c.Min.Y
	if a.Label != "" {
		c.Write(a.text, canvas.Point{X: c.Center().X, Y: y + a.text.Descent()}, a.Label)
		y += a.text.Height() + labelGap
	}
	ticks := a.ticks()
	if len(ticks) == 0 {
		y += a.line.Width / 2
	}
	_, labels := a.labelSizes(ticks)
	for _, t := range ticks {
		x := c.X(a.share(t.Value))
		if !c.ContainsX(x) {
			continue
		}
		if !t.IsMinor() {
			c.Write(a.tickLabel, canvas.Point{X: x, Y: y + labels + a.tickLabel.Descent()}, t.Label)
		}
		if a.tickLength > 0 {
			c.Segment(a.tickLine, x, y+labels+a.tickStart(t), x, y+labels+a.tickLength)
		}
	}
	if len(ticks) > 0 {
		y += labels + a.tickLength
	}
	c.Segment(a.line, c.Min.X, y, c.Max.X, y)
}

// tickStart is where the line of a tick begins: small ones are half as long.
func (a *chartAxis) tickStart(t tick) float64 {
	if t.IsMinor() {
		return a.tickLength / 2
	}
	return 0
}

// width is the room that an axis takes to the left of a chart.
func (a *chartAxis) width() float64 {
	w := a.line.Width/2 + a.Padding
	if a.Label != "" {
		w += a.text.Descent() + a.text.Height() + labelGap
	}
	if ticks := a.ticks(); len(ticks) > 0 {
		if labels, _ := a.labelSizes(ticks); labels > 0 {
			w += labels + a.text.Width(" ")
		}
		w += a.tickLength
	}
	return w
}

// drawLeft draws the axis along the left side of a canvas; its label is turned.
func (a *chartAxis) drawLeft(c canvas.Canvas) {
	x := c.Min.X
	if a.Label != "" {
		x += a.text.Height()
		turned := a.text
		turned.Rotation += math.Pi / 2
		c.Write(turned, canvas.Point{X: x - a.text.Descent(), Y: c.Center().Y}, a.Label)
		x += a.text.Descent() + labelGap
	}
	ticks := a.ticks()
	labels, _ := a.labelSizes(ticks)
	x += labels
	named := false
	for _, t := range ticks {
		if y := c.Y(a.share(t.Value)); c.ContainsY(y) && !t.IsMinor() {
			c.Write(a.tickLabel, canvas.Point{X: x, Y: y + a.tickLabel.Descent()}, t.Label)
			named = true
		}
	}
	if named {
		x += a.tickLabel.Width(" ")
	}
	for _, t := range ticks {
		if y := c.Y(a.share(t.Value)); c.ContainsY(y) && a.tickLength > 0 {
			c.Segment(a.tickLine, x+a.tickStart(t), y, x+a.tickLength, y)
		}
	}
	if len(ticks) > 0 {
		x += a.tickLength
	}
	c.Segment(a.line, x, c.Min.Y, x, c.Max.Y)
}

// labelRooms are the boxes of the labels along either axis: only their extent along it counts.
func (a *chartAxis) labelRooms() (all []room) {
	if a.Label != "" {
		half := a.text.Width(a.Label) / 2 // turned with its axis, it lies along it
		all = append(all, room{0.5, 0.5, canvas.Rectangle{Min: canvas.Point{X: -half, Y: -half},
			Max: canvas.Point{X: half, Y: half}}})
	}
	below := a.tickLabel.Below()
	for _, t := range a.ticks() {
		if at := a.share(t.Value); !t.IsMinor() && at <= 1 {
			b := a.tickLabel.Box(t.Label)
			b.Min.Y, b.Max.Y = b.Min.Y+below, b.Max.Y+below
			all = append(all, room{at, at, b})
		}
	}
	return all
}
