package decompress

import (
	"fmt"
	"sync/atomic"
)

// Allowance bounds the decompressed bytes that are held at once. The zero value has no bound. It
// may be used by several goroutines.
type Allowance struct {
	Most int64 // 0: no bound
	held atomic.Int64
}

// SizeError says that there was no room for decompressed data.
type SizeError struct{ Need, Most int64 }

// Error says how much would be needed.
func (e *SizeError) Error() string {
	return fmt.Sprintf("%d bytes when decompressed, where %d are allowed", e.Need, e.Most)
}

// Take counts bytes before they are made, or refuses them.
func (a *Allowance) Take(bytes int64) error {
	if now := a.held.Add(bytes); a.Most > 0 && now > a.Most {
		a.held.Add(-bytes)
		return &SizeError{now, a.Most}
	}
	return nil
}

// Give takes back bytes that are held no more.
func (a *Allowance) Give(bytes int64) { a.held.Add(-bytes) }
