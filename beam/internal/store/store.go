// Package store reads and writes the files of a job: on this machine's file systems as mercer does,
// elsewhere (gs://, s3://) by those of Beam.
package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
)

// Local says whether a path is of a file system of this machine.
func Local(path string) bool { return !strings.Contains(path, "://") }

// Join is a name in a folder.
func Join(folder, name string) string {
	if Local(folder) {
		return filepath.Join(folder, name)
	}
	return strings.TrimSuffix(folder, "/") + "/" + name
}

// Base is the last part of a path.
func Base(file string) string {
	if Local(file) {
		return filepath.Base(file)
	}
	return path.Base(file)
}

// Glob lists the files that patterns match, in order and each once. A pattern that matches none is
// an error.
func Glob(ctx context.Context, patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		found, err := list(ctx, p)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, &data.Error{File: p, Kind: fs.ErrNotExist, Reason: "no file matches",
				Advice: "a pattern names files, not folders, as in 'rows/part-*.csv'"}
		}
		out = append(out, found...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

func list(ctx context.Context, pattern string) ([]string, error) {
	if !Local(pattern) {
		fsys, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		defer fsys.Close()
		return fsys.List(ctx, pattern)
	}
	absolute, err := filepath.Abs(pattern) // workers have folders of their own
	if err != nil {
		return nil, err
	}
	found, err := filepath.Glob(absolute)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(found) == 0 {
		if _, err := os.Stat(absolute); err == nil { // a name with brackets in it
			found = []string{absolute}
		}
	}
	return slices.DeleteFunc(found, func(name string) bool {
		info, err := os.Stat(name)
		return err == nil && info.IsDir()
	}), nil
}

// Read is all bytes of a file.
func Read(ctx context.Context, file string) ([]byte, error) {
	if Local(file) {
		return os.ReadFile(file)
	}
	fsys, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	defer fsys.Close()
	return filesystem.Read(ctx, fsys, file)
}

// Write makes a file, whole or not at all: it is written under another name first. Two writers of
// the same bytes do not hinder each other.
func Write(ctx context.Context, file string, write func(io.Writer) error) error {
	if Local(file) {
		return files.WriteUntil(ctx, file, write)
	}
	fsys, err := filesystem.New(ctx, file)
	if err != nil {
		return err
	}
	defer fsys.Close()
	unfinished := fmt.Sprintf("%s.unfinished-%d-%x", file, os.Getpid(), unique())
	w, err := fsys.OpenWrite(ctx, unfinished)
	if err != nil {
		return err
	}
	err = write(w)
	if err = errors.Join(err, w.Close()); err == nil {
		err = filesystem.Rename(ctx, fsys, unfinished, file)
	}
	if err != nil {
		remove(ctx, fsys, unfinished)
	}
	return err
}

// WriteBytes is Write of bytes at hand.
func WriteBytes(ctx context.Context, file string, b []byte) error {
	return Write(ctx, file, func(w io.Writer) error {
		_, err := w.Write(b)
		return err
	})
}

// Exists says whether a file is there.
func Exists(ctx context.Context, file string) (bool, error) {
	if Local(file) {
		_, err := os.Lstat(file)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		return err == nil, err
	}
	found, err := list(ctx, file)
	return len(found) > 0, err
}

// MakeFolder makes one, where the file system has folders.
func MakeFolder(folder string) error {
	if Local(folder) {
		return os.MkdirAll(folder, 0o777)
	}
	return nil
}

// Names lists the files of a folder that begin in some way.
func Names(ctx context.Context, folder, prefix string) ([]string, error) {
	if !Local(folder) {
		return list(ctx, Join(folder, prefix+"*"))
	}
	entries, err := os.ReadDir(folder)
	var out []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			out = append(out, filepath.Join(folder, e.Name()))
		}
	}
	return out, err
}

// RemoveFolder removes a folder that was made for a job, with all that is in it.
func RemoveFolder(ctx context.Context, folder string) error {
	if Local(folder) {
		return os.RemoveAll(folder)
	}
	names, err := Names(ctx, folder, "")
	if err != nil {
		return err
	}
	fsys, err := filesystem.New(ctx, folder)
	if err != nil {
		return err
	}
	defer fsys.Close()
	for _, name := range names {
		err = errors.Join(err, remove(ctx, fsys, name))
	}
	return err
}

func remove(ctx context.Context, fsys filesystem.Interface, file string) error {
	if r, ok := fsys.(filesystem.Remover); ok {
		return r.Remove(ctx, file)
	}
	return nil
}

// Opener opens a file by its path, or the bytes of "-".
type Opener func(ctx context.Context, path string, o load.Options) (data.Stream, error)

// Stream gives the rows of a file a chunk at a time, by load.Open or by a layout.
func Stream(ctx context.Context, file string, o load.Options, open Opener) (data.Stream, error) {
	if Local(file) {
		return open(ctx, file, o)
	}
	fsys, err := filesystem.New(ctx, file)
	if err != nil {
		return nil, err
	}
	r, err := fsys.OpenRead(ctx, file)
	if err != nil {
		fsys.Close()
		return nil, &data.Error{File: file, Kind: fs.ErrNotExist, Reason: "it cannot be opened", Err: err}
	}
	o.Stdin, o.StdinName = r, file
	s, err := open(ctx, "-", o)
	if err != nil {
		r.Close()
		fsys.Close()
		return nil, err
	}
	return &closing{s, []io.Closer{r, fsys}}, nil
}

type closing struct {
	data.Stream
	under []io.Closer
}

func (c *closing) Close() error {
	err := c.Stream.Close()
	for _, u := range c.under {
		err = errors.Join(err, u.Close())
	}
	return err
}
