package promtext

import "syscall"

func (p *process) ask() {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		return
	}
	var begun, ended, system, user syscall.Filetime
	if syscall.GetProcessTimes(self, &begun, &ended, &system, &user) == nil {
		p.cpu(seconds(system) + seconds(user))
		p.start(float64(begun.Nanoseconds()) / 1e9)
	}
}

// seconds is a length of time, which the system counts in units of 100 ns as it does dates.
func seconds(t syscall.Filetime) float64 {
	return float64(uint64(t.HighDateTime)<<32|uint64(t.LowDateTime)) / 1e7
}
