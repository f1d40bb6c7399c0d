//go:build !linux && !windows

package promtext

import "time"

// begun is when the program began, as near as a package can tell.
var begun = time.Now()
