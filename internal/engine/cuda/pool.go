package cuda

import (
	"errors"
	"sync"
)

// Pooled is a device that keeps the memory that was given back, its own and that of the host, for
// those who ask for as much again: taking it from the system costs more than many a product. What
// is kept is never more than a share of the device, and goes back to the system when memory is
// short and at the end.
func Pooled(d Device) Device {
	return &pool{Device: d, spare: map[int64][]Ptr{}, size: map[Ptr]int64{}, pinned: map[int64][][]byte{}}
}

// What is kept at the most: of the device's memory a quarter, of the host's a gibibyte.
const (
	keptShare  = 4
	keptPinned = 1 << 30
)

type pool struct {
	Device
	mu     sync.Mutex
	spare  map[int64][]Ptr // by size
	size   map[Ptr]int64   // of all blocks
	kept   int64           // bytes in spare
	pinned map[int64][][]byte
	held   int64 // bytes in pinned
}

// roomFor is the size of a block for so many bytes: up to an eighth more, so that sizes that differ
// little share blocks; large ones are as they are, to two mebibytes.
func roomFor(bytes int64) int64 {
	step := int64(512)
	for step < bytes/16 && step < 2<<20 {
		step *= 2
	}
	return (max(bytes, 1) + step - 1) / step * step
}

// Memory counts what is kept as free: it is given back when it is wanted.
func (p *pool) Memory() (free, total int64, err error) {
	free, total, err = p.Device.Memory()
	p.mu.Lock()
	defer p.mu.Unlock()
	return free + p.kept, total, err
}

func (p *pool) Alloc(bytes int64) (Ptr, error) {
	room := roomFor(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.spare[room]; len(s) > 0 {
		at := s[len(s)-1]
		p.spare[room] = s[:len(s)-1]
		p.kept -= room
		return at, nil
	}
	at, err := p.Device.Alloc(room)
	if errors.Is(err, ErrOutOfMemory) {
		p.drain()
		if at, err = p.Device.Alloc(room); errors.Is(err, ErrOutOfMemory) {
			room = max(bytes, 1) // to the last byte
			at, err = p.Device.Alloc(room)
		}
	}
	if err == nil {
		p.size[at] = room
	}
	return at, err
}

// Free keeps a block when nothing that is queued uses it any more.
func (p *pool) Free(at Ptr) error {
	p.mu.Lock()
	room, ours := p.size[at]
	full := p.kept+room > p.Info().Bytes/keptShare
	p.mu.Unlock()
	if !ours || full {
		p.mu.Lock()
		delete(p.size, at)
		p.mu.Unlock()
		return p.Device.Free(at)
	}
	if err := p.Wait(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spare[room] = append(p.spare[room], at)
	p.kept += room
	return nil
}

func (p *pool) Pin(bytes int64) ([]byte, error) {
	room := roomFor(bytes)
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.pinned[room]; len(s) > 0 {
		b := s[len(s)-1]
		p.pinned[room] = s[:len(s)-1]
		p.held -= room
		return b[:bytes], nil
	}
	b, err := p.Device.Pin(room)
	if err != nil {
		return nil, err
	}
	return b[:bytes], nil
}

// Unpin keeps a block of the host when nothing that is queued uses it any more.
func (p *pool) Unpin(b []byte) error {
	b = b[:cap(b)]
	room := int64(len(b))
	p.mu.Lock()
	full := p.held+room > keptPinned
	p.mu.Unlock()
	if full || room != roomFor(room) {
		return p.Device.Unpin(b)
	}
	if err := p.Wait(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pinned[room] = append(p.pinned[room], b)
	p.held += room
	return nil
}

// drain gives what is kept back to the system.
func (p *pool) drain() {
	for room, s := range p.spare {
		for _, at := range s {
			_ = p.Device.Free(at)
			delete(p.size, at)
		}
		delete(p.spare, room)
	}
	for room, s := range p.pinned {
		for _, b := range s {
			_ = p.Device.Unpin(b)
		}
		delete(p.pinned, room)
	}
	p.kept, p.held = 0, 0
}

// Close gives everything back.
func (p *pool) Close() error {
	p.mu.Lock()
	p.drain()
	p.mu.Unlock()
	return p.Device.Close()
}
