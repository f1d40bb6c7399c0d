package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
)

// TestFilesAnywhere: a folder of this machine and one of a file system of Beam's are used alike.
func TestFilesAnywhere(t *testing.T) {
	ctx := context.Background()
	for _, folder := range []string{t.TempDir(), "memfs://anywhere/job"} {
		t.Run(strings.Split(folder, ":")[0], func(t *testing.T) {
			if err := MakeFolder(folder); err != nil {
				t.Fatal(err)
			}
			file := Join(folder, "part-0.csv")
			if there, err := Exists(ctx, file); there || err != nil {
				t.Fatalf("there before it was written: %v", err)
			}
			if err := WriteBytes(ctx, file, []byte("x,y\n1,2\n3,4\n")); err != nil {
				t.Fatal(err)
			}
			if there, err := Exists(ctx, file); !there || err != nil {
				t.Fatalf("not there: %v", err)
			}
			if err := WriteBytes(ctx, file, []byte("x,y\n5,6\n")); err != nil { // a shard that is done twice
				t.Fatal(err)
			}
			if b, err := Read(ctx, file); err != nil || string(b) != "x,y\n5,6\n" {
				t.Fatalf("%q, %v", b, err)
			}
			if Base(file) != "part-0.csv" {
				t.Error(Base(file))
			}
			for i := range 3 {
				if err := WriteBytes(ctx, Join(folder, fmt.Sprintf("done-%d", i)), nil); err != nil {
					t.Fatal(err)
				}
			}
			if names, err := Names(ctx, folder, "done-"); err != nil || len(names) != 3 || Base(names[0]) != "done-0" {
				t.Errorf("%v, %v", names, err)
			}
			if found, err := Glob(ctx, []string{Join(folder, "done-*"), file, file}); err != nil || len(found) != 4 {
				t.Errorf("%v, %v", found, err)
			}
			var fault *data.Error
			if _, err := Glob(ctx, []string{Join(folder, "none-*")}); !errors.As(err, &fault) ||
				!errors.Is(err, fs.ErrNotExist) {
				t.Errorf("a pattern that matches nothing: %v", err)
			}
			s, err := Stream(ctx, file, load.Options{NoTarget: true}, load.Open)
			if err != nil {
				t.Fatal(err)
			}
			d, err := s.Next()
			if err != nil || d.Len() != 1 || d.Columns[1].Numbers[0] != 6 {
				t.Errorf("%v, %v", d, err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if _, err := Stream(ctx, Join(folder, "gone.csv"), load.Options{NoTarget: true}, load.Open); !errors.As(err,
				&fault) || !strings.Contains(err.Error(), "gone.csv") {
				t.Errorf("a file that is not there: %v", err)
			}
			if err := RemoveFolder(ctx, folder); err != nil {
				t.Fatal(err)
			}
			if there, _ := Exists(ctx, file); there {
				t.Error("the folder was not removed")
			}
		})
	}
}

// TestNothingHalfWritten: a writer that fails leaves neither the file nor what it had written, and
// what was there before stays.
func TestNothingHalfWritten(t *testing.T) {
	ctx := context.Background()
	for _, folder := range []string{t.TempDir(), "memfs://half"} {
		file := Join(folder, "out.csv")
		fails := func(w io.Writer) error {
			_, _ = w.Write([]byte("half"))
			return errors.New("no more")
		}
		if err := Write(ctx, file, fails); err == nil {
			t.Fatal("no error")
		}
		if names, _ := Names(ctx, folder, ""); len(names) != 0 {
			t.Errorf("left: %v", names)
		}
		if err := WriteBytes(ctx, file, []byte("whole")); err != nil {
			t.Fatal(err)
		}
		if err := Write(ctx, file, fails); err == nil {
			t.Fatal("no error")
		}
		b, _ := Read(ctx, file)
		if names, _ := Names(ctx, folder, ""); len(names) != 1 || string(b) != "whole" {
			t.Errorf("%v with %q", names, b)
		}
	}
}

// TestPaths: of this machine and of others.
func TestPaths(t *testing.T) {
	if Local("gs://b/x") || !Local("/a/b") || !Local(`C:\a`) {
		t.Error("which paths are of this machine")
	}
	if got := Join("s3://b/x/", "y"); got != "s3://b/x/y" {
		t.Error(got)
	}
	if got := Join("/a", "b"); got != filepath.Join("/a", "b") {
		t.Error(got)
	}
	if _, err := Glob(context.Background(), []string{"nothing://b/x"}); err == nil {
		t.Error("a file system that nobody knows")
	}
	if _, err := filesystem.New(context.Background(), "memfs://x"); err != nil {
		t.Error(err)
	}
}
