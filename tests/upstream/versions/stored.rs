//! An existing array of any schema: writes some cells where the array has none, and reads
//! everything.

use std::ffi::{CStr, CString, c_char};

use crate::attribute::{AttributeSpec, Column, TYPES, cells};
use crate::filters::ListSpec;
use crate::library::{Library, address, bytes_of};
use crate::query::{DELETE, READ, ROW_MAJOR, UNORDERED, WRITE};
use crate::random::Random;

const COMPLETED: i32 = 1;
/// The maximum number of cells of a read.
const CAPACITY: usize = 1 << 16;
/// A timestamp later than all others.
pub(super) const NEVER: u64 = u64::MAX - 1;

/// A dimension.
struct Dimension {
    field: AttributeSpec,
    /// The ends of its domain; `None` for strings.
    ends: Option<[Vec<u8>; 2]>,
    extent: Option<Vec<u8>>,
}

/// An open array.
pub(super) struct Stored<'a> {
    library: &'a Library,
    array: usize,
    dense: bool,
    dimensions: Vec<Dimension>,
    attributes: Vec<AttributeSpec>,
}

/// A name and its value.
type Word = (Vec<u8>, Vec<u8>);

/// The result of a read.
#[derive(PartialEq)]
pub(super) struct ReadResult {
    domain: Vec<Vec<u8>>,
    /// Keys and values of metadata, names and values of enumerations.
    messages: Vec<Word>,
    /// The names of the fields.
    fields: Vec<CString>,
    /// The values by cell and field; `None` is null.
    cells: Vec<Vec<Option<Vec<u8>>>>,
}

impl ReadResult {
    /// Returns whether libtiledb's result differs only in values of attributes that the latest
    /// schema lacks: libtiledb has fill values if a fragment without them replaced others.
    pub(super) fn differs_in_dropped_values(&self, theirs: &Self, latest: &[CString]) -> bool {
        let is_fill = |value: &Option<Vec<u8>>| *value == Some(i32::MIN.to_le_bytes().to_vec());
        let agree = |ours: &Vec<Option<Vec<u8>>>, theirs: &Vec<Option<Vec<u8>>>| {
            let values = self.fields.iter().zip(ours.iter().zip(theirs));
            values.into_iter().all(|(name, (ours, theirs))| {
                ours == theirs || is_fill(theirs) && !latest.contains(name)
            })
        };
        self.domain == theirs.domain
            && self.messages == theirs.messages
            && self.fields == theirs.fields
            && self.cells.len() == theirs.cells.len()
            && self
                .cells
                .iter()
                .zip(&theirs.cells)
                .all(|(one, other)| agree(one, other))
    }
}

impl std::fmt::Debug for ReadResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} cells in {:?}", self.cells.len(), self.domain)?;
        for (name, value) in &self.messages {
            let [name, value] = [name, value].map(|bytes| String::from_utf8_lossy(bytes));
            write!(f, " {name}={value:?}")?;
        }
        for cell in &self.cells {
            let fields = cell.iter().map(|field| match field {
                Some(bytes) => bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                None => "null".to_owned(),
            });
            write!(f, " ({})", fields.collect::<Vec<_>>().join(" "))?;
        }
        Ok(())
    }
}

fn text(pointer: *const c_char) -> CString {
    // SAFETY: the library just returned this C string.
    unsafe { CStr::from_ptr(pointer) }.to_owned()
}

