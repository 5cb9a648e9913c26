//! Import of NumPy's `.npy` files to dense arrays, and of `.npz` files to groups of them.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufReader, Cursor, ErrorKind, Read};

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, RECOMMENDED_BUFFER_SIZE, ZipArchive};
use tiledb_engine::{
    Array, ArrayType, CellBytes, Context, Datatype, FilterList, Group, GroupChange, Layout, Schema,
};

use super::ImportSummary;
use super::recommendation::SampleCells;
use crate::args::SchemaGoal;
use crate::interrupt;
use crate::npy::NpyHeader;
use crate::problem::{Problem, Result};
use crate::progress::Progress;

/// The memory for values of a write, in bytes.
const SLAB: u64 = 64 << 20;
/// The size of the sample from which filters are chosen in bytes.
const SAMPLE_BYTES: u64 = 4 << 20;
/// About the number of cells of a tile.
const TILE_CELLS: f64 = 65_536.0;

/// Returns the extent with which tiles of some dimensions have a number of cells.
fn extent(size: u64, tile_cells: f64, dimensions: usize) -> u64 {
    let max_extent = tile_cells.powf(1.0 / dimensions as f64) as u64;
    size.min(max_extent.max(1))
}

/// The division of an array into slabs: boxes of complete tiles, whose values follow one another in
/// the file. A slab has one index of each dimension before the split one, a range of that, and all
/// of the following ones.
#[derive(Debug, PartialEq, Eq)]
struct Slabs {
    /// The dimensions, from the one that varies slowest.
    order: Vec<usize>,
    /// The position of the split dimension in `order`.
    split: usize,
    /// The maximum number of indexes of the split dimension in a slab.
    rows: u64,
    /// The size in bytes of one of them.
    row_bytes: u64,
    /// The tile extents by dimension.
    extents: Vec<u64>,
}

impl Slabs {
    /// Splits the slowest dimension that leaves slabs of at most `max_bytes`.
    fn new(header: &NpyHeader, max_bytes: u64) -> Self {
        let (shape, number) = (&header.shape, header.shape.len());
        let mut order: Vec<usize> = (0..number).collect();
        if header.fortran_order {
            order.reverse();
        }
        let (mut split, mut row_bytes) = (0, header.datatype.size() as u64);
        for position in (0..number).rev() {
            split = position;
            let more = row_bytes.saturating_mul(shape[order[position]]);
            if more > max_bytes || position == 0 {
                break;
            }
            row_bytes = more;
        }
        let max_rows = (max_bytes / row_bytes).max(1);
        let equal_extent = |dimension: usize| extent(shape[dimension], TILE_CELLS, number - split);
        let unlimited_extent = equal_extent(order[split]);
        let split_extent = unlimited_extent.min(max_rows);
        let mut extents = vec![1; number];
        extents[order[split]] = split_extent;
        for dimension in &order[split + 1..] {
            extents[*dimension] = if split_extent == unlimited_extent {
                equal_extent(*dimension)
            } else {
                let tile_cells = TILE_CELLS / split_extent as f64;
                extent(shape[*dimension], tile_cells, number - split - 1)
            };
        }
        Self {
            rows: (max_rows / split_extent).saturating_mul(split_extent),
            order,
            split,
            row_bytes,
            extents,
        }
    }
}

/// Creates an array from a `.npy` file.
pub(super) fn import(
    context: &Context,
    source: File,
    uri: &str,
    goal: SchemaGoal,
) -> Result<ImportSummary> {
    import_slabs(
        context,
        BufReader::with_capacity(1 << 20, source),
        uri,
        SLAB,
        goal,
    )
}

