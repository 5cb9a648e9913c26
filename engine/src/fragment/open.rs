//! Opens a fragment: one read at the end of its metadata file, or none if consolidated
//! metadata contains its footer.

use std::sync::Arc;

use super::Fragment;
use super::sections::{Sections, read_record};
use super::tail::{Tail, read_tail};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{Footer, FooterHead, LegacyMetadata};
use crate::format::names::{FragmentField, FragmentName, folders};
use crate::format::version as v;
use crate::geometry::GridAxis;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, NdRange, Range};
use crate::vfs::{Uri, Vfs};

/// Opens the fragments of one array.
pub struct FragmentOpener<'a> {
    /// The storage.
    pub vfs: &'a Arc<Vfs>,
    /// The key of an encrypted array.
    pub key: Option<&'a EncryptionKey>,
    /// Returns the schema with a file name; `None` requests the schema of an array that has only
    /// one.
    pub schema: &'a (dyn Fn(Option<&str>) -> Result<Arc<ArraySchema>> + Sync),
}

/// The metadata of a fragment that was loaded in order to open it.
struct LoadedMetadata {
    footer: Footer,
    schema: Arc<ArraySchema>,
    /// The end of the metadata file; empty if the footer comes from elsewhere.
    tail: Tail,
    sections: Sections,
    /// Whether the footer comes from consolidated metadata.
    consolidated: bool,
}

impl LoadedMetadata {
    fn new(footer: Footer, schema: Arc<ArraySchema>) -> Self {
        Self {
            footer,
            schema,
            tail: Tail::default(),
            sections: Sections::default(),
            consolidated: false,
        }
    }
}

impl FragmentOpener<'_> {
    /// Opens the fragment in the folder `uri`. `footer` is the part of consolidated metadata that
    /// begins with its footer, if there is any.
    pub fn open(&self, uri: Uri, name: FragmentName, footer: Option<&[u8]>) -> Result<Fragment> {
        if name.version() < v::METADATA_FOOTER {
            return self.open_legacy(uri, name);
        }
        // libtiledb has written consolidated metadata of formats 10 and 11 with wrong positions. If
        // the footer is invalid, the fragment's own file is read.
        let merged = footer.and_then(|bytes| self.read_footer(bytes, &name).ok());
        match merged {
            Some((footer, schema)) => {
                let metadata = LoadedMetadata {
                    consolidated: true,
                    ..LoadedMetadata::new(footer, schema)
                };
                self.fragment(uri, name, metadata)
            }
            None => self.open_by_file(uri, name),
        }
    }

    fn open_by_file(&self, uri: Uri, name: FragmentName) -> Result<Fragment> {
        let file_uri = uri.join(folders::FRAGMENT_METADATA_FILE);
        let opened = || -> Result<_> {
            let unnamed = name.version() < v::FOOTER_NAMES_SCHEMA;
            let schema = unnamed.then(|| (self.schema)(None)).transpose()?;
            let (mut tail, footer) = read_tail(self.vfs, &file_uri, &name, schema.as_deref())?;
            let range = footer.clone();
            let bytes = tail.bytes.get(footer).unwrap_or_default();
            let (footer, schema) = self.read_footer(bytes, &name)?;
            if self.vfs.is_object_store(&file_uri) {
                // Consolidation of footers would need another request for it.
                tail.footer = range;
            } else {
                tail.bytes.truncate(range.start);
            }
            Ok((footer, schema, tail))
        };
        let (footer, schema, tail) = opened().map_err(|error| error.with_uri(&file_uri))?;
        let metadata = LoadedMetadata {
            tail,
            ..LoadedMetadata::new(footer, schema)
        };
        self.fragment(uri, name, metadata)
    }

    fn read_footer(&self, bytes: &[u8], name: &FragmentName) -> Result<(Footer, Arc<ArraySchema>)> {
        let mut from = Cursor::new("fragment footer", bytes);
        let head = FooterHead::read(&mut from)?;
        // Names of early formats do not contain a version, only an upper bound follows from them.
        let has_version = name.version() > v::LAST_UNVERSIONED_NAMES;
        if head.version > name.version() || (has_version && head.version != name.version()) {
            let problem = format!(
                "is {}, but {} according to the name",
                head.version,
                name.version()
            );
            return Err(Error::corrupt("fragment footer", "version", 0, problem));
        }
        let schema = (self.schema)(head.schema_name.as_deref())?;
        Ok((Footer::read(head, &mut from, &schema)?, schema))
    }

    fn open_legacy(&self, uri: Uri, name: FragmentName) -> Result<Fragment> {
        let schema = (self.schema)(None)?;
        let coordinates = FragmentField::Coordinates.file_name(name.version(), "");
        let dense = !self.vfs.is_file(&uri.join(&coordinates))?;
        let file_uri = uri.join(folders::FRAGMENT_METADATA_FILE);
        let record = generic::read(self.vfs, &file_uri, self.key)?;
        let read = |from: &mut Cursor<'_>| LegacyMetadata::read(from, &schema, dense);
        let metadata = read_record("fragment metadata", &record, read);
        let metadata = metadata.map_err(|error| error.with_uri(&file_uri))?;
        let footer = metadata.footer.clone();
        let metadata = LoadedMetadata {
            sections: Sections::of_legacy(metadata),
            ..LoadedMetadata::new(footer, schema)
        };
        self.fragment(uri, name, metadata)
    }

    fn fragment(&self, uri: Uri, name: FragmentName, metadata: LoadedMetadata) -> Result<Fragment> {
        let LoadedMetadata { footer, schema, .. } = &metadata;
        let tile_num = if footer.dense {
            dense_tile_num(schema, footer.non_empty_domain.as_ref())
        } else {
            Some(footer.sparse_tile_num)
        };
        let Some(tile_num) = tile_num else {
            let problem = "is outside of the array's domain";
            return Err(
                Error::corrupt("fragment footer", "non-empty domain", 0, problem).with_uri(&uri),
            );
        };
        Ok(Fragment {
            vfs: self.vfs.clone(),
            uri,
            name,
            schema: metadata.schema,
            key: self.key.cloned(),
            footer: metadata.footer,
            tile_num,
            tail: metadata.tail,
            sections: metadata.sections,
            consolidated: metadata.consolidated,
            known_size: None,
        })
    }
}

/// Returns the number of space tiles that the domain of a dense fragment overlaps; `None` if it is
/// outside of the array's domain, or if there are too many.
pub(super) fn dense_tile_num(schema: &ArraySchema, domain: Option<&NdRange>) -> Option<u64> {
    let Some(domain) = domain else {
        return Some(0);
    };
    let mut tile_num = 1u64;
    for (dimension, range) in schema.domain.dimensions.iter().zip(domain) {
        let axis = GridAxis::new(dimension)?;
        // Old releases extended the domains of consolidated fragments to whole tiles, beyond the
        // end of the domain.
        let cropped = || {
            let domain = dimension.domain.as_ref()?;
            axis.span(dimension, &Range::fixed(range.start(), domain.end()))
        };
        let (low, high) = axis.span(dimension, range).or_else(cropped)?;
        let tiles = (high / axis.extent - low / axis.extent).checked_add(1)?;
        tile_num = tile_num.checked_mul(tiles)?;
    }
    Some(tile_num)
}
