//go:build !(linux || darwin || freebsd || netbsd)

package progress

import "os"

// terminalColumns is not known here.
func terminalColumns(*os.File) int { return 0 }