impl<'a> Stored<'a> {
    fn open(library: &'a Library, uri: &CStr, mode: usize, time: u64) -> Result<Self, String> {
        let array = library.make("array_alloc", &[uri.as_ptr() as usize]);
        library.ok("array_set_open_timestamp_end", &[array, time as usize]);
        if let Err(error) = library.attempt("array_open", &[array, mode]) {
            library.free("array_free", array);
            return Err(error);
        }
        let schema = library.make("array_get_schema", &[array]);
        let (mut kind, mut attributes) = (0u32, 0u32);
        library.ok("array_schema_get_array_type", &[schema, address(&mut kind)]);
        library.ok(
            "array_schema_get_attribute_num",
            &[schema, address(&mut attributes)],
        );
        let domain = library.make("array_schema_get_domain", &[schema]);
        let mut dimensions = 0u32;
        library.ok("domain_get_ndim", &[domain, address(&mut dimensions)]);
        let dense = kind == 0;
        let dimensions = (0..dimensions as usize).map(|index| {
            let handle = library.make("domain_get_dimension_from_index", &[domain, index]);
            let dimension = Dimension::of(library, handle);
            library.free("dimension_free", handle);
            dimension
        });
        let dimensions = dimensions.collect();
        let attributes = (0..attributes as usize).map(|index| {
            let handle = library.make("array_schema_get_attribute_from_index", &[schema, index]);
            let attribute = attribute(library, handle);
            library.free("attribute_free", handle);
            attribute
        });
        let attributes = attributes.collect();
        library.free("domain_free", domain);
        library.free("array_schema_free", schema);
        Ok(Self {
            library,
            array,
            dense,
            dimensions,
            attributes,
        })
    }

    /// Returns the format version of an array's schema, and whether the array is dense.
    pub(super) fn kind(library: &Library, uri: &CStr) -> Result<(u32, bool), String> {
        let stored = Stored::open(library, uri, READ, NEVER)?;
        let schema = library.make("array_get_schema", &[stored.array]);
        let mut version = 0u32;
        library.ok("array_schema_get_version", &[schema, address(&mut version)]);
        library.free("array_schema_free", schema);
        Ok((version, stored.dense))
    }

    /// Returns the names of the dimensions and attributes in the latest schema.
    pub(super) fn latest_fields(library: &Library, uri: &CStr) -> Result<Vec<CString>, String> {
        let stored = Stored::open(library, uri, READ, NEVER)?;
        let dimensions = stored.dimensions.iter().map(|dimension| &dimension.field);
        let fields = dimensions.chain(&stored.attributes);
        Ok(fields.map(|field| field.name.clone()).collect())
    }

    fn query(&self, mode: usize, layout: usize) -> usize {
        let query = self.library.make("query_alloc", &[self.array, mode]);
        if mode != DELETE {
            self.library.ok("query_set_layout", &[query, layout]);
        }
        query
    }

