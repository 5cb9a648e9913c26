//! Pictures with axes and a legend, drawn on any backend of `plotters`.

use std::ops::Range;

use plotters::coord::cartesian::Cartesian2d;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint};
use plotters::prelude::*;

use super::Drawing;
use super::colors::color;
use super::labels::{CHARACTER, Labels, shortened};
use crate::problem::{Problem, Result};

/// The size of a picture in pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Default for Size {
    fn default() -> Self {
        Self {
            width: 900,
            height: 560,
        }
    }
}

/// The width of the legend in pixels.
const LEGEND: u32 = 200;
/// The most characters of a line of the legend.
const LEGEND_CHARACTERS: usize = 26;
/// The space around a chart in pixels.
const MARGIN: usize = 12;
/// The height of the labels of the horizontal axis in pixels.
const X_AREA: usize = 44;
/// The width of a character of the title in pixels.
const TITLE_CHARACTER: usize = 9;
/// The most labels of the horizontal axis.
const X_LABELS: usize = 8;
/// The most labels of the vertical axis.
const Y_LABELS: usize = 10;
/// The number of colors of the legend.
const STEPS: i32 = 64;

/// A linear axis with given labels. Those that `plotters` chooses take forever for large numbers.
struct LabelledAxis {
    ends: Range<f64>,
    ticks: Vec<f64>,
}

impl LabelledAxis {
    fn new(ends: Range<f64>, ticks: Vec<f64>) -> Self {
        Self { ends, ticks }
    }
}

impl Ranged for LabelledAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (low, high): (i32, i32)) -> i32 {
        let share = (value - self.ends.start) / (self.ends.end - self.ends.start);
        low.saturating_add((share * f64::from(high - low)).round() as i32)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() {
            Vec::new()
        } else {
            self.ticks.clone()
        }
    }

    fn range(&self) -> Range<f64> {
        self.ends.clone()
    }
}

fn rgb(share: f64) -> RGBColor {
    let [red, green, blue] = color(share);
    RGBColor(red, green, blue)
}

/// Returns a picture as SVG.
pub(super) fn svg(drawing: &Drawing, size: Size) -> Result<String> {
    let mut text = String::new();
    draw(
        drawing,
        &SVGBackend::with_string(&mut text, (size.width, size.height)).into_drawing_area(),
    )?;
    Ok(text)
}

type Canvas<B> = DrawingArea<B, plotters::coord::Shift>;

/// Draws a picture.
pub(super) fn draw<B: DrawingBackend>(drawing: &Drawing, canvas: &Canvas<B>) -> Result<()> {
    let failed = |error: DrawingAreaErrorKind<B::ErrorType>| {
        Problem::usage(format!("the picture cannot be drawn: {error}"))
    };
    canvas.fill(&WHITE).map_err(failed)?;
    let (width, _) = canvas.dim_in_pixel();
    let (left, right) = canvas.split_horizontally(width.saturating_sub(LEGEND));
    axes_and_areas(drawing, &left).map_err(failed)?;
    legend(drawing, &right).map_err(failed)?;
    canvas.present().map_err(failed)
}

type Drawn<B> = std::result::Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn axes_and_areas<B: DrawingBackend>(drawing: &Drawing, canvas: &Canvas<B>) -> Drawn<B> {
    let (x, y) = (&drawing.x, &drawing.y);
    let vertical = if drawing.down {
        y.high..y.low
    } else {
        y.low..y.high
    };
    let (width, height) = canvas.dim_in_pixel();
    let y_max = if y.name.is_empty() { 0 } else { Y_LABELS };
    let y_labels = Labels::new(y, y_max);
    let y_area = if y.name.is_empty() {
        8
    } else {
        (y_labels.longest() * CHARACTER + 34).max(96)
    };
    let x_pixels = (width as usize).saturating_sub(2 * MARGIN + y_area);
    let x_labels = Labels::side_by_side(x, X_LABELS, x_pixels);
    let title = shortened(
        &drawing.title,
        (width as usize - 2 * MARGIN) / TITLE_CHARACTER,
    );
    let y_pixels = (height as usize).saturating_sub(2 * MARGIN + X_AREA + 30);
    let mut chart = ChartBuilder::on(canvas)
        .caption(title, ("sans-serif", 20))
        .margin(MARGIN as u32)
        .x_label_area_size(X_AREA as u32)
        .y_label_area_size(y_area as u32)
        .build_cartesian_2d(
            LabelledAxis::new(x.low..x.high, x_labels.values.clone()),
            LabelledAxis::new(vertical, y_labels.values.clone()),
        )?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_labels(X_LABELS)
        .y_labels(y_max)
        .x_desc(shortened(&x.name, x_pixels / CHARACTER))
        .y_desc(shortened(&y.name, y_pixels / CHARACTER))
        .x_label_formatter(&|value| x_labels.text(*value))
        .y_label_formatter(&|value| y_labels.text(*value))
        .label_style(("sans-serif", 13))
        .draw()?;
    draw_areas(drawing, &mut chart)
}

