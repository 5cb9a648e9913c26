//! Random attributes and random cells.

use std::ffi::CString;
use std::ops::Range;

use crate::filters::{DICTIONARY, ListSpec, POSITIVE_DELTA, RLE};
use crate::library::{Library, address};
use crate::random::Random;

/// An attribute that both libraries create.
#[derive(Clone, Debug)]
pub(crate) struct AttributeSpec {
    pub(crate) name: CString,
    pub(crate) datatype: u32,
    pub(crate) size: usize,
    pub(crate) cell_val_num: u32,
    pub(crate) nullable: bool,
    pub(crate) filters: ListSpec,
    pub(crate) fill: Option<Vec<u8>>,
    /// For dimensions: the first coordinate and the number of coordinates.
    pub(crate) coordinates: Option<(i64, u64)>,
}

#[derive(Clone, Default, PartialEq, Debug)]
pub(crate) struct Column {
    pub(crate) data: Vec<u8>,
    pub(crate) offsets: Vec<u64>,
    pub(crate) validity: Vec<u8>,
}

pub(crate) const VAR: u32 = u32::MAX;
/// The integer datatypes of dimensions: code, size, whether signed.
pub(crate) const INTEGERS: [(u32, usize, bool); 8] = [
    (0, 4, true),
    (1, 8, true),
    (5, 1, true),
    (6, 1, false),
    (7, 2, true),
    (8, 2, false),
    (9, 4, false),
    (10, 8, false),
];
/// All datatypes of attributes with the sizes of their values.
pub(crate) const TYPES: [(u32, usize); 44] = [
    (0, 4),
    (1, 8),
    (2, 4),
    (3, 8),
    (4, 1),
    (5, 1),
    (6, 1),
    (7, 2),
    (8, 2),
    (9, 4),
    (10, 8),
    (11, 1),
    (12, 1),
    (13, 2),
    (14, 4),
    (15, 2),
    (16, 4),
    (17, 1),
    (18, 8),
    (19, 8),
    (20, 8),
    (21, 8),
    (22, 8),
    (23, 8),
    (24, 8),
    (25, 8),
    (26, 8),
    (27, 8),
    (28, 8),
    (29, 8),
    (30, 8),
    (31, 8),
    (32, 8),
    (33, 8),
    (34, 8),
    (35, 8),
    (36, 8),
    (37, 8),
    (38, 8),
    (39, 8),
    (40, 1),
    (41, 1),
    (42, 1),
    (43, 1),
];
impl Column {
    /// Appends the cells of a later submit.
    pub(crate) fn append(&mut self, piece: &Self) {
        let base = self.data.len() as u64;
        self.offsets
            .extend(piece.offsets.iter().map(|index| base + index));
        self.data.extend_from_slice(&piece.data);
        self.validity.extend_from_slice(&piece.validity);
    }

    /// Truncates the buffers to the sizes that a read returned.
    pub(crate) fn truncate(&mut self, sizes: &[u64; 3]) {
        self.data.truncate(sizes[0] as usize);
        self.offsets.truncate(sizes[1] as usize / 8);
        self.validity.truncate(sizes[2] as usize);
    }

    pub(crate) fn sizes(&self) -> [u64; 3] {
        [
            self.data.len() as u64,
            self.offsets.len() as u64 * 8,
            self.validity.len() as u64,
        ]
    }
}

impl AttributeSpec {
    /// Returns a dimension that is read as a field.
    pub(crate) fn of_dimension(name: CString, datatype: u32, size: usize) -> Self {
        Self {
            name,
            datatype,
            size,
            cell_val_num: 1,
            nullable: false,
            filters: ListSpec::default(),
            fill: None,
            coordinates: None,
        }
    }

