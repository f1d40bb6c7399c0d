package gram

import (
	"github.com/mercer-ml/mercer/internal/engine/cuda"
	"github.com/mercer-ml/mercer/internal/engine/par"
)

// stagedFrom is how many numbers are worth a copy through pinned memory, made by all processors: the
// driver copies from and to other memory with one of them (H200, 10⁶ numbers: some milliseconds).
const (
	stagedFrom  = 1 << 16
	stagedChunk = 1 << 14
)

// upload copies numbers to a device. They may be changed once it returns.
func upload(chip cuda.Device, q cuda.Stream, to cuda.Ptr, v []float64) error {
	if len(v) < stagedFrom {
		return chip.ToDevice(q, to, cuda.Bytes(v))
	}
	host, err := chip.Pin(int64(8 * len(v)))
	if err != nil {
		return err
	}
	copyNumbers(cuda.Of[float64](host), v)
	err = chip.ToDevice(q, to, host)
	if synced := chip.Sync(q); err == nil {
		err = synced
	}
	if unpinned := chip.Unpin(host); err == nil {
		err = unpinned
	}
	return err
}

// download copies numbers from a device once what is queued is done.
func download(chip cuda.Device, q cuda.Stream, v []float64, from cuda.Ptr) error {
	if len(v) < stagedFrom {
		if err := chip.ToHost(q, cuda.Bytes(v), from); err != nil {
			return err
		}
		return chip.Sync(q)
	}
	host, err := chip.Pin(int64(8 * len(v)))
	if err != nil {
		return err
	}
	err = chip.ToHost(q, host, from)
	if synced := chip.Sync(q); err == nil {
		err = synced
	}
	if err == nil {
		copyNumbers(v, cuda.Of[float64](host))
	}
	if unpinned := chip.Unpin(host); err == nil {
		err = unpinned
	}
	return err
}

func copyNumbers(dst, src []float64) {
	par.For(0, len(src), stagedChunk, func(lo, hi int) { copy(dst[lo:hi], src[lo:hi]) })
}
