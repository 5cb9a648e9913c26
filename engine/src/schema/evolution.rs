//! A list of changes to a schema, and the schema that they make of one.
//!
//! What a change says by itself is checked when it joins the list, what it says of a schema when the list is carried out.

use std::sync::Arc;

use super::{
    ArraySchema, Attribute, Enumeration, EnumerationPath, NdRectangle, SchemaDraft, Shared, shared,
};
use crate::error::{Error, Result};
use crate::types::{TimeRange, Timestamp};

/// Changes to a schema, none at first.
#[derive(Clone, Debug, Default)]
pub struct SchemaEvolution {
    added: Vec<Attribute>,
    dropped: Vec<String>,
    new_enumerations: Vec<Arc<Enumeration>>,
    longer_enumerations: Vec<Arc<Enumeration>>,
    dropped_enumerations: Vec<String>,
    wider_domain: Option<Shared<NdRectangle>>,
    timestamp: Option<Timestamp>,
}

fn refused(message: impl Into<String>) -> Error {
    Error::usage("ArraySchemaEvolution", message)
}

fn refused_by_schema(message: impl Into<String>) -> Error {
    Error::usage("ArraySchema", message)
}

fn note(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|noted| noted == name) {
        names.push(name.to_owned());
    }
}

fn has(enumerations: &[Arc<Enumeration>], name: &str) -> bool {
    enumerations.iter().any(|known| known.name() == name)
}

impl SchemaEvolution {
    /// Adds an attribute after those that are there. An error where the list adds one of this name; one that it drops
    /// it drops no longer.
    pub fn add_attribute(&mut self, attribute: Attribute) -> Result<()> {
        if self.added.iter().any(|added| added.name == attribute.name) {
            return Err(refused(
                "Cannot add attribute; Input attribute name is already there",
            ));
        }
        self.dropped.retain(|name| *name != attribute.name);
        self.added.push(attribute);
        Ok(())
    }

    /// Drops an attribute, and adds none of this name.
    pub fn drop_attribute(&mut self, name: &str) {
        note(&mut self.dropped, name);
        self.added.retain(|attribute| attribute.name != name);
    }

    /// Adds an enumeration. An error where the list adds one of this name; one that it drops it drops no longer.
    pub fn add_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if has(&self.new_enumerations, enumeration.name()) {
            return Err(refused(
                "Cannot add enumeration; Input enumeration name is already added",
            ));
        }
        self.dropped_enumerations
            .retain(|name| name != enumeration.name());
        self.new_enumerations.push(enumeration.clone());
        Ok(())
    }

    /// Puts an enumeration in the place of one with fewer values. An error where the list does so already.
    pub fn extend_enumeration(&mut self, enumeration: &Arc<Enumeration>) -> Result<()> {
        if has(&self.longer_enumerations, enumeration.name()) {
            return Err(refused(
                "Cannot extend enumeration; Input enumeration name has already been extended in this evolution.",
            ));
        }
        self.longer_enumerations.push(enumeration.clone());
        Ok(())
    }

    /// Drops an enumeration where there is one, and neither adds nor extends one of this name.
    pub fn drop_enumeration(&mut self, name: &str) {
        note(&mut self.dropped_enumerations, name);
        self.new_enumerations.retain(|new| new.name() != name);
        self.longer_enumerations
            .retain(|longer| longer.name() != name);
    }

    /// Makes the current domain wider. `None`, which is no rectangle, is an error.
    pub fn expand_current_domain(&mut self, wider: Option<Shared<NdRectangle>>) -> Result<()> {
        let empty =
            "Unable to expand the array current domain, the new current domain specified is empty";
        self.wider_domain = Some(wider.ok_or_else(|| refused(empty))?);
        Ok(())
    }

    /// Sets when the new schema begins, in milliseconds; zero is the present. An error unless both ends are the same.
    pub fn set_timestamp_range(&mut self, start: Timestamp, end: Timestamp) -> Result<()> {
        if start != end {
            return Err(refused(format!(
                "Cannot set timestamp range; first element {start} and second element {end} are not equal!"
            )));
        }
        self.timestamp = Some(start).filter(|start| *start != 0);
        Ok(())
    }

    /// When the new schema begins, in milliseconds; `None` is the present.
    pub fn timestamp(&self) -> Option<Timestamp> {
        self.timestamp
    }

    /// The enumerations of the schema whose values are needed to carry the changes out.
    pub fn needed_enumerations(&self) -> impl Iterator<Item = &str> {
        let longer = self.longer_enumerations.iter().map(|longer| longer.name());
        let used = self
            .added
            .iter()
            .filter_map(|attribute| attribute.enumeration.as_deref())
            .filter(|name| !has(&self.new_enumerations, name));
        longer.chain(used)
    }

    /// What the changes make of a schema whose needed enumerations are loaded. The enumerations that are new in it have
    /// no file yet. An error where a change does not suit the schema.
    pub fn evolve(&self, schema: &ArraySchema, at: Timestamp) -> Result<ArraySchema> {
        let mut old = ArraySchema {
            timestamps: TimeRange { start: at, end: at },
            name: String::new(),
            ..schema.clone()
        };
        for longer in &self.longer_enumerations {
            extend(&mut old, longer)?;
        }
        let mut draft = SchemaDraft::of(&old);
        for enumeration in &self.new_enumerations {
            draft.add_enumeration(&without_file(enumeration))?;
        }
        for attribute in &self.added {
            draft.add_attribute(&shared(attribute.clone()))?;
        }
        if let Some(wider) = &self.wider_domain {
            let wider = wider.read();
            let ranges = schema.check_expansion(&wider)?;
            let wider = NdRectangle::of(schema.domain.clone(), ranges);
            draft.set_current_domain(Some(shared(wider)));
        }
        let mut evolved = draft.snapshot();
        for name in &self.dropped {
            drop_attribute(&mut evolved, name)?;
        }
        for name in &self.dropped_enumerations {
            drop_enumeration(&mut evolved, name)?;
        }
        SchemaDraft::of(&evolved).finish_evolved()
    }
}

