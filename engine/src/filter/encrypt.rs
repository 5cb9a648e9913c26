//! AES-256-GCM: each part of the data and of the metadata is encrypted on its own, under a random vector.
//!
//! ```text
//! metadata: number of metadata parts u32, number of data parts u32,
//!           of each part, metadata first: original length u32, encrypted length u32, vector 12 bytes, tag 16 bytes
//! data:     the encrypted parts, metadata first
//! ```
//!
//! Nothing of the input stays in the clear. The filter is the last one of every list of an encrypted array; only the
//! lists of generic tiles name it.

use std::sync::Arc;

use super::codec::aes::{Cipher, IV_LEN, TAG_LEN};
use super::parts::{Parts, u32_of};
use super::pipeline::{DataIs, Filtered, MetadataIs, Unfiltered};
use crate::bytes::{Cursor, Room};
use crate::error::{Error, Result};
use crate::types::EncryptionKey;

const NAME: &str = "AES_256_GCM";
const ORIGIN: &str = "[TileDB::Encryption] Error";
/// The bytes of metadata for a part.
const NOTE_LEN: usize = 8 + IV_LEN + TAG_LEN;

/// The encryption that runs.
#[derive(Clone, Debug)]
pub(super) struct Encrypt(Arc<Cipher>);

impl Encrypt {
    /// How errors name it.
    pub(super) const NAME: &'static str = NAME;

    pub(super) fn new(key: Option<&EncryptionKey>) -> Result<Self> {
        let bad_key = || Error::usage("[TileDB::Filter] Error", "Encryption error; bad key.");
        let cipher = Cipher::new(key.ok_or_else(bad_key)?).ok_or_else(bad_key)?;
        Ok(Self(Arc::new(cipher)))
    }

    pub(super) fn metadata_len(input: Unfiltered<'_>) -> usize {
        8 + NOTE_LEN * (input.data.count() + input.metadata.count())
    }

    pub(super) fn encode(
        &self,
        input: Unfiltered<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<DataIs> {
        metadata.put_u32(u32_of(input.metadata.count())?);
        metadata.put_u32(u32_of(input.data.count())?);
        for part in input.metadata.iter().chain(input.data.iter()) {
            let len = u32_of(part.len())?;
            let at = data.bytes.len();
            data.bytes.put(part);
            let sealed = self.0.seal(&mut data.bytes[at..]);
            let Some((iv, tag)) = sealed else {
                data.bytes.truncate(at);
                return Err(Error::usage(
                    ORIGIN,
                    format!("{NAME}: cannot encrypt {len} bytes"),
                ));
            };
            metadata.put_u32(len);
            metadata.put_u32(len);
            metadata.bytes.put(&iv);
            metadata.bytes.put(&tag);
        }
        metadata.end_part();
        data.end_part();
        Ok(DataIs::Written)
    }

    /// The length of the data it will give, as its metadata has it; unchecked.
    pub(super) fn decoded_len(input: Filtered<'_>) -> Result<usize> {
        let (metadata_parts, data_parts, mut notes) = notes(input.metadata)?;
        notes.skip("notes of parts", NOTE_LEN * metadata_parts)?;
        let mut len = 0usize;
        for _ in 0..data_parts {
            len = len.saturating_add(notes.u32("original length")? as usize);
            notes.skip("note of a part", NOTE_LEN - 4)?;
        }
        Ok(len)
    }

    pub(super) fn decode(
        &self,
        input: Filtered<'_>,
        data: &mut [u8],
        metadata: &mut Room,
    ) -> Result<(DataIs, MetadataIs)> {
        let (metadata_parts, data_parts, mut notes) = notes(input.metadata)?;
        let mut from = Cursor::new(NAME, input.data);
        metadata.clear();
        for _ in 0..metadata_parts {
            let part = Part::read(&mut notes, &mut from)?;
            let at = metadata.len();
            metadata.put(part.data);
            self.open(&part, &mut metadata[at..])?;
        }
        let mut to = data;
        for _ in 0..data_parts {
            let part = Part::read(&mut notes, &mut from)?;
            let (place, later) = to
                .split_at_mut_checked(part.data.len())
                .ok_or_else(|| notes.corrupt("original length", "passes the chunk"))?;
            place.copy_from_slice(part.data);
            self.open(&part, place)?;
            to = later;
        }
        if !to.is_empty() || from.left() > 0 {
            let left = to.len().max(from.left());
            return Err(notes.corrupt("parts", format!("leave out {left} bytes")));
        }
        Ok((DataIs::Written, MetadataIs::Written))
    }

    fn open(&self, part: &Part<'_>, place: &mut [u8]) -> Result<()> {
        // The words are those that programs know; they tell what is the matter nowhere.
        let refused = || {
            Error::usage(
                ORIGIN,
                "OpenSSL error; error finalizing decryption. AES_256_GCM: The key is another, or the data is damaged.",
            )
        };
        self.0.open(part.iv, part.tag, place).ok_or_else(refused)
    }
}

/// The counts of parts, and a cursor at the notes of the first.
fn notes(metadata: &[u8]) -> Result<(usize, usize, Cursor<'_>)> {
    let mut notes = Cursor::new(NAME, metadata);
    let metadata_parts = notes.u32("number of metadata parts")? as usize;
    let data_parts = notes.u32("number of data parts")? as usize;
    if metadata_parts.saturating_add(data_parts) > notes.left() / NOTE_LEN {
        return Err(notes.corrupt("number of parts", "is more than there are notes"));
    }
    Ok((metadata_parts, data_parts, notes))
}

/// A part as it is stored.
struct Part<'a> {
    iv: [u8; IV_LEN],
    tag: [u8; TAG_LEN],
    data: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(notes: &mut Cursor<'_>, from: &mut Cursor<'a>) -> Result<Self> {
        let at = notes.clone();
        let original = notes.u32("original length")?;
        let encrypted = notes.u32("encrypted length")?;
        if original != encrypted {
            let problem = format!("is {encrypted} for {original} bytes");
            return Err(at.corrupt("encrypted length", problem));
        }
        let mut part = Self {
            iv: [0; IV_LEN],
            tag: [0; TAG_LEN],
            data: from.take("encrypted part", encrypted as usize)?,
        };
        part.iv.copy_from_slice(notes.take("vector", IV_LEN)?);
        part.tag.copy_from_slice(notes.take("tag", TAG_LEN)?);
        Ok(part)
    }
}
