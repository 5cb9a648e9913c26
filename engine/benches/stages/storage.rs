//! Storage: listings, and reading and copying files of a local disk that are in the page cache.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use tempfile::TempDir;
use tiledb_engine::internal::vfs::Uri;

use crate::data::vfs;

fn uri(folder: &TempDir, name: &str) -> Uri {
    Uri::parse(&format!("{}/{name}", folder.path().display())).expect("uri")
}

fn list(bencher: Bencher<'_, '_>, folder: &Uri, files: u64) {
    let vfs = vfs();
    vfs.create_dir(folder).expect("folder");
    for file in 0..files {
        vfs.write_all(&folder.join(&format!("file{file}")), b"content")
            .expect("file");
    }
    bencher
        .counter(ItemsCount::new(files))
        .bench_local(|| vfs.list(folder).expect("listing"));
}

#[divan::bench(args = [100, 1000])]
fn list_in_memory(bencher: Bencher<'_, '_>, files: u64) {
    list(bencher, &Uri::parse("mem://folder").expect("uri"), files);
}

#[divan::bench(args = [100, 1000])]
fn list_on_disk(bencher: Bencher<'_, '_>, files: u64) {
    let folder = tempfile::tempdir().expect("folder");
    list(bencher, &uri(&folder, "list"), files);
}

/// Reads a file of 16 MiB in parts.
#[divan::bench(args = [4 << 10, 64 << 10, 1 << 20])]
fn read_parts(bencher: Bencher<'_, '_>, part: u64) {
    const LEN: u64 = 16 << 20;
    let (vfs, folder) = (vfs(), tempfile::tempdir().expect("folder"));
    let uri = uri(&folder, "file");
    vfs.write_all(&uri, &vec![7; LEN as usize]).expect("file");
    let file = vfs.open(&uri).expect("open");
    let mut to = vec![0; part as usize];
    bencher.counter(BytesCount::new(LEN)).bench_local(|| {
        for offset in (0..LEN).step_by(part as usize) {
            file.read_at(offset, &mut to).expect("read");
        }
    });
}
