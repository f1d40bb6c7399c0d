package data

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mercer-ml/mercer/internal/mend"
)

func TestDoubts(t *testing.T) {
	const n = 40
	column := func(name string, at func(i int) float64) Column {
		values := make([]float64, n)
		for i := range values {
			values[i] = at(i)
		}
		return NumberColumn(name, values)
	}
	names := func(name string, at func(i int) string) Column {
		return LevelColumn(name, texts(n, at))
	}
	noise := func(i int) float64 { return math.Mod(float64(i*7919%101)/7, 3) }
	gap := func(i, at int, v float64) float64 {
		if i == at {
			return math.NaN()
		}
		return v
	}
	for _, c := range []struct {
		column Column
		target Column
		want   string // nothing: no doubt
	}{
		{column("n", func(i int) float64 { return float64(i + 5) }), column("y", noise), "numbers the rows"},
		{column("n", func(i int) float64 { return float64(i) / 2 }), column("y", noise), ""},
		{column("k", func(int) float64 { return 3 }), column("y", noise), "one value only"},
		{column("k", func(int) float64 { return math.NaN() }), column("y", noise), "no values"},
		{column("user_id", func(i int) float64 { return float64(i * 37 % 1009) }), column("y", noise),
			"different in every row"},
		{column("size", func(i int) float64 { return float64(i * 37 % 1009) }), column("y", noise), ""},
		// in another order
		{column("drawn", func(i int) float64 { return float64(i*13%n + 100) }), column("y", noise), "numbers the rows"},
		{column("drawn", func(i int) float64 { return float64(min(i*13%n, n-2)) }), column("y", noise), ""},
		{column("drawn", func(i int) float64 { return 1e300 * float64(i*13%n) }), column("y", noise), ""},
		{column("drawn", func(i int) float64 { return math.Inf(i*13%n - 2) }), column("y", noise), ""},
		{names("customer", func(i int) string { return fmt.Sprintf("K%05d", i*37%1009) }), column("y", noise),
			"different in every row"},
		{names("bill", func(i int) string { return fmt.Sprintf("INV-2023-%d/b", i*37%1009) }), column("y", noise),
			"different in every row"},
		{names("row", func(i int) string { return fmt.Sprintf("3f2504e0-4f89-41d3-9a0c-0305e82c%04x", i*37) }),
			column("y", noise), "different in every row"},
		// where there is one
		{column("user_id", func(i int) float64 { return gap(i, 7, float64(i*37%1009)) }), column("y", noise),
			"different in every row"},
		{TextColumn("customer", texts(n, func(i int) string {
			return strings.Repeat(fmt.Sprintf("K%05d", i*37%1009),
				i%20)
		})), column("y", noise), ""},
		{TextColumn("customer", texts(n, func(i int) string {
			return strings.Repeat(fmt.Sprintf("K%05d", i*37%1009),
				min(i, 1))
		})), column("y", noise), "different in every row"},
		{column("patient_id", func(i int) float64 { return gap(i, 4, float64(700+i/2)) }), column("y", noise),
			"names 20 in 39 rows"},
		// most have none
		{column("patient_id", func(i int) float64 { return gap(i%4, 1, float64(700+i/2)) }), column("y", noise), ""},
		// one comes twice
		{names("customer", func(i int) string { return fmt.Sprintf("K%05d", i%39) }), column("y", noise), ""},
		{names("part", func(i int) string { return fmt.Sprintf("%c%d", 'A'+i%3, i) }), column("y", noise), ""},
		{names("postcode", func(i int) string { return fmt.Sprintf("0%04d", i*37) }), column("y", noise), ""},
		{column("x", func(i int) float64 { return math.Exp(noise(i)) }), column("y", noise), "tells"},
		{column("x", func(i int) float64 { return -noise(i) }), column("y", noise), "tells"},
		{column("x", func(i int) float64 { return noise(i) + float64(i%2) }), column("y", noise), ""},
		{names("patient", func(i int) string { return fmt.Sprintf("P%03d", i/2) }), column("y", noise),
			"names 20 in 40 rows"},
		{column("patient_id", func(i int) float64 { return float64(700 + i/2) }), column("y", noise), "names 20 in 40 rows"},
		{column("year", func(i int) float64 { return 1959 + float64(i)/12 }), column("y", noise), "in the order of"},
		{column("Sale_Time", func(i int) float64 { return -math.Floor(float64(i)/1.5) / 7 }), column("y", noise),
			"in the order of"},
		{column("year", func(i int) float64 { return 2000 + float64(i/10) }), column("y", noise), ""}, // four of them
		{column("year", func(i int) float64 { return 1959 + float64(i*7%40)/12 }), column("y", noise), ""},
		{column("times", func(i int) float64 { return float64(i) / 12 }), column("y", noise), ""},
		// few, which new rows have too
		{column("shop_id", func(i int) float64 { return float64(i % 7) }), column("y", noise), ""},
		{TextColumn("why", texts(n, func(i int) string { return fmt.Sprint("for reason ", i%6, " of six") })),
			column("y", func(i int) float64 { return float64(i % 6 % 2) }), "tells"},
		{names("c", func(i int) string { return fmt.Sprint("k", i%6) }),
			column("y", func(i int) float64 { return float64(i % 6 % 2) }), "tells"},
		{names("c", func(i int) string { return fmt.Sprint("k", i%6) }),
			column("y", func(i int) float64 { return float64(i % 2 * (i % 3)) }), "tells"},
		{names("c", func(i int) string { return fmt.Sprint("k", i%6) }),
			column("y", func(i int) float64 { return float64(i % 5 % 2) }), ""},
		{column("x", func(i int) float64 { return float64(i*13%40) / 3 }),
			column("y", func(i int) float64 { return math.Floor(float64(i*13%40) / 20) }), "tells"},
	} {
		d := &Dataset{Name: "t", Columns: []Column{c.column, column("other", func(i int) float64 { return noise(i * 3) }),
			c.target}, Target: "y"}
		got := d.Doubts()
		if c.want == "" && len(got) == 0 || len(got) == 1 && c.want != "" && got[0].Column == c.column.Name &&
			strings.Contains(got[0].Reason, c.want) {
			continue
		}
		t.Errorf("%s: %v, want %q", c.column.Name, got, c.want)
	}
	days := func(at func(i int) int) Column {
		written := TextColumn("day", texts(n, func(i int) string {
			return time.Date(2024, 1, 1+at(i), 0, 0, 0, 0,
				time.UTC).Format("2006-01-02")
		}))
		c, err := written.As(Time)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	for _, c := range []struct {
		column Column
		order  string
		want   string
	}{
		{days(func(i int) int { return i / 2 }), "", "in the order of"},
		{days(func(i int) int { return -3 * i }), "", "in the order of"},
		{days(func(i int) int { return i / 2 }), "day", ""},  // said already
		{days(func(i int) int { return i * 7 % n }), "", ""}, // in another order
		{days(func(i int) int { return i / 10 }), "", ""},    // few days
		{names("c", func(i int) string { return []string{"No", "yes", "no"}[i*7%5%3] }), "",
			`"No" and "no" of column "c" differ in capitals only`},
	} {
		d := &Dataset{Name: "t", Columns: []Column{c.column, column("y", noise)}, Target: "y", Order: c.order}
		if got := d.Doubts(); c.want == "" && len(got) > 0 || c.want != "" &&
			(len(got) != 1 || !strings.Contains(got[0].Reason, c.want)) {
			t.Errorf("%v, want %q", got, c.want)
		}
	}
	for _, c := range []struct {
		columns []Column
		want    string
	}{
		{[]Column{TextColumn("day", []string{"1/7/21", "2/3/21", "", "13/8/21"})}, "years of two digits"},
		{[]Column{TextColumn("score", []string{"1/7/2100", "2/3/21"})}, ""},
		{[]Column{TextColumn("score", []string{"1/7/21", "45/3/21"})}, ""}, // no day
		{[]Column{LevelColumn("shop", []string{"a", "b", "a", "Total"}), NumberColumn("sold", []float64{1, 2, 4, 7})},
			`the last row says "Total"`},
		{[]Column{LevelColumn("shop", []string{"a", "b", "a", "Gesamtsumme:"}), NumberColumn("sold", []float64{1, 2, 4, 9})},
			`the last row says "Gesamtsumme:"`},
		{[]Column{LevelColumn("scope", []string{"total", "part", "part", "total"}),
			NumberColumn("sold", []float64{1, 2, 4, 7})}, ""},
		{[]Column{LevelColumn("shop", []string{"a", "b", "a", "Totality"}), NumberColumn("sold", []float64{1, 2, 4, 7})}, ""},
	} {
		got := (&Dataset{Name: "t", Columns: c.columns}).Doubts()
		if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0].Reason, c.want)) {
			t.Errorf("%v, want %q", got, c.want)
		}
	}
	if got := (&Dataset{Name: "t", Columns: []Column{NumberColumn("a", []float64{1})}}).Doubts(); got != nil {
		t.Errorf("one row: %v", got)
	}
}

