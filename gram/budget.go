package gram

import "github.com/mercer-ml/mercer/internal/engine/par"

// DefaultBytes is the budget that Bytes = 0 stands for, here and wherever a fit, a search or a test
// has such a field: a quarter of the memory this process may use.
func DefaultBytes() int64 { return par.DefaultBytes() }
