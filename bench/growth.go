package main

import (
	"fmt"
	"io"
)

// growth is how the time of a C-SVC fit grows with the number of points; LIBSVM
// takes part up to where it needs about a minute. out/growth-machines.csv has it with our memory.
func growth() []Case {
	var cases []Case
	grown := &growthTable{name: "machines", size: "rows", shown: io.Discard}
	for _, n := range []int{2000, 4000, 8000, 16_000, 32_000, 64_000} {
		l, work := twoClasses(n, 50), fmt.Sprintf("C-SVC n=%d d=50, RBF", n)
		c := Case{Work: work, Yardstick: true, Go: GoPeer{Name: noPeer, Run: func(Inputs) {}}, Prepare: func() Work {
			return Work{Run: func() { l.fit(1, 0.02) }}
		}}
		if n <= 32_000 {
			c = classifier(work, l, 1, 0.02, "svm_train", 0)
		}
		var cpu, bytes float64 // of the last run
		prepare := c.Prepare
		c.Prepare = func() Work {
			w := prepare()
			run := w.Run
			w.Run = func() { _, cpu, bytes = cost(run) }
			return w
		}
		c.Measured = func(r Row) error {
			grown.add("mercer", n, r.OursS, cpu, bytes/1e6)
			if r.Missing == "" && r.Peer != noPeer {
				grown.add("LIBSVM", n, r.TheirsS, 0, 0)
			}
			return grown.err
		}
		cases = append(cases, c)
	}
	return cases
}
