//! Decides whether the states seen after a fault are allowed.

use crate::arrays::state::Section;
use crate::operations::{Operation, Rule};
use crate::run::Case;
use crate::server::Reply;
use crate::shim::{Fault, reads};

/// The states of a run without a fault.
pub(crate) struct Expected {
    pub(crate) old: Vec<Section>,
    /// After the operation.
    pub(crate) new: Vec<Section>,
    pub(crate) old_layout: String,
    pub(crate) new_layout: String,
    /// The objects whose folders exist after the operation.
    pub(crate) new_folders: String,
    /// The states of which each is between old and new.
    pub(crate) between: Vec<Vec<Section>>,
    /// After the operation and a second one: the state, and the second outcome.
    pub(crate) twice: Vec<Section>,
    pub(crate) second: String,
    /// After the operation and vacuum, and after two operations and vacuum: the numbers of
    /// fragments that each library sees.
    pub(crate) layouts: [Layouts; 2],
    /// Whether the library has the mode of vacuum that removes what nothing refers to.
    pub(crate) cleans: bool,
}

/// The numbers of fragments that this library and libtiledb see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layouts {
    pub(crate) ours: String,
    pub(crate) theirs: Option<String>,
}

/// The states that were read after a fault.
pub(crate) struct Seen {
    pub(crate) act: Reply,
    /// The state that libtiledb reads after the fault.
    pub(crate) theirs: Option<Reply>,
    /// The states that this library reads then and after each later step.
    pub(crate) settled: Reply,
    /// The state that libtiledb reads at the end.
    pub(crate) theirs_after: Option<Reply>,
}

/// The problems of a case.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    pub(crate) problems: Vec<String>,
    /// Whether libtiledb saw a state that it may see temporarily: replaced fragments in addition to
    /// the consolidated one in arrays with duplicates, or the size of a file in a file store whose
    /// content is not committed.
    pub(crate) window: bool,
    /// Whether failure was reported although the operation took effect.
    pub(crate) late: bool,
    /// The files that are left after a complete vacuum.
    pub(crate) left: String,
}

/// The state that the first read after the fault saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    Old,
    New,
    /// The operation does not change what readers see.
    Same,
    /// Something between old and new that the rule allows.
    Between,
    Bad,
}

/// Judges a case.
pub(crate) fn judge(
    operation: &Operation,
    expected: &Expected,
    (call, fault): Case,
    seen: &Seen,
) -> Verdict {
    let mut verdict = Verdict::default();
    // The name of the call in this run: the order of the names in a folder may differ.
    let calls = seen.act.get("calls").unwrap_or_default();
    let is_read = calls.lines().nth(call.saturating_sub(1)).is_some_and(reads);
    let succeeded = outcome(&mut verdict, fault, &seen.act);
    let first = seen.settled.below("read/");
    let found = find(operation.rule, expected, &first);
    match (found, succeeded) {
        (Found::Bad, _) => verdict.bad("the state is neither old nor new", &first),
        (Found::Old | Found::Between, true) => {
            verdict.bad("success was reported, but the state is not new", &first);
        }
        _ => {}
    }
    let layout = seen.settled.get("read-layout").unwrap_or_default();
    let is_new = match found {
        Found::New => true,
        Found::Same => layout == expected.new_layout && layout != expected.old_layout,
        Found::Old | Found::Between | Found::Bad => false,
    };
    verdict.late = is_new && !succeeded && !seen.act.was_killed();
    // After a commit, consolidation looks for more to do. That it cannot is a failure.
    if verdict.late && operation.no_late_failure && !is_read {
        verdict.say("failure was reported, but the operation took effect");
    }
    if succeeded && layout != expected.new_layout {
        verdict.say(format!("success was reported, but there are: {layout}"));
    }
    if let Some(theirs) = &seen.theirs {
        // libtiledb reads the size of a file before its content is committed (C7).
        let early = operation.name.contains("_import_") && seen.act.was_killed();
        if early && found == Found::Old && theirs.crash().is_none() {
            verdict.window = theirs.below("read/") != first;
        } else {
            compare(&mut verdict, &first, theirs, "after the fault");
        }
    }
    settled(&mut verdict, operation, (expected, found), &seen.settled);
    layouts(&mut verdict, (expected, found), seen);
    if let Some(theirs) = &seen.theirs_after {
        let last = seen.settled.below("cleaned/");
        compare(&mut verdict, &last, theirs, "at the end");
    }
    verdict
}

