//go:build !unix && !windows

package promtext

func (p *process) ask() { p.start(float64(begun.UnixNano()) / 1e9) }
