//! Consolidation plans: which fragments to merge in order to get fragments of a desired size that
//! do not overlap. Each node of a plan can be passed to [`super::consolidate_fragments`].

use std::cmp::Ordering;
use std::collections::BTreeSet;

use crate::array::Array;
use crate::error::{Error, MaintenanceError, Result};
use crate::geometry::{BoxIndex, CellBox};
use crate::schema::ArraySchema;
use crate::typed;
use crate::types::{NdRange, Value};

/// Fragments that should be merged, by node.
#[derive(Debug)]
pub struct ConsolidationPlan {
    /// The names of the fragments of each node.
    pub nodes: Vec<Vec<String>>,
}

/// Fragments that should be merged with each other.
#[derive(Clone, Debug, PartialEq)]
struct Node {
    /// The indexes of the fragments.
    fragments: Vec<usize>,
    /// The box around them, as ranks of coordinates.
    cells: CellBox,
    /// The size of all fragments in bytes.
    size: u64,
}

impl Node {
    fn take(&mut self, other: Self) {
        self.cells = union(&self.cells, &other.cells);
        self.fragments.extend(other.fragments);
        self.size = self.size.saturating_add(other.size);
    }
}

impl ConsolidationPlan {
    /// Creates a plan for an open array and consolidated fragments of about `fragment_size` bytes.
    /// Its nodes are fragments whose non-empty domains overlap, or small fragments without others
    /// between them; then single fragments that are so large that they should be split.
    pub fn new(array: &Array, fragment_size: u64) -> Result<Self> {
        let snapshot = array.snapshot()?;
        let fragments = snapshot.fragments.iter();
        let (fragments, domains): (Vec<_>, Vec<_>) = fragments
            .filter_map(|fragment| {
                let domain = fragment.footer.non_empty_domain.as_ref()?;
                Some((fragment, domain))
            })
            .unzip();
        let boxes = ranked(&snapshot.schema, &domains);
        let mut nodes = Vec::with_capacity(fragments.len());
        for (index, (fragment, cells)) in fragments.iter().zip(boxes).enumerate() {
            nodes.push(Node {
                fragments: vec![index],
                cells,
                size: fragment.stored_size()?,
            });
        }
        nodes = join_overlapping(nodes);
        nodes = join_small(nodes, fragment_size / 2);
        let joined = partition(&mut nodes, |node| node.fragments.len() > 1);
        let large = partition(&mut nodes[joined..], |node| {
            node.size as f64 >= 1.5 * fragment_size as f64
        });
        nodes.truncate(joined + large);
        let name = |index: usize| fragments[index].name().as_str().to_owned();
        let nodes = nodes
            .into_iter()
            .map(|node| node.fragments.into_iter().map(name).collect())
            .collect();
        Ok(Self { nodes })
    }

    /// Returns the names of the fragments of a node.
    pub fn fragments(&self, node: u64) -> Result<&[String]> {
        let found = usize::try_from(node)
            .ok()
            .and_then(|index| self.nodes.get(index));
        found
            .map(Vec::as_slice)
            .ok_or_else(|| Error::from(MaintenanceError::NoNode { index: node }))
    }

    /// Returns the name of one fragment of a node.
    pub fn fragment(&self, node: u64, fragment: u64) -> Result<&str> {
        let fragments = self.fragments(node)?;
        let found = usize::try_from(fragment)
            .ok()
            .and_then(|index| fragments.get(index));
        found
            .map(String::as_str)
            .ok_or_else(|| Error::from(MaintenanceError::NoPlanFragment { index: fragment }))
    }

    /// Returns the plan as JSON, with the white space of libtiledb.
    pub fn dump(&self) -> String {
        let fragment =
            |name: &String| format!("        {{\n           \"uri\" : \"{name}\"\n        }}");
        let mut nodes = self
            .nodes
            .iter()
            .map(|names| {
                let names: Vec<String> = names.iter().map(fragment).collect();
                let names = names.join(",\n");
                format!("    {{\n      \"uris\" : [\n{names}\n      ]\n    }}")
            })
            .collect::<Vec<_>>()
            .join(",\n");
        if !nodes.is_empty() {
            nodes.push('\n');
        }
        format!("{{\n  \"nodes\": [\n{nodes}  ]\n}}\n")
    }
}

