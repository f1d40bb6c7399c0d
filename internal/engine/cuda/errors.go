package cuda

import (
	"errors"
	"fmt"
)

// Reasons why there is no device, or none any more.
var (
	ErrNotBuilt    = errors.New("this program was built without support for GPUs (build it with -tags cuda)")
	ErrNoDriver    = errors.New("no NVIDIA driver was found")
	ErrOldDriver   = errors.New("the NVIDIA driver is too old")
	ErrNoDevice    = errors.New("no GPU that can be used was found")
	ErrOutOfMemory = errors.New("the GPU is out of memory")
	ErrLost        = errors.New("the GPU was lost")
	ErrNoEigen     = errors.New("the eigenvalues did not settle")
)

// oldest is the release of CUDA whose drivers read our PTX and machine code: 1000·major + 10·minor.
const oldest = 12040

// tooOld is the error of a driver that serves an older release, or nil.
func tooOld(version int) error {
	if version >= oldest {
		return nil
	}
	return fmt.Errorf("%w: it serves CUDA %d.%d, kernels need %d.%d; install driver 550 or later", ErrOldDriver,
		version/1000, version%1000/10, oldest/1000, oldest%1000/10)
}

// Status is what a call of the driver returns.
type Status int32

// The statuses that mean something to us; the rest are printed by number.
const (
	success            Status = 0
	invalidValue       Status = 1
	outOfMemory        Status = 2
	notInitialized     Status = 3
	deinitialized      Status = 4
	noDevice           Status = 100
	invalidDevice      Status = 101
	deviceNotLicensed  Status = 102
	invalidImage       Status = 200
	invalidContext     Status = 201
	noBinaryForGPU     Status = 209
	eccUncorrectable   Status = 214
	invalidPTX         Status = 218
	unsupportedPTX     Status = 222
	notFound           Status = 500
	illegalAddress     Status = 700
	launchOutOfRes     Status = 701
	launchTimeout      Status = 702
	contextDestroyed   Status = 709
	assertFailed       Status = 710
	hardwareStackError Status = 714
	illegalInstruction Status = 715
	misalignedAddress  Status = 716
	launchFailed       Status = 719
	systemNotReady     Status = 802
	systemMismatch     Status = 803
	unknownFailure     Status = 999
)

var statusNames = map[Status]string{
	invalidValue: "CUDA_ERROR_INVALID_VALUE", outOfMemory: "CUDA_ERROR_OUT_OF_MEMORY",
	notInitialized: "CUDA_ERROR_NOT_INITIALIZED",
	deinitialized:  "CUDA_ERROR_DEINITIALIZED", noDevice: "CUDA_ERROR_NO_DEVICE",
	invalidDevice:     "CUDA_ERROR_INVALID_DEVICE",
	deviceNotLicensed: "CUDA_ERROR_DEVICE_NOT_LICENSED", invalidImage: "CUDA_ERROR_INVALID_IMAGE",
	invalidContext: "CUDA_ERROR_INVALID_CONTEXT",
	noBinaryForGPU: "CUDA_ERROR_NO_BINARY_FOR_GPU", eccUncorrectable: "CUDA_ERROR_ECC_UNCORRECTABLE",
	invalidPTX:     "CUDA_ERROR_INVALID_PTX",
	unsupportedPTX: "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", notFound: "CUDA_ERROR_NOT_FOUND",
	illegalAddress: "CUDA_ERROR_ILLEGAL_ADDRESS",
	launchOutOfRes: "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", launchTimeout: "CUDA_ERROR_LAUNCH_TIMEOUT",
	contextDestroyed: "CUDA_ERROR_CONTEXT_IS_DESTROYED",
	assertFailed:     "CUDA_ERROR_ASSERT", hardwareStackError: "CUDA_ERROR_HARDWARE_STACK_ERROR",
	illegalInstruction: "CUDA_ERROR_ILLEGAL_INSTRUCTION",
	misalignedAddress:  "CUDA_ERROR_MISALIGNED_ADDRESS", launchFailed: "CUDA_ERROR_LAUNCH_FAILED",
	systemNotReady: "CUDA_ERROR_SYSTEM_NOT_READY",
	systemMismatch: "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", unknownFailure: "CUDA_ERROR_UNKNOWN",
}

func (s Status) String() string {
	if name, ok := statusNames[s]; ok {
		return name
	}
	return fmt.Sprintf("CUDA error %d", int(s))
}

// reasons are what statuses mean to a caller. After the ones that mean a lost device every call of
// its context fails.
var reasons = map[Status]error{
	outOfMemory: ErrOutOfMemory, noDevice: ErrNoDevice, invalidDevice: ErrNoDevice, deviceNotLicensed: ErrNoDevice,
	systemNotReady: ErrNoDevice,
	unsupportedPTX: ErrOldDriver, systemMismatch: ErrOldDriver,
	deinitialized: ErrLost, invalidContext: ErrLost, eccUncorrectable: ErrLost, illegalAddress: ErrLost,
	launchTimeout: ErrLost, contextDestroyed: ErrLost,
	assertFailed: ErrLost, hardwareStackError: ErrLost, illegalInstruction: ErrLost, misalignedAddress: ErrLost,
	launchFailed: ErrLost, unknownFailure: ErrLost,
}

// Error is a call that failed. errors.Is knows ErrOutOfMemory, ErrLost and the other reasons.
type Error struct {
	Call   string // of the driver
	Status Status
	Bytes  int64 // asked for, in a call for memory
}

func (e *Error) Error() string {
	if e.Bytes > 0 {
		return fmt.Sprintf("%s of %d MiB: %s", e.Call, (e.Bytes+1<<20-1)>>20, e.Status)
	}
	return e.Call + ": " + e.Status.String()
}

// Unwrap is the reason, where it is known.
func (e *Error) Unwrap() error { return reasons[e.Status] }

// failed is the error of a call, or nil.
func failed(call string, status Status) error {
	if status == success {
		return nil
	}
	return &Error{Call: call, Status: status}
}
