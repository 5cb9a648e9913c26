//! Consolidation plans: which fragments to merge in order to get fragments of a desired size that
//! do not overlap. Each node of a plan can be passed to [`super::consolidate_fragments`].

use crate::array::Array;
use crate::error::{Error, MaintenanceError, Result};
use crate::schema::ArraySchema;
use crate::types::NdRange;

/// Fragments that should be merged, by node.
#[derive(Debug)]
pub struct ConsolidationPlan {
    nodes: Vec<Vec<String>>,
}

/// Fragments that should be merged with each other.
#[derive(Clone, Debug)]
struct Node {
    names: Vec<String>,
    domain: NdRange,
    /// The size of all fragments in bytes.
    size: u64,
}

impl Node {
    fn take(&mut self, schema: &ArraySchema, other: Self) {
        schema.domain.expand(&mut self.domain, &other.domain);
        self.names.extend(other.names);
        self.size = self.size.saturating_add(other.size);
    }
}

impl ConsolidationPlan {
    /// Creates a plan for an open array and consolidated fragments of about `fragment_size` bytes.
    /// Its nodes are fragments whose non-empty domains overlap, or small fragments without others
    /// between them; then single fragments that are so large that they should be split.
    pub fn new(array: &Array, fragment_size: u64) -> Result<Self> {
        let snapshot = array.snapshot()?;
        let schema = &snapshot.schema;
        let mut nodes = Vec::with_capacity(snapshot.fragments.len());
        for fragment in &snapshot.fragments {
            let Some(domain) = fragment.non_empty_domain() else {
                continue; // without cells
            };
            nodes.push(Node {
                names: vec![fragment.name().as_str().to_owned()],
                domain: domain.clone(),
                size: fragment.stored_size()?,
            });
        }
        join_overlapping(schema, &mut nodes);
        join_small(schema, &mut nodes, fragment_size / 2);
        let joined = partition(&mut nodes, |node| node.names.len() > 1);
        let large = partition(&mut nodes[joined..], |node| {
            node.size as f64 >= 1.5 * fragment_size as f64
        });
        nodes.truncate(joined + large);
        let nodes = nodes.into_iter().map(|node| node.names).collect();
        Ok(Self { nodes })
    }

    /// Returns the plan that a server made.
    pub fn of_nodes(nodes: Vec<Vec<String>>) -> Self {
        Self { nodes }
    }

    /// Returns the names of the fragments of each node.
    pub fn nodes(&self) -> &[Vec<String>] {
        &self.nodes
    }

    /// Returns the number of nodes.
    pub fn node_num(&self) -> usize {
        self.nodes.len()
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
        let node = |names: &Vec<String>| {
            let names: Vec<String> = names.iter().map(fragment).collect();
            let names = names.join(",\n");
            format!("    {{\n      \"uris\" : [\n{names}\n      ]\n    }}")
        };
        let mut nodes = self.nodes.iter().map(node).collect::<Vec<_>>().join(",\n");
        if !nodes.is_empty() {
            nodes.push('\n');
        }
        format!("{{\n  \"nodes\": [\n{nodes}  ]\n}}\n")
    }
}

/// Merges nodes until none overlaps another.
fn join_overlapping(schema: &ArraySchema, nodes: &mut Vec<Node>) {
    let overlap = |nodes: &[Node], pair: NodePair| {
        let NodePair { one, other } = pair;
        schema
            .domain
            .overlap(&nodes[one].domain, &nodes[other].domain)
    };
    join_pairs(schema, nodes, |_| true, overlap);
}

/// Merges nodes of at most `small` bytes whose common domain does not overlap a third one, until no
/// pair is left.
fn join_small(schema: &ArraySchema, nodes: &mut Vec<Node>, small: u64) {
    let is_small = |node: &Node| node.size <= small;
    let joins = |nodes: &[Node], pair: NodePair| {
        let NodePair { one, other } = pair;
        let mut both = nodes[one].domain.clone();
        schema.domain.expand(&mut both, &nodes[other].domain);
        let mut others = nodes.iter().enumerate();
        let meets = |(third, node): (usize, &Node)| {
            let is_third = third != one && third != other;
            is_third && schema.domain.overlap(&both, &node.domain)
        };
        is_small(&nodes[other]) && !others.any(meets)
    };
    join_pairs(schema, nodes, is_small, joins);
}

/// The indexes of two nodes.
struct NodePair {
    one: usize,
    other: usize,
}

/// Merges pairs of nodes that `joins` accepts, until no pair is left. In each round a node takes
/// others only if `takes` accepts it before the first one: the next round checks a node that grew.
fn join_pairs(
    schema: &ArraySchema,
    nodes: &mut Vec<Node>,
    takes: impl Fn(&Node) -> bool,
    joins: impl Fn(&[Node], NodePair) -> bool,
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
                if joins(nodes, NodePair { one, other }) {
                    let taken = nodes.remove(other);
                    nodes[one].take(schema, taken);
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
