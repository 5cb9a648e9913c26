//! Checks of the behaviour in which object stores differ from file systems.

#[path = "../../../tests/setup/servers.rs"]
mod servers;

use std::ops::ControlFlow;

use self::servers::Server;
use super::helpers::{names, uri};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::types::new_uuid;
use crate::vfs::{Uri, Vfs};

/// Returns the configuration for a server, with some parameters of the test.
fn config(server: &Server, parameters: &[(&str, &str)]) -> Config {
    let mut config = Config::new();
    let server_parameters = server
        .parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    for (name, value) in server_parameters.chain(parameters.iter().copied()) {
        config.set(name, value).expect("parameter");
    }
    config
}

/// Runs a claim on every object store whose server can be started, with some parameters.
fn on_servers(parameters: &[(&str, &str)], claim: impl Fn(&Vfs, &Uri, &Server)) {
    for server in servers::all() {
        let context = Context::new(config(server, parameters)).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let folder = uri(&format!("{}/{}", server.uri, new_uuid()));
        claim(&vfs, &folder, server);
    }
}

/// Runs a claim on an empty folder of every object store whose server can be started.
pub(super) fn on_object_stores(claim: impl Fn(&Vfs, &Uri)) {
    on_servers(&[], |vfs, folder, _| claim(vfs, folder));
}

#[test]
fn missing_objects_and_folders_are_reported() {
    on_object_stores(|vfs, folder| {
        let missing = folder.join("missing");
        assert!(vfs.read_all(&missing).expect_err("read").is_missing_file());
        assert!(vfs.file_size(&missing).expect_err("size").is_missing_file());
        let moved = vfs.rename("move_file", &missing, &folder.join("other"));
        assert!(moved.expect_err("move").is_missing_file());
        assert!(!vfs.is_file(&missing).expect("looks up"));
        assert!(!vfs.is_dir(&missing).expect("looks up"));
        assert_eq!(names(vfs, &missing), Vec::<String>::new());
        // Deletions do not report whether there was an object.
        vfs.remove_file(&missing).expect("removes");
        vfs.remove_dir(&missing).expect("removes");
        let error = vfs.read_all(&missing).expect_err("read").to_string();
        assert!(error.contains(missing.as_str()), "{error}");
    });
}

#[test]
fn uris_of_folders_and_buckets_are_not_files() {
    on_object_stores(|vfs, folder| {
        vfs.write_all(&folder.join("a/b"), b"b").expect("writes");
        let (bucket, _) = folder.as_str().rsplit_once('/').expect("a bucket");
        let folders = [
            format!("{folder}/a/"),
            bucket.to_owned(),
            format!("{bucket}/"),
        ];
        for folder_uri in folders.iter().map(|text| uri(text)) {
            assert!(vfs.is_dir(&folder_uri).expect("looks up"), "{folder_uri}");
            assert!(!vfs.is_file(&folder_uri).expect("looks up"), "{folder_uri}");
            vfs.touch(&folder_uri).expect_err("touches");
            vfs.write_all(&folder_uri, b"a").expect_err("writes");
            vfs.read_all(&folder_uri).expect_err("reads");
            vfs.file_size(&folder_uri).expect_err("size");
            vfs.remove_file(&folder_uri).expect_err("removes");
            let copied = vfs.copy_file(&folder.join("a/b"), &folder_uri);
            copied.expect_err("copies");
        }
        assert_eq!(vfs.read_all(&folder.join("a/b")).expect("reads"), b"b");
    });
}

#[test]
fn nothing_is_moved_into_itself_and_a_missing_folder_is_not_moved() {
    on_object_stores(|vfs, folder| {
        let file = folder.join("file");
        vfs.write_all(&file, b"a").expect("writes");
        let inside = file.join("sub");
        vfs.rename("move_file", &file, &inside).expect_err("inside");
        vfs.copy_dir(folder, &folder.join("sub"))
            .expect_err("inside");
        let moved = vfs.rename("move_dir", &folder.join("none"), &folder.join("other"));
        assert!(moved.expect_err("missing").is_missing_file());
        assert_eq!(names(vfs, folder), ["file"]);
        let moved = vfs.rename("move_dir", &file, &folder.join("moved"));
        moved.expect("moves a file");
        assert_eq!(names(vfs, folder), ["moved"]);
    });
}

