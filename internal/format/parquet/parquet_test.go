package parquet

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/celltext"
	"github.com/mercer-ml/mercer/internal/format/columntest"
)

// The files are written by pyarrow: bench/fixtures/parquet.py.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func values(t testing.TB, name string) map[string][]any {
	t.Helper()
	want := map[string][]any{}
	if err := json.Unmarshal(fixture(t, name), &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func open(t testing.TB, name string) *Reader {
	t.Helper()
	raw := fixture(t, name)
	r, err := Open(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// check reads a file in chunks of the given number of rows.
func check(t *testing.T, name string, want map[string][]any, rows, columns int, chunk int64) {
	t.Helper()
	r := open(t, name)
	r.chunk = chunk
	total := 0
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
			if c.Name == "time" { // written as milliseconds since midnight
				for i := range c.Micros {
					if w := want["time"][total+i]; w == nil != c.IsMissing(i) || w != nil &&
						c.Micros[i] != celltext.TimeOfDay(1000*int64(w.(float64))) {
						t.Errorf("%s: time %d is %s, want %v ms", name, total+i, c.String(i), w)
					}
				}
			} else if err := columntest.Differs(c, want[c.Name], total); err != nil {
				t.Errorf("%s in chunks of %d: %v", name, chunk, err)
			}
			if kind, ok := kindOf[c.Name]; c.Kind != kind && (ok || c.Kind != data.Numeric) && columns > 8 {
				t.Errorf("%s: column %s is %v", name, c.Name, c.Kind)
			}
		}
		total += d.Len()
	}
	if total != rows {
		t.Errorf("%s: %d rows, want %d", name, total, rows)
	}
}

var kindOf = map[string]data.Kind{"bool": data.Boolean, "time": data.Time, "utf8": data.Text, "category": data.Text,
	"fixed": data.Text, "struct.b": data.Text, "date32": data.Time,
	"timestamp_ms": data.Time, "timestamp_us": data.Time, "timestamp_ns": data.Time, "list": data.Sequence}

// Every type, in pages of both versions and with the annotations of old writers;
// chunks are cut within row groups of 50 and pages of 16.
func TestTypes(t *testing.T) {
	want := values(t, "types.json")
	for _, name := range []string{"types.parquet", "types_v1.parquet", "types_v2.parquet"} {
		for _, chunk := range []int64{chunkRows, 50, 17, 1} {
			check(t, name, want, 120, len(want), chunk)
		}
	}
}

func TestCodecs(t *testing.T) {
	want := values(t, "types.json")
	for _, codec := range []string{"snappy", "gzip", "zstd", "lz4", "brotli"} {
		for _, version := range []string{"1", "2"} {
			check(t, codec+"_"+version+".parquet", want, 120, 6, 33)
		}
	}
}

func TestEncodings(t *testing.T) {
	want := values(t, "encodings.json")
	for _, encoding := range []string{"plain", "dictionary", "split", "delta", "prefix"} {
		for _, version := range []string{"1", "2"} {
			check(t, encoding+"_"+version+".parquet", want, 700, len(want), chunkRows)
			check(t, encoding+"_"+version+".parquet", want, 700, len(want), 101)
		}
	}
}

func TestReadInfers(t *testing.T) {
	raw := fixture(t, "types.parquet")
	d, err := Read(bytes.NewReader(raw), int64(len(raw)), "t",
		data.Inference{Told: data.Kinds(map[string]data.Kind{"int8": data.Categorical})})
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 120 {
		t.Errorf("%d rows", d.Len())
	}
	for name, kind := range map[string]data.Kind{"category": data.Categorical, "utf8": data.Text, "int8": data.Categorical,
		"float64": data.Numeric, "date32": data.Time} {
		if c, _ := d.Column(name); c.Kind != kind {
			t.Errorf("%s is %v, want %v", name, c.Kind, kind)
		}
	}
}

// Lists of strings are texts, UUIDs their usual form.
func TestStrings(t *testing.T) {
	want := values(t, "strings.json")
	for _, chunk := range []int64{chunkRows, 17, 1} {
		check(t, "strings.parquet", want, 120, 2, chunk)
	}
}

// The values are those that pyarrow 26.0.1 reads.
func TestHadoopLZ4(t *testing.T) {
	want := map[string][]any{"c0": {1593604800., 1593604800., 1593604801., 1593604801.},
		"c1": {"abc", "def", "abc", "def"}, "v11": {42., 7.7, 42.125, 7.7}}
	for _, name := range []string{"hadoop_lz4_compressed.parquet", "non_hadoop_lz4_compressed.parquet"} {
		check(t, name, want, 4, 3, chunkRows)
	}
}

// A column that is not read is left out with a word; the others are read.
func TestSkipped(t *testing.T) {
	for name, why := range map[string]string{"list_of_lists": "it is a list of lists",
		"list_of_times": "it is a list of times"} {
		raw := fixture(t, name+".parquet")
		d, err := Read(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(d.Columns) != 1 || d.Columns[0].Name != "x" || len(d.Skipped) != 1 ||
			d.Skipped[0] != (data.SkippedColumn{Column: name, Reason: why}) {
			t.Errorf("%s: columns %v, skipped %v", name, d.Names(), d.Skipped)
		}
		if err := d.SetTarget(name); !errors.Is(err, data.ErrNoColumn) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s as the target: %v", name, err)
		}
	}
	// A codec that is not read, in place of snappy in the footer: of one column in one group, then
	// of all.
	raw := fixture(t, "snappy_1.parquet")
	snappy, lzo := []byte{0x15, 2, 0x16}, []byte{0x15, 6, 0x16} // field 4 of ColumnMetaData, and the head of field 5
	footer := len(raw) - 8 - int(binary.LittleEndian.Uint32(raw[len(raw)-8:]))
	changed := func(n int) []byte { return slices.Concat(raw[:footer], bytes.Replace(raw[footer:], snappy, lzo, n)) }
	one := changed(1)
	d, err := Read(bytes.NewReader(one), int64(len(one)), "t", data.Inference{})
	if err != nil || len(d.Columns) != 5 || len(d.Skipped) != 1 ||
		d.Skipped[0].String() != `column "int32" is left out: it is compressed by lzo` {
		t.Errorf("one column by lzo: %v, %v", d, err)
	}
	all := changed(-1)
	if _, err = Read(bytes.NewReader(all), int64(len(all)), "t", data.Inference{}); err == nil ||
		!strings.Contains(err.Error(), "no column can be read") || !strings.Contains(err.Error(), "snappy") {
		t.Errorf("all columns by lzo: %v", err)
	}
}

// Nothing in a column is a fault that nobody looks at.
func TestIgnored(t *testing.T) {
	raw := fixture(t, "infinite.parquet")
	d, err := Read(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{Ignore: []string{"infinite"}})
	if err != nil || len(d.Columns) != 2 {
		t.Error(err)
	}
}

func TestRefused(t *testing.T) {
	for name, want := range map[string][2]string{
		"null_in_list": {`row 1: column "null_in_list" has NaN`, "replace it"},
		"infinite":     {`row 1: column "infinite" is +Inf`, "replace it"},
		"no_rows":      {"no rows", ""},
	} {
		raw := fixture(t, name+".parquet")
		_, err := Read(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{})
		if err == nil || !strings.HasPrefix(err.Error(), "t: ") || !strings.Contains(err.Error(), want[0]) ||
			!strings.Contains(err.Error(), want[1]) {
			t.Errorf("%s: error is %v, want %q and %q", name, err, want[0], want[1])
		}
	}
	raw := fixture(t, "types.parquet")
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("a,b\n1,2\n3,4\n5,6\n"), "cut": raw[:len(raw)/2],
		"encrypted": []byte("PAR1xxxx\x00\x00\x00\x00PARE")} {
		if _, err := Read(bytes.NewReader(b), int64(len(b)), "t", data.Inference{}); err == nil ||
			!strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	// A page whose bytes differ from their checksum.
	raw = bytes.Clone(fixture(t, "snappy_1.parquet"))
	raw[200] ^= 1
	if _, err := Read(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{}); !errors.Is(err, data.ErrDamaged) ||
		!strings.Contains(err.Error(), "checksum") {
		t.Errorf("a changed page: error %v", err)
	}
}

// drain reads at most so many rows: a few bytes may honestly stand for very
// many values.
func drain(raw []byte, rows int) (d *data.Dataset, err error) {
	r, err := Open(bytes.NewReader(raw), int64(len(raw)), "t", data.Inference{})
	if err != nil {
		return nil, err
	}
	for total := 0; total < rows; total += d.Len() {
		next, err := r.next()
		if err != nil {
			return d, err
		}
		d = next
	}
	return d, nil
}

// Damage is an error or another value, never a panic or memory without end.
func TestDamage(t *testing.T) {
	step := 17
	if testing.Short() {
		step = 397
	}
	for _, name := range []string{"types.parquet", "types_v2.parquet", "delta_1.parquet", "prefix_2.parquet",
		"dictionary_1.parquet"} {
		raw := fixture(t, name)
		for i := 0; i < len(raw); i += step {
			for _, flip := range []byte{0xff, 0x80, 1} {
				bad := bytes.Clone(raw)
				bad[i] ^= flip
				drain(bad, 1000)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	names, err := filepath.Glob("testdata/*.parquet")
	if err != nil || len(names) == 0 {
		f.Fatal("no seeds")
	}
	for _, name := range names {
		f.Add(fixture(f, filepath.Base(name)))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		d, err := drain(raw, 1<<17)
		if err != nil || d == nil {
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
