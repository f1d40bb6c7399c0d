package canvas

import "math"

// cutDashes cuts a line into its strokes; all of it is one where there are no dashes.
func cutDashes(points []Point, dashes []float64) [][]Point {
	total := 0.0
	for _, d := range dashes {
		total += d
	}
	if !(total > 0) || len(points) < 2 {
		return [][]Point{points}
	}
	var out [][]Point
	k, left := 0, dashes[0] // the stroke or gap, and what is left of it
	run := []Point{points[0]}
	for i := 1; i < len(points); i++ {
		from, to := points[i-1], points[i]
		length := math.Hypot(to.X-from.X, to.Y-from.Y)
		for done := 0.0; done < length; {
			step := min(left, length-done)
			done += step
			left -= step
			t := done / length
			at := Point{from.X + t*(to.X-from.X), from.Y + t*(to.Y-from.Y)}
			if k%2 == 0 {
				run = append(run, at)
			}
			if left > 0 {
				continue
			}
			if k%2 == 0 {
				out, run = append(out, run), nil
			} else {
				run = []Point{at}
			}
			k++
			left = dashes[k%len(dashes)]
		}
	}
	if k%2 == 0 && len(run) > 1 {
		out = append(out, run)
	}
	return out
}

// appendStroked adds the outlines of a line of a width, given by half of it: a rectangle for each
// of its parts, and a round corner where two meet, all of one turn. Its ends are cut straight.
func appendStroked(out [][]stroke, points []Point, half float64, closed bool) [][]stroke {
	var first, last Point // directions
	parts := 0
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length := math.Hypot(b.X-a.X, b.Y-a.Y)
		if !(length > 0) {
			continue
		}
		along := Point{(b.X - a.X) / length, (b.Y - a.Y) / length}
		x, y := -along.Y*half, along.X*half
		out = append(out, []stroke{{to: Point{a.X + x, a.Y + y}}, {to: Point{b.X + x, b.Y + y}},
			{to: Point{b.X - x, b.Y - y}}, {to: Point{a.X - x, a.Y - y}}})
		if parts == 0 {
			first = along
		} else {
			out = appendCorner(out, a, last, along, half)
		}
		last = along
		parts++
	}
	if closed && parts > 1 {
		out = appendCorner(out, points[0], last, first, half)
	}
	return out
}

// appendCorner adds what two parts of a line leave open where they meet: the sector of a circle on
// the outer side, with the turn of the rectangles.
func appendCorner(out [][]stroke, at, before, after Point, radius float64) [][]stroke {
	turn := math.Atan2(before.X*after.Y-before.Y*after.X, before.X*after.X+before.Y*after.Y)
	if turn == 0 {
		return out
	}
	side := -math.Copysign(radius, turn)
	n := 1 + int(math.Abs(turn)*max(radius, 1)) // a pixel for each step of the arc
	sector := []stroke{{to: at}}
	for i := range n + 1 {
		share := float64(i) / float64(n)
		if turn > 0 {
			share = 1 - share
		}
		sin, cos := math.Sincos(turn * share)
		along := Point{before.X*cos - before.Y*sin, before.X*sin + before.Y*cos}
		sector = append(sector, stroke{to: Point{at.X - along.Y*side, at.Y + along.X*side}})
	}
	return append(out, sector)
}