    pub(crate) fn random(random: &mut Random, index: u64) -> Self {
        let (datatype, size) = random.one_of(&TYPES);
        let cell_val_num = if datatype == 17 {
            VAR
        } else {
            random.one_of(&[1, 1, 1, 2, 5, VAR, VAR])
        };
        let nullable = random.below(3) == 0;
        let cell = if cell_val_num == VAR {
            size
        } else {
            size * cell_val_num as usize
        };
        let fill =
            (random.below(3) == 0).then(|| (0..cell).map(|_| random.below(200) as u8).collect());
        let mut filters = ListSpec::random(random);
        if cell_val_num == VAR && matches!(datatype, 11 | 12) && random.below(3) == 0 {
            filters
                .filters
                .sort_by_key(|filter| !matches!(filter.kind, RLE | DICTIONARY));
        }
        // libtiledb takes the second filter for another string encoding and corrupts memory.
        let is_text = |kind: u32| matches!(kind, RLE | DICTIONARY);
        if cell_val_num == VAR
            && filters
                .filters
                .first()
                .is_some_and(|first| is_text(first.kind))
        {
            let mut index = 0;
            filters.filters.retain(|filter| {
                index += 1;
                index == 1 || !is_text(filter.kind)
            });
        }
        Self {
            name: CString::new(format!("a{index}")).expect("name"),
            datatype,
            size,
            cell_val_num,
            nullable,
            filters,
            fill,
            coordinates: None,
        }
    }

    /// Returns an attribute with filters that both libraries accept.
    pub(crate) fn of_bytes(random: &mut Random, index: u64) -> Self {
        let attribute = Self::random(random, index);
        let texts = attribute.cell_val_num == VAR;
        Self {
            filters: ListSpec::of_bytes(random, texts),
            ..attribute
        }
    }

    /// Returns whether tiles have a minimum and maximum string.
    pub(crate) fn is_var_text(&self) -> bool {
        self.cell_val_num == VAR && matches!(self.datatype, 4 | 11)
    }

    /// Returns whether cells are nullable strings of fixed length. If all cells of a tile are null,
    /// libtiledb takes minimum and maximum of the fragment from the wrong tiles.
    pub(crate) fn is_nullable_text(&self) -> bool {
        self.nullable && self.cell_val_num != VAR && matches!(self.datatype, 4 | 11)
    }

    /// Returns whether the values are floating-point numbers.
    pub(crate) fn is_real(&self) -> bool {
        matches!(self.datatype, 2 | 3)
    }

    /// Returns whether tiles have a minimum and maximum number.
    pub(crate) fn is_number(&self) -> bool {
        self.cell_val_num == 1 && matches!(self.datatype, 0..=3 | 5..=10 | 18..=39 | 41)
    }

    /// Removes the filters if the libraries reject them. Both libraries must agree.
    pub(crate) fn settle(&mut self, ours: &Library, theirs: &Library) {
        let accepts = |library: &Library| {
            let bare = Self {
                filters: ListSpec::default(),
                ..self.clone()
            };
            let list = self.filters.make(library);
            let attribute = bare.make(library);
            library.call("attribute_set_filter_list", &[library.ctx, attribute, list])
        };
        let codes = [ours, theirs].map(accepts);
        assert_eq!(codes[0], codes[1], "different results for {self:?}");
        if codes[0] != 0 {
            self.filters = ListSpec::default();
        }
    }

    pub(crate) fn make(&self, library: &Library) -> usize {
        let attribute = library.make(
            "attribute_alloc",
            &[self.name.as_ptr() as usize, self.datatype as usize],
        );
        library.ok(
            "attribute_set_cell_val_num",
            &[attribute, self.cell_val_num as usize],
        );
        if self.nullable {
            library.ok("attribute_set_nullable", &[attribute, 1]);
        }
        match (&self.fill, self.nullable) {
            (Some(fill), false) => library.ok(
                "attribute_set_fill_value",
                &[attribute, fill.as_ptr() as usize, fill.len()],
            ),
            (Some(fill), true) => {
                library.ok(
                    "attribute_set_fill_value_nullable",
                    &[attribute, fill.as_ptr() as usize, fill.len(), 1],
                );
            }
            _ => {}
        }
        library.ok(
            "attribute_set_filter_list",
            &[attribute, self.filters.make(library)],
        );
        attribute
    }

