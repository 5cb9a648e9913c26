//! Tests that consolidating metadata at any time and in any range is invisible to readers.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{MergedNames, consolidate_metadata, vacuum_metadata};
use crate::array::{Metadata, MetadataChanges};
use crate::config::Config;
use crate::context::Context;
use crate::format::version::FormatVersion;
use crate::fragment::OpenedObject;
use crate::types::{Datatype, TimeRange, Timestamp};
use crate::vfs::{Uri, Vfs};

#[derive(Clone, Debug)]
enum Step {
    Put(char, u8),
    Delete(char),
    Consolidate(Timestamp, Timestamp),
    Vacuum,
}

fn step() -> impl Strategy<Value = Step> {
    let key = proptest::char::range('a', 'd');
    prop_oneof![
        4 => (key.clone(), any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
        2 => key.prop_map(Step::Delete),
        2 => (0u64..20, 0u64..20).prop_map(|(a, b)| Step::Consolidate(a.min(b), a.max(b))),
        1 => Just(Step::Vacuum),
    ]
}

fn seen(vfs: &Arc<Vfs>, uri: &Uri) -> BTreeMap<String, u8> {
    let all = TimeRange {
        start: 0,
        end: Timestamp::MAX,
    };
    let metadata = Metadata::load(&vfs.view(), uri, all, None).expect("metadata");
    let items = (0..metadata.len() as u64).filter_map(|index| metadata.at(index));
    items
        .map(|item| (item.key().to_owned(), item.words[0] as u8))
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn random_consolidation_and_vacuum_lose_no_cell(steps in proptest::collection::vec(step(), 1..25)) {
        let folder = tempfile::tempdir().expect("folder");
        let uri = Uri::parse(folder.path().to_str().expect("text")).expect("uri");
        let vfs = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
        let mut expected = BTreeMap::new();
        for (step_number, step) in steps.into_iter().enumerate() {
            let changes = MetadataChanges::new(step_number as Timestamp);
            match step {
                Step::Put(key, value) => {
                    changes.put(&key.to_string(), Datatype::Uint8, &[value]);
                    expected.insert(key.to_string(), value);
                }
                Step::Delete(key) => {
                    changes.delete(&key.to_string());
                    expected.remove(&key.to_string());
                }
                Step::Consolidate(start, end) => {
                    let range = TimeRange { start, end };
                    let form = if step_number % 2 == 0 {
                        MergedNames::Uris
                    } else {
                        MergedNames::Paths
                    };
                    consolidate_metadata(&vfs.view(), &uri, range, form, FormatVersion::WRITTEN, None).expect("merged");
                }
                Step::Vacuum => vacuum_metadata(&vfs.view(), &uri, &Config::new()).expect("vacuumed"),
            }
            changes
                .write(&vfs, OpenedObject::unchecked(&uri), FormatVersion::WRITTEN, None)
                .expect("written");
            prop_assert_eq!(seen(&vfs, &uri), expected.clone());
        }
    }
}
