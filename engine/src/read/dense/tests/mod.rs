//! Each stage of a dense read, compared with a reference that visits the cells one by one.

mod fixture;

use std::sync::Arc;

use proptest::prelude::*;

use self::fixture::{TestArray, TestCell, boxes, number, ranges, text, validity};
use super::plan::Plan;
use super::select::Selector;
use super::tile_tasks::TileTask;
use super::{DenseRead, ReadRequest};
use crate::array::Snapshot;
use crate::buffers::{FieldBuffers, OffsetsForm};
use crate::condition::{BoundCondition, Comparison, Condition, Operand, Operator};
use crate::config::Config;
use crate::error::Error;
use crate::fragment::Fragment;
use crate::geometry::Order;
use crate::stats::Stats;
use crate::types::Layout;
use crate::vfs::Uri;

/// The size of the variable-length buffer: a value has up to three bytes.
const MIN_VALUE_BYTES: usize = 3;

/// Returns a layout, and the order that it has for several ranges.
fn layouts() -> impl Strategy<Value = (Layout, Option<Order>)> {
    prop_oneof![
        Just((Layout::RowMajor, Some(Order::RowMajor))),
        Just((Layout::ColMajor, Some(Order::ColMajor))),
        Just((Layout::GlobalOrder, None)),
    ]
}

/// Returns the ranges that a layout permits: one per dimension in global order.
fn permitted(order: Option<Order>, mut ranges: [Vec<(u64, u64)>; 2]) -> [Vec<(u64, u64)>; 2] {
    if order.is_none() {
        ranges.iter_mut().for_each(|ranges| ranges.truncate(1));
    }
    ranges
}

fn plan(array: &TestArray, ranges: &[Vec<(u64, u64)>; 2], order: Option<Order>) -> Plan {
    let subarray = array.subarray(ranges);
    Plan::new(&array.schema, &array.fragments, &subarray, order).expect("a plan")
}

/// Returns the condition that field `a` is at least `least`.
fn condition(array: &TestArray, least: u32) -> BoundCondition {
    let comparison = Condition::Leaf(Comparison {
        field: "a".to_owned(),
        operator: Operator::Ge,
        operand: Operand::Value(least.to_le_bytes().to_vec()),
        by_label: false,
    });
    let unknown = |name: &str| Err(Error::removed(name));
    BoundCondition::bind(&comparison, &array.schema, unknown).expect("a condition")
}

/// Returns the tasks of the cells `from..end` of a result.
fn tasks(plan: &Plan, from: u64, end: u64) -> Vec<TileTask> {
    let mut tasks = Vec::new();
    for result_box in plan.boxes(from, end) {
        let added = plan.for_each_task(&result_box, |task| {
            tasks.push(task);
            Ok(())
        });
        added.expect("no errors");
    }
    tasks
}

/// Returns the fields of a cell: number, text, and the low half of the number with its validity. A
/// cell that is not selected has fill values.
fn expected(array: &TestArray, cell: &TestCell, least: Option<u32>) -> (u32, Vec<u8>, u16, u8) {
    let number = cell.fragment.map(|index| number(index, cell.coordinates));
    let number = number.filter(|number| least.is_none_or(|least| *number >= least));
    if let Some(number) = number {
        return (number, text(number), number as u16, validity(number));
    }
    let fill = |index: usize| &array.schema.attributes[index].fill_value;
    (
        u32::from_le_bytes(fill(0)[..].try_into().expect("four bytes")),
        fill(1).clone(),
        u16::from_le_bytes(fill(2)[..].try_into().expect("two bytes")),
        array.schema.attributes[2].fill_validity,
    )
}

/// The result of a dense read: the cells of field `y` and of the attributes, in order.
#[derive(Default)]
struct DenseResult {
    ys: Vec<i32>,
    cells: Vec<(u32, Vec<u8>, u16, u8)>,
}

impl DenseResult {
    /// Reads everything with buffers of `capacity` cells and `value_bytes` bytes of values.
    fn read(array: &TestArray, read: &mut DenseRead, capacity: usize, value_bytes: usize) -> Self {
        let mut delivered = Self::default();
        let stats = Stats::root();
        while !read.is_done() {
            let (mut y, mut a) = (vec![0; 4 * capacity], vec![0; 4 * capacity]);
            let (mut v, mut offsets) = (vec![0; value_bytes], vec![0; 8 * capacity]);
            let (mut n, mut valid) = (vec![0; 2 * capacity], vec![0; capacity]);
            let mut buffers = [
                FieldBuffers::fixed("y", &mut y),
                FieldBuffers::fixed("a", &mut a),
                FieldBuffers {
                    name: "v",
                    data: Some(&mut v),
                    offsets: Some(&mut offsets),
                    validity: None,
                },
                FieldBuffers {
                    name: "n",
                    data: Some(&mut n),
                    offsets: None,
                    validity: Some(&mut valid),
                },
            ];
            let sizes = read.fill(&array.context, &mut buffers, &stats);
            let sizes = sizes.expect("a result");
            let cells = sizes[0].data as usize / 4;
            assert!(cells > 0, "no progress");
            assert_eq!(sizes[1].data, 4 * cells as u64);
            assert_eq!(sizes[2].offsets, 8 * cells as u64);
            assert_eq!(
                (sizes[3].data, sizes[3].validity),
                (2 * cells as u64, cells as u64)
            );
            delivered.add(
                cells,
                [&y, &a, &v[..sizes[2].data as usize], &offsets, &n, &valid],
            );
        }
        delivered
    }

