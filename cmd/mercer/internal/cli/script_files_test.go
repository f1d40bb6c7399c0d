package cli

import (
	"archive/zip"
	"bytes"
	"embed"
	"encoding/binary"
	"io"
	"slices"
	"strconv"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/npy"
	"github.com/rogpeppe/go-internal/testscript"
)

// Embedded, since the folder of the process changes with the commands of other scripts.
//
//go:embed testdata/iris
var irisFiles embed.FS

// irisFile is the script command
//
//	iris-as FORMAT FILE
//
// that puts the built-in set there in a format that mercer reads and does not write; parquet-lzo is
// one whose first column it does not read. Parquet and Arrow are pyarrow's: bench/fixtures/iris.py.
func irisFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: iris-as FORMAT FILE")
	}
	var b bytes.Buffer
	switch args[0] {
	case "parquet", "arrow", "arrows":
		raw, err := irisFiles.ReadFile("testdata/iris/iris." + args[0])
		ts.Check(err)
		b.Write(raw)
	case "parquet-lzo":
		raw, err := irisFiles.ReadFile("testdata/iris/iris.parquet")
		ts.Check(err)
		b.Write(firstByLZO(raw))
	case "npz":
		d, err := data.Builtin("iris", 1)
		ts.Check(err)
		ts.Check(irisNPZ(&b, d))
	default:
		ts.Fatalf("iris-as: unknown format %s", args[0])
	}
	ts.Check(writeFile(ts.MkAbs(args[1]), b.Bytes()))
}

// firstByLZO writes lzo, which is not read, for snappy as the codec of the first column: field 4 of
// its ColumnMetaData in the footer, and the head of field 5.
func firstByLZO(raw []byte) []byte {
	footer := len(raw) - 8 - int(binary.LittleEndian.Uint32(raw[len(raw)-8:]))
	return slices.Concat(raw[:footer], bytes.Replace(raw[footer:], []byte{0x15, 2, 0x16}, []byte{0x15, 6, 0x16}, 1))
}

// compressFile is the script command
//
//	compress gzip|zstd FROM TO
func compressFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: compress gzip|zstd FROM TO")
	}
	var b bytes.Buffer
	var w io.WriteCloser = gzip.NewWriter(&b)
	if args[0] == "zstd" {
		z, err := zstd.NewWriter(&b)
		ts.Check(err)
		w = z
	}
	_, err := io.WriteString(w, ts.ReadFile(args[1]))
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(writeFile(ts.MkAbs(args[2]), b.Bytes()))
}

// cutFile is the script command
//
//	cut BYTES FROM TO
//
// that copies the first bytes of a file.
func cutFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: cut BYTES FROM TO")
	}
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	ts.Check(writeFile(ts.MkAbs(args[2]), []byte(ts.ReadFile(args[1])[:n])))
}

// latinFile is the script command
//
//	latin-1 FROM TO
//
// that writes a text of UTF-8 with a byte for each letter.
func latinFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: latin-1 FROM TO")
	}
	var out []byte
	for _, r := range ts.ReadFile(args[0]) {
		out = append(out, byte(r))
	}
	ts.Check(writeFile(ts.MkAbs(args[1]), out))
}

// irisNPZ writes arrays X and y, as numpy.savez does.
func irisNPZ(w io.Writer, d *data.Dataset) error {
	x, y := &npy.Array{Shape: []int{d.Len(), 4}}, &npy.Array{Shape: []int{d.Len()}}
	for i := range d.Len() {
		for j := range 4 {
			x.Values = append(x.Values, d.Columns[j].Numbers[i])
		}
		y.Values = append(y.Values, float64(d.Columns[4].Codes[i]))
	}
	z := zip.NewWriter(w)
	for _, a := range []struct {
		name string
		*npy.Array
	}{{"X.npy", x}, {"y.npy", y}} {
		f, err := z.Create(a.name)
		if err != nil {
			return err
		}
		if err := npy.Write(f, a.Array); err != nil {
			return err
		}
	}
	return z.Close()
}
