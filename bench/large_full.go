package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn"
	"github.com/mercer-ml/mercer/learn/ridge"
)

// fullPeerRows is how many of the rows scikit-learn's KernelRidge gets: it factorises their Gram
// matrix, and that of 50 000 would have 20 GB.
const fullPeerRows = 15_000

// fullLimit is the time that a fit may take.
const fullLimit = 5 * time.Minute

// fullRidge is kernel ridge regression on all points without a matrix, to a relative residual of
// 1e-6.
func fullRidge(n, d int, method ridge.Method) Case {
	gamma, peer := 1/float64(2*d), min(fullPeerRows, n)
	times := float64(n) / float64(peer)
	alpha := 1e-6 * float64(n)
	c := Case{Work: fmt.Sprintf("full ridge n=%d d=%d to 1e-6, %v", n, d, method), Peer: "full_ridge", Yardstick: peer < n,
		Args: map[string]any{"gamma": gamma, "alpha": alpha, "rows": peer}}
	c.Prepare = func() Work {
		h := heldOut(n, d, 2000)
		var values []float64
		var late error
		return Work{Inputs: h.inputs(),
			Note: fmt.Sprintf("the peer has %d rows: for all of them %.0f (n²) to %.0f times (n³) its time", peer, times*times,
				times*times*times),
			Run: func() {
				r := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: math.Sqrt(float64(d))}, Lambda: alpha,
					Method: method, Tol: 1e-6}
				within, cancel := context.WithTimeout(context.Background(), fullLimit)
				defer cancel()
				m, err := r.Fit(within, data.RowsOf(h.x), h.y)
				var stopped *learn.Stopped[kernel.Vec]
				if errors.As(err, &stopped) {
					values, late = nil, fmt.Errorf("relative residual %.2g after %v", stopped.Model.Report().Certificate, fullLimit)
					return
				}
				if err != nil && within.Err() != nil {
					values, late = nil, fmt.Errorf("no iterate after %v", fullLimit)
					return
				}
				if err != nil {
					panic(err)
				}
				if values, err = m.Predict(context.Background(), data.RowsOf(h.test)); err != nil {
					panic(err)
				}
			},
			Check: func(t Inputs) error {
				if late != nil {
					return late
				}
				return h.asGood(values, t["result"].Data, 0.02)
			},
		}
	}
	return c
}
