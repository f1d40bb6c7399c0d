package play

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/seq"
)

type seriesAsked struct {
	Kernel KernelText `json:"kernel"`
	X      string     `json:"x"` // 0, 1, 2.5, 1
	Y      string     `json:"y"`
}

// longestSeries bounds what is drawn: kernels take more, a screen does not.
const longestSeries = 300

// aligned is two series with the pairs of steps of their cheapest alignment.
type aligned struct {
	X    Drawn    `json:"x"`
	Y    Drawn    `json:"y"`
	Path [][2]int `json:"path"`
}

// compareSeries says how alike two series are, and which steps of one go with which of the other.
func compareSeries(_ context.Context, _ *Player, q seriesAsked, send sender) error {
	x, err := readSeries("x", q.X)
	if err != nil {
		return err
	}
	y, err := readSeries("y", q.Y)
	if err != nil {
		return err
	}
	out, err := compare(spec.Series(), q.Kernel, seq.Univariate(x), seq.Univariate(y),
		func(any) (mapping, bool) { return mapping{}, false })
	if err != nil {
		return err
	}
	out.Note = ""
	path, cost := alignment(x, y)
	out.Readings = append(out.Readings, reading("warping", "distance D after warping", math.Sqrt(cost)),
		reading("ties", "pairs of steps", float64(len(path))))
	out.Parsed = []any{aligned{x, y, path}}
	return send("compared", out)
}

func readSeries(field, text string) ([]float64, error) {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",; \t\n", r) })
	if len(words) == 0 {
		return nil, &Fault{Field: field, Message: "no numbers; write some with commas between them, as 0, 1, 2, 1"}
	}
	if len(words) > longestSeries {
		return nil, &Fault{Field: field, Message: fmt.Sprintf("a series of %s steps; the playground takes up to %d",
			phrase.Thousands(len(words)), longestSeries)}
	}
	out := make([]float64, len(words))
	for i, w := range words {
		v, err := strconv.ParseFloat(strings.ReplaceAll(w, "−", "-"), 64)
		if err != nil || !finite(v) {
			return nil, &Fault{Field: field, Message: fmt.Sprintf("step %d is %q; a number is wanted", i+1, w)}
		}
		out[i] = v
	}
	return out, nil
}

// alignment is the path from the first steps to the last that never goes back in either series and
// has the least Σ (xᵢ − yⱼ)², which dynamic time warping is the root of.
func alignment(x, y []float64) (path [][2]int, cost float64) {
	n, m := len(x), len(y)
	least := make([]float64, (n+1)*(m+1)) // up to i steps of x and j of y
	for i := range least {
		least[i] = math.Inf(1)
	}
	least[0] = 0
	at := func(i, j int) float64 { return least[i*(m+1)+j] }
	for i := 1; i <= n; i++ {
		for j := 1; j <= m; j++ {
			d := x[i-1] - y[j-1]
			least[i*(m+1)+j] = d*d + min(at(i-1, j-1), at(i-1, j), at(i, j-1))
		}
	}
	for i, j := n, m; i > 0 && j > 0; {
		path = append(path, [2]int{i - 1, j - 1})
		switch before := min(at(i-1, j-1), at(i-1, j), at(i, j-1)); before {
		case at(i-1, j-1):
			i, j = i-1, j-1
		case at(i-1, j):
			i--
		default:
			j--
		}
	}
	return path, at(n, m)
}
