//! Ranges by the values of dimension labels.

use super::ranges::{LabelRanges, Subarray, check_ends, push};
use crate::error::{Error, LabelError, LabelRangeError, Result};
use crate::schema::DimensionLabel;
use crate::types::Range;

impl Subarray {
    fn label_of(&self, name: &str) -> Result<(usize, &DimensionLabel)> {
        let label = self
            .schema
            .label(name)
            .ok_or_else(|| Error::from(LabelError::Unknown { name: name.into() }))?;
        Ok((label.dimension as usize, label))
    }

    /// Returns the size of a value of a fixed-size label in bytes, which a caller's pointer must
    /// have.
    pub fn label_value_size(&self, name: &str) -> Result<usize> {
        let (_, label) = self.label_of(name)?;
        if label.is_var() {
            Err(LabelRangeError::NotFixed.into())
        } else {
            Ok(label.datatype.size())
        }
    }

    /// Adds a range of a fixed-size label. The dimension must not have ranges of its own or of
    /// another label.
    pub fn add_label_range(&mut self, name: &str, start: &[u8], end: &[u8]) -> Result<()> {
        let size = self.label_value_size(name)?;
        if start.len() != size || end.len() != size {
            return Err(LabelRangeError::BadRange { size }.into());
        }
        let (_, label) = self.label_of(name)?;
        self.check_free(label)?;
        check_ends(label.datatype, start, end)?;
        self.push_label(name, Range::fixed(start, end))
    }

    /// Adds a range of a variable-size label, both ends included. The range is empty if the upper
    /// end is less than the lower end.
    pub fn add_label_range_var(&mut self, name: &str, start: &[u8], end: &[u8]) -> Result<()> {
        let (_, label) = self.label_of(name)?;
        if !label.is_var() {
            return Err(LabelRangeError::NotVar.into());
        }
        self.check_free(label)?;
        self.push_label(name, Range::var(start, end))
    }

    /// Returns an error if the dimension of a label has ranges that are not of that label.
    fn check_free(&self, label: &DimensionLabel) -> Result<()> {
        let dim = label.dimension as usize;
        match &self.dims[dim].label {
            Some(ranges) if ranges.name != label.name => Err(LabelRangeError::OtherLabel {
                label: ranges.name.clone(),
            }
            .into()),
            None if !self.dims[dim].whole => {
                Err(LabelRangeError::DimensionRanges { dimension: dim }.into())
            }
            _ => Ok(()),
        }
    }

    fn push_label(&mut self, name: &str, range: Range) -> Result<()> {
        let (dim, label) = self.label_of(name)?;
        let (datatype, coalesce) = (label.datatype, self.coalesces);
        let dim = &mut self.dims[dim];
        dim.whole = false;
        // The indexes of previous label ranges are not those of all ranges.
        dim.ranges.clear();
        let label_ranges = dim.label.get_or_insert_with(|| LabelRanges {
            name: name.to_owned(),
            ranges: Vec::new(),
        });
        push(&mut label_ranges.ranges, datatype, range, coalesce);
        Ok(())
    }

    /// Returns whether a label selects the ranges of a dimension; `false` for an unknown dimension.
    pub fn has_label_ranges(&self, dim: u32) -> bool {
        let dim = self.dims.get(dim as usize);
        dim.is_some_and(|dim| dim.label.is_some())
    }

    /// Returns whether there are label ranges that are not converted to ranges of indexes yet.
    pub fn awaits_labels(&self) -> bool {
        self.dims
            .iter()
            .any(|dim| dim.label.is_some() && dim.ranges.is_empty())
    }

    /// Returns the ranges of labels with the indexes of their dimensions.
    pub fn label_ranges(&self) -> impl Iterator<Item = (usize, &LabelRanges)> {
        self.dims
            .iter()
            .enumerate()
            .filter_map(|(index, dim)| Some((index, dim.label.as_ref()?)))
    }

    /// Returns the name of the label that selects the ranges of a dimension.
    pub fn label_name(&self, dim: u32) -> Result<&str> {
        let found = self
            .dims
            .get(dim as usize)
            .and_then(|dim| dim.label.as_ref())
            .ok_or_else(|| Error::from(LabelRangeError::NoLabel { dimension: dim }))?;
        Ok(&found.name)
    }

    /// Returns the ranges of a label; `None` if none was added.
    fn ranges_of_label(&self, name: &str) -> Result<Option<&LabelRanges>> {
        let (dim, _) = self.label_of(name)?;
        let ranges = self.dims[dim].label.as_ref();
        Ok(ranges.filter(|ranges| ranges.name == name))
    }

    /// Returns the number of ranges of a label.
    pub fn label_range_num(&self, name: &str) -> Result<u64> {
        let ranges = self.ranges_of_label(name)?;
        Ok(ranges.map_or(0, |label| label.ranges.len() as u64))
    }

    /// Returns a range of a label. `method` is the function that errors name.
    pub fn label_range(&self, name: &str, index: u64, method: &str) -> Result<&Range> {
        let ranges = self.ranges_of_label(name)?.ok_or_else(|| {
            Error::from(LabelRangeError::NoRanges {
                method: method.into(),
                label: name.into(),
            })
        })?;
        let found = usize::try_from(index)
            .ok()
            .and_then(|position| ranges.ranges.get(position));
        found.ok_or_else(|| {
            let number = ranges.ranges.len();
            Error::from(LabelRangeError::NoRange {
                method: method.into(),
                label: name.into(),
                index,
                number,
            })
        })
    }
}
