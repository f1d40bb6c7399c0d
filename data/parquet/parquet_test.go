package parquet

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/data"
	pq "github.com/parquet-go/parquet-go"
)

type row struct {
	X     float64   `parquet:"x"`
	N     int32     `parquet:"n"`
	F     *float32  `parquet:"f,optional"`
	B     bool      `parquet:"b"`
	C     string    `parquet:"c,dict"`
	When  time.Time `parquet:"when,timestamp(millisecond)"`
	Day   int32     `parquet:"day,date"`
	Price int64     `parquet:"price,decimal(2:12)"`
	S     []float64 `parquet:"s,list"`
	Sub   struct {
		U uint32 `parquet:"u"`
	} `parquet:"sub"`
}

func rows(n int) []row {
	out := make([]row, n)
	for i := range out {
		f := float32(i) / 2
		r := &out[i]
		r.X, r.N, r.B, r.C = float64(i)+0.25, int32(-i), i%2 == 0, []string{"u", "v"}[i%2]
		r.When, r.Day, r.Price = time.UnixMilli(int64(i)*86400000+1), int32(i), int64(100*i+5)
		r.Sub.U = math.MaxUint32 - uint32(i)
		if i%3 > 0 {
			r.F = &f
		}
		for k := range i % 4 {
			r.S = append(r.S, float64(k))
		}
	}
	return out
}

func write(t testing.TB, n int) []byte {
	var b bytes.Buffer
	w := pq.NewGenericWriter[row](&b, pq.MaxRowsPerRowGroup(400), pq.PageBufferSize(512))
	if _, err := w.Write(rows(n)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func check(t *testing.T, d *data.Dataset, from int) {
	t.Helper()
	col := func(name string) *data.Column {
		c, err := d.Column(name)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	want := rows(from + d.Len())[from:]
	for i, w := range want {
		f := math.NaN()
		if w.F != nil {
			f = float64(*w.F)
		}
		got := col("f").Numbers[i]
		if col("x").Numbers[i] != w.X || col("n").Numbers[i] != float64(w.N) || (got != f && got == got) || math.IsNaN(got) != math.IsNaN(f) ||
			col("c").String(i) != w.C || col("when").Micros[i] != w.When.UnixMicro() || col("day").Micros[i] != int64(w.Day)*86400e6 ||
			col("price").Numbers[i] != float64(w.Price)/100 || col("sub.u").Numbers[i] != float64(w.Sub.U) || (col("b").Numbers[i] == 1) != w.B {
			t.Fatalf("row %d differs: %+v", from+i, w)
		}
		if q := col("s").Sequences[i]; len(q) != len(w.S) || len(q) > 0 && q[len(q)-1] != w.S[len(w.S)-1] {
			t.Fatalf("row %d: list %v, want %v", from+i, q, w.S)
		}
	}
}

func TestRead(t *testing.T) {
	raw := write(t, 1000)
	d, err := Read(bytes.NewReader(raw), int64(len(raw)), "t.parquet", nil)
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 1000 {
		t.Errorf("%d rows", d.Len())
	}
	check(t, d, 0)
	if c, _ := d.Column("c"); c.Kind != data.Categorical {
		t.Errorf("c is %v", c.Kind)
	}
}

func TestStream(t *testing.T) {
	raw := write(t, 1000)
	r, err := Open(bytes.NewReader(raw), int64(len(raw)), "t.parquet", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.chunk = 150 // cuts within row groups of 400
	total := 0
	for {
		d, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		check(t, d, total)
		total += d.Len()
	}
	if total != 1000 {
		t.Errorf("%d rows", total)
	}
}

func TestFaults(t *testing.T) {
	raw := write(t, 10)
	for name, b := range map[string][]byte{"empty": nil, "text": []byte("a,b\n1,2\n"), "cut": raw[:len(raw)/2], "no rows": write(t, 0)} {
		if _, err := Read(bytes.NewReader(b), int64(len(b)), "t", nil); err == nil || !strings.HasPrefix(err.Error(), "t: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, 5))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) < 1<<16 {
			Read(bytes.NewReader(raw), int64(len(raw)), "t", nil)
		}
	})
}
