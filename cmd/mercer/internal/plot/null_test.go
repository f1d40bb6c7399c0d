package plot

import (
	"strings"
	"testing"
)

// What chance does is seen however far out the observed value lies, and that is told.
func TestNullIsSeenBesideAFarValue(t *testing.T) {
	draws := []float64{-1, -0.5, 0, 0.25, 0.5, 1}
	for _, c := range []struct {
		observed float64
		name     string
		most     float64
	}{{10, "observed", 11}, {500, "observed, off the axis: 500", 10}} {
		f, err := Null("HSIC", draws, c.observed, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, e := range f.entries {
			found = found || e.name == c.name
		}
		if !found || f.p.X.Max > c.most {
			t.Errorf("observed %g: the axis ends at %g, the legend is %v", c.observed, f.p.X.Max, f.entries)
		}
		if svg, err := f.Inline(); err != nil || !strings.Contains(svg, "<svg") {
			t.Error(err)
		}
	}
}
