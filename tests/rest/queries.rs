//! Conditions, aggregates, estimated sizes and plans of queries at a `tiledb://` URI.

use std::ffi::CString;

use crate::arrays::schema::{self, Shape};
use crate::arrays::write::{Cells, ROW_MAJOR, UNORDERED};
use crate::arrays::{Done, OpenArray, Query, READ, c_path, text};
use crate::library::{Library, address};
use crate::operations::Target;

const GREATER_THAN: usize = 2;
const EQUAL: usize = 4;

/// Compares the results of queries with those in a folder. The libraries estimate sizes
/// differently, so that sizes are compared if `compares_sizes`: client and server have one library.
pub(crate) fn all(target: &Target<'_>, name: &str, shape: Shape, compares_sizes: bool) {
    let library = target.library;
    target.ok(name, "create", |uri| schema::create(library, uri, shape));
    for salt in 1..3 {
        target.ok(name, "write", |uri| {
            let cells = Cells::new(shape, 0..24, salt);
            cells.at(salt as u64).write(library, uri)
        });
    }
    type Operation = fn(&Library, &CString, Shape) -> Done<String>;
    let operations: [(&str, Operation); 4] = [
        ("condition", condition),
        ("aggregates", aggregates),
        ("sizes", sizes),
        ("plan", plan),
    ];
    for (case, operation) in operations {
        let [remote, local] = [target.remote, target.local].map(|folder| {
            let uri = c_path(&folder.join(name));
            let found = operation(library, &uri, shape);
            found.unwrap_or_else(|error| panic!("{case} of {uri:?}: {error}"))
        });
        if compares_sizes || case != "sizes" {
            assert_eq!(remote, local, "{case} of {name}");
        }
    }
}

fn reading<'a>(array: &OpenArray<'a>, shape: Shape) -> Done<Query<'a>> {
    let query = Query::new(array, READ)?;
    query.set_layout(if shape.sparse { UNORDERED } else { ROW_MAJOR })?;
    query.set_ranges(array, &[[2, 21]])?;
    Ok(query)
}

/// Reads the cells that satisfy a condition, on an enumeration if the array has one.
fn condition(library: &Library, uri: &CString, shape: Shape) -> Done<String> {
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = reading(&array, shape)?;
    let condition = library.try_make("query_condition_alloc", &[])?;
    let least = 2010i32;
    let value = std::ptr::from_ref(&least) as usize;
    let init = if shape.enumerated {
        [condition, text(c"e"), text(c"green"), 5, EQUAL]
    } else {
        [condition, text(c"a"), value, 4, GREATER_THAN]
    };
    library.attempt("query_condition_init", &init)?;
    library.attempt("query_set_condition", &[query.handle, condition])?;
    let (mut a, mut size) = ([0i32; 64], 256u64);
    let set = [
        query.handle,
        text(c"a"),
        address(&mut a),
        address(&mut size),
    ];
    library.attempt("query_set_data_buffer", &set)?;
    query.submit()?;
    query.check_completed()?;
    library.free("query_condition_free", condition);
    drop(query);
    array.close()?;
    Ok(format!("{:?}", &a[..(size / 4) as usize]))
}

/// Returns the sum and the number of cells.
fn aggregates(library: &Library, uri: &CString, shape: Shape) -> Done<String> {
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = reading(&array, shape)?;
    let channel = library.try_make("query_get_default_channel", &[query.handle])?;
    let sum = library.try_make("channel_operator_sum_get", &[])?;
    let create = [query.handle, sum, text(c"a")];
    let sum = library.try_make("create_unary_aggregate", &create)?;
    let count = library.try_make("aggregate_count_get", &[])?;
    let (mut values, mut sizes) = ([0u64; 2], [8u64; 2]);
    let [total, number] = &mut values;
    let [total_size, number_size] = &mut sizes;
    for (name, operation, value, size) in [
        (c"total", sum, total, total_size),
        (c"number", count, number, number_size),
    ] {
        let apply = [channel, text(name), operation];
        library.attempt("channel_apply_aggregate", &apply)?;
        let set = [query.handle, text(name), address(value), address(size)];
        library.attempt("query_set_data_buffer", &set)?;
    }
    query.submit()?;
    query.check_completed()?;
    drop(query);
    array.close()?;
    assert_eq!(values[1], 20, "the cells of the range");
    Ok(format!("{values:?} {sizes:?}"))
}

/// Returns the estimated sizes of results.
fn sizes(library: &Library, uri: &CString, shape: Shape) -> Done<String> {
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = reading(&array, shape)?;
    let mut size = 0u64;
    let arguments = [query.handle, text(c"a"), address(&mut size)];
    library.attempt("query_get_est_result_size", &arguments)?;
    let mut found = format!("a {size}");
    if shape.wide {
        let mut sizes = [0u64; 2];
        let [offsets, data] = &mut sizes;
        let arguments = [query.handle, text(c"v"), address(offsets), address(data)];
        library.attempt("query_get_est_result_size_var", &arguments)?;
        found = format!("{found} v {sizes:?}");
    }
    drop(query);
    array.close()?;
    Ok(found)
}

/// Returns the plan of a query without what depends on the URI.
fn plan(library: &Library, uri: &CString, shape: Shape) -> Done<String> {
    let array = OpenArray::open(library, uri, READ, None)?;
    let query = reading(&array, shape)?;
    let (mut a, mut size) = ([0i32; 64], 256u64);
    let set = [
        query.handle,
        text(c"a"),
        address(&mut a),
        address(&mut size),
    ];
    library.attempt("query_set_data_buffer", &set)?;
    let plan = library.try_make("query_get_plan", &[query.handle])?;
    let plan = crate::arrays::state::string(library, plan);
    drop(query);
    array.close()?;
    let lines = plan.lines().map(|line| line.trim_end_matches(','));
    let lines = lines.filter(|line| !line.contains("URI") && !line.contains("Backend"));
    Ok(lines.collect::<Vec<_>>().join("\n"))
}
