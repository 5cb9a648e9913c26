//! The footer of a fragment metadata file: the data needed to open a fragment, and the positions of
//! the sections.
//!
//! ```text
//! version               u32
//! schema name           u64 length, then that many bytes                          since 10
//! dense                 u8, 0 or 1
//! no non-empty domain   u8, 0 or 1
//! non-empty domain      a box; without one, zeros for fixed-size dimensions, otherwise nothing
//! sparse tiles          u64
//! cells in last tile    u64
//! has timestamps        u8                                                        since 14
//! has delete metadata   u8                                                        since 15
//! file sizes            u64 for each slot: fixed, var, validity (validity since 7)
//! R-tree                u64, the position of its generic tile; likewise for the sections below
//! tile offsets          u64 for each slot: fixed, var; var sizes; validity (validity since 7)
//! statistics            u64 for each slot: mins, maxs, sums, null counts          since 11
//! fragment statistics   u64                                                       since 12
//! processed conditions  u64                                                       since 16
//! optional sections     u32 number; for each u64 identifier, u32 length, bytes    since 23
//! ```
//!
//! Slots: attributes; one for zipped coordinates; dimensions (since 5); then timestamps, delete
//! timestamps and delete conditions if the fragment has them. Before 5 the columns of
//! variable-length values have no slot for coordinates. Since 10 a u64 with the length of the
//! footer follows; before, only with a dimension of variable length.
#![warn(clippy::indexing_slicing, clippy::cast_possible_truncation)]

use std::sync::Arc;

use super::footer_columns::Columns;
use crate::bytes::{Cursor, Sink};
use crate::error::Result;
use crate::format::rectangle;
use crate::format::version::{self as v, FormatVersion};
use crate::schema::ArraySchema;
use crate::types::NdRange;

/// The identifier of the optional section with the bounds of tiles in global order.
const GLOBAL_ORDER_BOUNDS: u64 = 0;

/// Returns the number of slots of a fragment.
pub fn slot_num(
    schema: &ArraySchema,
    version: FormatVersion,
    has_timestamps: bool,
    has_delete_metadata: bool,
) -> usize {
    let dimensions = if version >= v::SPLIT_DIMENSIONS {
        schema.domain.dimensions.len()
    } else {
        0
    };
    let added = usize::from(has_timestamps) + 2 * usize::from(has_delete_metadata);
    schema.attributes.len() + 1 + dimensions + added
}

/// The first fields of a footer. The schema that they name is needed to read the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct FooterHead {
    /// The format version of the fragment.
    pub version: FormatVersion,
    /// The file name of the schema with which the fragment was written; `None` before format 10.
    pub schema_name: Option<Arc<str>>,
}

impl FooterHead {
    /// Reads the first fields.
    pub fn read(from: &mut Cursor<'_>) -> Result<Self> {
        Self::read_shared(from, None)
    }

    /// Reads the first fields. If the schema has the name `known`, that is shared.
    pub fn read_shared(from: &mut Cursor<'_>, known: Option<&Arc<str>>) -> Result<Self> {
        let start = from.clone();
        let version = FormatVersion(from.u32("version")?);
        if version < v::METADATA_FOOTER || version > FormatVersion::NEWEST {
            return Err(start.corrupt("version", format!("is {version}, which no footer has")));
        }
        let named = version >= v::FOOTER_NAMES_SCHEMA;
        let schema_name = named.then(|| from.shared_str("schema name", known));
        Ok(Self {
            version,
            schema_name: schema_name.transpose()?,
        })
    }

    fn write(&self, to: &mut Sink) {
        to.u32(self.version.0);
        if let Some(name) = &self.schema_name {
            to.text(name);
        }
    }
}

