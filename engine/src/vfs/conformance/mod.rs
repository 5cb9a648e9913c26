//! The suite of tests that all storage backends pass, object stores on servers that it starts.

mod helpers;
mod objects;

use std::fs::{Permissions, set_permissions};
use std::io::{IoSlice, IoSliceMut};
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use super::conformance::helpers::{names, uri};
use super::conformance::objects::on_object_stores;
use super::faulty::Faulty;
use super::{EntryKind, LockAttempt, LockMode, Uri, Vfs};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::platform;
use crate::types::now;
use proptest::prelude::*;

/// Runs a claim on an empty folder of every backend.
fn on_each(claim: impl Fn(&Vfs, &Uri)) {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let folder = tempfile::tempdir().expect("folder");
    claim(&vfs, &uri(folder.path().to_str().expect("path")));
    let memory = uri("mem://folder");
    vfs.create_dir(&memory).expect("creates");
    claim(&vfs, &memory);
    let vfs = Vfs::with_backend(&context, Arc::new(Faulty::new())).expect("vfs");
    vfs.create_dir(&memory).expect("creates");
    claim(&vfs, &memory);
}

/// Runs a claim on an empty folder of every backend, object stores included.
fn on_all(claim: impl Fn(&Vfs, &Uri)) {
    on_each(&claim);
    on_object_stores(claim);
}

#[test]
fn what_is_written_is_read() {
    on_all(|vfs, folder| {
        let file = folder.join("file");
        vfs.write_all(&file, b"hello").expect("writes");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"hello");
        assert_eq!(vfs.file_size(&file).expect("asks"), 5);
        vfs.write_all(&file, b"x").expect("replaces");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"x");
        if vfs.is_object_store(folder) {
            assert!(vfs.append(&file).is_err(), "objects are replaced only");
            return;
        }
        let mut more = vfs.append(&file).expect("opens");
        more.write_vectored(&mut [IoSlice::new(b""), IoSlice::new(b"y"), IoSlice::new(b"zz")])
            .expect("writes");
        assert_eq!(more.written, 3);
        more.sync().expect("syncs");
        more.close().expect("closes");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"xyzz");
    });
}

#[test]
fn reading_past_the_end_is_an_error() {
    on_all(|vfs, folder| {
        let file = folder.join("file");
        vfs.write_all(&file, b"hello").expect("writes");
        let open = vfs.open(&file).expect("opens");
        let mut three = [0; 3];
        open.read_at(2, &mut three).expect("fits");
        assert_eq!(&three, b"llo");
        for offset in [3, 5, 6, u64::MAX] {
            assert!(open.read_at(offset, &mut three).is_err(), "{offset}");
            let mut parts = [IoSliceMut::new(&mut three)];
            assert!(
                open.read_vectored_at(offset, &mut parts).is_err(),
                "{offset}"
            );
        }
        open.read_at(5, &mut []).expect("nothing is asked for");
    });
}

#[test]
fn missing_files_are_reported_as_missing() {
    on_each(|vfs, folder| {
        let missing = folder.join("missing");
        assert!(vfs.open(&missing).expect_err("open").is_missing_file());
        assert!(vfs.read_all(&missing).expect_err("read").is_missing_file());
        assert!(vfs.file_size(&missing).expect_err("size").is_missing_file());
        assert!(
            vfs.remove_file(&missing)
                .expect_err("file")
                .is_missing_file()
        );
        assert!(vfs.remove_dir(&missing).expect_err("dir").is_missing_file());
        assert!(!vfs.is_file(&missing).expect("asks"));
        assert!(!vfs.is_dir(&missing).expect("asks"));
        assert_eq!(names(vfs, &missing), Vec::<String>::new());
        let moved = vfs.rename("move_file", &missing, &folder.join("other"));
        assert!(moved.expect_err("move").is_missing_file());
        vfs.sync(&missing).expect("nothing to sync");
        let text = vfs.open(&missing).expect_err("open").to_string();
        assert!(text.contains(missing.as_str()), "{text}");
    });
}