#[test]
fn directories_that_are_entries_are_created_listed_moved_and_removed() {
    on_servers(&[], |vfs, folder, server| {
        let deep = folder.join("a/b");
        vfs.create_dir(&deep).expect("creates");
        let is_entry = server.kind == "data-lake";
        assert_eq!(vfs.has_directories(folder).expect("asks"), is_entry);
        assert_eq!(vfs.is_dir(&deep).expect("looks up"), is_entry);
        if !is_entry {
            return;
        }
        vfs.create_dir(&deep).expect("exists");
        assert!(!vfs.is_file(&deep).expect("looks up"));
        assert_eq!(names(vfs, &folder.join("a")), ["b"]);
        assert!(names(vfs, &deep).is_empty());
        vfs.touch(&folder.join("a/file")).expect("touches");
        assert!(!vfs.is_dir(&folder.join("a/file")).expect("looks up"));
        assert!(names(vfs, &folder.join("a/file")).is_empty());
        let mut files = Vec::new();
        let all = crate::vfs::ListingScope::All;
        vfs.for_each_below(folder, all, &mut |rest| files.push(rest.to_owned()))
            .expect("walks");
        assert_eq!(files, ["a/file"], "files only");
        // The parent of the target is created.
        vfs.rename("move", &folder.join("a"), &folder.join("c/d"))
            .expect("moves");
        assert_eq!(names(vfs, folder), ["c"]);
        assert!(vfs.is_dir(&folder.join("c/d/b")).expect("looks up"));
        assert!(!vfs.remove_empty_dir(&folder.join("c")).expect("keeps"));
        assert!(
            vfs.remove_empty_dir(&folder.join("c/d/b"))
                .expect("removes")
        );
        vfs.remove_dir(folder).expect("removes");
        assert!(!vfs.is_dir(folder).expect("looks up"));
    });
}

#[test]
fn a_directory_is_published_where_nothing_or_an_empty_directory_is() {
    on_servers(&[], |vfs, folder, server| {
        if server.kind != "data-lake" {
            return;
        }
        let [from, to] = ["from", "to"].map(|name| folder.join(name));
        for is_empty in [true, false] {
            vfs.touch(&from.join("file")).expect("touches");
            vfs.create_dir(&to).expect("creates");
            let published = vfs.publish_dir(&from, &to).expect("publishes");
            assert_eq!(published, is_empty);
            assert_eq!(names(vfs, &to), ["file"]);
            assert_eq!(vfs.is_dir(&from).expect("looks up"), !is_empty);
        }
    });
}

#[test]
fn a_bucket_is_emptied_of_directories_too() {
    let Some(server) = servers::start("data-lake") else {
        return;
    };
    let vfs = Vfs::new(&Context::new(config(&server, &[])).expect("context")).expect("vfs");
    let bucket = uri(&server.uri);
    vfs.touch(&bucket.join("a/b/file")).expect("touches");
    vfs.create_dir(&bucket.join("c/d")).expect("creates");
    vfs.touch(&bucket.join("file")).expect("touches");
    assert_eq!(names(&vfs, &bucket), ["a", "c", "file"]);
    vfs.empty_bucket(&bucket).expect("empties");
    assert!(vfs.is_empty_bucket(&bucket).expect("looks up"));
    vfs.remove_bucket(&bucket).expect("removes");
    assert!(!vfs.is_bucket(&bucket).expect("looks up"));
}

#[test]
fn copies_contain_all_objects_of_a_folder() {
    on_object_stores(|vfs, folder| {
        let (from, to) = (folder.join("from"), folder.join("to"));
        for name in ["file", "deep/file", "with space +&"] {
            vfs.write_all(&from.join(name), name.as_bytes())
                .expect("writes");
        }
        vfs.copy_dir(&from, &to).expect("copies");
        vfs.write_all(&from.join("file"), b"changed")
            .expect("writes");
        assert_eq!(names(vfs, &to), ["deep", "file", "with space +&"]);
        assert_eq!(vfs.read_all(&to.join("file")).expect("reads"), b"file");
        assert!(vfs.copy_file(&from, &folder.join("x")).is_err(), "a folder");
        assert!(vfs.copy_dir(&to, &to).is_err());
        let file = to.join("file");
        assert!(vfs.copy_file(&file, &file).is_err());
        assert_eq!(vfs.read_all(&file).expect("reads"), b"file");
        let local = tempfile::tempdir().expect("folder");
        let local = uri(local.path().join("file").to_str().expect("path"));
        vfs.copy_file(&file, &local).expect("copies");
        vfs.copy_file(&local, &folder.join("back")).expect("copies");
        let back = vfs.read_all(&folder.join("back")).expect("reads");
        assert_eq!(back, b"file");
    });
}

