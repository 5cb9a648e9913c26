//! Reads of arrays whose schema may be damaged: fields, queries, and the cells that they deliver.

use std::ffi::{CStr, CString, c_char};

use crate::arrays::{Done, OpenArray, Query, READ, text};
use crate::library::{Library, address};

pub(crate) const VAR_NUM: u32 = u32::MAX;
/// The size of a data buffer in bytes.
const DATA: usize = 1 << 15;
/// The size of an offsets buffer in cells.
const CELLS: usize = 1 << 12;
/// The number of submits of a query.
const SUBMITS: usize = 4;
/// The maximum number of fields to read of an array.
const FIELDS: usize = 64;

const COMPLETED: u32 = 1;
const INCOMPLETE: u32 = 2;

/// Functions that free a handle and whose first argument is the context.
const FREES_WITH_CONTEXT: [&str; 2] = ["aggregate_free", "query_channel_free"];

/// A handle that is freed on drop.
pub(crate) struct Handle<'a> {
    library: &'a Library,
    free: &'static str,
    pub(crate) raw: usize,
}

impl<'a> Handle<'a> {
    /// Calls a function whose last argument receives a handle, which `free` frees.
    pub(crate) fn make(
        library: &'a Library,
        function: &str,
        arguments: &[usize],
        free: &'static str,
    ) -> Done<Self> {
        let raw = library.try_make(function, arguments)?;
        Ok(Self { library, free, raw })
    }
}

impl Drop for Handle<'_> {
    fn drop(&mut self) {
        if self.raw == 0 {
            return;
        }
        if FREES_WITH_CONTEXT.contains(&self.free) {
            self.library.ok(self.free, &[address(&mut self.raw)]);
        } else {
            self.library.free(self.free, self.raw);
        }
    }
}

/// A dimension or an attribute.
#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: CString,
    pub(crate) datatype: u32,
    /// The size of a cell in bytes; 0 for variable lengths.
    pub(crate) size: usize,
    pub(crate) nullable: bool,
    pub(crate) is_dimension: bool,
}

impl Field {
    pub(crate) fn is_var(&self) -> bool {
        self.size == 0
    }

    fn of(library: &Library, family: &str, handle: usize) -> Done<Self> {
        let (mut name, mut datatype, mut values) = (std::ptr::null::<c_char>(), 0u32, 0u32);
        let get = |getter: &str, to: usize| {
            library.attempt(&format!("{family}_get_{getter}"), &[handle, to])
        };
        get("name", address(&mut name))?;
        get("type", address(&mut datatype))?;
        get("cell_val_num", address(&mut values))?;
        // SAFETY: the name is a C string that is valid until the handle is freed.
        let name = unsafe { CStr::from_ptr(name) }.to_owned();
        let mut nullable = 0u8;
        if family == "attribute" {
            get("nullable", address(&mut nullable))?;
        }
        let size = datatype_size(library, datatype);
        Ok(Self {
            name,
            datatype,
            size: if values == VAR_NUM {
                0
            } else {
                (size * values as usize).max(1)
            },
            nullable: nullable != 0,
            is_dimension: family == "dimension",
        })
    }
}

fn datatype_size(library: &Library, datatype: u32) -> usize {
    type Size = unsafe extern "C" fn(u32) -> u64;
    // SAFETY: the library exports the function with this signature.
    unsafe {
        let symbol = libc::dlsym(library.handle, c"tiledb_datatype_size".as_ptr());
        std::mem::transmute::<*mut libc::c_void, Size>(symbol)(datatype) as usize
    }
}

/// The parts of a schema that a read uses.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) sparse: bool,
    pub(crate) dups: bool,
    pub(crate) fields: Vec<Field>,
}

impl Shape {
    pub(crate) fn of(library: &Library, schema: usize) -> Done<Self> {
        let (mut sparse, mut dups, mut count) = (0u32, 0i32, 0u32);
        let get = |getter: &str, to: usize| {
            library.attempt(&format!("array_schema_get_{getter}"), &[schema, to])
        };
        get("array_type", address(&mut sparse))?;
        get("allows_dups", address(&mut dups))?;
        let domain = Handle::make(library, "array_schema_get_domain", &[schema], "domain_free")?;
        library.attempt("domain_get_ndim", &[domain.raw, address(&mut count)])?;
        let mut fields = Vec::new();
        for index in 0..(count as usize).min(FIELDS) {
            let function = "domain_get_dimension_from_index";
            let dimension =
                Handle::make(library, function, &[domain.raw, index], "dimension_free")?;
            fields.push(Field::of(library, "dimension", dimension.raw)?);
        }
        get("attribute_num", address(&mut count))?;
        for index in 0..(count as usize).min(FIELDS) {
            let function = "array_schema_get_attribute_from_index";
            let attribute = Handle::make(library, function, &[schema, index], "attribute_free")?;
            fields.push(Field::of(library, "attribute", attribute.raw)?);
        }
        Ok(Self {
            sparse: sparse == 1,
            dups: dups != 0,
            fields,
        })
    }

    pub(crate) fn attributes(&self) -> impl Iterator<Item = &Field> {
        self.fields.iter().filter(|field| !field.is_dimension)
    }
}

/// The cells of one field: values, and validity if the field is nullable.
pub(crate) type Cells = Vec<(Vec<u8>, u8)>;

/// The result of a query.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delivered {
    pub(crate) fields: Vec<(String, Cells)>,
    pub(crate) completed: bool,
    /// Violated rules of the C API.
    pub(crate) broken: Vec<String>,
}