#[test]
fn folders_are_made_with_those_above_and_go_with_all_below() {
    on_all(|vfs, folder| {
        let deep = folder.join("a/b/c");
        vfs.create_dir(&deep).expect("creates");
        vfs.create_dir(&deep).expect("exists");
        vfs.touch(&deep.join("file")).expect("touches");
        assert!(vfs.is_dir(&folder.join("a")).expect("asks"));
        assert!(!vfs.is_file(&folder.join("a")).expect("asks"));
        vfs.remove_dir(&folder.join("a")).expect("removes");
        assert_eq!(names(vfs, folder), Vec::<String>::new());
    });
}

#[test]
fn touching_keeps_what_is_there() {
    on_all(|vfs, folder| {
        let file = folder.join("file");
        vfs.touch(&file).expect("makes");
        assert_eq!(vfs.file_size(&file).expect("asks"), 0);
        vfs.write_all(&file, b"abc").expect("writes");
        vfs.touch(&file).expect("exists");
        assert_eq!(vfs.file_size(&file).expect("asks"), 3);
        if !vfs.is_object_store(folder) {
            assert!(vfs.touch(folder).is_err(), "a folder is no file");
        }
    });
}

#[test]
fn a_listing_is_sorted_and_knows_folders() {
    on_all(|vfs, folder| {
        for name in ["b", "a.x", "ab", "a-b"] {
            vfs.write_all(&folder.join(name), name.as_bytes())
                .expect("writes");
        }
        vfs.create_dir(&folder.join("a/below")).expect("creates");
        vfs.touch(&folder.join("a/below/it")).expect("touches");
        assert_eq!(names(vfs, folder), ["a", "a-b", "a.x", "ab", "b"]);
        let entries = vfs.list_with_sizes(folder).expect("lists");
        let sizes: Vec<u64> = entries.iter().map(|entry| entry.size).collect();
        assert_eq!(sizes, [0, 3, 3, 2, 1]);
        assert_eq!(entries[0].kind, EntryKind::Directory);
        assert!(entries[1..].iter().all(|e| e.kind == EntryKind::File));
    });
}

#[test]
fn moving_takes_everything_along() {
    on_all(|vfs, folder| {
        let (old, new) = (folder.join("old"), folder.join("new"));
        vfs.create_dir(&old.join("deep")).expect("creates");
        vfs.write_all(&old.join("deep/file"), b"abc")
            .expect("writes");
        vfs.write_all(&folder.join("old-neighbour"), b"n")
            .expect("writes");
        vfs.rename("move_dir", &old, &new).expect("moves");
        assert_eq!(names(vfs, folder), ["new", "old-neighbour"]);
        assert_eq!(vfs.read_all(&new.join("deep/file")).expect("reads"), b"abc");
        let file = folder.join("file");
        vfs.rename("move_file", &new.join("deep/file"), &file)
            .expect("moves");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"abc");
        assert!(vfs.rename("move_dir", &new, &new.join("inside")).is_err());
        let is_left = vfs.is_dir(&new).expect("asks") || vfs.is_object_store(folder);
        assert!(is_left, "a refused move loses nothing");
    });
}

#[test]
fn moving_a_folder_to_the_one_above_loses_nothing() {
    on_all(|vfs, folder| {
        let outer = folder.join("outer");
        let inner = outer.join("inner");
        vfs.create_dir(&inner).expect("creates");
        vfs.write_all(&inner.join("file"), b"abc").expect("writes");
        // Object stores without directories can do it, since folders are only parts of names.
        let is_moved = vfs.rename("move_dir", &inner, &outer).is_ok();
        assert!(!is_moved || vfs.is_object_store(folder));
        let now_in = if is_moved { &outer } else { &inner };
        assert_eq!(vfs.read_all(&now_in.join("file")).expect("reads"), b"abc");
    });
}

#[test]
fn copies_are_whole_and_independent() {
    on_each(|vfs, folder| {
        let (from, to) = (folder.join("from"), folder.join("to"));
        vfs.create_dir(&from.join("empty")).expect("creates");
        vfs.write_all(&from.join("file"), b"abc").expect("writes");
        vfs.copy_dir(&from, &to).expect("copies");
        vfs.write_all(&from.join("file"), b"changed")
            .expect("writes");
        assert_eq!(names(vfs, &to), ["empty", "file"]);
        assert_eq!(vfs.read_all(&to.join("file")).expect("reads"), b"abc");
        assert!(vfs.copy_file(&from, &folder.join("x")).is_err(), "a folder");
        for again in [to.clone(), uri(&format!("{folder}//to"))] {
            assert!(vfs.copy_dir(&to, &again).is_err(), "{again}");
            let file = again.join("file");
            assert!(vfs.copy_file(&to.join("file"), &file).is_err(), "{again}");
            assert_eq!(vfs.read_all(&file).expect("reads"), b"abc");
        }
    });
}

