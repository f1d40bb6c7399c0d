package cuda

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
)

// Emulated says what an emulated device is like, and when it is to fail.
type Emulated struct {
	Bytes  int64 // of memory; 0 means 1 GiB
	Hopper bool  // has the kernels of sm_90a; else those of sm_80
	// LoseAfter is the number of launches after which the device is lost; 0 means never.
	LoseAfter int
	Libraries bool              // has those for dense matrices
	Driver    int               // the release of CUDA that its driver serves, as in Info; 0 means one that is new enough
	Trace     func(call string) // told of every call, for tests of their order; may be nil
	Late      bool              // does what is queued no sooner than someone waits for it
}

// Emulate is a device in plain Go: memory, queues and the arithmetic of the kernels. What is queued
// is done at once, or with Late as late as can be. An address that is not allocated, an argument of
// another type than the kernel's, or a copy beyond the end is a lost device, as on the chip.
func Emulate(e Emulated) Device {
	if e.Bytes == 0 {
		e.Bytes = 1 << 30
	}
	return &emulated{Emulated: e, next: 1 << 20}
}

type block struct {
	at   Ptr
	data []byte
}

type emulated struct {
	Emulated
	mu       sync.Mutex
	blocks   []block // by address
	next     Ptr
	used     int64
	launches int
	handles  uintptr
	live     int // streams and events
	pinned   int
	lost     bool
	closed   bool
	streams  map[Stream]*queue
	marks    map[Event]mark
}

func (e *emulated) Info() Info {
	i := Info{Name: "emulated GPU", Major: 8, Processors: 4, Clock: 1e6, Shared: 160 << 10, Bytes: e.Bytes,
		Driver: cmp.Or(e.Driver, oldest)}
	if e.Hopper {
		i.Major, i.Shared = 9, 227<<10
	}
	return i
}

// EmulateOpen is Open on a machine with such devices: what its driver is too old for is refused as
// there.
func EmulateOpen(all ...Emulated) ([]Device, error) {
	var out []Device
	for _, e := range all {
		d := Emulate(e)
		if err := tooOld(d.Info().Driver); err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, ErrNoDevice
	}
	return out, nil
}

// call is one call of the driver, which waits for all that is queued.
func (e *emulated) call(name string, f func() Status) error {
	return e.ask(name, func() Status {
		if status := e.drain(); status != success {
			return status
		}
		return f()
	})
}

// ask is one call of the driver.
func (e *emulated) ask(name string, f func() Status) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Trace != nil {
		e.Trace(name)
	}
	if e.lost || e.closed {
		return failed(name, contextDestroyed)
	}
	status := f()
	e.lost = reasons[status] == ErrLost
	return failed(name, status)
}

func (e *emulated) Memory() (free, total int64, err error) {
	err = e.call("cuMemGetInfo", func() Status { free, total = e.Bytes-e.used, e.Bytes; return success })
	return
}

// grain is what addresses are multiples of.
const grain = 256

func (e *emulated) Alloc(bytes int64) (p Ptr, err error) {
	size := (max(bytes, 1) + grain - 1) / grain * grain
	err = e.call("cuMemAlloc", func() Status {
		if e.used+size > e.Bytes {
			return outOfMemory
		}
		p = e.next
		e.blocks = append(e.blocks, block{p, make([]byte, size)})
		e.next += Ptr(size) + grain // an end that is overrun is seen
		e.used += size
		return success
	})
	if err, ok := err.(*Error); ok {
		err.Bytes = bytes
	}
	return p, err
}

// find is the place of the block that an address lies in, or -1.
func (e *emulated) find(p Ptr) int {
	i, exact := slices.BinarySearchFunc(e.blocks, p, func(b block, p Ptr) int {
		if b.at < p {
			return -1
		} else if b.at > p {
			return 1
		}
		return 0
	})
	if !exact {
		i--
	}
	if i < 0 || p >= e.blocks[i].at+Ptr(len(e.blocks[i].data)) {
		return -1
	}
	return i
}

// memory is bytes from an address on; nil where they are not all of one block.
func (e *emulated) memory(p Ptr, bytes uint64) []byte {
	i := e.find(p)
	if i < 0 {
		return nil
	}
	rest := e.blocks[i].data[p-e.blocks[i].at:]
	if bytes > uint64(len(rest)) {
		return nil
	}
	return rest[:bytes]
}

