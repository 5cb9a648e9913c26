//! The metadata of fragments in messages: what a footer contains, and the R-tree if it is loaded.

use std::sync::Arc;

use capnp::primitive_list;

use super::messages_capnp::fragment_metadata::{self, generic_tile_offsets};
use super::ranges;
use super::texts::{bytes, length, text};
use crate::bytes::{Cursor, Sink};
use crate::error::{Result, SerializationError};
use crate::format::fragment::{Columns, Footer, FooterColumn, FooterHead, RTree, slot_num};
use crate::format::names::{FragmentName, folders, is_without_path};
use crate::format::version::{self as v, FormatVersion};
use crate::fragment::{Fragment, FragmentMessage};
use crate::schema::ArraySchema;
use crate::vfs::Uri;

use FooterColumn as C;

/// Returns the URI of a fragment relative to the array's folder, with the name of its folder of
/// fragments in formats that have one.
pub(super) fn relative_uri(fragment: &Fragment) -> String {
    let name = fragment.name().as_str();
    let parent = fragment.uri().as_str().trim_end_matches('/');
    let parent = parent.strip_suffix(name).unwrap_or_default();
    if parent.trim_end_matches('/').ends_with(folders::FRAGMENTS) {
        format!("{}/{name}", folders::FRAGMENTS)
    } else {
        name.to_owned()
    }
}

/// Returns the URI and the name of a fragment that a message names relative to the array.
fn absolute_uri(array: &Uri, relative: &str) -> Result<(Uri, FragmentName)> {
    let unknown = || SerializationError::UnknownName {
        subject: "the name of a fragment",
        name: relative.to_owned(),
    };
    let (folder, name) = match relative.split_once('/') {
        Some((folders::FRAGMENTS, name)) => (array.join(folders::FRAGMENTS), name),
        Some(_) => return Err(unknown().into()),
        None => (array.clone(), relative),
    };
    // Without a suffix, which could contain a path.
    let parsed = FragmentName::with_suffix(name, "")
        .filter(|_| is_without_path(name))
        .ok_or_else(unknown)?;
    Ok((folder.join(name), parsed))
}

/// Fills the message of the metadata of a fragment.
pub(super) fn fill(mut to: fragment_metadata::Builder<'_>, fragment: &Fragment) -> Result<()> {
    let footer = &fragment.footer;
    to.set_fragment_uri(&relative_uri(fragment)[..]);
    to.set_has_timestamps(footer.has_timestamps);
    to.set_has_delete_meta(footer.has_delete_metadata);
    to.set_has_consolidated_footer(fragment.has_consolidated_footer);
    to.set_sparse_tile_num(footer.sparse_tile_num);
    let column = |column| footer.columns.column(column, footer.head.version);
    fill_numbers(&column(C::FixedFileSize), |n| {
        to.reborrow().init_file_sizes(n)
    })?;
    fill_numbers(&column(C::VarFileSize), |n| {
        to.reborrow().init_file_var_sizes(n)
    })?;
    fill_numbers(&column(C::ValidityFileSize), |n| {
        to.reborrow().init_file_validity_sizes(n)
    })?;
    fill_statistics(to.reborrow(), footer.columns.slot_num())?;
    to.set_version(footer.head.version.0);
    let mut times = to.reborrow().init_timestamp_range(2);
    times.set(0, fragment.timestamps().start);
    times.set(1, fragment.timestamps().end);
    to.set_last_tile_cell_num(footer.last_tile_cell_num);
    let domain = to.reborrow().init_non_empty_domain();
    ranges::fill_non_empty_domain(domain, footer.non_empty_domain.as_ref())?;
    let mut sink = Sink::new();
    match fragment.loaded_rtree() {
        Some(rtree) => rtree.write(&mut sink),
        None => RTree::empty().write(&mut sink),
    }
    to.set_rtree(bytes("An R-tree", &sink.into_bytes())?);
    fill_positions(to.reborrow().init_gt_offsets(), footer)?;
    to.set_array_schema_name(fragment.schema_name());
    Ok(())
}

/// Fills a list of numbers, unless `numbers` is empty.
fn fill_numbers<'a>(
    numbers: &[u64],
    init: impl FnOnce(u32) -> primitive_list::Builder<'a, u64>,
) -> Result<()> {
    if numbers.is_empty() {
        return Ok(());
    }
    let mut to = init(length("A list of numbers", numbers.len())?);
    for (index, number) in (0..).zip(numbers) {
        to.set(index, *number);
    }
    Ok(())
}

