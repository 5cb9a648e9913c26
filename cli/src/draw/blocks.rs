//! Pictures in the terminal: a character for each part of the picture, darker for greater values.

use super::{Area, Drawing, share};

/// The characters from the least to the greatest value.
const SHADES: [char; 5] = ['·', '░', '▒', '▓', '█'];
/// The number of lines of a picture whose axis has more values.
const LINES: usize = 24;

/// Returns a picture of at most `width` characters.
pub(super) fn text(drawing: &Drawing, width: usize) -> String {
    let (x, y) = (&drawing.x, &drawing.y);
    let labels = [y.label(y.low), y.label(last_value(y))];
    let margin = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0)
        .min(24);
    let columns = character_num(x, width.saturating_sub(margin + 2).max(10));
    let lines = character_num(y, LINES);
    let mut grid = vec![None; columns * lines];
    let ends = drawing.values();
    for area in &drawing.areas {
        let [left, right, bottom, top] = area.bounds;
        let (first, end) = covered_characters([left, right], [x.low, x.high], columns);
        let (lowest, highest) = covered_characters([bottom, top], [y.low, y.high], lines);
        for line in lowest..highest {
            for column in first..end {
                grid[line * columns + column] = Some(character_of(drawing, area, ends));
            }
        }
    }
    let mut text = format!("{}\n", drawing.title);
    for row in 0..lines {
        let line = if drawing.down { row } else { lines - 1 - row };
        let label = match line {
            _ if y.name.is_empty() => "",
            0 => labels[0].as_str(),
            line if line + 1 == lines => labels[1].as_str(),
            _ => "",
        };
        let cells = grid[line * columns..][..columns].iter();
        let cells: String = cells.map(|cell| cell.unwrap_or(' ')).collect();
        text.push_str(&format!("{label:>margin$} │{}\n", cells.trim_end()));
    }
    text.push_str(&format!("{:margin$} └{}\n", "", "─".repeat(columns)));
    text.push_str(&format!("{:margin$}  {}\n", "", ends_of(x, columns)));
    text.push_str(&legend(drawing));
    text
}

/// Returns the first and the last value of an axis of `columns` characters.
fn ends_of(axis: &super::Axis, columns: usize) -> String {
    let (low, high) = (axis.label(axis.low), axis.label(last_value(axis)));
    let length = low.chars().count() + high.chars().count();
    if low == high {
        low
    } else if length < columns {
        format!("{low}{:1$}{high}", "", columns - length)
    } else {
        format!("{low} to {high}")
    }
}

/// Returns the names of the axes and the meaning of the characters.
fn legend(drawing: &Drawing) -> String {
    let (x, y) = (&drawing.x, &drawing.y);
    let (least, greatest) = drawing.values();
    let (name, datatype) = &drawing.legend;
    let value = |value| {
        super::Axis {
            datatype: *datatype,
            unit: 1.0,
            ..x.clone()
        }
        .label(value)
    };
    let axes = if y.name.is_empty() {
        format!("x: {}", x.name)
    } else {
        format!("x: {}, y: {}", x.name, y.name)
    };
    if drawing.categories.is_empty() {
        let (low, high) = (value(least), value(greatest));
        return format!(
            "{axes}; {name}: {} {low} to {} {high}\n",
            SHADES[0], SHADES[4]
        );
    }
    let mut text = format!("{axes}; {name}:\n");
    for (category, number) in drawing.counts() {
        text.push_str(&format!("  {} {number} {}\n", category.mark, category.name));
    }
    text
}

/// Returns the character of an area.
fn character_of(drawing: &Drawing, area: &Area, ends: (f64, f64)) -> char {
    if area.hollow {
        return '□';
    }
    if let Some(category) = drawing.category(area) {
        return category.mark;
    }
    let index = (share(area.value, ends) * SHADES.len() as f64) as usize;
    SHADES[index.min(SHADES.len() - 1)]
}

/// Returns the last value of an axis.
fn last_value(axis: &super::Axis) -> f64 {
    if axis.datatype.is_real() || axis.high - 1.0 < axis.low {
        axis.high
    } else {
        axis.high - 1.0
    }
}

/// Returns the number of characters for an axis: one or more for each value if there are few.
fn character_num(axis: &super::Axis, max: usize) -> usize {
    let width = axis.high - axis.low;
    let is_time = axis.datatype.is_datetime();
    if axis.datatype.is_real() || is_time || width > max as f64 || width < 1.0 {
        return max;
    }
    let each = if axis.name.is_empty() {
        1
    } else {
        (max as f64 / width) as usize
    };
    width as usize * each.clamp(1, 4)
}

/// Returns the characters that an interval covers, at least one.
fn covered_characters(interval: [f64; 2], axis: [f64; 2], number: usize) -> (usize, usize) {
    let width = axis[1] - axis[0];
    let scale = if width > 0.0 {
        number as f64 / width
    } else {
        0.0
    };
    let first = (((interval[0] - axis[0]) * scale + 1e-9) as usize).min(number - 1);
    let end = ((interval[1] - axis[0]) * scale - 1e-9).ceil() as usize;
    (first, end.clamp(first + 1, number))
}
