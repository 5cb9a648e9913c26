//! Arrays and groups in storage.

use std::ops::ControlFlow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use tiledb_engine::{
    Array, ArrayType, Attribute, Context, ErrorKind, Goal, Group, GroupChange, Layout,
    MaintenanceMode, ObjectType, Recommendation, Sample, SampleColumn, Schema,
};

use crate::array::{timestamps, uri_text};
use crate::arrow;
use crate::context::{Parameters, attach, context, detach, detach_long, keep_raised, parameters};
use crate::errors::{OrRaise, exception, raised};
use crate::schema::PySchema;
use crate::values::{metadata_object, metadata_values};

/// Returns a mode of consolidation or vacuum by its name.
pub(crate) fn maintenance_mode(name: &str) -> PyResult<MaintenanceMode> {
    MaintenanceMode::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("there is no mode '{name}'")))
}

/// Sets a function of Python that receives the progress of the operations of a context. An
/// operation is cancelled if it returns `False` or raises.
pub(crate) fn set_progress(context: &Context, callback: Py<PyAny>) {
    context.set_progress(move |progress| {
        let arguments = (
            progress.operation,
            progress.done,
            progress.total,
            progress.unit,
        );
        let called = attach(|py| {
            let returned = callback.bind(py).call1(arguments)?;
            Ok::<_, PyErr>(returned.is_none() || returned.is_truthy()?)
        });
        match called {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(problem) => keep_raised(problem),
        }
    });
}

fn goal_of(name: &str) -> PyResult<Goal> {
    match name {
        "balanced" => Ok(Goal::Balanced),
        "size" => Ok(Goal::Size),
        "speed" => Ok(Goal::Speed),
        _ => Err(PyValueError::new_err(format!("there is no goal '{name}'"))),
    }
}

fn kind_name(kind: ObjectType) -> Option<&'static str> {
    match kind {
        ObjectType::Array => Some("array"),
        ObjectType::Group => Some("group"),
        ObjectType::Invalid => None,
    }
}

/// Returns `"array"`, `"group"`, or `None`.
#[pyfunction]
#[pyo3(signature = (uri, config=None))]
fn object_type(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<&'static str>> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    detach(py, || context.object_type(&uri))?
        .or_raise(py)
        .map(kind_name)
}

/// Returns the parameters and the timestamps of options for opening an array.
#[pyfunction]
#[pyo3(signature = (timestamp=None, config=None))]
fn open_options(
    timestamp: Option<&Bound<'_, PyAny>>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Parameters, Option<(u64, u64)>)> {
    let timestamps = timestamp.map(timestamps).transpose()?;
    Ok((parameters(config, None)?, timestamps))
}

/// Returns the URIs and types of the arrays and groups in a folder, and with `recursive` also of
/// those in groups below it.
#[pyfunction]
#[pyo3(signature = (uri, recursive=false, config=None))]
fn ls(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    recursive: bool,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<(String, Option<&'static str>)>> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    let found = detach(py, || {
        if recursive {
            context.all_objects(&uri)
        } else {
            context.objects(&uri)
        }
    })?;
    Ok(found
        .or_raise(py)?
        .into_iter()
        .map(|(uri, kind)| (uri, kind_name(kind)))
        .collect())
}

/// Removes an array or group and everything in its folder.
#[pyfunction]
#[pyo3(signature = (uri, config=None))]
fn remove(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    detach(py, || context.remove(&uri))?.or_raise(py)
}

/// Removes an array, and its folder unless other files are in it.
#[pyfunction]
#[pyo3(signature = (uri, key=None, config=None))]
fn remove_array(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    key: Option<&Bound<'_, PyAny>>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, key)?)?;
    let uri = uri_text(uri)?;
    detach(py, || context.remove_array(&uri))?.or_raise(py)
}

/// Moves an array or group.
#[pyfunction]
#[pyo3(signature = (uri, to, config=None))]
fn rename(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    to: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, None)?)?;
    let (uri, to) = (uri_text(uri)?, uri_text(to)?);
    detach(py, || context.rename(&uri, &to))?.or_raise(py)
}

