//! Arrays that are created and evolved.

use super::{Operation, Part, Session, nothing};
use crate::arrays::schema::{
    self, BOUNDED, DENSE, DUPS, ENUMERATED, INT32, LABELLED, LAST, SPARSE, WIDE_SPARSE,
};
use crate::arrays::{Done, text};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::on_array("create_dense", nothing, |s| s.create(DENSE)),
        Operation::on_array("create_sparse", nothing, |s| s.create(WIDE_SPARSE)),
        Operation::on_array("create_with_labels", nothing, |s| s.create(LABELLED)),
        Operation::on_array("create_with_enumerations", nothing, |s| {
            s.create(ENUMERATED)
        }),
        Operation::on_array("create_with_current_domain", nothing, |s| s.create(BOUNDED)),
        Operation::on_array("create_encrypted", nothing, |s| s.create(DENSE)).encrypted(),
        Operation::new(
            "create_below_new_folders",
            &[Part::Object("f/g/a")],
            nothing,
            |s| schema::create(&s.library, &s.uri("f/g/a"), DUPS),
        ),
        Operation::on_array(
            "create_where_an_array_is",
            |s| s.array(SPARSE),
            |s| match s.create(DENSE) {
                Ok(()) => Err("created twice".to_owned()),
                Err(_) => Ok(()),
            },
        ),
        Operation::on_array(
            "evolve_add_attribute",
            |s| s.array(DENSE),
            |s| {
                let added = schema::attribute(&s.library, c"b", INT32)?;
                evolve(s, "add_attribute", added)
            },
        ),
        Operation::on_array(
            "evolve_drop_attribute",
            |s| s.array(WIDE_SPARSE),
            |s| evolve(s, "drop_attribute", text(c"v")),
        ),
        Operation::on_array(
            "evolve_add_enumeration",
            |s| s.array(SPARSE),
            add_enumeration,
        ),
        Operation::on_array(
            "evolve_extend_enumeration",
            |s| s.array(ENUMERATED),
            extend_enumeration,
        ),
        Operation::on_array(
            "evolve_expand_current_domain",
            |s| s.array(BOUNDED),
            |s| {
                let schema = s
                    .library
                    .try_make("array_schema_load", &[text(&s.uri("a"))])?;
                let domain = s.library.try_make("array_schema_get_domain", &[schema])?;
                let bounds = schema::current_domain(&s.library, domain, [0, LAST[1] - 9])?;
                evolve(s, "expand_current_domain", bounds)
            },
        ),
        Operation::on_array(
            "evolve_array_with_labels",
            |s| s.create(LABELLED),
            |s| {
                let added = schema::attribute(&s.library, c"b", INT32)?;
                evolve(s, "add_attribute", added)
            },
        ),
    ]
}

/// Applies one change to the schema of the array.
fn evolve(session: &Session, change: &str, argument: usize) -> Done {
    let library = &session.library;
    let evolution = library.try_make("array_schema_evolution_alloc", &[])?;
    let change = format!("array_schema_evolution_{change}");
    library.attempt(&change, &[evolution, argument])?;
    library.attempt("array_evolve", &[text(&session.uri("a")), evolution])
}

fn add_enumeration(session: &Session) -> Done {
    let library = &session.library;
    let evolution = library.try_make("array_schema_evolution_alloc", &[])?;
    let sizes = schema::colors(library, c"sizes", &["small", "large"])?;
    let added = schema::attribute(library, c"s", INT32)?;
    library.attempt("attribute_set_enumeration_name", &[added, text(c"sizes")])?;
    library.attempt(
        "array_schema_evolution_add_enumeration",
        &[evolution, sizes],
    )?;
    library.attempt("array_schema_evolution_add_attribute", &[evolution, added])?;
    library.attempt("array_evolve", &[text(&session.uri("a")), evolution])
}

fn extend_enumeration(session: &Session) -> Done {
    let library = &session.library;
    let schema = library.try_make("array_schema_load", &[text(&session.uri("a"))])?;
    let get = "array_schema_get_enumeration_from_name";
    let colors = library.try_make(get, &[schema, text(c"colors")])?;
    let (data, offsets) = schema::packed(&["purple"]);
    let added = [
        colors,
        data.as_ptr() as usize,
        data.len(),
        offsets.as_ptr() as usize,
        8 * offsets.len(),
    ];
    let extended = library.try_make("enumeration_extend", &added)?;
    evolve(session, "extend_enumeration", extended)
}
