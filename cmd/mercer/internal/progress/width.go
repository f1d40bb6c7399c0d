package progress

import (
	"io"
	"os"
	"strconv"
)

// Bounds on a width, so that a nonsensical one neither cuts all text away nor
// draws lines nobody can follow.
const (
	leastWidth = 30
	mostWidth  = 400
	usualWidth = 80
)

// Width is how many columns text on a stream may take: what COLUMNS says, for those who
// know better, what the terminal says, else 80.
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return min(max(n, leastWidth), mostWidth)
	}
	if u, ok := w.(interface{ Unwrap() io.Writer }); ok {
		w = u.Unwrap()
	}
	if f, ok := w.(*os.File); ok {
		if n := terminalColumns(f); n > 0 {
			return min(max(n, leastWidth), mostWidth)
		}
	}
	return usualWidth
}
