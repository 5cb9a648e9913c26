//! Opens a fragment: one read at the end of its metadata file, or none if consolidated
//! metadata contains its footer.

use std::sync::Arc;

use super::sections::{Sections, read_record};
use super::tail::{Tail, read_tail};
use super::{Fragment, FragmentLocation};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{Footer, FooterHead, LegacyMetadata};
use crate::format::names::{FragmentField, FragmentName, folders};
use crate::format::version as v;
use crate::geometry::GridAxis;
use crate::schema::ArraySchema;
use crate::tile::generic;
use crate::types::{EncryptionKey, NdRange, Range};
use crate::vfs::Vfs;

/// Opens the fragments of one array.
pub struct FragmentOpener<'a> {
    /// The storage.
    pub vfs: &'a Arc<Vfs>,
    /// The key of an encrypted array.
    pub key: Option<&'a EncryptionKey>,
    /// The name of the schema that most fragments have, if it is known. They share it.
    pub schema_name: Option<Arc<str>>,
    /// Returns the schema with a file name; `None` requests the schema of an array that has only
    /// one.
    pub schema: &'a (dyn Fn(Option<&str>) -> Result<Arc<ArraySchema>> + Sync),
}

/// The footer of a fragment in consolidated metadata.
#[derive(Debug)]
pub struct ConsolidatedFooter {
    footer: Footer,
    schema: Arc<ArraySchema>,
}

/// The metadata of a fragment that was loaded in order to open it.
struct LoadedMetadata {
    footer: Footer,
    schema: Arc<ArraySchema>,
    /// The end of the metadata file, unless the footer comes from elsewhere.
    tail: Option<Box<Tail>>,
    sections: Sections,
    /// Whether the footer comes from consolidated metadata.
    consolidated: bool,
}

impl LoadedMetadata {
    fn new(footer: Footer, schema: Arc<ArraySchema>) -> Self {
        Self {
            footer,
            schema,
            tail: None,
            sections: Sections::default(),
            consolidated: false,
        }
    }
}

impl FragmentOpener<'_> {
    /// Reads the footer of a fragment at a position of consolidated metadata. Returns `None` if it
    /// is invalid: libtiledb has written consolidated metadata of formats 10 and 11 with wrong
    /// positions. The fragment's own file is read then.
    pub fn consolidated_footer(
        &self,
        name: &FragmentName,
        record: &Arc<Vec<u8>>,
        position: usize,
    ) -> Option<ConsolidatedFooter> {
        if name.version() < v::METADATA_FOOTER {
            return None;
        }
        let mut from = Cursor::new("fragment footer", record.get(position..)?);
        let (head, schema) = self.read_head(&mut from, name).ok()?;
        let footer = Footer::read_shared(head, &mut from, &schema, record, position).ok()?;
        Some(ConsolidatedFooter { footer, schema })
    }

    /// Opens a fragment with its footer in consolidated metadata.
    pub fn open_consolidated(
        &self,
        location: FragmentLocation,
        footer: ConsolidatedFooter,
    ) -> Result<Fragment> {
        let metadata = LoadedMetadata {
            consolidated: true,
            ..LoadedMetadata::new(footer.footer, footer.schema)
        };
        self.fragment(location, metadata)
    }

    /// Opens a fragment by its own metadata file.
    pub fn open(&self, location: FragmentLocation) -> Result<Fragment> {
        if location.name().version() < v::METADATA_FOOTER {
            self.open_legacy(location)
        } else {
            self.open_by_footer(location)
        }
    }

    fn open_by_footer(&self, location: FragmentLocation) -> Result<Fragment> {
        let file_uri = location.uri().join(folders::FRAGMENT_METADATA_FILE);
        let name = location.name();
        let opened = || -> Result<_> {
            let unnamed = name.version() < v::FOOTER_NAMES_SCHEMA;
            let schema = unnamed.then(|| (self.schema)(None)).transpose()?;
            let (mut tail, footer) = read_tail(self.vfs, &file_uri, name, schema.as_deref())?;
            let range = footer.clone();
            let bytes = tail.bytes.get(footer).unwrap_or_default();
            let mut from = Cursor::new("fragment footer", bytes);
            let (head, schema) = self.read_head(&mut from, name)?;
            let footer = Footer::read(head, &mut from, &schema)?;
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
            tail: Some(Box::new(tail)),
            ..LoadedMetadata::new(footer, schema)
        };
        self.fragment(location, metadata)
    }

    /// Reads the first fields of the footer of a fragment, and returns the schema that they name.
    fn read_head(
        &self,
        from: &mut Cursor<'_>,
        name: &FragmentName,
    ) -> Result<(FooterHead, Arc<ArraySchema>)> {
        let head = FooterHead::read_shared(from, self.schema_name.as_ref())?;
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
        Ok((head, schema))
    }

    fn open_legacy(&self, location: FragmentLocation) -> Result<Fragment> {
        let (uri, name) = (location.uri(), location.name());
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
        self.fragment(location, metadata)
    }

    fn fragment(&self, location: FragmentLocation, metadata: LoadedMetadata) -> Result<Fragment> {
        let LoadedMetadata { footer, schema, .. } = &metadata;
        let tile_num = if footer.dense {
            dense_tile_num(schema, footer.non_empty_domain.as_ref())
        } else {
            Some(footer.sparse_tile_num)
        };
        let Some(tile_num) = tile_num else {
            let problem = "is outside of the array's domain";
            let error = Error::corrupt("fragment footer", "non-empty domain", 0, problem);
            return Err(error.with_uri(location.uri()));
        };
        Ok(Fragment {
            vfs: self.vfs.clone(),
            location,
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
