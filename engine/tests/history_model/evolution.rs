//! Schema evolution.

use tiledb_engine::internal::array;
use tiledb_engine::internal::schema::{Enumeration, EnumerationValues, SchemaEvolution, shared};
use tiledb_engine::internal::types::{Datatype, QueryType, VAR_NUM};

use super::model::SchemaVersion;
use super::shape::Shape;
use super::{Case, SIDE, rectangle};

/// Returns the data and offsets of the values of an enumeration.
fn values(texts: &[String]) -> (Vec<u8>, Vec<u8>) {
    let (mut data, mut offsets) = (Vec::new(), Vec::new());
    for text in texts {
        offsets.extend_from_slice(&(data.len() as u64).to_le_bytes());
        data.extend_from_slice(text.as_bytes());
    }
    (data, offsets)
}

impl Case {
    /// Applies one to three changes in one evolution.
    pub(crate) fn evolve(&mut self) {
        self.now += 10;
        let mut evolution = SchemaEvolution::default();
        evolution
            .set_timestamp_range(self.now, self.now)
            .expect("time");
        let before = self.model.latest().clone();
        let mut after = SchemaVersion {
            timestamp: self.now,
            ..before.clone()
        };
        for _ in 0..1 + self.random.below(3) {
            match self.random.below(6) {
                0 | 1 => self.add_attribute(&before, &mut after, &mut evolution),
                2 => self.drop_attribute(&before, &mut after, &mut evolution),
                3 => self.extend_enumeration(&before, &mut after, &mut evolution),
                4 => self.drop_enumeration(&before, &mut after, &mut evolution),
                _ => self.widen(&before, &mut after, &mut evolution),
            }
        }
        let description = format!("evolve at {}: {after:?}", self.now - self.first_time);
        let evolved = self.perform(
            &description,
            |test_array| array::evolve(&test_array.vfs, &test_array.uri, &evolution),
            |model| model.moments.push(after),
        );
        evolved.expect("evolve");
    }

    /// Adds an attribute with an unused name, in some cases with an enumeration of its own.
    fn add_attribute(
        &mut self,
        before: &SchemaVersion,
        after: &mut SchemaVersion,
        to: &mut SchemaEvolution,
    ) {
        let shape = Shape::random(&mut self.random);
        let mut taken = before.attributes.iter().chain(&after.attributes);
        if taken.any(|(other, _)| other.name() == shape.name()) {
            return;
        }
        let mut enumeration = None;
        if shape.is_byte() && self.random.below(3) > 0 {
            let name = format!("e{}", self.random.below(4));
            let known = |moment: &SchemaVersion| moment.enumerations.contains_key(&name);
            // An attribute that is dropped and added in one evolution is not tested here.
            if !known(after) && !known(before) {
                let number = 3 + self.random.below(3);
                let texts: Vec<String> = (0..number).map(|index| format!("v{index}")).collect();
                let (data, offsets) = values(&texts);
                let given = EnumerationValues {
                    data: Some(&data),
                    offsets: Some(&offsets),
                };
                let made = Enumeration::new(&name, Datatype::StringAscii, VAR_NUM, false, given);
                let made = std::sync::Arc::new(made.expect("enumeration"));
                to.add_enumeration(&made).expect("enumeration");
                after.enumerations.insert(name.clone(), texts);
            }
            enumeration = known(after).then_some(name);
        }
        to.add_attribute(shape.attribute(enumeration.as_deref(), &mut self.random))
            .expect("attribute");
        after.attributes.push((shape, enumeration));
    }

    /// Drops one of the attributes, but never the last.
    fn drop_attribute(
        &mut self,
        before: &SchemaVersion,
        after: &mut SchemaVersion,
        to: &mut SchemaEvolution,
    ) {
        if after.attributes.len() < 2 {
            return;
        }
        let index = self.random.below(after.attributes.len() as u64) as usize;
        if !before.attributes.contains(&after.attributes[index]) {
            return;
        }
        let (shape, _) = after.attributes.remove(index);
        to.drop_attribute(&shape.name());
    }

    fn extend_enumeration(
        &mut self,
        before: &SchemaVersion,
        after: &mut SchemaVersion,
        to: &mut SchemaEvolution,
    ) {
        let known: Vec<String> = after.enumerations.keys().cloned().collect();
        if known.is_empty() {
            return;
        }
        let name = &known[self.random.below(known.len() as u64) as usize];
        // Not twice in an evolution, and not in the one that adds the enumeration.
        if before.enumerations.get(name) != after.enumerations.get(name) {
            return;
        }
        let array = self.open(QueryType::Read, 0, self.now - 1);
        let loaded = array.enumeration(name).expect("enumeration");
        let number = loaded.len();
        let more = [format!("v{number}"), format!("v{}", number + 1)];
        let (data, offsets) = values(&more);
        let longer = loaded.extend(EnumerationValues {
            data: Some(&data),
            offsets: Some(&offsets),
        });
        let longer = std::sync::Arc::new(longer.expect("longer"));
        to.extend_enumeration(&longer).expect("extended");
        let texts = after.enumerations.get_mut(name).expect("known");
        texts.extend(more);
    }

    /// Drops an enumeration that no attribute uses.
    fn drop_enumeration(
        &mut self,
        before: &SchemaVersion,
        after: &mut SchemaVersion,
        to: &mut SchemaEvolution,
    ) {
        let unused = |name: &&String| {
            let has = |moment: &SchemaVersion| {
                let mut attributes = moment.attributes.iter();
                attributes.any(|(_, enumeration)| enumeration.as_ref() == Some(*name))
            };
            !has(after) && before.enumerations.get(*name) == after.enumerations.get(*name)
        };
        let found = after.enumerations.keys().find(unused).cloned();
        if let Some(name) = found {
            after.enumerations.remove(&name);
            to.drop_enumeration(&name);
        }
    }

    /// Expands the current domain, at most once in an evolution.
    fn widen(
        &mut self,
        before: &SchemaVersion,
        after: &mut SchemaVersion,
        to: &mut SchemaEvolution,
    ) {
        if before.current != after.current {
            return;
        }
        let Some(current) = &mut after.current else {
            return;
        };
        for (_, high) in &mut *current {
            *high = (*high + self.random.below(4) as i32).min(SIDE - 1);
        }
        let wider = rectangle(&self.domain, &self.axes, current);
        to.expand_current_domain(Some(shared(wider)))
            .expect("wider");
    }
}
