//! Ranges of a fragment by dimension: of its non-empty domain, and of the MBR of a tile.
//!
//! The C API has functions for a range of fixed size, for the sizes of the bounds of a
//! variable-size range, and for these bounds. libtiledb's error texts differ among these functions,
//! and programs compare them, so they are in a table.

use std::sync::Arc;

use super::FragmentInfo;
use crate::error::{Error, Result};
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::Range;

const ORIGIN: &str = "FragmentInfo";

/// The request for a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeRequest {
    /// Both bounds, of fixed size.
    Fixed,
    /// The sizes of both bounds.
    VarSize,
    /// Both bounds, of variable size.
    Var,
}

/// A dimension given by index or name.
#[derive(Clone, Copy, Debug)]
pub enum DimensionOf<'a> {
    /// By index.
    Index(u32),
    /// By name; `None` is an error.
    Name(Option<&'a str>),
}

/// The beginnings of error texts of one function, by cause, and the end of the text about the form
/// of a range.
struct ErrorTexts {
    /// An invalid fragment index, for dimensions given by index and by name.
    fragment: [&'static str; 2],
    missing_name: &'static str,
    unknown_name: &'static str,
    dimension: &'static str,
    form: &'static str,
    /// An MBR of a dense fragment.
    dense: &'static str,
    /// An invalid MBR index; the complete text.
    rectangle: &'static str,
}

const DOMAIN: &str = "Cannot get non-empty domain";
const DOMAIN_SIZE: &str = "Cannot get non-empty domain var size";
const DOMAIN_VAR: &str = "Cannot get non-empty domain var";
const MBR: &str = "Cannot get MBR";
const MBR_SIZE: &str = "Cannot get MBR var size";
const MBR_VAR: &str = "Cannot get MBR var";

impl ErrorTexts {
    /// Returns texts with the same beginning for all causes.
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

    fn of_domain(request: RangeRequest) -> Self {
        match request {
            RangeRequest::Fixed => Self::of(DOMAIN, "Dimension is variable-sized"),
            RangeRequest::VarSize => Self {
                fragment: [DOMAIN_SIZE, "Cannot get var-sized non-empty domain"],
                ..Self::of(DOMAIN_SIZE, "Dimension is fixed sized")
            },
            RangeRequest::Var => Self::of(DOMAIN_VAR, "Dimension is fixed-sized"),
        }
    }

    fn of_mbr(request: RangeRequest) -> Self {
        match request {
            RangeRequest::Fixed => Self {
                missing_name: DOMAIN,
                unknown_name: DOMAIN,
                rectangle: "Cannot get MBR; Invalid MBR index",
                ..Self::of(MBR, "Dimension is variable-sized")
            },
            RangeRequest::VarSize => Self {
                dense: MBR,
                rectangle: "Cannot get MBR; Invalid mbr index",
                ..Self::of(MBR_SIZE, "Dimension is fixed sized")
            },
            RangeRequest::Var => Self {
                unknown_name: DOMAIN_VAR,
                rectangle: "Cannot get MBR var; Invalid mbr index",
                ..Self::of(MBR_VAR, "Dimension is fixed-sized")
            },
        }
    }
}

impl FragmentInfo {
    /// Returns the range of a dimension in the non-empty domain of fragment `index`. Returns an
    /// error if the fragment or the dimension does not exist, or its ranges do not have the
    /// requested form.
    pub fn non_empty_range(
        &self,
        index: u32,
        dimension: DimensionOf<'_>,
        request: RangeRequest,
    ) -> Result<Range> {
        let texts = ErrorTexts::of_domain(request);
        let (fragment, dim) = self.dimension_in(index, dimension, &texts)?;
        let domain = fragment.non_empty_domain();
        let ranges = domain.map(Vec::as_slice).unwrap_or_default();
        range_in(ranges, dim, request, &texts)
    }

    /// Returns the range of a dimension in the MBR of tile `mbr` of fragment `index`. Returns an
    /// error if the fragment, the tile or the dimension does not exist, the fragment is dense, or
    /// its ranges do not have the requested form.
    pub fn mbr_range(
        &self,
        index: u32,
        mbr: u32,
        dimension: DimensionOf<'_>,
        request: RangeRequest,
    ) -> Result<Range> {
        let texts = ErrorTexts::of_mbr(request);
        let (fragment, dim) = self.dimension_in(index, dimension, &texts)?;
        if fragment.is_dense() {
            return Err(range_error(texts.dense, "Fragment is not sparse"));
        }
        let ranges = fragment.rtree()?.leaf(mbr as usize);
        let ranges = ranges.ok_or_else(|| Error::usage(ORIGIN, texts.rectangle))?;
        range_in(ranges, dim, request, &texts)
    }

    /// Returns a fragment, and the index of a dimension in its schema.
    fn dimension_in(
        &self,
        index: u32,
        dimension: DimensionOf<'_>,
        texts: &ErrorTexts,
    ) -> Result<(Arc<Fragment>, usize)> {
        let by_name = usize::from(matches!(dimension, DimensionOf::Name(_)));
        let fragment = self.fragment(index, texts.fragment[by_name])?;
        let dim = match dimension {
            DimensionOf::Index(dim) => dim as usize,
            DimensionOf::Name(name) => index_by_name(fragment.schema(), name, texts)?,
        };
        Ok((fragment, dim))
    }
}

fn index_by_name(schema: &ArraySchema, name: Option<&str>, texts: &ErrorTexts) -> Result<usize> {
    let missing = || {
        let problem = "Dimension name argument cannot be null";
        range_error(texts.missing_name, problem)
    };
    let name = name.ok_or_else(missing)?;
    let unknown = || {
        let problem = format!("Invalid dimension name '{name}'");
        range_error(texts.unknown_name, &problem)
    };
    schema.domain.dimension_index(name).ok_or_else(unknown)
}

fn range_in(
    ranges: &[Range],
    dim: usize,
    request: RangeRequest,
    texts: &ErrorTexts,
) -> Result<Range> {
    let range = ranges.get(dim);
    let range = range.ok_or_else(|| range_error(texts.dimension, "Invalid dimension index"))?;
    if range.is_var() == (request != RangeRequest::Fixed) {
        Ok(range.clone())
    } else {
        Err(range_error(texts.dimension, texts.form))
    }
}

fn range_error(action: &str, problem: &str) -> Error {
    Error::usage(ORIGIN, format!("{action}; {problem}"))
}
