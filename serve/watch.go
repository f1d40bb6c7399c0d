package serve

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/internal/format/container"
	"github.com/mercer-ml/mercer/model"
)

// watcher is the files that a server looks at, and what was found there the last time.
type watcher struct {
	paths []string
	mu    sync.Mutex // one look at a time
	known map[place]seenFile
	held  map[string]bool // names that a request unloaded: they wait for a request that loads them
}

// place is a version of a model.
type place struct{ name, version string }

// seenFile is a file as it was when it was read. What replaces a file differs in one of these.
type seenFile struct {
	where string // the folder or file that was named
	file  string // within it; empty: it is the file
	info  fs.FileInfo
}

func (f seenFile) same(g seenFile) bool {
	return f.where == g.where && f.file == g.file && os.SameFile(f.info, g.info) && f.info.Size() == g.info.Size() &&
		f.info.ModTime().Equal(g.info.ModTime())
}

// Watch serves the models in files and folders, and looks at them again every interval (0: a
// second) until the context ends: new files are served, replaced ones take over between two
// requests, and removed ones are gone. A file that cannot be read leaves what is served as it is,
// and is told of in the log and where one asks whether the model is ready. Folders hold
// NAME.mercer, or NAME/VERSION/ with one model file in each; nothing outside of a folder is opened,
// not through links either. Watch returns when all have been read once.
//
// Files are looked at by name, size, time and identity rather than by the system's notices, which
// network file systems and the mounts of containers do not give.
func (s *Server) Watch(ctx context.Context, interval time.Duration, paths ...string) error {
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return fmt.Errorf("serve: %w", err)
		}
		if !info.IsDir() {
			if err := checkName("model", fileName(p)); err != nil {
				return err
			}
		}
	}
	s.watching.paths = paths
	s.Look(ctx)
	if interval <= 0 {
		interval = time.Second
	}
	go func() {
		tick := time.NewTicker(interval)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				s.Look(ctx)
			}
		}
	}()
	return nil
}

// Look looks at the watched files once, now.
func (s *Server) Look(ctx context.Context) { s.look(ctx, "") }

// look is Look where the files of one name are read again whether they have changed or not.
func (s *Server) look(ctx context.Context, again string) {
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.held, again)
	if w.known == nil {
		w.known = map[place]seenFile{}
	}
	found := map[place]seenFile{}
	for _, p := range w.paths {
		if err := list(p, found); err != nil {
			s.log.Error("a folder of models cannot be read; what is served stays", "folder", p, "error", err.Error())
			for at, f := range w.known { // it is not as if the files had been removed
				if f.where == p {
					found[at] = f
				}
			}
		}
	}
	var changed []place
	for at, f := range found {
		if old, ok := w.known[at]; (!ok || !old.same(f) || at.name == again) && !w.held[at.name] {
			changed = append(changed, at)
		}
	}
	slices.SortFunc(changed, func(a, b place) int { return strings.Compare(a.name+"/"+a.version, b.name+"/"+b.version) })
	s.load(ctx, changed, found)
	for at := range w.known {
		if _, ok := found[at]; !ok {
			s.change(func(c catalogue) { c.remove(at.name, at.version) })
			delete(w.known, at)
			s.log.Info("a model is gone", "model", at.name, "version", at.version)
		}
	}
	s.looked.Store(true)
}

// load reads files side by side and puts them into the catalogue as they are ready.
func (s *Server) load(ctx context.Context, places []place, found map[place]seenFile) {
	next := make(chan place)
	var workers sync.WaitGroup
	for range min(s.options.Threads, len(places)) {
		workers.Go(func() {
			for at := range next {
				s.loadOne(at, found[at])
			}
		})
	}
	for _, at := range places {
		if ctx.Err() != nil {
			break
		}
		s.watching.known[at] = found[at]
		next <- at
	}
	close(next)
	workers.Wait()
}