    fn add(&mut self, cells: usize, [y, a, v, offsets, n, valid]: [&[u8]; 6]) {
        let offset = |cell: usize| match cell {
            cell if cell == cells => v.len(),
            cell => u64::from_le_bytes(offsets.as_chunks().0[cell]) as usize,
        };
        for cell in 0..cells {
            self.ys.push(i32::from_le_bytes(y.as_chunks().0[cell]));
            self.cells.push((
                u32::from_le_bytes(a.as_chunks().0[cell]),
                v[offset(cell)..offset(cell + 1)].to_vec(),
                u16::from_le_bytes(n.as_chunks().0[cell]),
                valid[cell],
            ));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The rule of `read/outputs`: tasks write disjoint cells, and all of them.
    #[test]
    fn tasks_assign_each_cell_once_to_the_newest_fragment(
        boxes in boxes(),
        ranges in ranges(3),
        (_, order) in layouts(),
        ends in (0.0..1.0f64, 0.0..1.0f64),
    ) {
        let array = TestArray::new(boxes);
        let ranges = permitted(order, ranges);
        let plan = plan(&array, &ranges, order);
        let cells = array.cells(&ranges, order);
        prop_assert_eq!(plan.cell_num, cells.len() as u64);
        let ends = [ends.0, ends.1].map(|end| (end * cells.len() as f64) as usize);
        let (from, end) = (ends[0].min(ends[1]), ends[0].max(ends[1]) + 1);
        let mut found = vec![None; end - from];
        for task in tasks(&plan, from as u64, end as u64) {
            for slice in &task.slices {
                for copy in &slice.copies {
                    let mut runs = Vec::new();
                    copy.for_each_run(|run| runs.push(run));
                    for (from, to) in runs.iter().flat_map(|run| (run.from..).zip(run.to..run.to + run.len)) {
                        let known = found[to].replace((slice.view, slice.tile, from));
                        prop_assert!(known.is_none(), "cell {} twice", to);
                    }
                }
            }
        }
        for (found, cell) in found.iter().zip(&cells[from..end]) {
            let (view, tile, index) = found.expect("assigned");
            let view = view.map(|view| &plan.views[view]);
            let is_view = |fragment: &Arc<Fragment>| {
                view.is_some_and(|view| Arc::ptr_eq(fragment, &view.fragment))
            };
            prop_assert_eq!(array.fragments.iter().position(is_view), cell.fragment);
            if let Some(view) = view {
                let tiles = &view.tiles;
                let tile_of = cell.coordinates.iter().zip(&plan.grid.axes);
                let tile_of: Vec<u64> = tile_of.map(|(coordinate, axis)| coordinate / axis.extent).collect();
                prop_assert_eq!(tile, plan.grid.tile_position(tiles, &tile_of));
                let low = plan.grid.tile_cells(&tile_of).low;
                let [y, x] = [0, 1].map(|d| cell.coordinates[d] - low[d]);
                prop_assert_eq!(index as u64, y * plan.grid.axes[1].extent + x);
            }
        }
    }

    #[test]
    fn selected_cells_satisfy_the_condition_or_belong_to_no_fragment(
        boxes in boxes(),
        ranges in ranges(2),
        (_, order) in layouts(),
        least in 0u32..3500,
    ) {
        let array = TestArray::new(boxes);
        let ranges = permitted(order, ranges);
        let plan = plan(&array, &ranges, order);
        let cells = array.cells(&ranges, order);
        let selector = Selector::new(&plan, condition(&array, least)).expect("a selector");
        let boxes = plan.boxes(0, plan.cell_num);
        let mask = selector.select(&array.context, &plan, &boxes, cells.len()).expect("a mask");
        for (index, cell) in cells.iter().enumerate() {
            let number = cell.fragment.map(|fragment| number(fragment, cell.coordinates));
            prop_assert_eq!(mask[index] != 0, number.is_none_or(|number| number >= least), "{:?}", cell);
        }
    }

    #[test]
    fn copies_deliver_each_cell_through_buffers_of_any_size(
        boxes in boxes(),
        ranges in ranges(2),
        (layout, order) in layouts(),
        capacity in 1usize..60,
        value_bytes in MIN_VALUE_BYTES..100,
        least in proptest::option::of(0u32..3500),
    ) {
        let array = TestArray::new(boxes);
        let ranges = permitted(order, ranges);
        let subarray = array.subarray(&ranges);
        let request = ReadRequest {
            subarray: &subarray,
            layout,
            names: &["y", "a", "v", "n"],
            form: OffsetsForm::STARTS,
            condition: least.map(|least| condition(&array, least)),
        };
        let folder = Uri::parse("mem://dense").expect("a URI");
        let snapshot =
            Snapshot::of_fragments(&folder, &array.schema, &array.fragments, &[], None);
        let read = DenseRead::new(&array.context, &snapshot, &Config::new(), request);
        let mut read = read.expect("a read");
        let delivered = DenseResult::read(&array, &mut read, capacity, value_bytes);
        let cells = array.cells(&ranges, order);
        let ys: Vec<i32> = cells.iter().map(|cell| cell.coordinates[0] as i32 + 1).collect();
        prop_assert_eq!(delivered.ys, ys);
        let expected: Vec<_> = cells.iter().map(|cell| expected(&array, cell, least)).collect();
        prop_assert_eq!(delivered.cells, expected);
    }
}
