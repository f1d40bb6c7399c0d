// Package oiptest is the client's side of the messages of the Open Inference Protocol, for tests:
// it writes requests and reads answers, by code that the server's side has no part in.
package oiptest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/mercer-ml/mercer/serve/internal/oip"
)

// key begins a field.
func key(b []byte, number, kind int) []byte { return append(b, byte(number<<3|kind)) }

func delimited(b []byte, number int, part []byte) []byte {
	return append(binary.AppendUvarint(key(b, number, 2), uint64(len(part))), part...)
}

func text(b []byte, number int, s string) []byte { return delimited(b, number, []byte(s)) }

func packed[N any](b []byte, number int, list []N, bits func(N) uint64) []byte {
	var part []byte
	for _, x := range list {
		part = binary.AppendUvarint(part, bits(x))
	}
	return delimited(b, number, part)
}

// Model is a request that names a model.
func Model(name, version string) []byte { return text(text(nil, 1, name), 2, version) }

// Infer is the request of ModelInfer. Parameters are texts.
func Infer(r *oip.Infer) []byte {
	b := text(text(text(nil, 1, r.Name), 2, r.Version), 3, r.ID)
	b = parameters(b, 4, r.Parameters)
	for _, t := range r.Inputs {
		part := packed(text(text(nil, 1, t.Name), 2, t.Datatype), 3, t.Shape, func(x int64) uint64 { return uint64(x) })
		part = parameters(part, 4, t.Parameters)
		if t.Contents != nil {
			part = delimited(part, 5, contents(t.Contents))
		}
		b = delimited(b, 5, part)
	}
	for _, t := range r.Outputs {
		b = delimited(b, 6, parameters(text(nil, 1, t.Name), 2, t.Parameters))
	}
	for _, raw := range r.Raw {
		b = delimited(b, 7, raw)
	}
	return b
}

func parameters(b []byte, number int, all map[string]string) []byte {
	for name, value := range all {
		b = delimited(b, number, delimited(text(nil, 1, name), 2, text(nil, 3, value)))
	}
	return b
}

func contents(c *oip.Contents) []byte {
	b := packed(nil, 1, c.Bools, func(x bool) uint64 {
		if x {
			return 1
		}
		return 0
	})
	b = packed(b, 2, c.Ints, func(x int32) uint64 { return uint64(int64(x)) })
	b = packed(b, 3, c.Int64s, func(x int64) uint64 { return uint64(x) })
	b = packed(b, 4, c.Uints, func(x uint32) uint64 { return uint64(x) })
	b = packed(b, 5, c.Uint64s, func(x uint64) uint64 { return x })
	var singles, doubles []byte
	for _, x := range c.Fp32s {
		singles = binary.LittleEndian.AppendUint32(singles, math.Float32bits(x))
	}
	for _, x := range c.Fp64s {
		doubles = binary.LittleEndian.AppendUint64(doubles, math.Float64bits(x))
	}
	b = delimited(delimited(b, 6, singles), 7, doubles)
	for _, x := range c.Bytes {
		b = delimited(b, 8, x)
	}
	return b
}

// Answer is a message by the numbers of its fields: whole numbers, and parts of it.
type Answer struct {
	Numbers map[int]uint64
	Parts   map[int][][]byte
}

// Read reads a message that a server wrote.
func Read(b []byte) (a Answer, err error) {
	a = Answer{map[int]uint64{}, map[int][][]byte{}}
	for len(b) > 0 {
		number, kind := int(b[0]>>3), b[0]&7
		x, n := binary.Uvarint(b[1:])
		if n <= 0 || number == 0 || b[0] >= 0x80 {
			return a, fmt.Errorf("a field that no answer has: %x", b)
		}
		b = b[1+n:]
		switch {
		case kind == 0:
			a.Numbers[number] = x
		case kind == 2 && x <= uint64(len(b)):
			a.Parts[number], b = append(a.Parts[number], b[:x]), b[x:]
		default:
			return a, fmt.Errorf("a field of kind %d with %d bytes of %d", kind, x, len(b))
		}
	}
	return a, nil
}

// Text is a field of text, the last of its number.
func (a Answer) Text(number int) string {
	all := a.Parts[number]
	if len(all) == 0 {
		return ""
	}
	return string(all[len(all)-1])
}

// Part is the message that is the i-th field of a number.
func (a Answer) Part(number, i int) Answer {
	if i >= len(a.Parts[number]) {
		return Answer{}
	}
	part, err := Read(a.Parts[number][i])
	if err != nil {
		panic(err)
	}
	return part
}

// Doubles is a list of floating point numbers.
func (a Answer) Doubles(number int) (out []float64) {
	for b := range slices.Chunk([]byte(a.Text(number)), 8) {
		out = append(out, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return out
}

// Ints is a list of whole numbers.
func (a Answer) Ints(number int) (out []int64) {
	for b := []byte(a.Text(number)); len(b) > 0; {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			panic("a list ends in the middle of a number")
		}
		out, b = append(out, int64(x)), b[n:]
	}
	return out
}
