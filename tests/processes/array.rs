//! The array that the processes share: a row per writer. Column 0 is rewritten, all others are
//! written once.

use std::ffi::CStr;

use crate::arrays::buffers::FieldBuffers;
use crate::arrays::metadata::change_array;
use crate::arrays::schema::{INT64, attribute};
use crate::arrays::write::{ROW_MAJOR, UNORDERED};
use crate::arrays::{Done, OpenArray, Query, READ, WRITE, text};
use crate::library::{Library, address};
use crate::log::{Counter, Counts, WRITERS};
use crate::roles::Object;

const LAST_COLUMN: i64 = 9_999_999;
/// The value of dense cells that were not written.
const FILL: i64 = i64::MIN;
/// The keys of the writers' metadata.
const KEYS: [&CStr; WRITERS] = [c"w0", c"w1", c"w2"];

/// Creates the array.
pub(crate) fn create(library: &Library, uri: &CStr, object: Object) -> Done {
    let sparse = object != Object::Dense;

    let domain = library.try_make("domain_alloc", &[])?;
    let dimensions = [
        (c"row", WRITERS as i64 - 1, 3i64),
        (c"col", LAST_COLUMN, 64),
    ];
    for (name, last, extent) in &dimensions {
        let ends = [0, *last];
        let extent = std::ptr::from_ref(extent) as usize;
        let arguments = [text(name), INT64, ends.as_ptr() as usize, extent];
        let dimension = library.try_make("dimension_alloc", &arguments)?;
        library.attempt("domain_add_dimension", &[domain, dimension])?;
    }
    let schema = library.try_make("array_schema_alloc", &[usize::from(sparse)])?;
    library.attempt("array_schema_set_domain", &[schema, domain])?;
    if sparse {
        library.attempt("array_schema_set_capacity", &[schema, 100])?;
        let duplicates = usize::from(object == Object::Duplicates);
        library.attempt("array_schema_set_allows_dups", &[schema, duplicates])?;
    }
    let value = attribute(library, c"a", INT64)?;
    library.attempt("array_schema_add_attribute", &[schema, value])?;
    library.attempt("array_create", &[text(uri), schema])
}

/// Returns the value of a cell that is written once.
fn value(row: i64, col: i64) -> i64 {
    1_000_000_000 * row + col
}

/// Writes columns of a writer's row.
pub(crate) fn write(
    library: &Library,
    uri: &CStr,
    writer: usize,
    cols: std::ops::Range<u64>,
) -> Done {
    let row = writer as i64;
    let cols: Vec<i64> = cols.map(|col| 1 + col as i64).collect();
    let values: Vec<i64> = cols.iter().map(|col| value(row, *col)).collect();
    write_cells(library, uri, row, (&cols, &values))
}

/// Rewrites the first cell of a writer's row.
pub(crate) fn rewrite(library: &Library, uri: &CStr, writer: usize, number: u64) -> Done {
    write_cells(library, uri, writer as i64, (&[0], &[number as i64]))
}

/// Writes adjacent cells of a row.
fn write_cells(library: &Library, uri: &CStr, row: i64, (cols, values): (&[i64], &[i64])) -> Done {
    let array = OpenArray::open(library, uri, WRITE, None)?;
    let query = Query::new(&array, WRITE)?;
    let mut fields = vec![(c"a", buffer(values))];
    if is_sparse(library, &array)? {
        query.set_layout(UNORDERED)?;
        fields.push((c"row", buffer(&vec![row; cols.len()])));
        fields.push((c"col", buffer(cols)));
    } else {
        query.set_layout(ROW_MAJOR)?;
        query.set_ranges(&array, &[[row, row], [cols[0], cols[cols.len() - 1]]])?;
    }
    for (name, field) in &mut fields {
        field.set(library, &query, name)?;
    }
    query.submit()?;
    query.finalize()?;
    drop(query);
    array.close()
}

fn buffer(values: &[i64]) -> FieldBuffers {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    FieldBuffers::of(bytes.collect(), None, None)
}

fn is_sparse(library: &Library, array: &OpenArray<'_>) -> Done<bool> {
    let schema = library.try_make("array_get_schema", &[array.handle])?;
    let mut sparse = 0u32;
    library.attempt(
        "array_schema_get_array_type",
        &[schema, address(&mut sparse)],
    )?;
    library.free("array_schema_free", schema);
    Ok(sparse == 1)
}

/// Changes the metadata of a writer.
pub(crate) fn change(library: &Library, uri: &CStr, writer: usize, number: u64) -> Done {
    change_array(library, uri, &[(KEYS[writer], Some(number as i64))], None)
}

/// The content of the array as a reader sees it.
#[derive(Debug)]
pub(crate) struct Content {
    /// The cells of each row, sorted: column and value.
    rows: [Vec<(i64, i64)>; WRITERS],
    metadata: [u64; WRITERS],
}