/// Fills lists of statistics without values, which the receiver loads when they are needed.
/// libtiledb needs the length of the lists.
fn fill_statistics(mut to: fragment_metadata::Builder<'_>, slots: usize) -> Result<()> {
    let number = length("A list of fields", slots)?;
    to.reborrow().init_tile_min_buffer(number);
    to.reborrow().init_tile_min_var_buffer(number);
    to.reborrow().init_tile_max_buffer(number);
    to.reborrow().init_tile_max_var_buffer(number);
    to.reborrow().init_tile_sums(number);
    to.reborrow().init_tile_null_counts(number);
    to.reborrow().init_fragment_mins(number);
    to.reborrow().init_fragment_maxs(number);
    to.reborrow().init_fragment_sums(number);
    to.reborrow().init_fragment_null_counts(number);
    Ok(())
}

/// Fills the positions of the sections in the metadata file.
fn fill_positions(mut to: generic_tile_offsets::Builder<'_>, footer: &Footer) -> Result<()> {
    let column = |column| footer.columns.column(column, footer.head.version);
    to.set_rtree(footer.rtree);
    fill_numbers(&column(C::TileOffsets), |n| {
        to.reborrow().init_tile_offsets(n)
    })?;
    fill_numbers(&column(C::VarOffsets), |n| {
        to.reborrow().init_tile_var_offsets(n)
    })?;
    fill_numbers(&column(C::VarSizes), |n| {
        to.reborrow().init_tile_var_sizes(n)
    })?;
    fill_numbers(&column(C::ValidityOffsets), |n| {
        to.reborrow().init_tile_validity_offsets(n)
    })?;
    fill_numbers(&column(C::Mins), |n| to.reborrow().init_tile_min_offsets(n))?;
    fill_numbers(&column(C::Maxs), |n| to.reborrow().init_tile_max_offsets(n))?;
    fill_numbers(&column(C::Sums), |n| to.reborrow().init_tile_sum_offsets(n))?;
    fill_numbers(&column(C::NullCounts), |n| {
        to.reborrow().init_tile_null_count_offsets(n)
    })?;
    let bounds = &footer.global_order_bounds;
    let (firsts, lasts) = bounds.split_at(bounds.len() / 2);
    fill_numbers(firsts, |n| {
        to.reborrow().init_tile_global_order_min_offsets(n)
    })?;
    fill_numbers(lasts, |n| {
        to.reborrow().init_tile_global_order_max_offsets(n)
    })?;
    to.set_fragment_min_max_sum_null_count_offset(footer.fragment_stats);
    to.set_processed_conditions_offsets(footer.processed_conditions);
    Ok(())
}

/// Reads the message of the metadata of a fragment of the array at `array`.
pub(super) fn parse(
    from: fragment_metadata::Reader<'_>,
    array: &Uri,
    schema: &Arc<ArraySchema>,
) -> Result<FragmentMessage> {
    let (uri, name) = absolute_uri(array, text(from.get_fragment_uri())?)?;
    let version = FormatVersion(from.get_version());
    if version > FormatVersion::NEWEST || !version.is_readable() {
        return Err(SerializationError::UnknownName {
            subject: "a format version",
            name: version.to_string(),
        }
        .into());
    }
    let footer = parse_footer(from, schema, version)?;
    Ok(FragmentMessage {
        uri,
        name,
        schema: schema.clone(),
        // The sender had not loaded another one.
        rtree: parse_rtree(from, schema)?
            .filter(|rtree| rtree.leaf_num() as u64 == footer.sparse_tile_num),
        footer,
        size: None,
        consolidated: from.get_has_consolidated_footer(),
    })
}

