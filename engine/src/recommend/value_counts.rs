//! Figures of the values of a field.

use std::collections::HashMap;

use super::sample::SampleField;
use crate::typed;
use crate::types::Value;

/// The most distinct values that are counted.
pub(super) const MAX_DISTINCT: usize = 1 << 16;

/// Figures of the values of a field that are not null.
#[derive(Debug, Default)]
pub(super) struct ValueCounts<'a> {
    /// The number of values.
    pub(super) values: usize,
    pub(super) nulls: usize,
    /// The distinct values in the order of their first occurrence; `None` if there are more than
    /// `MAX_DISTINCT`.
    pub(super) distinct: Option<Vec<&'a [u8]>>,
    /// The number of distinct values that occur once.
    pub(super) single: usize,
    /// The number of values that equal the one before.
    pub(super) repeated: usize,
    /// Whether no number is less than the one before.
    pub(super) ascending: bool,
    /// The number of bits of the range of integers; `None` for other fields.
    pub(super) bits: Option<u32>,
}

impl<'a> ValueCounts<'a> {
    pub(super) fn new(field: &SampleField<'a>, order: &[usize]) -> Self {
        let mut profile = Self::default();
        let mut counts: HashMap<&[u8], (usize, u32)> = HashMap::new();
        let (mut before, mut is_counted) = (None, true);
        for cell in order {
            if !field.is_valid(*cell) {
                profile.nulls += 1;
                continue;
            }
            let bytes = field.bytes(*cell);
            profile.values += 1;
            profile.repeated += usize::from(before == Some(bytes));
            before = Some(bytes);
            if is_counted {
                let rank = counts.len();
                counts.entry(bytes).or_insert((rank, 0)).1 += 1;
                is_counted = counts.len() <= MAX_DISTINCT;
            }
        }
        if is_counted {
            profile.single = counts.values().filter(|(_, count)| *count == 1).count();
            let mut distinct: Vec<(usize, &[u8])> = counts
                .into_iter()
                .map(|(bytes, (rank, _))| (rank, bytes))
                .collect();
            distinct.sort_unstable();
            profile.distinct = Some(distinct.into_iter().map(|(_, bytes)| bytes).collect());
        }
        if !field.is_var() && field.cell_val_num == 1 {
            typed!(field.datatype.physical(), T => profile.count_numbers::<T>(field, order));
        }
        profile
    }

    fn count_numbers<T: Value>(&mut self, field: &SampleField<'_>, order: &[usize]) {
        let mut keys = order
            .iter()
            .filter(|cell| field.is_valid(**cell))
            .map(|cell| T::read(field.bytes(*cell)).to_key());
        let Some(first) = keys.next() else { return };
        let (mut least, mut greatest, mut before) = (first, first, first);
        self.ascending = true;
        for key in keys {
            (least, greatest) = (least.min(key), greatest.max(key));
            self.ascending &= before <= key;
            before = key;
        }
        if !T::PHYSICAL.is_real() {
            self.bits = Some(u64::BITS - (greatest - least).leading_zeros());
        }
    }

    /// Returns the estimated share of further cells with a value that the sample lacks (Good and
    /// Turing: that of the values that occur once).
    pub(super) fn unseen(&self) -> f64 {
        self.single as f64 / self.values.max(1) as f64
    }

    /// Returns the figures as text.
    pub(super) fn text(&self) -> String {
        let mut parts = Vec::new();
        match &self.distinct {
            Some(distinct) => parts.push(format!("{} distinct of {}", distinct.len(), self.values)),
            None => parts.push(format!("over {MAX_DISTINCT} distinct of {}", self.values)),
        }
        if self.ascending && self.values > 1 {
            parts.push("ascending".to_owned());
        }
        if let Some(bits) = self.bits {
            parts.push(format!("range of {bits} bits"));
        }
        let percent = 100 * self.repeated / self.values.max(1);
        if percent > 0 {
            parts.push(format!("{percent} % repeat the one before"));
        }
        parts.join(", ")
    }
}