/// The content of a footer.
#[derive(Clone, Debug, PartialEq)]
pub struct Footer {
    /// The version and the schema.
    pub head: FooterHead,
    /// Whether the fragment contains every cell of its non-empty domain.
    pub dense: bool,
    /// The bounding box of its cells.
    pub non_empty_domain: Option<NdRange>,
    /// The number of tiles of a sparse fragment.
    pub sparse_tile_num: u64,
    /// The number of cells in the last tile.
    pub last_tile_cell_num: u64,
    /// Whether the fragment has the time at which each cell was written.
    pub has_timestamps: bool,
    /// Whether the fragment has the time and the condition with which each cell was deleted.
    pub has_delete_metadata: bool,
    /// The sizes of files and the positions of sections.
    pub columns: Columns,
    /// The position of the R-tree in the metadata file.
    pub rtree: u64,
    /// The position of the statistics of the whole fragment.
    pub fragment_stats: u64,
    /// The position of the list of processed conditions.
    pub processed_conditions: u64,
    /// The positions of the least coordinates of each tile in global order, then of the greatest,
    /// by dimension; empty if the fragment does not have them.
    pub global_order_bounds: Vec<u64>,
}

impl Footer {
    /// Reads the rest of a footer after the head.
    pub fn read(head: FooterHead, from: &mut Cursor<'_>, schema: &ArraySchema) -> Result<Self> {
        Self::read_with(head, from, schema, Columns::read_all)
    }

    /// Reads the rest of a footer of `record` after the head. `from` reads the record from the
    /// position `offset` on. The numbers by slot stay in the record.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Footer::read`].
    pub fn read_shared(
        head: FooterHead,
        from: &mut Cursor<'_>,
        schema: &ArraySchema,
        record: &Arc<Vec<u8>>,
        offset: usize,
    ) -> Result<Self> {
        Self::read_with(head, from, schema, |slots, from, version| {
            Columns::locate_all(slots, from, version, record, offset)
        })
    }

