package host

import (
	"errors"
	"net"
	"sync"
	"time"
)

// gentle is a listener that ends without resetting anybody: connections that the system has made
// already, and nobody has accepted, would be cut when it is closed.
type gentle struct {
	net.Listener
	ending  chan struct{} // closed when no more are to come than have come
	emptied chan struct{} // closed when none is left
	once    sync.Once
}

// quiet is how long nobody has to come for the queue of the system to be empty.
const quiet = 20 * time.Millisecond

func newGentle(l net.Listener) *gentle {
	return &gentle{Listener: l, ending: make(chan struct{}), emptied: make(chan struct{})}
}

// Accept goes on after end until nobody waits.
func (g *gentle) Accept() (net.Conn, error) {
	select {
	case <-g.ending:
	default:
		c, err := g.Listener.Accept()
		if late := net.Error(nil); err == nil || !errors.As(err, &late) || !late.Timeout() {
			return c, err
		}
	}
	g.patience() // anew: a look that comes late is no look
	c, err := g.Listener.Accept()
	if err == nil {
		return c, nil
	}
	g.once.Do(func() { close(g.emptied) })
	return nil, net.ErrClosed
}

// patience is the time that the next may take to come.
func (g *gentle) patience() {
	if l, ok := g.Listener.(interface{ SetDeadline(time.Time) error }); ok {
		_ = l.SetDeadline(time.Now().Add(quiet))
	}
}

// end lets those in who have come, and returns when there are none.
func (g *gentle) end(give <-chan struct{}) {
	close(g.ending)
	if _, ok := g.Listener.(interface{ SetDeadline(time.Time) error }); !ok {
		return
	}
	g.patience()
	select {
	case <-g.emptied:
	case <-give:
	}
}
