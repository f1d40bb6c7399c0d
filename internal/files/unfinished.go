package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// New is an unfinished file beside the one that it is to become, with the permissions that files
// get here (os.CreateTemp's are for its owner alone). Its name ends in the number of the process,
// whose lock it has: so the next process that writes the same file can tell what a crash left
// behind, and New removes it.
func New(file string) (*os.File, error) {
	removeLeft(file)
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(file), fmt.Sprintf(".%s.%d-%d", filepath.Base(file), os.Getpid(), n))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			if errors.Is(err, fs.ErrExist) && n < 1000 {
				continue
			}
			return nil, err
		}
		if errors.Is(Lock(f), ErrLocked) || !Still(f) {
			f.Close() // somebody took it for left behind, between its making and its lock
			continue
		}
		return f, nil
	}
}

// Still says whether the name of an open file leads to it, and not to another that has taken its
// place.
func Still(f *os.File) bool {
	here, err := f.Stat()
	there, err2 := os.Stat(f.Name())
	return err == nil && err2 == nil && os.SameFile(here, there)
}

// Become closes an unfinished file and puts it in the place of a file. Where the system allows it
// the lock is held to the end.
func Become(f *os.File, file string) error {
	if openRename {
		err := os.Rename(f.Name(), file)
		if closing := f.Close(); err == nil {
			err = closing
		}
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), file)
}

// removeLeft removes the unfinished forms of a file whose process is gone. What cannot be removed,
// or told, stays.
func removeLeft(file string) {
	folder, err := os.Open(filepath.Dir(file))
	if err != nil {
		return
	}
	defer folder.Close()
	for {
		names, err := folder.Readdirnames(1024)
		for _, name := range names {
			if pid, ok := unfinishedBy(name, filepath.Base(file)); ok && gone(pid) {
				removeUnlocked(filepath.Join(filepath.Dir(file), name))
			}
		}
		if err != nil || len(names) == 0 {
			return
		}
	}
}

// unfinishedBy reads the process out of a name that New gave.
func unfinishedBy(name, base string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, "."+base+".")
	process, count, both := strings.Cut(rest, "-")
	if !ok || !both {
		return 0, false
	}
	pid, err := strconv.Atoi(process)
	n, err2 := strconv.Atoi(count)
	const mostPID = 1 << 22 // Linux's; dates in names are larger
	if err != nil || err2 != nil || pid < 1 || pid > mostPID || fmt.Sprintf("%d-%d", pid, n) != rest {
		return 0, false
	}
	return pid, true
}

// gone says whether a process has ended. One with our own number may be an earlier one (in a
// container all have the same); there the lock decides.
func gone(pid int) bool {
	if pid == os.Getpid() {
		return openRename
	}
	return !running(pid)
}

// removeUnlocked removes a file that nobody has locked.
func removeUnlocked(name string) {
	if info, err := os.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if Lock(f) != nil || !Still(f) {
		return
	}
	if os.Remove(name) != nil {
		f.Close() // some systems remove no open file
		os.Remove(name)
	}
}
