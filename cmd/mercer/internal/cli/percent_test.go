package cli

import (
	"math"
	"testing"
)

// All of it is 100%: two digits of it were 1e+02%.
func TestPercentText(t *testing.T) {
	for v, want := range map[float64]string{0: "0%", 0.0025: "0.25%", 0.133: "13%", 0.99: "99%", 0.997: "99.7%",
		1: "100%"} {
		if got := percentText(v); got != want {
			t.Errorf("%g is %q, want %q", v, got, want)
		}
	}
	if got := percentText(math.NaN()); got != "–" {
		t.Errorf("NaN is %q", got)
	}
}
