package load

import (
	"bytes"
	"encoding/binary"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/internal/datatest"
)

// columnBombs are files of columns that stand for very much: by compression, and without it by
// names, levels, prefixes, views and dictionaries that many rows or columns share. Each is made to
// stand for about so many bytes.
var columnBombs = map[string]func(size int) []byte{
	"elements.parquet": func(size int) []byte { // three bytes of footer for each element of the schema
		n := size / 64
		t := &tagged{}
		t.list(2, taggedStruct, n+1)
		t.nested(func() { t.i32(5, n) })
		for range n {
			t.nested(func() { t.i32(1, 1) })
		}
		t.i64(3, 1)
		return parquetOf(nil, t)
	},
	"names.parquet": func(size int) []byte { // all columns of a group have its name
		n := size >> 16
		t := &tagged{}
		t.list(2, taggedStruct, n+2)
		t.nested(func() { t.i32(5, 1) })
		t.nested(func() { t.text(4, bytes.Repeat([]byte("x"), 1<<16)); t.i32(5, n) })
		for range n {
			t.nested(func() { t.i32(1, 1); t.i32(3, 0) })
		}
		t.i64(3, 0)
		return parquetOf(nil, t)
	},
	"text.parquet":      func(size int) []byte { return oneColumn(codecNone, 1, longText(codecNone, size)) },
	"text-gzip.parquet": func(size int) []byte { return oneColumn(codecGzip, 1, longText(codecGzip, size)) },
	"text-zstd.parquet": func(size int) []byte { return oneColumn(codecZstd, 1, longText(codecZstd, size)) },
	"texts-zstd.parquet": func(size int) []byte { // each page has room, and the rows of a chunk keep all of them
		const piece = 1 << 20
		page := longText(codecZstd, piece)
		return oneColumn(codecZstd, size/piece, bytes.Repeat(page, size/piece))
	},
	"header.parquet": func(size int) []byte { // statistics of a page, as long as the file
		h := &tagged{}
		h.i32(1, 0)
		h.i32(2, 4)
		h.i32(3, 4)
		h.text(9, bytes.Repeat([]byte("x"), size))
		h.end()
		return oneColumn(codecNone, 1, append(h.b, 0, 0, 0, 0))
	},
	"prefixes.parquet": func(size int) []byte { // every string begins as the one before
		const long = 1 << 16
		n := size / long
		body := append(deltas(0, long, n), deltas(long, 0, n)...)
		body = append(body, bytes.Repeat([]byte("x"), long)...)
		return oneColumn(codecNone, n, dataPage(codecNone, 7, n, body))
	},
	"list.parquet": func(size int) []byte { // a run of levels of a few bytes is a list of any length
		n := size / 8
		room := make([]byte, n/512+4096)
		dictionary := page(codecNone, 2, room, func(h *tagged) {
			h.structure(7, func() { h.i32(1, len(room)/8); h.i32(2, 0) })
		})
		level := func(first, rest byte) []byte {
			out := append([]byte{2, first}, binary.AppendUvarint(nil, uint64(n-1)<<1)...)
			out = append(out, rest)
			return append(binary.LittleEndian.AppendUint32(nil, uint32(len(out))), out...)
		}
		body := append(level(0, 1), level(1, 1)...)
		body = append(body, 1)
		body = append(body, binary.AppendUvarint(nil, uint64(n)<<1)...)
		body = append(body, 0)
		return columnOf(codecNone, 1, n, 5, 2, append(dictionary, dataPage(codecNone, 8, n, body)...))
	},
	"names.arrows":  func(size int) []byte { return arrowStream(schemaOf(size>>16, typeFloat, 1<<16), nil, nil) },
	"names.arrow":   func(size int) []byte { return arrowFile(schemaOf(size>>16, typeFloat, 1<<16)) },
	"fields.arrows": func(size int) []byte { return arrowStream(schemaOf(size/64, typeFloat, 1), nil, nil) },
	"body.arrows": func(size int) []byte {
		ends := binary.LittleEndian.AppendUint32(make([]byte, 4), uint32(size))
		body := append(append(ends, 0, 0, 0, 0, 0, 0, 0, 0), bytes.Repeat([]byte("x"), size)...)
		return arrowStream(schemaOf(1, typeUtf8, 1), batchOf(1, -1, [][2]int{{1, 0}}, [][2]int{{0, 0}, {0, 8}, {16, size}},
			nil, len(body)), body)
	},
	"zstd.arrows": func(size int) []byte {
		ends := compressed(codecZstd, binary.LittleEndian.AppendUint32(make([]byte, 4), uint32(size)))
		ends = append(binary.LittleEndian.AppendUint64(nil, 8), ends...)
		text := append(binary.LittleEndian.AppendUint64(nil, uint64(size)),
			compressed(codecZstd, bytes.Repeat([]byte("x"), size))...)
		body := append(ends, text...)
		return arrowStream(schemaOf(1, typeUtf8, 1), batchOf(1, 1, [][2]int{{1, 0}},
			[][2]int{{0, 0}, {0, len(ends)}, {len(ends), len(text)}}, nil, len(body)), body)
	},
	"views.arrows": func(size int) []byte { // all of them lie over one block
		const long = 1 << 16
		n := size / long
		var body []byte
		for range n {
			body = binary.LittleEndian.AppendUint32(body, long)
			body = append(body, "xxxx"...)
			body = append(body, 0, 0, 0, 0, 0, 0, 0, 0)
		}
		body = append(body, bytes.Repeat([]byte("x"), long)...)
		return arrowStream(schemaOf(1, typeView, 1), batchOf(n, -1, [][2]int{{n, 0}},
			[][2]int{{0, 0}, {0, 16 * n}, {16 * n, long}}, []int{1}, len(body)), body)
	},
	"nulls.arrows": func(size int) []byte { // no buffer stands behind them
		const columns = 8
		n := size / 8 / columns
		nodes := make([][2]int, columns)
		for i := range nodes {
			nodes[i] = [2]int{n, n}
		}
		return arrowStream(schemaOf(columns, typeNull, 1), batchOf(n, -1, nodes, nil, nil, 0), nil)
	},
}