fn parse_footer(
    from: fragment_metadata::Reader<'_>,
    schema: &ArraySchema,
    version: FormatVersion,
) -> Result<Footer> {
    let (timestamps, deletes) = (from.get_has_timestamps(), from.get_has_delete_meta());
    let mut columns = Columns::new(slot_num(schema, version, timestamps, deletes));
    parse_numbers(&mut columns, C::FixedFileSize, from.get_file_sizes()?);
    parse_numbers(&mut columns, C::VarFileSize, from.get_file_var_sizes()?);
    parse_numbers(
        &mut columns,
        C::ValidityFileSize,
        from.get_file_validity_sizes()?,
    );
    let positions = from.get_gt_offsets()?;
    parse_positions(&mut columns, positions)?;
    let schema_name = text(from.get_array_schema_name())?;
    Ok(Footer {
        head: FooterHead {
            version,
            schema_name: Some(schema_name)
                .filter(|name| *name != folders::ROOT_SCHEMA)
                .map(Arc::from),
        },
        dense: schema.is_dense(),
        non_empty_domain: ranges::parse_non_empty_domain(
            from.get_non_empty_domain()?,
            &schema.domain,
        )?,
        sparse_tile_num: from.get_sparse_tile_num(),
        last_tile_cell_num: from.get_last_tile_cell_num(),
        has_timestamps: timestamps,
        has_delete_metadata: deletes,
        columns,
        rtree: positions.get_rtree(),
        fragment_stats: positions.get_fragment_min_max_sum_null_count_offset(),
        processed_conditions: positions.get_processed_conditions_offsets(),
        global_order_bounds: parse_order_bounds(positions, schema, version)?,
    })
}

/// Reads the positions of the bounds of tiles in global order; none unless there is one for each
/// dimension and bound.
fn parse_order_bounds(
    from: generic_tile_offsets::Reader<'_>,
    schema: &ArraySchema,
    version: FormatVersion,
) -> Result<Vec<u64>> {
    let firsts = from.get_tile_global_order_min_offsets()?;
    let lasts = from.get_tile_global_order_max_offsets()?;
    let number = schema.dim_num();
    let is_complete = firsts.len() as usize == number && lasts.len() as usize == number;
    if version < v::OPTIONAL_FOOTER_SECTIONS || !is_complete {
        return Ok(Vec::new());
    }
    Ok(firsts.iter().chain(lasts.iter()).collect())
}

fn parse_numbers(to: &mut Columns, column: C, from: primitive_list::Reader<'_, u64>) {
    for (slot, number) in from.iter().enumerate() {
        to.set(column, slot, number);
    }
}

fn parse_positions(to: &mut Columns, from: generic_tile_offsets::Reader<'_>) -> Result<()> {
    parse_numbers(to, C::TileOffsets, from.get_tile_offsets()?);
    parse_numbers(to, C::VarOffsets, from.get_tile_var_offsets()?);
    parse_numbers(to, C::VarSizes, from.get_tile_var_sizes()?);
    parse_numbers(to, C::ValidityOffsets, from.get_tile_validity_offsets()?);
    parse_numbers(to, C::Mins, from.get_tile_min_offsets()?);
    parse_numbers(to, C::Maxs, from.get_tile_max_offsets()?);
    parse_numbers(to, C::Sums, from.get_tile_sum_offsets()?);
    parse_numbers(to, C::NullCounts, from.get_tile_null_count_offsets()?);
    Ok(())
}

/// Reads the R-tree; `None` if the message has none. Messages have the layout of the written format
/// version, whatever the version of the fragment.
pub(super) fn parse_rtree(
    from: fragment_metadata::Reader<'_>,
    schema: &ArraySchema,
) -> Result<Option<RTree>> {
    let record = from.get_rtree()?;
    if record.is_empty() {
        return Ok(None);
    }
    let mut cursor = Cursor::new("R-tree", record);
    let rtree = RTree::read(&mut cursor, FormatVersion::WRITTEN, schema)?;
    cursor.end()?;
    Ok(Some(rtree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_of_a_message_are_in_the_folders_of_the_array() {
        let array = Uri::parse("mem://array").expect("a URI");
        let name = "__1_1_00000000000000000000000000000001_22";
        for relative in [name.to_owned(), format!("__fragments/{name}")] {
            let (uri, _) = absolute_uri(&array, &relative).expect("a fragment");
            assert_eq!(uri.as_str(), format!("mem://array/{relative}"));
        }
        for relative in [
            format!("../other/{name}"),
            format!("__fragments/../../other/{name}"),
            format!("__fragments/{name}./../../../other/{name}"),
            format!("{name}.x/../../other/__fragments/{name}"),
            format!("__fragments/{name}.x"),
            "__fragments/__1_1_a/b_22".to_owned(),
            "/etc/passwd".to_owned(),
            String::new(),
        ] {
            assert!(absolute_uri(&array, &relative).is_err(), "{relative}");
        }
    }
}
