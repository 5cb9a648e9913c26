//! AES-256-GCM: each part of the data and of the metadata is encrypted separately, under a random
//! initialisation vector.
//!
//! ```text
//! metadata: number of metadata parts u32, number of data parts u32;
//!           for each part, metadata first: original length u32, encrypted length u32,
//!           vector 12 bytes, tag 16 bytes
//! data:     the encrypted parts, metadata first
//! ```
//!
//! Data and metadata are encrypted completely. Every pipeline of an encrypted array ends with this
//! filter, but only the filter lists of generic tiles name it.

use std::sync::Arc;

use super::codec::aes::{Cipher, IV_LEN, TAG_LEN};
use super::parts::{DecodeInput, EncodeInput, Parts, PartsHeader, u32_of};
use crate::bytes::{Cursor, ReusableBuffer};
use crate::error::{Error, FilterError, Result};
use crate::types::EncryptionKey;

const NAME: &str = "AES_256_GCM";
/// The size of a part's entry in the metadata.
const ENTRY_LEN: usize = 8 + IV_LEN + TAG_LEN;

/// Encryption with an expanded key.
#[derive(Clone, Debug)]
pub(super) struct Encrypt(Arc<Cipher>);

impl Encrypt {
    /// The name in error messages.
    pub(super) const NAME: &'static str = NAME;

    pub(super) fn new(key: Option<&EncryptionKey>) -> Result<Self> {
        let bad_key = || Error::from(FilterError::BadKey);
        let cipher = Cipher::new(key.ok_or_else(bad_key)?).ok_or_else(bad_key)?;
        Ok(Self(Arc::new(cipher)))
    }

    pub(super) fn metadata_len(input: EncodeInput<'_>) -> usize {
        8 + ENTRY_LEN * (input.data.count() + input.metadata.count())
    }

    pub(super) fn encode(
        &self,
        input: EncodeInput<'_>,
        data: &mut Parts,
        metadata: &mut Parts,
    ) -> Result<()> {
        PartsHeader::write_numbers(input, metadata)?;
        for part in input.metadata.iter().chain(input.data.iter()) {
            let len = u32_of(part.len())?;
            let start = data.bytes.len();
            data.bytes.put(part)?;
            let sealed = self.0.seal(&mut data.bytes[start..]);
            let Some((iv, tag)) = sealed else {
                data.bytes.truncate(start);
                return Err(FilterError::CannotEncrypt { len }.into());
            };
            metadata.put_u32(len)?;
            metadata.put_u32(len)?;
            metadata.bytes.put(&iv)?;
            metadata.bytes.put(&tag)?;
        }
        metadata.end_part();
        data.end_part();
        Ok(())
    }

    /// Returns the decoded length according to the metadata, which is not verified.
    pub(super) fn decoded_len(input: DecodeInput<'_>) -> Result<usize> {
        PartsHeader::read(NAME, input.metadata, ENTRY_LEN)?.data_len(ENTRY_LEN)
    }

    pub(super) fn decode(
        &self,
        input: DecodeInput<'_>,
        data: &mut [u8],
        metadata: &mut ReusableBuffer,
    ) -> Result<Option<usize>> {
        let PartsHeader {
            metadata_parts,
            data_parts,
            entries: mut header,
        } = PartsHeader::read(NAME, input.metadata, ENTRY_LEN)?;
        let mut from = Cursor::new(NAME, input.data);
        metadata.clear();
        for _ in 0..metadata_parts {
            let part = Part::read(&mut header, &mut from)?;
            let start = metadata.len();
            metadata.put(part.data)?;
            self.open(&part, &mut metadata[start..])?;
        }
        let mut to = data;
        for _ in 0..data_parts {
            let part = Part::read(&mut header, &mut from)?;
            let (output, rest) = to
                .split_at_mut_checked(part.data.len())
                .ok_or_else(|| header.corrupt("original length", "passes the chunk"))?;
            output.copy_from_slice(part.data);
            self.open(&part, output)?;
            to = rest;
        }
        if !to.is_empty() || from.left() > 0 {
            let left = to.len().max(from.left());
            return Err(header.corrupt("parts", format!("do not cover {left} bytes")));
        }
        Ok(None)
    }

    fn open(&self, part: &Part<'_>, output: &mut [u8]) -> Result<()> {
        // libtiledb's wording, followed by the two possible causes: a failed authentication does
        // not distinguish them.
        self.0
            .open(part.iv, part.tag, output)
            .ok_or_else(|| Error::from(FilterError::CannotDecrypt))
    }
}

/// A part in its stored form.
struct Part<'a> {
    iv: [u8; IV_LEN],
    tag: [u8; TAG_LEN],
    data: &'a [u8],
}

impl<'a> Part<'a> {
    fn read(header: &mut Cursor<'_>, from: &mut Cursor<'a>) -> Result<Self> {
        let start = header.clone();
        let original = header.u32("original length")?;
        let encrypted = header.u32("encrypted length")?;
        if original != encrypted {
            let problem = format!("is {encrypted} for {original} bytes");
            return Err(start.corrupt("encrypted length", problem));
        }
        let mut part = Self {
            iv: [0; IV_LEN],
            tag: [0; TAG_LEN],
            data: from.take("encrypted part", encrypted as usize)?,
        };
        part.iv.copy_from_slice(header.take("vector", IV_LEN)?);
        part.tag.copy_from_slice(header.take("tag", TAG_LEN)?);
        Ok(part)
    }
}
