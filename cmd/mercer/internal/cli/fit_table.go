package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/gram"
)

// inPasses says whether data that are too large for the memory can be read in passes instead: from
// a file, and of a kind that needs no look at all rows.
func (f *fitting) inPasses(err error) bool {
	if !errors.Is(err, data.ErrTooLarge) || f.o.Data == "-" || len(f.o.targets()) > 1 || f.o.CenterAt != "" ||
		f.o.Noise != "" || f.o.Groups != "" || f.o.Bags != "" || f.o.Kernel != "" || f.repairs() || !f.o.Task.untold() {
		return false
	}
	info, err := os.Stat(f.o.Data)
	return err == nil && info.Mode().IsRegular()
}

func (f *fitting) repairs() bool {
	how, err := parseRepair(f.o.Repair)
	return err != nil || how != gram.NoRepair
}

// openTable looks at the first rows of a file that is then read in passes.
func (f *fitting) openTable(ctx context.Context) error {
	f.data = nil
	debug.FreeOSMemory() // of what was read before it was too much
	f.o.Input.Memory = ""
	in, err := f.o.Input.options(f.App)
	if err != nil {
		return err
	}
	in.Target, in.Weights, in.Seed, in.Bytes = f.o.Target, f.o.Weights, f.o.Seed, f.memory.total/4
	t, err := load.OpenTable(ctx, f.o.Data, in, f.temp())
	if err != nil {
		return inputError(err)
	}
	f.table, f.data = t, t.Head()
	f.tellReading(f.data)
	return nil
}

// temp is the folder for files that are made in the course of the work.
func (f *fitting) temp() string {
	switch {
	case f.o.Temp != "":
		return f.o.Temp
	case f.o.Journal != "":
		return filepath.Dir(f.o.Journal)
	}
	return os.TempDir()
}

// closeTable removes what was made of a text file.
func (f *fitting) closeTable() {
	if f.table != nil {
		f.table.Close()
	}
}
