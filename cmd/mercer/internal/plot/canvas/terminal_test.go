package canvas

import (
	"image/color"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// Dots are where lines are: the four corners of one cell, numbered as Unicode does.
func TestBraille(t *testing.T) {
	for _, c := range []struct {
		at   Point
		want string
	}{
		{Point{1, 9}, "⠁"}, {Point{1, 1}, "⡀"}, {Point{4, 9}, "⠈"}, {Point{4, 1}, "⢀"}, {Point{4, 6}, "⠐"},
	} {
		p := NewTerminal(1, 1, false)
		p.Canvas().Mark(Mark{color.Black, 1, Circle}, c.at)
		if got := strings.TrimSuffix(p.String(), "\n"); got != c.want {
			t.Errorf("a dot at %v is %q, want %q", c.at, got, c.want)
		}
	}
	p := NewTerminal(2, 1, false)
	p.Canvas().Segment(Line{Color: color.Black, Width: 1}, 0, 9, 9.9, 9)
	if got := p.String(); got != "⠉⠉\n" {
		t.Errorf("a line along the top is %q", got)
	}
}

// Without colour there is no escape, shapes are characters, and areas are shades; with it there are
// colours, which end with their line.
func TestTerminalColour(t *testing.T) {
	draw := func(colour bool) string {
		p := NewTerminal(20, 3, colour)
		c := p.Canvas()
		c.Fill(color.RGBA{0, 114, 178, 255}, Point{0, 0}, Point{20, 0}, Point{20, 10}, Point{0, 10})
		c.Mark(Mark{color.RGBA{230, 159, 0, 255}, 1.5, Triangle}, Point{52, 25})
		c.Write(Text{Color: color.Gray{40}, Size: 8, Advance: CellWidth}, Point{60, 12}, "word")
		return p.String()
	}
	plain := draw(false)
	for _, want := range []string{"△", "▓▓▓▓", "word"} {
		if !strings.Contains(plain, want) {
			t.Errorf("%q is not in\n%s", want, plain)
		}
	}
	if strings.Contains(plain, "\x1b") {
		t.Error("an escape without colour")
	}
	bright := draw(true)
	for _, line := range strings.Split(strings.TrimSuffix(bright, "\n"), "\n") {
		if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, "\x1b[0m") {
			t.Errorf("%q does not end its colours", line)
		}
	}
	if !strings.Contains(bright, ";48;5;31m") && !strings.Contains(bright, ";48;5;25m") {
		t.Errorf("no blue ground in %q", bright)
	}
	if strings.Contains(bright, "△") || !strings.Contains(bright, "word") {
		t.Errorf("%q", bright)
	}
	for _, line := range strings.Split(regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(bright, ""), "\n") {
		if utf8.RuneCountInString(line) > 20 {
			t.Errorf("%q is wider than the page", line)
		}
	}
}

// The nearest of the cube of colours.
func TestIndexed(t *testing.T) {
	for c, want := range map[color.RGBA]int{{0, 0, 0, 255}: 16, {255, 255, 255, 255}: 231, {255, 0, 0, 255}: 196,
		{95, 135, 175, 255}: 67} {
		if got := indexed(c); got != want {
			t.Errorf("%v is %d, want %d", c, got, want)
		}
	}
}