fn without_file(enumeration: &Arc<Enumeration>) -> Arc<Enumeration> {
    match enumeration.file().is_empty() {
        true => enumeration.clone(),
        false => Arc::new(Enumeration::clone(enumeration).stored_in("")),
    }
}

fn extend(schema: &mut ArraySchema, longer: &Arc<Enumeration>) -> Result<()> {
    let name = longer.name();
    let known = schema.enumerations.iter().any(|path| {
        // Only what was read from this array has such a file name.
        !longer.file().is_empty() && path.file == longer.file()
    });
    let Some(place) = schema
        .enumerations
        .iter_mut()
        .find(|path| path.name == name)
    else {
        return Err(refused_by_schema(format!(
            "Unable to get enumeration path name. Unknown enumeration named '{name}'."
        )));
    };
    let Some(loaded) = place.loaded() else {
        return Err(refused_by_schema(format!(
            "Error extending enumeration. Enumeration with name '{name}' is not loaded."
        )));
    };
    if !longer.is_extension_of(loaded) {
        return Err(refused_by_schema(format!(
            "Error extending enumeration. Provided enumeration is not an extension of the current state of '{name}'"
        )));
    }
    if known {
        return Err(refused_by_schema(format!(
            "Error extending enumeration. Enumeration path name for '{name}' already exists in this schema."
        )));
    }
    *place = EnumerationPath::of(without_file(longer));
    Ok(())
}

fn drop_attribute(schema: &mut ArraySchema, name: &str) -> Result<()> {
    let Some(at) = schema
        .attributes
        .iter()
        .position(|field| field.name == name)
    else {
        return Err(refused(
            "Cannot drop attribute; Input attribute name refers to a dimension or does not exist",
        ));
    };
    if name.is_empty() {
        return Err(refused_by_schema(
            "Cannot remove attribute '': empty string is reserved",
        ));
    }
    schema.attributes.remove(at);
    Ok(())
}

fn drop_enumeration(schema: &mut ArraySchema, name: &str) -> Result<()> {
    let users = |field: &&Arc<Attribute>| field.enumeration.as_deref() == Some(name);
    if let Some(user) = schema.attributes.iter().find(users)
        && schema.enumeration(name).is_some()
    {
        return Err(refused_by_schema(format!(
            "Unable to drop enumeration '{name}' as it is used by attribute '{}'.",
            user.name
        )));
    }
    schema.enumerations.retain(|path| path.name != name);
    Ok(())
}
