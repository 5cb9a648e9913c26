//! The axes of pictures, and the dimensions that they show.

use serde_json::{Value, json};
use tiledb_engine::{Datatype, Scalar, Schema};

use crate::problem::{Problem, Result};

/// An axis of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) name: String,
    /// The datatype of its values, which determines their labels.
    pub(crate) datatype: Datatype,
    pub(crate) low: f64,
    /// The end of the last value.
    pub(crate) high: f64,
    /// The number that 1 stands for in the bounds.
    pub(crate) unit: f64,
}

/// Numbers whose size is less, or less than 1 divided by it, can be drawn without overflow.
const MAX_DRAWN: f64 = 1e150;

impl Axis {
    /// Returns the label of a value.
    pub(crate) fn label(&self, value: f64) -> String {
        let value = value * self.unit;
        if self.datatype.is_real() {
            return real_label(value);
        }
        Scalar::Integer(value.floor() as i128).text(self.datatype)
    }

    pub(super) fn json(&self) -> Value {
        json!({"name": self.name, "low": self.low, "high": self.high})
    }

    /// Returns at most `max` values to label: multiples of 1, 2 or 5 times a power of ten, if the
    /// numbers are exact enough; of datetimes, multiples of units of the clock. The label of an
    /// integer is in the middle of the space up to the next one, where its cells are drawn.
    pub(super) fn ticks(&self, max: usize) -> Vec<f64> {
        let least_step = (self.high - self.low) / max.max(1) as f64;
        let power = 10f64.powf(least_step.log10().floor());
        let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
        let step = steps.into_iter().find(|step| *step >= least_step);
        let (smallest, middle) = if self.datatype.is_real() {
            (0.0, 0.0)
        } else {
            (1.0, 0.5)
        };
        let step = step.unwrap_or(10.0 * power);
        let step = self.clock_step(least_step).unwrap_or(step).max(smallest);
        let first = (self.low / step).ceil();
        let ticks = (0..max).map(|index| (first + index as f64) * step + middle);
        ticks.take_while(|tick| *tick <= self.high).collect()
    }

    /// Returns a step of datetimes that is at least `least`: a number of seconds, minutes, hours or
    /// days that divides the next unit. `None` if it is shorter than a second or longer than years.
    fn clock_step(&self, least: f64) -> Option<f64> {
        const STEPS: [u32; 24] = [
            1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200,
            86_400, 172_800, 432_000, 864_000, 1_728_000, 4_320_000, 8_640_000,
        ];
        let unit = match self.datatype {
            Datatype::DatetimeDay => 86_400.0,
            Datatype::DatetimeHr => 3600.0,
            Datatype::DatetimeMin => 60.0,
            Datatype::DatetimeSec => 1.0,
            Datatype::DatetimeMs => 1e-3,
            Datatype::DatetimeUs => 1e-6,
            Datatype::DatetimeNs => 1e-9,
            _ => return None,
        };
        let seconds = least * unit;
        let mut steps = STEPS.into_iter().map(f64::from);
        let step = steps.find(|step| *step >= seconds);
        step.filter(|_| seconds > 0.5).map(|step| step / unit)
    }

    /// Chooses the unit so that bounds in it can be drawn without overflow, and converts them.
    pub(super) fn rescale(&mut self) {
        let size = self.low.abs().max(self.high.abs());
        if size > MAX_DRAWN {
            self.unit = 1e200;
        } else if size > 0.0 && size < 1.0 / MAX_DRAWN {
            self.unit = 1e-200;
        }
        self.low /= self.unit;
        self.high /= self.unit;
    }

    /// Makes an axis without size as long as pictures need: a single real number, or an integer so
    /// large that the space up to the next one is less than the precision.
    pub(super) fn widen(&mut self) {
        // The order of the products avoids overflow.
        let least = self.low.abs().max(self.high.abs()) * (4.0 * f64::EPSILON);
        if self.high - self.low <= least {
            let width = if self.datatype.is_real() {
                (self.low.abs() * 1e-3)
                    .max(least)
                    .max(f64::MIN_POSITIVE * 4.0)
            } else {
                least.max(1.0)
            };
            self.high = self.low + width;
        }
    }
}

