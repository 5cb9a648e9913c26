//! Opens a fragment: one read at the end of its metadata file, or none if consolidated
//! metadata or a message contains its footer.

use std::sync::Arc;

use super::fragment::{Sections, Tail, first_tail_bytes, read_record, read_tail};
use super::{FilePart, Fragment, FragmentLocation};
use crate::bytes::Cursor;
use crate::error::{Error, Result};
use crate::format::fragment::{Footer, FooterHead, LegacyMetadata, RTree};
use crate::format::names::{FragmentField, FragmentName, folders};
use crate::format::version as v;
use crate::geometry::GridAxis;
use crate::schema::ArraySchema;
use crate::stats::Counter;
use crate::tile::generic;
use crate::types::{EncryptionKey, NdRange, Range};
use crate::vfs::{Folder, StorageView, Uri, Vfs};

/// Opens the fragments of one array.
pub struct FragmentOpener<'a> {
    /// The storage in which files are looked up.
    pub view: &'a StorageView,
    /// The key of an encrypted array.
    pub key: Option<&'a EncryptionKey>,
    /// The schema that most fragments have, if it is known.
    pub common_schema: Option<CommonSchema>,
    /// Returns the schema with a file name; `None` requests the schema of an array that has only
    /// one.
    pub schema: &'a (dyn Fn(Option<&str>) -> Result<Arc<ArraySchema>> + Sync),
}

/// The properties that all fragments of one schema share, computed once.
#[derive(Debug)]
pub struct CommonSchema {
    /// The name of the schema, which the fragments share.
    name: Arc<str>,
    /// The grid of a dense array; `None` if the schema has no grid.
    axes: Option<Vec<GridAxis>>,
}

impl CommonSchema {
    /// Computes it for a schema.
    pub fn new(schema: &ArraySchema) -> Self {
        Self {
            name: schema.name.as_str().into(),
            axes: axes(schema),
        }
    }
}

