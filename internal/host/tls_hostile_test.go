package host

import (
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// Whoever speaks TLS badly, or not at all, is shown out, and nobody else waits for it: garbage,
// plain HTTP, old versions, a hand-shake that stops half-way, a thousand of them.
func TestTLSHostile(t *testing.T) {
	cert, key := certificate(t, t.TempDir(), "one")
	address := run(t, hello, Options{Cert: cert, Key: key}).at
	sound := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
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
	for _, said := range []string{"\x00\x00\x00\x00\x00", strings.Repeat("\xff", 1<<16), "\x16\x03\x01\xff\xff" + strings.Repeat("y", 1<<16), "SSH-2.0-x\r\n"} {
		c := dial()
		io.WriteString(c, said)
		if _, err := io.ReadAll(c); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%.10q: %v", said, err)
		}
		c.Close()
	}
	plain := dial()
	io.WriteString(plain, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
	if b, err := io.ReadAll(plain); err != nil || !strings.Contains(string(b), "400") || strings.Contains(string(b), "hello") {
		t.Errorf("plain HTTP gets %q, %v", b, err)
	}
	for _, version := range []uint16{tls.VersionTLS10, tls.VersionTLS11} {
		if c, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, MinVersion: version, MaxVersion: version}); err == nil {
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
