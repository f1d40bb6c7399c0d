package plot

import (
	"bytes"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// gallery is one of each figure.
func gallery(t *testing.T) map[string]*Figure {
	r := rand.New(rand.NewPCG(1, 2))
	must := func(f *Figure, err error) *Figure {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	out := map[string]*Figure{}
	n := []float64{20, 40, 60, 80, 100, 120}
	out["learning"] = must(LearningCurve("accuracy",
		Series{Name: "held-out rows", X: n, Y: []float64{.8, .88, .91, .93, .94, .95},
			Low: []float64{.7, .82, .87, .9, .92, .93}, High: []float64{.9, .94, .95, .96, .96, .97}},
		Series{Name: "training rows", X: n, Y: []float64{1, .99, .985, .98, .98, .977}}))
	values := make([]float64, 200)
	for i := range values {
		values[i] = 50 * math.Exp(-0.2*float64(i))
	}
	out["spectrum"] = must(Spectrum(values, 1e-3))
	h := Heat{XName: "lengthscale", YName: "C", Metric: "accuracy", Maximize: true, Chosen: [2]int{3, 4}}
	for i := range 9 {
		h.X = append(h.X, math.Pow(2, float64(i-4)))
	}
	for j := range 7 {
		h.Y = append(h.Y, math.Pow(10, float64(j-3)))
		row := make([]float64, 9)
		for i := range row {
			row[i] = 1 - 0.01*(math.Pow(float64(i-3), 2)+math.Pow(float64(j-4), 2))
		}
		h.Mean = append(h.Mean, row)
	}
	h.Mean[0][0] = math.NaN()
	out["heat"] = must(HeatMap(h))
	out["confusion"] = must(Confusion([]string{"setosa", "versicolor", "virginica"},
		[][]int{{10, 0, 0}, {0, 9, 1}, {0, 2, 8}}))
	digits := make([][]int, 10)
	names := make([]string, 10)
	for i := range digits {
		digits[i] = make([]int, 10)
		digits[i][i] = 30
		digits[i][(i+3)%10] = i
		names[i] = itoa(i)
	}
	out["confusion10"] = must(Confusion(names, digits))
	truth, predicted := make([]float64, 300), make([]float64, 300)
	for i := range truth {
		truth[i] = 20 + 10*r.NormFloat64()
		predicted[i] = truth[i] + 2*r.NormFloat64()
	}
	out["predicted"] = must(Predicted(truth, predicted, "medv"))
	out["residuals"] = must(Residuals(truth, predicted, "medv"))
	roc := Series{Name: "auc 0.91"}
	cal := Series{}
	for i := range 21 {
		x := float64(i) / 20
		roc.X, roc.Y = append(roc.X, x), append(roc.Y, math.Pow(x, 0.2))
		if i%2 == 1 {
			cal.X, cal.Y = append(cal.X, x), append(cal.Y, math.Min(1, x*x+0.1))
		}
	}
	out["roc"] = must(ROC(roc))
	out["calibration"] = must(Calibration(cal))
	curve := Series{Name: "fit"}
	var px, py []float64
	for i := range 100 {
		x := float64(i) / 10
		curve.X, curve.Y = append(curve.X, x), append(curve.Y, math.Sin(x))
		curve.Low, curve.High = append(curve.Low, math.Sin(x)-0.3), append(curve.High, math.Sin(x)+0.3)
		px, py = append(px, x), append(py, math.Sin(x)+0.15*r.NormFloat64())
	}
	out["curve"] = must(FitCurve("x", "y", px, py, curve))
	g := Regions{XName: "x1", YName: "x2", Names: []string{"left", "right", "top"}}
	for i := range 100 {
		g.Xs, g.Ys = append(g.Xs, float64(i)/50-1), append(g.Ys, float64(i)/50-1)
	}
	for j := range 100 {
		row := make([]int, 100)
		for i := range row {
			switch {
			case g.Ys[j] > 0.4+0.3*math.Sin(5*g.Xs[i]):
				row[i] = 2
			case g.Xs[i] > 0.2*g.Ys[j]:
				row[i] = 1
			}
		}
		g.Class = append(g.Class, row)
	}
	for range 150 {
		i, j := r.IntN(100), r.IntN(100)
		g.PX, g.PY, g.PClass = append(g.PX, g.Xs[i]), append(g.PY, g.Ys[j]), append(g.PClass, g.Class[j][i])
	}
	out["regions"] = must(g.Figure())
	out["growth"] = must(LogLog("rows", "seconds", "seconds against rows",
		Series{Name: "n²", X: []float64{1e3, 1e4, 1e5}, Y: []float64{1e-2, 1, 100}},
		Series{Name: "n", X: []float64{1e3, 1e6}, Y: []float64{0.1, 100}}))
	return out
}

// Set MERCER_GALLERY to a folder to look at the figures.
func TestGallery(t *testing.T) {
	for name, f := range gallery(t) {
		var b bytes.Buffer
		if err := f.WritePNG(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if dir := os.Getenv("MERCER_GALLERY"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		img, err := png.Decode(&b)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if w := img.Bounds().Dx(); w != 945 && w != 944 {
			t.Errorf("%s: %d pixels wide, want 80 mm at 300 dpi", name, w)
		}
		inked := 0
		for y := 0; y < img.Bounds().Dy(); y += 3 {
			for x := 0; x < img.Bounds().Dx(); x += 3 {
				if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0xe000 {
					inked++
				}
			}
		}
		if inked < 500 {
			t.Errorf("%s: only %d dark samples: the figure is empty", name, inked)
		}
		inline, err := f.Inline()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !strings.HasPrefix(inline, "<svg ") || !strings.Contains(inline, "aria-label") {
			t.Errorf("%s: inline starts with %.60q", name, inline)
		}
		for d := xml.NewDecoder(strings.NewReader(inline)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%s: inline SVG is not well-formed: %v", name, err)
			}
		}
	}
}

// Order on a surface must survive a black-and-white printer.
func TestShadeDarkens(t *testing.T) {
	last := 256.0
	for i := range 101 {
		c := shade(float64(i) / 100)
		grey := float64(color.GrayModel.Convert(c).(color.Gray).Y)
		if grey > last {
			t.Fatalf("shade(%g) is lighter (%g) than the step before (%g)", float64(i)/100, grey, last)
		}
		last = grey
	}
	if last > 80 {
		t.Errorf("darkest shade has grey value %g, want below 80", last)
	}
}

// Neighbours in the palette differ in mark and dash, not in colour alone.
func TestMarksDiffer(t *testing.T) {
	for i := range len(shapes) {
		for j := range i {
			if shapes[i] == shapes[j] {
				t.Errorf("series %d and %d share a mark", i, j)
			}
		}
	}
}

func TestTicks(t *testing.T) {
	for v, want := range map[float64]string{1e-5: "1e-5", 0.001: "0.001", 2e6: "2e6", 12: "12", 1000: "1000", 0: "0",
		1.23456e-7: "1.2e-7"} {
		if got := short(v); got != want {
			t.Errorf("short(%g) = %q, want %q", v, got, want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-140, 80, "-100 -50 0 50"}, {0, 1, "0 0.2 0.4 0.6 0.8 1.0"}, {39, 101, "40 60 80 100"},
		{0, 0.041, "0 0.01 0.02 0.03 0.04"},
		{-1.02, 1.03, "-1.0 -0.5 0 0.5 1.0"}, {2e5, 9e5, "2e5 4e5 6e5 8e5"}, {7, 7, "7"}, {1e16, 1e16 + 2, "1e16"},
	} {
		var got []string
		for _, m := range (roundTicks{}).Ticks(c.low, c.high) {
			if !m.IsMinor() {
				got = append(got, m.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("ticks from %g to %g are %q, want %q", c.low, c.high, s, c.want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{0.5, 11, "0.5 1 2 5 10"}, {0.023, 0.078, "0.03 0.04 0.05 0.06 0.07"}, {0.051, 0.058, "0.052 0.054 0.056 0.058"},
		{1e-12, 1e3, "1e-12 1e-9 1e-6 0.001 1 1000"},
	} {
		var got []string
		for _, m := range (powerTicks{}).Ticks(c.low, c.high) {
			if m.Label != "" {
				got = append(got, m.Label)
			}
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("logarithmic ticks from %g to %g are %q, want %q", c.low, c.high, s, c.want)
		}
	}
}

// Eigenvalues that are 0 but for rounding are counted, not drawn as a cliff, and so are those below
// 0.
func TestSpectrumEndsWhereRoundingBegins(t *testing.T) {
	f, err := Spectrum([]float64{8, 4, 1, 1e-15, -1e-15, -2}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if f.p.Y.Min != 1 || f.p.X.Max != 3 {
		t.Errorf("drawn down to %g, up to index %g", f.p.Y.Min, f.p.X.Max)
	}
	if len(f.entries) != 2 || f.entries[0].name != "not shown: 2 of 0, to rounding" ||
		f.entries[1].name != "not shown: 1 below 0" {
		t.Errorf("%+v", f.entries)
	}
	f, err = Spectrum([]float64{3, 2, 1}, 0)
	if err != nil || len(f.entries) != 0 {
		t.Errorf("%+v, %v", f.entries, err)
	}
}

// The title of a legend stands first, and not where there is nothing under it.
func TestLegendTitle(t *testing.T) {
	for groups, want := range map[int]int{1: 0, 3: 4} {
		all := make([]Group, groups)
		for i := range all {
			all[i] = Group{X: []float64{1, 2}, Y: []float64{3, 4}}
			if groups > 1 {
				all[i].Name = itoa(i)
			}
		}
		f, err := Scatter("x", "y", "alt", all...)
		if err != nil {
			t.Fatal(err)
		}
		f.LegendTitle("petal_kind")
		if len(f.entries) != want || want > 0 && (!f.entries[0].heading || f.entries[0].name != "petal kind") {
			t.Errorf("%d groups: %+v", groups, f.entries)
		}
	}
}

// Marks at the ends of logarithmic axes have room about them, of the logarithms.
func TestLogLogHasRoom(t *testing.T) {
	f, err := LogLog("x", "y", "growth", Series{X: []float64{1, 1e4}, Y: []float64{10, 1e6}})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*chartAxis{&f.p.X, &f.p.Y} {
		span := math.Log(a.Max / a.Min)
		if data := span / 1.08; data < 4*math.Ln10-1e-9 || math.Abs(math.Remainder(data, math.Ln10)) > 1e-9 {
			t.Errorf("from %g to %g", a.Min, a.Max)
		}
	}
}

func TestLogLogRefusesZero(t *testing.T) {
	if _, err := LogLog("x", "y", "zero", Series{Name: "idle", X: []float64{1, 2}, Y: []float64{1, 0}}); err == nil ||
		!strings.Contains(err.Error(), `(2, 0) of "idle"`) {
		t.Errorf("a point at 0 on a logarithmic axis: %v", err)
	}
}

func TestWriteRefusesOtherFormats(t *testing.T) {
	f := newFigure("x", "y", "")
	if err := f.Write(io.Discard, "a.gif"); err == nil || !strings.Contains(err.Error(), ".svg, .png or .pdf") {
		t.Errorf("error is %v", err)
	}
}

// A signed field says which colour means what, how far it goes, and where its lines are; the order
// of sign and sample cannot be mixed up.
func TestSignedLegend(t *testing.T) {
	v := Field{XName: "x", YName: "y", Xs: []float64{0, 1, 2}, Ys: []float64{0, 1, 2},
		Values: [][]float64{{0.5, 0, -0.25}, {0.4, 0, -0.2}, {0.1, 0, -0.1}},
		Signed: true, High: "a denser", Low: "b denser", Levels: []float64{-0.25, 0.25}}
	f, err := v.Figure()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"a denser, up to +0.5", "b denser, up to -0.25", "lines: -0.25, +0.25"}
	if len(f.entries) != len(want) {
		t.Fatalf("%d entries", len(f.entries))
	}
	for i, e := range f.entries {
		if e.name != want[i] {
			t.Errorf("entry %d is %q, want %q", i, e.name, want[i])
		}
	}
	if blue := f.entries[0].thumbs[0].(swatch).color.(color.RGBA); blue.B < blue.R {
		t.Errorf("the positive side is %v, want blue", blue)
	}
	if orange := f.entries[1].thumbs[0].(swatch).color.(color.RGBA); orange.B > orange.R {
		t.Errorf("the negative side is %v, want orange", orange)
	}
	points, err := Coloured("x", "y", "", "a denser", "b denser",
		[]Group{{Name: "a", X: []float64{1, 2}, Y: []float64{1, 2}}}, [][]float64{{2, -1}})
	if err != nil {
		t.Fatal(err)
	}
	if points.entries[0].name != "a denser, up to +2" || points.entries[1].name != "b denser, up to -1" {
		t.Errorf("%q, %q", points.entries[0].name, points.entries[1].name)
	}
}

// The legend of a witness says which sign is which sample; as a label of the axis it was cut.
func TestSampleCurvesLegend(t *testing.T) {
	f, err := SampleCurves("x", "witness", "", [2]string{"before.csv", "after.csv"}, [2][]float64{{1, 2}, {3}},
		Series{X: []float64{0, 1}, Y: []float64{1, -1}})
	if err != nil {
		t.Fatal(err)
	}
	if last := f.entries[len(f.entries)-1].name; last != "above 0 before.csv is denser, below 0 the other" {
		t.Error(last)
	}
}

// A label longer than its axis is shortened, not cut; one that fits stays.
func TestLongLabels(t *testing.T) {
	long := strings.Repeat("residence_of_the_", 8)
	f, err := Scatter(long, long, "", Group{X: []float64{1, 2}, Y: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // drawn again it is the same
		if err := f.WritePNG(io.Discard); err != nil {
			t.Fatal(err)
		}
		x, y := f.p.X.Label, f.p.Y.Label
		if !strings.HasSuffix(x, "…") || !strings.HasSuffix(y, "…") || len(y) >= len(x) || len(y) < 20 {
			t.Errorf("%q, %q", x, y)
		}
		if w := f.p.Y.text.Width(y); w > f.Height-belowAxis && f.Height > 0 {
			t.Errorf("the label takes %v of %v", w, f.Height)
		}
	}
	if f, err = Scatter("width", "height", "", Group{X: []float64{1, 2}, Y: []float64{1, 2}}); err != nil ||
		f.WritePNG(io.Discard) != nil || f.p.Y.Label != "height" {
		t.Errorf("%q, %v", f.p.Y.Label, err)
	}
}