/// Returns what is wrong with the files of an array or group: severity, URI, position, problem.
#[pyfunction]
#[pyo3(signature = (uri, config=None))]
fn check<'py>(
    py: Python<'py>,
    uri: &Bound<'py, PyAny>,
    config: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    let mut findings = Vec::new();
    let checked = detach_long(py, &context, || {
        context.check(&uri, |finding| {
            findings.push(finding.clone());
            Ok(())
        })
    })?;
    checked.or_raise(py)?;
    let findings = findings.into_iter().map(|finding| {
        let severity = finding.severity.name();
        (severity, finding.uri, finding.position, finding.problem).into_pyobject(py)
    });
    findings.collect()
}

/// Removes what killed processes left, and returns its URIs.
#[pyfunction]
#[pyo3(signature = (uri, config=None, dry_run=false))]
fn clean(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
    dry_run: bool,
) -> PyResult<Vec<String>> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    detach(py, || context.clean(&uri, dry_run))?.or_raise(py)
}

#[pyfunction]
#[pyo3(signature = (uri, schema, key=None, config=None))]
fn create_array(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    schema: &Bound<'_, PySchema>,
    key: Option<&Bound<'_, PyAny>>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, key)?)?;
    let (uri, schema) = (uri_text(uri)?, schema.get().schema.clone());
    detach(py, || Array::create(&context, &uri, &schema))?.or_raise(py)
}

#[pyfunction]
#[pyo3(signature = (uri, config=None))]
fn create_group(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    detach(py, || Group::create(&context, &uri))?.or_raise(py)
}

/// Returns a schema that is recommended for cells like those of a table, and the reasons. `draft`
/// has the names, datatypes and domains.
#[pyfunction]
#[pyo3(signature = (draft, table, goal="balanced", total_cells=None))]
fn recommend(
    py: Python<'_>,
    draft: &Bound<'_, PySchema>,
    table: &Bound<'_, PyAny>,
    goal: &str,
    total_cells: Option<u64>,
) -> PyResult<(PySchema, Vec<String>)> {
    let goal = goal_of(goal)?;
    let reader = arrow::reader(table)?;
    let schema = draft.get().schema.clone();
    // The cells become bytes of the file format by a write to an array in memory.
    let recommended = detach(py, || {
        let context = Context::new()?;
        let uri = "mem://sample";
        Array::create(&context, uri, &schema)?;
        arrow::write(Array::open(&context, uri)?, reader, None, usize::MAX)?;
        let array = Array::open(&context, uri)?;
        let records = array.query().layout(Layout::GlobalOrder).collect()?;
        let mut sample = Sample::new().goal(goal);
        if let Some(cells) = total_cells {
            sample = sample.total_cells(cells);
        }
        for cells in records.fields() {
            sample = sample.column(SampleColumn {
                name: cells.name(),
                data: cells.data(),
                offsets: cells.is_var().then(|| cells.offsets()),
                validity: cells.is_nullable().then(|| cells.validity()),
            });
        }
        Ok(schema.recommend(&sample)?)
    })?;
    let recommended = recommended.map_err(|problem: arrow::ArrowProblem| problem.raise(py))?;
    Ok(schema_and_reasons(&recommended))
}

fn schema_and_reasons(recommended: &Recommendation) -> (PySchema, Vec<String>) {
    let reasons = recommended.reasons.iter().map(ToString::to_string);
    (recommended.schema().into(), reasons.collect())
}

