package canvas

// side is one side of a rectangle: how far inside a point is, below 0 where it is outside.
type side func(p Point) float64

func (r Rectangle) sides() [4]side {
	return [4]side{
		func(p Point) float64 { return p.X - r.Min.X + slack },
		func(p Point) float64 { return r.Max.X - p.X + slack },
		func(p Point) float64 { return p.Y - r.Min.Y + slack },
		func(p Point) float64 { return r.Max.Y - p.Y + slack },
	}
}

// between is where the line from a to b meets a side, of which they are a and b inside.
func between(a, b Point, inA, inB float64) Point {
	t := inA / (inA - inB)
	return Point{a.X + t*(b.X-a.X), a.Y + t*(b.Y-a.Y)}
}

// clipLine is what lies in the rectangle of a line through points, in pieces.
func (r Rectangle) clipLine(points []Point) [][]Point {
	pieces := [][]Point{points}
	for _, inside := range r.sides() {
		var kept [][]Point
		for _, piece := range pieces {
			var run []Point
			for i, p := range piece {
				in := inside(p)
				if i > 0 {
					if before := inside(piece[i-1]); (before < 0) != (in < 0) {
						run = append(run, between(piece[i-1], p, before, in))
					}
				}
				if in >= 0 {
					run = append(run, p)
				} else if len(run) > 0 {
					kept, run = append(kept, run), nil
				}
			}
			kept = append(kept, run)
		}
		pieces = kept
	}
	return pieces
}

// clipPolygon is what lies in the rectangle of a polygon (Sutherland and Hodgman, 1974).
func (r Rectangle) clipPolygon(outline []Point) []Point {
	for _, inside := range r.sides() {
		var kept []Point
		for i, p := range outline {
			last := outline[(i+len(outline)-1)%len(outline)]
			in, before := inside(p), inside(last)
			if (before < 0) != (in < 0) {
				kept = append(kept, between(last, p, before, in))
			}
			if in >= 0 {
				kept = append(kept, p)
			}
		}
		outline = kept
	}
	return outline
}
