package serve

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mercer-ml/mercer/internal/phrase"
)

// procedure answers a message with a message.
type procedure func(ctx context.Context, message []byte) ([]byte, error)

// procedure puts one at its path. What it refuses is answered by the guard, in headers alone.
func (s *Server) procedure(name string, answer procedure) {
	kind := "grpc"
	if name == "ServerLive" || name == "ServerReady" || name == "ModelReady" {
		kind = "health"
	}
	s.handle(service+name, kind, http.MethodPost, func(w http.ResponseWriter, r *http.Request) error {
		return s.call(w, r, kind == "health", answer)
	})
}

// recordKey is where the context of a procedure has the response that remembers what was answered.
type recordKey struct{}

// compressFrom is the size from which an answer is compressed.
const compressFrom = 1 << 10

// call is a unary call of gRPC over HTTP/2
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): one message behind a prefix of
// five bytes, one message as the answer, the status in trailers.
func (s *Server) call(w http.ResponseWriter, r *http.Request, probe bool, answer procedure) error {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "application/grpc" && kind != "application/grpc+proto" {
		w.Header().Set("Accept-Post", "application/grpc, application/grpc+proto")
		return refusedAs(http.StatusUnsupportedMediaType, "%s is not answered here; send application/grpc", clip(kind))
	}
	defer r.Body.Close()
	h := w.Header()
	h.Set("Grpc-Accept-Encoding", "gzip")
	encoding := r.Header.Get("Grpc-Encoding")
	if encoding != "" && encoding != "identity" && encoding != "gzip" {
		return refusedCode(http.StatusUnsupportedMediaType, codeUnimplemented,
			"messages in %s are not read; send gzip or identity", clip(encoding))
	}
	ctx, cancel, err := clientTime(context.WithValue(r.Context(), recordKey{}, w), r.Header.Get("Grpc-Timeout"))
	if err != nil {
		return err
	}
	defer cancel()
	room := &room{s: s}
	most := min(s.options.MaxBody, math.MaxInt32)
	if probe {
		room, most = nil, min(most, mostOfProbe)
	}
	defer room.give()
	message, err := readMessage(r, encoding == "gzip", most, room)
	if err != nil {
		return err
	}
	out, err := answer(ctx, message)
	if errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil {
		return refusedCode(http.StatusServiceUnavailable, codeDeadlineExceeded,
			"the time that the client gave the request is over")
	}
	if err != nil {
		return err
	}
	h.Set("Content-Type", r.Header.Get("Content-Type"))
	prefix := [5]byte{}
	if len(out) >= compressFrom && (encoding == "gzip" || acceptsGzip(r.Header.Get("Grpc-Accept-Encoding"))) {
		h.Set("Grpc-Encoding", "gzip")
		out, prefix[0] = gzipped(out), 1
	}
	binary.BigEndian.PutUint32(prefix[1:], uint32(len(out)))
	h.Set(http.TrailerPrefix+"Grpc-Status", "0")
	h.Set(http.TrailerPrefix+"Grpc-Message", "")
	_, _ = w.Write(slices.Concat(prefix[:], out)) // a client that has gone is nobody's fault
	return nil
}

// mostOfProbe is the most bytes of a question whether the server is alive or a model ready: anybody
// may ask, at any time, and the memory of those who have a token is not theirs.
const mostOfProbe = 1 << 16

