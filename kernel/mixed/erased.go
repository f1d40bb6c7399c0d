package mixed

import (
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
)

// Erase forgets that a kernel is one on rows (kernel.Erase), compiled here once.
//
//go:noinline
func Erase(k kernel.Kernel[Row]) kernel.Kernel[any] { return kernel.Erase(k) }

// EraseRows forgets that points are rows (data.Erase).
//
//go:noinline
func EraseRows(x data.Points[Row]) data.Points[any] { return data.Erase(x) }

// RowsOf is erased points as rows, and whether they are.
//
//go:noinline
func RowsOf(x data.Points[any]) (data.Points[Row], bool) { return data.Typed[Row](x) }
