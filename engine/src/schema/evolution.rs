//! Schema evolution: a list of changes and its application to a schema.
//!
//! A change is checked in itself when it is added to the list, and against the schema when the list
//! is applied.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::{
    ArraySchema, Attribute, Enumeration, EnumerationPath, NamedList, NdRectangle, SchemaDraft,
    Shared, shared,
};
use crate::error::{Error, EvolutionError, Result};
use crate::types::{TimeRange, Timestamp};

/// A list of changes to a schema, initially empty. `Array::evolve` applies it.
///
/// ```
/// use tiledb_engine::{Array, ArrayType, Attribute, Context, Datatype, Schema, SchemaEvolution};
///
/// # fn main() -> tiledb_engine::Result<()> {
/// let context = Context::new()?;
/// let schema = Schema::builder(ArrayType::Sparse)
///     .dimension("x", Datatype::Int32, 0..=9, 10)
///     .attribute("a", Datatype::Int32)
///     .build()?;
/// Array::create(&context, "mem://changing", &schema)?;
/// let mut array = Array::open(&context, "mem://changing")?;
/// array.write().column("x", [1]).column("a", [10]).submit()?;
///
/// let mut changes = SchemaEvolution::new();
/// changes.add_attribute(Attribute::of("note", Datatype::StringUtf8).with_fill_value("none")?)?;
/// changes.drop_attribute("a");
/// array.evolve(&changes)?;
///
/// array.reopen()?;
/// assert_eq!(array.read::<String>("note")?, ["none"]);
/// assert!(array.read::<i32>("a").is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct SchemaEvolution {
    /// The attributes that are added.
    pub(crate) added: NamedList<Attribute>,
    /// The names of the attributes that are dropped.
    pub(crate) dropped: NamedList<String>,
    pub(crate) new_enumerations: NamedList<Arc<Enumeration>>,
    /// The enumerations that replace those with fewer values.
    pub(crate) extended_enumerations: NamedList<Arc<Enumeration>>,
    pub(crate) dropped_enumerations: NamedList<String>,
    /// The new current domain, if it is expanded.
    pub(crate) expanded_domain: Option<Shared<NdRectangle>>,
    /// The time from which the new schema is valid, in milliseconds; `None` means now.
    pub(crate) timestamp: Option<Timestamp>,
}

fn add_name(names: &mut NamedList<String>, name: &str) {
    if !names.has(name) {
        names.push(name.to_owned());
    }
}

impl SchemaEvolution {
    /// Adds an attribute after the existing ones, and removes a change that drops it. Returns an
    /// error if the list already adds an attribute with this name.
    pub fn add_attribute(&mut self, attribute: Attribute) -> Result<()> {
        if self.added.has(&attribute.name) {
            return Err(EvolutionError::AttributeAdded {
                name: attribute.name,
            }
            .into());
        }
        self.dropped.remove(&attribute.name);
        self.added.push(attribute);
        Ok(())
    }

    /// Drops an attribute, and removes a change that adds it.
    pub fn drop_attribute(&mut self, name: &str) {
        add_name(&mut self.dropped, name);
        self.added.remove(name);
    }

