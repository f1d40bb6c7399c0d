package cuda

import (
	"fmt"
	"unsafe"
)

// Ptr is an address in the memory of a device.
type Ptr uint64

// Stream is a queue of copies and launches, done in order; Event is a mark in one.
type (
	Stream uintptr
	Event  uintptr
)

// Info is what is known of a device.
type Info struct {
	Name       string
	Index      int
	Major      int // of the compute capability
	Minor      int
	Processors int   // multiprocessors
	Clock      int   // of them, in kHz
	Shared     int   // bytes of shared memory that a block may ask for
	Bytes      int64 // of memory
	Driver     int   // release, 1000·major + 10·minor of the CUDA that it serves
}

func (i Info) String() string {
	return fmt.Sprintf("%s (sm_%d%d, %.0f GB, driver for CUDA %d.%d)", i.Name, i.Major, i.Minor, float64(i.Bytes)/1e9,
		i.Driver/1000, i.Driver%1000/10)
}

// Device is what is used of a driver. Its methods may be called by several goroutines. Copies and
// launches are queued and return before they are done; what they find wrong may be said by a later
// call.
type Device interface {
	Info() Info
	// Memory is the bytes that are free and those that there are.
	Memory() (free, total int64, err error)
	Alloc(bytes int64) (Ptr, error)
	Free(p Ptr) error
	// Pin is memory of the host that is copied without a detour; Unpin gives it back.
	Pin(bytes int64) ([]byte, error)
	Unpin(b []byte) error

	NewStream() (Stream, error)
	FreeStream(s Stream) error
	// Sync waits until all that is queued in s is done.
	Sync(s Stream) error
	// Wait waits until all that is queued anywhere is done.
	Wait() error
	NewEvent() (Event, error)
	FreeEvent(e Event) error
	Record(e Event, s Stream) error // marks what is queued in s so far
	Await(s Stream, e Event) error  // what is queued in s from now on waits for the mark
	SyncEvent(e Event) error        // waits for the mark
	// Elapsed is the milliseconds between two marks that have been reached.
	Elapsed(from, to Event) (float64, error)

	ToDevice(s Stream, to Ptr, from []byte) error
	ToHost(s Stream, to []byte, from Ptr) error
	Zero(s Stream, p Ptr, bytes int64) error
	// Launch queues a kernel; arguments are of the types Ptr, uint64, int32, float32 and float64.
	Launch(s Stream, kernel string, l Shape, args ...any) error

	// Libraries is the dense linear algebra of NVIDIA's libraries, nil where they are not
	// installed.
	Libraries() Dense
	Close() error
}

// Shape is the number of blocks of a launch, of threads in each, and of bytes of shared memory of
// each. Together has all blocks run at once, so that they may wait for one another: there must not
// be more than multiprocessors.
type Shape struct {
	Blocks   [2]int
	Threads  int
	Shared   int
	Together bool
}

// bytesOf is the memory of a slice.
func bytesOf[T float32 | float64 | uint64 | int32](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(s[0])))
}

// Bytes is the memory of numbers.
func Bytes[T float32 | float64 | uint64 | int32](v []T) []byte { return bytesOf(v) }

// Of is bytes, as Pin gives them, as numbers.
func Of[T float32 | float64 | uint64 | int32](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(*new(T))))
}