/// Reads the whole array, of which at most the cells in `begun` exist.
pub(crate) fn read(library: &Library, array: &OpenArray<'_>, begun: &Counts) -> Done<Content> {
    let mut metadata = [0; WRITERS];
    for (key, number) in KEYS.iter().zip(&mut metadata) {
        *number = get_number(library, "array", array.handle, key)?;
    }
    let query = Query::new(array, READ)?;
    let sparse = is_sparse(library, array)?;
    query.set_layout(if sparse { UNORDERED } else { ROW_MAJOR })?;
    let last = begun
        .iter()
        .map(|counts| counts[Counter::Cells as usize])
        .max();
    let last = last.unwrap_or(0) as i64;
    query.set_ranges(array, &[[0, WRITERS as i64 - 1], [0, last]])?;
    // Twice the maximum, so that duplicates are detected.
    let cells = 2 * WRITERS * (last as usize + 1);
    let mut fields =
        [c"row", c"col", c"a"].map(|name| (name, FieldBuffers::with_capacity(cells, false, false)));
    for (name, field) in &mut fields {
        field.set(library, &query, name)?;
    }
    query.submit()?;
    query.check_completed()?;
    let columns = fields.each_ref().map(|(_, field)| numbers(field.data()));
    let mut rows: [Vec<(i64, i64)>; WRITERS] = Default::default();
    for ((row, col), value) in columns[0].iter().zip(&columns[1]).zip(&columns[2]) {
        let row = usize::try_from(*row).ok().filter(|row| *row < WRITERS);
        let row = row.ok_or("a row that does not exist")?;
        if sparse || *value != FILL {
            rows[row].push((*col, *value));
        }
    }
    rows.iter_mut().for_each(|row| row.sort_unstable());
    Ok(Content { rows, metadata })
}

fn numbers(bytes: &[u8]) -> Vec<i64> {
    let numbers = bytes
        .chunks_exact(8)
        .map(|chunk| chunk.try_into().map(i64::from_le_bytes));
    numbers.map(|number| number.expect("eight bytes")).collect()
}

/// Returns the number at a key of metadata, 0 if the key does not exist.
pub(crate) fn get_number(library: &Library, family: &str, handle: usize, key: &CStr) -> Done<u64> {
    let (mut datatype, mut values, mut value) = (0u32, 0u32, std::ptr::null::<u8>());
    let outputs = [
        address(&mut datatype),
        address(&mut values),
        address(&mut value),
    ];
    let arguments = [&[handle, text(key)][..], &outputs].concat();
    library.attempt(&format!("{family}_get_metadata"), &arguments)?;
    if value.is_null() {
        return Ok(0);
    }
    let bytes = crate::library::bytes_of(value, 8);
    Ok(numbers(&bytes)[0] as u64)
}

impl Content {
    /// Ignores metadata, of which earlier values are not kept.
    pub(crate) fn without_metadata(self, committed: &Counts) -> Self {
        let metadata = committed.map(|counts| counts[Counter::Changes as usize]);
        Self { metadata, ..self }
    }

    /// Checks that everything that was committed before the open is present, and nothing that was
    /// begun after the read.
    pub(crate) fn check(&self, committed: &Counts, begun: &Counts) -> Done {
        for (row, cells) in self.rows.iter().enumerate() {
            let [least, most] = [committed, begun].map(|counts| counts[row]);
            let possible = |counter: Counter| least[counter as usize]..=most[counter as usize];
            let rewritten: Vec<_> = cells.iter().filter(|cell| cell.0 == 0).collect();
            let number = match rewritten[..] {
                [] => 0,
                [(_, number)] => *number as u64,
                _ => return Err("a rewritten cell is there twice".to_owned()),
            };
            in_range("a rewritten cell", number, &possible(Counter::Rewrites))?;
            in_range("metadata", self.metadata[row], &possible(Counter::Changes))?;
            let cells = &cells[rewritten.len()..];
            for (expected, (col, found)) in (1..).zip(cells) {
                if *col < expected {
                    return Err("a cell is there twice".to_owned());
                }
                if *col > expected {
                    return Err("a cell between others is missing".to_owned());
                }
                if *found != value(row as i64, *col) {
                    return Err("a cell has a wrong value".to_owned());
                }
            }
            in_range(
                "the number of cells",
                cells.len() as u64,
                &possible(Counter::Cells),
            )?;
        }
        Ok(())
    }
}

/// Checks that a number is in the allowed range.
pub(crate) fn in_range(case: &str, number: u64, allowed: &std::ops::RangeInclusive<u64>) -> Done {
    if number < *allowed.start() {
        return Err(format!("{case} is older than what was committed"));
    }
    if number > *allowed.end() {
        return Err(format!("{case} is newer than what was begun"));
    }
    Ok(())
}
