package cli

import (
	"context"

	"github.com/mercer-ml/mercer/data"
)

// readCenters takes in the rows of --center-file; they are read as the others were.
func (f *fitting) readCenters(ctx context.Context) error {
	if f.o.CenterAt == "" {
		return nil
	}
	if f.o.Centers > 0 {
		return usage("--center-file: its rows are the centres, so their number is not to be chosen; leave --centers out")
	}
	in, err := f.o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.NoTarget = true
	in.Told = nil // of columns that need not be there
	if e, err := data.FitEncoder(f.data, data.EncoderOptions{Missing: "mean"}); err == nil {
		in.Readings = e.Readings()
	}
	f.options.CenterRows, err = f.App.read(ctx, f.o.CenterAt, in)
	return err
}
