package host

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// keyPair is a certificate whose files are read again when they have changed. One that cannot be
// used leaves the old one in its place.
type keyPair struct {
	cert, key string
	log       *slog.Logger
	mu        sync.Mutex
	now       *tls.Certificate
	seen      [2]stamp
	looked    time.Time
}

// stamp is what tells that a file has changed.
type stamp struct {
	size int64
	time time.Time
}

func stampOf(file string) stamp {
	info, err := os.Stat(file)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime()}
}

func reloading(cert, key string, log *slog.Logger) (*keyPair, error) {
	k := &keyPair{cert: cert, key: key, log: log, seen: [2]stamp{stampOf(cert), stampOf(key)}}
	c, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("host: the certificate %s with the key %s: %w", cert, key, err)
	}
	k.now = &c
	return k, nil
}

// get is the certificate for a new connection. The files are looked at no more often than once a
// second.
func (k *keyPair) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if now := time.Now(); now.Sub(k.looked) > time.Second {
		k.looked = now
		k.look()
	}
	return k.now, nil
}

func (k *keyPair) look() {
	seen := [2]stamp{stampOf(k.cert), stampOf(k.key)}
	if seen == k.seen {
		return
	}
	k.seen = seen
	c, err := tls.LoadX509KeyPair(k.cert, k.key)
	if err != nil { // the other of the two files may be about to come
		k.log.Error("a changed certificate cannot be used; the one before stays", "file", k.cert, "error", err.Error())
		return
	}
	k.now = &c
	k.log.Info("a changed certificate is used", "file", k.cert)
}
