//! A dense array of 8 x 11 cells, in tiles of 3 x 4, with overlapping fragments without filters.

use std::io::IoSlice;
use std::sync::Arc;

use proptest::prelude::*;

use crate::config::Config;
use crate::context::Context;
use crate::format::names::FragmentName;
use crate::fragment::{
    FilePart, Fragment, FragmentLocation, FragmentOpener, FragmentWriter, TileStats,
};
use crate::geometry::{CellBox, Order, TileGrid};
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaDraft};
use crate::subarray::Subarray;
use crate::tile::plain_headers;
use crate::types::{ArrayType, Datatype, Range, VAR_NUM};
use crate::vfs::{Uri, Vfs};

/// The number of coordinates of each dimension. The domain starts with 1.
pub(super) const SHAPE: [u64; 2] = [8, 11];
const EXTENTS: [i32; 2] = [3, 4];

/// The two ends of a box, counted from 0, both included.
pub(super) type Ends = [(u64, u64); 2];

/// An array with its fragments, oldest first.
pub(super) struct TestArray {
    pub(super) context: Arc<Context>,
    pub(super) schema: Arc<ArraySchema>,
    pub(super) fragments: Vec<Arc<Fragment>>,
    pub(super) boxes: Vec<Ends>,
}

/// A cell of the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TestCell {
    pub(super) coordinates: [u64; 2],
    /// The newest fragment that contains it.
    pub(super) fragment: Option<usize>,
}

/// Returns one interval of coordinates below `len`.
fn interval(len: u64) -> impl Strategy<Value = (u64, u64)> {
    (0..len, 0..len).prop_map(|(a, b)| (a.min(b), a.max(b)))
}

/// Returns the boxes of up to four fragments.
pub(super) fn boxes() -> impl Strategy<Value = Vec<Ends>> {
    let ends = (interval(SHAPE[0]), interval(SHAPE[1]));
    proptest::collection::vec(ends.prop_map(|(y, x)| [y, x]), 0..4)
}

/// Returns up to `most` ranges of each dimension.
pub(super) fn ranges(most: usize) -> impl Strategy<Value = [Vec<(u64, u64)>; 2]> {
    let dimension_ranges =
        move |dim: usize| proptest::collection::vec(interval(SHAPE[dim]), 1..=most);
    (dimension_ranges(0), dimension_ranges(1)).prop_map(|(y, x)| [y, x])
}

/// Returns the number in field `a` of a cell; the other fields depend on it.
pub(super) fn number(fragment: usize, [y, x]: [u64; 2]) -> u32 {
    (1000 * fragment as u64 + 20 * y + x) as u32
}

/// Returns the value of the variable-length field `v`.
pub(super) fn text(number: u32) -> Vec<u8> {
    vec![number as u8; (number % 4) as usize]
}

/// Returns whether the cell is not null in field `n`, whose value is the low half of the number.
pub(super) fn validity(number: u32) -> u8 {
    u8::from(!number.is_multiple_of(3))
}

fn schema() -> Arc<ArraySchema> {
    let dimension = |dim: usize, name: &str| {
        let domain = Range::of(1i32, SHAPE[dim] as i32);
        let extent = EXTENTS[dim].to_le_bytes();
        let new = Dimension::new(name, Datatype::Int32, domain.both(), Some(&extent));
        Arc::new(new.expect("a dimension"))
    };
    let attribute = |name: &str, datatype: Datatype, values: u32, nullable: bool| {
        let mut attribute = Attribute::new(name, datatype);
        attribute.set_cell_val_num(values).expect("a number");
        attribute.set_nullable(nullable).expect("a choice");
        Arc::new(attribute)
    };
    let mut schema = SchemaDraft::new(ArrayType::Dense, None).snapshot();
    schema.offsets_filters = Arc::default();
    schema.validity_filters = Arc::default();
    schema.domain = Domain {
        dimensions: vec![dimension(0, "y"), dimension(1, "x")].into(),
    };
    schema.attributes = vec![
        attribute("a", Datatype::Uint32, 1, false),
        attribute("v", Datatype::Uint8, VAR_NUM, false),
        attribute("n", Datatype::Uint16, 1, true),
    ]
    .into();
    Arc::new(schema)
}

impl TestArray {
    /// Writes fragments of these boxes.
    pub(super) fn new(boxes: Vec<Ends>) -> Self {
        let context = Context::new(Config::new()).expect("a context");
        let vfs = Vfs::new(&context).expect("storage");
        let folder = Uri::parse("mem://dense").expect("a URI");
        let schema = schema();
        let fragments = boxes.iter().enumerate();
        let fragments =
            fragments.map(|(index, ends)| write_fragment(&vfs, &folder, &schema, index, ends));
        Self {
            context,
            fragments: fragments.collect(),
            schema,
            boxes,
        }
    }

    /// Returns a subarray of these ranges.
    pub(super) fn subarray(&self, ranges: &[Vec<(u64, u64)>; 2]) -> Subarray {
        let mut subarray = Subarray::new(&self.schema);
        subarray.set_coalesce(false).expect("no ranges yet");
        for (dim, ranges) in (0u32..).zip(ranges) {
            for (low, high) in ranges {
                let ends = [low, high].map(|end| (*end as i32 + 1).to_le_bytes());
                subarray
                    .add_range(dim, &ends[0], &ends[1])
                    .expect("within the domain");
            }
        }
        subarray
    }

