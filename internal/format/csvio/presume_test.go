package csvio

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// readBoth reads a text as it is read, and as it is read without presuming anything.
func readBoth(text string, o Options) (got, want *data.Dataset, gotErr, wantErr error) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	got, gotErr = Read(open, "file", o)
	// Something told of a column that is not there changes nothing else.
	o.Told = map[string]data.Notation{"no such column": {Kind: data.Text}}
	want, wantErr = Read(open, "file", o)
	return got, want, gotErr, wantErr
}

func sameSets(a, b *data.Dataset) error {
	if a.Len() != b.Len() || len(a.Columns) != len(b.Columns) {
		return fmt.Errorf("%d rows of %d columns, %d of %d", a.Len(), len(a.Columns), b.Len(), len(b.Columns))
	}
	for j := range a.Columns {
		c, d := a.Columns[j], b.Columns[j]
		for i, v := range c.Numbers {
			if w := d.Numbers[i]; math.Float64bits(v) != math.Float64bits(w) && !(v != v && w != w) {
				return fmt.Errorf("row %d of %q is %g, %g", i, c.Name, v, w)
			}
		}
		c.Numbers, d.Numbers = nil, nil
		if !reflect.DeepEqual(c, d) {
			return fmt.Errorf("column %d is %+v, %+v", j, c, d)
		}
	}
	return nil
}

// What the first lines of a file suggest never changes what is read, wherever a value comes that is
// not like them: the columns, their kinds and values, and errors, are those of a file that was
// judged whole.
func TestPresumingChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	odd := []string{"", "NA", "?", "word", "007", "1,5", "1.234,5", "1.2.3", `"2.5"`, `"a,b"`, `"1,5"`,
		"12345678901234567", "1e400", "inf", "2024-01-02", "$5", "5%", "1_000", "+3", "\x00", "# note", "é", "\xe9", " 4 ",
		"--"}
	tables, presumed := 0, 0
	for trial := range 400 {
		delimiter := []string{",", ",", ";", "\t", "|"}[random.IntN(5)]
		end := []string{"\n", "\n", "\r\n"}[random.IntN(3)]
		rows, cols := 5+random.IntN(300), 2+random.IntN(5)
		at := random.IntN(rows) // where something odd comes, in most files
		what := odd[random.IntN(len(odd))]
		if trial%4 == 0 {
			at = -1
		}
		var b bytes.Buffer
		if random.IntN(3) > 0 {
			for j := range cols {
				fmt.Fprintf(&b, "%sx%d", strings.Repeat(delimiter, min(j, 1)), j)
			}
			b.WriteString(end)
		}
		whole, many := random.IntN(2) == 0, random.IntN(2) == 0
		for i := range rows {
			for j := range cols {
				field := fmt.Sprintf("%.4g", random.NormFloat64()*math.Pow(10, float64(random.IntN(7))))
				if whole {
					field = fmt.Sprint(random.IntN(2000))
				}
				if i == at && j == cols-1 || many && at >= 0 && i > at && j == 0 && delimiter != "," {
					field = what
				}
				if many && at >= 0 && i > at && j == 1 && delimiter == ";" {
					field = strings.Replace(field, ".", ",", 1) // another decimal mark from here on
				}
				b.WriteString(strings.Repeat(delimiter, min(j, 1)) + field)
			}
			if i == at && random.IntN(8) == 0 {
				b.WriteString(delimiter + "1") // a field too many
			}
			b.WriteString(end)
		}
		o := Options{Threads: 1 + random.IntN(3), Block: []int{0, 1 << 10}[random.IntN(2)]}
		got, want, gotErr, wantErr := readBoth(b.String(), o)
		name := fmt.Sprintf("file %d (%q between, %q at row %d of %d)", trial, delimiter, what, at, rows)
		if (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Errorf("%s: error %v, judged whole %v", name, gotErr, wantErr)
			continue
		}
		if gotErr == nil {
			if err := sameSets(got, want); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			tables++
		}
		o.presume = true
		if r, err := NewReader(strings.NewReader(b.String()), "file", o); err == nil && r.presumed {
			presumed++
		}
	}
	if tables < 200 || presumed < 200 {
		t.Errorf("%d files were read, %d dialects presumed: the test shows little", tables, presumed)
	}
}

// Words in more than one row of ten make a column of words, wherever they begin, as they do where
// it is judged at once; fewer are a fault, however many of the rows that kinds are judged by have
// one.
func TestPresumedKinds(t *testing.T) {
	table := func(last int) string {
		var b strings.Builder
		b.WriteString("a,b\n")
		for i := range 8000 {
			if i > 1000 && i < last && i%2 == 0 {
				fmt.Fprintf(&b, "%d,word\n", i)
			} else {
				fmt.Fprintf(&b, "%d,%d.5\n", i, i%7)
			}
		}
		return b.String()
	}
	got, want, gotErr, wantErr := readBoth(table(4000), Options{})
	if gotErr != nil || wantErr != nil {
		t.Fatalf("errors %v, judged whole %v", gotErr, wantErr)
	}
	if err := sameSets(got, want); err != nil {
		t.Error(err)
	}
	_, _, gotErr, wantErr = readBoth(table(1600), Options{})
	if gotErr == nil || wantErr == nil || gotErr.Error() != wantErr.Error() ||
		!strings.Contains(gotErr.Error(), `column "b" is "word"`) {
		t.Errorf("errors %v, judged whole %v", gotErr, wantErr)
	}
}

// A dialect that was presumed is the one that all of the text gives.
func TestPresumedDialect(t *testing.T) {
	var b strings.Builder
	b.WriteString("a;b;c\n")
	for i := range 5000 {
		fmt.Fprintf(&b, "%d;%d.5;-%de-3\n", i, i, i)
	}
	text := []byte(b.String())
	got, ok := presume(text, "file", Options{presume: true})
	want, err := sniff(text, true, "file", Options{})
	if !ok || err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%t: %+v, judged whole %+v (%v)", ok, got, want, err)
	}
	for _, o := range []Options{{presume: true, Decimal: '.'}, {presume: true, NA: []string{"-9"}},
		{presume: true, Told: map[string]data.Notation{"a": {}}}, {}} {
		if _, ok := presume(text, "file", o); ok {
			t.Errorf("presumed with %+v", o)
		}
	}
}

// An error of the source is told as it is, once.
func TestPresumingTellsErrorsOfTheSource(t *testing.T) {
	broken := errors.New("the disk is gone")
	opened := 0
	_, err := Read(func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(io.MultiReader(strings.NewReader(strings.Repeat("1,2\n", 1<<17)), failing{broken})), nil
	}, "file", Options{})
	if !errors.Is(err, broken) || opened > 2 {
		t.Errorf("error %v after opening %d times", err, opened)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