    /// Writes some cells, selected by `position`: a box in the low corner of a dense array, or
    /// scattered cells of a sparse array.
    pub(super) fn write(
        library: &Library,
        uri: &CStr,
        time: u64,
        position: u64,
    ) -> Result<(), String> {
        let stored = Stored::open(library, uri, WRITE, time)?;
        let mut random = Random(position);
        let mut columns = Vec::new();
        let query = stored.query(WRITE, if stored.dense { ROW_MAJOR } else { UNORDERED });
        let cells = if stored.dense {
            let subarray = library.make("subarray_alloc", &[stored.array]);
            let mut cells = 1;
            for (index, dimension) in stored.dimensions.iter().enumerate() {
                let [low, high] = dimension.part(position);
                cells *= dimension.distance(&low, &high) as usize + 1;
                let range = [low.as_ptr() as usize, high.as_ptr() as usize];
                library.ok(
                    "subarray_add_range",
                    &[subarray, index, range[0], range[1], 0],
                );
            }
            library.ok("query_set_subarray_t", &[query, subarray]);
            library.free("subarray_free", subarray);
            cells
        } else {
            let points: Vec<_> = stored.dimensions.iter().map(Dimension::points).collect();
            let cells = points[0].len();
            for points in &points {
                let mut column = Column::default();
                let var = points.windows(2).any(|pair| pair[0].len() != pair[1].len());
                for cell in 0..cells {
                    let point =
                        &points[(cell + position as usize * usize::from(!var)) % points.len()];
                    column.offsets.push(column.data.len() as u64);
                    column.data.extend(point);
                }
                columns.push(column);
            }
            cells
        };
        let mut fields: Vec<_> = stored.dimensions.iter().map(|dim| &dim.field).collect();
        if stored.dense {
            fields.clear();
        }
        fields.extend(&stored.attributes);
        let attributes = stored.attributes.iter();
        columns.extend(attributes.map(|attribute| attribute.random_cells(&mut random, cells)));
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
            field.set_buffers(library, query, column, sizes);
        }
        let done = library
            .attempt("query_submit", &[query])
            .and_then(|()| library.attempt("query_finalize", &[query]));
        library.free("query_free", query);
        done
    }

    /// Deletes the cells whose first number is small.
    pub(super) fn delete(library: &Library, uri: &CStr, time: u64) -> Result<(), String> {
        let stored = Stored::open(library, uri, DELETE, time)?;
        let number = stored.attributes.iter().find(|attribute| {
            attribute.cell_val_num == 1 && matches!(attribute.datatype, 0 | 1 | 5..=10)
        });
        let Some(number) = number else {
            return Err("no number to compare".into());
        };
        let mut bound = [0x30u8; 8];
        bound[number.size..].fill(0);
        let condition = library.make("query_condition_alloc", &[]);
        let init = [
            condition,
            number.name.as_ptr() as usize,
            bound.as_ptr() as usize,
            number.size,
            0,
        ];
        library.ok("query_condition_init", &init);
        let query = stored.query(DELETE, ROW_MAJOR);
        let done = library
            .attempt("query_set_condition", &[query, condition])
            .and_then(|()| library.attempt("query_submit", &[query]));
        library.free("query_condition_free", condition);
        library.free("query_free", query);
        done
    }

    /// Reads all cells in row-major order, metadata and enumerations at a timestamp.
    pub(super) fn read(library: &Library, uri: &CStr, time: u64) -> Result<ReadResult, String> {
        let stored = Stored::open(library, uri, READ, time)?;
        let messages = stored.messages()?;
        let mut domain = Vec::new();
        let query = stored.query(READ, ROW_MAJOR);
        let subarray = library.make("subarray_alloc", &[stored.array]);
        for (index, dimension) in stored.dimensions.iter().enumerate() {
            if dimension.ends.is_none() {
                continue;
            }
            let (mut ends, mut empty) = (vec![0u8; 2 * dimension.field.size], 0i32);
            let position = [
                stored.array,
                index,
                ends.as_mut_ptr() as usize,
                address(&mut empty),
            ];
            library.attempt("array_get_non_empty_domain_from_index", &position)?;
            if empty != 0 {
                continue;
            }
            if stored.dense {
                let (low, high) = ends.split_at(dimension.field.size);
                let range = [low.as_ptr() as usize, high.as_ptr() as usize];
                library.ok(
                    "subarray_add_range",
                    &[subarray, index, range[0], range[1], 0],
                );
            }
            domain.push(ends);
        }
        if stored.dense && domain.is_empty() {
            return Ok(ReadResult {
                domain,
                messages,
                fields: Vec::new(),
                cells: Vec::new(),
            });
        }
        library.ok("query_set_subarray_t", &[query, subarray]);
        library.free("subarray_free", subarray);
        let mut fields: Vec<_> = stored.dimensions.iter().map(|dim| &dim.field).collect();
        fields.extend(&stored.attributes);
        let mut columns: Vec<_> = fields.iter().map(|field| field.buffers(CAPACITY)).collect();
        let mut sizes: Vec<[u64; 3]> = columns.iter().map(Column::sizes).collect();
        for ((field, column), sizes) in fields.iter().zip(&mut columns).zip(&mut sizes) {
            field.set_buffers(library, query, column, sizes);
        }
        let done = library.attempt("query_submit", &[query]);
        let mut status = 0i32;
        library.ok("query_get_status", &[query, address(&mut status)]);
        library.free("query_free", query);
        done?;
        assert_eq!(
            status, COMPLETED,
            "{}: the buffers are too small",
            library.name
        );
        for (column, sizes) in columns.iter_mut().zip(&sizes) {
            column.truncate(sizes);
        }
        let mut cells = cells(&fields, &columns, |value| {
            (value.validity.first() != Some(&0)).then_some(value.data)
        });
        if !stored.dense {
            cells.sort();
        }
        Ok(ReadResult {
            domain,
            messages,
            fields: fields.iter().map(|field| field.name.clone()).collect(),
            cells,
        })
    }

    /// Returns metadata and the enumerations of the attributes.
    fn messages(&self) -> Result<Vec<Word>, String> {
        let (library, mut messages) = (self.library, Vec::new());
        let mut number = 0u64;
        library.attempt(
            "array_get_metadata_num",
            &[self.array, address(&mut number)],
        )?;
        for index in 0..number as usize {
            let (mut key, mut value) = (std::ptr::null::<u8>(), std::ptr::null::<u8>());
            let (mut key_len, mut datatype, mut values) = (0u32, 0u32, 0u32);
            let point_indexes = [
                self.array,
                index,
                address(&mut key),
                address(&mut key_len),
                address(&mut datatype),
                address(&mut values),
                address(&mut value),
            ];
            library.attempt("array_get_metadata_from_index", &point_indexes)?;
            let len = if value.is_null() {
                0
            } else {
                values as usize * TYPES[datatype as usize].1
            };
            messages.push((bytes_of(key, key_len as usize), bytes_of(value, len)));
        }
        for attribute in &self.attributes {
            messages.extend(self.enumeration(attribute)?);
        }
        Ok(messages)
    }

    /// Returns the name and the values of an attribute's enumeration.
    fn enumeration(&self, attribute: &AttributeSpec) -> Result<Option<Word>, String> {
        let library = self.library;
        let schema = library.make("array_get_schema", &[self.array]);
        let name = attribute.name.as_ptr() as usize;
        let handle = library.make("array_schema_get_attribute_from_name", &[schema, name]);
        let mut text = 0usize;
        library.ok(
            "attribute_get_enumeration_name",
            &[handle, address(&mut text)],
        );
        library.free("attribute_free", handle);
        library.free("array_schema_free", schema);
        if text == 0 {
            return Ok(None);
        }
        let (mut bytes, mut len) = (std::ptr::null::<u8>(), 0u64);
        library.call(
            "string_view",
            &[text, address(&mut bytes), address(&mut len)],
        );
        let name = bytes_of(bytes, len as usize);
        library.free("string_free", text);
        let terminated = CString::new(name.clone()).expect("name");
        let mut enumeration = 0usize;
        let position = [
            self.array,
            terminated.as_ptr() as usize,
            address(&mut enumeration),
        ];
        library.attempt("array_get_enumeration", &position)?;
        let (mut data, mut size) = (std::ptr::null::<u8>(), 0u64);
        library.ok(
            "enumeration_get_data",
            &[enumeration, address(&mut data), address(&mut size)],
        );
        let values = bytes_of(data, size as usize);
        library.free("enumeration_free", enumeration);
        Ok(Some((name, values)))
    }
}