#[test]
fn a_file_is_moved_and_copied_without_the_folder_of_its_name() {
    on_servers(&[], |vfs, folder, server| {
        let [file, moved, copied] = ["file", "moved", "copied"].map(|name| folder.join(name));
        // Where directories are entries, a file cannot have the name of one.
        let has_both = server.kind == "s3" || server.kind == "azure";
        if has_both {
            vfs.write_all(&file.join("below"), b"below")
                .expect("writes");
        }
        vfs.write_all(&file, b"file").expect("writes");
        vfs.move_file(&file, &moved).expect("moves");
        assert!(!vfs.is_file(&file).expect("looks up"));
        assert_eq!(vfs.read_all(&moved).expect("reads"), b"file");
        assert_eq!(vfs.is_dir(&file).expect("looks up"), has_both);
        vfs.copy_dir(&moved, &copied).expect("copies");
        assert_eq!(vfs.read_all(&copied).expect("reads"), b"file");
        vfs.move_file(&moved, &moved).expect_err("the same file");
        assert_eq!(vfs.read_all(&moved).expect("reads"), b"file");
    });
}

#[test]
fn keys_with_empty_segments_are_other_objects() {
    on_servers(&[], |vfs, folder, server| {
        // Folders of the others are directories of a file system.
        if server.kind != "s3" && server.kind != "azure" {
            return;
        }
        let root = folder.join("root");
        let keys = ["/a", "//a", "a", "b//c", "b/c"].map(|rest| root.object_below(rest));
        for key in &keys {
            vfs.write_all(key, key.as_str().as_bytes()).expect("writes");
        }
        for key in &keys {
            let read = vfs.read_all(key).expect("reads");
            assert_eq!(read, key.as_str().as_bytes());
        }
        let mut seen = Vec::new();
        vfs.walk(&root, &mut |uri, _| {
            seen.push(uri.clone());
            Ok(ControlFlow::Continue(()))
        })
        .expect("walks");
        let mut expected = keys.to_vec();
        expected.sort();
        assert_eq!(seen, expected);
        vfs.copy_dir(&root, &folder.join("copy")).expect("copies");
        vfs.remove_dir(&root).expect("removes");
        assert!(!vfs.is_dir(&root).expect("looks up"));
        let copied = vfs.read_all(&folder.join("copy").object_below("//a"));
        assert_eq!(copied.expect("reads"), keys[1].as_str().as_bytes());
    });
}

#[test]
fn a_walk_visits_objects_in_order_and_can_stop_or_fail() {
    on_object_stores(|vfs, folder| {
        for name in ["a/b/file", "a-b", "c"] {
            vfs.write_all(&folder.join(name), b"abc").expect("writes");
        }
        let walk = |last: &str, end: &dyn Fn() -> Result<ControlFlow<()>>| {
            let mut seen = Vec::new();
            let result = vfs.walk(folder, &mut |uri, entry| {
                assert_eq!((uri.name(), entry.size), (entry.name.as_str(), 3));
                seen.push(entry.name.clone());
                if entry.name == last {
                    end()
                } else {
                    Ok(ControlFlow::Continue(()))
                }
            });
            (result.is_ok(), seen)
        };
        let all = ["a-b", "file", "c"].map(str::to_owned).to_vec();
        assert_eq!(
            walk("", &|| Ok(ControlFlow::Break(()))),
            (true, all.clone())
        );
        assert_eq!(
            walk("file", &|| Ok(ControlFlow::Break(()))),
            (true, all[..2].to_vec())
        );
        let fail = || Err(crate::Error::cancelled());
        assert_eq!(walk("file", &fail), (false, all[..2].to_vec()));
        assert_eq!(vfs.dir_size(folder).expect("sizes"), 9);
    });
}

