package worker

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// newLink is the socket that standard input is, with memory to share; two pipes where it is none.
func newLink(in, out *os.File) *link {
	pipes := &link{in: bufio.NewReaderSize(in, inlineUpTo), out: out}
	// FileConn would leave a pipe without patience
	if about, err := in.Stat(); err != nil || about.Mode()&os.ModeSocket == 0 {
		return pipes
	}
	conn, err := net.FileConn(in)
	socket, ok := conn.(*net.UnixConn)
	if err != nil || !ok {
		return pipes
	}
	signal.Ignore(unix.SIGXFSZ) // a limit on files (ulimit -f) is an error of memory to share, and not the end
	received := &withDescriptors{socket: socket}
	return &link{in: bufio.NewReaderSize(received, inlineUpTo), out: socket, takeShared: received.take,
		giveShared: func(frame []byte, arrays []placed, size int) error {
			return giveShared(socket, frame, arrays, size)
		}}
}

// withDescriptors reads a socket and keeps the descriptors that came with the bytes, in their
// order. The kernel never joins the bytes of two messages that both have descriptors, so that none
// is lost.
type withDescriptors struct {
	socket *net.UnixConn
	files  []int
	rights [256]byte

	room   []byte // the mapping of the room, which stays
	device uint64
	inode  uint64
}

func (r *withDescriptors) Read(p []byte) (int, error) {
	n, rights, _, _, err := r.socket.ReadMsgUnix(p, r.rights[:])
	if rights > 0 {
		messages, fault := unix.ParseSocketControlMessage(r.rights[:rights])
		if fault != nil {
			return n, fault
		}
		for _, m := range messages {
			files, fault := unix.ParseUnixRights(&m)
			if fault != nil {
				return n, fault
			}
			r.files = append(r.files, files...)
		}
	}
	return n, err
}

// take maps the oldest of the descriptors. A room is mapped once: to map memory and to give it back
// takes as long as a small request.
func (r *withDescriptors) take(size uint64, room bool) ([]byte, func(), error) {
	if len(r.files) == 0 {
		return nil, nil, fmt.Errorf("a message with shared memory came without its descriptor")
	}
	file := r.files[0]
	r.files = r.files[1:]
	defer unix.Close(file)
	var about unix.Stat_t
	if err := unix.Fstat(file, &about); err != nil {
		return nil, nil, err
	}
	if size == 0 || uint64(about.Size) < size { // beyond its end a page cannot be read, and the process would end
		return nil, nil, fmt.Errorf("shared memory of %d bytes, not %d", about.Size, size)
	}
	if room {
		if r.room == nil || r.device != uint64(about.Dev) || r.inode != about.Ino {
			whole, err := unix.Mmap(file, 0, int(about.Size), unix.PROT_READ, unix.MAP_SHARED)
			if err != nil {
				return nil, nil, fmt.Errorf("mapping a room of %d bytes: %w", about.Size, err)
			}
			r.room, r.device, r.inode = whole, uint64(about.Dev), about.Ino
		}
		return r.room[:size:size], func() {}, nil
	}
	body, err := unix.Mmap(file, 0, int(size), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, nil, fmt.Errorf("mapping %d bytes of shared memory: %w", size, err)
	}
	return body, func() { _ = unix.Munmap(body) }, nil
}

// giveShared puts arrays into memory without a name and sends its descriptor with the frame.
func giveShared(socket *net.UnixConn, frame []byte, arrays []placed, size int) error {
	fd, err := unix.MemfdCreate("mercer", unix.MFD_CLOEXEC)
	if err != nil {
		return fmt.Errorf("%w: %w", errNoMemory, err)
	}
	file := os.NewFile(uintptr(fd), "mercer")
	defer file.Close()
	if err := file.Truncate(int64(size)); err != nil {
		return fmt.Errorf("%w: %d bytes: %w", errNoMemory, size, err)
	}
	for _, a := range arrays {
		if _, err := file.WriteAt(a.bytes, int64(a.at)); err != nil {
			return fmt.Errorf("%w: %d bytes: %w", errNoMemory, size, err)
		}
	}
	n, _, err := socket.WriteMsgUnix(frame, unix.UnixRights(fd), nil)
	if err != nil {
		return err
	}
	if n < len(frame) {
		_, err = socket.Write(frame[n:])
	}
	return err
}
