//! An index of boxes: finds those that overlap another box without comparing all.

use super::cell_box::CellBox;

/// A static tree of boxes, each of which is identified by its position in the list it was made of.
#[derive(Debug, Default)]
pub struct BoxIndex {
    dim_num: usize,
    /// The positions of the boxes in the order of the leaves, and the boxes.
    boxes: Vec<(usize, CellBox)>,
    nodes: Vec<Node>,
}

/// A node: boxes that are consecutive in the order of the leaves.
#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    /// The smallest box that contains them.
    bounds: CellBox,
    /// The nodes of both halves; `None` for a leaf.
    halves: Option<[usize; 2]>,
}

impl BoxIndex {
    /// The number of boxes up to which comparing each is as fast as a search.
    pub const LEAF_BOXES: usize = 8;

    /// Creates an index of boxes with the same number of dimensions.
    pub fn new<'a>(boxes: impl Iterator<Item = &'a CellBox>) -> Self {
        let boxes: Vec<(usize, CellBox)> = boxes.cloned().enumerate().collect();
        let mut index = Self {
            dim_num: boxes.first().map_or(0, |(_, cells)| cells.dim_num()),
            nodes: Vec::with_capacity(boxes.len() / Self::LEAF_BOXES * 4),
            boxes,
        };
        if !index.boxes.is_empty() {
            index.add_node(0, index.boxes.len());
        }
        index
    }

    /// Adds the node of `boxes[start..end]` and the nodes below it. Returns its index. Halving
    /// bounds the depth of the recursion by the logarithm of the number of boxes.
    fn add_node(&mut self, start: usize, end: usize) -> usize {
        let bounds = self.bounding_box(start, end);
        let node = self.nodes.len();
        let dim = (0..self.dim_num)
            .max_by_key(|dim| bounds.high[*dim] - bounds.low[*dim])
            .unwrap_or(0);
        self.nodes.push(Node {
            start,
            end,
            bounds,
            halves: None,
        });
        if end - start > Self::LEAF_BOXES {
            let middle = (end - start) / 2;
            // The key is twice the center.
            self.boxes[start..end].select_nth_unstable_by_key(middle, |(_, cells)| {
                u128::from(cells.low[dim]) + u128::from(cells.high[dim])
            });
            let halves = [(start, start + middle), (start + middle, end)];
            self.nodes[node].halves = Some(halves.map(|(start, end)| self.add_node(start, end)));
        }
        node
    }

    fn bounding_box(&self, start: usize, end: usize) -> CellBox {
        let (_, mut bounds) = self.boxes[start].clone();
        for (_, cells) in &self.boxes[start + 1..end] {
            for dim in 0..self.dim_num {
                bounds.low[dim] = bounds.low[dim].min(cells.low[dim]);
                bounds.high[dim] = bounds.high[dim].max(cells.high[dim]);
            }
        }
        bounds
    }

    /// Returns the positions of the boxes that overlap `cells`, in ascending order.
    pub fn overlapping(&self, cells: &CellBox) -> Vec<usize> {
        let mut found = Vec::new();
        self.find_overlapping(cells, |position| {
            found.push(position);
            false
        });
        found.sort_unstable();
        found
    }

    /// Returns the position of a box that overlaps `cells` and that `accepts` accepts.
    pub fn find_overlapping(
        &self,
        cells: &CellBox,
        mut accepts: impl FnMut(usize) -> bool,
    ) -> Option<usize> {
        let mut open: Vec<usize> = (0..self.nodes.len().min(1)).collect();
        while let Some(node) = open.pop() {
            let node = &self.nodes[node];
            match node.halves {
                _ if !node.bounds.overlaps(cells) => {}
                Some(halves) => open.extend(halves),
                None => {
                    let mut boxes = self.boxes[node.start..node.end].iter();
                    let found =
                        boxes.find(|(position, other)| other.overlaps(cells) && accepts(*position));
                    if let Some((position, _)) = found {
                        return Some(*position);
                    }
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn boxes() -> impl Strategy<Value = Vec<CellBox>> {
        let one = proptest::collection::vec((0u64..40, 0u64..12), 2);
        let one = one.prop_map(|ends| CellBox {
            low: ends.iter().map(|(low, _)| *low).collect(),
            high: ends.iter().map(|(low, len)| low + len).collect(),
        });
        proptest::collection::vec(one, 0..120)
    }

    proptest! {
        #[test]
        fn overlapping_boxes_are_those_that_a_comparison_of_all_finds(
            boxes in boxes(),
            searched in boxes(),
        ) {
            let index = BoxIndex::new(boxes.iter());
            for cells in &searched {
                let all = boxes.iter().enumerate().filter(|(_, other)| other.overlaps(cells));
                let all: Vec<usize> = all.map(|(position, _)| position).collect();
                let found = index.find_overlapping(cells, |position| position % 2 == 1);
                prop_assert_eq!(found.is_some(), all.iter().any(|position| position % 2 == 1));
                prop_assert!(found.is_none_or(|found| found % 2 == 1 && all.contains(&found)));
                prop_assert_eq!(index.overlapping(cells), all);
            }
        }
    }

    #[test]
    fn boxes_of_the_whole_range_are_indexed() {
        let whole = CellBox {
            low: vec![0],
            high: vec![u64::MAX],
        };
        let boxes = vec![whole.clone(); 3 * BoxIndex::LEAF_BOXES];
        let all: Vec<usize> = (0..boxes.len()).collect();
        assert_eq!(BoxIndex::new(boxes.iter()).overlapping(&whole), all);
    }
}
