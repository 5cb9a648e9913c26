//! Random dimensions of sparse arrays, and the coordinates that are used.

use std::collections::BTreeSet;
use std::ffi::CString;

use crate::attribute::{AttributeSpec, INTEGERS, VAR};
use crate::filters::ListSpec;
use crate::random::Random;

/// The range of coordinates. For coordinates near the limits of their type, and for non-ASCII
/// strings, libtiledb writes the right bytes but computes some results wrongly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Coordinates {
    /// Any value of the type.
    Any,
    /// Few values near zero, and ASCII strings.
    Modest,
}

/// A dimension and the coordinates that are used.
#[derive(Debug)]
pub(crate) struct Dimension {
    pub(crate) field: AttributeSpec,
    pub(crate) low: Vec<u8>,
    pub(crate) high: Vec<u8>,
    pub(crate) extent: Option<Vec<u8>>,
    /// The coordinates in ascending order.
    pub(crate) points: Vec<Vec<u8>>,
}

fn bytes_of(value: i128, size: usize) -> Vec<u8> {
    value.to_le_bytes()[..size].to_vec()
}

fn integers(random: &mut Random, name: CString, which: Coordinates) -> Dimension {
    let types = [&INTEGERS[..], &[(25, 8, true), (36, 8, true)]].concat();
    let (datatype, size, signed) = random.one_of(&types);
    let bits = 8 * size as u32;
    let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
    let greatest = least + (1i128 << bits) - 1;
    let any = which == Coordinates::Any;
    let number = 1 + random.below(if any { 30 } else { 12 }) as i128;
    let most = (greatest - least) / (number + 2);
    let step = match random.below(3) {
        0 if any => most,
        _ if !any => 1 + random.below(8) as i128,
        1 => 1 + random.below(5).min(most as u64 - 1) as i128,
        _ => 1 + (random.next() as i128 % most).abs(),
    };
    let span = step * (number - 1) + random.below(3) as i128;
    let low = match random.below(3) {
        0 if any => least,
        1 if any => (greatest - span - 1).max(least),
        _ => (if signed { -3 } else { 3 }).min(greatest - span - 1),
    };
    let high = low + span;
    let largest = (span + 1).min((1 << (bits - 1)) - 1).min(1 << 62);
    let extent = match random.below(4) {
        0 => None,
        1 => Some(1),
        _ => Some(1 + (random.next() as i128 % largest).abs()),
    };
    // The last tile must end within the range of the type.
    let fits = |extent: &i128| low + (span / extent + 1) * extent - 1 < greatest;
    let points = (0..number).map(|index| bytes_of(low + index * step, size));
    Dimension {
        field: AttributeSpec::of_dimension(name, datatype, size),
        low: bytes_of(low, size),
        high: bytes_of(high, size),
        extent: extent.filter(fits).map(|extent| bytes_of(extent, size)),
        points: points.collect(),
    }
}

fn reals(random: &mut Random, name: CString, which: Coordinates) -> Dimension {
    let short = random.below(2) == 0;
    let bytes = |value: f64| {
        if short {
            (value as f32).to_le_bytes().to_vec()
        } else {
            value.to_le_bytes().to_vec()
        }
    };
    let number = 1 + random.below(30);
    let (low, range) = match which {
        Coordinates::Any => (
            random.one_of(&[-1.5, 0.0, 1e-7, -1e9, 123.456]),
            random.one_of(&[1e-3, 1.0, 7.7, 1e4, 3e9]),
        ),
        Coordinates::Modest => (
            random.one_of(&[-4.5, -1.5, 0.0, 3.25]),
            random.one_of(&[1.0, 7.7, 33.0]),
        ),
    };
    let points = (0..number).map(|index| bytes(low + range * index as f64 / number as f64));
    let mut points: Vec<Vec<u8>> = points.collect();
    points.dedup();
    let extent = match random.below(3) {
        0 => None,
        _ => Some(range / (1 + random.below(40)) as f64),
    };
    // As 32-bit numbers the ends may be closer, or equal.
    let span = if short {
        f64::from((low + range) as f32 - low as f32)
    } else {
        range
    };
    let extent = extent.filter(|extent| *extent <= span).map(bytes);
    Dimension {
        field: AttributeSpec::of_dimension(
            name,
            if short { 2 } else { 3 },
            if short { 4 } else { 8 },
        ),
        low: bytes(low),
        high: bytes(low + range),
        extent,
        points,
    }
}

fn texts(random: &mut Random, name: CString, which: Coordinates) -> Dimension {
    let letters = match random.below(3) {
        _ if which == Coordinates::Modest => vec![b'a', b'b', b'c'],
        0 => vec![b'a', b'b', 0],
        1 => vec![b'x', b'y', 200],
        _ => (b'a'..=b'z').collect(),
    };
    let head = random.one_of(&["", "", "longhead"]);
    let points: BTreeSet<Vec<u8>> = (0..1 + random.below(30))
        .map(|_| {
            let tail = (0..random.below(5)).map(|_| random.one_of(&letters));
            head.bytes().chain(tail).collect()
        })
        .collect();
    let mut field = AttributeSpec::of_dimension(name, 11, 1);
    field.cell_val_num = VAR;
    Dimension {
        field,
        low: Vec::new(),
        high: Vec::new(),
        extent: None,
        points: points.into_iter().collect(),
    }
}

impl Dimension {
    pub(crate) fn random(random: &mut Random, index: usize, which: Coordinates) -> Self {
        let name = CString::new(format!("d{index}")).expect("name");
        let mut dimension = match random.below(5) {
            0 => reals(random, name, which),
            1 => texts(random, name, which),
            _ => integers(random, name, which),
        };
        if random.below(3) == 0 {
            dimension.field.filters = ListSpec::of_bytes(random, dimension.is_text());
        }
        dimension
    }

    pub(crate) fn is_text(&self) -> bool {
        self.field.cell_val_num == VAR
    }
}
