package model

import (
	"encoding/binary"
	"math"
)

// message is a protocol buffer in the making. ONNX needs four kinds of field;
// the numbers are those of onnx.proto3.
type message []byte

func (m *message) tag(field, wire int) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|uint64(wire))
}

func (m *message) integer(field int, v int64) {
	m.tag(field, 0)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) float(field int, v float32) {
	m.tag(field, 5)
	*m = binary.LittleEndian.AppendUint32(*m, math.Float32bits(v))
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

func (m *message) bytes(field int, b []byte) {
	m.tag(field, 2)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

// The element types of TensorProto.
const (
	onnxFloat  = 1
	onnxInt64  = 7
	onnxString = 8
	onnxDouble = 11
)

// attribute is a named value of a node.
type attribute struct {
	name  string
	value any // int64, float32, string, []int64, []float32, []string
}

func (a attribute) encode() message {
	var m message
	m.text(1, a.name)
	kind := int64(0)
	switch v := a.value.(type) {
	case float32:
		kind = 1
		m.float(2, v)
	case int64:
		kind = 2
		m.integer(3, v)
	case string:
		kind = 3
		m.text(4, v)
	case []float32:
		kind = 6
		var packed []byte
		for _, f := range v {
			packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(f))
		}
		m.bytes(7, packed)
	case []int64:
		kind = 7
		for _, i := range v {
			m.integer(8, i)
		}
	case []string:
		kind = 8
		for _, s := range v {
			m.text(9, s)
		}
	default:
		panic("onnx: attribute " + a.name)
	}
	m.integer(20, kind)
	return m
}

// onnxTensor is a TensorProto of values []float64, []float32, []int64 or
// []string.
func onnxTensor(name string, values any, dims ...int) message {
	var m message
	for _, d := range dims {
		m.integer(1, int64(d))
	}
	var raw []byte
	switch v := values.(type) {
	case []float64:
		m.integer(2, onnxDouble)
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
		}
	case []float32:
		m.integer(2, onnxFloat)
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	case []int64:
		m.integer(2, onnxInt64)
		for _, x := range v {
			raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
		}
	case []string:
		m.integer(2, onnxString)
		for _, s := range v {
			m.text(6, s)
		}
		m.text(8, name)
		return m
	default:
		panic("onnx: tensor " + name)
	}
	m.text(8, name)
	m.bytes(9, raw)
	return m
}

// onnxValue is a ValueInfoProto: a tensor of N rows, and columns (0: a vector).
func onnxValue(name string, elem int64, columns int) message {
	var rows, shape, tensor, kind, v message
	rows.text(2, "N")
	shape.bytes(1, rows)
	if columns > 0 {
		var c message
		c.integer(1, int64(columns))
		shape.bytes(1, c)
	}
	tensor.integer(1, elem)
	tensor.bytes(2, shape)
	kind.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, kind)
	return v
}
