package data

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/internal/phrase"
)

func TestBuiltins(t *testing.T) {
	for _, info := range Builtins() {
		d, err := Builtin(info.Name, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); err != nil {
			t.Error(err)
		}
		c, err := d.Column(d.Target)
		if err != nil {
			t.Fatal(err)
		}
		if task, _, err := InferTask(c); err != nil || task != info.Task {
			t.Errorf("%s: task %v (%v), want %v", info.Name, task, err, info.Task)
		}
		again, _ := Builtin(info.Name, 1)
		other, _ := Builtin(info.Name, 2)
		if !slices.Equal(d.Columns[0].Numbers, again.Columns[0].Numbers) {
			t.Errorf("%s: the same seed gives other numbers", info.Name)
		}
		if slices.Equal(d.Columns[0].Numbers, other.Columns[0].Numbers) == info.Generated {
			t.Errorf("%s: generated is %v, but seeds 1 and 2 say otherwise", info.Name, info.Generated)
		}
	}
	if _, err := Builtin("irys", 0); err == nil || !strings.Contains(err.Error(), `did you mean "iris"?`) {
		t.Errorf("unknown set: %v", err)
	}
}

func TestSummary(t *testing.T) {
	d, _ := Builtin("iris", 0)
	if got, want := d.Summary(), `iris: 150 rows, 4 numeric columns, target "species" (3 classes, balanced)`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d, _ = Builtin("mcycle", 0)
	if got, want := d.Summary(), `mcycle: 133 rows, 1 numeric column, target "accel" (numeric, -134 to 75)`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInferTask(t *testing.T) {
	repeat := func(times int, v ...float64) []float64 { return slices.Repeat(v, times) }
	for name, c := range map[string]struct {
		x    []float64
		want Task
	}{
		"two values": {repeat(10, -1, 1), Binary},
		"digits":     {repeat(20, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9), Multiclass},
		"fractions":  {repeat(10, 1, 1.5, 2), Regression},
		"many whole numbers": {[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22},
			Regression},
		"few rows of each":         {[]float64{1, 2, 3, 4, 1, 2}, Regression},
		"whole numbers far apart":  {repeat(10, 100, 2000, 30000), Regression},
		"two values, missing ones": {append(repeat(10, 0, 1), math.NaN()), Binary},
	} {
		col := NumberColumn("y", c.x)
		got, why, err := InferTask(&col)
		if err != nil || got != c.want || why == "" {
			t.Errorf("%s: %v (%s, %v), want %v", name, got, why, err, c.want)
		}
	}
}

func TestKindsRoundTrip(t *testing.T) {
	c := NumberColumn("x", []float64{1, 2.5, math.NaN(), -3e20})
	text, err := c.As(Text)
	if err != nil {
		t.Fatal(err)
	}
	back, err := text.As(Numeric)
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range c.Numbers {
		if math.Float64bits(x) != math.Float64bits(back.Numbers[i]) && x == x {
			t.Errorf("row %d: %v becomes %v", i, x, back.Numbers[i])
		}
	}
	days := TextColumn("d", []string{"03.02.2021", "", "28.12.1999"})
	when, err := days.As(Time)
	if err != nil || when.String(0) != "2021-02-03" || !when.IsMissing(1) {
		t.Errorf("dates: %v, %v", when, err)
	}
	bad := TextColumn("d", []string{"2021-02-03", "soon"})
	if _, err := bad.As(Time); err == nil || !strings.Contains(err.Error(), `row 2: column "d" is "soon"`) {
		t.Errorf("bad date: %v", err)
	}
	for k := Numeric; k <= Sequence; k++ {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("kind %v: %v, %v", k, got, err)
		}
	}
}

func TestScalings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 1000)
	for i := range x {
		x[i] = 1e9 + 3*rng.NormFloat64()
	}
	a, err := FitScaling(standardize, x)
	if err != nil {
		t.Fatal(err)
	}
	sum, sq := 0.0, 0.0
	for _, v := range x {
		s := a.Apply(v)
		sum += s
		sq += s * s
		if math.Abs(a.Invert(s)-v) > 1e-6 {
			t.Fatalf("%v inverts to %v", v, a.Invert(s))
		}
	}
	if math.Abs(sum/1000) > 1e-7 || math.Abs(sq/1000-1) > 1e-7 {
		t.Errorf("standardised: mean %g, mean square %g", sum/1000, sq/1000)
	}
	m, _ := FitScaling(minMax, []float64{2, 4, 6})
	r, _ := FitScaling(robust, []float64{1, 2, 3, 4, 100})
	if m.Apply(2) != 0 || m.Apply(6) != 1 || r.Apply(3) != 0 || r.Apply(4) != 0.5 {
		t.Errorf("min-max %v, robust %v", m, r)
	}
	c, _ := FitScaling(standardize, []float64{0.1, 0.1, 0.1})
	if got := c.Apply(0.1); math.Abs(got) > 1e-15 {
		t.Errorf("constant column becomes %v", got)
	}
}

func TestConcat(t *testing.T) {
	a := &Dataset{Columns: []Column{NumberColumn("x", []float64{1}), LevelColumn("c", []string{"u"}),
		TextColumn("t", []string{"long"})}}
	b := &Dataset{Columns: []Column{NumberColumn("x", []float64{2}), LevelColumn("c", []string{"v"}),
		LevelColumn("t", []string{"short"})}}
	d, err := Concat([]*Dataset{a, b})
	if err != nil {
		t.Fatal(err)
	}
	if d.Len() != 2 || d.Columns[1].String(1) != "v" || d.Columns[2].Kind != Text || d.Columns[2].String(1) != "short" {
		t.Errorf("%+v", d.Columns)
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{"petal_width": "petal_wid", "Speces": "species", "zebra": ""} {
		if got, _ := phrase.Nearest(name, []string{"petal_wid", "petal_len", "species"}); got != want {
			t.Errorf("nearest to %q is %q, want %q", name, got, want)
		}
	}
}
