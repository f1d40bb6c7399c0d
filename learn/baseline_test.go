package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

func TestBaseline(t *testing.T) {
	p := Problem[int]{Task: data.Multiclass, Y: []float64{0, 1, 1, 2}, Weights: []float64{3, 1, 1, 1}}
	b := BaselineOf(p)
	if want := []float64{0.5, 2.0 / 6, 1.0 / 6}; !slices.Equal(b.Shares, want) || b.Class() != 0 {
		t.Errorf("shares %v, class %d", b.Shares, b.Class())
	}
	said := b.Predict(Predictions{Truth: []float64{2, 1}, Classes: 3, Positive: -1})
	if !slices.Equal(said.Class, []int{0, 0}) || len(said.Prob) != 6 || said.Classes != 3 || said.Positive != -1 {
		t.Errorf("says %+v", said)
	}
	b = BaselineOf(Problem[int]{Task: data.Regression, Y: []float64{1, 3}, Weights: []float64{3, 1}})
	if b.Mean != 1.5 || math.Abs(b.Deviation-math.Sqrt(0.75)) > 1e-15 {
		t.Errorf("%+v", b)
	}
	said = b.Predict(Predictions{Truth: []float64{1.5}, LogDensity: []float64{0}})
	if want := -math.Log(2*math.Pi*0.75) / 2; said.Value[0] != 1.5 || math.Abs(said.LogDensity[0]-want) > 1e-15 {
		t.Errorf("says %+v, want a log density of %g", said, want)
	}
}

// The rarer of two classes is positive, in every part of a problem that is named for it; of more
// there is none unless it is named.
func TestPositive(t *testing.T) {
	for _, c := range []struct {
		y        []float64
		classes  []string
		positive string
		want     int
	}{
		{[]float64{0, 1, 1}, nil, "", 0},
		{[]float64{0, 0, 1}, nil, "", 1},
		{[]float64{0, 1}, []string{"no", "yes"}, "", 1},
		{[]float64{0, 0, 1}, []string{"no", "yes"}, "no", 0},
		{[]float64{0, 0, 1}, []string{"no", "yes"}, "maybe", -1},
		{[]float64{0, 1, 2}, nil, "", -1},
		{[]float64{0, 1, 2}, nil, "2", 2},
	} {
		p := Problem[int]{Points: data.Slice[int](make([]int, len(c.y))), Task: data.Binary, Y: c.y, Classes: c.classes,
			Positive: c.positive}
		if len(c.y) == 3 && slices.Max(c.y) == 2 {
			p.Task = data.Multiclass
		}
		if got := p.PositiveCode(); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
		if err := p.Check(); (err != nil) != (c.positive == "maybe") {
			t.Errorf("%+v: %v", c, err)
		}
		named := p.NamePositive()
		for i := range c.y { // in a part of one row, too
			part := named
			part.Y = c.y[i : i+1]
			if got := part.PositiveCode(); c.classes != nil && got != c.want {
				t.Errorf("%+v: %d of row %d alone", c, got, i)
			}
		}
	}
}

func TestMoments(t *testing.T) {
	if m := Mean([]float64{1.5e308, 1.7e308}, nil); math.Abs(m/1.6e308-1) > 1e-15 {
		t.Errorf("mean %g", m)
	}
	if m := Mean([]float64{math.Inf(-1), 1}, nil); !math.IsInf(m, -1) {
		t.Errorf("mean %g", m)
	}
	for _, unit := range []float64{5e-324, 1e-200, 1, 1e300} {
		if r := RootMeanSquare([]float64{3 * unit, -3 * unit, 1e9}, []float64{1, 1, 0}); r != 3*unit {
			t.Errorf("%g of %g", r, 3*unit)
		}
	}
	if r := RootMeanSquare([]float64{1, math.NaN()}, nil); r == r {
		t.Errorf("%g", r)
	}
	if r := RootMeanSquare([]float64{0, 0}, nil); r != 0 {
		t.Errorf("%g", r)
	}
}