    /// Returns the cells of a result one by one: of ranges in row- or column-major order, or of one
    /// box in global order.
    pub(super) fn cells(
        &self,
        ranges: &[Vec<(u64, u64)>; 2],
        order: Option<Order>,
    ) -> Vec<TestCell> {
        let axis = |dim: usize| -> Vec<u64> {
            let ranges = ranges[dim].iter();
            ranges.flat_map(|(low, high)| *low..=*high).collect()
        };
        let (ys, xs) = (axis(0), axis(1));
        let mut cells: Vec<[u64; 2]> = match order {
            Some(Order::ColMajor) => {
                let columns = xs.iter();
                columns.flat_map(|x| ys.iter().map(|y| [*y, *x])).collect()
            }
            _ => {
                let rows = ys.iter();
                rows.flat_map(|y| xs.iter().map(|x| [*y, *x])).collect()
            }
        };
        if order.is_none() {
            let [height, width] = EXTENTS.map(|extent| extent as u64);
            cells.sort_by_key(|[y, x]| (y / height, x / width, *y, *x));
        }
        let cells = cells.into_iter().map(|coordinates| TestCell {
            coordinates,
            fragment: self.newest(coordinates),
        });
        cells.collect()
    }

    fn newest(&self, [y, x]: [u64; 2]) -> Option<usize> {
        let contains = |[ys, xs]: &Ends| (ys.0..=ys.1).contains(&y) && (xs.0..=xs.1).contains(&x);
        self.boxes.iter().rposition(contains)
    }
}

fn write_fragment(
    vfs: &Arc<Vfs>,
    folder: &Uri,
    schema: &Arc<ArraySchema>,
    index: usize,
    ends: &Ends,
) -> Arc<Fragment> {
    let time = Some(index as u64 + 1);
    let mut writer =
        FragmentWriter::create(vfs, folder, schema, true, time, None).expect("a fragment");
    let domain = ends.map(|(low, high)| Range::of(low as i32 + 1, high as i32 + 1));
    writer.set_non_empty_domain(domain.to_vec());
    let grid = TileGrid::new(schema).expect("a grid");
    let cells = CellBox {
        low: ends.map(|ends| ends.0).to_vec(),
        high: ends.map(|ends| ends.1).to_vec(),
    };
    let tiles = grid.tiles(&cells);
    let done: Result<(), ()> = tiles.for_each_cell(Order::RowMajor, |tile| {
        write_tile(&mut writer, &grid.tile_cells(tile), index);
        Ok(())
    });
    done.expect("never fails");
    let uri = writer.finish().expect("written");
    let known = |_: Option<&str>| Ok(schema.clone());
    let opener = FragmentOpener {
        view: &vfs.view(),
        key: None,
        common_schema: None,
        schema: &known,
    };
    let name = FragmentName::parse(uri.name()).expect("a name");
    let location = FragmentLocation::of_folder(uri, name);
    Arc::new(opener.open(None, location).expect("readable"))
}

/// Appends a tile to all fields.
fn write_tile(writer: &mut FragmentWriter, cells: &CellBox, index: usize) {
    let rows = cells.low[0]..=cells.high[0];
    let columns = cells.low[1]..=cells.high[1];
    let numbers: Vec<u32> = rows
        .flat_map(|y| columns.clone().map(move |x| number(index, [y, x])))
        .collect();
    let mut append = |field: &str, part: FilePart, data: &[u8]| {
        let headers = plain_headers(&[0], data.len() as u64);
        let field = writer.field(field).expect("a field");
        field
            .append(part, &mut [IoSlice::new(&headers), IoSlice::new(data)])
            .expect("memory");
        if part == FilePart::Var {
            field.add_var_size(data.len() as u64);
        }
    };
    let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
    append("a", FilePart::Fixed, &bytes);
    let (mut offsets, mut values) = (Vec::new(), Vec::new());
    for number in &numbers {
        offsets.extend((values.len() as u64).to_le_bytes());
        values.extend(text(*number));
    }
    append("v", FilePart::Fixed, &offsets);
    append("v", FilePart::Var, &values);
    let low: Vec<u8> = numbers
        .iter()
        .flat_map(|n| (*n as u16).to_le_bytes())
        .collect();
    append("n", FilePart::Fixed, &low);
    let valid: Vec<u8> = numbers.iter().map(|n| validity(*n)).collect();
    append("n", FilePart::Validity, &valid);
    let end = |end: Option<&u32>| end.map(|number| number.to_le_bytes().to_vec());
    let stats = TileStats {
        min: end(numbers.iter().min()),
        max: end(numbers.iter().max()),
        ..TileStats::default()
    };
    for field in writer.fields() {
        let is_numbers = field.name() == "a";
        field
            .add_stats(if is_numbers {
                stats.clone()
            } else {
                TileStats::default()
            })
            .expect("memory");
    }
}
