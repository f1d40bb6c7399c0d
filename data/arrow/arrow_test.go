package arrow

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/mercer-ml/mercer/data"
)

// batches writes two record batches of three rows, as a file or a stream.
func batches(t testing.TB, stream bool) []byte {
	pool := memory.NewGoAllocator()
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
		{Name: "n", Type: arrow.PrimitiveTypes.Uint16},
		{Name: "c", Type: dict},
		{Name: "t", Type: arrow.BinaryTypes.String, Nullable: true},
		{Name: "d", Type: arrow.FixedWidthTypes.Date32},
		{Name: "s", Type: arrow.ListOf(arrow.PrimitiveTypes.Float32)},
		{Name: "b", Type: arrow.FixedWidthTypes.Boolean},
	}, nil)
	var out bytes.Buffer
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	}
	if stream {
		w = ipc.NewWriter(&out, ipc.WithSchema(schema))
	} else {
		f, err := ipc.NewFileWriter(&out, ipc.WithSchema(schema))
		if err != nil {
			t.Fatal(err)
		}
		w = f
	}
	b := array.NewRecordBuilder(pool, schema)
	for k := range 2 {
		b.Field(0).(*array.Float64Builder).AppendValues([]float64{1.5, 0, float64(k)}, []bool{true, false, true})
		b.Field(1).(*array.Uint16Builder).AppendValues([]uint16{1, 65535, 3}, nil)
		for _, s := range []string{"u", "v", "u"} {
			if err := b.Field(2).(*array.BinaryDictionaryBuilder).AppendString(s); err != nil {
				t.Fatal(err)
			}
		}
		b.Field(3).(*array.StringBuilder).AppendValues([]string{"one text", "", "another"}, []bool{true, false, true})
		b.Field(4).(*array.Date32Builder).AppendValues([]arrow.Date32{0, 1, 18262}, nil)
		l := b.Field(5).(*array.ListBuilder)
		for i := range 3 {
			l.Append(true)
			for j := range i {
				l.ValueBuilder().(*array.Float32Builder).Append(float32(j) + 0.5)
			}
		}
		b.Field(6).(*array.BooleanBuilder).AppendValues([]bool{true, false, true}, nil)
		if err := w.Write(b.NewRecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestRead(t *testing.T) {
	for _, stream := range []bool{false, true} {
		raw := batches(t, stream)
		var r *Reader
		var err error
		if stream {
			r, err = NewStreamReader(bytes.NewReader(raw), "t", nil)
		} else {
			r, err = NewFileReader(bytes.NewReader(raw), "t", nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		d, err := ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if d.Len() != 6 {
			t.Fatalf("%d rows", d.Len())
		}
		kinds := []data.Kind{data.Numeric, data.Numeric, data.Categorical, data.Categorical, data.Time, data.Sequence, data.Numeric}
		for j, k := range kinds {
			if d.Columns[j].Kind != k {
				t.Errorf("column %s is %v, want %v", d.Columns[j].Name, d.Columns[j].Kind, k)
			}
		}
		x := d.Columns[0].Numbers
		if x[0] != 1.5 || !math.IsNaN(x[1]) || x[5] != 1 || d.Columns[1].Numbers[1] != 65535 || d.Columns[2].String(4) != "v" ||
			d.Columns[3].String(2) != "another" || !d.Columns[3].IsMissing(1) || d.Columns[4].String(2) != "2020-01-01" ||
			d.Columns[5].Sequences[5][1] != 1.5 || d.Columns[6].Numbers[1] != 0 {
			t.Errorf("stream %v: %+v", stream, d.Columns)
		}
	}
}

func TestStreamAndFaults(t *testing.T) {
	raw := batches(t, true)
	r, err := NewStreamReader(bytes.NewReader(raw), "t", map[string]data.Kind{"t": data.Text})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows := 0
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows += d.Len()
	}
	if rows != 6 {
		t.Errorf("%d rows", rows)
	}
	file := batches(t, false)
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("a,b\n"), "cut": file[:len(file)/2]} {
		if _, err := NewFileReader(bytes.NewReader(b), "t", nil); err == nil || !strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(batches(f, false), false)
	f.Add(batches(f, true), true)
	f.Fuzz(func(t *testing.T, raw []byte, stream bool) {
		var r *Reader
		var err error
		if stream {
			r, err = NewStreamReader(bytes.NewReader(raw), "t", nil)
		} else {
			r, err = NewFileReader(bytes.NewReader(raw), "t", nil)
		}
		if err == nil {
			ReadAll(r)
		}
	})
}
