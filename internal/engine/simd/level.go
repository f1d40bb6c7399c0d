package simd

import (
	"fmt"
	"sync/atomic"
)

// Level is a set of CPU features the routines are compiled for. A higher
// level includes the lower ones of the same architecture.
type Level int32

const (
	// Generic is plain Go.
	Generic Level = iota
	// AVX2 needs AVX2 and FMA.
	AVX2
	// AVX512 needs AVX-512 F, DQ, VL and BW besides AVX2.
	AVX512
	// NEON is arm64's Advanced SIMD.
	NEON
)

func (l Level) String() string {
	switch l {
	case Generic:
		return "generic"
	case AVX2:
		return "avx2"
	case AVX512:
		return "avx512"
	case NEON:
		return "neon"
	}
	return fmt.Sprintf("Level(%d)", int32(l))
}

// supported lists the levels this CPU and this build can run, worst first.
var supported = detect()

// level is what the routines run at now. Only Force changes it.
var level = func() *atomic.Int32 {
	l := new(atomic.Int32)
	l.Store(int32(supported[len(supported)-1]))
	return l
}()

// Supported lists the levels this CPU and this build can run, worst first; the
// first is Generic.
func Supported() []Level { return append([]Level(nil), supported...) }

// Current is the level the routines run at.
func Current() Level { return Level(level.Load()) }

// Force makes every routine run at l, for tests and benchmarks, and returns
// what undoes it. Nothing else may be computing meanwhile. It panics if l is not
// in Supported.
func Force(l Level) (restore func()) {
	for _, s := range supported {
		if s == l {
			old := level.Swap(int32(l))
			return func() { level.Store(old) }
		}
	}
	panic(fmt.Sprintf("simd: this machine cannot run %v, only %v", l, supported))
}
