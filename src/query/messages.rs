//! Queries as messages: the state of the engine and the content of the caller's buffers.

use std::borrow::Cow;
use std::sync::Arc;

use tiledb_engine::internal::buffers::PerBuffer;
use tiledb_engine::internal::error::{QueryMessageError, try_vec};
use tiledb_engine::internal::query::QueryMessage;
use tiledb_engine::internal::serialization::{
    FieldHeader, MessageEncoding, MessageField, Side, read_query, write_query,
    write_query_plan_request,
};
use tiledb_engine::internal::types::{QueryStatus, QueryType};

use super::QueryState;
use super::buffers::{Field, coordinate_num};
use super::caller_buffer::CallerBuffer;
use super::field_list::FieldList;
use crate::prelude::*;

/// The greatest size of the buffers that a server allocates for the results of aggregates.
const MAX_RESULT_SIZE: u64 = 64 << 20;

/// A buffer of a field that a server received. The query owns the size and the content.
pub(crate) struct MessageBuffer {
    /// One number, in memory that does not move with this struct.
    size: Vec<u64>,
    content: Vec<u8>,
    /// The size in bytes, as long as `content` is empty.
    capacity: u64,
}

impl MessageBuffer {
    /// Creates a buffer that the server has to allocate.
    fn unallocated(size: u64) -> Self {
        Self {
            size: vec![size],
            content: Vec::new(),
            capacity: size,
        }
    }

    fn of(content: Vec<u8>) -> Self {
        let capacity = content.len() as u64;
        Self {
            size: vec![capacity],
            content,
            capacity,
        }
    }

    /// Creates a buffer of at most `left` bytes, which are then less.
    fn allocated(size: u64, left: &mut u64) -> Result<Self> {
        let size = size.min(*left);
        *left -= size;
        let size = usize::try_from(size).unwrap_or_default();
        Ok(Self::of(try_vec("the result of an aggregate", size)?))
    }

    fn copied(content: &[u8]) -> Result<Self> {
        let mut copy = try_vec("the buffers of a write", content.len())?;
        copy.copy_from_slice(content);
        Ok(Self::of(copy))
    }

    /// Returns the buffer as the caller's buffers are, valid as long as this struct.
    fn as_caller(&mut self) -> CallerBuffer {
        let start = if self.content.is_empty() {
            std::ptr::null_mut()
        } else {
            self.content.as_mut_ptr()
        };
        CallerBuffer::new(start, self.size.as_mut_ptr(), self.capacity)
    }
}

impl QueryState {
    /// Returns the message of the query, and after it the content of the buffers of a client's
    /// write or of a server's read.
    pub(crate) unsafe fn message(
        &self,
        encoding: MessageEncoding,
        side: Side,
    ) -> Result<Vec<Arc<[u8]>>> {
        // SAFETY: the caller keeps the buffers valid during the call, which copies them.
        let parts = unsafe { self.message_parts(encoding, side)? };
        Ok(parts.into_iter().map(Arc::from).collect())
    }

