//! Memory of arrays of NumPy.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use numpy::npyffi::{NPY_ARRAY_CARRAY, npy_intp};
use numpy::{
    PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTypeMethods;
use tiledb_engine::Value;

/// The least size in bytes of a result whose memory is used again. The C library returns memory of
/// this size to the system sooner or later; then the faults of the pages of the next result take
/// as long as the read of an uncompressed array.
///
/// Benchmark: `python/tests/compare-speed`.
const MIN_POOLED_BYTES: usize = 256 << 10;

/// The largest number of bytes that are kept for later results.
const MAX_POOLED_BYTES: usize = 128 << 20;

/// Memory of results that were freed, as arrays of bytes, from the oldest to the newest. The lock
/// is held by threads that are attached to Python, so that a forked child finds it free.
static POOL: Mutex<Vec<Py<PyUntypedArray>>> = Mutex::new(Vec::new());

/// The owner of the memory of a large array, which gives it to the pool when the array is freed.
#[pyclass(module = "tiledb_rs._native", frozen)]
struct PooledMemory(Option<Py<PyUntypedArray>>);

impl PooledMemory {
    /// Returns memory of at least this size.
    fn take(py: Python<'_>, bytes: usize) -> PyResult<Self> {
        let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |array: &Py<PyUntypedArray>| {
            let len = array.bind(py).len();
            len >= bytes && len - bytes <= bytes / 4
        };
        if let Some(found) = pool.iter().position(fits) {
            return Ok(Self(Some(pool.remove(found))));
        }
        drop(pool);
        let array = allocate(
            &PyArrayDescr::new(py, "uint8")?,
            &mut [bytes as npy_intp],
            None,
        )?;
        Ok(Self(Some(array.unbind())))
    }
}

impl Drop for PooledMemory {
    fn drop(&mut self) {
        let Some(array) = self.0.take() else { return };
        let _ = Python::try_attach(|py| {
            let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
            pool.push(array);
            let mut kept: usize = pool.iter().map(|array| array.bind(py).len()).sum();
            let mut freed = 0;
            while kept > MAX_POOLED_BYTES {
                kept -= pool[freed].bind(py).len();
                freed += 1;
            }
            let freed: Vec<_> = pool.drain(..freed).collect();
            drop(pool);
            drop(freed);
        });
    }
}

/// Allocates an array of NumPy in row-major order. Values are not initialized, except objects.
pub(crate) fn new_array<'py>(
    dtype: &Bound<'py, PyArrayDescr>,
    shape: &[usize],
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let too_large = || PyValueError::new_err("the result is too large");
    let mut dims = Vec::with_capacity(shape.len());
    let mut bytes = dtype.itemsize();
    for len in shape {
        dims.push(npy_intp::try_from(*len).map_err(|_| too_large())?);
        bytes = bytes.saturating_mul(*len);
    }
    let is_pooled = (MIN_POOLED_BYTES..=MAX_POOLED_BYTES).contains(&bytes);
    if !is_pooled || dtype.has_object() {
        return allocate(dtype, &mut dims, None);
    }
    let owner = Bound::new(dtype.py(), PooledMemory::take(dtype.py(), bytes)?)?;
    allocate(dtype, &mut dims, Some(owner))
}

/// Creates an array in the memory of an owner, or in its own memory.
fn allocate<'py>(
    dtype: &Bound<'py, PyArrayDescr>,
    dims: &mut [npy_intp],
    owner: Option<Bound<'py, PooledMemory>>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    let py = dtype.py();
    let (mut data, mut flags) = (std::ptr::null_mut(), 0);
    if let Some(memory) = owner.as_ref().and_then(|owner| owner.get().0.as_ref()) {
        // SAFETY: the owner has an array of bytes that no other array uses.
        data = unsafe { (*memory.bind(py).as_array_ptr()).fields.data };
        flags = NPY_ARRAY_CARRAY;
    }
    // SAFETY: the descriptor and the type are those of NumPy, and the number of lengths is that of
    // `dims`. The memory is as large as the array, or NumPy allocates it. The reference to the
    // descriptor is given away.
    let array = unsafe {
        PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            py.get_type::<PyUntypedArray>().as_type_ptr(),
            dtype.clone().into_dtype_ptr(),
            dims.len() as c_int,
            dims.as_mut_ptr(),
            std::ptr::null_mut(),
            data.cast(),
            flags,
            std::ptr::null_mut(),
        )
    };
    // SAFETY: NumPy returned a new reference or set an exception.
    let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }?;
    let array = array.cast_into::<PyUntypedArray>()?;
    if let Some(owner) = owner {
        // SAFETY: the array is new and has no base. The reference to the owner is given away.
        let done = unsafe {
            PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_array_ptr(), owner.into_ptr())
        };
        if done != 0 {
            return Err(PyErr::fetch(py));
        }
    }
    Ok(array)
}

/// Returns an array without axes as a scalar of NumPy, and others as they are.
pub(crate) fn finished(array: Bound<'_, PyUntypedArray>) -> PyResult<Bound<'_, PyAny>> {
    let py = array.py();
    if array.ndim() > 0 {
        return Ok(array.into_any());
    }
    // SAFETY: PyArray_Return takes the reference to an array and returns a new reference.
    unsafe {
        let returned = PY_ARRAY_API.PyArray_Return(py, array.into_any().into_ptr().cast());
        Bound::from_owned_ptr_or_err(py, returned)
    }
}

/// Returns the memory of an array whose values are adjacent, aligned and in native order.
///
/// # Safety
///
/// The values of the dtype must be one or more values of `T`, and no other reference to the memory
/// may be used while the result is.
#[expect(
    clippy::mut_from_ref,
    reason = "the memory is not part of the array object"
)]
pub(crate) unsafe fn memory<'a, T: Value>(array: &'a Bound<'_, PyUntypedArray>) -> &'a mut [T] {
    let len = array.len() * array.dtype().itemsize() / size_of::<T>();
    if len == 0 {
        return &mut [];
    }
    // SAFETY: the array object is valid, and its memory has `len` values by the contract.
    unsafe {
        let data = (*array.as_array_ptr()).fields.data;
        std::slice::from_raw_parts_mut(data.cast::<T>(), len)
    }
}
