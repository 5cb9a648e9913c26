//! Single operations on open arrays and groups.

use std::ffi::{CStr, c_char};

use crate::arrays::{DELETE, Done, OpenArray, Query, READ, text};
use crate::cells::{Field, Handle, Shape};
use crate::library::{Library, address};
use crate::operations::{ROW_MAJOR, UNORDERED};

pub(crate) fn dump(library: &Library, function: &str, arguments: &[usize]) -> Done {
    let made = library.try_make(function, arguments)?;
    crate::arrays::state::string(library, made);
    Ok(())
}

pub(crate) fn metadata(library: &Library, family: &str, handle: usize) -> Done {
    let mut count = 0u64;
    library.attempt(
        &format!("{family}_get_metadata_num"),
        &[handle, address(&mut count)],
    )?;
    for index in 0..count.min(100) as usize {
        let (mut key, mut value) = (std::ptr::null::<u8>(), std::ptr::null::<u8>());
        let mut numbers = [0u32; 3];
        let [length, datatype, values] = &mut numbers;
        let key = [address(&mut key), address(length)];
        let value = [address(datatype), address(values), address(&mut value)];
        let arguments = [&[handle, index][..], &key, &value].concat();
        library.attempt(&format!("{family}_get_metadata_from_index"), &arguments)?;
    }
    Ok(())
}

/// Returns the low and high coordinates of each dimension, or `None` for an empty array.
pub(crate) fn non_empty_domain(library: &Library, array: &OpenArray<'_>) -> Done<Option<Vec<u8>>> {
    // The schema may have any number of dimensions; each takes 16 bytes.
    let mut ends = vec![0u8; 1 << 20];
    let mut empty = 0i32;
    let arguments = [
        array.handle,
        ends.as_mut_ptr() as usize,
        address(&mut empty),
    ];
    library.attempt("array_get_non_empty_domain", &arguments)?;
    Ok((empty == 0).then_some(ends))
}

pub(crate) fn fragment_info(library: &Library, uri: &CStr) -> Done {
    let make = "fragment_info_alloc";
    let info = Handle::make(library, make, &[text(uri)], "fragment_info_free")?;
    library.attempt("fragment_info_load", &[info.raw])?;
    let mut count = 0u32;
    library.attempt(
        "fragment_info_get_fragment_num",
        &[info.raw, address(&mut count)],
    )?;
    for position in 0..count.min(20) as usize {
        let mut number = 0u64;
        for getter in ["fragment_size", "cell_num", "mbr_num"] {
            let arguments = [info.raw, position, address(&mut number)];
            library.attempt(&format!("fragment_info_get_{getter}"), &arguments)?;
        }
        let mut ends = vec![0u8; 1 << 16];
        for index in 0..number.min(10) as usize {
            let arguments = [info.raw, position, index, 0, ends.as_mut_ptr() as usize];
            // Dimensions of strings have another function.
            drop(library.attempt("fragment_info_get_mbr_from_index", &arguments));
        }
    }
    dump(library, "fragment_info_dump_str", &[info.raw])
}

pub(crate) fn aggregate(
    library: &Library,
    array: &OpenArray<'_>,
    domain: Option<&[u8]>,
    field: &Field,
    operator: &str,
) -> Done {
    let query = Query::new(array, READ)?;
    query.set_layout(if domain.is_some() {
        ROW_MAJOR
    } else {
        UNORDERED
    })?;
    if let Some(ends) = domain {
        let make = "subarray_alloc";
        let subarray = Handle::make(library, make, &[array.handle], "subarray_free")?;
        library.attempt(
            "subarray_set_subarray",
            &[subarray.raw, ends.as_ptr() as usize],
        )?;
        library.attempt("query_set_subarray_t", &[query.handle, subarray.raw])?;
    }
    let make = "query_get_default_channel";
    let channel = Handle::make(library, make, &[query.handle], "query_channel_free")?;
    let kind = library.try_make(&format!("channel_operator_{operator}_get"), &[])?;
    let make = "create_unary_aggregate";
    let unary = [query.handle, kind, text(&field.name)];
    let operation = Handle::make(library, make, &unary, "aggregate_free")?;
    let apply = [channel.raw, text(c"result"), operation.raw];
    library.attempt("channel_apply_aggregate", &apply)?;
    let is_min_max = matches!(operator, "min" | "max");
    let mut data = vec![0u8; 1 << 16];
    let size = if is_min_max { field.size } else { 8 };
    let mut sizes = [
        if size == 0 {
            data.len()
        } else {
            size.min(data.len())
        } as u64,
        8,
        1,
    ];
    let [data_size, offsets_size, validity_size] = &mut sizes;
    let (mut offset, mut valid) = (0u64, 0u8);
    let set = |kind: &str, index: usize, size: usize| {
        let arguments = [query.handle, text(c"result"), index, size];
        library.attempt(&format!("query_set_{kind}_buffer"), &arguments)
    };
    set("data", data.as_mut_ptr() as usize, address(data_size))?;
    if is_min_max && field.is_var() {
        set("offsets", address(&mut offset), address(offsets_size))?;
    }
    if field.nullable && operator != "null_count" {
        set("validity", address(&mut valid), address(validity_size))?;
    }
    query.submit()
}

pub(crate) fn read_label(
    library: &Library,
    array: &OpenArray<'_>,
    schema: usize,
    index: usize,
) -> Done {
    let make = "array_schema_get_dimension_label_from_index";
    let label = Handle::make(library, make, &[schema, index], "dimension_label_free")?;
    let mut name = std::ptr::null::<c_char>();
    library.attempt("dimension_label_get_name", &[label.raw, address(&mut name)])?;
    let query = Query::new(array, READ)?;
    query.set_layout(ROW_MAJOR)?;
    let make = "subarray_alloc";
    let subarray = Handle::make(library, make, &[array.handle], "subarray_free")?;
    let ends = [0i64, 50];
    let [low, high] = [&ends[0], &ends[1]].map(|end| std::ptr::from_ref(end) as usize);
    library.attempt(
        "subarray_add_label_range",
        &[subarray.raw, name as usize, low, high, 0],
    )?;
    library.attempt("query_set_subarray_t", &[query.handle, subarray.raw])?;
    let (mut data, mut size) = (vec![0u8; 1 << 12], 1u64 << 12);
    let buffer = [
        query.handle,
        name as usize,
        data.as_mut_ptr() as usize,
        address(&mut size),
    ];
    library.attempt("query_set_data_buffer", &buffer)?;
    query.submit()
}

/// Deletes the cells of which the first attribute is less than a value.
pub(crate) fn delete_cells(library: &Library, uri: &CStr) -> Done {
    let array = OpenArray::open(library, uri, DELETE, None)?;
    let make = "array_get_schema";
    let schema = Handle::make(library, make, &[array.handle], "array_schema_free")?;
    let shape = Shape::of(library, schema.raw)?;
    let field = shape.attributes().next().ok_or("no attribute")?;
    let query = Query::new(&array, DELETE)?;
    let make = "query_condition_alloc";
    let condition = Handle::make(library, make, &[], "query_condition_free")?;
    let value = [3u8, 0, 0, 0, 0, 0, 0, 0];
    let size = if field.is_var() {
        1
    } else {
        field.size.min(value.len())
    };
    let comparison = [
        condition.raw,
        text(&field.name),
        value.as_ptr() as usize,
        size,
        0,
    ];
    library.attempt("query_condition_init", &comparison)?;
    library.attempt("query_set_condition", &[query.handle, condition.raw])?;
    query.submit()?;
    drop(query);
    array.close()
}
