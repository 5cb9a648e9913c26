//! Runs the programs in `examples/` and compares their output.

#[path = "../examples/batches.rs"]
mod batches;
#[path = "../examples/dense.rs"]
mod dense;
#[path = "../examples/groups.rs"]
mod groups;
#[path = "../examples/sparse.rs"]
mod sparse;
#[path = "../examples/time_travel.rs"]
mod time_travel;

use tiledb_engine::Result;

/// Returns what an example prints.
fn output(run: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> String {
    let mut out = Vec::new();
    run(&mut out).expect("the example succeeds");
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn dense_arrays_have_fill_values_and_keep_the_last_write() {
    let expected = "[11, 12, 13, -1]\n[21, 220, 23, -1]\n[-1, 320, -1, -1]\n[-1, -1, -1, -1]\n\
                    slice: [21, 220, -1, 320]\n";
    assert_eq!(output(dense::run), expected);
}

#[test]
fn sparse_arrays_are_filtered_aggregated_and_deleted_from() {
    let expected = "2024-03-01T09:00:00 | south | 2.25 | cleaned\n\
                    2024-05-09T12:30:00 | north | 3 | null\n\
                    Some(Real(1.9166666666666667))\nSome(Real(3.0))\nSome(Integer(2))\nleft: 1\n\
                    Condition: expected a value, found 'high'; texts are in single quotes; at \
                    character 9\n";
    assert_eq!(output(sparse::run), expected);
}

#[test]
fn earlier_states_are_read_before_and_after_consolidation() {
    let expected = "at 500: []\nat 1000: [9.5]\nat 2999: [11.0]\nat 3000: [10.25]\n\
                    1000 to 1000: 1 cell\n2000 to 2000: 1 cell\n3000 to 3000: 1 cell\n\
                    fragments: 1\nat 1500: [9.5]\n";
    assert_eq!(output(time_travel::run), expected);
}

#[test]
fn large_results_are_read_in_batches() {
    let squares = |ids: std::ops::Range<i64>| ids.map(|id| id * id).sum::<i64>();
    let sum = squares(0..2500) + squares(9000..10_000);
    let expected =
        format!("3500 cells, several batches: true\nsum of squares: {sum}\n[\"number 9999\"]\n");
    assert_eq!(output(batches::run), expected);
}

#[test]
fn groups_have_members_and_schemas_change() {
    let expected = "Array Some(\"orders\")\nowner: Ada\n[\"open\", \"paid\", \"open\"]\n[1, 3]\n\
                    [\"open\", \"paid\", \"open\", \"sent\"]\n[0.0, 0.0, 0.0, 12.5]\n\
                    Array mem://shop/orders\n";
    assert_eq!(output(groups::run), expected);
}
