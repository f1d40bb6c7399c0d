package play

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/spec"
	"github.com/mercer-ml/mercer/kernel/discrete"
)

type bagsAsked struct {
	Kernel KernelText  `json:"kernel"`
	Points PlanePoints `json:"points"` // class 0 is one set, class 1 the other
}

// mostBagged bounds the points of both sets: kernels of all pairs are squares of it.
const mostBagged = 400

// compareBags says in which cells of which grids two sets of points meet.
func compareBags(_ context.Context, _ *Player, q bagsAsked, send sender) error {
	if err := q.Points.check(true); err != nil {
		return err
	}
	if n := q.Points.Len(); n > mostBagged {
		return &Fault{Field: "objects", Message: fmt.Sprintf("%d points in both sets; the scene takes up to %d", n,
			mostBagged)}
	}
	sets := [2][]vec{{}, {}}
	for i, c := range q.Points.Class {
		if c > 1 {
			return &Fault{Field: "objects", Message: fmt.Sprintf("point %d is of class %d; there are two sets, 0 and 1", i+1, c)}
		}
		sets[c] = append(sets[c], vec{q.Points.XY[2*i], q.Points.XY[2*i+1]})
	}
	out, err := compare(spec.Bags(), q.Kernel, sets[0], sets[1], bagFeatures)
	if err != nil {
		return err
	}
	return send("compared", out)
}

// bagFeatures takes the pyramid match apart. Of its value Σ wᵢ(Iᵢ − Iᵢ₋₁) each cell of level i has
// (wᵢ − wᵢ₊₁)·min(x, y), with w = 2⁻ⁱ, and 0 beyond the last level.
func bagFeatures(k any) (mapping, bool) {
	p, ok := k.(discrete.PyramidMatch)
	if !ok {
		return mapping{}, false
	}
	side := p.Side
	if side == 0 {
		side = 1
	}
	cells := func(points []vec) (counts, error) {
		out := counts{}
		for _, x := range points {
			for level := range p.Levels + 1 {
				name := []string{strconv.Itoa(level)}
				for c, v := range x {
					if p.Origin != nil {
						v -= p.Origin[c]
					}
					name = append(name, strconv.FormatInt(int64(math.Floor(v*(1/side)))>>level, 10))
				}
				out[cellName(name)]++
			}
		}
		return out, nil
	}
	weight := func(name string) float64 {
		level, _ := strconv.Atoi(strings.TrimPrefix(strings.Split(name, ":")[0], "grid "))
		if level == p.Levels {
			return math.Pow(2, -float64(level))
		}
		return math.Pow(2, -float64(level+1))
	}
	return mappingOf(cells, weight, math.Min), true
}

// cellName is "grid 2: cell 1, -3".
func cellName(place []string) string {
	return "grid " + place[0] + ": cell " + strings.Join(place[1:], ", ")
}
