package arrow

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// In any memory, a file or stream is read as it is read in plenty, or refused for want of memory.
func TestMemory(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.arrow*")
	refused := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		read := func(allowed int64) (*data.Dataset, error) {
			src := bytes.NewReader(text)
			open := func() (*Reader, error) { return NewFileReaderWithin(src, src.Size(), file, data.Inference{}, allowed) }
			if strings.HasSuffix(file, "s") {
				open = func() (*Reader, error) { return NewStreamReaderWithin(src, file, data.Inference{}, allowed) }
			}
			r, err := open()
			if err != nil {
				return nil, err
			}
			return ReadAll(r)
		}
		want, err := read(0)
		if err != nil {
			continue // not to be read at all
		}
		for allowed := int64(16); allowed < 1<<22; allowed *= 4 {
			got, err := read(allowed)
			switch {
			case errors.Is(err, data.ErrTooLarge):
				refused[filepath.Base(file)]++
			case err != nil:
				t.Errorf("%s in %d bytes: %v", file, allowed, err)
			case got.Len() != want.Len():
				t.Errorf("%s in %d bytes: %d rows, want %d", file, allowed, got.Len(), want.Len())
			}
		}
	}
	for _, file := range []string{"types.arrow", "types.arrows", "zstd.arrow", "lz4.arrows"} {
		if refused[file] == 0 {
			t.Errorf("%s was never refused", file)
		}
	}
}
