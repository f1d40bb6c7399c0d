package parquetfile

import (
	"encoding/binary"
	"testing"
)

// A few bytes that announce very many elements, or structures without end, are a fault at once: a
// reader that walks 2⁶⁰ elements never ends, which the time limit of the tests tells.
func TestSkipIsBounded(t *testing.T) {
	count := binary.AppendUvarint(nil, 1<<60)
	deep := make([]byte, 1000)
	for i := range deep {
		deep[i] = 0x10 | thriftStruct
	}
	for name, buf := range map[string][]byte{
		"map of booleans":  append(append([]byte{0x10 | thriftMap}, count...), thriftTrue<<4|thriftFalse),
		"list of booleans": append(append([]byte{0x10 | thriftList, 0xf0 | thriftTrue}, count...), 0),
		"map of maps":      append(append([]byte{0x10 | thriftMap}, count...), thriftMap<<4|thriftMap, 0, 0, 0),
		"structures":       deep,
		"unknown type":     {0x10 | 14, 0},
		"no end":           {0x10 | thriftByte, 1},
	} {
		c := &compact{buf: buf}
		c.fields(func(int, int) bool { return false })
		if !c.bad {
			t.Errorf("%s: no fault", name)
		}
	}
	// A map of booleans that is all there, then a field after it.
	c := &compact{buf: []byte{0x10 | thriftMap, 2, thriftTrue<<4 | thriftByte, 1, 7, 2, 7, 0x10 | thriftI32, 84, 0}}
	got := int64(0)
	c.fields(func(number, kind int) bool {
		if number == 2 && kind == thriftI32 {
			got = c.int()
			return true
		}
		return false
	})
	if c.bad || got != 42 {
		t.Errorf("field after a map is %d, fault %v", got, c.bad)
	}
}