/// Returns rectangles as boxes of ranks: each bound becomes its position among the different bounds
/// of its dimension. Boxes around several rectangles have such bounds, so they overlap exactly if
/// their ranks do.
fn ranked(schema: &ArraySchema, domains: &[&NdRange]) -> Vec<CellBox> {
    fn in_order<T: Value>(a: &[u8], b: &[u8]) -> Ordering {
        let order = T::read(a).partial_cmp(&T::read(b));
        order.unwrap_or(Ordering::Equal)
    }
    let empty = CellBox {
        low: Vec::new(),
        high: Vec::new(),
    };
    let mut boxes = vec![empty; domains.len()];
    for (dim, dimension) in schema.domain.dimensions.iter().enumerate() {
        let order: fn(&[u8], &[u8]) -> Ordering = if dimension.is_var() {
            |a, b| a.cmp(b)
        } else {
            typed!(dimension.datatype.physical(), T => in_order::<T>)
        };
        let mut bounds: Vec<&[u8]> = domains
            .iter()
            .filter_map(|domain| domain.get(dim))
            .flat_map(|range| [range.start(), range.end()])
            .collect();
        bounds.sort_unstable_by(|a, b| order(a, b));
        bounds.dedup_by(|a, b| order(a, b).is_eq());
        let rank =
            |bound: &[u8]| bounds.partition_point(|other| order(other, bound).is_lt()) as u64;
        for (cells, domain) in boxes.iter_mut().zip(domains) {
            let range = domain.get(dim);
            cells.low.push(range.map_or(0, |range| rank(range.start())));
            cells.high.push(range.map_or(0, |range| rank(range.end())));
        }
    }
    boxes
}

/// Returns the smallest box that contains two.
fn union(one: &CellBox, other: &CellBox) -> CellBox {
    let lows = one.low.iter().zip(&other.low);
    let highs = one.high.iter().zip(&other.high);
    CellBox {
        low: lows.map(|(a, b)| *a.min(b)).collect(),
        high: highs.map(|(a, b)| *a.max(b)).collect(),
    }
}

/// The nodes while pairs of them are merged.
struct JoinedNodes {
    /// The nodes; `None` for those that another one has taken.
    nodes: Vec<Option<Node>>,
    /// The indexes of nodes that took another one, in order.
    merges: Vec<usize>,
}

/// Merges nodes until none overlaps another.
fn join_overlapping(nodes: Vec<Node>) -> Vec<Node> {
    let overlap = |joined: &JoinedNodes, one: usize, other: usize| {
        let (one, other) = (&joined.nodes[one], &joined.nodes[other]);
        one.as_ref()
            .zip(other.as_ref())
            .is_some_and(|(one, other)| one.cells.overlaps(&other.cells))
    };
    join_pairs(nodes, |_| true, overlap)
}

/// Merges nodes of at most `small` bytes whose common domain does not overlap a third one, until no
/// pair is left.
fn join_small(nodes: Vec<Node>, small: u64) -> Vec<Node> {
    let is_small = |node: &Node| node.size <= small;
    let mut search = OverlapSearch::default();
    let joins = |joined: &JoinedNodes, one: usize, other: usize| {
        let (Some(a), Some(b)) = (&joined.nodes[one], &joined.nodes[other]) else {
            return false;
        };
        is_small(b) && !search.has_third(joined, [one, other], &union(&a.cells, &b.cells))
    };
    join_pairs(nodes, is_small, joins)
}