// The process that makes a file: the peak of a process begins with that of the one that started it,
// so that this one must stay small.
const bombMake, bombSize = "MERCER_BOMB_MAKE", "MERCER_BOMB_SIZE"

// TestColumnBombMaker makes one file where TestColumnBombs asks it to.
func TestColumnBombMaker(t *testing.T) {
	path := os.Getenv(bombMake)
	if path == "" {
		t.Skip("it is a part of TestColumnBombs")
	}
	size, err := strconv.Atoi(os.Getenv(bombSize))
	if err == nil {
		err = os.WriteFile(path, columnBombs[filepath.Base(path)](size), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A file of columns takes no more than the memory that it is allowed, whatever it says.
func TestColumnBombs(t *testing.T) {
	d := newDefusal(t)
	for i, name := range slices.Sorted(maps.Keys(columnBombs)) {
		if i%datatest.Size(1, 2) > 0 {
			continue
		}
		path := filepath.Join(d.dir, name)
		c := exec.Command(d.self, "-test.run=^TestColumnBombMaker$")
		c.Env = append(os.Environ(), bombMake+"="+path, bombSize+"="+strconv.Itoa(d.size))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		d.read(t, path)
	}
}

// Thrift's compact protocol, as far as Parquet needs it.

const (
	taggedI32    = 5
	taggedI64    = 6
	taggedBinary = 8
	taggedList   = 9
	taggedStruct = 12
)

type tagged struct {
	b    []byte
	last int
}

func (t *tagged) field(number, kind int) {
	t.b = append(t.b, byte(number-t.last)<<4|byte(kind))
	t.last = number
}

func (t *tagged) i32(number, v int) {
	t.field(number, taggedI32)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *tagged) i64(number, v int) {
	t.field(number, taggedI64)
	t.b = binary.AppendVarint(t.b, int64(v))
}

func (t *tagged) text(number int, s []byte) {
	t.field(number, taggedBinary)
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
}

func (t *tagged) list(number, kind, n int) {
	t.field(number, taggedList)
	t.b = append(t.b, 0xf0|byte(kind))
	t.b = binary.AppendUvarint(t.b, uint64(n))
}

// nested writes a structure that is an element of a list.
func (t *tagged) nested(fields func()) {
	before := t.last
	t.last = 0
	fields()
	t.end()
	t.last = before
}

func (t *tagged) structure(number int, fields func()) {
	t.field(number, taggedStruct)
	t.nested(fields)
}

func (t *tagged) end() { t.b = append(t.b, 0) }

func parquetOf(pages []byte, footer *tagged) []byte {
	footer.end()
	out := append([]byte("PAR1"), pages...)
	out = append(out, footer.b...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(footer.b)))
	return append(out, "PAR1"...)
}

const codecNone, codecGzip, codecZstd = 0, 2, 6

func compressed(codec int, b []byte) []byte {
	var out bytes.Buffer
	switch codec {
	case codecGzip:
		w := gzip.NewWriter(&out)
		w.Write(b)
		w.Close()
	case codecZstd:
		w, err := zstd.NewWriter(&out, zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic(err)
		}
		w.Write(b)
		w.Close()
	default:
		return b
	}
	return out.Bytes()
}

// page is a page of a kind, with its header.
func page(codec, kind int, plain []byte, more func(h *tagged)) []byte {
	stored := compressed(codec, plain)
	h := &tagged{}
	h.i32(1, kind)
	h.i32(2, len(plain))
	h.i32(3, len(stored))
	more(h)
	h.end()
	return append(h.b, stored...)
}

func dataPage(codec, encoding, values int, plain []byte) []byte {
	return page(codec, 0, plain, func(h *tagged) {
		h.structure(5, func() { h.i32(1, values); h.i32(2, encoding); h.i32(3, 3); h.i32(4, 3) })
	})
}

// longText is a page with one string.
func longText(codec, size int) []byte {
	return dataPage(codec, 0, 1, append(binary.LittleEndian.AppendUint32(nil, uint32(size)),
		bytes.Repeat([]byte("x"), size)...))
}

// oneColumn is a file of a column of strings.
func oneColumn(codec, rows int, pages []byte) []byte { return columnOf(codec, rows, rows, 6, 0, pages) }

// columnOf is a file of one column, of a physical type and a repetition.
func columnOf(codec, rows, values, physical, repetition int, pages []byte) []byte {
	t := &tagged{}
	t.list(2, taggedStruct, 2)
	t.nested(func() { t.i32(5, 1) })
	t.nested(func() { t.i32(1, physical); t.i32(3, repetition); t.text(4, []byte("x")) })
	t.i64(3, rows)
	t.list(4, taggedStruct, 1)
	t.nested(func() {
		t.list(1, taggedStruct, 1)
		t.nested(func() {
			t.structure(3, func() { t.i32(4, codec); t.i64(5, values); t.i64(7, len(pages)); t.i64(9, 4) })
		})
		t.i64(3, rows)
	})
	return parquetOf(pages, t)
}

// deltas are n integers in the delta encoding: the first, then one and the same. Blocks of 128 in 4
// parts; only the first has anything but 0 in it.
func deltas(first, rest, n int) []byte {
	out := binary.AppendUvarint(nil, 128)
	out = binary.AppendUvarint(out, 4)
	out = binary.AppendUvarint(out, uint64(n))
	out = binary.AppendVarint(out, int64(first))
	step := rest - first
	for at := 1; at < n; at += 128 {
		if at > 1 {
			out = append(binary.AppendVarint(out, 0), 0, 0, 0, 0)
			continue
		}
		const width = 17
		out = append(binary.AppendVarint(out, int64(min(step, 0))), width, width, width, width)
		packed := make([]byte, 128*width/8)
		for i := range 128 {
			v := -min(step, 0)
			if i == 0 {
				v = max(step, 0)
			}
			for b := range width {
				if v>>b&1 == 1 {
					packed[(i*width+b)/8] |= 1 << ((i*width + b) % 8)
				}
			}
		}
		out = append(out, packed...)
	}
	return out
}

// FlatBuffers, as far as Arrow needs them: tables are written before what they point to.

type flat struct{ b []byte }

// slot is a field of a table: eight bytes.
type slot struct {
	number int
	value  []byte
}

func (f *flat) u16(v int) { f.b = binary.LittleEndian.AppendUint16(f.b, uint16(v)) }
func (f *flat) u32(v int) { f.b = binary.LittleEndian.AppendUint32(f.b, uint32(v)) }

// table writes one, and says where it and its fields are.
func (f *flat) table(fields int, slots ...slot) (pos int, at map[int]int) {
	start := len(f.b)
	f.u16(4 + 2*fields)
	f.u16(4 + 8*len(slots))
	offsets := make([]int, fields)
	for i, s := range slots {
		offsets[s.number] = 4 + 8*i
	}
	for _, o := range offsets {
		f.u16(o)
	}
	pos, at = len(f.b), map[int]int{}
	f.u32(pos - start)
	for _, s := range slots {
		at[s.number] = len(f.b)
		f.b = append(f.b, s.value...)
		f.b = append(f.b, make([]byte, 8-len(s.value))...)
	}
	return pos, at
}

// point has a field point to a place.
func (f *flat) point(from, to int) { binary.LittleEndian.PutUint32(f.b[from:], uint32(to-from)) }

func number(v, bytes int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(v))[:bytes] }

const typeNull, typeFloat, typeUtf8, typeView = 1, 3, 5, 24

// schemaOf writes a schema of n columns that are one and the same, with a long name.
func schemaOf(n, kind, name int) func(f *flat) (pos int) {
	return func(f *flat) int {
		schema, at := f.table(2, slot{1, nil})
		fields := len(f.b)
		f.point(at[1], fields)
		f.u32(n)
		first := len(f.b)
		f.b = append(f.b, make([]byte, 4*n)...)
		field, in := f.table(6, slot{0, nil}, slot{2, number(kind, 1)}, slot{3, nil})
		for i := range n {
			f.point(first+4*i, field)
		}
		text := len(f.b)
		f.point(in[0], text)
		f.u32(name)
		f.b = append(f.b, bytes.Repeat([]byte("x"), name)...)
		of, _ := f.table(1, slot{0, number(2, 2)})
		f.point(in[3], of)
		return schema
	}
}

// message is one of a kind, with its mark and size before it.
func message(kind, body int, header func(f *flat) int) []byte {
	f := &flat{}
	f.u32(0)
	root, at := f.table(4, slot{0, number(4, 2)}, slot{1, number(kind, 1)}, slot{2, nil}, slot{3, number(body, 8)})
	f.point(0, root)
	f.point(at[2], header(f))
	for len(f.b)%8 > 0 {
		f.b = append(f.b, 0)
	}
	return append(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.MaxUint32),
		uint32(len(f.b))), f.b...)
}

