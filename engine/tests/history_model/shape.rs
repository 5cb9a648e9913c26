//! An attribute: its name and the type of its cells. An attribute that is added again with another
//! type is another attribute.

use std::sync::Arc;

use tiledb_engine::internal::filter::{FilterList, FilterType};
use tiledb_engine::internal::schema::Attribute;
use tiledb_engine::internal::types::{Datatype, VAR_NUM};

use super::random::Random;
use super::setup::{
    self,
    column::{CellType, Column},
};

/// The type of the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Number,
    Byte,
    Text,
}

/// An attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    number: u8,
    kind: Kind,
    pub(crate) nullable: bool,
}

/// The bytes of a cell; `None` if it is null.
pub(crate) type Value = Option<Vec<u8>>;

/// Returns a random list of filters that numbers or any bytes can have.
pub(crate) fn filters(random: &mut Random, is_number: bool) -> Arc<FilterList> {
    use FilterType::*;
    let lists: &[&[FilterType]] = &[
        &[],
        &[],
        &[Zstd],
        &[Gzip],
        &[Lz4, ChecksumMd5],
        &[Bzip2],
        &[Rle],
        &[Byteshuffle, Lz4],
        &[Bitshuffle, Zstd, ChecksumSha256],
        &[DoubleDelta, Zstd],
        &[BitWidthReduction, Zstd],
        &[Delta, Zstd],
        &[Xor, Lz4],
    ];
    let any = if is_number { lists.len() } else { 6 };
    setup::filters(lists[random.below(any as u64) as usize])
}

/// The number of names.
const NAMES: u64 = 5;

impl Shape {
    pub(crate) fn random(random: &mut Random) -> Self {
        Self {
            number: random.below(NAMES) as u8,
            kind: random.one_of(&[Kind::Number, Kind::Number, Kind::Byte, Kind::Text]),
            nullable: random.below(3) == 0,
        }
    }

    pub(crate) fn name(self) -> String {
        format!("a{}", self.number)
    }

    pub(crate) fn is_number(self) -> bool {
        self.kind == Kind::Number
    }

    /// Returns whether cells can be indexes of an enumeration.
    pub(crate) fn is_byte(self) -> bool {
        self.kind == Kind::Byte
    }

    fn is_var(self) -> bool {
        self.kind == Kind::Text
    }

    /// Returns the size of a fixed-length cell in bytes.
    fn size(self) -> usize {
        match self.kind {
            Kind::Number => 4,
            _ => 1,
        }
    }

    fn fill_bytes(self) -> Vec<u8> {
        match self.kind {
            Kind::Number => 3i32.to_le_bytes().to_vec(),
            Kind::Byte => vec![99],
            Kind::Text => b"fill".to_vec(),
        }
    }

    /// Returns the value of cells for which the attribute was not written.
    pub(crate) fn fill(self) -> Value {
        (!self.nullable || self.number.is_multiple_of(2)).then(|| self.fill_bytes())
    }

    /// Returns the value of dense cells that do not satisfy a condition.
    pub(crate) fn filtered(self) -> Value {
        self.fill()
    }

    /// Returns the number in a cell.
    pub(crate) fn number(self, bytes: &[u8]) -> i32 {
        i32::from_le_bytes(bytes.try_into().expect("a number"))
    }

    pub(crate) fn attribute(self, enumeration: Option<&str>, random: &mut Random) -> Attribute {
        let datatype = match self.kind {
            Kind::Number => Datatype::Int32,
            Kind::Byte => Datatype::Uint8,
            Kind::Text => Datatype::StringAscii,
        };
        let mut attribute = Attribute::new(&self.name(), datatype);
        if self.is_var() {
            attribute.set_cell_val_num(VAR_NUM).expect("var");
        }
        let mut list = filters(random, !self.is_var());
        if self.is_var() && random.below(3) == 0 {
            list = setup::filters(&[random.one_of(&[FilterType::Dictionary, FilterType::Rle])]);
        }
        attribute.set_filters(list).expect("filters");
        attribute.set_nullable(self.nullable).expect("nullable");
        let validity = self.nullable.then_some(u8::from(self.fill().is_some()));
        attribute
            .set_fill_value(Some(&self.fill_bytes()), validity)
            .expect("fill value");
        if let Some(name) = enumeration {
            attribute.set_enumeration(name).expect("enumeration");
        }
        attribute
    }

    pub(crate) fn random_value(self, random: &mut Random) -> Value {
        if self.nullable && random.below(4) == 0 {
            return None;
        }
        Some(match self.kind {
            Kind::Number => (random.below(7) as i32).to_le_bytes().to_vec(),
            Kind::Byte => vec![random.below(3) as u8],
            Kind::Text => (0..random.below(4))
                .map(|_| b'a' + random.below(3) as u8)
                .collect(),
        })
    }

    fn cell_type(self) -> CellType {
        CellType {
            name: self.name(),
            size: (!self.is_var()).then(|| self.size()),
            nullable: self.nullable,
        }
    }

    /// Returns buffers for reading cells.
    pub(crate) fn output_column(self, cells: usize) -> Column {
        Column::with_capacity(self.cell_type(), cells, 4 * cells)
    }

    /// Returns a column of cells to write.
    pub(crate) fn column<'a>(self, values: impl Iterator<Item = &'a Value>) -> Column {
        let null = vec![0; if self.is_var() { 0 } else { self.size() }];
        let cells = values.map(|value| {
            let bytes = value.as_ref().unwrap_or(&null);
            (bytes.clone(), u8::from(value.is_some()))
        });
        Column::of(self.cell_type(), cells)
    }
}
