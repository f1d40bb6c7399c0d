package oip

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"unicode/utf8"
)

// The wire types of protobuf.
const (
	varint    = 0
	fixed64   = 1
	delimited = 2
	groupFrom = 3
	groupTo   = 4
	fixed32   = 5
)

var (
	errShort  = errors.New("the message ends in the middle of a field")
	errField  = errors.New("the message has a field that protobuf does not know")
	errText   = errors.New("a text is not UTF-8")
	errLength = errors.New("a list of numbers ends in the middle of one")
)

// field is a field of a message. A number is in its bits; what has a length is a part of the
// message.
type field struct {
	number int
	kind   byte
	bits   uint64
	bytes  []byte
}

// next takes a field off a message.
func next(b []byte) (f field, rest []byte, err error) {
	key, b, err := uvarint(b)
	if err != nil {
		return f, nil, err
	}
	f.kind = byte(key & 7)
	if key>>3 < 1 || key>>3 > 1<<29-1 {
		return f, nil, errField
	}
	f.number = int(key >> 3)
	switch f.kind {
	case varint:
		f.bits, b, err = uvarint(b)
		return f, b, err
	case fixed64:
		if len(b) < 8 {
			return f, nil, errShort
		}
		f.bits = binary.LittleEndian.Uint64(b)
		return f, b[8:], nil
	case fixed32:
		if len(b) < 4 {
			return f, nil, errShort
		}
		f.bits = uint64(binary.LittleEndian.Uint32(b))
		return f, b[4:], nil
	case delimited:
		n, b, err := uvarint(b)
		if err != nil {
			return f, nil, err
		}
		if n > uint64(len(b)) {
			return f, nil, errShort
		}
		f.bytes = b[:n:n]
		return f, b[n:], nil
	case groupFrom:
		rest, err = skipGroup(b, f.number)
		return f, rest, err
	}
	return f, nil, errField
}

// mostGroups is how deep groups may be in each other, which no message of the protocol has.
const mostGroups = 100

// skipGroup goes behind the end of a group.
func skipGroup(b []byte, number int) ([]byte, error) {
	open := []int{number}
	for len(open) > 0 {
		key, rest, err := uvarint(b)
		if err != nil {
			return nil, err
		}
		switch key & 7 {
		case groupTo:
			if key>>3 != uint64(open[len(open)-1]) {
				return nil, errField
			}
			open, b = open[:len(open)-1], rest
		case groupFrom:
			if len(open) == mostGroups || key>>3 < 1 || key>>3 > 1<<29-1 {
				return nil, errField
			}
			open, b = append(open, int(key>>3)), rest
		default:
			if _, b, err = next(b); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// uvarint takes a number of seven bits a byte off a message.
func uvarint(b []byte) (uint64, []byte, error) {
	x, n := binary.Uvarint(b)
	switch {
	case n == 0:
		return 0, nil, errShort
	case n < 0:
		return 0, nil, errField
	}
	return x, b[n:], nil
}

// each calls a function for each field of a message.
func each(b []byte, do func(f field) error) error {
	for len(b) > 0 {
		f, rest, err := next(b)
		if err != nil {
			return err
		}
		if err := do(f); err != nil {
			return err
		}
		b = rest
	}
	return nil
}

// text puts a field of text into a place. A field of another kind is none that is known, here and
// below, and is passed over.
func (f field) text(to *string) error {
	if f.kind != delimited {
		return nil
	}
	if !utf8.Valid(f.bytes) {
		return errText
	}
	*to = string(f.bytes)
	return nil
}

// varints adds the numbers of a field to a list: one, or many that are packed.
func varints[N any](f field, to *[]N, as func(uint64) N) error {
	switch f.kind {
	case varint:
		*to = append(*to, as(f.bits))
	case delimited:
		*to = slices.Grow(*to, int(f.elements()))
		for b := f.bytes; len(b) > 0; {
			x, rest, err := uvarint(b)
			if err != nil {
				return err
			}
			*to, b = append(*to, as(x)), rest
		}
	}
	return nil
}

// doubles adds 64-bit floating point numbers to a list.
func (f field) doubles(to *[]float64) error {
	switch f.kind {
	case fixed64:
		*to = append(*to, math.Float64frombits(f.bits))
	case delimited:
		if len(f.bytes)%8 != 0 {
			return errLength
		}
		*to = slices.Grow(*to, len(f.bytes)/8)
		for b := f.bytes; len(b) > 0; b = b[8:] {
			*to = append(*to, math.Float64frombits(binary.LittleEndian.Uint64(b)))
		}
	}
	return nil
}

// floats adds 32-bit floating point numbers to a list.
func (f field) floats(to *[]float32) error {
	switch f.kind {
	case fixed32:
		*to = append(*to, math.Float32frombits(uint32(f.bits)))
	case delimited:
		if len(f.bytes)%4 != 0 {
			return errLength
		}
		*to = slices.Grow(*to, len(f.bytes)/4)
		for b := f.bytes; len(b) > 0; b = b[4:] {
			*to = append(*to, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	}
	return nil
}
