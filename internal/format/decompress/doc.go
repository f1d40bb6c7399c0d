// Package decompress undoes the compressions that columns of Arrow and Parquet
// files are stored in: Snappy and LZ4 blocks, LZ4 frames, LZ4 as
// Hadoop frames it, Brotli, zstd and gzip.
//
// Each function is told the size of the plain text and gives exactly that, or an
// error. A size is a claim of the file, so memory grows with what was really
// decoded: the block formats cannot expand beyond a known factor, which is
// checked first, and the streams are read in steps that double.
//
// Formats: Snappy "format_description.txt" (Google, 2011); LZ4 "lz4_Block_format.md"
// and "lz4_Frame_format.md" (Collet), whose checksums are verified;
// Brotli RFC 7932; zstd and gzip are those of klauspost/compress.
package decompress
