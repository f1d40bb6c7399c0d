package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// guarded is an endpoint behind what all have in common: who may ask, how many at a time, for how
// long; what is counted and logged.
type guarded struct {
	s      *Server
	kind   string
	method string // empty: any
	answer endpoint
}

// free says that an endpoint is answered whoever asks and however much there is to do: the probes
// of an orchestrator.
func (g *guarded) free() bool { return g.kind == "health" }

func (g *guarded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := g.s
	start := s.now()
	out := &recorded{ResponseWriter: w, status: http.StatusOK}
	id := r.Header.Get("X-Request-Id")
	if !goodID(id) {
		id = s.ids.next()
	}
	out.Header().Set("X-Request-Id", id)
	err := g.admit(out, r)
	half := err != nil && out.refuse(r, err)
	took := s.now().Sub(start)
	s.metrics.request(g.kind, out, r, took)
	g.tell(r, out, id, took, err)
	if half { // half an answer must not look like a whole one: the connection is cut
		panic(http.ErrAbortHandler)
	}
	out.settle(r)
}

// admit lets a request through the checks and has it answered.
func (g *guarded) admit(w *recorded, r *http.Request) (err error) {
	s := g.s
	if err := s.knownHost(r); err != nil {
		w.Header().Set("Connection", "close") // else the answer waits for the rest of the body
		return err
	}
	if done, err := s.cors(w, r); done || err != nil {
		return err
	}
	if g.method != "" && r.Method != g.method && !(g.method == http.MethodGet && r.Method == http.MethodHead) {
		w.Header().Set("Allow", g.method)
		return refusedAs(http.StatusMethodNotAllowed, "%s is not answered here; send %s", clip(r.Method), g.method)
	}
	if !g.free() {
		if err := s.authorised(w, r); err != nil {
			return err
		}
		defer s.inflight.Add(-1)
		if s.inflight.Add(1) > int64(s.options.MaxInflight) {
			return busy(http.StatusTooManyRequests, "%d requests are under way, which is the most; try again",
				s.options.MaxInflight)
		}
	}
	if s.options.Timeout > 0 && g.kind != "predict" { // which has it for each chunk
		ctx, cancel := context.WithTimeout(r.Context(), s.options.Timeout)
		defer cancel()
		r = r.WithContext(ctx)
		// Slow senders and slow readers end with it, too. A handler in a test, or another's writer,
		// may have no deadlines.
		limits := http.NewResponseController(w.ResponseWriter)
		_ = limits.SetReadDeadline(time.Now().Add(s.options.Timeout))
		_ = limits.SetWriteDeadline(time.Now().Add(s.options.Timeout + time.Second))
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return g.answer(w, r)
}

// tell logs a request: every one where that is asked for, and always those that failed for no fault
// of the client's.
func (g *guarded) tell(r *http.Request, w *recorded, id string, took time.Duration, err error) {
	s := g.s
	if !s.options.AccessLog && w.status < http.StatusInternalServerError {
		return
	}
	fields := []any{"id", id, "method", r.Method, "path", clip(r.URL.Path), "status", w.status, "bytes", w.bytes,
		"seconds", took.Seconds(), "remote", r.RemoteAddr}
	if w.model != "" {
		fields = append(fields, "model", w.model, "rows", w.rows)
	}
	if err != nil {
		cause := errors.Unwrap(err)
		if cause == nil {
			cause = err
		}
		fields = append(fields, "error", cause.Error())
	}
	if w.status >= http.StatusInternalServerError && w.status != http.StatusServiceUnavailable {
		s.log.Error("request", fields...)
		return
	}
	s.log.Info("request", fields...)
}

// recorded is a response that remembers what was answered.
type recorded struct {
	http.ResponseWriter
	status int
	begun  bool
	bytes  int64
	model  string
	rows   int
	duplex bool // the answer may begin, and end, before the body of the request has
}

// settle reads what is left of a body that was answered early. To leave that to net/http is to lose
// the connection: in full duplex it stops its wait for the next request before it reads the rest of
// a body, whose end begins another wait, and the next request on the connection panics, or has no
// answer. Close reads so much of it that the connection can go on, or marks it as one that ends.
func (w *recorded) settle(r *http.Request) {
	if !w.duplex {
		return
	}
	w.Flush()                  // a client may wait for it before it sends more
	if r.Body.Close() != nil { // what comes next is not the beginning of a request
		panic(http.ErrAbortHandler)
	}
}

func (w *recorded) WriteHeader(status int) {
	if !w.begun {
		w.begun, w.status = true, status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorded) Write(b []byte) (int, error) {
	w.begun = true
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *recorded) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Flush is for handlers that ask for it.
func (w *recorded) Flush() { _ = http.NewResponseController(w.ResponseWriter).Flush() }

// predicted notes which model answered how many rows.
func (w *recorded) predicted(name string, rows int) {
	w.model = name
	w.rows += rows
}

// refuse answers with an error. It is true where an answer has begun, to which nothing can be
// added.
func (w *recorded) refuse(r *http.Request, err error) (half bool) {
	said := refusalOf(err)
	if half = w.begun; !half {
		said.write(w, r)
	}
	w.status = said.status
	return half
}

// goodID says that the request id of a client can be given back and logged.
func goodID(id string) bool {
	if id == "" || len(id) > 128 {
		return false
	}
	for i := range len(id) {
		if id[i] <= ' ' || id[i] > '~' {
			return false
		}
	}
	return true
}

// requestIDs are numbers after a random start.
type requestIDs struct {
	start string
	count atomic.Uint64
}

func (r *requestIDs) next() string {
	n := r.count.Add(1)
	return r.start + "-" + strconv.FormatUint(n, 36)
}

func newRequestIDs() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // it does not fail
	return hex.EncodeToString(b[:])
}

// sameOrigin tells requests that a page of another site sent; a page that is served from here may
// ask, and so may what is no browser.
var sameOrigin = http.NewCrossOriginProtection()

// cors answers the question of a browser whether a page may ask, and says so in answers. A page
// that is not among the origins gets no answer, and nothing that it sends is done.
func (s *Server) cors(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	origin := r.Header.Get("Origin")
	if origin == "" || !slices.Contains(s.options.Origins, origin) && !slices.Contains(s.options.Origins, "*") {
		if sameOrigin.Check(r) != nil {
			return false, refusedAs(http.StatusForbidden,
				"a page of another site asks; the server has to be started so that it allows its origin")
		}
		return false, nil
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		h.Set("Access-Control-Expose-Headers", "Inference-Header-Content-Length, X-Request-Id, Retry-After")
		return false, nil
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Inference-Header-Content-Length, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true, nil
}

// knownTokens keeps the digests of the tokens that were asked for last.
type knownTokens struct{ last atomic.Pointer[tokenDigests] }

type tokenDigests struct {
	tokens  []string
	digests [][sha256.Size]byte
}

func (k *knownTokens) of(tokens []string) [][sha256.Size]byte {
	if t := k.last.Load(); t != nil && slices.Equal(t.tokens, tokens) {
		return t.digests
	}
	t := &tokenDigests{tokens: slices.Clone(tokens)}
	for _, token := range tokens {
		t.digests = append(t.digests, sha256.Sum256([]byte(token)))
	}
	k.last.Store(t)
	return t.digests
}

// authorised wants one of the tokens. Digests of one length are compared, in a time that tells
// nothing of them.
func (s *Server) authorised(w http.ResponseWriter, r *http.Request) error {
	if s.options.Tokens == nil {
		return nil
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	given := sha256.Sum256([]byte(strings.TrimSpace(token)))
	ok := 0
	for _, d := range s.keys.of(s.options.Tokens()) {
		ok |= subtle.ConstantTimeCompare(d[:], given[:])
	}
	if ok == 1 && strings.EqualFold(scheme, "Bearer") {
		return nil
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="mercer"`)
	return refusedAs(http.StatusUnauthorized, "a token is needed: Authorization: Bearer …")
}
