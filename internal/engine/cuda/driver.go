//go:build cuda && linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

// Built says whether this program can use GPUs.
const Built = true

// api is the calls of the driver, by the names in its library.
type api struct {
	Init    func(flags uint32) Status `name:"cuInit"`
	Version func(v *int32) Status     `name:"cuDriverGetVersion"`
	Count   func(n *int32) Status     `name:"cuDeviceGetCount"`
	Device  func(d *int32,
		index int32) Status `name:"cuDeviceGet"`
	Name func(name *byte, length,
		d int32) Status `name:"cuDeviceGetName"`
	Attribute func(v *int32, attribute,
		d int32) Status `name:"cuDeviceGetAttribute"`
	TotalMem func(bytes *uint64,
		d int32) Status `name:"cuDeviceTotalMem_v2"`
	Retain func(ctx *uintptr,
		d int32) Status `name:"cuDevicePrimaryCtxRetain"`
	Release     func(d int32) Status     `name:"cuDevicePrimaryCtxRelease_v2"`
	SetCurrent  func(ctx uintptr) Status `name:"cuCtxSetCurrent"`
	ContextSync func() Status            `name:"cuCtxSynchronize"`
	MemInfo     func(free,
		total *uint64) Status `name:"cuMemGetInfo_v2"`
	MemAlloc func(p *Ptr,
		bytes uint64) Status `name:"cuMemAlloc_v2"`
	MemFree   func(p Ptr) Status `name:"cuMemFree_v2"`
	HostAlloc func(p *unsafe.Pointer, bytes uint64,
		flags uint32) Status `name:"cuMemHostAlloc"`
	HostFree func(p unsafe.Pointer) Status `name:"cuMemFreeHost"`
	ToDevice func(to Ptr, from unsafe.Pointer, n uint64,
		s Stream) Status `name:"cuMemcpyHtoDAsync_v2"`
	ToHost func(to unsafe.Pointer, from Ptr, n uint64,
		s Stream) Status `name:"cuMemcpyDtoHAsync_v2"`
	Set func(p Ptr, value uint8, n uint64,
		s Stream) Status `name:"cuMemsetD8Async"`
	StreamCreate func(s *Stream,
		flags uint32) Status `name:"cuStreamCreate"`
	StreamDestroy func(s Stream) Status `name:"cuStreamDestroy_v2"`
	StreamSync    func(s Stream) Status `name:"cuStreamSynchronize"`
	StreamWait    func(s Stream, e Event,
		flags uint32) Status `name:"cuStreamWaitEvent"`
	EventCreate func(e *Event,
		flags uint32) Status `name:"cuEventCreate"`
	EventDestroy func(e Event) Status `name:"cuEventDestroy_v2"`
	EventRecord  func(e Event,
		s Stream) Status `name:"cuEventRecord"`
	EventSync    func(e Event) Status `name:"cuEventSynchronize"`
	EventElapsed func(ms *float32, from,
		to Event) Status `name:"cuEventElapsedTime"`
	ModuleLoad func(m *uintptr,
		image *byte) Status `name:"cuModuleLoadData"`
	ModuleUnload   func(m uintptr) Status `name:"cuModuleUnload"`
	ModuleFunction func(f *uintptr, m uintptr,
		name *byte) Status `name:"cuModuleGetFunction"`
	FunctionSet func(f uintptr, attribute,
		value int32) Status `name:"cuFuncSetAttribute"`
	LaunchKernel func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, s Stream, args *unsafe.Pointer,
		extra uintptr) Status `name:"cuLaunchKernel"`
	LaunchTogether func(f uintptr, gx, gy, gz, bx, by, bz, shared uint32, s Stream,
		args *unsafe.Pointer) Status `name:"cuLaunchCooperativeKernel"`
}

// driver loads the library once.
var driver = sync.OnceValues(func() (*api, error) {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrNoDriver, err)
	}
	a := new(api)
	if err := bind(a, library); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrOldDriver, err)
	}
	if err := failed("cuInit", a.Init(0)); err != nil {
		return nil, err
	}
	var version int32
	if err := failed("cuDriverGetVersion", a.Version(&version)); err != nil {
		return nil, err
	}
	return a, tooOld(int(version))
})

// chip is a device of the driver.
type chip struct {
	*api
	info      Info
	ordinal   int32
	context   uintptr
	modules   []uintptr
	mu        sync.Mutex
	functions map[string]uintptr
	raised    map[uintptr]int // bytes of shared memory that a function was allowed
	libraries func() Dense
}

