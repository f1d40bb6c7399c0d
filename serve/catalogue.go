package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
)

// catalogue is the models by name. Requests read one that never changes; a change makes another.
type catalogue map[string]*shelf

// shelf is what is known of one name: the versions that answer, and what is wrong with files that
// do not.
type shelf struct {
	versions map[string]*served
	latest   string
	faults   map[string]string // by version: why the file that is there now is not served
}

// checkName refuses names that a path, a header or a metric could not carry as they are.
func checkName(what, name string) error {
	for _, c := range name {
		if c < '0' || c > '9' && c < 'A' || c > 'Z' && c < 'a' || c > 'z' {
			if !strings.ContainsRune("._-", c) {
				return fmt.Errorf("serve: %s %q: letters, digits, '.', '_' and '-' make a name", what, clip(name))
			}
		}
	}
	if name == "" || name[0] == '.' || len(name) > 200 {
		return fmt.Errorf("serve: %s %q: a name has 1 to 200 characters and does not begin with a point", what, clip(name))
	}
	return nil
}

// Add serves a model under a name, as version "1", in place of what had that name and version
// before: requests under way are answered by the model that they began with.
func (s *Server) Add(name string, m *model.Model) error { return s.AddVersion(name, "1", m) }

// AddVersion is Add of one version of several. Requests that name none get the latest: the largest
// number, or the last of other names in their order.
func (s *Server) AddVersion(name, version string, m *model.Model) error {
	if err := checkName("model", name); err != nil {
		return err
	}
	if err := checkName("version", version); err != nil {
		return err
	}
	v, err := s.serve(name, version, m, 0)
	if err != nil {
		return fmt.Errorf("serve: model %q: %w", name, err)
	}
	s.change(func(c catalogue) { c.put(v) })
	return nil
}

// Remove stops serving all versions of a model. It says whether there was one.
func (s *Server) Remove(name string) bool {
	found := false
	s.change(func(c catalogue) {
		_, found = c[name]
		delete(c, name)
	})
	return found
}

// Names lists the models that are served, in order.
func (s *Server) Names() []string {
	var names []string
	for name, h := range *s.models.Load() {
		if len(h.versions) > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// change puts a changed copy of the catalogue in the place of the present one.
func (s *Server) change(edit func(c catalogue)) {
	s.changing.Lock()
	defer s.changing.Unlock()
	c := maps.Clone(*s.models.Load())
	edit(c)
	s.models.Store(&c)
	s.metrics.count(c)
}

// own is a copy of a name's shelf that may be changed, in a catalogue that may.
func (c catalogue) own(name string) *shelf {
	h := &shelf{versions: map[string]*served{}, faults: map[string]string{}}
	if old := c[name]; old != nil {
		h.versions, h.faults = maps.Clone(old.versions), maps.Clone(old.faults)
	}
	c[name] = h
	return h
}

// settle finds the latest version, and drops a shelf with nothing on it.
func (c catalogue) settle(name string) {
	h := c[name]
	if len(h.versions) == 0 && len(h.faults) == 0 {
		delete(c, name)
		return
	}
	h.latest = ""
	for v := range h.versions {
		if h.latest == "" || olderVersion(h.latest, v) {
			h.latest = v
		}
	}
}

func (c catalogue) put(v *served) {
	h := c.own(v.name)
	h.versions[v.version] = v
	delete(h.faults, v.version)
	c.settle(v.name)
}

// remove takes a version away.
func (c catalogue) remove(name, version string) {
	h := c.own(name)
	delete(h.versions, version)
	delete(h.faults, version)
	c.settle(name)
}

// blame keeps what is wrong with the file of a version; an older one that answers goes on doing so.
func (c catalogue) blame(name, version, why string) {
	c.own(name).faults[version] = why
	c.settle(name)
}

// olderVersion compares versions: numbers by size and before other names.
func olderVersion(a, b string) bool {
	x, xerr := strconv.ParseUint(a, 10, 63)
	y, yerr := strconv.ParseUint(b, 10, 63)
	switch {
	case xerr == nil && yerr == nil && x != y:
		return x < y
	case (xerr == nil) != (yerr == nil):
		return xerr == nil
	}
	return a < b
}

// find is the version that a request means.
func (s *Server) find(name, version string) (*served, error) {
	c := *s.models.Load()
	h := c[name]
	if h == nil {
		hint := ""
		if n, ok := phrase.Nearest(name, s.Names()); ok {
			hint = fmt.Sprintf("; is %q meant?", n)
		}
		return nil, refusedAs(http.StatusNotFound, "there is no model %q%s", clip(name), hint)
	}
	if version == "" {
		version = h.latest
	}
	if v := h.versions[version]; v != nil {
		return v, nil
	}
	if why, ok := h.faults[version]; ok && version != "" {
		return nil, busy(http.StatusServiceUnavailable, "version %q of model %q is not ready: %s", clip(version), name, why)
	}
	if len(h.versions) == 0 {
		return nil, busy(http.StatusServiceUnavailable, "model %q is not ready: %s", name, h.fault())
	}
	return nil, refusedAs(http.StatusNotFound, "model %q has no version %q (it has: %s)", name, clip(version),
		strings.Join(h.names(), ", "))
}

// names lists the versions, the oldest first.
func (h *shelf) names() []string {
	names := slices.Collect(maps.Keys(h.versions))
	slices.SortFunc(names, func(a, b string) int {
		if olderVersion(a, b) {
			return -1
		}
		return 1
	})
	return names
}

// fault says what is wrong, in one line.
func (h *shelf) fault() string {
	var all []string
	for _, v := range slices.Sorted(maps.Keys(h.faults)) {
		all = append(all, fmt.Sprintf("version %s: %s", v, h.faults[v]))
	}
	return strings.Join(all, "; ")
}
