package cli

import (
	"errors"
	"io"
	"io/fs"

	"github.com/mercer-ml/mercer/internal/files"
)

// told is a stream that remembers the first failure to write to it, so that no
// verb ends well when what it said was lost.
type told struct {
	io.Writer
	err error
}

func (t *told) Write(p []byte) (int, error) {
	n, err := t.Writer.Write(p)
	if err != nil && t.err == nil {
		t.err = &files.WriteError{File: "standard output", Err: reasonOf(err)}
	}
	return n, err
}

func reasonOf(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// Unwrap gives the stream itself, for those who ask what it is.
func (t *told) Unwrap() io.Writer { return t.Writer }
