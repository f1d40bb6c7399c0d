package promtext

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// ticks is the unit of times in /proc, which Linux keeps at a hundredth of a second for programs.
const ticks = 100

func (p *process) ask() {
	if b, err := os.ReadFile("/proc/self/stat"); err == nil {
		p.stat(b)
	}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.files(len(entries) - 1) // the folder itself was open
	}
	if b, err := os.ReadFile("/proc/self/limits"); err == nil {
		p.limits(string(b))
	}
	if b, err := os.ReadFile("/proc/self/net/netstat"); err == nil {
		p.network(string(b))
	}
}

// stat reads proc(5)'s line. The name of the program is in brackets and may hold anything, so that
// fields count from the last bracket: what follows it is field 3.
func (p *process) stat(b []byte) {
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	if len(fields) < 22 {
		return
	}
	field := func(n int) float64 {
		x, _ := strconv.ParseFloat(string(fields[n-3]), 64)
		return x
	}
	p.cpu((field(14) + field(15)) / ticks)
	p.put("process_virtual_memory_bytes", "Virtual memory size in bytes.", "gauge", field(23))
	p.put("process_resident_memory_bytes", "Resident memory size in bytes.", "gauge", field(24)*float64(os.Getpagesize()))
	if all, err := os.ReadFile("/proc/stat"); err == nil {
		if _, after, ok := strings.Cut(string(all), "\nbtime "); ok {
			if boot, err := strconv.ParseFloat(strings.Fields(after)[0], 64); err == nil {
				p.start(boot + field(22)/ticks)
			}
		}
	}
}

// limits reads the soft limits, which stand behind their names of 26 characters.
func (p *process) limits(text string) {
	for line := range strings.Lines(text) {
		name, rest := line[:min(26, len(line))], strings.Fields(line[min(26, len(line)):])
		if len(rest) == 0 {
			continue
		}
		most := math.Exp2(64) // unlimited
		if x, err := strconv.ParseFloat(rest[0], 64); err == nil {
			most = x
		}
		switch strings.TrimSpace(name) {
		case "Max open files":
			p.maxFiles(most)
		case "Max address space":
			p.put("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.", "gauge", most)
		}
	}
}

// network reads two lines: the names of the counters of IP, and their values.
func (p *process) network(text string) {
	var names []string
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] != "IpExt:" {
			continue
		}
		if names == nil {
			names = fields
			continue
		}
		for i := range min(len(names), len(fields)) {
			x, err := strconv.ParseFloat(fields[i], 64)
			switch {
			case err != nil:
			case names[i] == "InOctets":
				p.put("process_network_receive_bytes_total", "Number of bytes received by the process over the network.", "counter",
					x)
			case names[i] == "OutOctets":
				p.put("process_network_transmit_bytes_total", "Number of bytes sent by the process over the network.", "counter", x)
			}
		}
	}
}