/// Returns a schema that is recommended for cells of a fixed size like those of a sample, given as
/// pairs of a field and the bytes of its cells, and the reasons.
#[pyfunction]
fn recommend_bytes(
    py: Python<'_>,
    draft: &Bound<'_, PySchema>,
    columns: Vec<(String, Bound<'_, PyBytes>)>,
    goal: &str,
    total_cells: u64,
) -> PyResult<(PySchema, Vec<String>)> {
    let mut sample = Sample::new().goal(goal_of(goal)?).total_cells(total_cells);
    for (name, bytes) in &columns {
        let data = bytes.as_bytes();
        sample = sample.column(SampleColumn {
            name,
            data,
            offsets: None,
            validity: None,
        });
    }
    let schema = &draft.get().schema;
    let recommended = detach(py, || schema.recommend(&sample))?.or_raise(py)?;
    Ok(schema_and_reasons(&recommended))
}

/// Returns a schema with these dimensions, and attributes for the other fields of a table.
#[pyfunction]
fn schema_from_arrow(
    py: Python<'_>,
    dims: Vec<Bound<'_, PyDict>>,
    sparse: bool,
    table: &Bound<'_, PyAny>,
    allow_duplicates: bool,
) -> PyResult<PySchema> {
    use arrow_array::RecordBatchReader as _;
    let fields = arrow::reader(table)?.schema();
    let kind = if sparse {
        ArrayType::Sparse
    } else {
        ArrayType::Dense
    };
    for field in fields.fields() {
        Attribute::from_arrow(field)
            .map_err(|problem| PyTypeError::new_err(problem.to_string()))?;
    }
    let mut builder = Schema::builder(kind);
    for dim in &dims {
        builder = crate::schema::add_dimension(builder, dim)?;
    }
    builder = builder
        .arrow_attributes(&fields)
        .allow_duplicates(allow_duplicates && sparse);
    builder.build().or_raise(py).map(PySchema::from)
}

/// Describes a group: its members, each with URI, type and name, and its metadata.
#[pyfunction]
#[pyo3(signature = (uri, config=None))]
fn read_group<'py>(
    py: Python<'py>,
    uri: &Bound<'py, PyAny>,
    config: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    let group = detach(py, || Group::open(&context, &uri))?;
    let group = group.map_err(|error| match error.kind() {
        ErrorKind::NotFound => exception(py, "ObjectNotFoundError", error.to_string()),
        _ => raised(py, &error),
    })?;
    let read = detach(py, || Ok((group.members()?, group.metadata()?)))?;
    let (members, values) = read.or_raise(py)?;
    let members = members.into_iter();
    let members = members.map(|member| (member.uri, kind_name(member.kind), member.name));
    let metadata = PyDict::new(py);
    for (key, values) in values {
        metadata.set_item(key, metadata_object(py, &values)?)?;
    }
    (members.collect::<Vec<_>>(), metadata).into_pyobject(py)
}

/// Returns a change of a group from its description: `add` or `add_relative` with a URI and a name,
/// `remove` or `unset` with a name, or `set` with the key and the value of metadata.
fn group_change(
    (change, name, value): (String, String, Option<Bound<'_, PyAny>>),
) -> PyResult<GroupChange> {
    let text = |value: Option<Bound<'_, PyAny>>| value.map(|value| value.extract()).transpose();
    Ok(match &change[..] {
        "add" => GroupChange::Add {
            uri: name,
            name: text(value)?,
        },
        "add_relative" => GroupChange::AddRelative {
            path: name,
            name: text(value)?,
        },
        "remove" => GroupChange::Remove { name_or_uri: name },
        "set" => {
            let value = value.ok_or_else(|| PyValueError::new_err("the metadata has no value"))?;
            GroupChange::PutMetadata {
                key: name,
                value: metadata_values(&value)?,
            }
        }
        _ => GroupChange::RemoveMetadata { key: name },
    })
}

/// Makes changes of a group, which become visible together. Each is a kind, a name and a value.
#[pyfunction]
#[pyo3(signature = (uri, changes, config=None))]
fn change_group(
    py: Python<'_>,
    uri: &Bound<'_, PyAny>,
    changes: Vec<(String, String, Option<Bound<'_, PyAny>>)>,
    config: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let context = context(py, &parameters(config, None)?)?;
    let uri = uri_text(uri)?;
    let changes = changes.into_iter().map(group_change);
    let changes = changes.collect::<PyResult<Vec<_>>>()?;
    let group = detach(py, || Group::open(&context, &uri))?.or_raise(py)?;
    detach(py, || group.apply(&changes))?.or_raise(py)
}

/// Adds the functions to the module.
pub(crate) fn add_functions(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(object_type, module)?)?;
    module.add_function(wrap_pyfunction!(ls, module)?)?;
    module.add_function(wrap_pyfunction!(open_options, module)?)?;
    module.add_function(wrap_pyfunction!(remove, module)?)?;
    module.add_function(wrap_pyfunction!(remove_array, module)?)?;
    module.add_function(wrap_pyfunction!(rename, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(clean, module)?)?;
    module.add_function(wrap_pyfunction!(create_array, module)?)?;
    module.add_function(wrap_pyfunction!(create_group, module)?)?;
    module.add_function(wrap_pyfunction!(recommend, module)?)?;
    module.add_function(wrap_pyfunction!(recommend_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(schema_from_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(crate::arrow::keep_signal, module)?)?;
    module.add_function(wrap_pyfunction!(crate::arrow::kept_signal, module)?)?;
    module.add_function(wrap_pyfunction!(read_group, module)?)?;
    module.add_function(wrap_pyfunction!(change_group, module)?)
}
