// Package draw is how the pictures of the gallery look: panels on a sheet, in the colours of Okabe
// and Ito (2008), which colour-blind readers tell apart; every colour has a dash or a mark of its
// own, so that a black-and-white printer keeps them apart as well. Names of curves and marks stand
// above all panels, each once.
package draw

import (
	"image/color"
	"log"
	"os"
	"path/filepath"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

const (
	width = 6.4 * vg.Inch
	dpi   = 130
	line  = 12 // points that a row of names is high

	underNames = 5 // points between the last of them and the panels
)

var (
	ink  = color.Gray{40}
	grey = color.Gray{120}
)

// palette puts dark and light colours next to each other.
var palette = []color.RGBA{
	{0, 114, 178, 255},   // blue
	{213, 94, 0, 255},    // vermillion
	{0, 158, 115, 255},   // green
	{204, 121, 167, 255}, // pink
	{230, 159, 0, 255},   // orange
	{86, 180, 233, 255},  // sky
}

var dashes = [][]vg.Length{nil, {5, 2}, {1.5, 2}, {7, 2, 1.5, 2}, {3, 3}, {9, 3}}

var shapes = []vgdraw.GlyphDrawer{vgdraw.CircleGlyph{}, vgdraw.TriangleGlyph{}, vgdraw.SquareGlyph{},
	vgdraw.CrossGlyph{}, vgdraw.PlusGlyph{}, vgdraw.BoxGlyph{}}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

// tint is a share of a colour on white.
func tint(c color.RGBA, share float64) color.RGBA {
	mix := func(v uint8) uint8 { return uint8(255 - share*(255-float64(v))) }
	return color.RGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// Must is a value, or the end of the program.
func Must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Save writes panels, so many in a row, as NAME.png into the folder that is the program's argument
// (else the one that it runs in). One row of panels makes a picture twice as wide as it is high,
// more rows one of three to two.
func Save(name string, columns int, panels ...*Panel) {
	folder := "."
	if len(os.Args) > 1 {
		folder = os.Args[1]
	}
	rows := (len(panels) + columns - 1) / columns
	height := width / 2
	if rows > 1 {
		height = width * 2 / 3
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(color.White))
	sheet := vgdraw.Crop(vgdraw.New(c), 3, -9, 3, -6)
	names := entries(panels)
	if len(names) > 0 {
		used := layOut(sheet, names, false)
		layOut(sheet, names, true)
		sheet = vgdraw.Crop(sheet, 0, 0, 0, -vg.Length(used)*line-underNames)
	}
	grid := make([][]*plot.Plot, rows)
	for r := range grid {
		grid[r] = make([]*plot.Plot, columns)
		for k := range columns {
			if at := r*columns + k; at < len(panels) {
				grid[r][k] = panels[at].plot
			}
		}
	}
	for r, row := range plot.Align(grid, vgdraw.Tiles{Rows: rows, Cols: columns, PadX: 8, PadY: 8}, sheet) {
		for k, place := range row {
			if grid[r][k] != nil {
				grid[r][k].Draw(place)
			}
		}
	}
	if err := writePNG(filepath.Join(folder, name+".png"), c.Image()); err != nil {
		log.Fatal(err)
	}
}

// entry is a name with what it stands for.
type entry struct {
	name  string
	thumb plot.Thumbnailer
}

// entries are the names of all panels, each once.
func entries(panels []*Panel) []entry {
	seen := map[string]bool{}
	var all []entry
	for _, p := range panels {
		for _, e := range p.entries {
			if e.name != "" && !seen[e.name] {
				seen[e.name] = true
				all = append(all, e)
			}
		}
	}
	return all
}

// layOut runs through the names from left to right, a new row where one is full, draws them if
// asked, and returns the number of rows.
func layOut(c vgdraw.Canvas, names []entry, show bool) int {
	const thumb, gap = 16, 12
	style := plot.New().Legend.TextStyle
	style.Font, style.Color, style.YAlign = sans(8), ink, vgdraw.YCenter
	x, row := c.Min.X, 1
	for _, e := range names {
		wide := thumb + 3 + style.Width(e.name) + gap
		if x+wide-gap > c.Max.X && x > c.Min.X {
			x, row = c.Min.X, row+1
		}
		if show {
			top := c.Max.Y - vg.Length(row-1)*line
			box := vgdraw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: x, Y: top - line},
				Max: vg.Point{X: x + thumb, Y: top}}}
			e.thumb.Thumbnail(&box)
			c.FillText(style, vg.Point{X: x + thumb + 3, Y: top - line/2}, e.name)
		}
		x += wide
	}
	return row
}
