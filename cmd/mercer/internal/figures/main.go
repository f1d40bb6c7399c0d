// Command figures draws the pictures of the documents that no verb draws:
//
//	go run ./cmd/mercer/internal/figures docs/img
//	go run ./cmd/mercer/internal/figures families docs/img   only those of the pages of kernels and learners
//	go run ./cmd/mercer/internal/figures growth bench/out    only those of the tables that bench/run leaves there
package main

import (
	"cmp"
	"context"
	"log"
	"os"
	"path/filepath"

	"github.com/mercer-ml/mercer/cmd/mercer/internal/plot"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/tune"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) == 3 && os.Args[1] == "growth" {
		if err := growth(os.Args[2]); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "families" {
		if err := cmp.Or(drawProfiles(os.Args[2]), drawLearners(context.Background(), os.Args[2])); err != nil {
			log.Fatal(err)
		}
		return
	}
	if len(os.Args) != 2 {
		log.Fatal("usage: figures [growth | families] FOLDER")
	}
	if err := heatMap(context.Background(), filepath.Join(os.Args[1], "heatmap.png")); err != nil {
		log.Fatal(err)
	}
	if err := structured(os.Args[1]); err != nil {
		log.Fatal(err)
	}
	if err := cmp.Or(drawProfiles(os.Args[1]), drawLearners(context.Background(), os.Args[1]),
		growth(os.Args[1])); err != nil {
		log.Fatal(err)
	}
}

// heatMap draws the hidden tuning parameters of kernel ridge regression: the
// cross-validated error of a noisy sinc over the width of the kernel and λ.
func heatMap(ctx context.Context, file string) error {
	d, err := data.Builtin("sinc", 1)
	if err != nil {
		return err
	}
	e, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		return err
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		return err
	}
	s := tune.NewSearch(learn.Regress(x.Dense, x.Target), tune.Try("ridge", kernel.Gaussian{},
		tune.Over("gaussian.lengthscale", learn.LogSpace(0.05, 10, 25)...),
		tune.Over("lambda", learn.LogSpace(1e-3, 100, 25)...)))
	s.Protocol, s.NoModel = tune.Protocol{Folds: 10, Seed: 1}, true
	r, err := s.Run(ctx)
	if err != nil {
		return err
	}
	h := r.HeatMap(0, "gaussian.lengthscale", "lambda")
	f, err := plot.HeatMap(plot.Heat{XName: h.XName, YName: h.YName, Metric: h.Metric, X: h.X, Y: h.Y, Mean: h.Mean,
		Maximize: h.Maximize, Chosen: h.Chosen})
	if err != nil {
		return err
	}
	return write(f, file)
}