impl FragmentOpener<'_> {
    /// Reads the footer of a fragment at a position of consolidated metadata, and returns it with
    /// the schema that it names. Returns `None` if it is invalid: libtiledb has written
    /// consolidated metadata of formats 10 and 11 with wrong positions. The fragment's own file is
    /// read then.
    pub fn consolidated_footer(
        &self,
        name: &FragmentName,
        record: &Arc<Vec<u8>>,
        position: usize,
    ) -> Option<(Footer, Arc<ArraySchema>)> {
        if name.version() < v::METADATA_FOOTER {
            return None;
        }
        let mut from = Cursor::new("fragment footer", record.get(position..)?);
        let (head, schema) = self.read_head(&mut from, name).ok()?;
        let footer = Footer::read_shared(head, &mut from, &schema, record, position).ok()?;
        Some((footer, schema))
    }

    /// Opens a fragment with its footer in consolidated metadata.
    pub fn open_consolidated(
        &self,
        location: FragmentLocation,
        footer: Footer,
        schema: Arc<ArraySchema>,
    ) -> Result<Fragment> {
        let mut fragment = self.fragment(location, footer, schema)?;
        fragment.has_consolidated_footer = true;
        Ok(fragment)
    }

    /// Opens a fragment by its own metadata file. If the fragment is in `folder`, the file is
    /// opened relative to it.
    pub fn open(
        &self,
        folder: Option<&Folder<'_>>,
        location: FragmentLocation,
    ) -> Result<Fragment> {
        if location.name().version() < v::METADATA_FOOTER {
            return self.open_legacy(location);
        }
        if let Some(folder) = folder.filter(|folder| location.is_in(&folder.uri)) {
            let path = location.path_of(folders::FRAGMENT_METADATA_FILE);
            let most = first_tail_bytes(&self.view.vfs, &folder.uri);
            let loaded = self
                .load(location.name(), most, |most| folder.read_tail(&path, most))
                .map_err(|error| error.with_uri(folder.uri.join(&path)))?;
            return self.with_tail(location, loaded);
        }
        let file_uri = location.file_uri(folders::FRAGMENT_METADATA_FILE);
        let most = first_tail_bytes(&self.view.vfs, &file_uri);
        let open = self.view.open(&file_uri);
        let loaded =
            open.and_then(|file| self.load(location.name(), most, |most| file.read_tail(most)));
        self.with_tail(location, loaded.map_err(|error| error.with_uri(&file_uri))?)
    }

    /// Returns the fragment with what [`Self::load`] returned.
    fn with_tail(
        &self,
        location: FragmentLocation,
        (footer, schema, tail): (Footer, Arc<ArraySchema>, Tail),
    ) -> Result<Fragment> {
        let mut fragment = self.fragment(location, footer, schema)?;
        fragment.tail = Some(Box::new(tail));
        Ok(fragment)
    }

    /// Loads the footer of a metadata file, of which `read_end` reads the end, and returns it with
    /// the schema that it names and the end of the file.
    fn load(
        &self,
        name: &FragmentName,
        most: u64,
        read_end: impl Fn(u64) -> Result<(Vec<u8>, u64)>,
    ) -> Result<(Footer, Arc<ArraySchema>, Tail)> {
        let unnamed = name.version() < v::FOOTER_NAMES_SCHEMA;
        let schema = unnamed.then(|| (self.schema)(None)).transpose()?;
        let tail = read_tail(name, schema.as_deref(), most, read_end)?;
        let footer_bytes = tail.footer_bytes();
        let stats = &self.view.vfs.context.stats;
        stats.add(Counter::ReadFooterBytes, footer_bytes.len() as u64);
        let mut from = Cursor::new("fragment footer", footer_bytes);
        let (head, schema) = self.read_head(&mut from, name)?;
        // The numbers by slot stay in the bytes that were read, since most opens need few.
        let start = tail.footer.start;
        let footer = Footer::read_shared(head, &mut from, &schema, &tail.bytes, start)?;
        Ok((footer, schema, tail))
    }

    /// Reads the first fields of the footer of a fragment, and returns the schema that they name.
    fn read_head(
        &self,
        from: &mut Cursor<'_>,
        name: &FragmentName,
    ) -> Result<(FooterHead, Arc<ArraySchema>)> {
        let known = self.common_schema.as_ref().map(|common| &common.name);
        let head = FooterHead::read_shared(from, known)?;
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
        let dense = !self.view.is_file(&uri.join(&coordinates))?;
        let file_uri = uri.join(folders::FRAGMENT_METADATA_FILE);
        let record = generic::read(self.view, &file_uri, self.key)?;
        let stats = &self.view.vfs.context.stats;
        stats.add(Counter::ReadFooterBytes, record.len() as u64);
        let metadata = read_record("fragment metadata", &record, |from| {
            LegacyMetadata::read(from, &schema, dense)
        })
        .map_err(|error| error.with_uri(&file_uri))?;
        let mut fragment = self.fragment(location, metadata.footer.clone(), schema)?;
        fragment.sections = Sections::of_legacy(metadata);
        Ok(fragment)
    }

    /// Returns the size of the metadata file of a fragment in the listing in which names are looked
    /// up, if it has one, and whether the data files that are listed have the sizes in the footer.
    /// The listing itself is not kept.
    fn listed_sizes(&self, location: &FragmentLocation, footer: &Footer) -> (Option<u64>, bool) {
        let listing = self.view.listing();
        let listed = listing.and_then(|listing| listing.objects(location.uri()));
        let Some(listed) = listed else {
            return (None, false);
        };
        let metadata = listed
            .iter()
            .find(|(name, _)| *name == folders::FRAGMENT_METADATA_FILE)
            .map(|(_, info)| info.size);
        let all = listed
            .iter()
            .fold(0, |sum: u64, (_, info)| sum.saturating_add(info.size));
        let columns = &footer.columns;
        let expected = (0..columns.slot_num())
            .flat_map(|slot| FilePart::ALL.map(|part| columns.get(part.file_size(), slot)))
            .fold(metadata.unwrap_or(0), u64::saturating_add);
        (metadata, metadata.is_some() && all == expected)
    }

    /// Returns the fragment with a footer and its schema, of which nothing else is loaded.
    fn fragment(
        &self,
        location: FragmentLocation,
        footer: Footer,
        schema: Arc<ArraySchema>,
    ) -> Result<Fragment> {
        let common = self.common_schema.as_ref().filter(|common| {
            let name = footer.head.schema_name.as_ref();
            name.is_some_and(|name| Arc::ptr_eq(name, &common.name))
        });
        let (metadata_size, has_listed_sizes) = self.listed_sizes(&location, &footer);
        let fragment = Fragment::new(&self.view.vfs, location, footer, schema, self.key, common)?;
        Ok(Fragment {
            metadata_size,
            has_listed_sizes,
            ..fragment
        })
    }
}

