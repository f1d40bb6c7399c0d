package oip

import (
	"encoding/binary"
	"math"
)

// AppendText adds a field of text. One that is empty is not there, as protobuf has it, here and
// below.
func AppendText(b []byte, number int, text string) []byte {
	if text == "" {
		return b
	}
	return append(AppendLength(b, number, len(text)), text...)
}

// AppendTexts adds a field for each text.
func AppendTexts(b []byte, number int, texts []string) []byte {
	for _, t := range texts {
		b = append(AppendLength(b, number, len(t)), t...)
	}
	return b
}

// AppendTrue adds a field that is true, where it is.
func AppendTrue(b []byte, number int, holds bool) []byte {
	if !holds {
		return b
	}
	return append(appendKey(b, number, varint), 1)
}

// AppendInt adds a whole number, also 0: of a choice of fields it says which was taken.
func AppendInt(b []byte, number int, v int64) []byte {
	return binary.AppendUvarint(appendKey(b, number, varint), uint64(v))
}

// AppendLength begins a field of so many bytes, which the caller adds.
func AppendLength(b []byte, number, length int) []byte {
	return binary.AppendUvarint(appendKey(b, number, delimited), uint64(length))
}

// AppendMessage adds a field that is a message.
func AppendMessage(b []byte, number int, message []byte) []byte {
	return append(AppendLength(b, number, len(message)), message...)
}

// AppendInts adds a list of whole numbers.
func AppendInts[N int64 | float64](b []byte, number int, list []N) []byte {
	if len(list) == 0 {
		return b
	}
	length := 0
	for _, x := range list {
		length += varintSize(uint64(int64(x)))
	}
	b = AppendLength(b, number, length)
	for _, x := range list {
		b = binary.AppendUvarint(b, uint64(int64(x)))
	}
	return b
}

// AppendDoubles adds a list of 64-bit floating point numbers.
func AppendDoubles(b []byte, number int, list []float64) []byte {
	if len(list) == 0 {
		return b
	}
	b = AppendLength(b, number, 8*len(list))
	for _, x := range list {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// AppendFloats adds a list of 32-bit floating point numbers.
func AppendFloats(b []byte, number int, list []float64) []byte {
	if len(list) == 0 {
		return b
	}
	b = AppendLength(b, number, 4*len(list))
	for _, x := range list {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(x)))
	}
	return b
}

func appendKey(b []byte, number, kind int) []byte {
	return binary.AppendUvarint(b, uint64(number)<<3|uint64(kind))
}

func varintSize(x uint64) int {
	n := 1
	for ; x >= 0x80; x >>= 7 {
		n++
	}
	return n
}
