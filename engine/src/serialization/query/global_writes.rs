//! The state of a write in global order as a message: the number of cells of each field, the
//! metadata of the unfinished fragment, and the coordinates of the last cell. Lists have an element
//! for each slot of the fragment.

use std::sync::Arc;

use capnp::introspect::Introspect;
use capnp::private::layout::PrimitiveElement;
use capnp::{list_list, primitive_list};

use crate::bytes::Sink;
use crate::error::{Result, SerializationError};
use crate::format::fragment::{TileStatsColumn, TileValues, slot_num};
use crate::format::names::{FragmentName, folders};
use crate::fragment::{FilePart, UnfinishedField, UnfinishedFragment, order_values, rtree_of};
use crate::schema::ArraySchema;
use crate::serialization::messages_capnp::{fragment_metadata, global_write_state};
use crate::serialization::texts::{bytes, length, short, text};
use crate::serialization::{fragments, ranges};
use crate::vfs::last_component;
use crate::write::GlobalWriteState;

/// Fills the message of the state of a write.
pub(super) fn fill(
    mut to: global_write_state::Builder<'_>,
    state: &GlobalWriteState,
    schema: &Arc<ArraySchema>,
) -> Result<()> {
    let number = length("A list of fields", state.cells.len())?;
    let mut cells = to.reborrow().init_cells_written().init_entries(number);
    for (index, (name, number)) in (0..).zip(&state.cells) {
        let mut to = cells.reborrow().get(index);
        to.set_key(short("The name of a field", name)?);
        to.set_value(*number);
    }
    fill_fragment(to.reborrow().init_frag_meta(), &state.fragment, schema)?;
    if state.last.is_empty() {
        return Ok(());
    }
    let mut to = to.init_last_cell_coords();
    let number = length("A list of coordinates", state.last.len())?;
    let mut sizes = to.reborrow().init_sizes(number);
    for (index, value) in (0..).zip(&state.last) {
        sizes.set(index, value.len() as u64);
    }
    to.reborrow().init_single_offset(1).set(0, 0);
    let mut coordinates = to.init_coords(number);
    for (index, value) in (0..).zip(&state.last) {
        let number = length("A coordinate", value.len())?;
        fill_bytes(coordinates.reborrow().init(index, number), value);
    }
    Ok(())
}

fn fill_bytes(mut to: primitive_list::Builder<'_, u8>, from: &[u8]) {
    for (index, byte) in (0..).zip(from) {
        to.set(index, *byte);
    }
}

fn fill_numbers(mut to: primitive_list::Builder<'_, u64>, from: impl Iterator<Item = u64>) {
    for (index, number) in (0..).zip(from) {
        to.set(index, number);
    }
}

/// Fills the list of each slot with numbers of its field.
fn fill_number_lists<'f>(
    mut to: list_list::Builder<'_, primitive_list::Owned<u64>>,
    fields: &'f [UnfinishedField],
    numbers: impl Fn(&'f UnfinishedField) -> &'f [u64],
) -> Result<()> {
    for field in fields {
        let numbers = numbers(field);
        let number = length("A list of tiles", numbers.len())?;
        let list = to.reborrow().init(field.slot as u32, number);
        fill_numbers(list, numbers.iter().copied());
    }
    Ok(())
}

/// Fills the list of each slot with bytes of its field.
fn fill_byte_lists(
    mut to: list_list::Builder<'_, primitive_list::Owned<u8>>,
    fields: &[UnfinishedField],
    bytes: impl Fn(&UnfinishedField) -> Vec<u8>,
) -> Result<()> {
    for field in fields {
        let bytes = bytes(field);
        let number = length("A list of values", bytes.len())?;
        fill_bytes(to.reborrow().init(field.slot as u32, number), &bytes);
    }
    Ok(())
}

/// Returns the values of fixed size, or the offsets of those of variable length.
fn fixed_part(values: &TileValues) -> Vec<u8> {
    match values {
        TileValues::Fixed { bytes, .. } => bytes.clone(),
        TileValues::Var { offsets, .. } => words(offsets),
    }
}

/// Returns the values of variable length.
fn var_part(values: &TileValues) -> Vec<u8> {
    match values {
        TileValues::Fixed { .. } => Vec::new(),
        TileValues::Var { bytes, .. } => bytes.clone(),
    }
}

