package decompress

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var codecs = map[string]func(src []byte, size int) ([]byte, error){
	"snappy": Snappy, "lz4_raw": LZ4, "lz4": LZ4Frame, "lz4_sums": LZ4Frame, "gzip": Gzip, "brotli": Brotli,
	"zstd": func(src []byte, size int) ([]byte, error) {
		var z Zstd
		return z.Decode(src, size)
	},
}

// fixtures are texts and what pyarrow makes of them, and the program lz4 for frames with every
// checksum: bench/fixtures/decompress.py.
func fixtures(t testing.TB) map[string][]byte {
	t.Helper()
	names, err := filepath.Glob("testdata/*")
	if err != nil || len(names) == 0 {
		t.Fatal("no fixtures")
	}
	out := map[string][]byte{}
	for _, n := range names {
		b, err := os.ReadFile(n)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(n)] = b
	}
	return out
}

func TestAgainstArrow(t *testing.T) {
	files := fixtures(t)
	tried := 0
	for name, plain := range files {
		name, ok := strings.CutSuffix(name, ".plain")
		if !ok {
			continue
		}
		for codec, decode := range codecs {
			tried++
			src := files[name+"."+codec]
			got, err := decode(src, len(plain))
			if err != nil || !bytes.Equal(got, plain) {
				t.Errorf("%s.%s: %d bytes, %v", name, codec, len(got), err)
			}
			// Another size than the true one is an error, as is any cut.
			for _, size := range []int{len(plain) - 1, len(plain) + 1, 0} {
				if _, err := decode(src, size); err == nil {
					t.Errorf("%s.%s as %d bytes instead of %d: no error", name, codec, size, len(plain))
				}
			}
			for cut := 0; cut < len(src); cut += 1 + len(src)/50 {
				if got, err := decode(src[:cut], len(plain)); err == nil && !bytes.Equal(got, plain) {
					t.Errorf("%s.%s cut to %d bytes: no error", name, codec, cut)
				}
			}
		}
	}
	if tried != 42 {
		t.Errorf("%d pairs tried", tried)
	}
}

// The sums, with seed 0, are those that other implementations test themselves by.
func TestXXHash32(t *testing.T) {
	for text, want := range map[string]uint32{
		"": 0x02CC5D05, "a": 0x550D7456, "abc": 0x32D153FF, "Nobody inspects the spammish repetition": 0xE2293B2F,
	} {
		if got := xxHash32([]byte(text)); got != want {
			t.Errorf("%q: %08x, want %08x", text, got, want)
		}
	}
}

// A frame with checksums and any bit of it changed is refused: each change is of the magic number,
// the header, a length, a block or a sum.
func TestLZ4Checksums(t *testing.T) {
	files := fixtures(t)
	for _, name := range []string{"text", "runs", "noise", "one"} {
		src, plain := files[name+".lz4_sums"], files[name+".plain"]
		if src[4]&lz4BlockSum == 0 || src[4]&lz4ContentSum == 0 || src[4]&lz4ContentSize == 0 {
			t.Fatalf("%s: flags %02x", name, src[4])
		}
		for i := range src {
			for bit := range 8 {
				bad := bytes.Clone(src)
				bad[i] ^= 1 << bit
				if _, err := LZ4Frame(bad, len(plain)); err == nil {
					t.Fatalf("%s: bit %d of byte %d of %d changed: no error", name, bit, i, len(src))
				}
			}
		}
		for place, want := range map[int]string{14: "header", 20: "block 1", len(src) - 1: "content"} {
			bad := bytes.Clone(src)
			bad[place] ^= 1
			if _, err := LZ4Frame(bad, len(plain)); err == nil || !strings.Contains(err.Error(), "checksum of") ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: byte %d changed: %v", name, place, err)
			}
		}
	}
}

// A tiny text that claims to be a huge one is refused before memory is taken.
func TestClaims(t *testing.T) {
	const huge = math.MaxInt // and no product of it wraps
	for name, src := range map[string][]byte{
		"snappy":  append(binary.AppendUvarint(nil, huge), 0x00, 'x'),
		"lz4_raw": {0x10, 'x'},
		"lz4":     {0x04, 0x22, 0x4d, 0x18, 0x40, 0x40, 0xc0, 0, 0, 0, 0},
		"gzip":    fixtures(t)["one.gzip"],
		"zstd":    fixtures(t)["one.zstd"],
		"brotli":  fixtures(t)["one.brotli"],
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := codecs[name](src, huge); err == nil {
			t.Errorf("%s: no error", name)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 32<<20 {
			t.Errorf("%s: %d bytes were allocated for a claim", name, took)
		}
	}
	if _, err := ReadFull(strings.NewReader("short"), huge); err == nil || !strings.Contains(err.Error(), "5 bytes") {
		t.Errorf("ReadFull: %v", err)
	}
	long := strings.Repeat("0123456789", 400000) // grows in steps
	if b, err := ReadFull(strings.NewReader(long), int64(len(long))); err != nil || string(b) != long {
		t.Errorf("ReadFull of %d bytes: %d, %v", len(long), len(b), err)
	}
}

func TestOverlappingCopies(t *testing.T) {
	for offset := 1; offset < 20; offset++ {
		for length := range 60 {
			dst := []byte("abcdefghijklmnopqrstuvwxyz")
			want := bytes.Clone(dst)
			for range length {
				want = append(want, want[len(want)-offset])
			}
			if got := repeat(dst, offset, length); !bytes.Equal(got, want) {
				t.Fatalf("offset %d, length %d: %q, want %q", offset, length, got, want)
			}
		}
	}
}

func FuzzDecompress(f *testing.F) {
	files := fixtures(f)
	for name, src := range files {
		plain, codec, _ := strings.Cut(name, ".")
		if decode := codecs[codec]; decode != nil {
			f.Add(src, codec, len(files[plain+".plain"]))
		}
	}
	f.Fuzz(func(t *testing.T, src []byte, codec string, size int) {
		decode := codecs[codec]
		if decode == nil || size < 0 || size > 1<<24 {
			return
		}
		if got, err := decode(src, size); err == nil && len(got) != size {
			t.Fatalf("%d bytes where %d were asked for", len(got), size)
		}
	})
}
