package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
)

// extensions are those of Triton's that are spoken.
func (s *Server) extensions() []string {
	out := []string{"binary_tensor_data", "parameters"}
	if s.options.AllowLoad {
		out = append(out, "model_repository", "model_repository(unload_dependents)")
	}
	return out
}

func (s *Server) live(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]any{"live": true})
}

// ready says whether requests are welcome: every model that is there can answer, and nobody is
// shutting down.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) error {
	status := http.StatusOK
	if !s.isReady() {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(w, status, map[string]any{"ready": status == http.StatusOK})
}

func (s *Server) isReady() bool {
	if s.draining.Load() || !s.looked.Load() {
		return false
	}
	for _, h := range *s.models.Load() {
		if len(h.versions) == 0 {
			return false
		}
	}
	return true
}

func (s *Server) metadata(w http.ResponseWriter, r *http.Request) error {
	return writeJSON(w, http.StatusOK, map[string]any{"name": "mercer", "version": s.options.Version,
		"extensions": s.extensions()})
}

// modelReady says whether a model answers, and what is wrong with its file where that is another
// one by now.
func (s *Server) modelReady(w http.ResponseWriter, r *http.Request) error {
	name, version := r.PathValue("name"), r.PathValue("version")
	h := (*s.models.Load())[name]
	_, err := s.find(name, version)
	if h == nil || err != nil && refusalOf(err).status == http.StatusNotFound {
		return err
	}
	answer := map[string]any{"name": name, "ready": err == nil}
	if why := h.fault(); why != "" {
		answer["error"] = why
	}
	status := http.StatusOK
	if err != nil {
		status = http.StatusServiceUnavailable
	}
	return writeJSON(w, status, answer)
}

// platform is the learner, in the protocol's form.
func (v *served) platform() string {
	return "mercer_" + strings.ReplaceAll(v.model.Learner(), "-", "_")
}

func (s *Server) modelMetadata(w http.ResponseWriter, r *http.Request) error {
	v, err := s.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	type described struct {
		Name     string  `json:"name"`
		Datatype string  `json:"datatype"`
		Shape    []int64 `json:"shape"`
	}
	describe := func(all []tensor) []described {
		out := make([]described, len(all))
		for i, t := range all {
			out[i] = described{t.name, t.kind, t.shape}
		}
		return out
	}
	return writeJSON(w, http.StatusOK, struct {
		Name       string            `json:"name"`
		Versions   []string          `json:"versions"`
		Platform   string            `json:"platform"`
		Inputs     []described       `json:"inputs"`
		Outputs    []described       `json:"outputs"`
		Properties map[string]string `json:"properties"`
	}{v.name, s.versions(v.name), v.platform(), describe(v.schema.inputs), describe(v.schema.outputs), v.properties()})
}

func (s *Server) versions(name string) []string {
	if h := (*s.models.Load())[name]; h != nil {
		return h.names()
	}
	return nil
}

// properties are what a program may want to know of a model beside its tensors.
func (v *served) properties() map[string]string {
	columns, _ := json.Marshal(v.schema.names())
	out := map[string]string{"task": v.model.Task().String(), "learner": v.model.Learner(), "kernel": v.model.Kernel(),
		"columns": string(columns)}
	if c := v.model.Classes(); len(c) > 0 {
		classes, _ := json.Marshal(c)
		out["classes"] = string(classes)
	}
	if t := v.model.Info().Threshold; t != nil {
		threshold, _ := json.Marshal(t)
		out["threshold"] = string(threshold)
	}
	if t := v.model.Target(); t != "" {
		out["target"] = t
	}
	if ask := v.schema.onAsk; len(ask) > 0 {
		names, _ := json.Marshal(namesOf(ask))
		out["outputs_where_named"] = string(names)
	}
	if t := v.model.Targets(); len(t) > 1 {
		targets, _ := json.Marshal(t)
		out["targets"] = string(targets)
	}
	return out
}

func writeJSON(w http.ResponseWriter, status int, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(b, '\n'))
	return nil
}

// buffers are bodies and answers that come again.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer is the largest that is kept for the next request.
const keepBuffer = 1 << 20

func giveBuffer(b *[]byte) {
	if cap(*b) <= keepBuffer {
		*b = (*b)[:0]
		buffers.Put(b)
	}
}