#[test]
fn any_name_can_be_stored() {
    on_object_stores(|vfs, folder| {
        for name in ["ü+=&'()!*,;:@$", "a b", "percent%20", "question?", "hash#"] {
            let file = folder.join("names").join(name);
            vfs.write_all(&file, name.as_bytes()).expect(name);
            assert_eq!(vfs.read_all(&file).expect(name), name.as_bytes());
            assert_eq!(names(vfs, &folder.join("names")), [name]);
            vfs.remove_dir(&folder.join("names")).expect(name);
            assert!(!vfs.is_file(&file).expect(name), "{name}");
        }
    });
}

#[test]
fn dots_are_names_in_keys() {
    on_servers(&[], |vfs, folder, server| {
        // The emulator stores such objects in files of these names, and fails.
        if server.kind == "gcs" {
            return;
        }
        let file = uri(&format!("{folder}/a/../b"));
        vfs.write_all(&file, b"b").expect("writes");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"b");
        assert!(!vfs.is_file(&folder.join("b")).expect("looks up"), "{file}");
        assert_eq!(names(vfs, folder), ["a"], "{file}");
        vfs.write_all(&folder.join("b"), b"other").expect("writes");
        let copy = folder.join("copy");
        match vfs.copy_file(&file, &copy) {
            Ok(()) => assert_eq!(vfs.read_all(&copy).expect("reads"), b"b"),
            // Azure would copy the other object.
            Err(error) => {
                assert!(folder.as_str().starts_with("azure"), "{error}");
                assert!(!vfs.is_file(&copy).expect("looks up"));
            }
        }
    });
}

#[test]
fn large_objects_are_uploaded_in_parts_and_read_in_pieces() {
    let bytes: Vec<u8> = (0..12_345_678_u32)
        .map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    for in_parts in ["true", "false"] {
        let parameters = [
            ("vfs.s3.use_multipart_upload", in_parts),
            ("vfs.azure.use_block_list_upload", in_parts),
            ("vfs.gcs.use_multi_part_upload", in_parts),
        ];
        on_servers(&parameters, |vfs, folder, _| {
            let file = folder.join("large");
            let mut sink = vfs.create(&file).expect("creates");
            for piece in bytes.chunks(1_000_003) {
                sink.write(piece).expect("writes");
            }
            assert!(!vfs.is_file(&file).expect("looks up"), "not closed yet");
            sink.close().expect("closes");
            assert_eq!(vfs.file_size(&file).expect("size"), bytes.len() as u64);
            assert!(
                vfs.read_all(&file).expect("reads") == bytes,
                "the content differs"
            );
            let open = vfs.open(&file).expect("opens");
            for (offset, len) in [(0, 10), (5 << 20, 3_000_000), (12_345_000, 678)] {
                let mut piece = vec![0; len];
                open.read_at(offset as u64, &mut piece).expect("reads");
                assert!(piece == bytes[offset..offset + len], "{offset}");
            }
        });
    }
}

#[test]
fn syncing_a_file_has_no_effect() {
    on_object_stores(|vfs, folder| {
        let file = folder.join("synced");
        vfs.sync(&file).expect("a missing file");
        let mut sink = vfs.create(&file).expect("creates");
        for part in [b"ab", b"cd"] {
            sink.write(part).expect("writes");
            sink.sync().expect("syncs");
            assert!(!vfs.is_file(&file).expect("looks up"), "not closed yet");
        }
        sink.close().expect("closes");
        vfs.sync(&file).expect("syncs");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"abcd");
    });
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_an_error() {
    on_servers(&[], |vfs, folder, server| {
        let file = folder.join("replaced");
        vfs.write_all(&file, b"0123456789").expect("writes");
        let mut bytes = [0; 2];
        let open = vfs.open(&file).expect("opens");
        let range = std::slice::from_ref(&(0..2));
        open.announce(range);
        open.load(&range[0]);
        // The emulator of Google has neither tags nor generations in its responses.
        let len = if server.kind == "gcs" { 11 } else { 10 };
        vfs.write_all(&file, &b"abcdefghijk"[..len])
            .expect("replaces");
        let error = open.read_at(4, &mut bytes).expect_err("replaced");
        assert!(error.to_string().contains("was replaced"), "{error}");
        let open = vfs.open(&file).expect("opens");
        open.read_at(4, &mut bytes).expect("reads");
        assert_eq!(bytes, *b"ef");
    });
}