#[test]
fn copying_a_file_as_a_folder_copies_the_file() {
    on_each(|vfs, folder| {
        let (file, into) = (folder.join("file"), folder.join("into"));
        vfs.write_all(&file, b"abc").expect("writes");
        vfs.create_dir(&into).expect("creates");
        vfs.copy_dir(&file, &into).expect("copies into a folder");
        vfs.copy_dir(&file, &folder.join("copy")).expect("copies");
        for copy in ["into/file", "copy"] {
            let copy = folder.join(copy);
            assert_eq!(vfs.read_all(&copy).expect("reads"), b"abc", "{copy}");
        }
        assert!(vfs.copy_dir(&into, &file).is_err(), "a folder over a file");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"abc");
    });
}

#[test]
fn a_walk_goes_down_and_can_stop_or_fail() {
    on_each(|vfs, folder| {
        vfs.create_dir(&folder.join("a/b")).expect("creates");
        vfs.write_all(&folder.join("a/b/file"), b"abc")
            .expect("writes");
        vfs.write_all(&folder.join("c"), b"de").expect("writes");
        let walk = |last: &str| -> (Result<()>, Vec<String>) {
            let mut seen = Vec::new();
            let result = vfs.walk(folder, &mut |uri, entry| {
                seen.push(entry.name.clone());
                assert_eq!(uri.name(), entry.name);
                if entry.name != last {
                    Ok(ControlFlow::Continue(()))
                } else if last == "file" {
                    Err(crate::Error::cancelled())
                } else {
                    Ok(ControlFlow::Break(()))
                }
            });
            (result, seen)
        };
        assert_eq!(walk("").1, ["a", "b", "file", "c"]);
        assert!(matches!(walk("b"), (Ok(()), seen) if seen == ["a", "b"]));
        assert!(matches!(walk("file"), (Err(_), seen) if seen.len() == 3));
        assert_eq!(vfs.dir_size(folder).expect("sizes"), 5);
        assert!(vfs.dir_size(&folder.join("c")).is_err(), "a file");
        assert!(
            vfs.walk(&folder.join("none"), &mut |_, _| Ok(ControlFlow::Break(())))
                .is_err()
        );
    });
}

#[test]
fn published_files_are_complete_and_leave_nothing_else() {
    on_all(|vfs, folder| {
        let before = now();
        let file = folder.join("new/deep/file");
        vfs.publish_file(folder, &file, b"abc").expect("publishes");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"abc");
        assert_eq!(names(vfs, folder), ["new"]);
        assert_eq!(names(vfs, &folder.join("new/deep")), ["file"]);
        let modified = vfs.modified(&file).expect("time");
        // File systems keep times in steps of a few milliseconds.
        assert!(modified + 1000 >= before && modified <= now() + 1000);
        let empty = folder.join("empty");
        vfs.publish_file(folder, &empty, b"").expect("publishes");
        assert_eq!(vfs.file_size(&empty).expect("size"), 0);
        assert!(
            vfs.modified(&folder.join("none"))
                .expect_err("none")
                .is_missing_file()
        );
    });
}

#[test]
fn a_folder_is_published_over_nothing_or_an_empty_folder_only() {
    on_each(|vfs, folder| {
        let [first, second, target] = ["first", "second", "target"].map(|name| folder.join(name));
        for from in [&first, &second] {
            vfs.create_dir(from).expect("creates");
            vfs.write_all(&from.join("file"), b"abc").expect("writes");
        }
        assert!(vfs.publish_dir(&first, &target).expect("moves"));
        assert!(!vfs.publish_dir(&second, &target).expect("refuses"));
        assert_eq!(names(vfs, folder), ["second", "target"]);
        vfs.remove_file(&target.join("file")).expect("removes");
        assert!(vfs.publish_dir(&second, &target).expect("moves"));
        assert_eq!(vfs.read_all(&target.join("file")).expect("reads"), b"abc");
        assert!(
            vfs.publish_dir(&second, &target)
                .expect_err("gone")
                .is_missing_file()
        );
    });
}