// batchOf writes a batch of rows.
func batchOf(rows, codec int, nodes, buffers [][2]int, views []int, body int) []byte {
	return message(3, body, func(f *flat) int {
		slots := []slot{{0, number(rows, 8)}, {1, nil}, {2, nil}, {4, nil}}
		if codec >= 0 {
			slots = append(slots, slot{3, nil})
		}
		pos, at := f.table(5, slots...)
		for number, list := range map[int][][2]int{1: nodes, 2: buffers} {
			f.point(at[number], len(f.b))
			f.u32(len(list))
			for _, v := range list {
				f.b = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(f.b, uint64(v[0])), uint64(v[1]))
			}
		}
		f.point(at[4], len(f.b))
		f.u32(len(views))
		for _, v := range views {
			f.b = binary.LittleEndian.AppendUint64(f.b, uint64(v))
		}
		if codec >= 0 {
			c, _ := f.table(2, slot{0, number(codec, 1)})
			f.point(at[3], c)
		}
		return pos
	})
}

func arrowStream(schema func(f *flat) int, batch, body []byte) []byte {
	return append(append(append(message(1, 0, schema), batch...), body...), 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
}

// arrowFile is a file without rows.
func arrowFile(schema func(f *flat) int) []byte {
	f := &flat{}
	f.u32(0)
	root, at := f.table(4, slot{0, number(4, 2)}, slot{1, nil})
	f.point(0, root)
	f.point(at[1], schema(f))
	out := append([]byte("ARROW1\x00\x00"), message(1, 0, schemaOf(1, typeNull, 1))...)
	out = append(out, f.b...)
	return append(binary.LittleEndian.AppendUint32(out, uint32(len(f.b))), "ARROW1"...)
}