/// Searches nodes that overlap a box, with an index that is made again after many merges.
#[derive(Default)]
struct OverlapSearch {
    index: BoxIndex,
    /// The index of the node of each box.
    indexed: Vec<usize>,
    /// The number of merges when the index was made.
    merges: usize,
    is_made: bool,
    /// The node that was found last, which is likely to overlap the next box too.
    last: usize,
}

impl OverlapSearch {
    /// Returns whether a node other than a pair overlaps a box.
    fn has_third(&mut self, joined: &JoinedNodes, pair: [usize; 2], cells: &CellBox) -> bool {
        let recent = joined.merges.len() - self.merges;
        if !self.is_made || recent * recent > joined.nodes.len() {
            let live = joined
                .nodes
                .iter()
                .enumerate()
                .filter_map(|(index, node)| Some((index, &node.as_ref()?.cells)));
            let boxes: Vec<&CellBox> = live.clone().map(|(_, cells)| cells).collect();
            self.index = BoxIndex::new(boxes.into_iter());
            self.indexed = live.map(|(index, _)| index).collect();
            (self.merges, self.is_made) = (joined.merges.len(), true);
        }
        let is_third = |index: usize| {
            let node = joined.nodes.get(index).and_then(Option::as_ref);
            !pair.contains(&index) && node.is_some_and(|node| node.cells.overlaps(cells))
        };
        let grown = joined.merges[self.merges..].iter().copied();
        let found = std::iter::once(self.last)
            .chain(grown)
            .into_iter()
            .find(|index| is_third(*index))
            .or_else(|| {
                self.index
                    .find_overlapping(cells, |position| is_third(self.indexed[position]))
                    .map(|position| self.indexed[position])
            });
        self.last = found.unwrap_or(self.last);
        found.is_some()
    }
}

/// Merges pairs of nodes that `joins` accepts, until no pair is left. In each round a node takes
/// others only if `takes` accepts it before the first one: the next round checks a node that grew.
///
/// A pair that `joins` rejected is compared again only after one of both has grown, so there are at
/// most about three comparisons for each pair of nodes. `joins` must not accept it before that.
fn join_pairs(
    nodes: Vec<Node>,
    takes: impl Fn(&Node) -> bool,
    mut joins: impl FnMut(&JoinedNodes, usize, usize) -> bool,
) -> Vec<Node> {
    let mut changed: BTreeSet<usize> = (0..nodes.len()).collect();
    let mut joined = JoinedNodes {
        nodes: nodes.into_iter().map(Some).collect(),
        merges: Vec::new(),
    };
    while !changed.is_empty() {
        let mut grown = BTreeSet::new();
        for one in 0..joined.nodes.len() {
            if !joined.nodes[one].as_ref().is_some_and(&takes) {
                continue;
            }
            let mut compares_all = changed.contains(&one);
            let mut next = one + 1;
            while next < joined.nodes.len() {
                let other = if compares_all {
                    Some(next)
                } else {
                    changed.range(next..).next().copied()
                };
                let Some(other) = other else {
                    break;
                };
                next = other + 1;
                if joined.nodes[other].is_none() || !joins(&joined, one, other) {
                    continue;
                }
                let taken = joined.nodes[other].take();
                if let (Some(node), Some(taken)) = (&mut joined.nodes[one], taken) {
                    node.take(taken);
                }
                joined.merges.push(one);
                grown.insert(one);
                compares_all = true;
            }
        }
        changed = grown;
    }
    joined.nodes.into_iter().flatten().collect()
}