func (s *Server) loadOne(at place, f seenFile) {
	m, digest, err := f.read()
	var v *served
	if err == nil {
		v, err = s.serve(at.name, at.version, m, f.info.Size())
	}
	if err == nil {
		v.from, v.digest = f, digest
	}
	if err != nil {
		why := plainReason(err)
		s.change(func(c catalogue) { c.blame(at.name, at.version, why) })
		s.log.Error("a model file cannot be served; what was served before stays", "model", at.name, "version", at.version,
			"file", filepath.Join(f.where, f.file), "error", why)
		return
	}
	s.change(func(c catalogue) { c.put(v) })
	s.log.Info("a model is served", "model", at.name, "version", at.version, "file", filepath.Join(f.where, f.file),
		"bytes", f.info.Size())
}

// plainReason is what is wrong with a file without where it lies, which is not a client's business.
func plainReason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// modelEndings are those of model files in folders: ours, and LIBSVM's.
var modelEndings = []string{".mercer", ".model"}

// fileName is the name of the model in a file.
func fileName(path string) string {
	base := filepath.Base(path)
	for _, e := range modelEndings {
		base = strings.TrimSuffix(base, e)
	}
	return base
}

func isModelFile(name string) bool {
	return !strings.HasPrefix(name, ".") && slices.Contains(modelEndings, filepath.Ext(name)) &&
		checkName("model", fileName(name)) == nil
}

// list finds the models at a path.
func list(path string, found map[place]seenFile) error {
	info, err := os.Stat(path)
	switch {
	case err != nil && isAbsent(err):
		return nil // as after a removal; a folder that comes back is found again
	case err != nil:
		return err
	case !info.IsDir():
		found[place{fileName(path), "1"}] = seenFile{where: path, info: info}
		return nil
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		info, err := root.Stat(name)
		switch {
		case err != nil: // a link that leads out, or a file that has just gone
		case !info.IsDir() && isModelFile(name):
			found[place{fileName(name), "1"}] = seenFile{path, name, info}
		case info.IsDir() && checkName("model", name) == nil:
			listVersions(root, path, name, found)
		}
	}
	return nil
}

// listVersions finds NAME/VERSION/FILE. What is not so is passed over.
func listVersions(root *os.Root, path, name string, found map[place]seenFile) {
	versions, err := fs.ReadDir(root.FS(), name)
	if err != nil {
		return
	}
	for _, v := range versions {
		folder := name + "/" + v.Name()
		files, err := fs.ReadDir(root.FS(), folder)
		if err != nil || checkName("version", v.Name()) != nil {
			continue
		}
		for _, f := range files {
			if !isModelFile(f.Name()) {
				continue
			}
			if info, err := root.Stat(folder + "/" + f.Name()); err == nil && !info.IsDir() {
				found[place{name, v.Name()}] = seenFile{path, folder + "/" + f.Name(), info}
			}
		}
	}
}

// read reads the model, ours or LIBSVM's.
func (f seenFile) read() (m *model.Model, digest [sha256.Size]byte, err error) {
	defer survive(&err)
	b, err := f.bytes()
	if err != nil {
		return nil, digest, err
	}
	digest = sha256.Sum256(b)
	m, err = model.Decode(b)
	if errors.Is(err, container.ErrNone) && bytes.HasPrefix(b, []byte("svm_type ")) {
		m, err = model.ReadLIBSVM(bytes.NewReader(b))
		return m, digest, err
	}
	return m, digest, err
}

// size is that of the file as it is now.
func (f seenFile) size() (int64, error) {
	if f.file == "" {
		info, err := os.Stat(f.where)
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	root, err := os.OpenRoot(f.where)
	if err != nil {
		return 0, err
	}
	defer root.Close()
	info, err := root.Stat(f.file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f seenFile) bytes() ([]byte, error) {
	if f.file == "" {
		return os.ReadFile(f.where)
	}
	root, err := os.OpenRoot(f.where)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := root.Open(f.file)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	b := make([]byte, 0, info.Size()+1)
	out := bytes.NewBuffer(b)
	_, err = io.Copy(out, io.LimitReader(file, info.Size()+1)) // one that grows meanwhile is looked at again
	return out.Bytes(), err
}
