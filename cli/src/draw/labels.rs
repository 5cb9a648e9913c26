//! Labels of axes that fit into the space of a picture.

use super::axes::Axis;

/// The width of a character of a label in pixels.
pub(super) const CHARACTER: usize = 7;
/// The least space between two labels in pixels.
const GAP: usize = 10;

/// The values of an axis that have labels, with these.
pub(super) struct Labels {
    pub(super) values: Vec<f64>,
    texts: Vec<String>,
}

impl Labels {
    /// Returns at most `max` labels of an axis.
    pub(super) fn new(axis: &Axis, max: usize) -> Self {
        let values = axis.ticks(max);
        let texts = texts(axis, &values);
        Self { values, texts }
    }

    /// Returns the labels of a horizontal axis with this number of pixels, at most `max`, which do
    /// not overlap.
    pub(super) fn side_by_side(axis: &Axis, max: usize, pixels: usize) -> Self {
        let mut labels = Self::new(axis, max);
        for max in (1..max).rev() {
            let mut values = labels.values.windows(2);
            let distance = values
                .next()
                .map_or(f64::INFINITY, |pair| pair[1] - pair[0]);
            let space = distance / (axis.high - axis.low) * pixels as f64;
            if (labels.longest() * CHARACTER + GAP) as f64 <= space {
                break;
            }
            labels = Self::new(axis, max);
        }
        labels
    }

    /// Returns the number of characters of the longest label.
    pub(super) fn longest(&self) -> usize {
        let lengths = self.texts.iter().map(|text| text.chars().count());
        lengths.max().unwrap_or(0)
    }

    /// Returns the label of one of the values.
    pub(super) fn text(&self, value: f64) -> String {
        let mut labels = self.values.iter().zip(&self.texts);
        let found = labels.find(|(labelled, _)| **labelled == value);
        found.map(|(_, text)| text.clone()).unwrap_or_default()
    }
}

/// Returns the labels of values. Datetimes have no clock if all are at midnight, and no fraction of
/// a second if all have none.
fn texts(axis: &Axis, values: &[f64]) -> Vec<String> {
    let mut texts: Vec<String> = values.iter().map(|value| axis.label(*value)).collect();
    if !axis.datatype.is_datetime() {
        return texts;
    }
    for end in [".000000000", ".000000", ".000", ":00", "T00:00"] {
        if texts.iter().all(|text| text.ends_with(end)) {
            for text in &mut texts {
                text.truncate(text.len() - end.len());
            }
        }
    }
    texts
}

/// Returns a text of at most `max` characters, with an ellipsis instead of the end of a longer one.
pub(super) fn shortened(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let start: String = text.chars().take(max.saturating_sub(3)).collect();
    format!("{start}...")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tiledb_engine::Datatype;

    fn axis(datatype: Datatype, low: f64, high: f64) -> Axis {
        Axis {
            name: "x".into(),
            datatype,
            low,
            high,
            unit: 1.0,
        }
    }

    #[test]
    fn datetimes_have_round_labels_without_zeros() {
        let second = 1_700_000_000_000.0;
        let cases = [
            (86_400e3 * 9.0, "2023-11-19"),
            (3_600e3 * 5.0, "2023-11-15T00:00"),
            (20e3, "2023-11-14T22:13:20"),
            (20.0, "2023-11-14T22:13:20.000"),
        ];
        for (width, first) in cases {
            let axis = axis(Datatype::DatetimeMs, second, second + width);
            let labels = Labels::new(&axis, 4);
            assert_eq!(labels.text(labels.values[0]), first, "{width}");
        }
        let days = Labels::new(&axis(Datatype::DatetimeDay, 0.0, 40.0), 4);
        assert_eq!(days.text(days.values[1]), "1970-01-11");
    }

    #[test]
    fn labels_side_by_side_do_not_overlap() {
        for (low, high) in [(0.0, 10.0), (-2e18, 2e18), (0.0, 1e6), (5.0, 6.0)] {
            let axis = axis(Datatype::Int64, low, high);
            let labels = Labels::side_by_side(&axis, 8, 560);
            let each = (560 / labels.values.len().max(1)) as f64;
            assert!((labels.longest() * CHARACTER) as f64 <= each * 1.5);
            assert!(!labels.values.is_empty(), "{low} to {high}");
        }
    }

    #[test]
    fn long_texts_are_shortened() {
        assert_eq!(shortened("äbc", 3), "äbc");
        assert_eq!(shortened("äbcdefg", 6), "äbc...");
    }
}
