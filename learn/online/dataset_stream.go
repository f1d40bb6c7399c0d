package online

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// ObserveStream learns from the rows of a file as they are read, in the memory of one chunk and of
// the terms kept. The encoder says how a row becomes a point and what its target is; for Hinge and
// LogisticLoss the target must have two classes, of which the second is +1. It returns how many
// rows were learnt from: a learner saved by State goes on from there.
func ObserveStream(ctx context.Context, o *Machine[kernel.Vec], e *data.Encoder, s data.Stream) (int, error) {
	signs := o.c.Loss == Hinge || o.c.Loss == LogisticLoss
	switch {
	case o.c.Loss != Novelty && e.Target == nil:
		return 0, errors.New("norma: the encoder has no target column")
	case signs && len(e.Target.Classes) != 2:
		return 0, fmt.Errorf("norma: the %s loss tells 2 classes apart, the target %q has %d", o.c.Loss, e.Target.Name,
			len(e.Target.Classes))
	}
	n := 0
	for {
		chunk, err := s.Next()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		var x *data.Encoded
		if o.c.Loss == Novelty {
			x, err = e.Transform(chunk)
		} else {
			x, err = e.TransformLabelled(chunk)
		}
		if err != nil {
			return n, fmt.Errorf("norma: after %d rows: %w", n, err)
		}
		rows := x.AsDense()
		for i := range rows.Len() {
			if err := ctx.Err(); err != nil {
				return n, err
			}
			y := 0.0
			if x.Target != nil {
				y = x.Target[i]
			}
			if signs {
				y = 2*y - 1
			}
			if _, err := o.Observe(rows.At(i), y); err != nil {
				return n, err
			}
			n++
		}
	}
}
