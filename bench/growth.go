package main

import "fmt"

// growth is how the time of a C-SVC fit grows with the number of points; LIBSVM
// takes part up to where it needs about a minute.
func growth() []Case {
	var cases []Case
	for _, n := range []int{2000, 4000, 8000, 16_000, 32_000, 64_000} {
		l, work := twoClasses(n, 50), fmt.Sprintf("C-SVC n=%d d=50, RBF", n)
		if n <= 32_000 {
			cases = append(cases, classifier(work, l, 1, 0.02, "svm_train", 0))
			continue
		}
		cases = append(cases, Case{Work: work, Go: GoPeer{Name: "none", Run: func(Inputs) {}}, Prepare: func() Work {
			return Work{Run: func() { l.fit(1, 0.02) }}
		}})
	}
	return cases
}
