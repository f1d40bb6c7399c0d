package archtest

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
	"gonum.org/v1/gonum/mat"
)

// TestRowsStandAlone: what a fitted thing says about a point has the same bits in any company.
func TestRowsStandAlone(t *testing.T) {
	_, uses := fitted(t)
	x := plane(80, 3)
	x[79] = []float64{1e3, -1e3} // far from all others
	for _, u := range uses {
		whole := rowTexts(t, u, x)
		for _, size := range []int{1, 2, 3, 7, 16, 33} {
			for start := 0; start+size <= 80; start += max(size, 11) {
				part := rowTexts(t, u, data.Slice[[]float64](x[start:start+size]))
				if !slices.Equal(part, whole[start:start+size]) {
					t.Errorf("%s: %d rows from %d alone are %v, among others %v", u.name, size, start, part, whole[start:start+size])
					size, start = 100, 100
				}
			}
		}
	}
}

// rowTexts is what is said about each point, as text that tells every bit.
func rowTexts(t *testing.T, u use, x points) []string {
	t.Helper()
	said, err := u.short(t.Context(), x)
	if err != nil {
		t.Fatalf("%s: %v", u.name, err)
	}
	var rows []string
	if m, ok := said.(*mat.Dense); ok {
		for i := range x.Len() {
			rows = append(rows, fmt.Sprint(m.RawRowView(i)))
		}
		return rows
	}
	v := reflect.ValueOf(said)
	for i := range v.Len() {
		rows = append(rows, fmt.Sprint(v.Index(i).Interface()))
	}
	return rows
}
