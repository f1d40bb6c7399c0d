package ridge

import (
	"testing"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/learntest"
	"github.com/mercer-ml/mercer/kernel"
)

func BenchmarkRidge8000(b *testing.B) {
	x, y := learntest.Wave(8000, 100, 1)
	for b.Loop() {
		m, err := Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 7}, Lambda: 1}.Fit(learntest.Ctx, data.Rows(x),
			y)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(m.Report().Certificate, "residual")
		b.ReportMetric(float64(m.Report().Iterations), "steps")
	}
}