func (e *emulated) Free(p Ptr) error {
	return e.call("cuMemFree", func() Status {
		i := e.find(p)
		if i < 0 || e.blocks[i].at != p {
			return invalidValue
		}
		e.used -= int64(len(e.blocks[i].data))
		e.blocks = slices.Delete(e.blocks, i, i+1)
		return success
	})
}

func (e *emulated) Pin(bytes int64) (b []byte, err error) {
	err = e.call("cuMemHostAlloc", func() Status {
		e.pinned++
		b = bytesOf(make([]float64, (bytes+7)/8))[:bytes:bytes]
		return success
	})
	return
}

func (e *emulated) Unpin([]byte) error {
	return e.call("cuMemFreeHost", func() Status { e.pinned--; return success })
}

func (e *emulated) handle(name string) (h uintptr, err error) {
	err = e.call(name, func() Status { e.handles++; e.live++; h = e.handles; return success })
	return
}

func (e *emulated) NewStream() (Stream, error) {
	h, err := e.handle("cuStreamCreate")
	return Stream(h), err
}

func (e *emulated) NewEvent() (Event, error) {
	h, err := e.handle("cuEventCreate")
	return Event(h), err
}

func (e *emulated) drop(name string) error {
	return e.call(name, func() Status { e.live--; return success })
}

func (e *emulated) FreeStream(Stream) error { return e.drop("cuStreamDestroy") }
func (e *emulated) FreeEvent(Event) error   { return e.drop("cuEventDestroy") }
func (e *emulated) Wait() error {
	return e.call("cuCtxSynchronize", func() Status { return success })
}
func (e *emulated) Libraries() Dense {
	if !e.Emulated.Libraries {
		return nil
	}
	return emulatedLibraries{e}
}

func (e *emulated) Elapsed(_, _ Event) (float64, error) {
	return 1, e.call("cuEventElapsedTime", func() Status { return success })
}

func (e *emulated) ToDevice(s Stream, to Ptr, from []byte) error {
	return e.enqueue(s, "cuMemcpyHtoDAsync", func() Status {
		m := e.memory(to, uint64(len(from)))
		if m == nil && len(from) > 0 {
			return illegalAddress
		}
		copy(m, from)
		return success
	})
}

func (e *emulated) ToHost(s Stream, to []byte, from Ptr) error {
	return e.enqueue(s, "cuMemcpyDtoHAsync", func() Status {
		m := e.memory(from, uint64(len(to)))
		if m == nil && len(to) > 0 {
			return illegalAddress
		}
		copy(to, m)
		return success
	})
}

func (e *emulated) Zero(s Stream, p Ptr, bytes int64) error {
	return e.enqueue(s, "cuMemsetD8Async", func() Status {
		m := e.memory(p, uint64(bytes))
		if m == nil {
			return illegalAddress
		}
		clear(m)
		return success
	})
}

func (e *emulated) Close() error {
	return e.call("cuDevicePrimaryCtxRelease", func() Status { e.closed = true; return success })
}

// Left is what has not been given back: blocks of memory, pinned blocks, streams and events. Only
// tests ask.
func Left(d Device) string {
	if p, ok := d.(*pool); ok {
		p.mu.Lock()
		p.drain()
		d = p.Device
		p.mu.Unlock()
	}
	e := d.(*emulated)
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.blocks)+e.pinned+e.live == 0 {
		return ""
	}
	return fmt.Sprintf("%d blocks of memory (%d bytes), %d of the host, %d streams and events", len(e.blocks), e.used,
		e.pinned, e.live)
}

func (e *emulated) Launch(s Stream, kernel string, l Shape, args ...any) error {
	return e.enqueue(s, "launch of "+kernel, func() Status {
		if e.launches++; e.LoseAfter > 0 && e.launches > e.LoseAfter {
			return launchFailed
		}
		if l.Blocks[0] < 1 || l.Threads < 1 || l.Threads > 1024 || l.Blocks[1] > 65535 || l.Shared > e.Info().Shared ||
			l.Together && l.Blocks[0]*max(l.Blocks[1], 1) > e.Info().Processors {
			return invalidValue
		}
		run, ok := emulatedKernel(kernel, e.Hopper)
		if !ok {
			return notFound
		}
		m := &machine{e: e, args: args, status: success}
		run(m, l)
		return m.status
	})
}
