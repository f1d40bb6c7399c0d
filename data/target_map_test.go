package data

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// A map by ranks gives every target its normal score, equals the same, and gives the targets back
// to the bit; between and beyond them it increases and comes back.
func TestRankMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 2, 5, 300, 5000} {
		y := make([]float64, n)
		for i := range y {
			y[i] = math.Exp(2 * rng.NormFloat64())
			if n == 300 {
				y[i] = math.Floor(y[i]) // ties
			}
		}
		m, err := FitTargetMap(mapRank, y)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Values) > mostPlaces {
			t.Errorf("%d places", len(m.Values))
		}
		for _, v := range y {
			below, equal := 0.0, 0.0
			for _, w := range y {
				if w < v {
					below++
				} else if w == v {
					equal++
				}
			}
			p := 0.5 * math.Erfc(-m.Apply(v)/math.Sqrt2)
			if want := (below + equal/2) / float64(n); math.Abs(p-want) > 2e-3*float64(n/5000)+1e-9 {
				t.Errorf("n = %d: %g has the quantile %g, want %g", n, v, p, want)
			}
			if n <= mostPlaces && m.Invert(m.Apply(v)) != v {
				t.Errorf("n = %d: %g comes back as %g", n, v, m.Invert(m.Apply(v)))
			}
		}
		before := math.Inf(-1)
		for z := -6.0; z < 6; z += 0.01 {
			v := m.Invert(z)
			if v <= before || math.Abs(m.Apply(v)-z) > 1e-9 {
				t.Fatalf("n = %d: %g is mapped back to %g, after %g, and there again to %g", n, z, v, before, m.Apply(v))
			}
			before = v
			const h = 1e-6
			if got, want := m.LogSlope(v+h/2), math.Log((m.Apply(v+h)-m.Apply(v))/h); n <= 5 && math.Abs(got-want) > 1e-3 {
				t.Errorf("n = %d: slope at %g is e^%g, want e^%g", n, v, got, want)
			}
		}
	}
}

func TestLogMap(t *testing.T) {
	m, err := FitTargetMap(mapLog, []float64{1, 10, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	if m.Apply(10) != math.Log(10) || m.Invert(3) != math.Exp(3) || m.LogSlope(4) != -math.Log(4) ||
		m.Invert(1e6) != math.MaxFloat64 || !math.IsInf(m.LogSlope(-1), -1) {
		t.Errorf("%g %g %g", m.Apply(10), m.Invert(3), m.LogSlope(4))
	}
	for _, bad := range []float64{0, -3, math.NaN()} {
		_, err := FitTargetMap(mapLog, []float64{1, 2, bad})
		var e *Error
		if !errors.As(err, &e) || e.Row != 3 || !errors.Is(err, ErrTarget) {
			t.Errorf("%g: %v", bad, err)
		}
	}
}

func TestTargetMapRefuses(t *testing.T) {
	for _, m := range []TargetMap{
		{}, {Kind: "root"}, {Kind: mapLog, Values: []float64{1}}, {Kind: mapRank},
		{Kind: mapRank, Values: []float64{1, 2}, Scores: []float64{0}},
		{Kind: mapRank, Values: []float64{1, 1}, Scores: []float64{0, 1}},
		{Kind: mapRank, Values: []float64{1, 2}, Scores: []float64{1, 1}},
		{Kind: mapRank, Values: []float64{1, math.Inf(1)}, Scores: []float64{0, 1}},
		{Kind: mapRank, Values: []float64{-1e308, 1e308}, Scores: []float64{0, 1}},
	} {
		if m.Check() == nil {
			t.Errorf("%+v was not refused", m)
		}
	}
	for _, y := range [][]float64{nil, {math.NaN(), 1}, {1, math.Inf(1)}} {
		if _, err := FitTargetMap(mapRank, y); err == nil {
			t.Errorf("ranks of %v", y)
		}
	}
	if _, err := FitTargetMap("root", []float64{1}); err == nil {
		t.Error("an unknown kind")
	}
}
