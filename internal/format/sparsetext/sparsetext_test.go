package sparsetext

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// all joins what a reader gives, up to the first fault.
func all(t *testing.T, r *Reader) *Rows {
	t.Helper()
	out := &Rows{Ptr: []int{0}}
	for {
		pieces, err := r.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			shift := len(out.Value)
			if out.Qid == nil && p.Qid != nil {
				for range out.Line {
					out.Qid = append(out.Qid, math.NaN())
				}
			}
			if p.Qid == nil && out.Qid != nil {
				for range p.Line {
					out.Qid = append(out.Qid, math.NaN())
				}
			}
			out.Lead, out.Line, out.Qid = append(out.Lead, p.Lead...), append(out.Line, p.Line...), append(out.Qid, p.Qid...)
			out.Index, out.Value = append(out.Index, p.Index...), append(out.Value, p.Value...)
			for _, e := range p.Ptr[1:] {
				out.Ptr = append(out.Ptr, e+shift)
			}
			if p.Fault != nil {
				out.Fault = p.Fault
				return out
			}
		}
	}
}

// carefully reads line by line, without the short way.
func carefully(f Form, text string) *Rows {
	r := &Rows{Ptr: []int{0}}
	for i, line := range strings.Split(text, "\n") {
		if f.careful(r, []byte(line), i+1) {
			r.Line, r.Ptr = append(r.Line, i+1), append(r.Ptr, len(r.Value))
		}
		if r.Fault != nil {
			break
		}
	}
	return r
}

// same compares bits: NaN stands for no qid.
func same(a, b *Rows) bool {
	return fmt.Sprintf("%v %v %v %v %v %v %+v", a.Lead, a.Qid, a.Line, a.Ptr, a.Index, a.Value,
		a.Fault) == fmt.Sprintf("%v %v %v %v %v %v %+v", b.Lead, b.Qid, b.Line, b.Ptr, b.Index, b.Value, b.Fault)
}

// The short way gives what the careful one gives, whatever stands in the rows, and however they are
// cut into blocks and dealt to threads.
func TestTheShortWayIsTheCarefulOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	faulty := 0
	for range 2000 {
		f := Form{Lead: rng.IntN(3), Low: rng.IntN(2)}
		odd := rng.IntN(2) == 0
		var b strings.Builder
		for range rng.IntN(6) {
			for range f.Lead {
				b.WriteString(pick("1", "-1", "+2.5", "1e-3", "0.12345678901234567") + pick(" ", "  ", "\t"))
			}
			for j, k := f.Low, 0; k < rng.IntN(5); k++ {
				fmt.Fprintf(&b, "%d:%s%s", j, pick("1", "0", "-2", ".5", "3e5", "7.25", "1234567.891"), pick(" ", " ", "\t", "  "))
				j += 1 + rng.IntN(3)
			}
			if odd && rng.IntN(4) == 0 {
				b.WriteString(pick("qid:3", "# note 1:2", "x", "1:inf", "3:", ":4", "0:1", "99999999999:1", "1:0x1p4", "1:1e999",
					"-1:2", "2147483648:1", "1:1_0", "1:2:3"))
			}
			b.WriteString(pick("\n", "\r\n", " \n", "\n\n"))
		}
		text := strings.TrimSuffix(b.String(), pick("", "\n"))
		want := carefully(f, text)
		if want.Fault != nil {
			faulty++
		}
		if got := f.parse([]byte(text+"\n"), 1); !same(got, want) {
			t.Fatalf("%q, %+v:\n%+v %+v\nwant\n%+v %+v", text, f, got, got.Fault, want, want.Fault)
		}
		if got := all(t, NewReader(iotest.OneByteReader(strings.NewReader(text)), f, 1, 1+rng.IntN(3))); !same(got, want) {
			t.Fatalf("%q, %+v, read:\n%+v\nwant\n%+v", text, f, got, want)
		}
	}
	if faulty < 100 {
		t.Errorf("only %d texts had a fault", faulty)
	}
}

// Rows come in order out of many blocks, and a line longer than a block is one row.
func TestBlocks(t *testing.T) {
	var b strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&b, "%d 1:%d.5 %d:2\n", i, i%10, 2+i%50)
		if i == 12345 {
			b.WriteString("12345.5")
			for j := range 40000 {
				fmt.Fprintf(&b, " %d:1", j+1)
			}
			b.WriteString("\n")
		}
	}
	var first *Rows
	for threads := 1; threads <= 3; threads++ {
		got := all(t, NewReader(strings.NewReader(b.String()), Form{1, 1}, 1, threads))
		if first == nil {
			first = got
		} else if !reflect.DeepEqual(got, first) {
			t.Fatalf("%d threads give other rows", threads)
		}
	}
	if first.Len() != 30001 || first.Lead[12346] != 12345.5 || first.Ptr[12347]-first.Ptr[12346] != 40000 ||
		first.Lead[30000] != 29999 || first.Line[30000] != 30001 {
		t.Errorf("%d rows", first.Len())
	}
	refused := NewReader(strings.NewReader(b.String()), Form{1, 1}, 1, 1)
	refused.Refuse = func(bytes int) error { return fmt.Errorf("a line of %d bytes", bytes) }
	var err error
	for err == nil {
		_, err = refused.Next()
	}
	if err == io.EOF || !strings.HasPrefix(err.Error(), "a line of") {
		t.Errorf("a long line was taken: %v", err)
	}
}
