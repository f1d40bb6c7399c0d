// Package web serves the playground to one person on the same machine.
//
// Whoever opens the link that was printed gets in, once: the token in it is exchanged for a cookie,
// and is worth nothing afterwards. Every request has to name this server in its Host header, so
// that a name of somebody else's that is made to point at the loopback address (DNS rebinding)
// reaches nothing, and a page of another origin can send no question: its Origin is not ours, and
// the cookie does not go with its requests.
package web

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/internal/play/page"
)

// Server is a playground for one person. It is an http.Handler.
type Server struct {
	player *play.Player
	hosts  []string // that requests may be for, with the port
	cookie string   // its name: cookies are shared by all ports of a host

	mu     sync.Mutex
	token  string // that the next visitor has to bring; empty: spent
	secret string // of the one who is in
	routes *http.ServeMux
}

// most bounds a question; a page refuses sooner.
const most = 8 << 20

// New is a playground behind a listener on a loopback address.
func New(p *play.Player, at net.Addr) (*Server, error) {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		return nil, err
	}
	s := &Server{player: p, cookie: "mercer-play-" + port, routes: http.NewServeMux()}
	for _, host := range []string{"127.0.0.1", "localhost", "::1"} {
		s.hosts = append(s.hosts, net.JoinHostPort(host, port))
	}
	s.secret = random()
	s.routes.HandleFunc("POST /api", s.ask)
	s.routes.Handle("GET /", files(page.Files))
	s.NewToken()
	return s, nil
}

// random is 192 bits that nobody can guess, as text.
func random() string {
	b := make([]byte, 24)
	rand.Read(b) // it does not fail
	return base64.RawURLEncoding.EncodeToString(b)
}

// NewToken makes a token for one more visitor; the one before is void.
func (s *Server) NewToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = random()
	return s.token
}

// ServeHTTP lets the person in, and nobody else.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy",
		"default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; frame-ancestors 'none'; "+
			"base-uri 'none'; form-action 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !slices.Contains(s.hosts, strings.ToLower(r.Host)):
		http.Error(w, "this is not "+r.Host, http.StatusMisdirectedRequest)
	case !s.ours(r):
		http.Error(w, "requests from other pages are refused", http.StatusForbidden)
	case r.URL.Path == "/" && r.URL.Query().Has("token"):
		s.admit(w, r)
	case !s.known(r):
		http.Error(w,
			"This playground belongs to whoever started it. Open the link that mercer play printed; it works once, in one "+
				"browser. Press Enter where mercer play runs for a new one.", http.StatusForbidden)
	default:
		s.routes.ServeHTTP(w, r)
	}
}

// ours says whether a request comes from our own page or from a person: what browsers say of it,
// where they say anything.
func (s *Server) ours(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+strings.ToLower(r.Host) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	}
	// A link from elsewhere may open the page itself, and do no more.
	return r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.URL.Path == "/"
}

// admit takes the token for a cookie, and leads to the page without it.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) {
	given := r.URL.Query().Get("token")
	s.mu.Lock()
	good := s.token != "" && subtle.ConstantTimeCompare([]byte(given), []byte(s.token)) == 1
	if good {
		s.token = ""
	}
	s.mu.Unlock()
	switch {
	case good:
		// Lax, and not strict: a link to a scene that is opened from a message or another page
		// brings the cookie, and gets the page. What other pages send for themselves is refused by
		// ours.
		http.SetCookie(w, &http.Cookie{Name: s.cookie, Value: s.secret, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteLaxMode})
	case s.known(r): // the same browser opens its link again
	default:
		http.Error(w,
			"This link has been used, or is not of this playground. Press Enter where mercer play runs for a new one.",
			http.StatusForbidden)
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// known says whether a request brings the cookie.
func (s *Server) known(r *http.Request) bool {
	c, err := r.Cookie(s.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(s.secret)) == 1
}

// ask answers a question of the page: a line of JSON for each part, as soon as it is there.
func (s *Server) ask(w http.ResponseWriter, r *http.Request) {
	if kind := r.Header.Get("Content-Type"); kind != "application/json" {
		http.Error(w, "questions are application/json", http.StatusUnsupportedMediaType)
		return
	}
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	w.Header().Set("Content-Type", "application/x-ndjson")
	var q play.Request
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(&q); err != nil {
		message := "the question cannot be read: " + err.Error()
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			message = "the question has more than 8 MB; take fewer points"
		}
		out.Encode(play.Part{Fault: &play.Fault{Message: message}, Done: true}) // a page that has gone does not mind
		return
	}
	flush := http.NewResponseController(w)
	// An error is that of a page that has gone: there is nobody to tell.
	_ = s.player.Handle(r.Context(), q, func(p play.Part) error {
		if err := out.Encode(p); err != nil {
			return err
		}
		return flush.Flush()
	})
}

// files serves what is embedded, with the types that modules need.
func files(all fs.FS) http.Handler {
	kinds := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".html": "text/html; charset=utf-8", ".svg": "image/svg+xml", ".json": "application/json"}
	server := http.FileServerFS(all)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for suffix, kind := range kinds {
			if strings.HasSuffix(r.URL.Path, suffix) {
				w.Header().Set("Content-Type", kind)
			}
		}
		server.ServeHTTP(w, r)
	})
}
