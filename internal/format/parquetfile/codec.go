package parquetfile

import (
	"fmt"

	"github.com/mercer-ml/mercer/internal/format/decompress"
)

// The codecs, numbered as in parquet.thrift.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecLZO    = 3
	codecBrotli = 4
	codecHadoop = 5 // LZ4 with the frames of Hadoop, given up for codecLZ4
	codecZstd   = 6
	codecLZ4    = 7
)

// UnsupportedError is something in a file that is not read, and what to do.
type UnsupportedError struct{ What, Remedy string }

// Error says what is not read.
func (e *UnsupportedError) Error() string { return e.What }

func (k *chunk) decodable() bool {
	return k.codec >= codecNone && k.codec <= codecLZ4 && k.codec != codecLZO
}

func (k *chunk) unknownCodec() error {
	name := fmt.Sprintf("number %d", k.codec)
	if k.codec == codecLZO {
		name = "lzo"
	}
	return &UnsupportedError{"it is compressed by " + name,
		"write it with snappy, gzip, zstd, lz4_raw, brotli or no compression"}
}

// decode undoes the compression of a page.
func (c *Cursor) decode(src []byte, size int) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if c.codec == codecNone {
		if len(src) != size {
			return nil, fmt.Errorf("%w: %d bytes where %d are announced", errPage, len(src), size)
		}
		return src, nil
	}
	if err := c.hold(int64(size)); err != nil {
		return nil, err
	}
	switch c.codec {
	case codecSnappy:
		return decompress.Snappy(src, size)
	case codecGzip:
		return decompress.Gzip(src, size)
	case codecBrotli:
		return decompress.Brotli(src, size)
	case codecHadoop:
		return decompress.LZ4Hadoop(src, size)
	case codecZstd:
		return c.zstd.Decode(src, size)
	}
	return decompress.LZ4(src, size)
}
