package serve

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"github.com/mercer-ml/mercer/data"
	errs "github.com/mercer-ml/mercer/internal/fault"
	"github.com/mercer-ml/mercer/internal/mend"
	"github.com/mercer-ml/mercer/internal/phrase"
	"github.com/mercer-ml/mercer/model"
)

// refusal is an answer other than 200: whose fault it is, and what to do.
type refusal struct {
	status int
	text   string
	retry  int    // seconds after which it is worth another try; 0: it is not
	err    error  // the cause, where there is one
	code   uint32 // gRPC's; 0: that of the status
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) Unwrap() error { return r.err }

// refused is a fault of the request.
func refused(format string, args ...any) error {
	return &refusal{status: http.StatusBadRequest, text: fmt.Sprintf(format, args...)}
}

func refusedAs(status int, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...)}
}

// tooLarge is a request that takes more memory than one may.
func tooLarge(format string, args ...any) error {
	return refusedAs(http.StatusRequestEntityTooLarge, format, args...)
}

// busy is an answer that a client should wait a second after.
func busy(status int, format string, args ...any) error {
	return &refusal{status: status, text: fmt.Sprintf(format, args...), retry: 1}
}

// refusalOf is what an error means to a client. What is wrong with the data is said in full; what
// is wrong with the server is not.
func refusalOf(err error) *refusal {
	var (
		own    *refusal
		syntax *syntaxError
		fault  *data.Error
		size   *model.DimensionError
		level  *model.IntervalError
		body   *http.MaxBytesError
		point  *errs.Point
	)
	switch {
	case errors.As(err, &own):
		return own
	case errors.Is(err, context.DeadlineExceeded):
		return &refusal{http.StatusServiceUnavailable,
			"the time for a request is over; send fewer rows, or try again when there is less to do", 1, err, 0}
	case errors.Is(err, context.Canceled):
		return &refusal{statusGone, "the client has gone, or the server is shutting down", 1, err, 0}
	case errors.As(err, &body):
		return &refusal{http.StatusRequestEntityTooLarge,
			fmt.Sprintf("the body is larger than the %s that a request may have; send fewer rows at a time",
				phrase.Bytes(body.Limit)), 0, err, 0}
	case errors.As(err, &fault) && errors.Is(err, data.ErrTooLarge):
		return &refusal{http.StatusRequestEntityTooLarge, fault.Problem(), 0, err, 0}
	case errors.As(err, &fault):
		return &refusal{http.StatusBadRequest, wording(fault), 0, err, 0}
	case errors.As(err, &point):
		return &refusal{http.StatusBadRequest, errs.Plain(point).Error(), 0, err, 0}
	case errors.As(err, &syntax), errors.As(err, &size), errors.As(err, &level), errors.Is(err, model.ErrNoProbabilities),
		errors.Is(err, model.ErrNoDeviations), errors.Is(err, model.ErrNoIntervals):
		return &refusal{http.StatusBadRequest, err.Error(), 0, err, 0}
	}
	return &refusal{http.StatusInternalServerError, "the prediction failed; the log of the server says why", 0, err, 0}
}

// statusGone is nginx's code for a client that closed the connection; nobody is there to read it.
const statusGone = 499

// remedies are what mends a fault of data, in the words of a request. Those that are not here are
// for people who fit.
var remedies = map[data.Remedy]string{
	mend.Missing:   `give a value, or ask with missing=drop or missing=mean`,
	mend.Unseen:    `ask with unseen=zero to take it for none of them`,
	mend.Rows:      `send rows; if the first line is data, ask with header=no`,
	mend.Header:    `if the first line is data, ask with header=no`,
	mend.NA:        `correct it, or count it as missing with na=…`,
	mend.Kind:      `correct it, or count it as missing with na=…`,
	mend.Delimiter: `quote fields that hold it, or name the delimiter with delimiter=…`,
	mend.Format:    `name the format with format=… or a Content-Type`,
	mend.Dates:     `write it as the model's own data were`,
	mend.Numbers:   `write it as the model's own data were`,
	mend.Encoding:  `send UTF-8, or ask with encoding=latin-1`,
}

func wording(e *data.Error) string { return e.With(remedies[e.Remedy]) }

// isAbsent says that a file is not there (any more).
func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// grpcCode is the code of gRPC for a status of HTTP, and its number.
func grpcCode(status int) uint32 {
	switch status {
	case http.StatusOK:
		return 0
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return 3 // INVALID_ARGUMENT
	case http.StatusNotFound:
		return 5
	case http.StatusForbidden:
		return 7
	case http.StatusTooManyRequests:
		return 8 // RESOURCE_EXHAUSTED
	case http.StatusServiceUnavailable:
		return 14 // UNAVAILABLE
	case http.StatusUnauthorized:
		return 16
	case statusGone:
		return 1 // CANCELLED
	}
	return 13 // INTERNAL
}

// write answers with the refusal, in the protocol's form.
func (r *refusal) write(w http.ResponseWriter, request *http.Request) {
	h := w.Header()
	for _, k := range []string{"Content-Length", "Content-Encoding", "Inference-Header-Content-Length", "Trailer"} {
		h.Del(k)
	}
	if r.retry > 0 {
		h.Set("Retry-After", fmt.Sprint(r.retry))
	}
	if strings.HasPrefix(request.Header.Get("Content-Type"), "application/grpc") {
		h.Set("Content-Type", "application/grpc")
		code := r.code
		if code == 0 {
			code = grpcCode(r.status)
		}
		h.Set("Grpc-Status", fmt.Sprint(code))
		h.Set("Grpc-Message", percentEncode(r.text))
		w.WriteHeader(http.StatusOK)
		return
	}
	text := append(append([]byte(`{"error":`), appendText(nil, r.text)...), "}\n"...)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", fmt.Sprint(len(text)))
	w.WriteHeader(r.status)
	w.Write(text)
}

// percentEncode is how gRPC puts a message into a header.
func percentEncode(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}