    pub(crate) fn random_cells(&self, random: &mut Random, cells: usize) -> Column {
        let mut column = Column::default();
        let small = random.below(2) == 0;
        // libtiledb's filters cannot decode empty chunks that they encoded, or crash.
        let least = u64::from(!self.filters.filters.is_empty());
        let constant = self.filters.has(POSITIVE_DELTA);
        for _ in 0..cells {
            let values = if self.cell_val_num == VAR {
                column.offsets.push(column.data.len() as u64);
                least + random.below(6 - least)
            } else {
                self.cell_val_num.into()
            };
            let bytes = values as usize * self.size;
            // A highest byte below 128 avoids NaN, whose order in statistics differs.
            column.data.extend((0..bytes).map(|_| {
                if constant {
                    0
                } else {
                    random.below(if small { 4 } else { 100 }) as u8 + 1
                }
            }));
            if self.nullable {
                column.validity.push(u8::from(random.below(4) > 0));
            }
        }
        column
    }

    /// Returns the number of cells of a column.
    pub(crate) fn cell_num(&self, column: &Column) -> usize {
        match self.cell_val_num {
            VAR => column.offsets.len(),
            values => column.data.len() / (self.size * values as usize),
        }
    }

    /// Returns some cells of a column.
    pub(crate) fn slice(&self, column: &Column, cells: Range<usize>) -> Column {
        let mut slice = Column::default();
        if self.cell_val_num == VAR {
            let end = |index: usize| {
                column
                    .offsets
                    .get(index)
                    .map_or(column.data.len(), |end| *end as usize)
            };
            let (first, last) = (end(cells.start), end(cells.end));
            slice.data = column.data[first..last].to_vec();
            slice.offsets = column.offsets[cells.clone()]
                .iter()
                .map(|index| index - first as u64)
                .collect();
        } else {
            let size = self.size * self.cell_val_num as usize;
            slice.data = column.data[cells.start * size..cells.end * size].to_vec();
        }
        if self.nullable {
            slice.validity = column.validity[cells].to_vec();
        }
        slice
    }

    /// Returns buffers for reading cells.
    pub(crate) fn buffers(&self, cells: usize) -> Column {
        let cell = if self.cell_val_num == VAR {
            8 * self.size
        } else {
            self.size * self.cell_val_num as usize
        };
        Column {
            data: vec![0; cells * cell],
            offsets: vec![0; if self.cell_val_num == VAR { cells } else { 0 }],
            validity: vec![0; if self.nullable { cells } else { 0 }],
        }
    }

    pub(crate) fn set_buffers(
        &self,
        library: &Library,
        query: usize,
        column: &mut Column,
        sizes: &mut [u64; 3],
    ) {
        let name = self.name.as_ptr() as usize;
        let [data, offsets, validity] = sizes;
        // An empty vector has no valid address, which libtiledb requires.
        column.data.reserve(1);
        library.ok(
            "query_set_data_buffer",
            &[
                query,
                name,
                column.data.as_mut_ptr() as usize,
                address(data),
            ],
        );
        if self.cell_val_num == VAR {
            library.ok(
                "query_set_offsets_buffer",
                &[
                    query,
                    name,
                    column.offsets.as_mut_ptr() as usize,
                    address(offsets),
                ],
            );
        }
        if self.nullable {
            library.ok(
                "query_set_validity_buffer",
                &[
                    query,
                    name,
                    column.validity.as_mut_ptr() as usize,
                    address(validity),
                ],
            );
        }
    }
}

/// Returns columns as cells: for each field, the result of `convert` on its value.
pub(crate) fn cells<T>(
    fields: &[&AttributeSpec],
    columns: &[Column],
    convert: impl Fn(Column) -> T,
) -> Vec<Vec<T>> {
    let numbers = fields.iter().zip(columns);
    let numbers = numbers.map(|(field, column)| field.cell_num(column));
    let numbers: Vec<usize> = numbers.collect();
    let number = numbers.first().copied().unwrap_or(0);
    assert!(
        numbers.iter().all(|other| *other == number),
        "fields of different lengths: {numbers:?}"
    );
    let value =
        |field: &AttributeSpec, column, index| convert(field.slice(column, index..index + 1));
    (0..number)
        .map(|index| {
            let fields = fields.iter().zip(columns);
            fields
                .map(|(field, column)| value(field, column, index))
                .collect()
        })
        .collect()
}

/// Returns columns as rows of bytes: values, and validities of nullable fields.
pub(crate) fn rows(fields: &[&AttributeSpec], columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
    cells(fields, columns, |value| {
        [value.data, value.validity].concat()
    })
}