    /// Returns the message of the query, and after it the content of buffers, without copying them.
    /// The buffers must stay valid and unchanged as long as the parts.
    pub(crate) unsafe fn message_parts<'a>(
        &self,
        encoding: MessageEncoding,
        side: Side,
    ) -> Result<Vec<Cow<'a, [u8]>>> {
        let query_type = self.query.request().query_type;
        let fields = self.sent_fields(side);
        // SAFETY: the caller keeps the pointers to the sizes valid.
        let headers = unsafe { headers(&fields) };
        let message = write_query(&self.query, &headers, side, encoding)?;
        let mut parts: Vec<Cow<'a, [u8]>> = vec![Cow::Owned(message)];
        match (side, query_type) {
            (Side::Client, QueryType::Write) => {
                let width = self.query.request().written_form()?.width;
                // SAFETY: the caller keeps the pointers to the sizes valid.
                let cell_num = unsafe { coordinate_num(&self.query, &self.fields) };
                for field in fields {
                    // SAFETY: the caller keeps the buffers valid; they are only read.
                    unsafe {
                        parts.extend(field.offsets.sent_offsets(width, cell_num)?);
                        parts.extend(field.data.content()?.map(Cow::Borrowed));
                        parts.extend(field.validity.content()?.map(Cow::Borrowed));
                    }
                }
            }
            (Side::Server, QueryType::Read) => {
                for field in fields {
                    // SAFETY: the caller keeps the buffers valid; they are only read.
                    unsafe {
                        parts.extend(delivered(&field.offsets, &field.name)?);
                        parts.extend(delivered(&field.data, &field.name)?);
                        parts.extend(delivered(&field.validity, &field.name)?);
                    }
                }
            }
            _ => {}
        }
        Ok(parts)
    }

    /// Returns the fields whose buffers a message describes.
    fn sent_fields(&self, side: Side) -> Vec<&Field> {
        let written = match (side, self.query.request().query_type) {
            (Side::Client, QueryType::Write) => self.query.written_names(),
            _ => Vec::new(),
        };
        let fields = self.fields.iter();
        fields
            .filter(|field| !written.contains(&&field.name[..]))
            .collect()
    }

    /// Returns the request of a client for the plan of the query.
    pub(super) unsafe fn plan_request(&self) -> Result<Vec<u8>> {
        let fields = self.sent_fields(Side::Client);
        // SAFETY: the caller keeps the pointers to the sizes valid.
        let headers = unsafe { headers(&fields) };
        write_query_plan_request(&self.query, &headers, MessageEncoding::Capnp)
    }

    /// Sets the state of the query from a message. Nothing changes if the call fails.
    pub(crate) unsafe fn receive(
        &mut self,
        bytes: &[u8],
        encoding: MessageEncoding,
        side: Side,
    ) -> Result<()> {
        let (received, fields) = read_query(bytes, &self.query, encoding)?;
        match (side, self.query.request().query_type) {
            (Side::Client, QueryType::Read) => {
                // SAFETY: the caller keeps the buffers and their sizes valid.
                unsafe {
                    if is_request(bytes, &received, &fields) {
                        self.receive_sizes(&fields)?;
                    } else {
                        self.receive_results(bytes, &fields)?;
                    }
                }
                self.query.receive(received);
                Ok(())
            }
            (Side::Client, _) => {
                self.query.receive(received);
                Ok(())
            }
            (Side::Server, _) => self.receive_buffers(Some(bytes), received, &fields),
        }
    }

    /// Sets the state and the buffers of the query of a client. `bytes` are the message and the
    /// content of the buffers of a write; `None` if only the sizes are sent.
    pub(crate) fn receive_buffers(
        &mut self,
        bytes: Option<&[u8]>,
        received: QueryMessage,
        fields: &[MessageField],
    ) -> Result<()> {
        let is_own = |field: &Field| self.received_names.contains(&field.name);
        let query_type = self.query.request().query_type;
        if self
            .fields
            .iter()
            .any(|field| !field.is_unallocated() && !is_own(field))
        {
            return Err(QueryMessageError::ServerBuffers.into());
        }
        let mut buffers: Vec<(&str, PerBuffer<Option<MessageBuffer>>)> =
            Vec::with_capacity(fields.len());
        let mut left = MAX_RESULT_SIZE;
        for field in fields {
            if buffers.iter().any(|(name, _)| *name == field.name) {
                let name = field.name.clone();
                return Err(QueryMessageError::DuplicateField { name }.into());
            }
            let received = match (query_type, bytes) {
                (QueryType::Write, Some(bytes)) => copied(field, bytes)?,
                (QueryType::Read | QueryType::Write, _) => unallocated(field, &mut left)?,
                _ => continue,
            };
            buffers.push((&field.name, received));
        }
        self.query.receive(received);
        self.fields = FieldList::default();
        self.received.clear();
        self.received_names.clear();
        for (name, buffers) in buffers {
            let mut keep = |buffer: Option<MessageBuffer>| {
                let Some(mut buffer) = buffer else {
                    return CallerBuffer::NONE;
                };
                let caller = buffer.as_caller();
                self.received.push(buffer);
                caller
            };
            let data = keep(buffers.data);
            let offsets = keep(buffers.offsets);
            let validity = keep(buffers.validity);
            self.received_names.push(name.to_owned());
            *self.fields.find_or_add(name) = Field {
                name: name.to_owned(),
                data,
                offsets,
                validity,
            };
        }
        Ok(())
    }

    fn caller_field(&self, field: &MessageField) -> Result<&Field> {
        self.fields
            .find(&field.name)
            .ok_or_else(|| too_small(field))
    }

    /// Sets the sizes of the caller's buffers to those of another client, if they are large enough.
    unsafe fn receive_sizes(&self, fields: &[MessageField]) -> Result<()> {
        let mut sizes: Vec<(&CallerBuffer, u64)> = Vec::with_capacity(fields.len());
        for field in fields {
            let caller_field = self.caller_field(field)?;
            for (buffer, size) in [
                (&caller_field.offsets, field.sizes.offsets),
                (&caller_field.data, field.sizes.data),
                (&caller_field.validity, field.sizes.validity),
            ] {
                if !buffer.fits(size) {
                    return Err(too_small(field));
                }
                sizes.push((buffer, size));
            }
        }
        for (buffer, size) in sizes {
            // SAFETY: the caller keeps the pointer to the size valid.
            unsafe { buffer.set_size(size) };
        }
        Ok(())
    }

    /// Copies results to the caller's buffers and sets their sizes, if all results fit.
    unsafe fn receive_results(&self, bytes: &[u8], fields: &[MessageField]) -> Result<()> {
        let mut copies: Vec<(&CallerBuffer, &[u8])> = Vec::with_capacity(fields.len());
        let form = self.query.request().result_form()?;
        for field in fields {
            let caller_field = self.caller_field(field)?;
            let content = field.content(bytes)?;
            field.check_offsets(&content, form)?;
            let parts = [
                (&caller_field.offsets, content.offsets),
                (&caller_field.data, content.data),
                (&caller_field.validity, content.validity),
            ];
            for (buffer, content) in parts {
                if !buffer.fits(content.len() as u64) {
                    return Err(too_small(field));
                }
                copies.push((buffer, content));
            }
        }
        for (buffer, content) in copies {
            // SAFETY: the content fits, and the caller keeps the buffer and its size valid.
            unsafe { buffer.put_at(0, content) };
        }
        Ok(())
    }
}

