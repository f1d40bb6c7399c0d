package worker

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"unsafe"
)

const (
	flagShared = 1 // the arrays lie in shared memory
	flagRoom   = 2 // which is the room that comes with many messages, one after the other

	mostHead = 1 << 28 // bytes of a head: names of columns and classes, never numbers
	mostBody = 1 << 40

	// heldAtOnce is how many bytes of a body are made room for before they come.
	heldAtOnce = 1 << 30

	// inlineUpTo is how many bytes of arrays travel in the message itself. Below, two copies
	// through the socket take less time than a mapping takes to make.
	inlineUpTo = 1 << 16
)

// errNoMemory is wrapped by the error of memory that could not be shared, before anything was sent:
// the arrays then go with the message, as over pipes.
var errNoMemory = errors.New("no memory to share")

// message is one that came in. Its body stays where it is until release.
type message struct {
	head    []byte
	body    []byte
	release func()
}

// link is the socket or the pipes between the two processes.
type link struct {
	in  io.Reader
	out io.Writer

	// takeShared maps the memory whose descriptor came with the message that was just read,
	// giveShared sends a frame with arrays in shared memory; nil where processes cannot share
	// memory that has no name.
	takeShared func(size uint64, room bool) (body []byte, release func(), err error)
	giveShared func(frame []byte, arrays []placed, size int) error

	sending sync.Mutex
}

// receive reads a message.
func (l *link) receive() (message, error) {
	var start [16]byte
	if _, err := io.ReadFull(l.in, start[:]); err != nil {
		return message{}, err
	}
	head, flags, body := binary.LittleEndian.Uint32(start[:]), binary.LittleEndian.Uint32(start[4:]),
		binary.LittleEndian.Uint64(start[8:])
	if head > mostHead || body > mostBody || flags&^(flagShared|flagRoom) != 0 {
		return message{}, fmt.Errorf("a message of %d + %d bytes with flags %d is none of ours", head, body, flags)
	}
	m := message{head: make([]byte, head), release: func() {}}
	if _, err := io.ReadFull(l.in, m.head); err != nil {
		return message{}, err
	}
	if flags&flagShared == 0 {
		var err error
		m.body, err = readAligned(l.in, int(body), heldAtOnce)
		return m, err
	}
	if l.takeShared == nil {
		return message{}, fmt.Errorf("shared memory over a link that has none")
	}
	var err error
	m.body, m.release, err = l.takeShared(body, flags&flagRoom != 0)
	return m, err
}

// readAligned reads n bytes. Memory is taken for so many at once, and more as they come: a number in
// a damaged message takes none.
func readAligned(in io.Reader, n, atOnce int) ([]byte, error) {
	var body []byte
	for {
		done := len(body)
		more := aligned(min(n, max(atOnce, 2*done)))
		copy(more, body)
		body = more
		if _, err := io.ReadFull(in, body[done:]); err != nil || len(body) == n {
			return body, err
		}
	}
}

// aligned is n bytes that may be looked at as numbers.
func aligned(n int) []byte {
	if n == 0 {
		return nil
	}
	words := make([]uint64, (n+7)/8)
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), n)
}

// placed is an array at its place in the body of a message.
type placed struct {
	at    int
	bytes []byte
}

// send writes a message: head with the places of its arrays filled in, and the arrays.
func (l *link) send(head any, arrays []placed, size int) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	shared := l.giveShared != nil && size > inlineUpTo
	frame := make([]byte, 16, 16+len(text))
	binary.LittleEndian.PutUint32(frame, uint32(len(text)))
	binary.LittleEndian.PutUint64(frame[8:], uint64(size))
	if shared {
		binary.LittleEndian.PutUint32(frame[4:], flagShared)
	}
	frame = append(frame, text...)
	l.sending.Lock()
	defer l.sending.Unlock()
	if shared {
		if err := l.giveShared(frame, arrays, size); !errors.Is(err, errNoMemory) {
			return err
		}
		binary.LittleEndian.PutUint32(frame[4:], 0)
	}
	if size <= inlineUpTo { // one write
		at := len(frame)
		frame = append(frame, make([]byte, size)...)
		for _, a := range arrays {
			copy(frame[at+a.at:], a.bytes)
		}
		_, err = l.out.Write(frame)
		return err
	}
	if _, err := l.out.Write(frame); err != nil {
		return err
	}
	done := 0
	for _, a := range arrays {
		if _, err := l.out.Write(make([]byte, a.at-done)); err != nil {
			return err
		}
		if _, err := l.out.Write(a.bytes); err != nil {
			return err
		}
		done = a.at + len(a.bytes)
	}
	_, err = l.out.Write(make([]byte, size-done))
	return err
}
