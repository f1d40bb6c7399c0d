package main

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// summarise prints the means and every row below a bar; it says whether there is none.
func summarise(w io.Writer, rows []machineRow) bool {
	fmt.Fprintln(w)
	good := true
	column := func(name string, least, mean float64, counts func(machineRow) bool, value func(machineRow) float64) {
		sum, n, worst := 0.0, 0, math.Inf(1)
		var below []string
		for _, r := range rows {
			if !counts(r) || r.Wrong != "" {
				continue
			}
			v := value(r)
			sum += math.Log(v)
			n++
			worst = min(worst, v)
			if v < least {
				below = append(below, fmt.Sprintf("%s %s (%.1f)", r.Set, r.Setting, v))
			}
		}
		if n == 0 {
			return
		}
		g := math.Exp(sum / float64(n))
		fmt.Fprintf(w, "%-40s %3d rows: geometric mean %.1f (bar %.0f), worst %.1f (bar %.0f)\n", name, n, g, mean, worst,
			least)
		if len(below) > 0 {
			fmt.Fprintf(w, "    below: %s\n", strings.Join(below, "; "))
		}
		good = good && g >= mean && len(below) == 0
	}
	long := func(r machineRow) bool { return r.TheirS > barSeconds }
	column("svm-train", barTrain, barTrainMean, long, func(r machineRow) float64 { return r.Train })
	column("svm-train, processor time", 0, 0, long, func(r machineRow) float64 { return r.CPU })
	column("fit in process", barTrain, barTrainMean, long, func(r machineRow) float64 { return r.Fit })
	column("fit in process, processor time", 0, 0, long, func(r machineRow) float64 { return r.FitCPU })
	column("svm-predict", barPredict, barPredictMean, func(r machineRow) bool { return r.PredS > barSeconds },
		func(r machineRow) float64 { return r.Pred })
	column("prediction in process", barPredict, barPredictMean, func(r machineRow) bool { return r.InS > barSeconds },
		func(r machineRow) float64 { return r.In })
	few := func(r machineRow) bool { return long(r) && float64(r.Vectors) <= fewVectors*float64(r.Rows) }
	column("1/memory where few are support vectors", 1/float64(barMemory), 0, few,
		func(r machineRow) float64 { return r.TheirMB / r.OurMB })
	return good
}