#[test]
fn one_caller_creates_a_new_folder() {
    on_each(|vfs, folder| {
        let new = folder.join("new");
        assert!(vfs.create_new_dir(&new).expect("creates"));
        assert!(!vfs.create_new_dir(&new).expect("exists"));
        vfs.write_all(&folder.join("file"), b"abc").expect("writes");
        assert!(!vfs.create_new_dir(&folder.join("file")).expect("exists"));
        let deep = folder.join("a/b/c");
        assert!(
            vfs.create_new_dir(&deep)
                .expect_err("no parent")
                .is_missing_file()
        );
        vfs.ensure_dir(&deep).expect("creates all");
        vfs.ensure_dir(&deep).expect("exists");
        assert!(vfs.is_dir(&deep).expect("looks"));
    });
}

#[test]
fn only_empty_folders_are_removed_as_such() {
    on_each(|vfs, folder| {
        let outer = folder.join("outer");
        let inner = outer.join("inner");
        assert!(vfs.create_dir_unsynced(&inner).expect("creates"));
        assert!(!vfs.create_dir_unsynced(&inner).expect("exists"));
        assert!(!vfs.remove_empty_dir(&outer).expect("looks"));
        assert!(vfs.remove_empty_dir(&inner).expect("removes"));
        assert!(!vfs.remove_empty_dir(&inner).expect("is gone"));
        assert!(vfs.remove_empty_dir(&outer).expect("removes"));
        assert!(!vfs.is_dir(&outer).expect("looks"));
    });
}

#[test]
fn an_attempt_to_lock_does_not_wait() {
    on_each(|vfs, folder| {
        let attempt = |mode| vfs.try_lock(folder, mode).expect("attempts");
        let lock = attempt(LockMode::Exclusive).expect("free");
        assert!(attempt(LockMode::Shared).is_none());
        drop(lock);
        let _shared = attempt(LockMode::Shared).expect("free");
        assert!(attempt(LockMode::Shared).is_some());
    });
}

#[test]
fn the_state_of_a_folder_changes_with_its_entries() {
    on_each(|vfs, folder| {
        let settled = || {
            // The state of a local folder is reported only after its last change is some time ago.
            (0..100).find_map(|_| {
                std::thread::sleep(std::time::Duration::from_millis(5));
                vfs.folder_state(folder).expect("looks")
            })
        };
        let empty = settled().expect("settles");
        assert_eq!(settled(), Some(empty));
        let listed = vfs.list_with_state(folder).expect("lists");
        assert_eq!(listed, (Vec::new(), Some(empty)));
        vfs.write_all(&folder.join("a"), b"abc").expect("writes");
        let one = settled().expect("settles");
        vfs.rename("move_file", &folder.join("a"), &folder.join("b"))
            .expect("moves");
        let renamed = settled().expect("settles");
        vfs.remove_file(&folder.join("b")).expect("removes");
        let removed = settled().expect("settles");
        assert!(one != empty && renamed != one && removed != renamed && removed != empty);
    });
}

#[test]
fn an_exclusive_lock_excludes_all_others_and_shared_ones_exclude_it() {
    on_each(|vfs, folder| {
        let attempt = |mode| {
            let backend = vfs.backend(folder).expect("backend");
            match backend.try_lock(folder, mode).expect("attempts") {
                LockAttempt::Locked(lock) => Some(lock),
                LockAttempt::Busy => None,
                LockAttempt::Unsupported => panic!("these backends have locks"),
            }
        };
        let exclusive = vfs.lock(folder, LockMode::Exclusive).expect("locks");
        assert!(attempt(LockMode::Exclusive).is_none());
        assert!(attempt(LockMode::Shared).is_none());
        drop(exclusive);
        let shared = [(); 2].map(|()| attempt(LockMode::Shared).expect("shared"));
        assert!(attempt(LockMode::Exclusive).is_none());
        drop(shared);
        assert!(attempt(LockMode::Exclusive).is_some());
        let missing = folder.join("missing");
        assert!(
            vfs.lock(&missing, LockMode::Shared)
                .expect_err("none")
                .is_missing_file()
        );
    });
}