// Open is the devices of this machine that can be used.
func Open() ([]Device, error) {
	a, err := driver()
	if err != nil {
		return nil, err
	}
	var count int32
	if err := failed("cuDeviceGetCount", a.Count(&count)); err != nil {
		return nil, err
	}
	var out []Device
	var whys []error
	for i := range count {
		c, err := openChip(a, i, 0)
		if err != nil {
			whys = append(whys, fmt.Errorf("GPU %d: %w", i, err))
			continue
		}
		out = append(out, c)
	}
	if len(out) == 0 {
		return nil, errors.Join(append([]error{ErrNoDevice}, whys...)...)
	}
	return out, nil
}

// openChip makes a device ready, as one of an older compute capability where that is not 0. Opened
// twice it is the same context, with modules of its own.
func openChip(a *api, index int32, as int) (*chip, error) {
	c := &chip{api: a, functions: map[string]uintptr{}, raised: map[uintptr]int{}}
	if err := failed("cuDeviceGet", a.Device(&c.ordinal, index)); err != nil {
		return nil, err
	}
	name := make([]byte, 128)
	a.Name(&name[0], int32(len(name)), c.ordinal)
	attribute := func(number int32) int {
		var v int32
		a.Attribute(&v, number, c.ordinal)
		return int(v)
	}
	var bytes uint64
	var version int32
	a.TotalMem(&bytes, c.ordinal)
	a.Version(&version)
	text, _, _ := strings.Cut(string(name), "\x00")
	c.info = Info{Name: text, Index: int(index), Major: attribute(75), Minor: attribute(76), Processors: attribute(16),
		Clock:  attribute(13),
		Shared: attribute(97), Bytes: int64(bytes), Driver: int(version)}
	if as > 0 {
		c.info.Major, c.info.Minor = as, 0
	}
	names, err := imagesFor(c.info.Major, c.info.Minor)
	if err != nil {
		return nil, err
	}
	if err := failed("cuDevicePrimaryCtxRetain", a.Retain(&c.context, c.ordinal)); err != nil {
		return nil, err
	}
	for _, name := range names {
		code, err := image(name)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		var m uintptr
		if err := c.do("cuModuleLoadData", func() Status { return a.ModuleLoad(&m, &code[0]) }); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.modules = append(c.modules, m)
	}
	c.libraries = sync.OnceValue(func() Dense { return openLibraries(c) })
	return c, nil
}

// do is a call in the context of the device, which belongs to a thread of the system.
func (c *chip) do(call string, f func() Status) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := failed("cuCtxSetCurrent", c.SetCurrent(c.context)); err != nil {
		return err
	}
	return failed(call, f())
}

func (c *chip) Info() Info       { return c.info }
func (c *chip) Libraries() Dense { return c.libraries() }

func (c *chip) Memory() (free, total int64, err error) {
	var f, t uint64
	err = c.do("cuMemGetInfo", func() Status { return c.MemInfo(&f, &t) })
	return int64(f), int64(t), err
}

func (c *chip) Alloc(bytes int64) (p Ptr, err error) {
	err = c.do("cuMemAlloc", func() Status { return c.MemAlloc(&p, uint64(max(bytes, 1))) })
	var e *Error
	if errors.As(err, &e) {
		e.Bytes = bytes
	}
	return p, err
}

func (c *chip) Free(p Ptr) error { return c.do("cuMemFree", func() Status { return c.MemFree(p) }) }

func (c *chip) Pin(bytes int64) ([]byte, error) {
	var p unsafe.Pointer
	// 1: for all contexts
	if err := c.do("cuMemHostAlloc", func() Status { return c.HostAlloc(&p, uint64(max(bytes, 1)), 1) }); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(p), bytes), nil
}

func (c *chip) Unpin(b []byte) error {
	return c.do("cuMemFreeHost", func() Status { return c.HostFree(unsafe.Pointer(unsafe.SliceData(b))) })
}

func (c *chip) NewStream() (s Stream, err error) {
	err = c.do("cuStreamCreate", func() Status { return c.StreamCreate(&s, 1) }) // 1: beside the default one
	return
}

func (c *chip) FreeStream(s Stream) error {
	return c.do("cuStreamDestroy", func() Status { return c.StreamDestroy(s) })
}

func (c *chip) Sync(s Stream) error {
	return c.do("cuStreamSynchronize", func() Status { return c.StreamSync(s) })
}

func (c *chip) Wait() error {
	return c.do("cuCtxSynchronize", func() Status { return c.ContextSync() })
}

