package data

import (
	"fmt"
	"time"

	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// Doubt is why the features of a row are not what its values say, or why nobody knows what a model
// makes of them.
type Doubt struct {
	Row       int // among those that are encoded, from 0
	Column    string
	What      DoubtKind
	Value     string  // what stands there; empty where that is nothing
	Low, High float64 // of "far": what the encoder was fitted on, of times in Unix microseconds
}

// DoubtKind is what is doubtful: a value that is "missing", a category that is "unseen", a node that is
// "alone", a number or a time that is "far" from those fitted on.
type DoubtKind string

// The kinds of doubt.
const (
	doubtMissing DoubtKind = "missing" // a missing value was filled in
	doubtUnseen  DoubtKind = "unseen"  // a category that was not there when the encoder was fitted is taken for none
	// no answer is known in the component of a node, and it is told what is told of nobody in
	// particular
	doubtAlone DoubtKind = "alone"
	doubtFar   DoubtKind = "far" // a number or a time lies outside of those fitted on by more than their whole range
)

// String says it of the column.
func (d Doubt) String() string {
	switch d.What {
	case doubtMissing:
		return fmt.Sprintf("%s is missing and was filled in", d.Column)
	case doubtAlone:
		return fmt.Sprintf("%s lies in a part of the graph in which no answer is known: this is what is said of nobody "+
			"in particular", d.Column)
	case doubtUnseen:
		return fmt.Sprintf("%s is %q, which the model never saw and takes for none of those it knows", d.Column,
			phrase.Clip(d.Value))
	}
	low, high := phrase.Number(d.Low), phrase.Number(d.High)
	if d.Low < -1e12 || d.High > 1e12 { // as microseconds are
		if _, err := time.Parse("2006-01-02", d.Value[:min(len(d.Value), 10)]); err == nil {
			low, high = formatTime(int64(d.Low), celltext.Local), formatTime(int64(d.High), celltext.Local)
		}
	}
	return fmt.Sprintf("%s is %s, far outside of what the model was fitted on (%s to %s)", d.Column,
		phrase.Clip(d.Value), low,
		high)
}

// near is the range that a column was fitted on and as much again on both sides.
func (code *ColumnCode) near() (low, high float64) {
	if len(code.Range) != 2 {
		return 0, 0
	}
	width := code.Range[1] - code.Range[0]
	return code.Range[0] - width, code.Range[1] + width
}

func (code *ColumnCode) outside(c *Column, i int, low, high float64) bool {
	var x float64
	switch code.Kind {
	case Numeric:
		x = c.Numbers[i]
	case Time:
		x = float64(c.Micros[i])
	default:
		return false
	}
	return x < low || x > high
}
