//! Values by datatype: lists with a field for each physical type.

use capnp::primitive_list;

use super::messages_capnp::{dimension::tile_extent, domain_array};
use super::texts::length;
use crate::error::{Error, Result, SerializationError};
use crate::types::{Datatype, Physical, Value};

/// Fills a list of values of a datatype, given as bytes.
pub(super) fn fill(to: domain_array::Builder<'_>, datatype: Datatype, values: &[u8]) -> Result<()> {
    if datatype == Datatype::Any {
        return Err(not_in_list(datatype));
    }
    let number = length("A list of values", values.len() / datatype.size())?;
    match datatype.physical() {
        Physical::I8 => fill_list(to.init_int8(number), values),
        Physical::U8 => fill_list(to.init_uint8(number), values),
        Physical::I16 => fill_list(to.init_int16(number), values),
        Physical::U16 => fill_list(to.init_uint16(number), values),
        Physical::I32 => fill_list(to.init_int32(number), values),
        Physical::U32 => fill_list(to.init_uint32(number), values),
        Physical::I64 => fill_list(to.init_int64(number), values),
        Physical::U64 => fill_list(to.init_uint64(number), values),
        Physical::F32 => fill_list(to.init_float32(number), values),
        Physical::F64 => fill_list(to.init_float64(number), values),
    }
    Ok(())
}

fn fill_list<T>(mut to: primitive_list::Builder<'_, T>, values: &[u8])
where
    T: Value + capnp::private::layout::PrimitiveElement + capnp::introspect::Introspect,
{
    for (index, value) in (0..).zip(values.chunks_exact(T::SIZE)) {
        to.set(index, T::read(value));
    }
}

/// Returns the values of a datatype as bytes; none if the list of the datatype is missing. Texts,
/// characters and `ANY` are errors.
pub(super) fn parse(from: domain_array::Reader<'_>, datatype: Datatype) -> Result<Vec<u8>> {
    if matches!(datatype, Datatype::Any | Datatype::Char) || datatype.is_string() {
        return Err(not_in_list(datatype));
    }
    Ok(match datatype.physical() {
        Physical::I8 => bytes_of(from.get_int8()?),
        Physical::U8 => bytes_of(from.get_uint8()?),
        Physical::I16 => bytes_of(from.get_int16()?),
        Physical::U16 => bytes_of(from.get_uint16()?),
        Physical::I32 => bytes_of(from.get_int32()?),
        Physical::U32 => bytes_of(from.get_uint32()?),
        Physical::I64 => bytes_of(from.get_int64()?),
        Physical::U64 => bytes_of(from.get_uint64()?),
        Physical::F32 => bytes_of(from.get_float32()?),
        Physical::F64 => bytes_of(from.get_float64()?),
    })
}

fn bytes_of<T>(from: primitive_list::Reader<'_, T>) -> Vec<u8>
where
    T: Value + capnp::private::layout::PrimitiveElement + capnp::introspect::Introspect,
{
    let mut bytes = vec![0; from.len() as usize * T::SIZE];
    for (value, to) in from.iter().zip(bytes.chunks_exact_mut(T::SIZE)) {
        value.write(to);
    }
    bytes
}

fn not_in_list(datatype: Datatype) -> Error {
    SerializationError::DatatypeOf {
        datatype: datatype.name(),
        part: "a list of values",
    }
    .into()
}

/// Fills a tile extent, given as bytes of a datatype that dimensions can have.
pub(super) fn fill_extent(mut to: tile_extent::Builder<'_>, datatype: Datatype, extent: &[u8]) {
    match datatype.physical() {
        Physical::I8 => to.set_int8(Value::read(extent)),
        Physical::U8 => to.set_uint8(Value::read(extent)),
        Physical::I16 => to.set_int16(Value::read(extent)),
        Physical::U16 => to.set_uint16(Value::read(extent)),
        Physical::I32 => to.set_int32(Value::read(extent)),
        Physical::U32 => to.set_uint32(Value::read(extent)),
        Physical::I64 => to.set_int64(Value::read(extent)),
        Physical::U64 => to.set_uint64(Value::read(extent)),
        Physical::F32 => to.set_float32(Value::read(extent)),
        Physical::F64 => to.set_float64(Value::read(extent)),
    }
}

/// Returns a tile extent as bytes. The active field must be that of the datatype.
pub(super) fn parse_extent(from: tile_extent::Reader<'_>, datatype: Datatype) -> Result<Box<[u8]>> {
    use tile_extent::Which as W;
    let (physical, bytes) = match from.which().map_err(capnp::Error::from)? {
        W::Int8(value) => (Physical::I8, value.to_le_bytes().to_vec()),
        W::Uint8(value) => (Physical::U8, value.to_le_bytes().to_vec()),
        W::Int16(value) => (Physical::I16, value.to_le_bytes().to_vec()),
        W::Uint16(value) => (Physical::U16, value.to_le_bytes().to_vec()),
        W::Int32(value) => (Physical::I32, value.to_le_bytes().to_vec()),
        W::Uint32(value) => (Physical::U32, value.to_le_bytes().to_vec()),
        W::Int64(value) => (Physical::I64, value.to_le_bytes().to_vec()),
        W::Uint64(value) => (Physical::U64, value.to_le_bytes().to_vec()),
        W::Float32(value) => (Physical::F32, value.to_le_bytes().to_vec()),
        W::Float64(value) => (Physical::F64, value.to_le_bytes().to_vec()),
    };
    if physical != datatype.physical() {
        return Err(SerializationError::DatatypeOf {
            datatype: datatype.name(),
            part: "the field of the tile extent that is set",
        }
        .into());
    }
    Ok(bytes.into())
}
