//! Filters: what is done to the bytes of a tile, chunk by chunk, on their way to storage and back.
//!
//! `list` describes filters and their options, `rules` says which datatypes they take and give. `chunks` cuts tiles and
//! reads the stored form of them, `pipeline` runs a list over one chunk, both ways; `parts` is what one filter hands to
//! the next. Each filter that runs has a file; `text` has those that take the
//! offsets of cells with them; `codec` calls the compression libraries, and is where unsafe code lives.
//!
//! A filter knows bytes and a datatype. Fields, schemas and files are not known here.

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
pub use text::{Texts, TextsMut};
