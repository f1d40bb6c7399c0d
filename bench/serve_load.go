package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// measured is what a measurement found.
type measured struct {
	rate float64 // answers a second
	tail float64 // seconds in which 99 of 100 were answered
}

// asking sends one request and takes the answer; who checks that it is the right one is the caller.
type asking func() error

// pound asks through so many askers side by side for a while, each as soon as it has its answer.
// The first tenth is not counted.
func pound(ctx context.Context, askers []asking, d time.Duration) (measured, error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	times := make([][]time.Duration, len(askers))
	faults := make(chan error, len(askers))
	start := time.Now()
	warm, end := start.Add(d/10), start.Add(d+d/10)
	var all sync.WaitGroup
	for i, ask := range askers {
		all.Go(func() {
			for ctx.Err() == nil {
				before := time.Now()
				if before.After(end) {
					return
				}
				if err := ask(); err != nil {
					faults <- err
					stop()
					return
				}
				if before.After(warm) {
					times[i] = append(times[i], time.Since(before))
				}
			}
		})
	}
	all.Wait()
	select {
	case err := <-faults:
		return measured{}, err
	default:
	}
	seconds := slices.Concat(times...)
	if len(seconds) == 0 {
		return measured{}, errors.New("no answer in the time")
	}
	slices.Sort(seconds)
	return measured{float64(len(seconds)) / d.Seconds(), seconds[len(seconds)*99/100].Seconds()}, nil
}

// plain is a connection that sends the same bytes again and again: a client that costs next to
// nothing, so that the server is measured.
type plain struct {
	c    net.Conn
	in   *bufio.Reader
	want []byte // the first answer: all are the same
}

func dial(address string) (*plain, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &plain{c: c, in: bufio.NewReaderSize(c, 1<<16)}, nil
}

// ask sends a request and reads the answer.
func (p *plain) ask(request []byte) ([]byte, error) {
	if _, err := p.c.Write(request); err != nil {
		return nil, err
	}
	line, err := p.in.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	ok := bytes.Contains(line, []byte(" 200 "))
	status := string(line)
	length := -1
	for {
		if line, err = p.in.ReadSlice('\n'); err != nil {
			return nil, err
		}
		if len(line) <= 2 {
			break
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("content-length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return nil, err
			}
		}
	}
	if length < 0 {
		return nil, fmt.Errorf("an answer without a length: %s", status)
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(p.in, body); err != nil {
		return nil, err
	}
	if !ok {
		return nil, fmt.Errorf("%s: %s", status, body)
	}
	return body, nil
}

// hammer sends one request over many connections.
func hammer(ctx context.Context, address string, request []byte, clients int, d time.Duration) (measured, error) {
	askers := make([]asking, clients)
	for i := range askers {
		p, err := dial(address)
		if err != nil {
			return measured{}, err
		}
		defer p.c.Close()
		askers[i] = func() error {
			body, err := p.ask(request)
			if err == nil && p.want == nil {
				p.want = body
			}
			if err == nil && len(body) != len(p.want) { // ids may differ in MLServer's answers
				err = fmt.Errorf("answers differ: %s and %s", body, p.want)
			}
			return err
		}
	}
	return pound(ctx, askers, d)
}

// once sends one request over a new connection and says how long the answer took.
func once(address string, request []byte) (time.Duration, error) {
	p, err := dial(address)
	if err != nil {
		return 0, err
	}
	defer p.c.Close()
	start := time.Now()
	_, err = p.ask(request)
	return time.Since(start), err
}

// restRequest is a request for one row, as bytes.
func restRequest(model, address string, row []float64, more string) []byte {
	var data []byte
	for i, x := range row {
		if i > 0 {
			data = append(data, ',')
		}
		data = strconv.AppendFloat(data, x, 'g', -1, 64)
	}
	body := fmt.Sprintf(`{"inputs":[{"name":"predict","shape":[1,%d],"datatype":"FP64","data":[%s]}]%s}`, len(row), data,
		more)
	return fmt.Appendf(nil,
		"POST /v2/models/%s/infer HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		model, address, len(body), body)
}

// binaryRequest is a request for many rows in binary form, answered so.
func binaryRequest(model, address string, x []float64, width int, output string) []byte {
	head := fmt.Sprintf(`{"parameters":{"binary_data_output":true},"inputs":[{"name":"x","shape":[%d,%d],"datatype":"FP64","parameters":{"binary_data_size":%d}}],"outputs":[{"name":%q}]}`,
		len(x)/width, width, 8*len(x), output)
	b := fmt.Appendf(nil,
		"POST /v2/models/%s/infer HTTP/1.1\r\nHost: %s\r\nContent-Type: "+
			"application/octet-stream\r\nInference-Header-Content-Length: %d\r\nContent-Length: %d\r\n\r\n%s", model, address,
		len(head), len(head)+8*len(x), head)
	for _, v := range x {
		bits := math.Float64bits(v)
		for s := 0; s < 64; s += 8 {
			b = append(b, byte(bits>>s))
		}
	}
	return b
}

func readResponse(in *bufio.Reader) (*http.Response, error) { return http.ReadResponse(in, nil) }
