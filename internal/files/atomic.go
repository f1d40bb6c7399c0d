package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// WriteAtomic gives file the bytes that write produces, all or nothing: a
// reader sees the old file or the new one, and a failure or a power cut leaves
// the old one. What is no regular file (a device such as /dev/null, a pipe) is
// written to as it is, and a link leads to the file that is replaced or made.
// What a crash left of an earlier writing is removed.
func WriteAtomic(file string, write func(io.Writer) error) error {
	return WriteUntil(context.Background(), file, write)
}

// WriteUntil is WriteAtomic up to the end of a context: from then on
// nothing is left of a file that is not complete, even where write does not
// return before the program ends.
func WriteUntil(ctx context.Context, file string, write func(io.Writer) error) error {
	return writeFile(ctx, file, write, true)
}

// WriteSoon is WriteUntil without waiting for the disk, which takes longer than small files
// take to make: after a power cut the file may be the old one, the new one, or empty. For what is
// quickly made again.
func WriteSoon(ctx context.Context, file string, write func(io.Writer) error) error {
	return writeFile(ctx, file, write, false)
}

func writeFile(ctx context.Context, file string, write func(io.Writer) error, wait bool) error {
	target, special, err := destination(file)
	switch {
	case err != nil:
		return err
	case special:
		return writeThrough(target, write)
	}
	f, err := create(file, target)
	if err != nil {
		return err
	}
	return writeError(file, f.Name(), replace(ctx, f, target, write, wait))
}

// CheckWritable says whether WriteAtomic could write a file, for a program
// that has long work to do before it does.
func CheckWritable(file string) error {
	target, special, err := destination(file)
	if err != nil || special {
		return err
	}
	f, err := create(file, target)
	if err != nil {
		return err
	}
	f.Close()
	return os.Remove(f.Name())
}

// create makes the unfinished form of a file's target. Where the folder is missing, it is the
// target's: a link may lead into another.
func create(file, target string) (*os.File, error) {
	f, err := New(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &WriteError{target, reason(err)}
	case err != nil:
		return nil, &WriteError{file, reason(err)}
	}
	return f, nil
}

// reason is what went wrong without the operation and the name.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// destination follows links to the place that is written, and says whether
// that is something else than a regular file.
func destination(file string) (target string, special bool, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist): // or at the end of a link
		if target, err = Follow(file); err != nil {
			err = &WriteError{file, reason(err)}
		}
		return target, false, err
	case err != nil:
		return "", false, &WriteError{file, reason(err)}
	case info.IsDir():
		return "", false, &WriteError{file, errFolder}
	case !info.Mode().IsRegular():
		return file, true, nil
	}
	if target, err = filepath.EvalSymlinks(file); err != nil {
		return "", false, err
	}
	// A file that is protected could still be replaced by another; it is not.
	f, err := os.OpenFile(target, os.O_WRONLY, 0)
	if errors.Is(err, fs.ErrPermission) {
		return "", false, &WriteError{file, reason(err)}
	}
	if err == nil {
		f.Close()
	}
	return target, false, nil
}

// writeThrough writes to a device or a pipe, which cannot be replaced.
func writeThrough(file string, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return &WriteError{file, reason(err)}
	}
	w := bufio.NewWriterSize(f, 1<<16)
	if err = write(w); err == nil {
		err = w.Flush()
	}
	if closing := f.Close(); err == nil {
		err = closing
	}
	return writeError(file, file, err)
}

// replace puts what write produces into f and f in the place of a file, once it is on the disk
// where wait says so.
func replace(ctx context.Context, f *os.File, file string, write func(io.Writer) error, wait bool) (err error) {
	stop := context.AfterFunc(ctx, func() { os.Remove(f.Name()) })
	defer func() {
		stop()
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err = write(w); err != nil {
		return err
	}
	if err = w.Flush(); err != nil {
		return err
	}
	if wait {
		if err = f.Sync(); err != nil {
			return err
		}
	}
	if info, stat := os.Stat(file); stat == nil {
		if err = f.Chmod(info.Mode().Perm()); err != nil {
			return err
		}
	}
	if !stop() {
		return ctx.Err()
	}
	return Become(f, file)
}

// WriteError says which file cannot be written, and why.
type WriteError struct {
	File string
	Err  error
}

func (e *WriteError) Error() string {
	folder := filepath.Dir(e.File)
	remedy := ""
	switch {
	case errors.Is(e.Err, fs.ErrNotExist):
		return fmt.Sprintf("%s cannot be written: there is no folder %s; make it first", e.File, folder)
	case errors.Is(e.Err, fs.ErrPermission):
		remedy = "; choose another place, or get the right to write to it and to its folder"
	case errors.Is(e.Err, syscall.EROFS):
		remedy = "; choose another place"
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		remedy = "; make room, or choose another disk"
	}
	return fmt.Sprintf("%s cannot be written: %v%s", e.File, e.Err, remedy)
}

// Unwrap gives the reason.
func (e *WriteError) Unwrap() error { return e.Err }

// Misplaced says that another name would do: the folder is not there, or not
// open to us.
func (e *WriteError) Misplaced() bool {
	return errors.Is(e.Err, errFolder) || errors.Is(e.Err, fs.ErrNotExist) || errors.Is(e.Err, fs.ErrPermission) ||
		errors.Is(e.Err, syscall.EROFS)
}

var errFolder = errors.New("it is a folder; name a file in it")

// writeError names the file that was meant where the one beside it is at
// fault. Other errors are those of whoever made the bytes.
func writeError(file, at string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) && path.Path == at {
		return &WriteError{file, path.Err}
	}
	var rename *os.LinkError
	if errors.As(err, &rename) && rename.Old == at {
		return &WriteError{file, rename.Err}
	}
	return err
}
