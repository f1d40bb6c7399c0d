// Package lazy makes things when they are asked for first, and not when the program starts: every
// command pays for the start, few use what it would have made.
package lazy

import (
	"regexp"
	"sync"
)

// Regexp is a regular expression that is compiled when it is asked for first. One with the classes
// of Unicode takes two milliseconds, half the time that a small program needs to start.
func Regexp(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}
