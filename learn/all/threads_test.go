package all

func parThreads(n int) int { return int(n) }
