//! Ranges of a fragment: of its non-empty domain, and of the bounding rectangle of a tile,
//! dimension by dimension.
//!
//! A caller asks for a range of fixed size, for the sizes of the ends of one of variable size, or
//! for these ends. What is said of a wrong question differs in words among these, and programs
//! compare the words: they are a table.

use std::sync::Arc;

use super::FragmentInfo;
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::Range;

const ORIGIN: &str = "FragmentInfo";

/// What a caller wants to know of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeAsked {
    /// Both ends, of fixed size.
    Fixed,
    /// The sizes of both ends.
    VarSize,
    /// Both ends, of variable size.
    Var,
}

/// A dimension as a caller names it.
#[derive(Clone, Copy, Debug)]
pub enum DimensionOf<'a> {
    /// By index.
    Index(u32),
    /// By name; a missing one is an error.
    Name(Option<&'a str>),
}

/// How errors about one question begin, by what is wrong, and how the one about the form of a range
/// ends.
struct Words {
    /// The index of the fragment, where the dimension is given by index and by name.
    fragment: [&'static str; 2],
    missing_name: &'static str,
    unknown_name: &'static str,
    dimension: &'static str,
    form: &'static str,
    /// A dense fragment, asked for a rectangle.
    dense: &'static str,
    /// The index of the rectangle, with its end.
    rectangle: &'static str,
}

const DOMAIN: &str = "Cannot get non-empty domain";
const DOMAIN_SIZE: &str = "Cannot get non-empty domain var size";
const DOMAIN_VAR: &str = "Cannot get non-empty domain var";
const MBR: &str = "Cannot get MBR";
const MBR_SIZE: &str = "Cannot get MBR var size";
const MBR_VAR: &str = "Cannot get MBR var";

impl Words {
    /// Returns all beginnings alike, as for a domain.
    const fn of(action: &'static str, form: &'static str) -> Self {
        Self {
            fragment: [action, action],
            missing_name: action,
            unknown_name: action,
            dimension: action,
            form,
            dense: action,
            rectangle: "",
        }
    }

    fn of_domain(asked: RangeAsked) -> Self {
        match asked {
            RangeAsked::Fixed => Self::of(DOMAIN, "Dimension is variable-sized"),
            RangeAsked::VarSize => Self {
                fragment: [DOMAIN_SIZE, "Cannot get var-sized non-empty domain"],
                ..Self::of(DOMAIN_SIZE, "Dimension is fixed sized")
            },
            RangeAsked::Var => Self::of(DOMAIN_VAR, "Dimension is fixed-sized"),
        }
    }

    fn of_mbr(asked: RangeAsked) -> Self {
        match asked {
            RangeAsked::Fixed => Self {
                missing_name: DOMAIN,
                unknown_name: DOMAIN,
                rectangle: "Cannot get MBR; Invalid MBR index",
                ..Self::of(MBR, "Dimension is variable-sized")
            },
            RangeAsked::VarSize => Self {
                dense: MBR,
                rectangle: "Cannot get MBR; Invalid mbr index",
                ..Self::of(MBR_SIZE, "Dimension is fixed sized")
            },
            RangeAsked::Var => Self {
                unknown_name: DOMAIN_VAR,
                rectangle: "Cannot get MBR var; Invalid mbr index",
                ..Self::of(MBR_VAR, "Dimension is fixed-sized")
            },
        }
    }
}

impl FragmentInfo {
    /// Returns the range of one dimension in which fragment `index` has cells. An error if there is
    /// no such fragment or dimension, or ranges of it have another form than `asked`.
    pub fn non_empty_range(
        &self,
        index: u32,
        dimension: DimensionOf<'_>,
        asked: RangeAsked,
    ) -> Result<Range> {
        let words = Words::of_domain(asked);
        let (fragment, at) = self.dimension_in(index, dimension, &words)?;
        let domain = fragment.non_empty_domain();
        let ranges = domain.map(Vec::as_slice).unwrap_or_default();
        range_in(ranges, at, asked, &words)
    }

    /// Returns the range of one dimension in the bounding rectangle of tile `mbr` of fragment
    /// `index`. An error if there is no such fragment, tile or dimension, the fragment is dense, or
    /// ranges of it have another form than `asked`.
    pub fn mbr_range(
        &self,
        index: u32,
        mbr: u32,
        dimension: DimensionOf<'_>,
        asked: RangeAsked,
    ) -> Result<Range> {
        let words = Words::of_mbr(asked);
        let (fragment, at) = self.dimension_in(index, dimension, &words)?;
        if fragment.is_dense() {
            return Err(refused(words.dense, "Fragment is not sparse"));
        }
        let ranges = fragment.rtree()?.leaf(mbr as usize);
        let ranges = ranges.ok_or_else(|| Error::usage(ORIGIN, words.rectangle))?;
        range_in(ranges, at, asked, &words)
    }

    /// Returns a fragment, and the index that its schema has for a dimension.
    fn dimension_in(
        &self,
        index: u32,
        dimension: DimensionOf<'_>,
        words: &Words,
    ) -> Result<(Arc<Fragment>, usize)> {
        let by_name = usize::from(matches!(dimension, DimensionOf::Name(_)));
        let fragment = self.fragment(index, words.fragment[by_name])?;
        let at = match dimension {
            DimensionOf::Index(at) => at as usize,
            DimensionOf::Name(name) => named(fragment.schema(), name, words)?,
        };
        Ok((fragment, at))
    }
}

fn named(schema: &ArraySchema, name: Option<&str>, words: &Words) -> Result<usize> {
    let missing = || {
        let why = "Dimension name argument cannot be null";
        refused(words.missing_name, why)
    };
    let name = name.ok_or_else(missing)?;
    let unknown = || {
        let why = format!("Invalid dimension name '{name}'");
        refused(words.unknown_name, &why)
    };
    schema.domain.dimension_index(name).ok_or_else(unknown)
}

fn range_in(ranges: &[Range], at: usize, asked: RangeAsked, words: &Words) -> Result<Range> {
    let range = ranges.get(at);
    let range = range.ok_or_else(|| refused(words.dimension, "Invalid dimension index"))?;
    match range.is_var() == (asked != RangeAsked::Fixed) {
        true => Ok(range.clone()),
        false => Err(refused(words.dimension, words.form)),
    }
}

fn refused(action: &str, why: &str) -> Error {
    Error::usage(ORIGIN, format!("{action}; {why}"))
}
