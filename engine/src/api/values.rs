//! Reads of numbers into the memory of the caller, and of dense arrays as arrays of the same shape.

use super::read_query::ReadQuery;
use crate::buffers::{FieldBuffers, FieldForm};
use crate::error::{ApiError, Error, Result, try_vec};
use crate::query::Query;
use crate::schema::Dimension;
use crate::typed;
use crate::types::{Layout, QueryStatus, Range, Value};

impl ReadQuery {
    /// Reads the values of a field of numbers into `to`; returns the number of values. Cells are
    /// copied once, from their tiles to `to`.
    ///
    /// A repeated read of ranges of the same size allocates the description of the query and its
    /// plan, about 12 KB and 5 KB for each tile, and nothing for cells.
    ///
    /// ```
    /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://grid");
    /// # let schema = Schema::builder(ArrayType::Dense)
    /// #     .dimension("row", Datatype::Int32, 0..=99, 10)
    /// #     .dimension("column", Datatype::Int32, 0..=99, 10)
    /// #     .attribute("height", Datatype::Float32)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # array.write().column("height", (0..10_000).map(|cell| cell as f32)).submit()?;
    /// # array.reopen()?;
    /// let mut heights = [0_f32; 32 * 32];
    /// for row in [0, 32, 64] {
    ///     let query = array.query().range("row", row..=row + 31).range("column", 0..=31);
    ///     assert_eq!(query.read_into("height", &mut heights)?, 1024);
    ///     assert_eq!(heights[1], (row * 100 + 1) as f32);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// If the field has another datatype, null values or a variable number of values per cell, `to`
    /// is too small, names or values do not fit the schema of the array, or storage fails. The
    /// content of `to` is unspecified then.
    pub fn read_into<T: Value>(&self, field: &str, to: &mut [T]) -> Result<usize> {
        let mut query = self.query()?;
        let form = self.numbers::<T>(&query, field)?;
        submit(&mut query, &form, to)
    }

    /// Reads a field of numbers of a dense array; returns its values and the length of the selected
    /// part of each dimension. A field with several values per cell has one dimension more. The
    /// order is row-major unless [`layout`](Self::layout) sets another.
    ///
    /// ```
    /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
    /// # fn main() -> Result<()> {
    /// # let (context, uri) = (Context::new()?, "mem://grid");
    /// # let schema = Schema::builder(ArrayType::Dense)
    /// #     .dimension("row", Datatype::Int32, 0..=9, 10)
    /// #     .dimension("column", Datatype::Int32, 0..=9, 10)
    /// #     .attribute("height", Datatype::Float32)
    /// #     .build()?;
    /// # Array::create(&context, uri, &schema)?;
    /// # let mut array = Array::open(&context, uri)?;
    /// # array.write().column("height", (0..100).map(|cell| cell as f32)).submit()?;
    /// # array.reopen()?;
    /// let query = array.query().range("row", 2..=3).range("column", 0..=2);
    /// let (heights, shape) = query.read_array::<f32>("height")?;
    /// assert_eq!(shape, [2, 3]);
    /// assert_eq!(heights, [20.0, 21.0, 22.0, 30.0, 31.0, 32.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`read_into`](Self::read_into), or if the array is sparse, ranges are those of dimension
    /// labels, or the layout is neither row-major nor column-major.
    pub fn read_array<T: Value>(&self, field: &str) -> Result<(Vec<T>, Vec<usize>)> {
        let mut query = self.query()?;
        let form = self.numbers::<T>(&query, field)?;
        let shape = self.shape(&query, &form)?;
        let values = shape
            .iter()
            .try_fold(1_usize, |all, len| all.checked_mul(*len))
            .unwrap_or(usize::MAX);
        let mut array = try_vec::<T>("an array", values)?;
        let read = submit(&mut query, &form, &mut array)?;
        array.truncate(read);
        Ok((array, shape))
    }

    /// Returns the description of a field whose values are numbers of a type.
    fn numbers<T: Value>(&self, query: &Query, field: &str) -> Result<FieldForm> {
        let form = self.form(query, field)?;
        let fits = form.cells.datatype.physical() == T::PHYSICAL;
        if fits && !form.cells.is_var() && !form.cells.nullable {
            return Ok(form);
        }
        Err(ApiError::WrongCellType {
            field: field.into(),
            datatype: form.cells.datatype.name(),
            cells: match (form.cells.is_var(), form.cells.nullable) {
                (true, _) => " with a variable number of values",
                (false, true) => " with null values",
                (false, false) => "",
            },
            requested: format!("[{}]", std::any::type_name::<T>()),
        }
        .into())
    }

    /// Returns the length of the result in each dimension.
    fn shape(&self, query: &Query, form: &FieldForm) -> Result<Vec<usize>> {
        let (schema, subarray) = (query.request().schema(), &query.request().subarray);
        let is_ordered = matches!(query.request().layout, Layout::RowMajor | Layout::ColMajor);
        if !schema.is_dense() || !is_ordered || subarray.awaits_labels() {
            return Err(ApiError::NoShape {
                field: form.name.clone(),
            }
            .into());
        }
        let mut shape: Vec<usize> = schema
            .domain
            .dimensions
            .iter()
            .enumerate()
            .map(|(index, dimension)| {
                subarray
                    .ranges(index)
                    .iter()
                    .map(|range| cells_of(dimension, range))
                    .fold(0, usize::saturating_add)
            })
            .collect();
        if form.cells.cell_val_num > 1 {
            // The values of a cell are adjacent in both orders.
            let values = form.cells.cell_val_num as usize;
            let is_reversed = query.request().layout == Layout::ColMajor;
            shape.insert(if is_reversed { 0 } else { shape.len() }, values);
        }
        Ok(shape)
    }
}

