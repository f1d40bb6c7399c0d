package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"time"
)

// grpcMessage is a ModelInferRequest for one row with raw contents, and gRPC's five bytes before
// it.
func grpcMessage(model string, row []float64) []byte {
	field := func(b []byte, number int, value []byte) []byte {
		b = append(b, byte(number<<3|2), byte(len(value))) // all are short
		return append(b, value...)
	}
	input := field(nil, 1, []byte("predict"))
	input = field(input, 2, []byte("FP64"))
	input = field(input, 3, []byte{1, byte(len(row))})
	var raw []byte
	for _, x := range row {
		raw = binary.LittleEndian.AppendUint64(raw, math.Float64bits(x))
	}
	m := field(nil, 1, []byte(model))
	m = field(m, 5, input)
	m = field(m, 6, field(nil, 1, []byte("prediction")))
	m = field(m, 7, raw)
	return append([]byte{0, 0, 0, 0, byte(len(m))}, m...)
}

// The frames of HTTP/2 (RFC 9113, section 6) that a client of one request at a time meets.
const (
	frameData, frameHeaders, frameReset, frameSettings, framePing, frameGoAway, frameWindow = 0, 1, 3, 4, 6, 7, 8

	flagEnd, flagHeaders, flagAck = 1, 4, 1
)

// framed is a connection that sends the same gRPC request again and again: a client that costs next
// to nothing, as plain is for HTTP/1.
type framed struct {
	c       net.Conn
	in      *bufio.Reader
	headers []byte // the block, without Huffman codes and without the table, so that it is the same for every stream
	message []byte
	stream  uint32
	want    []byte
}

func frame(b []byte, kind, flags byte, stream uint32, body []byte) []byte {
	b = append(b, byte(len(body)>>16), byte(len(body)>>8), byte(len(body)), kind, flags)
	return append(binary.BigEndian.AppendUint32(b, stream), body...)
}

func dialGRPC(address string, message []byte) (*framed, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	f := &framed{c: c, in: bufio.NewReaderSize(c, 1<<14), message: message, stream: 1}
	for _, h := range [][2]string{{":method", "POST"}, {":scheme", "http"},
		{":path", "/inference.GRPCInferenceService/ModelInfer"}, {":authority", address},
		{"content-type", "application/grpc"}, {"te", "trailers"}} {
		f.headers = append(f.headers, 0, byte(len(h[0]))) // a literal that is not kept (RFC 7541, section 6.2.2)
		f.headers = append(append(f.headers, h[0]...), byte(len(h[1])))
		f.headers = append(f.headers, h[1]...)
	}
	hello := frame([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frameSettings, 0, 0, nil)
	hello = frame(hello, frameWindow, 0, 0, binary.BigEndian.AppendUint32(nil, 1<<30))
	_, err = c.Write(hello)
	return f, err
}

// ask sends the request on the next stream and reads until that ends.
func (f *framed) ask() error {
	b := frame(nil, frameHeaders, flagHeaders, f.stream, f.headers)
	b = frame(b, frameData, flagEnd, f.stream, f.message)
	if _, err := f.c.Write(b); err != nil {
		return err
	}
	var body []byte
	for {
		var head [9]byte
		if _, err := io.ReadFull(f.in, head[:]); err != nil {
			return err
		}
		size, kind, flags := int(head[0])<<16|int(head[1])<<8|int(head[2]), head[3], head[4]
		stream := binary.BigEndian.Uint32(head[5:])
		content := make([]byte, size)
		if _, err := io.ReadFull(f.in, content); err != nil {
			return err
		}
		switch kind {
		case frameSettings, framePing:
			if flags&flagAck == 0 {
				if kind == frameSettings {
					content = nil
				}
				if _, err := f.c.Write(frame(nil, kind, flagAck, 0, content)); err != nil {
					return err
				}
			}
		case frameReset, frameGoAway:
			return fmt.Errorf("the server ends the stream: frame %d, %x", kind, content)
		case frameData:
			if stream == f.stream {
				body = append(body, content...)
			}
		}
		if stream == f.stream && flags&flagEnd != 0 && (kind == frameData || kind == frameHeaders) {
			break
		}
	}
	f.stream += 2
	if f.want == nil {
		f.want = body
	}
	if !bytes.Contains(body, []byte("prediction")) || !bytes.Equal(body, f.want) {
		return fmt.Errorf("gRPC answers %q, before %q", body, f.want)
	}
	return nil
}

// hammerGRPC asks over so many connections.
func hammerGRPC(
	ctx context.Context, address, model string, row []float64, clients int, d time.Duration,
) (measured, error) {
	message := grpcMessage(model, row)
	askers := make([]asking, clients)
	for i := range askers {
		f, err := dialGRPC(address, message)
		if err != nil {
			return measured{}, err
		}
		defer f.c.Close()
		askers[i] = f.ask
	}
	return pound(ctx, askers, d)
}
