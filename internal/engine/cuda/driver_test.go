//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"bytes"
	"testing"
)

// asOlder is the chip with the kernels for all chips: PTX that the driver compiles.
func asOlder(t *testing.T) Device {
	a, err := driver()
	if err != nil {
		return nil
	}
	c, err := openChip(a, 0, 8)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Every image unpacks to what the driver takes: machine code, or text that ends with a zero.
func TestImages(t *testing.T) {
	for _, c := range [][2]int{{8, 0}, {8, 6}, {9, 0}, {10, 0}, {12, 0}} {
		names, err := imagesFor(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := image(name)
			if err != nil {
				t.Fatal(err)
			}
			if code := bytes.HasPrefix(b, []byte("\x7fELF")); code != (c == [2]int{9, 0}) || b[len(b)-1] != 0 {
				t.Errorf("%v: %s", c, name)
			}
		}
	}
	if _, err := imagesFor(7, 5); err == nil {
		t.Error("a chip that kernels are not for")
	}
}