/// Returns the number of cells of a range.
fn cells_of(dimension: &Dimension, range: &Range) -> usize {
    let len = typed!(dimension.datatype.physical(), T => {
        T::read(range.end()).to_i128() - T::read(range.start()).to_i128() + 1
    });
    usize::try_from(len).unwrap_or(usize::MAX)
}

/// Reads a field into `to`; returns the number of values.
fn submit<T: Value>(query: &mut Query, form: &FieldForm, to: &mut [T]) -> Result<usize> {
    let capacity = to.len();
    let data: &mut [u8] = bytemuck::cast_slice_mut(to);
    let sizes = query.read(&mut [FieldBuffers::fixed(&form.name, data)])?;
    if query.status() != QueryStatus::Completed {
        return Err(Error::from(ApiError::BufferTooSmall {
            field: form.name.clone(),
            values: capacity,
        }));
    }
    let values = sizes
        .first()
        .map_or(0, |sizes| sizes.data as usize / T::SIZE);
    if cfg!(target_endian = "big") {
        for value in to.iter_mut().take(values) {
            *value = T::read(bytemuck::bytes_of(value));
        }
    }
    Ok(values)
}

#[cfg(feature = "ndarray")]
mod arrays {
    use ndarray::{ArrayD, ArrayViewMutD, IxDyn, ShapeBuilder};

    use super::{ReadQuery, Result, Value, submit};
    use crate::error::ApiError;
    use crate::types::Layout;

    impl ReadQuery {
        /// Reads a field of numbers of a dense array as an array of the crate `ndarray`, in
        /// column-major order if that is the [`layout`](Self::layout).
        ///
        /// ```
        /// # use tiledb_engine::{Array, ArrayType, Context, Datatype, Result, Schema};
        /// # fn main() -> Result<()> {
        /// # let (context, uri) = (Context::new()?, "mem://grid");
        /// # let schema = Schema::builder(ArrayType::Dense)
        /// #     .dimension("row", Datatype::Int32, 0..=9, 10)
        /// #     .dimension("column", Datatype::Int32, 0..=9, 10)
        /// #     .attribute("height", Datatype::Float32)
        /// #     .build()?;
        /// # Array::create(&context, uri, &schema)?;
        /// # let mut array = Array::open(&context, uri)?;
        /// # array.write().column("height", (0..100).map(|cell| cell as f32)).submit()?;
        /// # array.reopen()?;
        /// let query = array.query().range("row", 2..=3);
        /// let mut heights = query.read_ndarray::<f32>("height")?;
        /// assert_eq!(heights.shape(), [2, 10]);
        /// assert_eq!(heights[[1, 2]], 32.0);
        ///
        /// // The next rows, into the same memory.
        /// let query = array.query().range("row", 4..=5);
        /// query.read_into_ndarray("height", heights.view_mut())?;
        /// assert_eq!(heights[[1, 2]], 52.0);
        /// # Ok(())
        /// # }
        /// ```
        ///
        /// # Errors
        ///
        /// As [`read_array`](Self::read_array).
        pub fn read_ndarray<T: Value>(&self, field: &str) -> Result<ArrayD<T>> {
            let (values, shape) = self.read_array(field)?;
            let is_reversed = self.layout == Some(Layout::ColMajor);
            let shape = IxDyn(&shape).set_f(is_reversed);
            ArrayD::from_shape_vec(shape, values).map_err(|_| {
                ApiError::NoShape {
                    field: field.into(),
                }
                .into()
            })
        }

        /// Reads a field of numbers of a dense array into an array of the crate `ndarray`, without
        /// a copy if its memory is contiguous in the order of the [`layout`](Self::layout).
        ///
        /// # Errors
        ///
        /// As [`read_array`](Self::read_array), or if `to` has another shape.
        pub fn read_into_ndarray<T: Value>(
            &self,
            field: &str,
            mut to: ArrayViewMutD<'_, T>,
        ) -> Result<()> {
            let mut query = self.query()?;
            let form = self.numbers::<T>(&query, field)?;
            let shape = self.shape(&query, &form)?;
            if shape != to.shape() {
                return Err(ApiError::OtherShape {
                    field: field.into(),
                    result: shape,
                    given: to.shape().to_vec(),
                }
                .into());
            }
            let memory = if query.request().layout == Layout::ColMajor {
                to.view_mut().reversed_axes().into_slice()
            } else {
                to.view_mut().into_slice()
            };
            if let Some(memory) = memory {
                submit(&mut query, &form, memory)?;
                return Ok(());
            }
            to.assign(&self.read_ndarray(field)?);
            Ok(())
        }
    }
}