// inferREST answers tensors with tensors.
func (s *Server) inferREST(w http.ResponseWriter, r *http.Request) error {
	v, err := s.find(r.PathValue("name"), r.PathValue("version"))
	if err != nil {
		return err
	}
	buffer := buffers.Get().(*[]byte)
	defer giveBuffer(buffer)
	give, err := s.readBody(w, r, buffer)
	if err != nil {
		return err
	}
	defer give()
	body := *buffer
	head, err := headLength(r, len(body))
	if err != nil {
		return err
	}
	request, err := parseInference(body[:head], body[head:])
	if err != nil {
		return err
	}
	more, err := s.take(v.memoryFor(request))
	if err != nil {
		return err
	}
	defer more()
	outputs, rows, err := v.infer(r.Context(), request)
	if err != nil {
		return err
	}
	answer := buffers.Get().(*[]byte)
	defer giveBuffer(answer)
	*answer, head = appendInference((*answer)[:0], v.name, v.version, request, outputs)
	h := w.Header()
	if head > 0 {
		h.Set("Content-Type", "application/octet-stream")
		h.Set("Inference-Header-Content-Length", strconv.Itoa(head))
	} else {
		h.Set("Content-Type", "application/json")
	}
	h.Set("Content-Length", strconv.Itoa(len(*answer)))
	w.(*recorded).predicted(v.name, rows)
	_, _ = w.Write(*answer) // a client that has gone is no fault
	return nil
}

// headLength is how many bytes of the body are JSON.
func headLength(r *http.Request, body int) (int, error) {
	text := r.Header.Get("Inference-Header-Content-Length")
	if text == "" {
		return body, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || int(n) > body {
		return 0, refused("Inference-Header-Content-Length is %q, where the body has %d bytes", clip(text), body)
	}
	return int(n), nil
}

// memoryFor is about what the rows of a request take while they are computed: columns, features,
// and what is answered.
func (v *served) memoryFor(r *inference) int64 {
	rows := int64(1)
	cells := int64(0)
	for i := range r.inputs {
		if t := &r.inputs[i]; len(t.shape) > 0 {
			rows = max(rows, t.shape[0])
			cells += int64(max(len(t.numbers), 2*len(t.texts)))
		}
	}
	features := int64(v.model.Dim())
	if e := v.model.Info().Encoder; e != nil && e.Sparse || v.schema.sparse > 0 {
		features = 0 // sparse rows take what their entries do
	}
	answers := int64(len(v.model.Classes()) + v.model.Outputs() + 8)
	return 8 * (2*cells + rows*(features+4*answers))
}

// readBody takes a body into memory, decompressed, as far as it may go. What is taken is given back
// after the request.
func (s *Server) readBody(w http.ResponseWriter, r *http.Request, into *[]byte) (give func(), err error) {
	limit := s.options.MaxBody
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	src, err := decoded(r)
	if err != nil {
		return nil, err
	}
	return s.readAll(r, src, into)
}

// readAll is readBody of what is left of a body that was looked into.
func (s *Server) readAll(r *http.Request, src io.Reader, into *[]byte) (give func(), err error) {
	limit, taken := s.options.MaxBody, int64(0)
	defer func() {
		if err != nil && taken > 0 {
			s.memory.Add(-taken)
		}
	}()
	take := func(n int64) error {
		if _, err := s.take(n); err != nil {
			return err
		}
		taken += n
		return nil
	}
	b := (*into)[:0]
	// The length that a client says is believed as far as bytes come.
	want := min(max(r.ContentLength+1, 4<<10), 1<<20)
	for {
		if int64(cap(b)-len(b)) < 512 {
			size := max(want, 2*int64(cap(b)))
			if err := take(size - int64(cap(b))); err != nil {
				return nil, err
			}
			b = append(make([]byte, 0, size), b...)
		}
		n, err := src.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		*into = b
		switch {
		case int64(len(b)) > limit:
			return nil, &http.MaxBytesError{Limit: limit}
		case err == io.EOF:
			return func() { s.memory.Add(-taken) }, nil
		case err != nil:
			return nil, bodyFault(r, err)
		}
	}
}

// decoded is the body without its compression.
func decoded(r *http.Request) (*heard, error) {
	var (
		z   io.Reader = r.Body
		err error
	)
	encoding := strings.ToLower(r.Header.Get("Content-Encoding"))
	switch encoding {
	case "", "identity":
	case "gzip":
		z, err = gzip.NewReader(r.Body)
	case "deflate":
		z, err = zlib.NewReader(r.Body)
	default:
		return nil, refusedAs(http.StatusUnsupportedMediaType,
			"Content-Encoding %q is not taken; send gzip, deflate or the plain body", clip(encoding))
	}
	switch err {
	case nil:
		return &heard{r: z}, nil
	case gzip.ErrHeader, zlib.ErrHeader, zlib.ErrDictionary:
		return nil, refused("the body is said to be %s and is not: %v", encoding, err)
	}
	return nil, bodyFault(r, err)
}

// bodyFault is why a body ended early: the time was over, or the client stopped in the middle.
func bodyFault(r *http.Request, err error) error {
	// A connection whose deadline is over ends the context, too: the deadline is the reason.
	if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
		return refusedAs(http.StatusRequestTimeout, "the body did not come in the time for a request")
	}
	if r.Context().Err() != nil {
		return r.Context().Err()
	}
	return &refusal{http.StatusBadRequest, "the body ended early or could not be read: " + err.Error(), 0, err, 0}
}
