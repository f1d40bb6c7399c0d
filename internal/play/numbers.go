package play

import (
	"math"
	"strconv"
)

// Number is a number that is read, with all its digits. JSON has no NaN and no infinities: the page
// gets null, and "∞" or "-∞".
type Number float64

// MarshalJSON writes the number.
func (v Number) MarshalJSON() ([]byte, error) {
	switch x := float64(v); {
	case math.IsNaN(x):
		return []byte("null"), nil
	case math.IsInf(x, 1):
		return []byte(`"∞"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-∞"`), nil
	default:
		return strconv.AppendFloat(nil, x, 'g', -1, 64), nil
	}
}

// Drawn is numbers that are drawn: six digits are more than a screen shows, and a surface has ten
// thousand of them. What is not finite is null and left out of the picture.
type Drawn []float64

// MarshalJSON writes the numbers.
func (v Drawn) MarshalJSON() ([]byte, error) {
	out := make([]byte, 0, 9*len(v)+2)
	out = append(out, '[')
	for i, x := range v {
		if i > 0 {
			out = append(out, ',')
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			out = append(out, "null"...)
		} else {
			out = strconv.AppendFloat(out, x, 'g', 6, 64)
		}
	}
	return append(out, ']'), nil
}

// Reading is a number beside the picture, with what it is.
type Reading struct {
	Name  string `json:"name"` // by which tests and links know it
	Label string `json:"label"`
	Value Number `json:"value"`
	Text  string `json:"text,omitempty"` // in place of the value, where it is no number
	Note  string `json:"note,omitempty"`
}

func reading(name, label string, v float64) Reading {
	return Reading{Name: name, Label: label, Value: Number(v)}
}

func readText(name, label, text string) Reading {
	return Reading{Name: name, Label: label, Value: Number(math.NaN()), Text: text}
}
