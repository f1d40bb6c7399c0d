package mtx

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func ExampleRead() {
	m,
		err := Read(strings.NewReader("%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 2\n2 1 0.5\n3 3 4\n"),
		"a.mtx", 0)
	fmt.Println(m.Rows, m.Symmetric, m.Row, m.Col, m.Value, err)
	// Output: 3 true [1 2] [0 2] [0.5 4] <nil>
}

func TestRead(t *testing.T) {
	m, err := Read(strings.NewReader("%%MatrixMarket Matrix Coordinate PATTERN general\n\n2 4 2\n1 4\n\n2 1"), "a.mtx", 0)
	if want := (&Matrix{Rows: 2, Cols: 4, Row: []int32{0, 1}, Col: []int32{3, 0}}); err != nil ||
		!reflect.DeepEqual(m, want) {
		t.Errorf("%+v %v, want %+v", m, err, want)
	}
	real := "%%MatrixMarket matrix coordinate real general\n"
	for text, want := range map[string]string{
		"": "an empty file",
		"%%MatrixMarket matrix array real general\n2 2\n": `a.mtx:1: a matrix in the form "array"`,
		"1 1 1\n": "is no banner",
		"%%MatrixMarket matrix coordinate complex general\n":              `entries that are "complex"`,
		"%%MatrixMarket matrix coordinate real hermitian\n":               `a matrix that is "hermitian"`,
		"%%MatrixMarket matrix coordinate real symmetric\n2 3 0\n":        "2 rows and 3 columns",
		"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n": "above the diagonal",
		real:                            "no line with the size",
		real + "2 2\n":                  "is no size",
		real + "2 2 -1\n":               "is no size",
		real + "9999999999 2 1\n":       "is no size",
		real + "2 2 9999999999999999\n": "is allowed",
		real + "2 2 2\n1 1 1\n":         "ends after 1 of 2 entries",
		real + "2 2 1\n1 1 1\n1 2 3\n":  "a.mtx:4: more than the 1 entries",
		real + "2 2 1\n0 1 1\n":         "no place in a matrix",
		real + "2 2 1\n1 3 1\n":         "no place in a matrix",
		real + "2 2 1\n1 1\n":           "2 fields, want 3",
		real + "2 2 1\n1 1 nan\n":       "no finite number",
		real + "2 2 1\n1 1 1e999\n":     "no finite number",
	} {
		if _, err := Read(strings.NewReader(text), "a.mtx", 1<<20); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}

// Whatever a file says, what is read is a matrix of the size that it states.
func FuzzRead(f *testing.F) {
	f.Add("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 0.5\n3 3 4\n")
	f.Add("%%MatrixMarket matrix coordinate pattern general\n%\n2 4 2\n1 4\n2 1\n")
	f.Add("%%MatrixMarket matrix coordinate integer general\n0 0 0\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := Read(strings.NewReader(text), "f", 1<<20)
		if err != nil {
			return
		}
		if len(m.Row) != len(m.Col) || m.Value != nil && len(m.Value) != len(m.Row) {
			t.Fatalf("%d rows, %d columns, %d values", len(m.Row), len(m.Col), len(m.Value))
		}
		for k, i := range m.Row {
			if i < 0 || int(i) >= m.Rows || m.Col[k] < 0 || int(m.Col[k]) >= m.Cols || m.Symmetric && m.Col[k] > i {
				t.Fatalf("entry %d is at (%d, %d) of %d×%d", k, i, m.Col[k], m.Rows, m.Cols)
			}
		}
	})
}
