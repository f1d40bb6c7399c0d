package jsonl

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
)

// toCell is what a value says, which is JSON as the decoder found it; not ok where it is none of
// what columns hold.
func toCell(v []byte) (cell, bool) {
	switch v[0] {
	case 'n':
		return cell{}, true
	case 't':
		return cell{kind: cellTruth, x: 1}, true
	case 'f':
		return cell{kind: cellTruth}, true
	case '"':
		c := cell{kind: cellString}
		if err := json.Unmarshal(v, &c.s); err != nil {
			return c, false
		}
		if c.s == "" {
			return cell{}, true
		}
		return c, true
	case '[':
		c, rest, ok := listCell(v[1:])
		return c, ok && len(rest) == 0
	case '{':
		return cell{}, false
	}
	x, err := strconv.ParseFloat(string(v), 64)
	c := cell{kind: cellNumber, x: x}
	if !bytes.ContainsAny(v, ".eE") && math.Abs(x) >= 1<<53 {
		c.s = string(v) // more digits than float64 keeps: labels may differ in them
	}
	return c, err == nil
}

// listCell is a list of numbers, or of lists of numbers that are all of one length, whose bracket
// is open; and what follows it.
func listCell(v []byte) (c cell, rest []byte, ok bool) {
	c = cell{kind: cellSequence, q: []float64{}}
	for n := 0; ; n++ {
		v = bytes.TrimLeft(v, blanks+",")
		switch v[0] {
		case ']':
			return c, v[1:], true
		case '[':
			inner, after, ok := listCell(v[1:])
			if !ok || inner.step > 0 || len(inner.q) == 0 || n > 0 && c.step != len(inner.q) {
				return cell{}, nil, false
			}
			v, c.step = after, len(inner.q)
			c.q = append(c.q, inner.q...)
		default:
			end := bytes.IndexAny(v, blanks+",]")
			if end < 0 || c.step > 0 {
				return cell{}, nil, false
			}
			// words and objects are no numbers, and neither is what is out of range
			x, err := strconv.ParseFloat(string(v[:end]), 64)
			if err != nil || v[0] == 'n' {
				return cell{}, nil, false
			}
			c.q = append(c.q, x)
			v = v[end:]
		}
	}
}
