//! Aggregates of a read with either library.

use std::ffi::{CString, c_void};

use crate::attribute::{AttributeSpec, Column, VAR};
use crate::library::{Library, address};
use crate::query::Query;

/// An operator by its name in the C API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Sum,
    Mean,
    Min,
    Max,
    NullCount,
}

impl Operator {
    const ALL: [Self; 5] = [Self::Sum, Self::Mean, Self::Min, Self::Max, Self::NullCount];

    /// Returns the exported object.
    fn object(self, library: &Library) -> usize {
        let name = match self {
            Self::Sum => "sum",
            Self::Mean => "mean",
            Self::Min => "min",
            Self::Max => "max",
            Self::NullCount => "null_count",
        };
        let symbol = CString::new(format!("tiledb_channel_operator_{name}")).expect("name");
        // SAFETY: an exported variable that contains a pointer.
        unsafe {
            let variable: *const *const c_void =
                libc::dlsym(library.handle, symbol.as_ptr()).cast();
            assert!(!variable.is_null(), "{name} is missing");
            variable.read() as usize
        }
    }
}

/// Returns the operators that are defined for a field.
pub(crate) fn operators(field: &AttributeSpec) -> Vec<Operator> {
    // For single characters libtiledb requires a buffer of the size of its own string object.
    let text = field.datatype == 11 && field.cell_val_num != 1;
    let number = field.cell_val_num == 1 && matches!(field.datatype, 0..=3 | 5..=10 | 18..=39);
    let fits = |operator: &Operator| match operator {
        Operator::Sum | Operator::Mean => number,
        Operator::Min | Operator::Max => number || text,
        Operator::NullCount => field.nullable,
    };
    Operator::ALL.into_iter().filter(fits).collect()
}

/// Returns the value, and the validity if the field is nullable; `None` if libtiledb fails. The
/// query and its array are closed. `extra_cells` is the capacity for cells of the field that are
/// read at the same time.
pub(crate) fn run(
    opened_query: Query<'_>,
    field: &AttributeSpec,
    operator: Operator,
    extra_cells: Option<usize>,
) -> Option<Column> {
    let (library, query) = (opened_query.library, opened_query.handle);
    let channel = library.make("query_get_default_channel", &[query]);
    let operation = library.make(
        "create_unary_aggregate",
        &[
            query,
            operator.object(library),
            field.name.as_ptr() as usize,
        ],
    );
    let name = c"result";
    library.ok(
        "channel_apply_aggregate",
        &[channel, name.as_ptr() as usize, operation],
    );
    // The operation would keep the query and its array alive.
    let (mut channel, mut operation) = (channel, operation);
    library.ok("query_channel_free", &[address(&mut channel)]);
    library.ok("aggregate_free", &[address(&mut operation)]);
    let ends = matches!(operator, Operator::Min | Operator::Max);
    let var = ends && field.cell_val_num == VAR;
    let size = match (ends, var) {
        (true, true) => 64,
        (true, false) => field.size * field.cell_val_num as usize,
        (false, _) => 8,
    };
    let mut result = Column {
        data: vec![0; size],
        offsets: vec![7; usize::from(var)],
        validity: vec![7; usize::from(field.nullable && operator != Operator::NullCount)],
    };
    let mut sizes = result.sizes();
    let name = name.as_ptr() as usize;
    let [data, offsets, validity] = &mut sizes;
    let pointer = result.data.as_mut_ptr() as usize;
    library.ok(
        "query_set_data_buffer",
        &[query, name, pointer, address(data)],
    );
    if var {
        let pointer = result.offsets.as_mut_ptr() as usize;
        library.ok(
            "query_set_offsets_buffer",
            &[query, name, pointer, address(offsets)],
        );
    }
    if !result.validity.is_empty() {
        let pointer = result.validity.as_mut_ptr() as usize;
        library.ok(
            "query_set_validity_buffer",
            &[query, name, pointer, address(validity)],
        );
    }
    let mut cells = field.buffers(extra_cells.unwrap_or_default());
    let mut cell_sizes = cells.sizes();
    if extra_cells.is_some() {
        field.set_buffers(library, query, &mut cells, &mut cell_sizes);
    }
    if let Err(error) = opened_query.submit() {
        // The only accepted error: libtiledb looks for statistics that do not exist.
        assert!(
            library.name == "libtiledb" && error.contains("metadata that's not present"),
            "{}: {error}",
            library.name
        );
        return None;
    }
    assert!(opened_query.is_complete(), "{}: not complete", library.name);
    result.truncate(&sizes);
    Some(result)
}

/// Returns whether two results agree, as far as libtiledb's result is reliable. `partial` states
/// that some tiles may have been written partially.
pub(crate) fn agree(
    partial: bool,
    field: &AttributeSpec,
    operator: Operator,
    ours: &Column,
    theirs: &Column,
) -> bool {
    if ours == theirs {
        return true;
    }
    let number = |column: &Column| {
        let bytes = column.data[..8].try_into().expect("eight bytes");
        (u64::from_le_bytes(bytes), f64::from_le_bytes(bytes))
    };
    match operator {
        // libtiledb counts all cells of partially written tiles, and returns the greatest number if
        // the sum of all cells or of those of a tile overflows.
        Operator::Mean => {
            partial || number(theirs).1 == f64::MAX || {
                let (one, other) = (number(ours).1, number(theirs).1);
                (one.is_nan() && other.is_nan()) || (one - other).abs() <= one.abs() * 1e-9
            }
        }
        Operator::Sum if field.is_real() => {
            let (one, other) = (number(ours).1, number(theirs).1);
            (one - other).abs() <= one.abs() * 1e-9 || one == f64::MAX
        }
        Operator::Sum => {
            let stuck = [u64::MAX, i64::MAX as u64].contains(&number(ours).0);
            // libtiledb counts nulls of tiles that were written in several runs, or partially,
            // wrongly.
            stuck && number(ours).0 == number(theirs).0
                || (ours.data == theirs.data && field.nullable && partial)
        }
        // The stored strings may be those of other tiles, or of cells around the written ones.
        Operator::Min | Operator::Max => field.datatype == 11,
        Operator::NullCount => !field.is_number(),
    }
}
