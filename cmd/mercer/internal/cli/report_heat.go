package cli

import (
	"fmt"
	"strings"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/tune"
)

// heat is the map over the two parameters that matter most, the length-scale
// and the regularisation: of the chosen candidate or, where that has no such
// pair (a Gaussian process learns its own), of the best that has.
func (p *reportPage) heat(r *tune.AutoResult) error {
	cells := []tune.Cell{r.Chosen}
	for _, l := range leaders(r) {
		cells = append(cells, l.Cell)
	}
	for _, c := range cells {
		x, y := heatAxes(c)
		if x == "" || y == "" {
			continue
		}
		h := r.HeatMap(c.Candidate, x, y)
		if len(h.X) < 2 || len(h.Y) < 2 || h.Best[0] < 0 {
			continue
		}
		of, frame := "", "the frame is the choice"
		if c.Candidate != r.Chosen.Candidate {
			of, frame = " of the best other candidate, "+c.Label+",",
				"the frame is its best (the chosen one has no such pair of parameters)"
			h.Chosen = h.Best
		}
		h.XName = h.XName[strings.LastIndex(h.XName, ".")+1:]
		heat := plot.Heat{XName: h.XName, YName: h.YName, Metric: h.Metric, X: h.X, Y: h.Y, Mean: h.Mean,
			Maximize: h.Maximize, Chosen: h.Chosen}
		dots := ""
		if heat.Gaps() {
			dots = "dots are the settings tried, places between have the colour of the nearest and those beyond are grey; "
		}
		f, err := plot.HeatMap(heat)
		return p.add("What was tried", fmt.Sprintf("Cross-validated %s%s over %s and %s, darker is better; %s%s.", h.Metric,
			of, h.XName, h.YName, dots, frame), f, err)
	}
	return nil
}

// heatAxes names the parameters of a map, empty where the cell has none.
func heatAxes(c tune.Cell) (x, y string) {
	for _, s := range c.Params {
		switch {
		case s.Name == "C" || s.Name == "lambda":
			y = s.Name
		case x == "" && s.Name != "epsilon":
			x = s.Name
		}
	}
	return x, y
}