impl Verdict {
    fn say(&mut self, problem: impl Into<String>) {
        self.problems.push(problem.into());
    }

    fn bad(&mut self, problem: &str, state: &[Section]) {
        // The beginning of an error is sufficient for the table; a replay prints everything.
        let error = state.iter().find(|(_, text)| text.starts_with("error"));
        let shown = error.map(|(name, text)| format!(" ({name}: {})", text.trim_end()));
        self.say(format!("{problem}{}", shown.unwrap_or_default()));
    }
}

/// Returns whether the operation reported success.
fn outcome(verdict: &mut Verdict, fault: Fault, act: &Reply) -> bool {
    if act.was_killed() && fault.kills() {
        return false;
    }
    if let Some(crash) = act.crash() {
        verdict.say(format!("the operation {crash}"));
        return false;
    }
    if fault.kills() {
        verdict.say("the operation ended before the call");
    }
    let error = act.get("outcome").unwrap_or("no outcome");
    if fault.is_harmless() && !error.is_empty() {
        verdict.say(format!("{fault} is no failure: {error}"));
    }
    error.is_empty()
}

fn find(rule: Rule, expected: &Expected, seen: &[Section]) -> Found {
    match (seen == expected.old, seen == expected.new) {
        (true, true) => return Found::Same,
        (true, false) => return Found::Old,
        (false, true) => return Found::New,
        (false, false) => {}
    }
    let old_or_new =
        |section: &Section| expected.old.contains(section) || expected.new.contains(section);
    let between = match rule {
        Rule::Atomic => expected.between.iter().any(|state| seen == *state),
        Rule::Separate => seen.iter().all(old_or_new),
        // The arrays of labels are content of their array, whose removal is completed by the same
        // call.
        Rule::Removal => seen
            .iter()
            .filter(|section| !section.0.contains("/__labels/"))
            .all(|section| {
                let old = expected.old.iter().find(|(name, _)| *name == section.0);
                old.is_some_and(|(_, old)| has_less(old, &section.1))
            }),
        Rule::Stream => seen.iter().all(|(_, files)| {
            files
                .lines()
                .all(|line| is_part_of(&expected.old, &expected.new, line))
        }),
    };
    if between { Found::Between } else { Found::Bad }
}

/// Returns whether a state has only lines of the old state, or is empty. Cells may be those of
/// older fragments, and the types of removed members are unknown.
fn has_less(old: &str, seen: &str) -> bool {
    let is_allowed = |line: &str| match line.split_once(": ") {
        Some((name, _)) if name.starts_with("member ") => old.contains(&format!("{name}: ")),
        _ => line.starts_with("cell") || old.lines().any(|old_line| old_line == line),
    };
    seen == "nothing\n" || (!seen.starts_with("error") && seen.lines().all(is_allowed))
}

/// Returns whether a file or folder is old, or its content is a prefix of the new content.
fn is_part_of(old: &[Section], new: &[Section], line: &str) -> bool {
    let lines = |sections: &[Section]| -> Vec<String> {
        let lines = sections.iter().flat_map(|(_, text)| text.lines());
        lines.map(str::to_owned).collect()
    };
    lines(old).iter().any(|other| other == line)
        || lines(new).iter().any(|other| other.starts_with(line))
}