/// Creates a group with an array for each member of a `.npz` file.
pub(super) fn import_all(
    context: &Context,
    source: File,
    uri: &str,
    goal: SchemaGoal,
) -> Result<ImportSummary> {
    let invalid = |error: &dyn Display| {
        let message = format!("the file is not a .npz file that can be imported: {error}");
        Problem::usage(message).hint("numpy.savez and numpy.savez_compressed write such files")
    };
    let mut buffer = vec![0; RECOMMENDED_BUFFER_SIZE];
    let archive = ZipArchive::from_file(source, &mut buffer).map_err(|error| invalid(&error))?;
    let mut entries = archive.entries(&mut buffer);
    Group::create(context, uri)?;
    let (mut changes, mut fields, mut cells) = (Vec::new(), Vec::new(), 0_u64);
    while let Some(entry) = entries.next_entry().map_err(|error| invalid(&error))? {
        interrupt::check()?;
        let path = String::from_utf8_lossy(entry.file_path().as_ref()).into_owned();
        let name = path.strip_suffix(".npy").ok_or_else(|| {
            Problem::usage(format!(
                "the member '{path}' of the file is not a .npy file"
            ))
        })?;
        let member = archive.get_entry(entry.wayfinder());
        let member = member.map_err(|error| invalid(&error))?;
        let stored = BufReader::with_capacity(1 << 20, member.reader());
        let content: Box<dyn Read + '_> = match entry.compression_method() {
            CompressionMethod::STORE => Box::new(stored),
            CompressionMethod::DEFLATE => Box::new(DeflateDecoder::new(stored)),
            _ => {
                return Err(invalid(&format!(
                    "the member '{path}' has another compression"
                )));
            }
        };
        let mut content = member.verifying_reader(content);
        let is_plain = |part: char| part.is_alphanumeric() || part == '_' || part == '-';
        let folder = if name.chars().all(is_plain) && !name.starts_with("__") && name.len() < 100 {
            name.to_owned()
        } else {
            format!("array-{}", changes.len())
        };
        let target = format!("{uri}/{folder}");
        let imported = import_slabs(context, &mut content, &target, SLAB, goal)
            .map_err(|problem| problem.within(&format!("the member '{path}'")))?;
        // The checksum is compared at the end of the member.
        content.read_exact(&mut [0]).map_or_else(
            |error| match error.kind() {
                ErrorKind::UnexpectedEof => Ok(()),
                _ => Err(invalid(&error)),
            },
            |()| {
                Err(invalid(&format!(
                    "the member '{path}' has more values than its shape"
                )))
            },
        )?;
        cells = cells.saturating_add(imported.cells);
        let kinds = imported.fields.iter();
        let kinds: Vec<String> = kinds
            .map(|(field, kind)| format!("{field} {kind}"))
            .collect();
        fields.push((name.to_owned(), kinds.join(", ")));
        changes.push(GroupChange::AddRelative {
            path: folder,
            name: Some(name.to_owned()),
        });
    }
    Group::open(context, uri)?.apply(&changes)?;
    Ok(ImportSummary {
        cells,
        fields,
        pictures_left_out: 0,
        reasons: Vec::new(),
    })
}

/// Creates an array from the bytes of a `.npy` file, with writes of at most `max_bytes`.
fn import_slabs(
    context: &Context,
    mut source: impl Read,
    uri: &str,
    max_bytes: u64,
    goal: SchemaGoal,
) -> Result<ImportSummary> {
    let mut header = NpyHeader::read(&mut source)?;
    if header.shape.is_empty() {
        header.shape.push(1);
    }
    let cells = header
        .values()
        .filter(|cells| *cells > 0 && *cells < 1 << 60);
    let cells = cells.ok_or_else(|| Problem::usage("the array has no values, or too many"))?;
    let slabs = Slabs::new(&header, max_bytes);
    let size = header.datatype.size();
    let mut start = Vec::new();
    let sample_bytes = SAMPLE_BYTES / size as u64 * size as u64;
    (&mut source).take(sample_bytes).read_to_end(&mut start)?;
    let mut sample = SampleCells::default();
    let mut values = start[..start.len() / size * size].to_vec();
    reorder(&mut values, &header);
    let values = CellBytes {
        data: &values,
        ..CellBytes::default()
    };
    sample.add_bytes("value", values);
    let draft = schema(&header, &slabs, FilterList::default())?;
    let (filters, reasons) = sample.filters(&draft, goal, "value")?;
    Array::create(context, uri, &schema(&header, &slabs, filters)?)?;
    let source = Cursor::new(start).chain(source);
    write(&Array::open(context, uri)?, &header, &slabs, source)?;
    let dimensions = header.shape.iter().enumerate();
    let dimensions =
        dimensions.map(|(index, size)| (format!("d{index}"), format!("INT64 [0, {}]", size - 1)));
    let value = ("value".to_owned(), header.datatype.name().to_owned());
    Ok(ImportSummary {
        cells,
        fields: dimensions.chain([value]).collect(),
        pictures_left_out: 0,
        reasons,
    })
}

/// Changes values of a file to little-endian order.
fn reorder(values: &mut [u8], header: &NpyHeader) {
    if header.big_endian {
        let values = values.chunks_exact_mut(header.datatype.size());
        values.for_each(<[u8]>::reverse);
    }
}

fn schema(header: &NpyHeader, slabs: &Slabs, filters: FilterList) -> Result<Schema> {
    let mut builder = Schema::builder(ArrayType::Dense);
    for (index, (size, extent)) in header.shape.iter().zip(&slabs.extents).enumerate() {
        let name = format!("d{index}");
        builder = builder.dimension(&name, Datatype::Int64, 0..=*size - 1, *extent);
    }
    if header.fortran_order {
        builder = builder
            .cell_order(Layout::ColMajor)
            .tile_order(Layout::ColMajor);
    }
    let builder = builder.attribute("value", header.datatype);
    Ok(builder.filters("value", filters).build()?)
}

