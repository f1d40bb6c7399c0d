package canvas

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// glyph is a letter of a text with how far it is from the first, in units of the font.
type glyph struct {
	id         uint16
	rune       rune
	x, advance float64
}

// glyphs are those of a text.
func glyphs(text string) (out []glyph) {
	runes := []rune(text)
	letters(text, func(f *sfnt.Font, g sfnt.GlyphIndex, x float64) {
		advance, err := f.GlyphAdvance(&face.buffer, g, fixed.Int26_6(f.UnitsPerEm()), font.HintingNone)
		if err != nil {
			advance = 0
		}
		out = append(out, glyph{uint16(g), runes[len(out)], x, float64(advance)})
	})
	return out
}

// font writes the typeface with the glyphs that were used (9.7.4, 9.9), and names it for the
// resources of the page.
func (p *PDF) font(d *document) string {
	used := slices.Sorted(maps.Keys(p.used))
	data := subset(liberationsansregular.TTF, used)
	file := d.stream(fmt.Sprintf("/Length1 %d", len(data)), data)
	// Six letters before the name say that the font has some of its glyphs only (9.6.4).
	const name = "MERCER+LiberationSans"
	em := func(v float64) int { return int(v*1000/unitsPerEm + 0.5) }
	descriptor := d.object(fmt.Sprintf("<< /Type /FontDescriptor /FontName /%s /Flags 32 /FontBBox [-544 -303 1301 980] "+
		"/ItalicAngle 0 /Ascent %d /Descent -%d /CapHeight 729 /StemV 80 /FontFile2 %d 0 R >>",
		name, em(ascent*unitsPerEm), em(descent*unitsPerEm), file))
	var widths, unicode strings.Builder
	for _, id := range used {
		fmt.Fprintf(&widths, "%d [%d] ", id, em(advanceOf(id)))
		var hex strings.Builder
		for _, unit := range utf16.Encode([]rune{p.used[id]}) {
			fmt.Fprintf(&hex, "%04x", unit)
		}
		fmt.Fprintf(&unicode, "1 beginbfchar\n<%04x> <%s>\nendbfchar\n", id, hex.String())
	}
	letters := d.object(fmt.Sprintf("<< /Type /Font /Subtype /CIDFontType2 /BaseFont /%s /CIDSystemInfo << /Registry "+
		"(Adobe) /Ordering (Identity) /Supplement 0 >> /FontDescriptor %d 0 R /DW 556 /W [%s] /CIDToGIDMap /Identity >>",
		name, descriptor, widths.String()))
	// What stands for which character (9.10.3): text can be searched and copied.
	meaning := d.stream("",
		[]byte("/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /Mercer def\n/CMapType 2 def\n"+
			"1 begincodespacerange\n<0000> <ffff>\nendcodespacerange\n"+unicode.String()+"endcmap\nend\nend\n"))
	whole := d.object(fmt.Sprintf("<< /Type /Font /Subtype /Type0 /BaseFont /%s /Encoding /Identity-H /DescendantFonts "+
		"[%d 0 R] /ToUnicode %d 0 R >>", name, letters, meaning))
	return fmt.Sprintf("/F %d 0 R", whole)
}

func advanceOf(id uint16) float64 {
	face.Lock()
	defer face.Unlock()
	f := face.font()
	a, err := f.GlyphAdvance(&face.buffer, sfnt.GlyphIndex(id), fixed.Int26_6(f.UnitsPerEm()), font.HintingNone)
	if err != nil {
		return 0
	}
	return float64(a)
}

// subset is a TrueType font with the outlines of some glyphs, and of those that they are made of.
// Numbers of glyphs stay; all others are empty.
func subset(ttf []byte, used []uint16) []byte {
	be := binary.BigEndian
	tables := map[string][]byte{}
	for i := range int(be.Uint16(ttf[4:])) {
		e := ttf[12+16*i:]
		tables[string(e[:4])] = ttf[be.Uint32(e[8:]):][:be.Uint32(e[12:])]
	}
	long := be.Uint16(tables["head"][50:]) == 1
	count := int(be.Uint16(tables["maxp"][4:]))
	place := func(i int) uint32 {
		if long {
			return be.Uint32(tables["loca"][4*i:])
		}
		return 2 * uint32(be.Uint16(tables["loca"][2*i:]))
	}
	outline := func(id uint16) []byte { return tables["glyf"][place(int(id)):place(int(id)+1)] }
	keep := map[uint16]bool{0: true} // what stands for all that the font has not
	for queue := slices.Clone(used); len(queue) > 0; queue = queue[1:] {
		keep[queue[0]] = true
		for _, part := range partsOf(outline(queue[0])) {
			if !keep[part] {
				queue = append(queue, part)
			}
		}
	}
	var glyf, loca []byte
	for id := range count + 1 {
		loca = be.AppendUint32(loca, uint32(len(glyf)))
		if id < count && keep[uint16(id)] {
			glyf = append(glyf, outline(uint16(id))...)
			glyf = append(glyf, make([]byte, (4-len(glyf)%4)%4)...)
		}
	}
	head := slices.Clone(tables["head"])
	be.PutUint16(head[50:], 1)
	be.PutUint32(head[8:], 0) // the sum of the whole file, which nobody asks of a font in a document
	tables["glyf"], tables["loca"], tables["head"] = glyf, loca, head
	return assemble(tables, []string{"cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep"})
}

// partsOf are the glyphs that one is made of: é is an e and an accent. The negative number of
// outlines says so, and flags say how long the entry of each part is.
func partsOf(outline []byte) (parts []uint16) {
	be := binary.BigEndian
	if len(outline) < 10 || int16(be.Uint16(outline)) >= 0 {
		return nil
	}
	for at := 10; at+4 <= len(outline); {
		flags := be.Uint16(outline[at:])
		parts = append(parts, be.Uint16(outline[at+2:]))
		at += 6
		if flags&0x0001 != 0 { // offsets are words
			at += 2
		}
		switch {
		case flags&0x0008 != 0: // one scale
			at += 2
		case flags&0x0040 != 0: // a scale for each axis
			at += 4
		case flags&0x0080 != 0: // a matrix
			at += 8
		}
		if flags&0x0020 == 0 { // no more parts
			break
		}
	}
	return parts
}

// assemble is a font file of some tables.
func assemble(tables map[string][]byte, names []string) []byte {
	be := binary.BigEndian
	names = slices.DeleteFunc(names, func(n string) bool { return tables[n] == nil })
	power := 1
	for 2*power <= len(names) {
		power *= 2
	}
	log := 0
	for 1<<(log+1) <= power {
		log++
	}
	out := []byte{0, 1, 0, 0}
	for _, v := range []int{len(names), 16 * power, log, 16 * (len(names) - power)} {
		out = be.AppendUint16(out, uint16(v))
	}
	at := len(out) + 16*len(names)
	var body []byte
	for _, n := range names {
		t := slices.Clone(tables[n])
		size := len(t)
		t = append(t, make([]byte, (4-size%4)%4)...)
		sum := uint32(0)
		for i := 0; i < len(t); i += 4 {
			sum += be.Uint32(t[i:])
		}
		out = append(out, n...)
		for _, v := range []uint32{sum, uint32(at + len(body)), uint32(size)} {
			out = be.AppendUint32(out, v)
		}
		body = append(body, t...)
	}
	return append(out, body...)
}
