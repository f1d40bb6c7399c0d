package promtext

import (
	"math"
	"os"
	"testing"
)

func (p process) named(name string) float64 {
	for _, n := range p {
		if n.name == name {
			return n.value
		}
	}
	return math.NaN()
}

// What Linux says of a process, as proc(5) has it. A program may be called anything.
func TestLinux(t *testing.T) {
	var p process
	p.stat([]byte("7 (a) b (c)) S 1 7 7 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 500 1632681984 6648 " +
		"18446744073709551615 1 1\n"))
	p.limits("Limit                     Soft Limit           Hard Limit           Units     \n" +
		"Max open files            20000                524288               files     \n" +
		"Max address space         unlimited            unlimited            bytes     \n")
	p.network("TcpExt: InOctets\nTcpExt: 9\nIpExt: InNoRoutes InOctets OutOctets\nIpExt: 0 443 711\n")
	for name, want := range map[string]float64{
		"process_cpu_seconds_total": 3, "process_virtual_memory_bytes": 1632681984,
		"process_resident_memory_bytes": 6648 * float64(os.Getpagesize()),
		"process_max_fds":               20000, "process_virtual_memory_max_bytes": 18446744073709551615,
		"process_network_receive_bytes_total": 443, "process_network_transmit_bytes_total": 711,
	} {
		if got := p.named(name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	var none process
	none.stat([]byte("7 (a) S 1"))
	none.limits("Max open files\n\n")
	none.network("IpExt:\n")
	if len(none) != 0 {
		t.Errorf("of what is cut short: %v", none)
	}
	var self process
	self.ask()
	if at := self.named("process_start_time_seconds"); !(at > 1e9) {
		t.Errorf("it began at %v", at)
	}
	if n := self.named("process_open_fds"); !(n >= 3) {
		t.Errorf("%v files are open", n)
	}
}
