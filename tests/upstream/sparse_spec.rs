//! Random sparse schemas and cells.

use std::collections::BTreeSet;
use std::ffi::CStr;

use crate::attribute::{AttributeSpec, Column, rows};
use crate::coordinates::{Coordinates, Dimension};
use crate::filters::ListSpec;
use crate::library::Library;
use crate::query::{GLOBAL, HILBERT, Query, READ, UNORDERED, WRITE};
use crate::random::Random;

#[derive(Debug)]
pub(crate) struct SparseSpec {
    pub(crate) dimensions: Vec<Dimension>,
    pub(crate) attributes: Vec<AttributeSpec>,
    tile_order: usize,
    cell_order: usize,
    capacity: usize,
    pub(crate) allows_dups: bool,
    coords_filters: Option<ListSpec>,
    offsets_filters: Option<ListSpec>,
    validity_filters: Option<ListSpec>,
    /// The fragments of an array to be read.
    writes: Vec<Cells>,
}

/// The cells of one fragment: a column for each dimension, then for each attribute.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) columns: Vec<Column>,
    pub(crate) number: usize,
    /// For each dimension, the index of each cell's coordinate.
    pub(crate) point_indexes: Vec<Vec<usize>>,
}

impl SparseSpec {
    pub(crate) fn random(random: &mut Random, which: Coordinates) -> Self {
        let dims = 1 + random.below(8).min(random.below(8)) as usize;
        let dimensions: Vec<_> = (0..dims)
            .map(|index| Dimension::random(random, index, which))
            .collect();
        let attributes = (0..random.below(4))
            .map(|index| AttributeSpec::of_bytes(random, index))
            .collect();
        let any_text = dimensions.iter().any(Dimension::is_text);
        Self {
            dimensions,
            attributes,
            tile_order: random.below(2) as usize,
            cell_order: random.one_of(&[0, 1, HILBERT]),
            capacity: random.one_of(&[1, 2, 3, 7, 20, 10_000]),
            allows_dups: random.below(3) == 0,
            coords_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, any_text)),
            offsets_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, false)),
            validity_filters: (random.below(2) == 0).then(|| ListSpec::of_bytes(random, false)),
            writes: Vec::new(),
        }
    }

    /// Returns a schema and a few fragments of an array to be read.
    pub(crate) fn to_be_read(seed: u64) -> Self {
        let mut random = Random(seed);
        let mut spec = Self::random(&mut random, Coordinates::Modest);
        for _ in 0..1 + random.below(5) {
            let cells = spec.random_cells(&mut random);
            spec.writes.push(cells);
        }
        spec
    }

    /// Returns the number of fragments.
    pub(crate) fn write_num(&self) -> usize {
        self.writes.len()
    }

    /// Returns the number of cells of all fragments.
    pub(crate) fn cell_num(&self) -> usize {
        self.writes.iter().map(|cells| cells.number).sum()
    }

    /// Writes a fragment at a timestamp; 0 means the current time.
    pub(crate) fn write_one(&self, library: &Library, uri: &CStr, index: usize, time: u64) {
        let query = Query::open_within(library, uri, WRITE, Some((0, time)));
        self.submit(&query, UNORDERED, &self.writes[index], &[]);
    }

    /// Writes all fragments.
    pub(crate) fn write_all(&self, library: &Library, uri: &CStr) {
        for index in 0..self.write_num() {
            self.write_one(library, uri, index, 0);
            // libtiledb does not order fragments with equal timestamps.
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }

    /// Returns a string dimension that libtiledb assumes to be sorted within tiles. If a tile has
    /// cells of several space tiles, libtiledb returns wrong cells for ranges of it.
    pub(crate) fn mixed_texts(&self) -> Option<usize> {
        let index = match self.cell_order {
            0 => 0,
            1 => self.dimensions.len() - 1,
            _ => return None,
        };
        let tiled = self
            .dimensions
            .iter()
            .any(|dimension| dimension.extent.is_some());
        // libtiledb divides tiles with at least this capacity into parts.
        let mixed = self.dimensions[index].is_text() && tiled && self.capacity >= 12;
        mixed.then_some(index)
    }

    /// Returns whether string coordinates may be empty, which crashes some reads of libtiledb.
    pub(crate) fn has_empty_text(&self) -> bool {
        let mut points = self
            .dimensions
            .iter()
            .flat_map(|dimension| &dimension.points);
        points.any(Vec::is_empty)
    }

    /// Returns whether coordinates have non-ASCII characters. libtiledb writes them in one order
    /// and consolidates fragments in another.
    pub(crate) fn is_past_ascii(&self) -> bool {
        let texts = self
            .dimensions
            .iter()
            .filter(|dimension| dimension.is_text());
        texts
            .flat_map(|dimension| &dimension.points)
            .any(|text| !text.is_ascii())
    }

    /// Returns whether the last tile of cells written in global order is incomplete, not the only
    /// one, and all null. libtiledb treats it as complete, with cells that are not null, and stores
    /// the limits of the type as minimum and maximum.
    pub(crate) fn ends_in_nulls(&self, cells: &Cells) -> bool {
        let last = cells.number - cells.number % self.capacity;
        let null = |(attribute, column): (&AttributeSpec, &Column)| {
            attribute.is_number()
                && attribute.nullable
                && column.validity[last..].iter().all(|valid| *valid == 0)
        };
        let attributes = &cells.columns[self.dimensions.len()..];
        (1..cells.number).contains(&last) && self.attributes.iter().zip(attributes).any(null)
    }

    pub(crate) fn fields(&self) -> impl Iterator<Item = &AttributeSpec> {
        let dimensions = self.dimensions.iter().map(|dimension| &dimension.field);
        dimensions.chain(&self.attributes)
    }

    /// Creates an array of the schema; if `numbered`, only with the dimensions and the number of
    /// each cell.
    pub(crate) fn create(&self, library: &Library, uri: &CStr, numbered: bool) {
        let domain = library.make("domain_alloc", &[]);
        for dimension in &self.dimensions {
            let bounds = [&dimension.low[..], &dimension.high[..]].concat();
            let pointer = |bytes: Option<&[u8]>| bytes.map_or(0, |bytes| bytes.as_ptr() as usize);
            let arguments = [
                dimension.field.name.as_ptr() as usize,
                dimension.field.datatype as usize,
                pointer(
                    Some(&bounds)
                        .filter(|_| !dimension.is_text())
                        .map(|b| &b[..]),
                ),
                pointer(dimension.extent.as_deref()),
            ];
            let made = library.make("dimension_alloc", &arguments);
            if !dimension.field.filters.filters.is_empty() {
                let filters = dimension.field.filters.make(library);
                library.ok("dimension_set_filter_list", &[made, filters]);
            }
            library.ok("domain_add_dimension", &[domain, made]);
        }
        let schema = library.make("array_schema_alloc", &[1]);
        library.ok("array_schema_set_tile_order", &[schema, self.tile_order]);
        library.ok("array_schema_set_cell_order", &[schema, self.cell_order]);
        library.ok("array_schema_set_domain", &[schema, domain]);
        library.ok("array_schema_set_capacity", &[schema, self.capacity]);
        let allows_dups = usize::from(self.allows_dups);
        library.ok("array_schema_set_allows_dups", &[schema, allows_dups]);
        if numbered {
            library.ok(
                "array_schema_add_attribute",
                &[schema, number().make(library)],
            );
        } else {
            for attribute in &self.attributes {
                let attribute = attribute.make(library);
                library.ok("array_schema_add_attribute", &[schema, attribute]);
            }
        }
        for (case, filters) in [
            ("coords", &self.coords_filters),
            ("offsets", &self.offsets_filters),
            ("validity", &self.validity_filters),
        ] {
            if let Some(filters) = filters {
                let filters = filters.make(library);
                library.ok(
                    &format!("array_schema_set_{case}_filter_list"),
                    &[schema, filters],
                );
            }
        }
        library.ok("array_create", &[uri.as_ptr() as usize, schema]);
    }

    /// Returns random cells, without equal coordinates unless the array allows them.
    pub(crate) fn random_cells(&self, random: &mut Random) -> Cells {
        let number = random.one_of(&[1, 2, 5, 30, 100]);
        let mut seen = BTreeSet::new();
        let mut point_indexes = Vec::new();
        for _ in 0..number {
            let point: Vec<usize> = self
                .dimensions
                .iter()
                .map(|dimension| random.below(dimension.points.len() as u64) as usize)
                .collect();
            if seen.insert(point.clone()) || self.allows_dups {
                point_indexes.push(point);
            }
        }
        let number = point_indexes.len();
        let coordinates = self.dimensions.iter().enumerate().map(|(d, dimension)| {
            let mut column = Column::default();
            for point in &point_indexes {
                if dimension.is_text() {
                    column.offsets.push(column.data.len() as u64);
                }
                column.data.extend(&dimension.points[point[d]]);
            }
            column
        });
        let mut columns: Vec<_> = coordinates.collect();
        let attributes = self.attributes.iter();
        columns.extend(attributes.map(|attribute| attribute.random_cells(random, number)));
        Cells {
            columns,
            number,
            point_indexes,
        }
    }

    /// Returns the cells in another order.
    pub(crate) fn ordered(&self, cells: &Cells, order: &[u64]) -> Cells {
        let columns = self.fields().zip(&cells.columns).map(|(field, column)| {
            let mut ordered = Column::default();
            for index in order {
                ordered.append(&field.slice(column, *index as usize..*index as usize + 1));
            }
            ordered
        });
        Cells {
            columns: columns.collect(),
            number: cells.number,
            point_indexes: order
                .iter()
                .map(|index| cells.point_indexes[*index as usize].clone())
                .collect(),
        }
    }

    /// Returns the order in which a library stores cells: it writes their numbers and reads them in
    /// global order.
    pub(crate) fn global_order(&self, library: &Library, uri: &CStr, cells: &Cells) -> Vec<u64> {
        self.create(library, uri, true);
        let mut columns = cells.columns[..self.dimensions.len()].to_vec();
        let numbers = (0..cells.number as u64).flat_map(u64::to_le_bytes);
        columns.push(Column {
            data: numbers.collect(),
            ..Column::default()
        });
        let number = number();
        let dimensions = self.dimensions.iter().map(|dimension| &dimension.field);
        let fields: Vec<_> = dimensions.chain([&number]).collect();
        let query = Query::open(library, uri, WRITE);
        query.set_layout(UNORDERED);
        let written = query.write(&fields, &[columns]);
        drop(query);
        written.unwrap_or_else(|error| panic!("{}: {error}", library.name));
        let read = read_at_once(library, uri, GLOBAL, &[&number], cells.number);
        let (numbers, _) = read[0].data.as_chunks::<8>();
        numbers
            .iter()
            .map(|bytes| u64::from_le_bytes(*bytes))
            .collect()
    }

    /// Writes cells in any order, or cells in global order with several submits.
    pub(crate) fn write(&self, library: &Library, uri: &CStr, cells: &Cells, pieces: &[usize]) {
        let layout = if pieces.is_empty() { UNORDERED } else { GLOBAL };
        self.submit(&Query::open(library, uri, WRITE), layout, cells, pieces);
    }

    fn submit(&self, query: &Query<'_>, layout: usize, cells: &Cells, pieces: &[usize]) {
        let fields: Vec<_> = self.fields().collect();
        let ends = match pieces {
            [] => vec![0, cells.number],
            pieces => pieces.to_vec(),
        };
        let submits = ends.windows(2).map(|ends| {
            let columns = fields.iter().zip(&cells.columns);
            columns
                .map(|(field, column)| field.slice(column, ends[0]..ends[1]))
                .collect()
        });
        query.set_layout(layout);
        let written = query.write(&fields, &submits.collect::<Vec<_>>());
        written.unwrap_or_else(|error| panic!("{}: {error}", query.library.name));
    }

    /// Reads all fields of all cells as rows of bytes.
    pub(crate) fn read(&self, library: &Library, uri: &CStr, capacity: usize) -> Vec<Vec<Vec<u8>>> {
        let fields: Vec<_> = self.fields().collect();
        let layout = if self.allows_dups { UNORDERED } else { GLOBAL };
        rows(
            &fields,
            &read_at_once(library, uri, layout, &fields, capacity),
        )
    }

    /// Returns cells as rows of bytes: values, and validities of nullable fields.
    pub(crate) fn rows(&self, columns: &[Column]) -> Vec<Vec<Vec<u8>>> {
        rows(&self.fields().collect::<Vec<_>>(), columns)
    }
}

/// Returns the attribute for the number of a cell.
fn number() -> AttributeSpec {
    AttributeSpec::of_dimension(c"number".into(), 10, 8)
}

/// Reads all cells of an array that has at most `capacity` cells.
fn read_at_once(
    library: &Library,
    uri: &CStr,
    layout: usize,
    fields: &[&AttributeSpec],
    capacity: usize,
) -> Vec<Column> {
    let query = Query::open(library, uri, READ);
    query.set_layout(layout);
    let read = query.read(fields, 1, |field| field.buffers(2 * capacity + 10));
    read.unwrap_or_else(|error| panic!("{}: {error}", library.name))
}