fn words(numbers: &[u64]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn fill_fragment(
    mut to: fragment_metadata::Builder<'_>,
    from: &UnfinishedFragment,
    schema: &Arc<ArraySchema>,
) -> Result<()> {
    let version = from.name.version();
    let slots = length("A list of fields", slot_num(schema, version, false, false))?;
    let fields = &from.fields[..];
    let name = format!("{}/{}", folders::FRAGMENTS, from.name.as_str());
    to.set_fragment_uri(short("The name of a fragment", &name)?);
    to.set_version(version.0);
    to.set_array_schema_name(&schema.name[..]);
    let times = from.name.timestamps();
    let range = to.reborrow().init_timestamp_range(2);
    fill_numbers(range, [times.start, times.end].into_iter());
    for part in FilePart::ALL {
        let mut sizes = match part {
            FilePart::Fixed => to.reborrow().init_file_sizes(slots),
            FilePart::Var => to.reborrow().init_file_var_sizes(slots),
            FilePart::Validity => to.reborrow().init_file_validity_sizes(slots),
        };
        for field in fields {
            sizes.set(field.slot as u32, field.sizes[part as usize]);
        }
        let lists = match part {
            FilePart::Fixed => to.reborrow().init_tile_offsets(slots),
            FilePart::Var => to.reborrow().init_tile_var_offsets(slots),
            FilePart::Validity => to.reborrow().init_tile_validity_offsets(slots),
        };
        fill_number_lists(lists, fields, |field| &field.tile_offsets[part as usize])?;
    }
    let lists = to.reborrow().init_tile_var_sizes(slots);
    fill_number_lists(lists, fields, |field| &field.var_sizes)?;
    fill_statistics(to.reborrow(), fields, slots)?;
    let tiles = fields
        .first()
        .map_or(0, |field| field.tile_offsets[0].len());
    let tiles = if schema.is_dense() { 0 } else { tiles };
    to.set_sparse_tile_num(tiles as u64);
    let domain = to.reborrow().init_non_empty_domain();
    ranges::fill_non_empty_domain(domain, from.non_empty_domain.as_ref())?;
    if !from.order_bounds.is_empty() {
        fill_order_bounds(to.reborrow(), from, schema)?;
    }
    let mut sink = Sink::new();
    rtree_of(from.mbrs.clone(), schema).write(&mut sink);
    to.set_rtree(bytes("An R-tree", &sink.into_bytes())?);
    to.init_gt_offsets();
    Ok(())
}

/// Fills the coordinates of the first and the last cell of each tile, by dimension.
fn fill_order_bounds(
    mut to: fragment_metadata::Builder<'_>,
    from: &UnfinishedFragment,
    schema: &ArraySchema,
) -> Result<()> {
    let number = length("A list of dimensions", schema.dim_num())?;
    let [first, last] = order_values(&from.order_bounds, schema)?;
    let list = to.reborrow().init_tile_global_order_min_buffer(number);
    fill_values(list, &first, fixed_part)?;
    let list = to.reborrow().init_tile_global_order_min_var_buffer(number);
    fill_values(list, &first, var_part)?;
    let list = to.reborrow().init_tile_global_order_max_buffer(number);
    fill_values(list, &last, fixed_part)?;
    let list = to.init_tile_global_order_max_var_buffer(number);
    fill_values(list, &last, var_part)
}

/// Fills the list of each dimension with a part of its values.
fn fill_values(
    mut to: list_list::Builder<'_, primitive_list::Owned<u8>>,
    dimensions: &[TileValues],
    part: fn(&TileValues) -> Vec<u8>,
) -> Result<()> {
    for (index, values) in (0..).zip(dimensions) {
        let bytes = part(values);
        let number = length("A list of values", bytes.len())?;
        fill_bytes(to.reborrow().init(index, number), &bytes);
    }
    Ok(())
}

fn fill_statistics(
    mut to: fragment_metadata::Builder<'_>,
    fields: &[UnfinishedField],
    slots: u32,
) -> Result<()> {
    let list = to.reborrow().init_tile_min_buffer(slots);
    fill_byte_lists(list, fields, |field| fixed_part(&field.stats.mins))?;
    let list = to.reborrow().init_tile_min_var_buffer(slots);
    fill_byte_lists(list, fields, |field| var_part(&field.stats.mins))?;
    let list = to.reborrow().init_tile_max_buffer(slots);
    fill_byte_lists(list, fields, |field| fixed_part(&field.stats.maxs))?;
    let list = to.reborrow().init_tile_max_var_buffer(slots);
    fill_byte_lists(list, fields, |field| var_part(&field.stats.maxs))?;
    let list = to.reborrow().init_tile_sums(slots);
    fill_byte_lists(list, fields, |field| words(&field.stats.sums))?;
    let list = to.reborrow().init_tile_null_counts(slots);
    fill_number_lists(list, fields, |field| &field.stats.null_counts)?;
    // libtiledb needs the length of these lists, which are computed at the end of the write.
    to.reborrow().init_fragment_mins(slots);
    to.reborrow().init_fragment_maxs(slots);
    to.reborrow().init_fragment_sums(slots);
    to.init_fragment_null_counts(slots);
    Ok(())
}

/// Reads the message of the state of a write; `None` if this library cannot continue it: parts of
/// files are uploaded, or it has no fragment.
pub(super) fn parse(
    from: global_write_state::Reader<'_>,
    schema: &Arc<ArraySchema>,
) -> Result<Option<GlobalWriteState>> {
    if !from.has_frag_meta() || from.has_multi_part_upload_states() {
        return Ok(None);
    }
    let mut cells = Vec::new();
    for entry in from.get_cells_written()?.get_entries()? {
        cells.push((text(entry.get_key())?.to_owned(), entry.get_value()));
    }
    let mut last = Vec::new();
    if from.has_last_cell_coords() {
        for coordinate in from.get_last_cell_coords()?.get_coords()? {
            last.push(coordinate?.iter().collect());
        }
    }
    let Some(fragment) = parse_fragment(from.get_frag_meta()?, schema)? else {
        return Ok(None);
    };
    Ok(Some(GlobalWriteState {
        fragment,
        cells,
        last,
    }))
}

fn parse_fragment(
    from: fragment_metadata::Reader<'_>,
    schema: &Arc<ArraySchema>,
) -> Result<Option<UnfinishedFragment>> {
    let relative = text(from.get_fragment_uri())?.trim_end_matches('/');
    let name = last_component(relative);
    let name = FragmentName::parse(name).ok_or_else(|| SerializationError::UnknownName {
        subject: "the name of a fragment",
        name: relative.to_owned(),
    })?;
    let is_own = from.get_version() == name.version().0
        && !from.get_has_timestamps()
        && !from.get_has_delete_meta();
    if !is_own {
        return Ok(None);
    }
    let slots = UnfinishedField::slots(schema);
    let fields = slots
        .map(|(slot, stats)| parse_field(from, slot, stats))
        .collect::<Result<_>>()?;
    let domain = from.get_non_empty_domain()?;
    Ok(Some(UnfinishedFragment {
        name,
        fields,
        mbrs: parse_mbrs(from, schema)?,
        order_bounds: parse_order_bounds(from, schema)?,
        non_empty_domain: ranges::parse_non_empty_domain(domain, &schema.domain)?,
    }))
}

fn parse_field(
    from: fragment_metadata::Reader<'_>,
    slot: usize,
    empty: TileStatsColumn,
) -> Result<UnfinishedField> {
    let size = |sizes: primitive_list::Reader<'_, u64>| {
        let index = index_of(slot, sizes.len());
        index.map_or(0, |index| sizes.get(index))
    };
    Ok(UnfinishedField {
        slot,
        sizes: [
            size(from.get_file_sizes()?),
            size(from.get_file_var_sizes()?),
            size(from.get_file_validity_sizes()?),
        ],
        tile_offsets: [
            values_at(from.get_tile_offsets()?, slot)?,
            values_at(from.get_tile_var_offsets()?, slot)?,
            values_at(from.get_tile_validity_offsets()?, slot)?,
        ],
        var_sizes: values_at(from.get_tile_var_sizes()?, slot)?,
        stats: parse_stats(from, slot, &empty)?,
    })
}