func texts(n int, at func(i int) string) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// The oracle compares every pair of rows. What several rows are of is known whatever else the
// columns are for; without a target it is no feature.
func TestGrouping(t *testing.T) {
	const n = 60
	names := TextColumn("patient", texts(n, func(i int) string { return fmt.Sprintf("P%03d", i%25) }))
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i * i))
	}
	d := &Dataset{Name: "t", Columns: []Column{NumberColumn("x", x), names}}
	if got := d.Grouping(); len(got) != 1 || got[0] != "patient" {
		t.Errorf("%v", got)
	}
	if got := d.Doubts(); len(got) != 1 || got[0].Remedy != mend.Ignore ||
		!strings.Contains(got[0].Reason, "names 25 in 60 rows: rows of one are alike") {
		t.Errorf("without a target: %v", got)
	}
	d.Target = "patient"
	if got := d.Doubts(); len(got) != 0 {
		t.Errorf("the target: %v", got)
	}
}

func TestSharedRows(t *testing.T) {
	d := &Dataset{Columns: []Column{NumberColumn("a", []float64{1, 2, 1, math.NaN(), math.NaN(), 1, 0,
		math.Copysign(0, -1)}),
		TextColumn("b", []string{"x", "x", "x", "", "", "y", "z", "z"})}}
	want := 0
	part, other := []int{0, 1, 3, 6}, []int{2, 4, 5, 7}
	for _, i := range part {
		for _, j := range other {
			if d.sameRow(i, j) {
				want++
				break
			}
		}
	}
	if got := d.SharedRows(part, other); got != want || want != 3 {
		t.Errorf("%d rows, %d by pairs, want 3", got, want)
	}
}