/// Checks that libtiledb reads the same state.
fn compare(verdict: &mut Verdict, ours: &[Section], theirs: &Reply, when: &str) {
    if let Some(crash) = theirs.crash() {
        verdict.say(format!("libtiledb {crash} {when}"));
        return;
    }
    let theirs = theirs.below("read/");
    let same_or_error = |(ours, theirs): (&Section, &Section)| {
        // Errors have different texts.
        ours == theirs || (ours.1.starts_with("error") && theirs.1.starts_with("error"))
    };
    let is_equal = ours.len() == theirs.len() && ours.iter().zip(&theirs).all(same_or_error);
    if is_equal {
        return;
    }
    let doubled = ours.len() == theirs.len()
        && ours
            .iter()
            .zip(&theirs)
            .all(|(ours, theirs)| *ours.1 == without_doubles(&theirs.1));
    if doubled && when == "after the fault" {
        verdict.window = true;
    } else {
        verdict.bad(&format!("libtiledb reads something else {when}"), &theirs);
    }
}

/// Returns a state with adjacent equal lines merged.
fn without_doubles(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.dedup();
    lines.into_iter().map(|line| format!("{line}\n")).collect()
}

/// Checks the repeated operation and vacuum.
fn settled(
    verdict: &mut Verdict,
    operation: &Operation,
    (expected, found): (&Expected, Found),
    settled: &Reply,
) {
    if let Some(crash) = settled.crash() {
        verdict.say(format!("the repeated operation or vacuum {crash}"));
        return;
    }
    let repeat = settled.get("repeat").unwrap_or("no outcome");
    // A removal that left a folder is completed by the same call.
    let is_complete = settled.get("read-folders") == Some(&expected.new_folders);
    let (outcome, state) = match found {
        Found::New if operation.rule != Rule::Removal || is_complete => {
            (&*expected.second, &expected.twice)
        }
        _ => ("", &expected.new),
    };
    // The repeated call completes the removal, of temporary names as well, or finds nothing left to
    // remove.
    let completes = found == Found::New && operation.rule == Rule::Removal;
    let ends_alike = completes && (repeat.is_empty() || repeat == expected.second);
    if repeat.is_empty() != outcome.is_empty() && !ends_alike {
        verdict.say(format!("repeated, the operation reports: {repeat:?}"));
    }
    let repeated = settled.below("repeated/");
    let folders = settled.get("repeated-folders").unwrap_or_default();
    if operation.rule == Rule::Removal && folders != expected.new_folders {
        verdict.say(format!(
            "repeated, the operation leaves the folders {folders}"
        ));
    }
    // A file whose second half was appended is neither old nor new.
    let appends =
        operation.rule == Rule::Stream && found == Found::Between && operation.name == "vfs_append";
    if repeated != *state && !appends {
        verdict.bad("repeated, the operation leads to another state", &repeated);
    }
    let vacuum = settled.get("vacuum").unwrap_or("no outcome");
    if !vacuum.is_empty() {
        verdict.say(format!("vacuum fails: {vacuum}"));
    }
    for after in ["vacuumed", "cleaned"] {
        let state = settled.below(&format!("{after}/"));
        if state != repeated {
            verdict.bad("vacuum changes the state", &state);
        }
    }
    let garbage = settled.get("garbage").unwrap_or("no outcome");
    if expected.cleans && !garbage.is_empty() {
        verdict.say(format!("vacuum of garbage fails: {garbage}"));
    }
    verdict.left = settled.get("left").unwrap_or_default().to_owned();
    if expected.cleans && !verdict.left.is_empty() {
        verdict.say(format!("vacuum leaves {}", verdict.left));
    }
}

/// Checks the numbers of fragments at the end.
fn layouts(verdict: &mut Verdict, (expected, found): (&Expected, Found), seen: &Seen) {
    let last = Layouts {
        ours: seen
            .settled
            .get("vacuumed-layout")
            .unwrap_or_default()
            .to_owned(),
        theirs: seen
            .theirs_after
            .as_ref()
            .map(|theirs| theirs.get("read-layout").unwrap_or_default().to_owned()),
    };
    let [once, twice] = &expected.layouts;
    let allowed = match found {
        Found::Old => vec![once],
        Found::New => vec![twice],
        Found::Same | Found::Between | Found::Bad => vec![once, twice],
    };
    let separate = found == Found::Between;
    if !separate && !allowed.contains(&&last) {
        let states = format!("{}{}", last.ours, last.theirs.unwrap_or_default());
        verdict.say(format!(
            "at the end there are: {}",
            states.replace('\n', "; ")
        ));
    }
}
