package parquet

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/mercer-ml/mercer/data"
)

// In any memory, a file is read as it is read in plenty, or refused for want of memory: whole and
// by chunks, and chunks of a few rows say the same.
func TestMemory(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.parquet")
	refused, small := 0, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		src := bytes.NewReader(text)
		want, err := Read(src, src.Size(), file, data.Inference{})
		if err != nil {
			continue // not to be read at all
		}
		for bytes := int64(100); bytes < 1<<22; bytes *= 4 {
			r, err := OpenWithin(src, src.Size(), file, data.Inference{}, bytes)
			if errors.Is(err, data.ErrTooLarge) {
				refused++
				continue
			}
			if err != nil {
				t.Fatalf("%s in %d bytes: %v", file, bytes, err)
			}
			got, err := ReadAll(r)
			switch {
			case errors.Is(err, data.ErrTooLarge):
				refused++
			case err != nil:
				t.Errorf("%s in %d bytes: %v", file, bytes, err)
			case got.Len() != want.Len() || len(got.Columns) != len(want.Columns):
				t.Errorf("%s in %d bytes: %d rows, want %d", file, bytes, got.Len(), want.Len())
			}
			if r, err = OpenWithin(src, src.Size(), file, data.Inference{}, bytes); err != nil {
				t.Fatal(err)
			}
			rows, chunks := 0, 0
			for err == nil {
				var d *data.Dataset
				if d, err = r.Next(); err == nil {
					rows, chunks = rows+d.Len(), chunks+1
				}
			}
			if err != io.EOF && !errors.Is(err, data.ErrTooLarge) || err == io.EOF && rows != want.Len() {
				t.Errorf("%s by chunks in %d bytes: %d rows of %d, %v", file, bytes, rows, want.Len(), err)
			}
			if err == io.EOF && chunks > 1 {
				small++
			}
		}
	}
	if refused == 0 || small == 0 {
		t.Errorf("%d refused and %d in small chunks of %d files", refused, small, len(files))
	}
}
