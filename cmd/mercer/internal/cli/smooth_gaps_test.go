package cli

import (
	"math"
	"testing"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
)

// Between values that lie far apart a curve says nothing; where they are few and even it does.
func TestBlankGaps(t *testing.T) {
	curve := func() *plot.Series {
		s := &plot.Series{}
		for x := 0.0; x <= 24; x += 0.5 {
			s.X, s.Y, s.Low, s.High = append(s.X, x), append(s.Y, 1), append(s.Low, 0), append(s.High, 2)
		}
		return s
	}
	s := curve()
	blankGaps(s, []float64{1, 2, 3, 4, 4, 4, 5, 24, 24})
	for i, x := range s.X {
		blank := x > 8 && x < 21
		if math.IsNaN(s.Y[i]) != blank || math.IsNaN(s.Low[i]) != blank || math.IsNaN(s.High[i]) != blank {
			t.Errorf("at %g: %g", x, s.Y[i])
		}
	}
	s = curve()
	blankGaps(s, []float64{0, 8, 16, 24, 24})
	for i, x := range s.X {
		if math.IsNaN(s.Y[i]) {
			t.Errorf("no curve at %g", x)
		}
	}
}
