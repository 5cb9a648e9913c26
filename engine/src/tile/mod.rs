//! Bytes on storage to tiles in memory and back.