/// Returns the label of a real number.
fn real_label(value: f64) -> String {
    if value != 0.0 && !(1e-2..1e9).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The dimensions that a picture shows, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ShownDimensions {
    pub(super) horizontal: usize,
    pub(super) vertical: Option<usize>,
    /// Whether the vertical axis points downwards.
    pub(super) down: bool,
}

impl ShownDimensions {
    /// Returns the dimensions with the names `axes`, the horizontal one first; without names the
    /// first two, which of a dense array are drawn like a matrix: the first one points downwards,
    /// and the second one to the right.
    pub(super) fn new(schema: &Schema, axes: &[String]) -> Result<Self> {
        let dimensions = schema.dimensions();
        let index_of = |name: &String| {
            let index = dimensions.iter().position(|other| other.name == *name);
            index.ok_or_else(|| {
                let names: Vec<&str> = dimensions.iter().map(|other| other.name.as_str()).collect();
                Problem::usage(format!("there is no dimension '{name}'"))
                    .hint(format!("the dimensions are: {}", names.join(", ")))
            })
        };
        let (horizontal, vertical) = match axes {
            [] if dimensions.len() < 2 => (0, None),
            [] if schema.is_dense() => (1, Some(0)),
            [] => (0, Some(1)),
            [horizontal] => (index_of(horizontal)?, None),
            [horizontal, vertical] => (index_of(horizontal)?, Some(index_of(vertical)?)),
            _ => return Err(Problem::usage("a picture has at most two axes")),
        };
        if vertical == Some(horizontal) {
            return Err(Problem::usage("the two axes are the same dimension"));
        }
        for index in [Some(horizontal), vertical].into_iter().flatten() {
            let dimension = &dimensions[index];
            if dimension.datatype.is_string() {
                let message = format!(
                    "dimension '{}' has strings, which cannot be drawn",
                    dimension.name
                );
                return Err(Problem::usage(message)
                    .hint("name other dimensions with --axes, or use `tiledb-rs draw timeline`"));
            }
        }
        Ok(Self {
            horizontal,
            vertical,
            down: schema.is_dense() && vertical.is_some(),
        })
    }

    /// Returns the axis of a dimension, without bounds.
    pub(super) fn axis(schema: &Schema, index: usize) -> Axis {
        let dimension = &schema.dimensions()[index];
        Axis {
            name: dimension.name.clone(),
            datatype: dimension.datatype,
            low: f64::INFINITY,
            high: f64::NEG_INFINITY,
            unit: 1.0,
        }
    }
}

/// Returns the bounds of a range of coordinates. An integer covers the space up to the next one.
pub(super) fn bounds(
    range: &std::ops::RangeInclusive<Scalar>,
    datatype: Datatype,
) -> Option<(f64, f64)> {
    let one = if datatype.is_real() { 0.0 } else { 1.0 };
    Some((range.start().to_f64()?, range.end().to_f64()? + one))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_of_every_size() {
        let ticks = |low: f64, high: f64, datatype: Datatype| {
            let axis = Axis {
                name: "x".into(),
                datatype,
                low,
                high,
                unit: 1.0,
            };
            axis.ticks(5)
        };
        let integer = Datatype::Int64;
        assert_eq!(ticks(0.0, 10.0, integer), [0.5, 2.5, 4.5, 6.5, 8.5]);
        assert_eq!(ticks(-7.0, 13.0, integer), [-4.5, 0.5, 5.5, 10.5]);
        assert_eq!(ticks(3.0, 5.0, integer), [3.5, 4.5]);
        assert_eq!(
            ticks(0.25, 1.0, Datatype::Float64),
            [0.4, 0.6000000000000001, 0.8, 1.0]
        );
        for exponent in [-149, -30, 30, 149] {
            let size = 10f64.powi(exponent);
            let found = ticks(-size, size, Datatype::Float64);
            assert!((3..=5).contains(&found.len()), "{exponent}: {found:?}");
        }
        let far = (1u64 << 60) as f64;
        assert!(ticks(far, far + 1024.0, integer).len() <= 5);
    }
}
