package host

import (
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// listen opens HOST:PORT or unix:PATH.
func listen(ctx context.Context, address string) (net.Listener, error) {
	network := "tcp"
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		network, address = "unix", path
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("host: %w", err)
	}
	return l, nil
}

// firstInherited is the number of the first listener that systemd hands over (sd_listen_fds(3)).
const firstInherited = 3

// Inherited is the listeners that systemd opened for this process, none where it did not. They are
// handed over once.
func Inherited() ([]net.Listener, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	n, err := strconv.Atoi(os.Getenv("LISTEN_FDS"))
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name) // they are not for programs that this one starts
	}
	if err != nil || n < 0 || n > 256 {
		return nil, fmt.Errorf("host: LISTEN_FDS is no number of listeners")
	}
	var out []net.Listener
	for i := range n {
		f := os.NewFile(uintptr(firstInherited+i), fmt.Sprintf("listener %d", i))
		l, err := net.FileListener(f)
		f.Close() // the listener has a copy of its own
		if err != nil {
			closeAll(out)
			return nil, fmt.Errorf("host: listener %d that was handed over: %w", i, err)
		}
		out = append(out, l)
	}
	return out, nil
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}

// Notify tells systemd of the state of the service, as READY=1 (sd_notify(3)). Without systemd it
// does nothing.
func Notify(state string) {
	name := os.Getenv("NOTIFY_SOCKET")
	if name == "" {
		return
	}
	if name[0] == '@' { // an abstract name
		name = "\x00" + name[1:]
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte(state)) // whoever started us is told, or is not there any more
}