#[test]
fn an_upload_that_is_not_completed_can_be_listed_and_aborted() {
    on_servers(&[], |vfs, folder, server| {
        let kept = folder.join("kept");
        vfs.write_all(&kept, b"abc").expect("writes");
        let file = folder.join("unfinished");
        let mut sink = vfs.create(&file).expect("creates");
        sink.write(&vec![7; 50 << 20]).expect("writes");
        // A process that is killed does not drop its files.
        let leaked = Box::leak(Box::new(sink));
        assert!(leaked.written > 0);
        let listed = vfs.uploads(folder).expect("lists");
        // Google Cloud Storage does not list resumable uploads.
        let expected = if server.kind == "gcs" { 0 } else { 1 };
        assert_eq!(listed.len(), expected, "{listed:?}");
        assert!(listed.iter().all(|key| key.ends_with("/unfinished")));
        assert!(!vfs.is_file(&file).expect("looks up"));
        let aborted = vfs.abort_uploads(folder).expect("aborts");
        assert_eq!(aborted, expected as u64);
        assert!(vfs.uploads(folder).expect("lists").is_empty());
        assert_eq!(names(vfs, folder), ["kept"]);
        vfs.write_all(&file, b"later").expect("writes");
        assert_eq!(vfs.read_all(&file).expect("reads"), b"later");
    });
}

#[test]
fn listings_and_removals_of_many_objects_are_complete() {
    on_servers(&[], |vfs, folder, server| {
        // Azurite needs 10 ms for each deletion; the emulator has no pages.
        let count = if server.kind == "s3" { 1203 } else { 303 };
        vfs.for_each(folder, count, |index| {
            let name = format!("{}/{index:04}", index % 3);
            vfs.write_all(&folder.join(&name), &[])
        })
        .expect("writes");
        assert_eq!(names(vfs, folder), ["0", "1", "2"]);
        assert_eq!(names(vfs, &folder.join("1")).len(), count / 3);
        let mut last = String::new();
        let mut seen = 0;
        vfs.walk(folder, &mut |uri, _| {
            assert!(uri.as_str() > last.as_str());
            last = uri.as_str().to_owned();
            seen += 1;
            Ok(ControlFlow::Continue(()))
        })
        .expect("walks");
        assert_eq!(seen, count);
        vfs.remove_dir(&folder.join("1")).expect("removes");
        assert_eq!(names(vfs, folder), ["0", "2"]);
        vfs.remove_dir(folder).expect("removes");
        assert!(!vfs.is_dir(folder).expect("looks up"));
    });
}

#[test]
fn buckets_are_created_emptied_and_removed() {
    on_servers(&[], |vfs, _, server| {
        let scheme = server.uri.split("://").next().expect("scheme");
        let bucket = uri(&format!("{scheme}://bucket-{}", &new_uuid()[..12]));
        assert!(!vfs.is_bucket(&bucket).expect("looks up"));
        vfs.create_bucket(&bucket).expect("creates");
        assert!(vfs.is_bucket(&bucket).expect("looks up"));
        assert!(vfs.is_empty_bucket(&bucket).expect("lists"));
        vfs.write_all(&bucket.join("a/b"), b"abc").expect("writes");
        assert!(!vfs.is_empty_bucket(&bucket).expect("lists"));
        assert_eq!(names(vfs, &bucket), ["a"]);
        vfs.empty_bucket(&bucket).expect("empties");
        assert!(vfs.is_empty_bucket(&bucket).expect("lists"));
        vfs.write_all(&bucket.join("c"), b"abc").expect("writes");
        vfs.remove_bucket(&bucket).expect("removes");
        assert!(!vfs.is_bucket(&bucket).expect("looks up"));
        let error = vfs.write_all(&bucket.join("d"), b"abc");
        assert!(error.is_err(), "the bucket does not exist");
    });
}

#[test]
fn wrong_keys_are_rejected_by_servers_that_verify_signatures() {
    for server in servers::all().iter().filter(|server| server.verifies) {
        let parameters = [
            ("vfs.s3.aws_secret_access_key", "wrong"),
            ("vfs.azure.storage_account_key", "d3Jvbmc="),
        ];
        let context = Context::new(config(server, &parameters)).expect("context");
        let vfs = Vfs::new(&context).expect("vfs");
        let file = uri(&format!("{}/file", server.uri));
        let error = vfs
            .write_all(&file, b"abc")
            .expect_err("rejected")
            .to_string();
        assert!(error.contains("HTTP 403"), "{error}");
        assert!(
            !error.contains("wrong") && !error.contains("d3Jvbmc"),
            "{error}"
        );
    }
}