/// Reads the statistics of the tiles of a slot, whose values are of the kind of `empty`.
fn parse_stats(
    from: fragment_metadata::Reader<'_>,
    slot: usize,
    empty: &TileStatsColumn,
) -> Result<TileStatsColumn> {
    Ok(TileStatsColumn {
        mins: tile_values(
            &empty.mins,
            values_at(from.get_tile_min_buffer()?, slot)?,
            values_at(from.get_tile_min_var_buffer()?, slot)?,
        ),
        maxs: tile_values(
            &empty.maxs,
            values_at(from.get_tile_max_buffer()?, slot)?,
            values_at(from.get_tile_max_var_buffer()?, slot)?,
        ),
        sums: numbers_of(&values_at(from.get_tile_sums()?, slot)?),
        null_counts: values_at(from.get_tile_null_counts()?, slot)?,
    })
}

/// Returns the values of the kind of `kind` with these parts.
fn tile_values(kind: &TileValues, fixed: Vec<u8>, var: Vec<u8>) -> TileValues {
    match kind {
        TileValues::Fixed { size, .. } => TileValues::Fixed {
            size: *size,
            bytes: fixed,
        },
        TileValues::Var { .. } => TileValues::Var {
            offsets: numbers_of(&fixed),
            bytes: var,
        },
    }
}

