package host

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Whoever speaks TLS badly, or not at all, is shown out, and nobody else waits for it: garbage,
// plain HTTP, old versions, a hand-shake that stops half-way, a thousand of them.
func TestTLSHostile(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), "one")
	address := run(t, hello, Options{Cert: cert, Key: key}).at
	sound := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
		DisableKeepAlives: true}}
	dialTo := func(address string) net.Conn {
		t.Helper()
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	dial := func() net.Conn { return dialTo(address) }
	// Left open until the end: they wait for the time that a header may take.
	half := "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
	for _, said := range []string{"", half, half + strings.Repeat("x", 100)} {
		for range 50 {
			c := dial()
			defer c.Close()
			io.WriteString(c, said)
		}
	}
	for _, said := range []string{"\x00\x00\x00\x00\x00", strings.Repeat("\xff", 1<<16), "\x16\x03\x01\xff\xff" +
		strings.Repeat("y", 1<<16), "SSH-2.0-x\r\n"} {
		c := dial()
		io.WriteString(c, said)
		if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%.10q: %v", said, err)
		}
		c.Close()
	}
	plain := dial()
	io.WriteString(plain, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if b, err := io.ReadAll(plain); err != nil || !strings.Contains(string(b), "400") ||
		strings.Contains(string(b), "hello") {
		t.Errorf("plain HTTP gets %q, %v", b, err)
	}
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
		if c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: version,
			MaxVersion: version}); err == nil {
			c.Close()
			t.Errorf("version %x is spoken", version)
		}
	}
	if got := get(t, sound, "https://"+address+"/"); !strings.HasSuffix(got, "hello") {
		t.Errorf("a sound client gets %q", got)
	}
	// Those that stopped half-way are shown out, not kept: reading ends.
	c := dialTo(run(t, hello, Options{Cert: cert, Key: key, Header: 50 * time.Millisecond}).at)
	io.WriteString(c, half)
	if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
		t.Errorf("half a hand-shake: %v", err)
	}
}

// A certificate that cannot be used ends the program before it listens to anybody, with the names of
// the files and nothing of the key.
func TestBadCertificates(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), "one")
	otherCert, otherKey := certificate(t, t.TempDir(), "another")
	secret, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := func(name, text string) string {
		at := filepath.Join(dir, name)
		put(t, at, []byte(text))
		return at
	}
	inside := strings.Split(string(secret), "\n")[1]
	for name, c := range map[string]struct{ cert, key string }{
		"the key of another":     {cert, otherKey},
		"the certificate of one": {otherCert, key},
		"exchanged":              {key, cert},
		"the key twice":          {key, key},
		"empty":                  {file("empty.pem", ""), key},
		"no PEM":                 {file("der.pem", "\x30\x82\x01\x0a"), key},
		"no certificate in it":   {file("none.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), key},
		"half a key":             {cert, file("half.pem", string(secret[:len(secret)/2]))},
		"a key of nonsense": {cert, file("nonsense.pem", "-----BEGIN PRIVATE KEY-----\n"+inside[:40]+
			"\n-----END PRIVATE KEY-----\n")},
		"a folder":                 {dir, key},
		"a file that is not there": {filepath.Join(dir, "nothing.pem"), key},
	} {
		heard := false
		err := Run(t.Context(), hello, Options{Listen: []string{"127.0.0.1:0"}, Cert: c.cert, Key: c.key,
			Ready: func([]net.Addr) { heard = true }})
		if err == nil || heard || !strings.Contains(err.Error(), c.cert) || !strings.Contains(err.Error(), c.key) ||
			strings.Contains(err.Error(), inside[:20]) {
			t.Errorf("%s: %v, heard %v", name, err, heard)
		}
	}
}

// Headers that come a byte at a time, of HTTP/1 with TLS and without, and those of HTTP/2 that stop
// in the middle, end with the time that a client has for them; others are answered meanwhile.
func TestSlowHeaders(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), "one")
	const patience = 50 * time.Millisecond
	plain := run(t, hello, Options{Header: patience, Idle: patience}).at
	encrypted := run(t, hello, Options{Cert: cert, Key: key, Header: patience, Idle: patience}).at
	trickle := func(c net.Conn) {
		t.Helper()
		defer c.Close()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a\r\nX: "); err != nil {
			t.Fatal(err)
		}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = io.Copy(io.Discard, c)
		}()
		for {
			select {
			case <-gone: // shown out
				return
			case <-time.After(time.Millisecond):
				_, _ = io.WriteString(c, "y")
			}
		}
	}
	c, err := net.Dial("tcp", plain)
	if err != nil {
		t.Fatal(err)
	}
	trickle(c)
	e, err := tls.Dial("tcp", encrypted, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	trickle(e)
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	const settings = "\x00\x00\x00\x04\x00\x00\x00\x00\x00"
	for name, said := range map[string]string{
		"half of how HTTP/2 begins": preface[:20],
		"settings that do not come": preface,
		"half a frame":              preface + settings + "\x00\x00\x05\x01",
		"headers without an end":    preface + settings + "\x00\x00\x01\x01\x00\x00\x00\x00\x01\x82",
		"a frame of 16 MB":          preface + settings + "\xff\xff\xff\x00\x00\x00\x00\x00\x01" + strings.Repeat("z", 1<<16),
	} {
		c, err := net.Dial("tcp", plain)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(c, said)
		// shown out, or else reading never ends
		if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s: %v", name, err)
		}
		c.Close()
	}
	if got := get(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, "http://"+plain+
		"/"); !strings.HasSuffix(got, "hello") {
		t.Errorf("a sound client gets %q", got)
	}
}