impl Drop for Stored<'_> {
    fn drop(&mut self) {
        // Errors are ignored on drop.
        let _ = self.library.attempt("array_close", &[self.array]);
        self.library.free("array_free", self.array);
    }
}

fn attribute(library: &Library, handle: usize) -> AttributeSpec {
    let mut name = std::ptr::null::<c_char>();
    let (mut datatype, mut values, mut nullable) = (0u32, 0u32, 0u8);
    library.ok("attribute_get_name", &[handle, address(&mut name)]);
    library.ok("attribute_get_type", &[handle, address(&mut datatype)]);
    library.ok(
        "attribute_get_cell_val_num",
        &[handle, address(&mut values)],
    );
    library.ok("attribute_get_nullable", &[handle, address(&mut nullable)]);
    AttributeSpec {
        cell_val_num: values,
        nullable: nullable != 0,
        // libtiledb cannot decode the output of some filters for empty chunks.
        filters: ListSpec::of_bytes(&mut Random(1), false),
        ..AttributeSpec::of_dimension(text(name), datatype, TYPES[datatype as usize].1)
    }
}

impl Dimension {
    fn of(library: &Library, handle: usize) -> Self {
        let mut name = std::ptr::null::<c_char>();
        let (mut datatype, mut values) = (0u32, 0u32);
        let (mut domain, mut extent) = (std::ptr::null::<u8>(), std::ptr::null::<u8>());
        library.ok("dimension_get_name", &[handle, address(&mut name)]);
        library.ok("dimension_get_type", &[handle, address(&mut datatype)]);
        library.ok(
            "dimension_get_cell_val_num",
            &[handle, address(&mut values)],
        );
        library.ok("dimension_get_domain", &[handle, address(&mut domain)]);
        library.ok("dimension_get_tile_extent", &[handle, address(&mut extent)]);
        let size = TYPES[datatype as usize].1;
        let field = AttributeSpec::of_dimension(text(name), datatype, size);
        Self {
            field: AttributeSpec {
                cell_val_num: values,
                ..field
            },
            ends: (!domain.is_null()).then(|| {
                let ends = bytes_of(domain, 2 * size);
                [ends[..size].to_vec(), ends[size..].to_vec()]
            }),
            extent: (!extent.is_null()).then(|| bytes_of(extent, size)),
        }
    }