    /// Adds an enumeration, and removes a change that drops it. Returns an error if the list
    /// already adds one with this name.
    pub fn add_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if self.new_enumerations.has(enumeration.name()) {
            return Err(EvolutionError::EnumerationAdded {
                name: enumeration.name().into(),
            }
            .into());
        }
        self.dropped_enumerations.remove(enumeration.name());
        self.new_enumerations.push(enumeration.clone());
        Ok(())
    }

    /// Replaces an enumeration by one with additional values. Returns an error if the list already
    /// extends it.
    pub fn extend_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if self.extended_enumerations.has(enumeration.name()) {
            return Err(EvolutionError::EnumerationExtended {
                name: enumeration.name().into(),
            }
            .into());
        }
        self.extended_enumerations.push(enumeration.clone());
        Ok(())
    }

    /// Drops an enumeration if it exists, and removes changes that add or extend it.
    pub fn drop_enumeration(&mut self, name: &str) {
        add_name(&mut self.dropped_enumerations, name);
        self.new_enumerations.remove(name);
        self.extended_enumerations.remove(name);
    }

    /// Expands the current domain. `None` is an error.
    pub fn expand_current_domain(&mut self, expanded: Option<Shared<NdRectangle>>) -> Result<()> {
        self.expanded_domain =
            Some(expanded.ok_or_else(|| Error::from(EvolutionError::NoCurrentDomain))?);
        Ok(())
    }

    /// Sets the time from which the new schema is valid, in milliseconds; zero means now. Returns
    /// an error unless both bounds are equal.
    pub fn set_timestamp_range(&mut self, start: Timestamp, end: Timestamp) -> Result<()> {
        if start != end {
            return Err(EvolutionError::TwoTimestamps { start, end }.into());
        }
        self.timestamp = Some(start).filter(|start| *start != 0);
        Ok(())
    }

    /// Sets the timestamp in milliseconds since 1970 from which the new schema is valid; the time
    /// of the change by default.
    #[must_use]
    pub fn at(mut self, timestamp: Timestamp) -> Self {
        self.timestamp = Some(timestamp);
        self
    }

    /// Returns the enumerations of the schema whose values are needed to apply the changes.
    pub fn needed_enumerations(&self) -> impl Iterator<Item = &str> {
        let extended = self
            .extended_enumerations
            .iter()
            .map(|extended| extended.name());
        extended.chain(
            self.added
                .iter()
                .filter_map(|attribute| attribute.enumeration.as_deref())
                .filter(|name| !self.new_enumerations.has(name)),
        )
    }

    /// Applies the changes to a schema whose needed enumerations are loaded. New enumerations in
    /// the result have no file yet. Returns an error if a change does not suit the schema.
    pub fn evolve(&self, schema: &ArraySchema, timestamp: Timestamp) -> Result<ArraySchema> {
        let mut old = ArraySchema {
            timestamps: TimeRange::at(timestamp),
            name: String::new(),
            ..schema.clone()
        };
        extend_enumerations(&mut old, &self.extended_enumerations)?;
        let mut draft = SchemaDraft::of(&Arc::new(old));
        for enumeration in &self.new_enumerations {
            draft.add_enumeration(&without_file(enumeration))?;
        }
        for attribute in &self.added {
            draft.add_attribute(&shared(attribute.clone()))?;
        }
        if let Some(expanded) = &self.expanded_domain {
            let expanded = expanded.read();
            let ranges = schema.check_expansion(&expanded)?;
            let expanded = NdRectangle::of(schema.domain.clone(), ranges);
            draft.current_domain = Some(shared(expanded));
        }
        let mut evolved = draft.snapshot();
        drop_attributes(&mut evolved, &self.dropped)?;
        drop_enumerations(&mut evolved, &self.dropped_enumerations)?;
        let evolved = SchemaDraft::of(&Arc::new(evolved)).finish_evolved()?;
        // Stored enumerations are not checked, so that arrays whose attributes cannot refer to all
        // values, which libtiledb writes, can be changed otherwise.
        let is_new = |path: &&EnumerationPath| path.file.is_empty();
        evolved.check_enumerations(evolved.enumerations.iter().filter(is_new))?;
        Ok(evolved)
    }
}

fn without_file(enumeration: &Arc<Enumeration>) -> Arc<Enumeration> {
    if enumeration.file().is_empty() {
        enumeration.clone()
    } else {
        Arc::new(Enumeration::clone(enumeration).stored_in(""))
    }
}

fn extend_enumerations(
    schema: &mut ArraySchema,
    extended: &NamedList<Arc<Enumeration>>,
) -> Result<()> {
    if extended.is_empty() {
        return Ok(());
    }
    let known: HashSet<&str> = schema
        .enumerations
        .iter()
        .map(|path| &path.file[..])
        .collect();
    let mut paths = Vec::new();
    for enumeration in extended {
        let name = enumeration.name();
        let Some(index) = schema.enumerations.index_of(name) else {
            return Err(EvolutionError::UnknownEnumeration { name: name.into() }.into());
        };
        let Some(loaded) = schema.enumerations[index].loaded() else {
            return Err(EvolutionError::NotLoaded { name: name.into() }.into());
        };
        if !enumeration.is_extension_of(loaded) {
            return Err(EvolutionError::NotAnExtension { name: name.into() }.into());
        }
        // Only enumerations that were read from this array have such a file name.
        if !enumeration.file().is_empty() && known.contains(enumeration.file()) {
            return Err(EvolutionError::SameFile { name: name.into() }.into());
        }
        paths.push((index, EnumerationPath::of(without_file(enumeration))));
    }
    schema.enumerations.update(|enumerations| {
        for (index, path) in paths {
            enumerations[index] = path;
        }
    });
    Ok(())
}

fn drop_attributes(schema: &mut ArraySchema, names: &NamedList<String>) -> Result<()> {
    for name in names {
        if !schema.attributes.has(name) {
            return Err(EvolutionError::UnknownAttribute { name: name.into() }.into());
        }
        if name.is_empty() {
            return Err(EvolutionError::NoAttributeName.into());
        }
    }
    schema
        .attributes
        .retain(|attribute| !names.has(&attribute.name));
    Ok(())
}

fn drop_enumerations(schema: &mut ArraySchema, names: &NamedList<String>) -> Result<()> {
    if names.is_empty() {
        return Ok(());
    }
    let mut users: HashMap<&str, &str> = HashMap::new();
    for attribute in &schema.attributes {
        if let Some(enumeration) = &attribute.enumeration {
            users.entry(enumeration).or_insert(&attribute.name);
        }
    }
    for name in names {
        if let Some(attribute) = users.get(&name[..])
            && schema.enumerations.has(name)
        {
            return Err(EvolutionError::EnumerationInUse {
                name: name.into(),
                attribute: (*attribute).into(),
            }
            .into());
        }
    }
    schema.enumerations.retain(|path| !names.has(&path.name));
    Ok(())
}