func (c *chip) NewEvent() (e Event, err error) {
	err = c.do("cuEventCreate", func() Status { return c.EventCreate(&e, 0) })
	return
}

func (c *chip) FreeEvent(e Event) error {
	return c.do("cuEventDestroy", func() Status { return c.EventDestroy(e) })
}

func (c *chip) Record(e Event, s Stream) error {
	return c.do("cuEventRecord", func() Status { return c.EventRecord(e, s) })
}

func (c *chip) Await(s Stream, e Event) error {
	return c.do("cuStreamWaitEvent", func() Status { return c.StreamWait(s, e, 0) })
}

func (c *chip) SyncEvent(e Event) error {
	return c.do("cuEventSynchronize", func() Status { return c.EventSync(e) })
}

func (c *chip) Elapsed(from, to Event) (float64, error) {
	var ms float32
	err := c.do("cuEventElapsedTime", func() Status { return c.EventElapsed(&ms, from, to) })
	return float64(ms), err
}

func (c *chip) ToDevice(s Stream, to Ptr, from []byte) error {
	if len(from) == 0 {
		return nil
	}
	return c.do("cuMemcpyHtoDAsync", func() Status {
		return c.api.ToDevice(to, unsafe.Pointer(unsafe.SliceData(from)), uint64(len(from)), s)
	})
}

func (c *chip) ToHost(s Stream, to []byte, from Ptr) error {
	if len(to) == 0 {
		return nil
	}
	return c.do("cuMemcpyDtoHAsync", func() Status {
		return c.api.ToHost(unsafe.Pointer(unsafe.SliceData(to)), from, uint64(len(to)), s)
	})
}

func (c *chip) Zero(s Stream, p Ptr, bytes int64) error {
	return c.do("cuMemsetD8Async", func() Status { return c.Set(p, 0, uint64(bytes), s) })
}

// Close gives the context back. Whatever went wrong before has been said.
func (c *chip) Close() error {
	for _, m := range c.modules {
		_ = c.do("cuModuleUnload", func() Status { return c.ModuleUnload(m) })
	}
	c.modules = nil
	return failed("cuDevicePrimaryCtxRelease", c.Release(c.ordinal))
}

// function is a kernel by its name, allowed so many bytes of shared memory.
func (c *chip) function(name string, shared int) (uintptr, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f, ok := c.functions[name]
	if !ok {
		text := append([]byte(name), 0)
		status := notFound
		for _, m := range c.modules {
			if status = c.ModuleFunction(&f, m, &text[0]); status == success {
				break
			}
		}
		if status != success {
			return 0, failed("cuModuleGetFunction "+name, status)
		}
		c.functions[name] = f
	}
	if shared > 48<<10 && c.raised[f] < shared {
		if status := c.FunctionSet(f, 8, int32(shared)); status != success { // 8: dynamic shared memory
			return 0, failed("cuFuncSetAttribute", status)
		}
		c.raised[f] = shared
	}
	return f, nil
}

func (c *chip) Launch(s Stream, kernel string, l Shape, args ...any) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := failed("cuCtxSetCurrent", c.SetCurrent(c.context)); err != nil {
		return err
	}
	f, err := c.function(kernel, l.Shared)
	if err != nil {
		return err
	}
	values := make([]uint64, len(args)) // each argument in the first bytes of a word
	places := make([]unsafe.Pointer, len(args)+1)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(unsafe.SliceData(values))
	pin.Pin(unsafe.SliceData(places))
	for i, a := range args {
		p := unsafe.Pointer(&values[i])
		switch a := a.(type) {
		case Ptr:
			*(*uint64)(p) = uint64(a)
		case uint64:
			*(*uint64)(p) = a
		case int32:
			*(*int32)(p) = a
		case float32:
			*(*float32)(p) = a
		case float64:
			*(*float64)(p) = a
		default:
			panic(fmt.Sprintf("cuda: argument %d of %s is a %T", i, kernel, a))
		}
		places[i] = p
	}
	if l.Together {
		return failed("launch of "+kernel, c.LaunchTogether(f, uint32(l.Blocks[0]), uint32(max(l.Blocks[1], 1)), 1,
			uint32(l.Threads), 1, 1, uint32(l.Shared), s, unsafe.SliceData(places)))
	}
	return failed("launch of "+kernel, c.LaunchKernel(f, uint32(l.Blocks[0]), uint32(max(l.Blocks[1], 1)), 1,
		uint32(l.Threads), 1, 1, uint32(l.Shared), s, unsafe.SliceData(places), 0))
}
