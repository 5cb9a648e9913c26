//! Filters: transformations of the bytes of a tile, chunk by chunk, before they are stored and
//! after they are read.
//!
//! `list` describes filters and their options; `rules` states which datatypes they accept and
//! produce. `chunks` divides tiles and parses their stored form, `pipeline` applies a filter list
//! to one chunk in both directions, and `parts` is the data that one filter passes to the next.
//! `compress`, `transform`, `checksum` and `encrypt` contain the filters; `text` contains those
//! that also encode the offsets of cells; `codec` calls the compression libraries.
//!
//! Filters operate on bytes and a datatype. This module does not use fields, schemas or files.

mod checksum;
mod chunks;
mod codec;
mod compress;
mod encrypt;
mod list;
mod options;
mod parts;
mod pipeline;
mod rules;
#[cfg(test)]
mod tests;
mod text;
mod transform;
#[cfg(feature = "webp")]
mod webp;
mod windows;
mod words;

pub use chunks::{CHUNK_HEADER_LEN, Chunk, Chunks, chunk_size, chunk_starts, var_chunk_starts};
pub use list::{
    Compression, Compressor, Filter, FilterList, FilterType, ScaleFloat, Webp, WebpFormat,
};
pub use options::FilterOption;
pub use pipeline::Pipeline;
pub use rules::check_datatypes;
pub use text::Texts;
