package learn

import "github.com/mercer-ml/mercer/internal/par"

func parThreads(n int) par.Threads { return par.Threads(n) }
