package host

import (
	"errors"
	"io"
	"net"
	"testing"
)

// Connections that were made before the end, and wait to be accepted, are accepted and answered,
// not reset.
func TestTheEndResetsNobody(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	g := newGentle(l)
	const n = 20
	var clients []net.Conn
	for range n {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		clients = append(clients, c)
	}
	ended := make(chan struct{})
	go func() {
		g.end(nil)
		close(ended)
	}()
	<-g.ending // nobody has accepted one before
	got := 0
	for {
		c, err := g.Accept()
		if err != nil {
			if !errors.Is(err, net.ErrClosed) {
				t.Error(err)
			}
			break
		}
		got++
		if _, err := io.WriteString(c, "x"); err != nil {
			t.Error(err)
		}
		c.Close()
	}
	<-ended
	l.Close()
	if got != n {
		t.Errorf("%d of %d were accepted", got, n)
	}
	for i, c := range clients {
		if b, err := io.ReadAll(c); err != nil || string(b) != "x" {
			t.Errorf("client %d: %q, %v", i, b, err)
		}
	}
}