/// Returns whether a message is that of a read of a client that was not submitted: its buffers have
/// sizes and no content.
fn is_request(bytes: &[u8], received: &QueryMessage, fields: &[MessageField]) -> bool {
    let first = fields.first();
    received.status == QueryStatus::Uninitialized
        && first.is_some_and(|field| field.has_no_content(bytes))
}

fn too_small(field: &MessageField) -> Error {
    let name = field.name.clone();
    QueryMessageError::BufferTooSmall { name }.into()
}

/// Returns the sizes of the buffers of fields.
pub(super) unsafe fn headers<'f>(fields: &[&'f Field]) -> Vec<FieldHeader<'f>> {
    let headers = fields.iter().map(|field| FieldHeader {
        name: &field.name,
        // SAFETY: the caller keeps the pointers to the sizes valid.
        data: unsafe { field.data.header() },
        // SAFETY: the caller keeps the pointers to the sizes valid.
        offsets: unsafe { field.offsets.header() },
        // SAFETY: the caller keeps the pointers to the sizes valid.
        validity: unsafe { field.validity.header() },
    });
    headers.collect()
}

/// Returns the delivered content of a buffer of a server.
unsafe fn delivered<'a>(buffer: &CallerBuffer, name: &str) -> Result<Option<Cow<'a, [u8]>>> {
    if buffer.is_unallocated() {
        let name = name.to_owned();
        return Err(QueryMessageError::NoBuffer { name }.into());
    }
    // SAFETY: the caller keeps the buffer and its size valid.
    Ok(unsafe { buffer.content()? }.map(Cow::Borrowed))
}

/// Returns buffers of the sizes that a client has, which the server has to allocate. Results of
/// aggregates are allocated here, of `left` bytes together.
fn unallocated(field: &MessageField, left: &mut u64) -> Result<PerBuffer<Option<MessageBuffer>>> {
    let mut make = |size: u64| {
        if field.is_aggregate {
            MessageBuffer::allocated(size, left)
        } else {
            Ok(MessageBuffer::unallocated(size))
        }
    };
    let sizes = &field.originals;
    Ok(PerBuffer {
        data: Some(make(sizes.data)?),
        offsets: field.is_var.then(|| make(sizes.offsets)).transpose()?,
        validity: field
            .is_nullable
            .then(|| make(sizes.validity))
            .transpose()?,
    })
}

/// Returns copies of the buffers of a client.
fn copied(field: &MessageField, bytes: &[u8]) -> Result<PerBuffer<Option<MessageBuffer>>> {
    let content = field.content(bytes)?;
    let copy = MessageBuffer::copied;
    Ok(PerBuffer {
        data: Some(copy(content.data)?),
        offsets: field.is_var.then(|| copy(content.offsets)).transpose()?,
        validity: field
            .is_nullable
            .then(|| copy(content.validity))
            .transpose()?,
    })
}

impl tiledb_query_t {
    /// Returns the message of the query and the content of its buffers.
    pub(crate) unsafe fn message(
        &self,
        encoding: MessageEncoding,
        side: Side,
    ) -> Result<Vec<Arc<[u8]>>> {
        let mut state = self.state.lock();
        if side == Side::Server {
            state.query.release_write()?;
        }
        // SAFETY: the caller passes a query whose buffers satisfy the contract in lib.rs.
        unsafe { state.message(encoding, side) }
    }

    /// Sets the state of the query from a message.
    pub(crate) unsafe fn receive(
        &self,
        bytes: &[u8],
        encoding: MessageEncoding,
        side: Side,
    ) -> Result<()> {
        // SAFETY: the caller passes a query whose buffers satisfy the contract in lib.rs.
        unsafe { self.state.lock().receive(bytes, encoding, side) }
    }
}