/// The selection of a query.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    pub(crate) layout: usize,
    /// Low and high coordinates of each dimension.
    pub(crate) subarray: Option<&'a [u8]>,
    /// A name, the bytes of a value, and an operator.
    pub(crate) condition: Option<(&'a CStr, &'a [u8], usize)>,
    pub(crate) fields: &'a [Field],
}

struct Buffers {
    data: Vec<u8>,
    offsets: Vec<u64>,
    validity: Vec<u8>,
    sizes: Box<[u64; 3]>,
}

impl Buffers {
    fn new() -> Self {
        Self {
            data: vec![0xee; DATA],
            offsets: vec![0xee; CELLS],
            validity: vec![0xee; DATA],
            sizes: Box::new([0; 3]),
        }
    }

    fn set(&mut self, library: &Library, query: usize, field: &Field) -> Done {
        let name = text(&field.name);
        *self.sizes = [DATA as u64, 8 * CELLS as u64, DATA as u64];
        if !field.is_var() && field.size <= DATA {
            self.sizes[0] = (DATA / field.size * field.size) as u64;
        }
        let [data, offsets, validity] = &mut *self.sizes;
        let set = |kind: &str, index: usize, size: usize| {
            library.attempt(
                &format!("query_set_{kind}_buffer"),
                &[query, name, index, size],
            )
        };
        set("data", self.data.as_mut_ptr() as usize, address(data))?;
        if field.is_var() {
            set(
                "offsets",
                self.offsets.as_mut_ptr() as usize,
                address(offsets),
            )?;
        }
        if field.nullable {
            set(
                "validity",
                self.validity.as_mut_ptr() as usize,
                address(validity),
            )?;
        }
        Ok(())
    }

    /// Returns the cells, or the rule that the sizes violate.
    fn cells(&self, field: &Field) -> Result<Cells, String> {
        let [data, offsets, validity] = *self.sizes;
        let name = field.name.to_string_lossy();
        let data = self.data.get(..data as usize);
        let data = data.ok_or_else(|| format!("{name}: more data than the buffer holds"))?;
        let values: Vec<&[u8]> = if field.is_var() {
            let starts = self.offsets.get(..offsets as usize / 8);
            let starts = starts.ok_or_else(|| format!("{name}: too many offsets"))?;
            let ends = starts.iter().skip(1).copied().chain([data.len() as u64]);
            let values = starts.iter().zip(ends).map(|(start, end)| {
                let value = data.get(*start as usize..end as usize);
                value.ok_or_else(|| format!("{name}: offsets {start} and {end} of {}", data.len()))
            });
            values.collect::<Result<_, _>>()?
        } else {
            data.chunks(field.size).collect()
        };
        if field.nullable && validity as usize != values.len() {
            return Err(format!(
                "{name}: {validity} validity values of {} cells",
                values.len()
            ));
        }
        let valid = |index: usize| {
            if field.nullable {
                self.validity[index]
            } else {
                1
            }
        };
        let cells = values.into_iter().enumerate();
        Ok(cells
            .map(|(index, value)| (value.to_vec(), valid(index)))
            .collect())
    }
}

/// Runs a query.
pub(crate) fn read(
    library: &Library,
    array: &OpenArray<'_>,
    request: &Request<'_>,
) -> Done<Delivered> {
    let mut buffers: Vec<Buffers> = request.fields.iter().map(|_| Buffers::new()).collect();
    let query = prepare(library, array, request)?;
    let mut delivered = Delivered::default();
    let names = request
        .fields
        .iter()
        .map(|field| field.name.to_string_lossy().into_owned());
    delivered.fields = names.map(|name| (name, Cells::new())).collect();
    for _ in 0..SUBMITS {
        for (field, buffers) in request.fields.iter().zip(&mut buffers) {
            buffers.set(library, query.handle, field)?;
        }
        query.submit()?;
        let mut status = 9u32;
        library.attempt("query_get_status", &[query.handle, address(&mut status)])?;
        let before: usize = delivered.fields.iter().map(|field| field.1.len()).sum();
        for ((field, buffers), to) in request
            .fields
            .iter()
            .zip(&buffers)
            .zip(&mut delivered.fields)
        {
            match buffers.cells(field) {
                Ok(cells) => to.1.extend(cells),
                Err(rule) => delivered.broken.push(rule),
            }
        }
        let after: usize = delivered.fields.iter().map(|field| field.1.len()).sum();
        let counts = delivered.fields.iter().map(|field| field.1.len());
        if delivered.broken.is_empty() && counts.clone().min() != counts.max() {
            delivered
                .broken
                .push("fields have different numbers of cells".to_owned());
        }
        delivered.completed = status == COMPLETED;
        if status != INCOMPLETE || before == after {
            break;
        }
    }
    Ok(delivered)
}

fn prepare<'a>(
    library: &'a Library,
    array: &OpenArray<'a>,
    request: &Request<'_>,
) -> Done<Query<'a>> {
    let query = Query::new(array, READ)?;
    query.set_layout(request.layout)?;
    if let Some(ends) = request.subarray {
        let make = "subarray_alloc";
        let subarray = Handle::make(library, make, &[array.handle], "subarray_free")?;
        let all = [subarray.raw, ends.as_ptr() as usize];
        library.attempt("subarray_set_subarray", &all)?;
        library.attempt("query_set_subarray_t", &[query.handle, subarray.raw])?;
    }
    if let Some((name, value, operator)) = request.condition {
        let make = "query_condition_alloc";
        let condition = Handle::make(library, make, &[], "query_condition_free")?;
        let value = [value.as_ptr() as usize, value.len()];
        let comparison = [condition.raw, text(name), value[0], value[1], operator];
        library.attempt("query_condition_init", &comparison)?;
        library.attempt("query_set_condition", &[query.handle, condition.raw])?;
    }
    Ok(query)
}