    /// Returns a coordinate as an integer.
    fn number(&self, bytes: &[u8]) -> i128 {
        let mut wide = [0u8; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        let signed = !matches!(self.field.datatype, 6 | 8 | 9 | 10);
        if signed && bytes.last().is_some_and(|top| *top >= 128) {
            wide[bytes.len()..].fill(0xff);
        }
        i128::from_le_bytes(wide)
    }

    fn bytes(&self, number: i128) -> Vec<u8> {
        number.to_le_bytes()[..self.field.size].to_vec()
    }

    fn distance(&self, low: &[u8], high: &[u8]) -> u64 {
        (self.number(high) - self.number(low)) as u64
    }

    /// Returns a part of the domain that ends within tiles.
    fn part(&self, position: u64) -> [Vec<u8>; 2] {
        let [low, high] = self.ends.as_ref().expect("the domain of a dense array");
        let (low, high) = (self.number(low), self.number(high));
        let extent = self.extent.as_ref().map_or(1, |extent| self.number(extent));
        let first = (low + position as i128 % 7).min(high);
        let last = (first + extent.min(40)).min(high);
        [self.bytes(first), self.bytes(last)]
    }

    /// Returns some distinct coordinates.
    fn points(&self) -> Vec<Vec<u8>> {
        let Some([low, high]) = &self.ends else {
            let texts = ["a", "bb", "ccc", "dd", "e", "fff"];
            return texts.map(|text| text.as_bytes().to_vec()).to_vec();
        };
        if matches!(self.field.datatype, 2 | 3) {
            return self.reals(low, high);
        }
        let (low, high) = (self.number(low), self.number(high));
        let count = (high - low + 1).min(7);
        (0..count)
            .map(|index| self.bytes(low + (high - low) / count * index))
            .collect()
    }

    fn reals(&self, low: &[u8], high: &[u8]) -> Vec<Vec<u8>> {
        let part = |index: u32| f64::from(index) / 7.0;
        (0..7)
            .map(|index| match self.field.size {
                4 => {
                    let number =
                        |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("4 bytes"));
                    let (low, high) = (number(low), number(high));
                    let value = low + (high / 8.0 - low / 8.0) * part(index) as f32;
                    value.to_le_bytes().to_vec()
                }
                _ => {
                    let number =
                        |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("8 bytes"));
                    let (low, high) = (number(low), number(high));
                    (low + (high / 8.0 - low / 8.0) * part(index))
                        .to_le_bytes()
                        .to_vec()
                }
            })
            .collect()
    }
}