/// Returns the number of space tiles that the domain of a dense fragment overlaps; `None` if it is
/// outside of the array's domain, or if there are too many.
pub(super) fn dense_tile_num(schema: &ArraySchema, domain: Option<&NdRange>) -> Option<u64> {
    match domain {
        Some(domain) => tile_num_of(schema, &axes(schema)?, domain),
        None => Some(0),
    }
}

/// Returns the dimensions of the grid of a schema; `None` if one has no grid.
fn axes(schema: &ArraySchema) -> Option<Vec<GridAxis>> {
    schema
        .domain
        .dimensions
        .iter()
        .map(|dimension| GridAxis::new(dimension))
        .collect()
}

fn tile_num_of(schema: &ArraySchema, axes: &[GridAxis], domain: &NdRange) -> Option<u64> {
    let mut tile_num = 1u64;
    for ((dimension, axis), range) in schema.domain.dimensions.iter().zip(axes).zip(domain) {
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

/// A fragment as a message describes it.
#[derive(Debug)]
pub struct FragmentMessage {
    /// The folder.
    pub uri: Uri,
    /// The name of the folder.
    pub name: FragmentName,
    /// The schema with which it was written.
    pub schema: Arc<ArraySchema>,
    /// The footer.
    pub footer: Footer,
    /// The R-tree, if the message has it.
    pub rtree: Option<RTree>,
    /// The size of all files in bytes, if the message has it.
    pub size: Option<u64>,
    /// Whether the footer is in consolidated metadata.
    pub consolidated: bool,
}

impl Fragment {
    /// Creates a fragment with a footer and its schema, of which nothing else is loaded. `common`
    /// has the properties of the schema, if they are known.
    fn new(
        vfs: &Arc<Vfs>,
        location: FragmentLocation,
        footer: Footer,
        schema: Arc<ArraySchema>,
        key: Option<&EncryptionKey>,
        common: Option<&CommonSchema>,
    ) -> Result<Self> {
        let tile_num = match (common, &footer.non_empty_domain) {
            _ if !footer.dense => Some(footer.sparse_tile_num),
            (Some(CommonSchema { axes, .. }), Some(domain)) => {
                let axes = axes.as_deref();
                axes.and_then(|axes| tile_num_of(&schema, axes, domain))
            }
            (_, domain) => dense_tile_num(&schema, domain.as_ref()),
        };
        let Some(tile_num) = tile_num else {
            let problem = "is outside of the array's domain";
            let error = Error::corrupt("fragment footer", "non-empty domain", 0, problem);
            return Err(error.with_uri(location.uri()));
        };
        Ok(Self {
            vfs: vfs.clone(),
            location,
            schema,
            key: key.cloned(),
            footer,
            tile_num,
            tail: None,
            sections: Sections::default(),
            has_consolidated_footer: false,
            metadata_size: None,
            has_listed_sizes: false,
            known_size: None,
        })
    }

    /// Opens the fragment of a message. Sections that the message does not have are read from
    /// storage when they are first needed.
    pub fn of_message(
        vfs: &Arc<Vfs>,
        key: Option<&EncryptionKey>,
        received: FragmentMessage,
    ) -> Result<Self> {
        let location = FragmentLocation::of_folder(received.uri, received.name);
        let (footer, schema) = (received.footer, received.schema);
        Ok(Self {
            sections: Sections::of_rtree(received.rtree),
            has_consolidated_footer: received.consolidated,
            known_size: received.size,
            ..Self::new(vfs, location, footer, schema, key, None)?
        })
    }

    /// Returns the R-tree if it is loaded.
    pub fn loaded_rtree(&self) -> Option<&RTree> {
        self.sections.rtree.get()
    }
}
