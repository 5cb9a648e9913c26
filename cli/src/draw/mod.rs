//! Pictures of arrays: the data behind them (`rectangles`, `image`), and their form as SVG or PNG
//! (`chart`, `bitmap`) or as block characters (`blocks`).

mod axes;
mod bitmap;
mod blocks;
mod chart;
mod colors;
mod image;
mod labels;
mod rectangles;
mod tile_uses;

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use tiledb_engine::{Array, Context, Datatype};

use crate::args::{Picture, PictureOptions, Time};
use crate::output::Output;
use crate::problem::{Problem, Result};
use crate::selection::{check_field, open};
use crate::target_file::TargetFile;

use axes::Axis;

pub(crate) use chart::Size;

/// A rectangle with a value that determines its color.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Area {
    /// Left, right, bottom, top.
    pub(crate) bounds: [f64; 4],
    pub(crate) value: f64,
    /// Whether only its border is drawn.
    pub(crate) hollow: bool,
}

/// A category of areas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Category {
    pub(crate) name: &'static str,
    pub(crate) color: [u8; 3],
    /// The character in the terminal.
    pub(crate) mark: char,
}

pub(crate) const fn category(name: &'static str, color: [u8; 3], mark: char) -> Category {
    Category { name, color, mark }
}

/// The data of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) areas: Vec<Area>,
    /// The meaning of the colors, with the datatype of the values.
    pub(crate) legend: (String, Datatype),
    /// If the values are indexes of categories, these.
    pub(crate) categories: &'static [Category],
    /// Whether borders of areas are drawn.
    pub(crate) outlined: bool,
    /// Whether the vertical axis points downwards, as the rows of a matrix do.
    pub(crate) down: bool,
}

impl Drawing {
    /// Returns the same picture with bounds that can be drawn without overflow.
    fn rescaled(&self) -> Self {
        let mut rescaled = self.clone();
        let Self { x, y, areas, .. } = &mut rescaled;
        x.rescale();
        y.rescale();
        for area in areas {
            let units = [x.unit, x.unit, y.unit, y.unit];
            for (bound, unit) in area.bounds.iter_mut().zip(units) {
                *bound /= unit;
            }
        }
        rescaled
    }

    /// Returns the least and the greatest value of an area.
    pub(crate) fn values(&self) -> (f64, f64) {
        let values = self.areas.iter().map(|area| area.value);
        let low = values.clone().fold(f64::INFINITY, f64::min);
        (low, values.fold(f64::NEG_INFINITY, f64::max))
    }

    /// Returns the category of an area, if there are categories.
    pub(crate) fn category(&self, area: &Area) -> Option<&'static Category> {
        self.categories.get(area.value as usize)
    }

    /// Returns the color of an area, where `ends` are the least and the greatest value.
    pub(crate) fn color(&self, area: &Area, ends: (f64, f64)) -> [u8; 3] {
        match self.category(area) {
            Some(category) => category.color,
            None => colors::color(share(area.value, ends)),
        }
    }

    /// Returns each category with the number of its areas.
    pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static Category, usize)> {
        self.categories.iter().map(|category| {
            let areas = self.areas.iter();
            let in_category = areas.filter(|area| self.category(area) == Some(category));
            (category, in_category.count())
        })
    }

    fn json(&self) -> Value {
        let areas = self.areas.iter();
        let areas = areas.map(|area| json!({"bounds": area.bounds, "value": area.value}));
        let mut json = json!({
            "title": self.title, "x": self.x.json(), "y": self.y.json(), "y_points_down": self.down,
            "legend": self.legend.0, "areas": areas.collect::<Vec<Value>>(),
        });
        if !self.categories.is_empty() {
            let counts = self.counts();
            let counts =
                counts.map(|(category, areas)| json!({"name": category.name, "areas": areas}));
            json["categories"] = counts.collect();
        }
        json
    }
}

/// Returns the position of a value between the least and the greatest one.
fn share(value: f64, (low, high): (f64, f64)) -> f64 {
    if high > low {
        // The difference of large numbers is infinite, and halves of small ones are inexact.
        let scale = if (high - low).is_finite() { 1.0 } else { 0.5 };
        (value * scale - low * scale) / (high * scale - low * scale)
    } else {
        1.0
    }
}

/// Draws a picture to a file or to the terminal.
pub(crate) fn draw(
    context: &Context,
    picture: Picture,
    uri: &str,
    options: &PictureOptions,
    output: &mut Output,
) -> Result<()> {
    let array = open(
        context,
        uri,
        Time {
            at: options.time.at,
        },
    )?;
    let drawing = data(&array, picture, options)?;
    if let Some(file) = &options.output {
        write_file(&drawing.rescaled(), file, Size::default())?;
        let json = json!({"file": file, "picture": drawing.json()});
        return output.print(&json, || format!("wrote {file}\n"));
    }
    output.print(&drawing.json(), || {
        blocks::text(&drawing.rescaled(), options.width.clamp(20, 500))
    })
}

fn data(array: &Array, picture: Picture, options: &PictureOptions) -> Result<Drawing> {
    let selects = options.condition.is_some() || !options.range.is_empty();
    let explained = options.explain || selects;
    let problem = match picture {
        Picture::Fragments | Picture::Timeline if explained => {
            "--range, --where and --explain apply to `draw tiles` and `draw array` only"
        }
        Picture::Array if options.explain => "--explain applies to `draw tiles` only",
        Picture::Timeline if !options.axes.is_empty() => "a timeline has no dimensions",
        _ => "",
    };
    if !problem.is_empty() {
        return Err(Problem::usage(problem));
    }
    match picture {
        Picture::Fragments => rectangles::fragments(array, &options.axes),
        Picture::Tiles if explained => tile_uses::tiles(array, options),
        Picture::Tiles => rectangles::tiles(array, &options.axes),
        Picture::Timeline => rectangles::timeline(array),
        Picture::Array => {
            let schema = array.schema()?;
            let name = match (&options.attribute, schema.attributes().first()) {
                (Some(name), _) => name.clone(),
                (None, Some(first)) => first.name.clone(),
                (None, None) => return Err(Problem::usage("the array has no attributes")),
            };
            check_field(&schema, &name)?;
            image::image(array, &name, options)
        }
    }
}

/// Writes a picture as SVG or PNG, depending on the extension of the file.
fn write_file(drawing: &Drawing, file: &str, size: Size) -> Result<()> {
    let extension = Path::new(file)
        .extension()
        .and_then(|extension| extension.to_str());
    let bytes = match extension.map(str::to_ascii_lowercase).as_deref() {
        Some("svg") => chart::svg(drawing, size)?.into_bytes(),
        Some("png") => bitmap::png(drawing, size)?,
        _ => {
            return Err(
                Problem::usage(format!("'{file}' is neither an SVG nor a PNG file"))
                    .hint("give --output a name that ends with .svg or .png"),
            );
        }
    };
    let mut target = TargetFile::create(file)?;
    let written = target.writer().write_all(&bytes);
    written.map_err(|error| Problem::from(error).of_file("write", file))?;
    target.finish()
}