/// Writes the values, slab by slab.
fn write(array: &Array, header: &NpyHeader, slabs: &Slabs, mut source: impl Read) -> Result<()> {
    let layout = if header.fortran_order {
        Layout::ColMajor
    } else {
        Layout::RowMajor
    };
    let (outer, split) = (&slabs.order[..slabs.split], slabs.order[slabs.split]);
    let size = header.shape[split];
    let outer_sizes = outer.iter().map(|dimension| header.shape[*dimension]);
    let outer_cells: u64 = outer_sizes.product();
    let all_bytes = slabs.row_bytes.saturating_mul(size);
    let bar = Progress::bytes(all_bytes.saturating_mul(outer_cells));
    let mut done = 0u64;
    for outer_cell in 0..outer_cells {
        let mut first = 0;
        while first < size {
            interrupt::check()?;
            let last = first.saturating_add(slabs.rows).min(size) - 1;
            let len = (last - first + 1).saturating_mul(slabs.row_bytes);
            let mut bytes = Vec::new();
            (&mut source).take(len).read_to_end(&mut bytes)?;
            if (bytes.len() as u64) < len {
                return Err(Problem::usage("the file ends before the last value"));
            }
            reorder(&mut bytes, header);
            let mut write = array.write().range(&format!("d{split}"), first..=last);
            let mut rest = outer_cell;
            for dimension in outer.iter().rev() {
                let index = rest % header.shape[*dimension];
                rest /= header.shape[*dimension];
                write = write.range(&format!("d{dimension}"), index..=index);
            }
            let cells = CellBytes {
                data: &bytes,
                ..CellBytes::default()
            };
            write.layout(layout).column_bytes("value", cells).submit()?;
            first = last + 1;
            done = done.saturating_add(len);
            bar.set(done);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(shape: &[u64], fortran_order: bool) -> NpyHeader {
        NpyHeader {
            datatype: Datatype::Float64,
            big_endian: false,
            fortran_order,
            shape: shape.to_vec(),
        }
    }

    #[test]
    fn slabs_of_small_rows_split_the_slowest_dimension() {
        let row_major = Slabs::new(&header(&[10_000, 1000], false), SLAB);
        assert_eq!((row_major.split, row_major.rows), (0, 8192));
        assert_eq!(row_major.extents, [256, 256]);
        let column_major = Slabs::new(&header(&[10_000, 1000], true), SLAB);
        assert_eq!(column_major.order, [1, 0]);
        assert_eq!((column_major.split, column_major.rows), (0, 768));
    }

    #[test]
    fn slabs_of_every_shape_are_complete_tiles_of_bounded_size() {
        let shapes: [&[u64]; 7] = [
            &[1 << 40],
            &[1000, 2_000_000],
            &[300, 1 << 30],
            &[1 << 30, 3],
            &[5, 1 << 24, 7],
            &[2, 3, 1 << 30],
            &[1, 1, 1],
        ];
        for (shape, fortran_order) in shapes
            .iter()
            .flat_map(|shape| [(shape, false), (shape, true)])
        {
            let slabs = Slabs::new(&header(shape, fortran_order), SLAB);
            assert!(slabs.rows > 0, "{slabs:?}");
            assert!(slabs.rows * slabs.row_bytes <= SLAB, "{slabs:?}");
            let split = slabs.order[slabs.split];
            assert!(slabs.rows.is_multiple_of(slabs.extents[split]));
            let tile_cells: u64 = slabs.extents.iter().product();
            assert!(tile_cells <= 65_536, "{slabs:?}");
            let mut outer = slabs.order[..slabs.split].iter();
            assert!(outer.all(|dimension| slabs.extents[*dimension] == 1));
        }
    }

    #[test]
    fn values_imported_in_small_slabs_are_complete_and_in_order() {
        let context = Context::new().expect("context");
        let values: Vec<f64> = (0..2 * 3 * 7).map(f64::from).collect();
        let orders = [
            (false, Layout::RowMajor, false),
            (true, Layout::ColMajor, false),
            (false, Layout::RowMajor, true),
        ];
        for (fortran_order, layout, big_endian) in orders {
            for max_bytes in [8, 24, 100, 1000] {
                let folder = tempfile::TempDir::new().expect("folder");
                let uri = folder.path().join("array");
                let uri = uri.to_str().expect("text");
                let header = NpyHeader {
                    big_endian,
                    ..header(&[2, 3, 7], fortran_order)
                };
                let mut file = header.bytes().expect("header");
                file.extend(values.iter().flat_map(|value| {
                    let mut bytes = value.to_le_bytes();
                    if big_endian {
                        bytes.reverse();
                    }
                    bytes
                }));
                let imported = import_slabs(&context, &file[..], uri, max_bytes, SchemaGoal::None)
                    .expect("imported");
                assert_eq!(imported.cells, 42);
                let array = Array::open(&context, uri).expect("opened");
                let read = array.query().layout(layout).read::<f64>("value");
                assert_eq!(read.expect("read"), values, "{fortran_order} {max_bytes}");
            }
        }
    }
}
