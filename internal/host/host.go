// Package host runs an http.Handler as a service of the machine: listeners of its own or of
// systemd, TLS whose files may be replaced, tokens from a file, and an end that lets requests under
// way finish. HTTP/1, HTTP/2 and, without TLS, HTTP/2 by prior knowledge (as gRPC speaks it) are
// answered on one port.
package host

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options says how a handler is run.
type Options struct {
	// Listen are the addresses: HOST:PORT, or unix:PATH. Empty where Inherited gives listeners.
	Listen []string
	// Cert and Key are files of a certificate chain and its key, in PEM; empty: no TLS.
	Cert, Key string
	// Header is how long a client may take for the header of a request; 0: 10 s. Idle is how long a
	// connection may be without one; 0: 2 min.
	Header, Idle time.Duration
	// Patience is how long requests under way may take to finish at the end; 0: 30 s.
	Patience time.Duration
	// Linger is how long the server goes on answering after it has said that it is not ready any
	// more, so that those who share out requests hear of it; 0: not at all.
	Linger time.Duration
	Log    *slog.Logger // nil: nothing is logged
	// Ready is told the addresses once all are listened on.
	Ready func(addresses []net.Addr)
	// Draining is called when the context has ended, before anything is closed.
	Draining func()
}

// Run answers requests with h until the context ends, and then lets those under way finish. It
// returns nil after an orderly end.
func Run(ctx context.Context, h http.Handler, o Options) error {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	listeners, err := Inherited()
	if err != nil {
		return err
	}
	for _, address := range o.Listen {
		l, err := listen(ctx, address)
		if err != nil {
			closeAll(listeners)
			return err
		}
		listeners = append(listeners, l)
	}
	if len(listeners) == 0 {
		return errors.New("host: no address to listen on")
	}
	server := &http.Server{
		Handler: h, ReadHeaderTimeout: or(o.Header, 10*time.Second), IdleTimeout: or(o.Idle, 2*time.Minute),
		MaxHeaderBytes: 64 << 10,
		// hand-shakes that failed and the like: what any scan of ports makes
		ErrorLog:  slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug),
		Protocols: protocols(o.Cert != ""), HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 250},
	}
	if o.Cert != "" {
		certificate, err := reloading(o.Cert, o.Key, o.Log)
		if err != nil {
			closeAll(listeners)
			return err
		}
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: certificate.get}
	}
	addresses := make([]net.Addr, len(listeners))
	failed := make(chan error, len(listeners))
	var serving sync.WaitGroup
	gentles := make([]*gentle, len(listeners))
	for i := range listeners {
		addresses[i] = listeners[i].Addr()
		gentles[i] = newGentle(listeners[i])
		l := gentles[i]
		serving.Go(func() {
			if server.TLSConfig != nil {
				failed <- server.ServeTLS(l, "", "")
			} else {
				failed <- server.Serve(l)
			}
		})
	}
	if o.Ready != nil {
		o.Ready(addresses)
	}
	Notify("READY=1")
	select {
	case err = <-failed:
		server.Close()
	case <-ctx.Done():
		err = drain(server, gentles, o)
	}
	serving.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return err
}

// drain ends the server in order: it says so, lingers, stops listening, and waits for requests
// under way.
func drain(server *http.Server, listeners []*gentle, o Options) error {
	Notify("STOPPING=1")
	if o.Draining != nil {
		o.Draining()
	}
	if o.Linger > 0 {
		time.Sleep(o.Linger)
	}
	patience := or(o.Patience, 30*time.Second)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	give, stop := context.WithTimeout(ctx, time.Second) // should they never end
	for _, l := range listeners {
		l.end(give.Done())
	}
	stop()
	if err := server.Shutdown(ctx); err != nil {
		server.Close()
		return fmt.Errorf("host: requests that were under way had not finished after %v and were cut", patience)
	}
	return nil
}

func or(d, standard time.Duration) time.Duration {
	if d > 0 {
		return d
	}
	return standard
}

// protocols are those of a port: with TLS the client chooses, without it begins with what it
// speaks.
func protocols(encrypted bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(encrypted)
	p.SetUnencryptedHTTP2(!encrypted)
	return p
}
