package plot

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot/canvas"
)

// The cell of a point is the one whose middle is nearest, by trying all.
func TestHoneycomb(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	comb := honeycomb{12, 0.75}
	for range 2000 {
		x, y := rng.Float64(), rng.Float64()
		column, row := comb.cell(x, y)
		if (column-row)%2 != 0 {
			t.Fatalf("(%d, %d) is no cell", column, row)
		}
		distance := func(c, r int) float64 {
			a, b := comb.middle(c, r)
			return math.Hypot(x-a, (y-b)*comb.ratio)
		}
		best := math.Inf(1)
		for c := -2; c < 28; c++ {
			for r := -2; r < 28; r++ {
				if (c-r)%2 == 0 {
					best = min(best, distance(c, r))
				}
			}
		}
		if got := distance(column, row); got > best+1e-12 {
			t.Fatalf("(%g, %g): %g from its cell, and %g from another", x, y, got, best)
		}
	}
}

// Whole numbers leave no hole in the middle row of a crowd.
func TestWholeNumbersFillTheirCells(t *testing.T) {
	var points xys
	for i := range 4200 {
		points = append(points, canvas.Point{X: float64(1 + i%28), Y: float64(i/28) / 10})
	}
	across := acrossOf(points)
	low, high, _, _ := extent{points}.roomy(across).DataRange()
	comb, seen := honeycomb{float64(across), 0.75}, map[int]bool{}
	for x := 1; x <= 28; x++ {
		column, row := comb.cell((float64(x)-low)/(high-low), 0)
		if row == 0 {
			seen[column/2] = true
		}
	}
	for c := 1; c < across-1; c++ {
		if !seen[c] {
			t.Errorf("no number from 1 to 28 is in cell %d of %d", c, across)
		}
	}
}

func cloud(n int, seed uint64) Group {
	rng := rand.New(rand.NewPCG(seed, 3))
	g := Group{Name: fmt.Sprint("sample ", seed)}
	for range n {
		g.X, g.Y = append(g.X, rng.NormFloat64()), append(g.Y, rng.NormFloat64())
	}
	return g
}

func svgOf(t *testing.T, f *Figure, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := f.WriteSVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Few marks are opaque, many are not, and a crowd is hexagons that count every row.
func TestManyMarks(t *testing.T) {
	draw := func(groups ...Group) string {
		f, err := Scatter("x", "y", "", groups...)
		return svgOf(t, f, err)
	}
	if text := draw(cloud(200, 1)); strings.Contains(text, "opacity") || strings.Count(text, "<circle") != 201 {
		t.Error("200 marks and that of the legend are not as many opaque ones")
	}
	if text := draw(cloud(900, 1), cloud(900, 2)); !strings.Contains(text, `opacity="0.4`) {
		t.Error("1,800 marks of two kinds are opaque")
	}
	text := draw(cloud(5000, 1))
	if strings.Contains(text, "<circle") || !strings.Contains(text, "rows in a cell") {
		t.Error("5,000 marks of one kind are no hexagons")
	}
	f, err := Scatter("x", "y", "", cloud(5000, 1))
	if err != nil {
		t.Fatal(err)
	}
	f.p.X.settle()
	f.p.Y.settle()
	for _, l := range f.p.layers {
		if h, ok := l.(hexagons); ok {
			_, members := h.bins(honeycomb{float64(h.across), 0.75}, f.p)
			sum := 0
			for _, m := range members {
				sum += len(m)
			}
			if sum != 5000 {
				t.Errorf("cells have %d rows", sum)
			}
		}
	}
}

// Names that begin alike stay different, whatever is cut.
func TestNamesApart(t *testing.T) {
	for _, c := range [][2]string{
		{"measurements_of_the_first_year_2019", "measurements_of_the_first_year_2020"},
		{"a", "b"},
		{"/a/very/long/folder/name/that/is/the/same/before.csv", "/a/very/long/folder/name/that/is/the/same/after.csv"},
		{strings.Repeat("x", 40) + "1" + strings.Repeat("y", 40), strings.Repeat("x", 40) + "2" + strings.Repeat("y", 40)},
		{strings.Repeat("x", 40) + "1", strings.Repeat("x", 40) + "12"},
	} {
		short := NamesApart(c[:], 24)
		if short[0] == short[1] {
			t.Errorf("%q and %q are both %q", c[0], c[1], short[0])
		}
		for _, s := range short {
			if utf8.RuneCountInString(s) > 24 {
				t.Errorf("%q is long", s)
			}
		}
	}
}

func TestAxisName(t *testing.T) {
	for column, want := range map[string]string{
		"sepal_length_(cm)": "sepal length (cm)", "sepal_length_cm": "sepal length (cm)",
		"sepal length (cm)": "sepal length (cm)",
		"speed [km/h]":      "speed (km/h)", "waiting": "waiting", "x_1": "x 1", "m": "m", "_": "_",
		"weight_kg": "weight (kg)", "": "",
		"predicted weight_kg": "predicted weight_kg", "noise_dB": "noise (dB)",
	} {
		if got := AxisName(column); got != want {
			t.Errorf("%q is named %q, want %q", column, got, want)
		}
	}
	if UnitOf("weight_kg") != "kg" || UnitOf("weight") != "" {
		t.Error("units")
	}
}

// The legend is beside the drawing: to the right of its last mark.
func TestLegendBeside(t *testing.T) {
	f, err := Scatter("x", "y", "", cloud(50, 1), cloud(50, 2))
	if err != nil {
		t.Fatal(err)
	}
	f.LegendBeside()
	f.Title = "Two samples"
	before, _ := f.size()
	f.Resize(0)
	if after, _ := f.size(); after <= before {
		t.Error("there is no room for the legend")
	}
	text := svgOf(t, f, nil)
	var at, right float64
	for _, line := range strings.Split(text, "\n") {
		var x, y, r float64
		if _, err := fmt.Sscanf(line[max(strings.Index(line, "cx="), 0):], `cx="%g" cy="%g" r="%g"`, &x, &y,
			&r); err == nil && y > 30 {
			right = max(right, x)
		}
		if strings.Contains(line, ">sample 2<") {
			if _, err := fmt.Sscanf(line, `<text x="%g"`, &at); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !(at > right && right > 0) || !strings.Contains(text, ">Two samples<") {
		t.Errorf("the legend is at %g, marks go to %g", at, right)
	}
}

// A figure in the terminal is as wide as asked, names what it shows, and has no colour unless
// asked.
func TestTerminalFigure(t *testing.T) {
	for _, columns := range []int{40, 80, 120} {
		f, err := Scatter("x", "the other", "", cloud(50, 1), cloud(50, 2))
		if err != nil {
			t.Fatal(err)
		}
		f.LegendBeside()
		text := f.Terminal(columns, false)
		for _, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%d columns: %d in %q", columns, n, line)
			}
		}
		for _, want := range []string{"the other", "sample 1", "sample 2", "△"} {
			if !strings.Contains(text, want) {
				t.Errorf("%d columns: no %q in\n%s", columns, want, text)
			}
		}
	}
}
