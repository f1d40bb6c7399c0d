package cuda

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImagesAreOfTheirSources holds the compiled kernels to the record that _gen/build made of them:
// each image is the one that was compiled, and its sources have not changed since. The images are
// not compiled again, since NVIDIA's compiler gives other bytes each time.
func TestImagesAreOfTheirSources(t *testing.T) {
	record, err := os.ReadFile("kernels/SOURCES")
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(record)), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 4 {
			t.Fatalf("kernels/SOURCES: %q is not an image, two digests and its sources", line)
		}
		image, sources := "kernels/"+fields[0]+".gz", fields[3:]
		named[image] = true
		if got := digest(t, "", image); got != fields[1] {
			t.Errorf("%s is not the image that was compiled: run internal/engine/cuda/_gen/build", image)
		}
		for i := range sources {
			sources[i] = "_gen/" + sources[i] + ".cu"
		}
		if got := digest(t, "\n", sources...); got != fields[2] {
			t.Errorf("the sources of %s have changed since: run internal/engine/cuda/_gen/build", image)
		}
	}
	images, err := filepath.Glob("kernels/*.gz")
	if err != nil || len(images) == 0 {
		t.Fatalf("no images: %v", err)
	}
	for _, image := range images {
		if !named[filepath.ToSlash(image)] {
			t.Errorf("%s is in no line of kernels/SOURCES: run internal/engine/cuda/_gen/build", image)
		}
	}
}

// digest is the SHA-256 of files, each with an end after it.
func digest(t *testing.T, end string, files ...string) string {
	t.Helper()
	sum := sha256.New()
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		// A checkout on Windows may have other ends of lines in text files.
		if strings.HasSuffix(file, ".cu") {
			body = bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n"))
		}
		sum.Write(body)
		sum.Write([]byte(end))
	}
	return hex.EncodeToString(sum.Sum(nil))
}
