package arrowfile

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/mercer-ml/mercer/internal/datatest"
)

// reversed turns the buffers of a column into those of a big-endian writer, by
// the widths that the format gives.
func reversed(t *testing.T, a *Array) {
	t.Helper()
	reverse := func(b []byte, width int) []byte {
		out := make([]byte, 0, len(b))
		for i := 0; i+width <= len(b); i += width {
			for k := width - 1; k >= 0; k-- {
				out = append(out, b[i+k])
			}
		}
		return out
	}
	switch a.Kind {
	case Text, List:
		a.ends = reverse(a.ends, a.Width/8)
	case TextView:
		out := make([]byte, 0, len(a.data))
		for i := range a.Len {
			v := a.data[16*i : 16*i+16]
			length := binary.LittleEndian.Uint32(v)
			out = binary.BigEndian.AppendUint32(out, length)
			out = append(out, v[4:8]...)
			if length <= 12 {
				out = append(out, v[8:]...)
			} else {
				out = binary.BigEndian.AppendUint32(out, binary.LittleEndian.Uint32(v[8:]))
				out = binary.BigEndian.AppendUint32(out, binary.LittleEndian.Uint32(v[12:]))
			}
		}
		a.data = out
	case Null, Bool, FixedList:
	default:
		a.data = reverse(a.data, max(1, a.Width/8))
	}
	if a.element != nil {
		reversed(t, a.element)
	}
}

// packed writes a batch of one column: the metadata and the body of its message.
func packed(a *Array) (*metadata, []byte) {
	m := &metadata{buf: make([]byte, 4096)}
	var body []byte
	nodes, buffers, variadic := 0, 0, 0
	put := func(at int, x int) { binary.LittleEndian.PutUint64(m.buf[at:], uint64(x)) }
	buffer := func(b []byte) {
		put(1024+16*buffers, len(body))
		put(1024+16*buffers+8, len(b))
		buffers++
		body = append(body, b...)
	}
	var add func(a *Array)
	add = func(a *Array) {
		put(512+16*nodes, a.Len)
		if a.valid != nil {
			put(512+16*nodes+8, 1) // any number over 0 says that there are nulls
		}
		nodes++
		if a.Kind == Null {
			return
		}
		buffer(a.valid)
		if a.ends != nil || a.Kind == Text || a.Kind == List {
			buffer(a.ends)
		}
		if a.Kind != List && a.Kind != FixedList {
			buffer(a.data)
		}
		for _, b := range a.blocks {
			buffer(b)
		}
		if a.Kind == TextView {
			put(3000+8*variadic, len(a.blocks))
			variadic++
		}
		if a.element != nil {
			add(a.element)
		}
	}
	add(a)
	u := unpacker{node: 512, nodes: nodes, buffer: 1024, buffers: buffers, variadic: 3000, variadics: variadic}
	put(4000, u.nodes)
	put(4008, u.buffers)
	put(4016, u.variadics)
	return m, body
}

// Every type as a machine of the other byte order would write it: pyarrow has
// no way to do so, so the buffers of its file are turned round.
func TestBigEndian(t *testing.T) {
	f, err := os.Open(filepath.Join(datatest.Root(t), "internal", "format", "arrow", "testdata", "types.arrow"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	r, err := OpenFile(f, info.Size(), 0)
	if err != nil {
		t.Fatal(err)
	}
	b, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	for j, field := range r.Fields() {
		want := b.Columns[j]
		if want.Kind == Null {
			continue
		}
		other := want
		if want.element != nil {
			e := *want.element
			other.element = &e
		}
		reversed(t, &other)
		m, body := packed(&other)
		u := &unpacker{metadata: m, body: body, bigEndian: true, codec: -1, node: 512, nodes: int(m.i64(4000)), buffer: 1024,
			buffers:  int(m.i64(4008)),
			variadic: 3000, variadics: int(m.i64(4016))}
		got, err := u.array(field.Type, want.Len)
		if err != nil {
			t.Errorf("%s: %v", field.Name, err)
			continue
		}
		same := func(read func(a *Array) any) {
			if g, w := read(&got), read(&want); !reflect.DeepEqual(g, w) {
				t.Errorf("%s: %v, want %v", field.Name, g, w)
			}
		}
		for i := range want.Len {
			if got.IsNull(i) != want.IsNull(i) {
				t.Fatalf("%s: row %d null %v", field.Name, i, got.IsNull(i))
			}
			if want.IsNull(i) {
				continue
			}
			switch {
			case want.IsText():
				same(func(a *Array) any { return a.String(i) })
			case want.Kind == Instant:
				same(func(a *Array) any { m, ok := a.Micros(i); return [2]any{m, ok} })
			case want.Kind == Dictionary:
				same(func(a *Array) any { return a.whole(i) })
			case want.Kind == List || want.Kind == FixedList:
				same(func(a *Array) any { from, to := a.Bounds(i); return a.Values().Numbers()[from:to] })
			default:
				same(func(a *Array) any { return a.Numbers()[i] })
			}
		}
	}
}
