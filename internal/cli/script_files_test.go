package cli

import (
	"archive/zip"
	"bytes"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/npy"
	pq "github.com/parquet-go/parquet-go"
	"github.com/rogpeppe/go-internal/testscript"
)

// irisFile is the script command
//
//	iris-as FORMAT FILE
//
// that writes the built-in set in a format that mercer reads and does not write.
func irisFile(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: iris-as FORMAT FILE")
	}
	d, err := data.Builtin("iris", 1)
	ts.Check(err)
	write, ok := map[string]func(io.Writer, *data.Dataset) error{
		"parquet": irisParquet, "arrow": irisArrow, "arrows": irisArrows, "npz": irisNPZ,
	}[args[0]]
	if !ok {
		ts.Fatalf("iris-as: unknown format %s", args[0])
	}
	var b bytes.Buffer
	ts.Check(write(&b, d))
	ts.Check(writeFile(ts.MkAbs(args[1]), b.Bytes()))
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

type irisRow struct {
	SepalLength float64 `parquet:"sepal_length"`
	SepalWidth  float64 `parquet:"sepal_width"`
	PetalLength float64 `parquet:"petal_length"`
	PetalWidth  float64 `parquet:"petal_width"`
	Species     string  `parquet:"species,dict"`
}

func irisParquet(w io.Writer, d *data.Dataset) error {
	rows := make([]irisRow, d.Len())
	for i := range rows {
		c := d.Columns
		rows[i] = irisRow{c[0].Numbers[i], c[1].Numbers[i], c[2].Numbers[i], c[3].Numbers[i], c[4].String(i)}
	}
	p := pq.NewGenericWriter[irisRow](w)
	if _, err := p.Write(rows); err != nil {
		return err
	}
	return p.Close()
}

func irisBatch(d *data.Dataset) (*arrow.Schema, arrow.RecordBatch) {
	var fields []arrow.Field
	for i := range d.Columns {
		f := arrow.Field{Name: d.Columns[i].Name, Type: arrow.PrimitiveTypes.Float64}
		if d.Columns[i].Kind != data.Numeric {
			f.Type = arrow.BinaryTypes.String
		}
		fields = append(fields, f)
	}
	schema := arrow.NewSchema(fields, nil)
	b := array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	for j := range d.Columns {
		for i := range d.Len() {
			switch field := b.Field(j).(type) {
			case *array.Float64Builder:
				field.Append(d.Columns[j].Numbers[i])
			case *array.StringBuilder:
				field.Append(d.Columns[j].String(i))
			}
		}
	}
	return schema, b.NewRecordBatch()
}

func irisArrow(w io.Writer, d *data.Dataset) error {
	schema, batch := irisBatch(d)
	f, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return err
	}
	if err := f.Write(batch); err != nil {
		return err
	}
	return f.Close()
}

func irisArrows(w io.Writer, d *data.Dataset) error {
	schema, batch := irisBatch(d)
	s := ipc.NewWriter(w, ipc.WithSchema(schema))
	if err := s.Write(batch); err != nil {
		return err
	}
	return s.Close()
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
