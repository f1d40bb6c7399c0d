package load

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
)

// costly is a small file that says very much.
type costly struct {
	name   string
	file   string // its name
	text   func(t *testing.T) []byte
	stream bool // a stream refuses it, too
}

func costlyFiles() []costly {
	text := func(s string) func(*testing.T) []byte { return func(*testing.T) []byte { return []byte(s) } }
	rows := "a,b\n" + strings.Repeat("1,2\n", 4<<20)
	return []costly{
		{"JSON lines with distinct keys", "keys.jsonl", func(*testing.T) []byte {
			var b bytes.Buffer
			for i := range 2500 {
				fmt.Fprintf(&b, "{\"k%d\":1}\n", i)
			}
			return b.Bytes()
		}, true},
		{"a line of JSON without an end", "line.jsonl", text(`{"a":"` + strings.Repeat("x", 8<<20)), true},
		{"a large index", "index.libsvm", text("1 1:1 60000000:1\n-1 2:1\n"), true},
		{"a line of LIBSVM without an end", "line.libsvm", text("1 1:" + strings.Repeat("0", 8<<20)), true},
		{"zstd", "rows.csv.zst", func(t *testing.T) []byte { return packed(t, rows, "zstd") }, false},
		{"gzip", "rows.csv.gz", func(t *testing.T) []byte { return packed(t, rows, "gzip") }, false},
		{"text in gzip", "words.csv.gz", func(t *testing.T) []byte {
			var words strings.Builder
			words.WriteString("a,b\n")
			for i := range 16 << 10 {
				fmt.Fprintf(&words, "%d%s,2\n", i, strings.Repeat("w", 1000))
			}
			return packed(t, words.String(), "gzip")
		}, false},
		{"many columns", "columns.csv", func(*testing.T) []byte {
			var b bytes.Buffer
			for i := range 20000 {
				fmt.Fprintf(&b, "c%d,", i)
			}
			return append(b.Bytes(), "y\n"+strings.Repeat("1,", 20000)+"1\n"...)
		}, true},
		{"an array that is announced", "shape.npy", text("\x93NUMPY\x01\x00\x60\x00" +
			fmt.Sprintf("%-95s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (100000000, 5, 1), }")), true},
		{"a row that is announced", "wide.npy", text("\x93NUMPY\x01\x00\x60\x00" +
			fmt.Sprintf("%-95s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (5, 100000000), }")), true},
		{"an array in a zip", "zeros.npz", npzOfZeros, true},
		{"a Parquet page of a few bytes", "run.parquet", func(*testing.T) []byte { return parquetRun(2_000_000_000) }, false},
		{"a Parquet page in gzip", "zeros.parquet", func(t *testing.T) []byte { return parquetZeros(t, 2<<20) }, true},
		{"a long sequence", "dna.fasta", text(">a\n" + strings.Repeat("ACGT", 2<<20) + "\n"), true},
	}
}

func packed(t *testing.T, text, how string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if how == "zstd" {
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	_, err := io.WriteString(w, text)
	if err = errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npzOfZeros(t *testing.T) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("x.npy")
	if err == nil {
		_, err = io.WriteString(w, "\x93NUMPY\x01\x00\x60\x00"+
			fmt.Sprintf("%-95s\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 2), }"))
	}
	if err == nil {
		_, err = w.Write(make([]byte, 16_000_000))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file that says more than there is memory for is refused with what it would need, at a cost that
// is bounded by the memory it was allowed, whatever it says.
func TestReadersKeepToTheirMemory(t *testing.T) {
	const allowed = 4 << 20
	dir := t.TempDir()
	for _, c := range costlyFiles() {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(dir, c.file)
			if err := os.WriteFile(path, c.text(t), 0o666); err != nil {
				t.Fatal(err)
			}
			o := Options{Bytes: allowed, NoTarget: true, Threads: 1}
			checkRefused(t, "read", allowed, func() error { _, err := Read(context.Background(), path, o); return err })
			if c.stream {
				checkRefused(t, "stream", allowed, func() error { return drain(path, o) })
			} else if err := drain(path, o); err != nil {
				t.Errorf("a stream, whose chunks are small: %v", err)
			}
		})
	}
}

// drain reads a stream, of which a few chunks are enough.
func drain(path string, o Options) error {
	s, err := Open(context.Background(), path, o)
	if err != nil {
		return err
	}
	defer s.Close()
	for range 8 {
		if _, err = s.Next(); err != nil {
			break
		}
	}
	if err == io.EOF {
		return nil
	}
	return err
}

func checkRefused(t *testing.T, what string, allowed uint64, read func() error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := read()
	runtime.ReadMemStats(&after)
	var e *data.Error
	if !errors.Is(err, data.ErrTooLarge) || !errors.As(err, &e) || e.Bytes <= int64(allowed) ||
		e.Remedy != mend.Memory || e.File == "" {
		t.Errorf("%s: %v; want a refusal that says what it needs", what, err)
	}
	// Buffers of fixed size, and what is made and thrown away on the way, are not the file's doing.
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 16*allowed+48<<20 {
		t.Errorf("%s: %s in all before it was refused", what, phrase.Bytes(int64(cost)))
	}
}

// What fits is read, in the memory that a refusal named.
func TestReadersNameEnoughMemory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.jsonl":  strings.Repeat("{\"x\":1,\"y\":\"a\"}\n", 3000) + "{\"z\":2}\n",
		"a.libsvm": strings.Repeat("1 1:1 700:2\n", 3000),
		"a.csv":    "x,y\n" + strings.Repeat("1,a\n", 30000), "a.fasta": ">a\n" + strings.Repeat("ACGT", 3000) + "\n",
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		bytes := int64(1000)
		for turn := 0; ; turn++ {
			_, err := Read(context.Background(), path, Options{Bytes: bytes, NoTarget: true})
			if err == nil {
				if turn == 0 || bytes > 4<<20 {
					t.Errorf("%s: read in %d bytes, after %d refusals", name, bytes, turn)
				}
				break
			}
			var e *data.Error
			if !errors.As(err, &e) || !errors.Is(err, data.ErrTooLarge) || e.Bytes <= bytes || turn > 100 {
				t.Fatalf("%s in %d bytes: %v", name, bytes, err)
			}
			bytes = max(e.Bytes, bytes+bytes/4)
		}
	}
}

