package promtext

// process are the numbers of the process by the names that Prometheus's own client gives them. What
// a system does not tell is missing.
type process []struct {
	name, help, kind string
	value            float64
}

func (p *process) put(name, help, kind string, value float64) {
	*p = append(*p, struct {
		name, help, kind string
		value            float64
	}{name, help, kind, value})
}

func (p *process) cpu(seconds float64) {
	p.put("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.", "counter", seconds)
}

func (p *process) start(seconds float64) {
	p.put("process_start_time_seconds", "Start time of the process since unix epoch in seconds.", "gauge", seconds)
}

func (p *process) files(open int) {
	p.put("process_open_fds", "Number of open file descriptors.", "gauge", float64(open))
}

func (p *process) maxFiles(most float64) {
	p.put("process_max_fds", "Maximum number of open file descriptors.", "gauge", most)
}

// AppendProcess writes the numbers of the process.
func AppendProcess(b []byte) []byte {
	var p process
	p.ask()
	for _, n := range p {
		b = AppendOne(b, n.name, n.help, n.kind, n.value)
	}
	return b
}
