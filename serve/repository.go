package serve

import (
	"context"
	"maps"
	"net/http"
	"slices"
)

// indexed is a line of the repository's index.
type indexed struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"`
	Reason  string `json:"reason,omitempty"`
}

// index lists what is served, and what could not be.
func (s *Server) index() []indexed {
	out := []indexed{}
	c := *s.models.Load()
	for _, name := range slices.Sorted(maps.Keys(c)) {
		h := c[name]
		for _, v := range h.names() {
			out = append(out, indexed{name, v, "READY", h.faults[v]})
		}
		for _, v := range slices.Sorted(maps.Keys(h.faults)) {
			if h.versions[v] == nil {
				out = append(out, indexed{name, v, "UNAVAILABLE", h.faults[v]})
			}
		}
	}
	return out
}

func (s *Server) repositoryIndex(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, http.StatusOK, s.index())
}

// mayLoad refuses changes of the repository unless they are allowed.
func (s *Server) mayLoad() error {
	if !s.options.AllowLoad {
		return refusedAs(http.StatusForbidden,
			"models are not loaded or unloaded by requests here; the server has to be started so that it allows it")
	}
	return nil
}

// loadModel reads the files of a name again, whether they have changed or not.
func (s *Server) loadModel(ctx context.Context, name string) error {
	if err := s.mayLoad(); err != nil {
		return err
	}
	s.look(ctx, name)
	h := (*s.models.Load())[name]
	switch {
	case h == nil:
		return refusedAs(http.StatusNotFound, "there is no model %q in the folders of this server", clip(name))
	case len(h.faults) > 0:
		return refused("model %q: %s", name, h.fault())
	}
	return nil
}

// unloadModel stops serving a name until a request loads it again.
func (s *Server) unloadModel(name string) error {
	if err := s.mayLoad(); err != nil {
		return err
	}
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	if !s.Remove(name) {
		return refusedAs(http.StatusNotFound, "there is no model %q", clip(name))
	}
	if w.held == nil {
		w.held = map[string]bool{}
	}
	w.held[name] = true
	return nil
}

func (s *Server) repositoryLoad(w http.ResponseWriter, r *http.Request) error {
	if err := s.loadModel(r.Context(), r.PathValue("name")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{}{})
}

func (s *Server) repositoryUnload(w http.ResponseWriter, r *http.Request) error {
	if err := s.unloadModel(r.PathValue("name")); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, struct{}{})
}
