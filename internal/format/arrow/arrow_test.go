package arrow

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/format/columntest"
)

// The files are written by pyarrow: bench/fixtures/arrow.py.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func open(t testing.TB, name string, kinds map[string]data.Kind) *Reader {
	t.Helper()
	r, err := newReader(fixture(t, name), strings.HasSuffix(name, ".arrows"), kinds)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

func newReader(raw []byte, stream bool, kinds map[string]data.Kind) (*Reader, error) {
	if stream {
		return NewStreamReader(bytes.NewReader(raw), "t", data.Inference{Told: data.Kinds(kinds)})
	}
	return NewFileReader(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{Told: data.Kinds(kinds)})
}

var kindOf = map[string]data.Kind{"bool": data.Boolean, "utf8": data.Text, "large_utf8": data.Text,
	"utf8_view": data.Text, "date32": data.Time, "date64": data.Time,
	"timestamp_s": data.Time, "timestamp_ms": data.Time, "timestamp_us": data.Time, "timestamp_ns": data.Time,
	"dict_int8": data.Categorical, "dict_uint16": data.Categorical, "dict_int32": data.Categorical,
	"dict_int64": data.Categorical, "dict_number": data.Categorical,
	"list": data.Sequence, "large_list": data.Sequence, "fixed_list": data.Sequence}

// Every type, as a file and a stream, plain and compressed, in several batches.
func TestTypes(t *testing.T) {
	want := map[string][]any{}
	if err := json.Unmarshal(fixture(t, "types.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, columns := range map[string]int{"types.arrow": 34, "types.arrows": 34, "lz4.arrow": 34, "lz4.arrows": 34,
		"zstd.arrow": 34, "zstd.arrows": 34, "old.arrows": 3} {
		r := open(t, name, nil)
		rows, batches := 0, 0
		for {
			d, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(d.Columns) != columns {
				t.Fatalf("%s: %d columns, want %d", name, len(d.Columns), columns)
			}
			for i := range d.Columns {
				c := &d.Columns[i]
				if c.Kind != kindOf[c.Name] {
					t.Errorf("%s: column %s is %v, want %v", name, c.Name, c.Kind, kindOf[c.Name])
				} else if err := columntest.Differs(c, want[c.Name], rows); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			rows += d.Len()
			batches++
		}
		if rows != 70 || batches != 3 {
			t.Errorf("%s: %d rows in %d batches, want 70 in 3", name, rows, batches)
		}
		d, err := ReadAll(open(t, name, map[string]data.Kind{"utf8": data.Text}))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for i := range d.Columns {
			if c := &d.Columns[i]; c.Kind == kindOf[c.Name] {
				if err := columntest.Differs(c, want[c.Name], 0); err != nil {
					t.Errorf("%s read whole: %v", name, err)
				}
			}
		}
	}
}

// A dictionary grows, and is then replaced by another.
func TestDictionaryDelta(t *testing.T) {
	r := open(t, "delta.arrows", nil)
	var got []string
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		for i := range d.Len() {
			got = append(got, d.Columns[0].String(i))
		}
	}
	if s := strings.Join(got, " "); s != "a b a c b c z" {
		t.Errorf("values are %q", s)
	}
	d, err := ReadAll(open(t, "delta.arrows", nil))
	if err != nil {
		t.Fatal(err)
	}
	if s := strings.Join(d.Columns[0].Levels, " "); s != "a b c z" || d.Columns[0].String(6) != "z" {
		t.Errorf("levels %q, last value %q", s, d.Columns[0].String(6))
	}
}

func TestRefused(t *testing.T) {
	for name, want := range map[string]string{
		"struct": `column "struct" is of type struct`, "binary": `column "binary" is of type binary`,
		"duration":     "type duration",
		"list_of_text": "list of other than numbers", "map": "type map", "union": "type union", "run_end": "run-end encoded",
		"list_view": "list view",
	} {
		_, err := newReader(fixture(t, name+".arrow"), false, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "t: ") || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "leave the column out") {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	for name, want := range map[string]string{"infinite": `row 2: column "x" is +Inf`, "no_rows": "no rows"} {
		if _, err := ReadAll(open(t, name+".arrow", nil)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	file := fixture(t, "types.arrow")
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("a,b\n"), "cut": file[:len(file)/2],
		"feather 1": []byte("FEA1xxxxxxxxxxxxxxxxxxxxxxxxxFEA1")} {
		for _, stream := range []bool{false, true} {
			if _, err := newReader(b, stream, nil); err == nil || !strings.HasPrefix(err.Error(), "t: ") {
				t.Errorf("%s: error %v", name, err)
			}
		}
	}
	// A stream cut within a message is an error, never a shorter data set.
	whole := fixture(t, "types.arrows")
	r, err := newReader(whole[:len(whole)-len(whole)/4], true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadAll(r); err == nil {
		t.Error("no error for a stream that is cut short")
	}
}

// Damage is an error or another value, never a panic or memory without end.
func TestDamage(t *testing.T) {
	step := 17
	if testing.Short() {
		step = 131
	}
	for _, name := range []string{"types.arrow", "zstd.arrows", "delta.arrows"} {
		raw := fixture(t, name)
		for i := 0; i < len(raw); i += step {
			for _, flip := range []byte{0xff, 0x80, 1} {
				bad := bytes.Clone(raw)
				bad[i] ^= flip
				if r, err := newReader(bad, strings.HasSuffix(name, "s"), nil); err == nil {
					if d, err := ReadAll(r); err == nil {
						_ = d.Check()
					}
				}
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range []string{"types.arrow", "types.arrows", "lz4.arrow", "zstd.arrows", "delta.arrows", "old.arrows",
		"struct.arrow"} {
		f.Add(fixture(f, name), strings.HasSuffix(name, "s"))
	}
	f.Fuzz(func(t *testing.T, raw []byte, stream bool) {
		r, err := newReader(raw, stream, nil)
		if err != nil {
			return
		}
		d, err := ReadAll(r)
		if err != nil {
			return
		}
		for i := range d.Columns {
			c := &d.Columns[i]
			if c.Len() != d.Len() {
				t.Fatalf("column %q has %d values in %d rows", c.Name, c.Len(), d.Len())
			}
			for _, x := range c.Numbers {
				if math.IsInf(x, 0) {
					t.Fatalf("column %q holds %v", c.Name, x)
				}
			}
		}
	})
}

// Nothing in a column is a fault that nobody looks at.
func TestIgnored(t *testing.T) {
	raw := fixture(t, "infinite.arrow")
	open := func(in data.Inference) error {
		r, err := NewFileReader(bytes.NewReader(raw), int64(len(raw)), "t", in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = ReadAll(r)
		return err
	}
	if open(data.Inference{}) == nil {
		t.Error("an infinite number is read")
	}
	if err := open(data.Inference{Ignore: []string{"x"}}); err != nil {
		t.Error(err)
	}
}
