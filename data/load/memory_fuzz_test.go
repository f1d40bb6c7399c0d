package load

import (
	"context"
	"runtime"
	"strings"
	"testing"
)

// Whatever a file says, in whatever format it is taken, it costs no more than a multiple of the
// memory it was allowed and of its own size. The multiple has room for what is made and thrown
// away; a file of some bytes that stands for gigabytes is far beyond it.
func FuzzMemory(f *testing.F) {
	f.Add("a,b\n1,2\n", uint8(0))
	f.Add("{\"a\":1}\n{\"b\":[1,2]}\n", uint8(3))
	f.Add("1 1:2 2000000000:1\n", uint8(2))
	f.Add("\x93NUMPY\x01\x00\x40\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000,), }", uint8(4))
	f.Add(">a\nACGT\n", uint8(9))
	f.Add(string(parquetRun(1<<30)), uint8(6))
	f.Add(string(parquetRun(100)), uint8(6))
	f.Fuzz(func(t *testing.T, text string, format uint8) {
		if len(text) > 1<<16 {
			return
		}
		const allowed = 1 << 20
		o := Options{Stdin: strings.NewReader(text), Format: formats[int(format)%len(formats)], Bytes: allowed, Threads: 1}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Read(context.Background(), "-", o)
		runtime.ReadMemStats(&after)
		if cost := after.TotalAlloc - before.TotalAlloc; cost > 128<<20+64*uint64(len(text)) {
			t.Fatalf("%s of %d bytes cost %d bytes", o.Format, len(text), cost)
		}
	})
}