/// Moves the nodes that `first` selects before the others by swapping pairs from the outside, and
/// returns their number.
fn partition(nodes: &mut [Node], first: impl Fn(&Node) -> bool) -> usize {
    let (mut low, mut high) = (0, nodes.len());
    loop {
        while low < high && first(&nodes[low]) {
            low += 1;
        }
        while low < high && !first(&nodes[high - 1]) {
            high -= 1;
        }
        if low == high {
            return low;
        }
        nodes.swap(low, high - 1);
        (low, high) = (low + 1, high - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn node(index: usize, ends: &[(u64, u64)], size: u64) -> Node {
        Node {
            fragments: vec![index],
            cells: CellBox {
                low: ends.iter().map(|(low, _)| *low).collect(),
                high: ends.iter().map(|(low, len)| low + len).collect(),
            },
            size,
        }
    }

    /// Merges pairs by comparing all of them in each round, as libtiledb does.
    fn join_by_comparing_all(
        nodes: &mut Vec<Node>,
        takes: impl Fn(&Node) -> bool,
        joins: impl Fn(&[Node], usize, usize) -> bool,
    ) {
        loop {
            let before = nodes.len();
            let mut one = 0;
            while one < nodes.len() {
                let mut other = if takes(&nodes[one]) {
                    one + 1
                } else {
                    nodes.len()
                };
                while other < nodes.len() {
                    if joins(nodes, one, other) {
                        let taken = nodes.remove(other);
                        nodes[one].take(taken);
                    } else {
                        other += 1;
                    }
                }
                one += 1;
            }
            if nodes.len() == before {
                return;
            }
        }
    }

    fn nodes() -> impl Strategy<Value = Vec<Node>> {
        let ends = proptest::collection::vec((0u64..60, 0u64..5), 2);
        let nodes = proptest::collection::vec((ends, 1u64..20), 0..60);
        nodes.prop_map(|nodes| {
            let nodes = nodes.iter().enumerate();
            nodes
                .map(|(index, (ends, size))| node(index, ends, *size))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn plans_equal_those_of_comparing_all_pairs(nodes in nodes(), small in 1u64..60) {
            let mut expected = nodes.clone();
            join_by_comparing_all(&mut expected, |_| true, |nodes, one, other| {
                nodes[one].cells.overlaps(&nodes[other].cells)
            });
            let joined = join_overlapping(nodes);
            prop_assert_eq!(&joined, &expected);
            let is_small = |node: &Node| node.size <= small;
            join_by_comparing_all(&mut expected, is_small, |nodes, one, other| {
                let both = union(&nodes[one].cells, &nodes[other].cells);
                let mut others = nodes.iter().enumerate();
                let meets = |(third, node): (usize, &Node)| {
                    third != one && third != other && both.overlaps(&node.cells)
                };
                is_small(&nodes[other]) && !others.any(meets)
            });
            prop_assert_eq!(join_small(joined, small), expected);
        }
    }

    /// Returns the number of comparisons of a spiral of boxes around a first one. Each overlaps
    /// only the box around all boxes before it, which come later, so that each round merges one
    /// pair.
    fn comparisons(number: u64) -> usize {
        let [mut low, mut high] = [[number; 2], [number + 4; 2]];
        let mut boxes = Vec::new();
        for step in 1..number {
            let ends = match step % 4 {
                0 => [(high[0], 0), (high[1], 1)],
                1 => [(low[0] - 1, 1), (high[1], 0)],
                2 => [(low[0], 0), (low[1] - 1, 1)],
                _ => [(high[0], 1), (low[1], 0)],
            };
            match step % 4 {
                0 => high[1] += 1,
                1 => low[0] -= 1,
                2 => low[1] -= 1,
                _ => high[0] += 1,
            }
            boxes.push(node((number - step) as usize, &ends, 1));
        }
        boxes.push(node(0, &[(number, 4), (number, 4)], 1));
        boxes.reverse();
        let mut count = 0;
        let joined = join_pairs(
            boxes,
            |_| true,
            |joined, one, other| {
                count += 1;
                let both = joined.nodes[one].as_ref().zip(joined.nodes[other].as_ref());
                both.is_some_and(|(one, other)| one.cells.overlaps(&other.cells))
            },
        );
        assert_eq!(joined.len(), 1);
        count
    }

    #[test]
    fn comparisons_grow_with_the_square_of_the_number_of_fragments() {
        for number in [50, 200, 800] {
            let count = comparisons(number);
            assert!(
                count as u64 <= 3 * number * number,
                "{count} of {number} fragments"
            );
        }
    }
}