type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<LabelledAxis, LabelledAxis>>;

fn draw_areas<B: DrawingBackend>(drawing: &Drawing, chart: &mut Chart<'_, B>) -> Drawn<B> {
    let ends = drawing.values();
    chart.draw_series(
        drawing
            .areas
            .iter()
            .filter(|area| !area.hollow)
            .map(|area| {
                let [left, right, bottom, top] = area.bounds;
                let [red, green, blue] = drawing.color(area, ends);
                let opacity = if drawing.outlined { 0.7 } else { 1.0 };
                let style = RGBColor(red, green, blue).mix(opacity);
                Rectangle::new([(left, bottom), (right, top)], style.filled())
            }),
    )?;
    let outlined = drawing
        .areas
        .iter()
        .filter(|area| area.hollow || drawing.outlined);
    chart.draw_series(outlined.map(|area| {
        let [left, right, bottom, top] = area.bounds;
        Rectangle::new(
            [(left, bottom), (right, top)],
            BLACK.mix(0.6).stroke_width(1),
        )
    }))?;
    Ok(())
}

/// Draws the color map with the values of its ends.
fn legend<B: DrawingBackend>(drawing: &Drawing, canvas: &Canvas<B>) -> Drawn<B> {
    if !drawing.categories.is_empty() {
        return categories(drawing, canvas);
    }
    let (_, height) = canvas.dim_in_pixel();
    let (top, bottom) = (100, height as i32 - 70);
    let (low, high) = drawing.values();
    let (name, datatype) = &drawing.legend;
    let label = |value: f64| {
        super::Axis {
            name: String::new(),
            datatype: *datatype,
            low,
            high,
            unit: 1.0,
        }
        .label(value)
    };
    let text = |words: &str, corner: (i32, i32)| {
        let style = ("sans-serif", 13).into_text_style(canvas);
        canvas.draw(&Text::new(words.to_owned(), corner, style))
    };
    for (line, words) in wrapped(name, 20).iter().enumerate() {
        let words = shortened(words, LEGEND_CHARACTERS);
        text(&words, (4, 16 + 16 * line as i32))?;
    }
    if low < high {
        for step in 0..STEPS {
            let edge = |step: i32| bottom - (bottom - top) * step / STEPS;
            let color = rgb(f64::from(step) / f64::from(STEPS - 1));
            let area = [(4, edge(step + 1)), (24, edge(step))];
            canvas.draw(&Rectangle::new(area, color.filled()))?;
        }
        text(&label(high), (4, top - 18))?;
    } else {
        canvas.draw(&Rectangle::new(
            [(4, bottom - 20), (24, bottom)],
            rgb(1.0).filled(),
        ))?;
    }
    text(&label(low), (4, bottom + 6))
}

/// Draws the color of each category with its name and the number of its areas.
fn categories<B: DrawingBackend>(drawing: &Drawing, canvas: &Canvas<B>) -> Drawn<B> {
    let text = |words: String, corner: (i32, i32)| {
        let style = ("sans-serif", 13).into_text_style(canvas);
        canvas.draw(&Text::new(words, corner, style))
    };
    text(drawing.legend.0.clone(), (4, 16))?;
    let mut top = 48;
    for (category, number) in drawing.counts() {
        let [red, green, blue] = category.color;
        let area = [(4, top), (20, top + 16)];
        let filled = RGBColor(red, green, blue).mix(0.7).filled();
        canvas.draw(&Rectangle::new(area, filled))?;
        canvas.draw(&Rectangle::new(area, BLACK.mix(0.6).stroke_width(1)))?;
        for (line, words) in wrapped(category.name, 20).into_iter().enumerate() {
            text(words, (28, top + 2 + 16 * line as i32))?;
            top += if line > 0 { 16 } else { 0 };
        }
        text(number.to_string(), (28, top + 18))?;
        top += 48;
    }
    Ok(())
}

/// Divides a text into lines of at most `width` characters, at spaces.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > width {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}