/// Reads the coordinates of the first and the last cell of each tile, by dimension; none if the
/// message does not have them for all tiles.
fn parse_order_bounds(
    from: fragment_metadata::Reader<'_>,
    schema: &ArraySchema,
) -> Result<Vec<crate::types::Range>> {
    let (firsts, first_texts) = (
        from.get_tile_global_order_min_buffer()?,
        from.get_tile_global_order_min_var_buffer()?,
    );
    let (lasts, last_texts) = (
        from.get_tile_global_order_max_buffer()?,
        from.get_tile_global_order_max_var_buffer()?,
    );
    if schema.is_dense() || firsts.is_empty() {
        return Ok(Vec::new());
    }
    let mut dimensions = Vec::with_capacity(schema.dim_num());
    for (dim, dimension) in schema.domain.dimensions.iter().enumerate() {
        let size = (!dimension.is_var()).then(|| dimension.datatype.size());
        let kind = TileValues::new(size);
        let first = tile_values(&kind, values_at(firsts, dim)?, values_at(first_texts, dim)?);
        let last = tile_values(&kind, values_at(lasts, dim)?, values_at(last_texts, dim)?);
        dimensions.push((first, last, size.is_none()));
    }
    Ok((0..)
        .map_while(|tile| {
            dimensions
                .iter()
                .map(|(first, last, is_var)| {
                    let (first, last) = (first.get(tile)?, last.get(tile)?);
                    Some(if *is_var {
                        crate::types::Range::var(first, last)
                    } else {
                        crate::types::Range::fixed(first, last)
                    })
                })
                .collect::<Option<Vec<_>>>()
        })
        .flatten()
        .collect())
}

/// Returns the index of a slot in a list of `len` elements; `None` if the list ends before it.
fn index_of(slot: usize, len: u32) -> Option<u32> {
    u32::try_from(slot).ok().filter(|index| *index < len)
}

/// Returns the numbers or bytes of a slot; none if the list of slots ends before it.
fn values_at<T>(
    lists: list_list::Reader<'_, primitive_list::Owned<T>>,
    slot: usize,
) -> Result<Vec<T>>
where
    T: PrimitiveElement + Introspect,
{
    match index_of(slot, lists.len()) {
        Some(index) => Ok(lists.get(index)?.iter().collect()),
        None => Ok(Vec::new()),
    }
}

fn numbers_of(bytes: &[u8]) -> Vec<u64> {
    bytes
        .chunks_exact(8)
        .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap_or_default()))
        .collect()
}

/// Returns the leaves of the R-tree.
fn parse_mbrs(
    from: fragment_metadata::Reader<'_>,
    schema: &ArraySchema,
) -> Result<Vec<crate::types::Range>> {
    if schema.is_dense() {
        return Ok(Vec::new());
    }
    let Some(rtree) = fragments::parse_rtree(from, schema)? else {
        return Ok(Vec::new());
    };
    Ok((0..rtree.leaf_num())
        .filter_map(|index| rtree.leaf(index))
        .flat_map(|leaf| leaf.iter().cloned())
        .collect())
}
