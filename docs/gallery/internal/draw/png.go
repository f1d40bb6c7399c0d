package draw

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/png"
	"os"
	"slices"
)

// writePNG writes a picture in at most 256 colours, its commonest, which keeps the file small. The
// same picture gives the same bytes.
func writePNG(file string, img image.Image) error {
	bounds := img.Bounds()
	count := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			count[at(x, y)]++
		}
	}
	common := make([]color.RGBA, 0, len(count))
	for c := range count {
		common = append(common, c)
	}
	slices.SortFunc(common, func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var kept color.Palette
	for _, c := range common[:min(len(common), 256)] {
		kept = append(kept, c)
	}
	index := map[color.RGBA]uint8{}
	for _, c := range common {
		index[c] = uint8(kept.Index(c))
	}
	small := image.NewPaletted(bounds, kept)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.SetColorIndex(x, y, index[at(x, y)])
		}
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, small); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}
