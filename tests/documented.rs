//! Every function of the C header has a comment that describes it and each parameter.

mod sources;

use sources::Entry;

/// Returns the problem of an entry's comment, if it has one.
fn fault(entry: &Entry) -> Option<String> {
    let first = entry.doc.lines().next().unwrap_or_default();
    if first.is_empty() || first.starts_with("DOC") {
        return Some("has no comment".to_owned());
    }
    let unnamed = entry
        .params
        .iter()
        .find(|name| !entry.doc.contains(&format!("@param {name} ")));
    if let Some(name) = unnamed {
        return Some(format!("does not name {name}"));
    }
    let named = entry.doc.matches("@param ").count();
    if named != entry.params.len() {
        return Some(format!(
            "names {named} of {} parameters",
            entry.params.len()
        ));
    }
    let returns = entry.text.contains(") -> ");
    (returns != entry.doc.contains("@return"))
        .then(|| "documents a return value wrongly".to_owned())
}

#[test]
fn every_function_is_documented() {
    let entries = sources::entries();
    let faults: Vec<String> = entries
        .iter()
        .filter_map(|entry| {
            fault(entry).map(|fault| format!("{}: {} {fault}", entry.family, entry.name))
        })
        .collect();
    assert_eq!(entries.len(), 566);
    assert!(
        faults.is_empty(),
        "{} of them:\n{}",
        faults.len(),
        faults.join("\n")
    );
}
