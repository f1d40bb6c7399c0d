package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Same says whether two names mean one file, through links and hard links, be the file there or not
// yet. Devices and pipes are never the same: what is written to one does not destroy what is read
// from it.
func Same(a, b string) bool {
	one, err := os.Stat(a)
	other, err2 := os.Stat(b)
	switch {
	case err == nil && err2 == nil:
		return one.Mode().IsRegular() && os.SameFile(one, other)
	case err == nil || err2 == nil:
		return false
	}
	return location(a) == location(b)
}

// location is where a file would be made that is not there, in one spelling.
func location(name string) string {
	if to, err := Follow(name); err == nil {
		name = to
	}
	folder, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		folder = filepath.Dir(name)
	}
	if whole, err := filepath.Abs(folder); err == nil {
		folder = whole
	}
	name = filepath.Join(folder, filepath.Base(name))
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.ToLower(name) // as their file systems compare
	}
	return name
}

// mostLinks is how many links may follow one another.
const mostLinks = 64

// Follow is the place that a name leads to through links, also where there is no file at their end.
func Follow(name string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return name, nil
		case err != nil:
			return "", err
		case info.Mode()&fs.ModeSymlink == 0:
			return name, nil
		}
		to, err := os.Readlink(name)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			// Not filepath.Join: it would take ".." back before a link in front of it is followed.
			to = filepath.Dir(name) + string(filepath.Separator) + to
		}
		name = to
	}
	return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("links lead in a circle")}
}
