//! Checksums: the data stays unchanged; a digest of each part is stored and compared when reading.
//!
//! ```text
//! metadata: number of metadata parts u32, number of data parts u32,
//!           of each part, metadata first: length u64, digest (16 bytes of MD5, 32 of SHA-256);
//!           then the input's metadata as it was
//! ```

use md5::{Digest, Md5};
use sha2::Sha256;

use super::parts::{DecodeInput, EncodeInput, Parts, PartsView, u32_of};
use crate::bytes::Cursor;
use crate::error::Result;

/// The digest algorithm.
#[derive(Clone, Copy, Debug)]
pub(super) enum Checksum {
    Md5,
    Sha256,
}

impl Checksum {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5 filter",
            Self::Sha256 => "sha256 filter",
        }
    }

    fn digest_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha256 => 32,
        }
    }

    pub(super) fn metadata_len(self, input: EncodeInput<'_>) -> usize {
        let parts = input.data.count() + input.metadata.count();
        8 + parts * (8 + self.digest_len()) + input.metadata.bytes.len()
    }

    pub(super) fn encode(self, input: EncodeInput<'_>, metadata: &mut Parts) -> Result<()> {
        metadata.put_u32(u32_of(input.metadata.count())?)?;
        metadata.put_u32(u32_of(input.data.count())?)?;
        self.put_digests(input.metadata, metadata)?;
        self.put_digests(input.data, metadata)?;
        metadata.end_part();
        metadata.append(input.metadata)?;
        Ok(())
    }

    fn put_digests(self, parts: PartsView<'_>, to: &mut Parts) -> Result<()> {
        for part in parts.iter() {
            to.bytes.put(&(part.len() as u64).to_le_bytes())?;
            match self {
                Self::Md5 => to.bytes.put(&Md5::digest(part))?,
                Self::Sha256 => to.bytes.put(&Sha256::digest(part))?,
            }
        }
        Ok(())
    }

    pub(super) fn decode(self, input: DecodeInput<'_>, checks: bool) -> Result<Option<usize>> {
        let mut header = Cursor::new(self.name(), input.metadata);
        let metadata_parts = header.u32("number of metadata parts")? as usize;
        let data_parts = header.u32("number of data parts")? as usize;
        let entry = 8 + self.digest_len();
        let list = metadata_parts
            .checked_add(data_parts)
            .and_then(|parts| parts.checked_mul(entry))
            .map(|len| header.take("digests", len))
            .transpose()?
            .unwrap_or_default();
        let used = header.position();
        if checks {
            let entries = list.chunks_exact(entry);
            let mut digests = Cursor::new(self.name(), list);
            let rest = input.metadata.get(used..).unwrap_or_default();
            self.check_parts(&mut digests, rest, metadata_parts.min(entries.len()))?;
            self.check_parts(&mut digests, input.data, data_parts)?;
        }
        Ok(Some(used))
    }

    fn check_parts(self, digests: &mut Cursor<'_>, bytes: &[u8], parts: usize) -> Result<()> {
        let mut from = Cursor::new(self.name(), bytes);
        for _ in 0..parts {
            let len = digests.u64("length of a part")?;
            let part = from.take_u64("part", len)?;
            let start = digests.clone();
            let digest = digests.take("digest", self.digest_len())?;
            let matches = match self {
                Self::Md5 => Md5::digest(part)[..] == *digest,
                Self::Sha256 => Sha256::digest(part)[..] == *digest,
            };
            if !matches {
                return Err(start.corrupt("digest", "does not agree with the data"));
            }
        }
        Ok(())
    }
}