// readMessage reads the one message of a call, and no more of it than may be, however well it is
// compressed.
func readMessage(r *http.Request, compressed bool, most int64, room *room) ([]byte, error) {
	var prefix [5]byte
	body := r.Body
	if _, err := io.ReadFull(body, prefix[:]); err == io.EOF {
		return nil, refusedCode(http.StatusBadRequest, codeUnimplemented, "the request has no message")
	} else if err != nil {
		return nil, cutShort(r, err)
	}
	large := refusedCode(http.StatusRequestEntityTooLarge, codeResourceExhausted,
		"the message is larger than the %s that a request may have; send fewer rows at a time", phrase.Bytes(most))
	size := int64(binary.BigEndian.Uint32(prefix[1:]))
	if size > most {
		// so that the client sees the answer, and not that its sending was stopped; but not
		// gigabytes
		_, _ = io.CopyN(io.Discard, body, min(size, 4*most))
		return nil, large
	}
	// Memory is taken as bytes come: a prefix can promise any size.
	b, err := room.read(io.LimitReader(body, size))
	if err == nil && int64(len(b)) < size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, cutShort(r, err)
	}
	var more [1]byte
	if n, err := io.ReadFull(body, more[:]); n > 0 {
		return nil, refusedCode(http.StatusBadRequest, codeUnimplemented, "the request has more than one message")
	} else if err != io.EOF {
		return nil, cutShort(r, err)
	}
	switch {
	case prefix[0] > 1:
		return nil, refusedCode(http.StatusBadRequest, codeInternal, "the flags of a message are 0 or 1, not %d", prefix[0])
	case prefix[0] == 0 || len(b) == 0:
		return b, nil
	case !compressed:
		return nil, refusedCode(http.StatusBadRequest, codeInternal, "a message is compressed, and no header says how")
	}
	return unzipped(bytes.NewReader(b), most, large, room)
}

// cutShort is a body that ended in the middle of a message, or could not be read.
func cutShort(r *http.Request, err error) error {
	var none *refusal
	if errors.As(err, &none) { // there is no memory for it
		return err
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return refusedCode(http.StatusBadRequest, codeInternal, "the message is shorter than its prefix says")
	}
	return bodyFault(r, err)
}

var unzippers, zippers sync.Pool

func unzipped(from io.Reader, most int64, large error, room *room) ([]byte, error) {
	z, _ := unzippers.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	defer unzippers.Put(z)
	var b []byte
	err := z.Reset(from)
	if err == nil {
		b, err = room.read(io.LimitReader(z, most+1))
	}
	var none *refusal
	switch {
	case errors.As(err, &none):
		return nil, err
	case err != nil:
		return nil, refused("the message is not gzip: %v", err)
	case int64(len(b)) > most:
		return nil, large
	}
	return b, nil
}

func gzipped(message []byte) []byte {
	var b bytes.Buffer
	z, _ := zippers.Get().(*gzip.Writer)
	if z == nil {
		z = gzip.NewWriter(nil)
	}
	defer zippers.Put(z)
	z.Reset(&b)
	_, _ = z.Write(message) // memory takes everything
	_ = z.Close()
	return b.Bytes()
}

// acceptsGzip says whether it is in a list of encodings.
func acceptsGzip(list string) bool {
	for name := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(name) == "gzip" {
			return true
		}
	}
	return false
}

// clientTime ends a context when the client stops waiting: a number of at most eight digits, and a
// unit.
func clientTime(ctx context.Context, header string) (context.Context, context.CancelFunc, error) {
	if header == "" {
		return ctx, func() {}, nil
	}
	units := map[byte]time.Duration{'n': time.Nanosecond, 'u': time.Microsecond, 'm': time.Millisecond, 'S': time.Second,
		'M': time.Minute, 'H': time.Hour}
	unit := units[header[len(header)-1]]
	n, err := strconv.ParseUint(header[:len(header)-1], 10, 64)
	if err != nil || unit == 0 || n > 99_999_999 {
		return nil, nil, refused("Grpc-Timeout %s is no time", clip(header))
	}
	if n > uint64(math.MaxInt64/unit) {
		return ctx, func() {}, nil // longer than any
	}
	ctx, cancel := context.WithTimeout(ctx, time.Duration(n)*unit)
	return ctx, cancel, nil
}

// Codes of gRPC that no status of HTTP stands for.
const (
	codeDeadlineExceeded  = 4
	codeResourceExhausted = 8
	codeUnimplemented     = 12
	codeInternal          = 13
)

// refusedCode is a refusal with a code of its own in gRPC.
func refusedCode(status int, code uint32, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...), code: code}
}