// The Parquet files here are sound: in memory enough they are read.
func TestParquetFilesAreSound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.parquet")
	for _, text := range [][]byte{parquetRun(1000), parquetZeros(t, 1000)} {
		if err := os.WriteFile(path, text, 0o666); err != nil {
			t.Fatal(err)
		}
		if d, err := Read(context.Background(), path, Options{NoTarget: true}); err != nil || d.Len() != 1000 ||
			d.Columns[0].Numbers[999] != 0 {
			t.Errorf("%v, %v", d, err)
		}
	}
}

// endless is a source that has no end.
type endless string

func (s endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], s)
	}
	return n, nil
}

func TestEndlessInput(t *testing.T) {
	const allowed = 4 << 20
	o := Options{Bytes: allowed, Stdin: endless("1,2\n")}
	checkRefused(t, "rows", allowed, func() error { _, err := Read(context.Background(), "-", o); return err })
	o.Stdin = endless("\x00")
	if _, err := Read(context.Background(), "-", o); !errors.Is(err, data.ErrFormat) {
		t.Errorf("zero bytes: %v", err)
	}
	if info, err := os.Stat("/dev/zero"); err == nil && !info.Mode().IsRegular() {
		if _, err := Read(context.Background(), "/dev/zero", o); !errors.Is(err, data.ErrFormat) {
			t.Errorf("/dev/zero: %v", err)
		}
	}
}

// parquetRun is a Parquet file of one column of so many times the same number: one run, a few
// bytes.
func parquetRun(rows int64) []byte {
	run := append([]byte{1}, binary.AppendUvarint(nil, uint64(rows)<<1)...)
	return parquetFile(rows, append(run, 0), len(run)+1, 8, 0)
}

// parquetZeros is one of so many zeros in a page that gzip makes small.
func parquetZeros(t *testing.T, rows int64) []byte {
	return parquetFile(rows, packed(t, strings.Repeat("\x00", int(8*rows)), "gzip"), int(8*rows), 0, 2)
}

// parquetFile is a file of one column of 64-bit numbers: a dictionary of one, and a page.
func parquetFile(rows int64, page []byte, plain int, encoding, codec int64) []byte {
	var file bytes.Buffer
	file.WriteString("PAR1")
	at := int64(file.Len())
	if codec == 0 {
		file.Write(thrift{}.i32(1, 2).i32(2, 8).i32(3, 8).within(7, thrift{}.i32(1, 1).i32(2, 0)).end())
		file.Write(make([]byte, 8))
	}
	dataAt := int64(file.Len())
	file.Write(thrift{}.i32(1, 0).i32(2, int64(plain)).i32(3, int64(len(page))).within(5,
		thrift{}.i32(1, rows).i32(2, encoding).i32(3, 3).i32(4, 3)).end())
	file.Write(page)
	size := int64(file.Len()) - at
	column := thrift{}.i32(1, 2).list(2, 5, thrift{}.raw(encoding)).list(3, 8, thrift{}.text("x")).i32(4, codec).i64(5,
		rows).i64(6, size).i64(7, size).i64(9, dataAt)
	if codec == 0 {
		column = column.i64(11, at)
	}
	group := thrift{}.list(1, 12, thrift{}.i64(2, at).within(3, column).end()).i64(2, size).i64(3, rows)
	root := thrift{}.field(4, 8).text("schema").i32(5, 1).end()
	leaf := thrift{}.i32(1, 2).i32(3, 0).field(4, 8).text("x").end()
	footer := thrift{}.i32(1, 1).list(2, 12, root, leaf).i64(3, rows).list(4, 12, group.end()).end()
	file.Write(footer)
	file.Write(binary.LittleEndian.AppendUint32(nil, uint32(len(footer))))
	file.WriteString("PAR1")
	return file.Bytes()
}

// thrift writes a structure in the compact protocol, field by field.
type thrift struct {
	b    []byte
	last int
}

func (w thrift) field(number, kind int) thrift {
	w.b = append(w.b, byte((number-w.last)<<4|kind))
	w.last = number
	return w
}

func (w thrift) raw(x int64) []byte   { return binary.AppendVarint(nil, x) }
func (w thrift) text(s string) thrift { w.b = append(append(w.b, byte(len(s))), s...); return w }
func (w thrift) i32(number int, x int64) thrift {
	w = w.field(number, 5)
	w.b = binary.AppendVarint(w.b, x)
	return w
}
func (w thrift) i64(number int, x int64) thrift {
	w = w.field(number, 6)
	w.b = binary.AppendVarint(w.b, x)
	return w
}
func (w thrift) end() []byte { return append(w.b, 0) }
func (w thrift) within(number int, s thrift) thrift {
	w = w.field(number, 12)
	w.b = append(w.b, s.end()...)
	return w
}

func (w thrift) list(number, kind int, items ...any) thrift {
	w = w.field(number, 9)
	w.b = append(w.b, byte(len(items)<<4|kind))
	for _, item := range items {
		switch item := item.(type) {
		case []byte:
			w.b = append(w.b, item...)
		case thrift:
			w.b = append(w.b, item.b...)
		}
	}
	return w
}
