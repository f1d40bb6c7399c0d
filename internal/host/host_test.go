package host

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes a certificate for 127.0.0.1 with a name, and its key.
func certificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name},
		NotAfter: time.Unix(1<<33, 0), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	put(t, cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	put(t, key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}))
	return cert, key
}

func put(t *testing.T, file string, b []byte) {
	t.Helper()
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// running is a host in a test: where it listens, and how it ends.
type running struct {
	at   string
	end  context.CancelFunc
	done chan error
}

func run(t *testing.T, h http.Handler, o Options) *running {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	r := &running{end: end, done: make(chan error, 1)}
	ready := make(chan string, 1)
	o.Ready = func(a []net.Addr) { ready <- a[0].String() }
	if o.Listen == nil {
		o.Listen = []string{"127.0.0.1:0"}
	}
	go func() { r.done <- Run(ctx, h, o) }()
	select {
	case r.at = <-ready:
	case err := <-r.done:
		t.Fatalf("it ended before it was ready: %v", err)
	}
	t.Cleanup(end)
	return r
}

func get(t *testing.T, c *http.Client, url string) string {
	t.Helper()
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.Proto + " " + string(b)
}

var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") })

// One port answers HTTP/1 and HTTP/2, without TLS and with it; a request under way is finished at
// the end.
func TestRun(t *testing.T) {
	two := new(http.Protocols)
	two.SetUnencryptedHTTP2(true)
	begun, let := make(chan struct{}), make(chan struct{})
	drained := make(chan struct{})
	r := run(t, http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path == "/slow" {
			close(begun)
			<-let
		}
		io.WriteString(w, "hello")
	}), Options{Draining: func() { close(drained) }})
	for want, c := range map[string]*http.Client{"HTTP/1.1 hello": {Transport: &http.Transport{}},
		"HTTP/2.0 hello": {Transport: &http.Transport{Protocols: two}}} {
		if got := get(t, c, "http://"+r.at); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		c.CloseIdleConnections()
	}
	slow := make(chan string)
	go func() { slow <- get(t, &http.Client{Transport: &http.Transport{}}, "http://"+r.at+"/slow") }()
	<-begun
	r.end()
	<-drained
	close(let)
	if got := <-slow; got != "HTTP/1.1 hello" {
		t.Errorf("a request under way at the end: %s", got)
	}
	if err := <-r.done; err != nil {
		t.Errorf("an orderly end: %v", err)
	}
	if _, err := net.Dial("tcp", r.at); err == nil {
		t.Error("it listens after the end")
	}
}

// What cannot be is said.
func TestRunFaults(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, o := range []Options{{}, {Listen: []string{l.Addr().String()}},
		{Listen: []string{"127.0.0.1:0"}, Cert: "none.pem", Key: "none.pem"}} {
		if err := Run(t.Context(), hello, o); err == nil {
			t.Errorf("%+v runs", o)
		}
	}
}

// A certificate that is replaced is used for the next connection; a damaged one leaves the old one.
func TestCertificateReloads(t *testing.T) {
	dir := t.TempDir()
	cert, key := certificate(t, dir, "first")
	var log strings.Builder
	k, err := reloading(cert, key, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	name := func() string {
		t.Helper()
		k.looked = time.Time{} // as if a second had passed
		c, err := k.get(nil)
		if err != nil {
			t.Fatal(err)
		}
		leaf, err := x509.ParseCertificate(c.Certificate[0])
		if err != nil {
			t.Fatal(err)
		}
		return leaf.Subject.CommonName
	}
	if got := name(); got != "first" {
		t.Errorf("%s", got)
	}
	certificate(t, dir, "the second one")
	if got := name(); got != "the second one" {
		t.Errorf("after it was replaced: %s", got)
	}
	put(t, cert, []byte("damaged"))
	if got := name(); got != "the second one" || !strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("after damage: %s, log %s", got, log.String())
	}
	r := run(t, hello, Options{Cert: func() string { c, _ := certificate(t, dir, "third"); return c }(), Key: key})
	pool := x509.NewCertPool()
	pem, err := os.ReadFile(cert)
	if err != nil {
		t.Fatal(err)
	}
	pool.AppendCertsFromPEM(pem)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}}
	if got := get(t, c, "https://"+r.at); got != "HTTP/2.0 hello" {
		t.Errorf("over TLS: %s", got)
	}
}

// Tokens are read line by line, and again when the file changes.
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	for text, says := range map[string]string{"": "no token", "# none\n": "no token", "short\n": "at least 16",
		"two words that are long\n": "no blanks"} {
		put(t, file, []byte(text))
		if _, err := Tokens(file, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %s", text, err, says)
		}
	}
	put(t, file, []byte("# ours\n0123456789abcdef\n\n fedcba9876543210 \n"))
	f := &tokenFile{file: file, log: slog.New(slog.DiscardHandler)}
	f.look()
	if got := strings.Join(f.now, ","); got != "0123456789abcdef,fedcba9876543210" {
		t.Errorf("%s", got)
	}
	put(t, file, []byte("x\n"))
	f.look()
	if len(f.now) != 2 {
		t.Errorf("a damaged file takes tokens away: %v", f.now)
	}
	put(t, file, []byte("another-token-of-ours\n"))
	f.look()
	if len(f.now) != 1 {
		t.Errorf("%v", f.now)
	}
}

// systemd is told, where it listens.
func TestNotify(t *testing.T) {
	Notify("READY=1") // nobody is there
	name := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		t.Skipf("no sockets of this kind here: %v", err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", name)
	r := run(t, hello, Options{})
	read := func() string {
		b := make([]byte, 100)
		n, err := c.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}
	if got := read(); got != "READY=1" {
		t.Errorf("%s", got)
	}
	r.end()
	if got := read(); got != "STOPPING=1" {
		t.Errorf("%s", got)
	}
	if err := <-r.done; err != nil {
		t.Error(err)
	}
}

// Listeners are taken over only by the process that they are for.
func TestInheritedIsForUs(t *testing.T) {
	t.Setenv("LISTEN_PID", "1")
	t.Setenv("LISTEN_FDS", "1")
	if l, err := Inherited(); l != nil || err != nil {
		t.Errorf("%v %v", l, err)
	}
}
