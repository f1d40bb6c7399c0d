package progress

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// Bounds on a width, so that a nonsensical one neither cuts all text away nor
// draws lines nobody can follow.
const (
	leastWidth = 30
	mostWidth  = 400
	usualWidth = 80
)

// IsTerminal says whether a stream is a terminal that can move its cursor.
func IsTerminal(w io.Writer) bool {
	f, ok := file(w)
	return ok && os.Getenv("TERM") != "dumb" && term.IsTerminal(int(f.Fd()))
}

// Width is how many columns text on a stream may take: what COLUMNS says, for those who
// know better, what the terminal says, else 80.
func Width(w io.Writer) int {
	if n, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && n > 0 {
		return min(max(n, leastWidth), mostWidth)
	}
	if f, ok := file(w); ok {
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
			return min(max(n, leastWidth), mostWidth)
		}
	}
	return usualWidth
}

// file is the file behind a stream.
func file(w io.Writer) (*os.File, bool) {
	for {
		u, ok := w.(interface{ Unwrap() io.Writer })
		if !ok {
			f, ok := w.(*os.File)
			return f, ok
		}
		w = u.Unwrap()
	}
}
