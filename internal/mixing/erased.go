package mixing

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/kernel/mixed"
)

// Erase forgets that a kernel is one on rows (kernel.Erase), compiled here once.
//
//go:noinline
func Erase(k kernel.Kernel[mixed.Row]) kernel.Kernel[any] { return kernel.Erase(k) }

// EraseRows forgets that points are rows (data.Erase).
//
//go:noinline
func EraseRows(x data.Points[mixed.Row]) data.Points[any] { return data.Erase(x) }

// RowsOf is erased points as rows, and whether they are.
//
//go:noinline
func RowsOf(x data.Points[any]) (data.Points[mixed.Row], bool) { return data.Typed[mixed.Row](x) }
