//go:build !linux

package tune

// largePages does nothing: only Linux is asked.
func largePages([]float32) {}
