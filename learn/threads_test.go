package learn

func parThreads(n int) int { return int(n) }
