package serve

import (
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// Options says how a server works. The zero value is that of a service for one's own machine.
type Options struct {
	// Threads is how many computations of one model run side by side; 0: all cores. No answer
	// depends on it.
	Threads int
	// Bytes is the memory that requests under way may take together, their data and answers
	// counted; 0: 1 GiB. A request that finds none is told to come again (503), one that could
	// never have it is refused (413).
	Bytes int64
	// MaxBody is the most bytes of a request that is held in memory as a whole; 0: 64 MiB. Tables
	// that are streamed may be of any length.
	MaxBody int64
	// MaxInflight is the most requests under way; 0: 1024. The next are told to come again (429).
	MaxInflight int
	// Timeout ends a request that takes longer; 0: never. A stream has it for each chunk of rows.
	Timeout time.Duration
	// AllowLoad lets requests load and unload models (the repository extension).
	AllowLoad bool
	// Tokens are the bearer tokens that open everything but the questions whether the server is
	// alive and ready; nil: no token is needed. It is asked at each request.
	Tokens func() []string
	// Origins are the web pages, as https://example.org, that may ask from a browser; "*" is all,
	// none is none.
	Origins []string
	// Log takes what happens to models and requests; nil: nothing is logged. AccessLog logs every
	// request.
	Log       *slog.Logger
	AccessLog bool
	// Version is what the server calls itself in its metadata.
	Version string
}

func (o Options) withDefaults() Options {
	if o.Threads <= 0 {
		o.Threads = runtime.GOMAXPROCS(0)
	}
	if o.Bytes <= 0 {
		o.Bytes = 1 << 30
	}
	if o.MaxBody <= 0 {
		o.MaxBody = 64 << 20
	}
	if o.MaxInflight <= 0 {
		o.MaxInflight = 1024
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server answers requests for predictions. It is an http.Handler for a ServeMux of one's own, at
// "/" or below a prefix with http.StripPrefix. gRPC needs HTTP/2: an http.Server gives it with TLS,
// and without where its Protocols have UnencryptedHTTP2.
type Server struct {
	options  Options
	log      *slog.Logger
	mux      *http.ServeMux
	metrics  *instruments
	models   atomic.Pointer[catalogue]
	changing sync.Mutex
	watching watcher
	looked   atomic.Bool
	draining atomic.Bool
	inflight atomic.Int64
	memory   atomic.Int64 // bytes that requests have taken
	now      func() time.Time
	ids      requestIDs
	keys     knownTokens
}

// New makes a server without models.
func New(o Options) *Server {
	s := &Server{options: o.withDefaults(), mux: http.NewServeMux(), now: time.Now}
	s.log, s.ids.start = s.options.Log, newRequestIDs()
	s.metrics = newInstruments(s)
	s.models.Store(&catalogue{})
	s.looked.Store(true)
	s.routes()
	return s
}

// Drain makes the server say that it is not ready, so that nobody sends it more; requests are
// answered as before. Shut the http.Server down afterwards.
func (s *Server) Drain() { s.draining.Store(true) }

// routes says who answers what.
func (s *Server) routes() {
	s.handle("/v2/health/live", "health", http.MethodGet, s.live)
	s.handle("/v2/health/ready", "health", http.MethodGet, s.ready)
	s.handle("/v2", "metadata", http.MethodGet, s.metadata)
	s.handle("/v2/{$}", "metadata", http.MethodGet, s.metadata)
	for _, version := range []string{"", "/versions/{version}"} {
		s.handle("/v2/models/{name}"+version, "metadata", http.MethodGet, s.modelMetadata)
		s.handle("/v2/models/{name}"+version+"/ready", "health", http.MethodGet, s.modelReady)
		s.handle("/v2/models/{name}"+version+"/infer", "infer", http.MethodPost, s.inferREST)
	}
	s.handle("/v2/repository/index", "repository", http.MethodPost, s.repositoryIndex)
	s.handle("/v2/repository/models/{name}/load", "repository", http.MethodPost, s.repositoryLoad)
	s.handle("/v2/repository/models/{name}/unload", "repository", http.MethodPost, s.repositoryUnload)
	s.handle("/predict/{name}", "predict", http.MethodPost, s.predictTable)
	s.handle("/predict/{name}/versions/{version}", "predict", http.MethodPost, s.predictTable)
	s.handle("/models/{name}/report", "page", http.MethodGet, s.report)
	s.handle("/models/{name}/versions/{version}/report", "page", http.MethodGet, s.report)
	s.handle("/metrics", "metrics", http.MethodGet, s.metrics.serve)
	s.handle("/openapi.json", "page", http.MethodGet, s.openAPI)
	s.handle("/{$}", "page", http.MethodGet, s.page)
	s.handle("/", "none", "", func(w http.ResponseWriter, r *http.Request) error {
		return refusedAs(http.StatusNotFound, "there is nothing at this path; / lists the models")
	})
	s.routesGRPC()
}

// endpoint is an answer to a request; what it returns is written as a refusal.
type endpoint func(w http.ResponseWriter, r *http.Request) error

// handle puts an endpoint at a path, behind the checks that its kind has.
func (s *Server) handle(path, kind, method string, answer endpoint) {
	s.mux.Handle(path, &guarded{s, kind, method, answer})
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// take counts bytes of memory that a request needs against those that all may have.
func (s *Server) take(n int64) (give func(), err error) {
	if n > s.options.Bytes {
		return nil, tooLarge("the request would take %s of memory, where all together may take %s; send fewer rows at a time",
			phrase.Bytes(n), phrase.Bytes(s.options.Bytes))
	}
	if s.memory.Add(n) > s.options.Bytes {
		s.memory.Add(-n)
		return nil, busy(http.StatusServiceUnavailable, "requests under way have taken the memory there is; try again")
	}
	return func() { s.memory.Add(-n) }, nil
}
