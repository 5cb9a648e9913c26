//! Fragment info of golden arrays, and its errors.

use std::path::Path;
use std::sync::Arc;

use super::FragmentInfo;
use crate::array::{DimensionKey, RangeRequest};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::vfs::Vfs;

fn info_of(array: &str) -> FragmentInfo {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join("tests/golden").join(array);
    let vfs: Arc<Vfs> = Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs");
    FragmentInfo::new(&vfs, folder.to_str().expect("text")).expect("fragment info")
}

fn loaded(array: &str) -> FragmentInfo {
    let info = info_of(array);
    info.load().expect("loaded");
    info
}

fn text<T>(result: Result<T>) -> String {
    let error = result.err();
    error.map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn before_loading_counts_are_zero_and_other_requests_are_errors() {
    let info = info_of("sparse");
    let unloaded = "The fragments are not loaded";
    assert_eq!(text(info.fragment_num()), unloaded);
    assert_eq!(text(info.fragment(0, FragmentInfo::URI)), unloaded);
    assert_eq!(text(info.to_vacuum_uri(0)), unloaded);
    assert_eq!(text(info.dump()), unloaded);
    assert_eq!(info.to_vacuum_num(), 0);
    assert_eq!(info.unconsolidated_metadata_num(), 0);
    let missing = info_of("no such array");
    assert!(text(missing.load()).ends_with("The array does not exist"));
}

#[test]
fn the_configuration_can_change_until_loading() {
    let info = info_of("dense");
    let mut config = Config::new();
    config.set("vfs.min_batch_gap", "7").expect("set");
    info.set_config(&config).expect("not loaded");
    assert_eq!(
        info.config().text("vfs.min_batch_gap").as_deref(),
        Some("7")
    );
    info.load().expect("loaded");
    assert_eq!(
        text(info.set_config(&config)),
        "The configuration cannot change after the fragments are loaded"
    );
    info.load().expect("loaded again");
}

#[test]
fn fragment_properties_equal_the_stored_files() {
    for (array, dense) in [("dense", true), ("sparse", false)] {
        let info = loaded(array);
        assert!(info.fragment_num().expect("count") > 0);
        let fragment = info.fragment(0, FragmentInfo::URI).expect("fragment");
        assert_eq!(fragment.name().as_str(), fragment.uri().name());
        let on_disk: u64 = std::fs::read_dir(fragment.uri().path())
            .expect("folder")
            .flatten()
            .map(|file| file.metadata().expect("file").len())
            .sum();
        assert_eq!(fragment.stored_size().expect("size"), on_disk);
        assert_eq!(fragment.footer.dense, dense);
        assert_eq!(info.mbr_num(0).expect("count") == 0, dense);
        assert_eq!(fragment.schema_name(), fragment.schema.name);
        let next = info.fragment_num().expect("count");
        assert_eq!(
            text(info.fragment(next, "check if fragment is dense")),
            format!("Cannot check if fragment is dense, because there is no fragment {next}")
        );
        assert!(
            text(info.fragment(next, FragmentInfo::URI))
                .starts_with("Cannot get fragment URI, because there is no fragment")
        );
    }
}

#[test]
fn all_mbrs_together_are_the_non_empty_domain() {
    let info = loaded("sparse");
    let fragment = info.fragment(0, FragmentInfo::URI).expect("fragment");
    let dimensions = &fragment.schema.domain.dimensions;
    let dim_num = dimensions.len() as u32;
    let mut ranges = 0;
    for dim in 0..dim_num {
        let dimension = Some(DimensionKey::Index(dim));
        for form in [RangeRequest::Fixed, RangeRequest::Var] {
            let Ok(whole) = info.non_empty_range(0, dimension, form) else {
                continue;
            };
            ranges += 1;
            let physical = dimensions[dim as usize].datatype;
            let mut united = info.mbr_range(0, 0, dimension, form).expect("range");
            for mbr in 0..info.mbr_num(0).expect("count") as u32 {
                let range = info.mbr_range(0, mbr, dimension, form).expect("range");
                united.expand(&range, physical.physical());
            }
            assert_eq!(united, whole);
        }
    }
    assert_eq!(ranges, dim_num, "each dimension has one form");
}

#[test]
fn range_errors_name_the_request() {
    let dense = loaded("dense");
    let first = Some(DimensionKey::Index(0));
    let mbr = dense.mbr_range(0, 0, first, RangeRequest::Fixed);
    assert_eq!(text(mbr), "Cannot get MBR of a dense fragment");
    let form = dense.non_empty_range(0, first, RangeRequest::VarSize);
    let words =
        "Cannot get non-empty domain var size, because all ranges of the dimension have one size";
    assert_eq!(text(form), words);
    let unknown = dense.non_empty_range(0, Some(DimensionKey::Name("?")), RangeRequest::Fixed);
    let words = "Cannot get non-empty domain, because there is no dimension '?'";
    assert_eq!(text(unknown), words);
    let missing = dense.non_empty_range(0, None, RangeRequest::Var);
    assert!(text(missing).ends_with("var without the name of a dimension"));
    let sparse = loaded("sparse");
    let beyond = sparse.mbr_range(0, u32::MAX, first, RangeRequest::Fixed);
    assert_eq!(
        text(beyond),
        "There is no minimum bounding rectangle 4294967295"
    );
    let beyond = sparse.mbr_range(0, 0, Some(DimensionKey::Index(9)), RangeRequest::Var);
    assert_eq!(
        text(beyond),
        "Cannot get MBR var, because there is no dimension 9"
    );
}

#[test]
fn a_dump_describes_each_fragment() {
    let info = loaded("dense");
    let dump = info.dump().expect("text");
    let num = info.fragment_num().expect("count");
    let head = format!(
        "- Fragment num: {num}\n- Unconsolidated metadata num: {num}\n- To vacuum num: 0\n"
    );
    assert!(dump.starts_with(&head), "{dump}");
    assert_eq!(dump.matches("  > Type: dense\n").count(), num as usize);
    assert!(
        dump.ends_with("  > Has consolidated metadata: no\n"),
        "{dump}"
    );
}
