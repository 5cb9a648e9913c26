//! Ranges of a fragment by dimension: of its non-empty domain, and of the MBR of a tile.
//!
//! The C API has functions for a range of fixed size, for the sizes of the bounds of a
//! variable-size range, and for these bounds. libtiledb's error texts differ among these functions,
//! and programs compare them, so they are in a table.

use std::sync::Arc;

use super::FragmentInfo;
use crate::array::{DimensionKey, RangeRequest};
use crate::error::{FragmentInfoError, Result};
use crate::format::version as v;
use crate::fragment::Fragment;
use crate::schema::ArraySchema;
use crate::types::{NdRange, Range};

/// The actions that the errors of one function name, by cause.
struct RangeActions {
    /// An invalid fragment index, for dimensions given by index and by name.
    fragment: [&'static str; 2],
    missing_name: &'static str,
    unknown_name: &'static str,
    dimension: &'static str,
    /// The error for a range of another form.
    form: fn(&'static str) -> FragmentInfoError,
    /// An MBR of a dense fragment.
    dense: &'static str,
    /// The error for an invalid MBR index.
    rectangle: fn(u32) -> FragmentInfoError,
}

const DOMAIN: &str = "get non-empty domain";
const DOMAIN_SIZE: &str = "get non-empty domain var size";
const DOMAIN_VAR: &str = "get non-empty domain var";
const MBR: &str = "get MBR";
const MBR_SIZE: &str = "get MBR var size";
const MBR_VAR: &str = "get MBR var";

impl RangeActions {
    /// Returns the same action for all causes.
    fn of(action: &'static str, form: fn(&'static str) -> FragmentInfoError) -> Self {
        Self {
            fragment: [action, action],
            missing_name: action,
            unknown_name: action,
            dimension: action,
            form,
            dense: action,
            rectangle: |index| FragmentInfoError::NoMbr { index },
        }
    }

    fn of_domain(request: RangeRequest) -> Self {
        match request {
            RangeRequest::Fixed => Self::of(DOMAIN, var_range),
            RangeRequest::VarSize => Self {
                fragment: [DOMAIN_SIZE, "get var-sized non-empty domain"],
                ..Self::of(DOMAIN_SIZE, fixed_range_size)
            },
            RangeRequest::Var => Self::of(DOMAIN_VAR, fixed_range),
        }
    }

    fn of_mbr(request: RangeRequest) -> Self {
        match request {
            RangeRequest::Fixed => Self {
                missing_name: DOMAIN,
                unknown_name: DOMAIN,
                rectangle: |index| FragmentInfoError::NoMbr { index },
                ..Self::of(MBR, var_range)
            },
            RangeRequest::VarSize => Self {
                dense: MBR,
                rectangle: |index| FragmentInfoError::NoSizedMbr { index },
                ..Self::of(MBR_SIZE, fixed_range_size)
            },
            RangeRequest::Var => Self {
                unknown_name: DOMAIN_VAR,
                rectangle: |index| FragmentInfoError::NoVarMbr { index },
                ..Self::of(MBR_VAR, fixed_range)
            },
        }
    }
}

impl FragmentInfo {
    /// Returns the range of a dimension in the non-empty domain of fragment `index`. Returns an
    /// error if the fragment or the dimension does not exist, or its ranges do not have the
    /// requested form. `dimension` is `None` if the caller has passed null as its name, which is an
    /// error.
    pub fn non_empty_range(
        &self,
        index: u32,
        dimension: Option<DimensionKey<'_>>,
        request: RangeRequest,
    ) -> Result<Range> {
        let actions = RangeActions::of_domain(request);
        let (fragment, dim) = self.dimension_in(index, dimension, &actions)?;
        let domain = fragment.footer.non_empty_domain.as_ref();
        let ranges = domain.map(Vec::as_slice).unwrap_or_default();
        range_in(ranges, dim, request, &actions)
    }

    /// Returns the range of a dimension in the MBR of tile `mbr` of fragment `index`. Returns an
    /// error if the fragment, the tile or the dimension does not exist, the fragment is dense, or
    /// its ranges do not have the requested form.
    pub fn mbr_range(
        &self,
        index: u32,
        mbr: u32,
        dimension: Option<DimensionKey<'_>>,
        request: RangeRequest,
    ) -> Result<Range> {
        let actions = RangeActions::of_mbr(request);
        let (fragment, dim) = self.dimension_in(index, dimension, &actions)?;
        if fragment.footer.dense {
            let action = actions.dense;
            return Err(FragmentInfoError::Dense { action }.into());
        }
        let ranges = fragment
            .rtree()?
            .leaf(mbr as usize)
            .ok_or_else(|| (actions.rectangle)(mbr))?;
        range_in(ranges, dim, request, &actions)
    }

    /// Returns the coordinates of the first and the last cell of tile `tile` of fragment `index` in
    /// global order, by dimension. Fragments store them since format version 23. Returns an error
    /// if the fragment or the tile does not exist, or if the fragment is dense or does not have
    /// them.
    pub fn order_bounds(&self, index: u32, tile: u32) -> Result<NdRange> {
        let loaded = self.loaded()?;
        let unknown = FragmentInfoError::NoFragmentWithBounds { index };
        let fragment = loaded.fragments.get(index as usize).ok_or(unknown)?;
        if fragment.footer.dense {
            return Err(FragmentInfoError::Dense { action: MBR }.into());
        }
        if fragment.footer.head.version < v::METADATA_FOOTER {
            return Err(FragmentInfoError::FormatWithoutBounds.into());
        }
        let bounds = fragment.order_bounds(u64::from(tile))?;
        Ok(bounds.ok_or(FragmentInfoError::NoOrderBounds { index: tile })?)
    }

    /// Returns a fragment, and the index of a dimension in its schema.
    fn dimension_in(
        &self,
        index: u32,
        dimension: Option<DimensionKey<'_>>,
        actions: &RangeActions,
    ) -> Result<(Arc<Fragment>, usize)> {
        let by_name = usize::from(!matches!(dimension, Some(DimensionKey::Index(_))));
        let fragment = self.fragment(index, actions.fragment[by_name])?;
        let dim = match dimension {
            Some(DimensionKey::Index(dim)) => dim as usize,
            Some(DimensionKey::Name(name)) => index_by_name(&fragment.schema, name, actions)?,
            None => {
                let action = actions.missing_name;
                return Err(FragmentInfoError::NoName { action }.into());
            }
        };
        Ok((fragment, dim))
    }
}

fn index_by_name(schema: &ArraySchema, name: &str, actions: &RangeActions) -> Result<usize> {
    Ok(schema
        .domain
        .dimensions
        .index_of(name)
        .ok_or_else(|| FragmentInfoError::UnknownName {
            action: actions.unknown_name,
            name: name.to_owned(),
        })?)
}

fn range_in(
    ranges: &[Range],
    dim: usize,
    request: RangeRequest,
    actions: &RangeActions,
) -> Result<Range> {
    let range = ranges.get(dim).ok_or(FragmentInfoError::NoDimension {
        action: actions.dimension,
        index: dim,
    })?;
    if range.is_var() == (request != RangeRequest::Fixed) {
        Ok(range.clone())
    } else {
        Err((actions.form)(actions.dimension).into())
    }
}

fn var_range(action: &'static str) -> FragmentInfoError {
    FragmentInfoError::VarRange { action }
}

fn fixed_range(action: &'static str) -> FragmentInfoError {
    FragmentInfoError::FixedRange { action }
}

fn fixed_range_size(action: &'static str) -> FragmentInfoError {
    FragmentInfoError::FixedRangeSize { action }
}
