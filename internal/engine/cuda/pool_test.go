package cuda

import (
	"errors"
	"testing"
)

// Memory that was given back serves whoever asks for as much again, counts as free, goes to the
// system when memory is short, and all of it goes in the end.
func TestPool(t *testing.T) {
	calls := map[string]int{}
	own := Emulate(Emulated{Bytes: 8 << 20, Trace: func(call string) { calls[call]++ }})
	d := Pooled(own)
	p, err := d.Alloc(1 << 20)
	check(t, err)
	check(t, d.Free(p))
	again, err := d.Alloc(1<<20 - 5000)
	check(t, err)
	if again != p || calls["cuMemAlloc"] != 1 || calls["cuCtxSynchronize"] != 1 {
		t.Error("a block of about the size was not used again, or before all was done:", calls)
	}
	check(t, d.Free(again))
	if free, _, err := d.Memory(); err != nil || free != 8<<20 {
		t.Error("what is kept does not count as free:", free, err)
	}
	b, err := d.Pin(100)
	check(t, err)
	check(t, d.Unpin(b))
	if c, err := d.Pin(90); err != nil || len(c) != 90 || calls["cuMemHostAlloc"] != 1 {
		t.Error("memory of the host was not used again", len(c), err)
	} else {
		check(t, d.Unpin(c))
	}
	all, err := d.Alloc(8 << 20) // the kept block is in the way
	check(t, err)
	if _, err := d.Alloc(1); !errors.Is(err, ErrOutOfMemory) {
		t.Error(err)
	}
	check(t, d.Free(all)) // more than its share is not kept
	if calls["cuMemFree"] != 2 {
		t.Error(calls["cuMemFree"], "blocks went back, want 2")
	}
	if err := d.Free(12345); err == nil {
		t.Error("an address of nobody was taken")
	}
	if p, err = d.Alloc(1000); err != nil {
		t.Fatal(err)
	}
	check(t, d.Free(p))
	if left := Left(d); left != "" {
		t.Error("left", left)
	}
	check(t, d.Close())
	for bytes, most := range map[int64]int64{0: 512, 1: 512, 513: 1024, 1<<20 + 1: 1<<20 + 1<<17,
		5<<30 + 1: 5<<30 + 2<<20} {
		if got := roomFor(bytes); got < bytes || got > most {
			t.Error(bytes, "bytes get", got)
		}
	}
}