    fn read_with(
        head: FooterHead,
        from: &mut Cursor<'_>,
        schema: &ArraySchema,
        read_columns: impl FnOnce(usize, &mut Cursor<'_>, FormatVersion) -> Result<(Columns, u64)>,
    ) -> Result<Self> {
        let version = head.version;
        let dense = from.flag("dense")?;
        let non_empty_domain = read_non_empty_domain(from, schema)?;
        let sparse_tile_num = from.u64("sparse tiles")?;
        let last_tile_cell_num = from.u64("cells in last tile")?;
        let has_timestamps = version >= v::TIMESTAMP_FILES && from.flag("has timestamps")?;
        let has_delete_metadata =
            version >= v::DELETE_METADATA_FILES && from.flag("has delete metadata")?;
        let slots = slot_num(schema, version, has_timestamps, has_delete_metadata);
        let (columns, rtree) = read_columns(slots, from, version)?;
        let mut offset = |field, first_version| {
            if version >= first_version {
                from.u64(field)
            } else {
                Ok(0)
            }
        };
        let fragment_stats = offset("fragment statistics", v::FRAGMENT_STATS)?;
        let processed_conditions = offset("processed conditions", v::DELETE_COMMITS)?;
        let global_order_bounds = if version >= v::OPTIONAL_FOOTER_SECTIONS {
            read_optional_sections(from, schema)?
        } else {
            Vec::new()
        };
        Ok(Self {
            head,
            dense,
            non_empty_domain,
            sparse_tile_num,
            last_tile_cell_num,
            has_timestamps,
            has_delete_metadata,
            columns,
            rtree,
            fragment_stats,
            processed_conditions,
            global_order_bounds,
        })
    }

    /// Writes the footer without its length.
    pub fn write(&self, to: &mut Sink, schema: &ArraySchema) {
        let version = self.head.version;
        self.head.write(to);
        to.flag(self.dense);
        to.flag(self.non_empty_domain.is_none());
        match &self.non_empty_domain {
            Some(domain) => rectangle::write(to, domain),
            None => to.put(&vec![0; absent_domain_len(schema)]),
        }
        to.u64(self.sparse_tile_num);
        to.u64(self.last_tile_cell_num);
        if version >= v::TIMESTAMP_FILES {
            to.flag(self.has_timestamps);
        }
        if version >= v::DELETE_METADATA_FILES {
            to.flag(self.has_delete_metadata);
        }
        self.columns.write_all(self.rtree, to, version);
        if version >= v::FRAGMENT_STATS {
            to.u64(self.fragment_stats);
        }
        if version >= v::DELETE_COMMITS {
            to.u64(self.processed_conditions);
        }
        if version >= v::OPTIONAL_FOOTER_SECTIONS {
            self.write_optional_sections(to);
        }
    }

    fn write_optional_sections(&self, to: &mut Sink) {
        to.u32(u32::from(!self.global_order_bounds.is_empty()));
        if let Ok(len @ 1..) = u32::try_from(8 * self.global_order_bounds.len()) {
            to.u64(GLOBAL_ORDER_BOUNDS);
            to.u32(len);
            to.u64s(&self.global_order_bounds);
        }
    }
}

/// Returns the number of zeros that replace a missing non-empty domain.
fn absent_domain_len(schema: &ArraySchema) -> usize {
    if schema.domain.is_fixed() {
        rectangle::min_len(&schema.domain)
    } else {
        0
    }
}

fn read_non_empty_domain(from: &mut Cursor<'_>, schema: &ArraySchema) -> Result<Option<NdRange>> {
    if from.flag("no non-empty domain")? {
        from.skip("non-empty domain", absent_domain_len(schema))?;
        return Ok(None);
    }
    rectangle::read(from, "non-empty domain", &schema.domain).map(Some)
}

fn read_optional_sections(from: &mut Cursor<'_>, schema: &ArraySchema) -> Result<Vec<u64>> {
    let mut bounds = Vec::new();
    for _ in 0..from.count_u32("optional sections", 12)? {
        let identifier = from.u64("section identifier")?;
        let start = from.clone();
        let len = from.u32("section length")? as usize;
        if identifier != GLOBAL_ORDER_BOUNDS {
            from.skip("section", len)?;
            continue;
        }
        let expected = 2 * schema.domain.dimensions.len();
        if len != 8 * expected {
            return Err(start.corrupt("section length", format!("is {len}, not {}", 8 * expected)));
        }
        bounds = from.u64s("global order bounds", expected)?;
    }
    Ok(bounds)
}

/// The location of a footer in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FooterLocation {
    /// The number of bytes from the start of the footer to the end of the file.
    pub from_end: u64,
    /// The size of the footer in bytes.
    pub len: u64,
}

impl FooterLocation {
    /// Locates the footer from the last bytes of a file: at least 8, or the whole file. `version`
    /// is taken from the fragment's name; `schema` is given for fragments whose footer does not
    /// name one.
    pub fn find(version: FormatVersion, schema: Option<&ArraySchema>, tail: &[u8]) -> Result<Self> {
        if let Some(schema) = schema.filter(|schema| !is_length_stored(version, schema)) {
            let len = unmarked_len(version, schema);
            return Ok(Self { from_end: len, len });
        }
        let from = Cursor::new("fragment footer", tail);
        let Some(length) = tail.last_chunk() else {
            return Err(from.corrupt("footer length", "is missing"));
        };
        let len = u64::from_le_bytes(*length);
        match len.checked_add(8) {
            Some(from_end) => Ok(Self { from_end, len }),
            None => Err(from.corrupt("footer length", format!("is {len}"))),
        }
    }
}

/// Returns whether the length of a footer follows it. In versions in which that depends, a footer
/// without variable-length dimensions has a known length.
pub fn is_length_stored(version: FormatVersion, schema: &ArraySchema) -> bool {
    version >= v::FOOTER_LENGTH_ALWAYS || !schema.domain.is_fixed()
}

/// Returns the length of a footer whose length is not stored.
fn unmarked_len(version: FormatVersion, schema: &ArraySchema) -> u64 {
    let slots = slot_num(schema, version, false, false);
    // Version, two flags, two counts, and the position of the R-tree.
    let others = 4 + 2 + 8 * 3 + rectangle::min_len(&schema.domain);
    (others + Columns::stored_len(slots, version)) as u64
}
