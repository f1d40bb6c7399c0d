package canvas

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"image"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// drawnPDF is a page with everything on it.
func drawnPDF(t *testing.T) string {
	t.Helper()
	p := NewPDF(100, 50)
	c := p.Canvas()
	c.Fill(color.NRGBA{255, 0, 0, 128}, Point{0, 0}, Point{10, 0}, Point{10, 10})
	c.Stroke(Line{Color: color.Black, Width: 1, Dashes: []float64{2, 1}}, Point{0, 0}, Point{50, 50})
	c.Mark(Mark{color.Black, 2, Circle}, Point{20, 20})
	c.Mark(Mark{color.Black, 2, Ring}, Point{30, 20})
	c.Picture(Rectangle{Point{0, 0}, Point{10, 10}}, image.NewRGBA(image.Rect(0, 0, 3, 2)))
	c.Write(Text{Color: color.Black, Size: 8}, Point{10, 10}, "é − λ")
	var b bytes.Buffer
	if err := p.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Each entry of the table of a document is where its object begins, and every object that is
// referred to is there.
func TestPDFTable(t *testing.T) {
	text := drawnPDF(t)
	start, err := strconv.Atoi(regexp.MustCompile(`startxref\n(\d+)\n%%EOF\n$`).FindStringSubmatch(text)[1])
	if err != nil || !strings.HasPrefix(text[start:], "xref\n") {
		t.Fatalf("the table is not at %d: %v", start, err)
	}
	rows := regexp.MustCompile(`(\d{10}) 00000 n \n`).FindAllStringSubmatch(text[start:], -1)
	for i, row := range rows {
		at, _ := strconv.Atoi(row[1])
		if want := fmt.Sprintf("%d 0 obj\n", i+1); !strings.HasPrefix(text[at:], want) {
			t.Errorf("object %d is not at %d: %q", i+1, at, text[at:at+10])
		}
	}
	for _, r := range regexp.MustCompile(`(\d+) 0 R`).FindAllStringSubmatch(text, -1) {
		if n, _ := strconv.Atoi(r[1]); n < 1 || n > len(rows) {
			t.Errorf("object %d of %d", n, len(rows))
		}
	}
}

// inflated are the streams of a document.
func inflated(t *testing.T, text string) (out []string) {
	t.Helper()
	for _, part := range strings.Split(text, "stream\n")[1:] {
		r, err := zlib.NewReader(strings.NewReader(part))
		if err != nil {
			continue // what follows endstream
		}
		all, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, string(all))
	}
	return out
}

// What is drawn is in the content by the operators of the standard, and characters can be found
// again from the glyphs.
func TestPDFContent(t *testing.T) {
	text := drawnPDF(t)
	streams := inflated(t, text)
	for _, want := range []string{"1 0 0 rg\n0 0 m\n10 0 l\n10 10 l\nh f", "1 w 1 j [2 1] 0 d", "22 20 m",
		"10 0 0 10 0 0 cm /I0 Do", "/A0 gs"} {
		if !strings.Contains(streams[0], want) {
			t.Errorf("%q is not in %s", want, streams[0])
		}
	}
	if strings.Count(streams[0], "q\n")+strings.Count(streams[0], "q ") != strings.Count(streams[0], "Q\n") {
		t.Error("what is set is not taken back")
	}
	if !strings.Contains(text, "/ca 0.502") {
		t.Error("no transparency")
	}
	cmap := streams[slices.IndexFunc(streams, func(s string) bool { return strings.Contains(s, "begincmap") })]
	for _, hex := range []string{"<00e9>", "<2212>", "<03bb>"} {
		if !strings.Contains(cmap, hex) {
			t.Errorf("%s is not in %s", hex, cmap)
		}
	}
}

// A subset has the outlines of the whole font for what was used, parts of a letter among them, and
// nothing for the rest.
func TestSubset(t *testing.T) {
	whole, err := sfnt.Parse(liberationsansregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	var ids []uint16
	for _, g := range glyphs("é€λA") {
		ids = append(ids, g.id)
	}
	small := subset(liberationsansregular.TTF, ids)
	if 10*len(small) > len(liberationsansregular.TTF) {
		t.Errorf("%d of %d bytes", len(small), len(liberationsansregular.TTF))
	}
	// The reader of fonts asks for tables that a document needs not: they are lent from the whole.
	part, err := sfnt.Parse(withTables(small, liberationsansregular.TTF))
	if err != nil {
		t.Fatal(err)
	}
	var b sfnt.Buffer
	load := func(f *sfnt.Font, id uint16) string {
		s, err := f.LoadGlyph(&b, sfnt.GlyphIndex(id), fixed.I(2048), nil)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(s)
	}
	for _, id := range ids {
		if load(whole, id) != load(part, id) {
			t.Errorf("glyph %d is another", id)
		}
	}
	if other := glyphs("W")[0].id; load(part, other) != "[]" {
		t.Error("a letter that was not used is there")
	}
}

// withTables is a font with the tables that it lacks from another.
func withTables(font, from []byte) []byte {
	tables, names := map[string][]byte{}, []string{}
	for _, f := range [][]byte{from, font} {
		for i := range int(f[5]) + int(f[4])<<8 {
			e := f[12+16*i:]
			word := func(k int) int { return int(e[k])<<24 | int(e[k+1])<<16 | int(e[k+2])<<8 | int(e[k+3]) }
			tables[string(e[:4])] = f[word(8):][:word(12)]
		}
	}
	for n := range tables {
		names = append(names, n)
	}
	slices.Sort(names)
	return assemble(tables, names)
}