#[test]
fn a_waiting_thread_gets_the_lock_when_it_is_released() {
    on_each(|vfs, folder| {
        let lock = vfs.lock(folder, LockMode::Exclusive).expect("locks");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| vfs.lock(folder, LockMode::Exclusive).map(drop));
            std::thread::sleep(std::time::Duration::from_millis(5));
            assert!(!waiting.is_finished());
            drop(lock);
            waiting.join().expect("thread").expect("locks");
        });
    });
}

#[test]
fn cancelling_ends_the_wait_for_a_lock() {
    on_each(|vfs, folder| {
        let _held = vfs.lock(folder, LockMode::Exclusive).expect("locks");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| vfs.lock(folder, LockMode::Shared).map(drop));
            while !waiting.is_finished() {
                // Cancelling has no effect on an operation that begins after it.
                vfs.context.cancel();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            assert!(
                waiting
                    .join()
                    .expect("thread")
                    .expect_err("cancelled")
                    .is_cancelled()
            );
        });
    });
}

#[test]
fn missing_backends_and_buckets_are_errors() {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let missing = vfs.is_file(&uri("tiledb://b/x")).expect_err("missing");
    let cause = if cfg!(all(feature = "rest", feature = "s3")) {
        "A server needs a token"
    } else {
        "the scheme tiledb://"
    };
    assert!(missing.to_string().contains(cause), "{missing}");
    let text = vfs.create_bucket(&uri("mem://b")).expect_err("none");
    assert_eq!(
        text.to_string(),
        "The storage does not support this operation: create_bucket"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Vectored writes and reads, cut anywhere, are the bytes one after the other. More parts than
    /// one call takes, too.
    #[test]
    fn vectored_calls_are_plain_ones_in_pieces(
        cuts in proptest::collection::vec(0..40_usize, 0..2500),
        skip in 0..64_usize,
    ) {
        let bytes: Vec<u8> = (0..cuts.iter().sum::<usize>()).map(|index| index as u8).collect();
        on_each(|vfs, folder| {
            let file = folder.join("file");
            let mut rest = bytes.as_slice();
            let mut parts: Vec<IoSlice<'_>> = cuts.iter().map(|len| {
                let (part, after) = rest.split_at(*len);
                rest = after;
                IoSlice::new(part)
            }).collect();
            let mut sink = vfs.create(&file).expect("creates");
            sink.write_vectored(&mut parts).expect("writes");
            sink.close().expect("closes");
            assert!(vfs.read_all(&file).expect("reads") == bytes, "what was written differs");
            let skip = skip.min(bytes.len());
            let mut got = vec![0; bytes.len() - skip];
            let mut rest = got.as_mut_slice();
            let mut parts = Vec::new();
            for len in &cuts {
                let len = (*len).min(rest.len());
                let (part, after) = std::mem::take(&mut rest).split_at_mut(len);
                parts.push(IoSliceMut::new(part));
                rest = after;
            }
            let source = vfs.open(&file).expect("opens");
            source.read_vectored_at(skip as u64, &mut parts).expect("reads");
            assert!(got == bytes[skip..], "what was read differs");
        });
    }
}

#[test]
fn what_is_in_a_folder_without_permission_to_search_is_not_missing() {
    let context = Context::new(Config::new()).expect("context");
    let vfs = Vfs::new(&context).expect("vfs");
    let temporary = tempfile::tempdir().expect("folder");
    let folder = uri(temporary.path().to_str().expect("path"));
    let closed = folder.join("closed");
    let file = closed.join("file");
    vfs.create_dir(&closed).expect("creates");
    std::fs::write(file.path(), "").expect("a file");
    for (path, mode) in [(folder.path(), 0o755), (closed.path(), 0o644)] {
        set_permissions(path, Permissions::from_mode(mode)).expect("permissions");
    }
    assert!(platform::in_unprivileged_child(|| {
        vfs.is_file(&file).is_err()
            && vfs.is_dir(&file).is_err()
            && vfs.is_same(&file, &folder).is_err()
            && matches!(vfs.is_accessible_file(&file), Ok(false))
            && matches!(vfs.is_accessible_dir(&file), Ok(false))
    }));
}
