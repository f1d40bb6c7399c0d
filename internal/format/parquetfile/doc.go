// Package parquetfile reads columns from Apache Parquet files.
//
// A file ends with a footer that says where the pages of each column lie. A page
// holds levels, which say where values are missing and lists begin, and the
// values that are there. Levels and values are decoded as they are asked for, a
// bounded number at a time, so a few bytes that stand for many values take no
// more memory than a reader wants to hold. Every number in the metadata is a
// claim and is checked before anything is allocated or read by it. Nothing panics
// on damaged input.
//
// Formats: apache/parquet-format 2.12 (parquet.thrift, Encodings.md,
// LogicalTypes.md, Compression.md) and the Thrift compact protocol.
package parquetfile
