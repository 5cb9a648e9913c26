//! Small arrays, dense, sparse, with deletes and with dimension labels, with every byte of every file flipped, and every file
//! cut at every length: an error, or data that its checksums vouch for; never a panic, never memory out of proportion.
//! The files that say what an array or a group is are in `metadata`.
#![expect(unsafe_code, reason = "counts what the allocator hands out")]

mod metadata;

use std::alloc::{GlobalAlloc, Layout as Size, System};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tiledb_engine::array::{self, Array};
use tiledb_engine::config::Config;
use tiledb_engine::context::Context;
use tiledb_engine::filter::{Filter, FilterList, FilterType};
use tiledb_engine::maintain;
use tiledb_engine::query::Query;
use tiledb_engine::query::buffers::{FieldBuffers, FieldCells};
use tiledb_engine::query::condition::{Combination, Condition, Operator};
use tiledb_engine::query::subarray::Subarray;
use tiledb_engine::schema::{Attribute, Dimension, DomainDraft, SchemaDraft, shared};
use tiledb_engine::types::{
    ArrayType, DataOrder, Datatype, Layout as TileLayout, QueryType, VAR_NUM,
};
use tiledb_engine::vfs::{Uri, Vfs};

/// The largest piece of memory asked for at once.
struct Largest;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator, with a look at the sizes.
unsafe impl GlobalAlloc for Largest {
    unsafe fn alloc(&self, size: Size) -> *mut u8 {
        LARGEST.fetch_max(size.size(), Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.alloc(size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, size: Size) {
        // SAFETY: the caller's.
        unsafe { System.dealloc(pointer, size) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, size: Size, to: usize) -> *mut u8 {
        LARGEST.fetch_max(to, Ordering::Relaxed);
        // SAFETY: the caller's.
        unsafe { System.realloc(pointer, size, to) }
    }
}

#[global_allocator]
static ALLOCATOR: Largest = Largest;

/// The most that a damaged array of some kilobytes may ask for at once.
const MOST: usize = 64 << 20;

/// What a read of the array gives: plain numbers, checked numbers, checked texts with offsets and validity.
type Cells = (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>);

fn vfs() -> Arc<Vfs> {
    Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs")
}

fn list(kinds: &[FilterType]) -> Arc<FilterList> {
    let mut list = FilterList::default();
    list.filters
        .extend(kinds.iter().filter_map(|kind| Filter::new(*kind)));
    Arc::new(list)
}

fn attribute(name: &str, datatype: Datatype, kinds: &[FilterType]) -> Attribute {
    let mut attribute = Attribute::new(name, datatype);
    attribute.set_filters(list(kinds)).expect("filters");
    attribute
}

fn write(folder: &Path) {
    let vfs = vfs();
    let uri = Uri::parse(folder.to_str().expect("path")).expect("uri");
    let mut domain = DomainDraft::default();
    let ends: Vec<u8> = [1i32, 6].iter().flat_map(|end| end.to_le_bytes()).collect();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&4i32.to_le_bytes()))
        .expect("dimension");
    domain.dimensions.push(shared(dimension));
    let mut draft = SchemaDraft::new(ArrayType::Dense, None);
    draft.set_domain(&shared(domain)).expect("domain");
    let checked = [FilterType::Zstd, FilterType::ChecksumSha256];
    let plain = attribute("plain", Datatype::Int32, &[]);
    let numbers = attribute("numbers", Datatype::Int64, &checked);
    let mut texts = attribute(
        "texts",
        Datatype::StringAscii,
        &[FilterType::Gzip, FilterType::ChecksumMd5],
    );
    texts.set_cell_val_num(VAR_NUM).expect("var");
    texts.set_nullable(true).expect("nullable");
    for attribute in [plain, numbers, texts] {
        draft.add_attribute(&shared(attribute)).expect("attribute");
    }
    draft.set_offsets_filters(list(&checked));
    draft.set_validity_filters(list(&checked));
    let schema = draft.finish().expect("schema");
    array::create(&vfs, &uri, &schema, None).expect("create");
    let array = Array::new(&vfs, uri.as_str()).expect("array");
    array.open(QueryType::Write).expect("open");
    let mut query = Query::new(&Arc::new(array), QueryType::Write).expect("query");
    let plain: Vec<u8> = (0..6i32).flat_map(i32::to_le_bytes).collect();
    let numbers: Vec<u8> = (0..6i64)
        .flat_map(|n| (n * 1_000_003).to_le_bytes())
        .collect();
    let offsets: Vec<u8> = [0u64, 3, 3, 5, 9, 10]
        .iter()
        .flat_map(|offset| offset.to_le_bytes())
        .collect();
    let field = |name, data| FieldCells {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    };
    let texts = FieldCells {
        name: "texts",
        data: Some(b"onetwofour!!"),
        offsets: Some(&offsets),
        validity: Some(&[1, 0, 1, 1, 0, 1]),
    };
    query
        .write(&[field("plain", &plain), field("numbers", &numbers), texts])
        .expect("write");
}

fn read(folder: &Path) -> tiledb_engine::Result<Cells> {
    let vfs = vfs();
    let array = Array::new(&vfs, folder.to_str().expect("path"))?;
    array.open(QueryType::Read)?;
    let array = Arc::new(array);
    let _ = array.non_empty_domain()?;
    let mut query = Query::new(&array, QueryType::Read)?;
    let mut subarray = Subarray::new(query.schema());
    subarray.add_range(0, &1i32.to_le_bytes(), &6i32.to_le_bytes())?;
    query.set_subarray(&subarray)?;
    let (mut plain, mut numbers, mut texts) = (vec![0; 24], vec![0; 48], vec![0; 12]);
    let (mut offsets, mut validity) = (vec![0; 48], vec![0; 6]);
    fn field<'a>(name: &'a str, data: &'a mut [u8]) -> FieldBuffers<'a> {
        FieldBuffers {
            name,
            data: Some(data),
            offsets: None,
            validity: None,
        }
    }
    let mut fields = [
        field("plain", &mut plain),
        field("numbers", &mut numbers),
        FieldBuffers {
            offsets: Some(&mut offsets),
            validity: Some(&mut validity),
            ..field("texts", &mut texts)
        },
    ];
    query.read(&mut fields)?;
    Ok((plain, numbers, texts, offsets, validity))
}

fn field_cells<'a>(name: &'a str, data: &'a [u8]) -> FieldCells<'a> {
    FieldCells {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    }
}

/// Two fragments that overlap, of three tiles each: a number and a text for a place, numbers and texts at it.
fn write_sparse(folder: &Path) {
    let vfs = vfs();
    let uri = Uri::parse(folder.to_str().expect("path")).expect("uri");
    let checked = [FilterType::Zstd, FilterType::ChecksumSha256];
    let mut domain = DomainDraft::default();
    let ends: Vec<u8> = [1i32, 60]
        .iter()
        .flat_map(|end| end.to_le_bytes())
        .collect();
    let extent = 4i32.to_le_bytes();
    let number = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent));
    let text = Dimension::new("t", Datatype::StringAscii, None, None);
    for dimension in [number, text] {
        let mut dimension = dimension.expect("dimension");
        dimension.set_filters(list(&checked)).expect("filters");
        domain.dimensions.push(shared(dimension));
    }
    let mut draft = SchemaDraft::new(ArrayType::Sparse, None);
    draft.set_domain(&shared(domain)).expect("domain");
    draft.set_capacity(2).expect("capacity");
    let plain = attribute("plain", Datatype::Int32, &[]);
    let mut texts = attribute("texts", Datatype::StringAscii, &checked);
    texts.set_cell_val_num(VAR_NUM).expect("var");
    texts.set_nullable(true).expect("nullable");
    for attribute in [plain, texts] {
        draft.add_attribute(&shared(attribute)).expect("attribute");
    }
    draft.set_offsets_filters(list(&checked));
    draft.set_validity_filters(list(&checked));
    let schema = draft.finish().expect("schema");
    array::create(&vfs, &uri, &schema, None).expect("create");
    for step in [3i32, 4] {
        let array = Array::new(&vfs, uri.as_str()).expect("array");
        array.open(QueryType::Write).expect("open");
        let mut query = Query::new(&Arc::new(array), QueryType::Write).expect("query");
        let numbers: Vec<u8> = (0..6).flat_map(|n| (1 + n * step).to_le_bytes()).collect();
        let plain: Vec<u8> = (0..6).flat_map(|n: i32| (n * step).to_le_bytes()).collect();
        let offsets: Vec<u8> = [0u64, 3, 4, 5, 9, 10]
            .iter()
            .flat_map(|offset| offset.to_le_bytes())
            .collect();
        let texts = |name| FieldCells {
            offsets: Some(&offsets),
            ..field_cells(name, b"onetwofour!!")
        };
        let nullable = FieldCells {
            validity: Some(&[1, 0, 1, 1, 0, 1]),
            ..texts("texts")
        };
        let fields = [
            field_cells("d", &numbers),
            texts("t"),
            field_cells("plain", &plain),
            nullable,
        ];
        query.write(&fields).expect("write");
    }
}

/// The same merged, with notes of what was deleted, its commits in one file; and a delete after that, of what was there.
fn write_deleted(folder: &Path) {
    write_sparse(folder);
    let vfs = vfs();
    let uri = folder.to_str().expect("path");
    let delete = |condition: Condition| {
        let array = Array::new(&vfs, uri).expect("array");
        array.open(QueryType::Delete).expect("open");
        let mut query = Query::new(&Arc::new(array), QueryType::Delete).expect("query");
        query
            .set_condition(&Arc::new(condition))
            .expect("condition");
        query.delete().expect("delete");
    };
    let three = 3i32.to_le_bytes();
    let less = Condition::compare("plain", Operator::Le, Some(&three)).expect("condition");
    let two = Condition::compare("texts", Operator::Eq, Some(b"two")).expect("condition");
    let either = Arc::new(less).combine(&Arc::new(two), Combination::Or);
    delete(either.expect("condition"));
    for mode in ["fragments", "commits"] {
        let mut config = Config::new();
        config.set("sm.consolidation.mode", mode).expect("mode");
        config.set("sm.vacuum.mode", mode).expect("mode");
        maintain::consolidate(&vfs, uri, &config).expect("consolidated");
        maintain::vacuum(&vfs, uri, &config).expect("vacuumed");
    }
    let numbers: Vec<u8> = [16i32, 9].iter().flat_map(|n| n.to_le_bytes()).collect();
    let set = Condition::is_one_of("plain", Operator::In, &numbers, &[0, 4]);
    delete(set.expect("condition"));
}

/// All cells in row-major order, plain numbers first.
fn read_sparse(folder: &Path) -> tiledb_engine::Result<Cells> {
    let vfs = vfs();
    let array = Array::new(&vfs, folder.to_str().expect("path"))?;
    array.open(QueryType::Read)?;
    let array = Arc::new(array);
    let _ = array.non_empty_domain()?;
    let mut query = Query::new(&array, QueryType::Read)?;
    query.set_layout(TileLayout::RowMajor)?;
    let mut subarray = Subarray::new(query.schema());
    subarray.add_range(0, &2i32.to_le_bytes(), &60i32.to_le_bytes())?;
    query.set_subarray(&subarray)?;
    let (mut plain, mut numbers, mut texts) = (vec![0; 48], vec![0; 48], vec![0; 144]);
    let (mut offsets, mut validity) = (vec![0; 96], vec![0; 12]);
    let (mut names, mut name_offsets) = (vec![0; 144], vec![0; 96]);
    let field = |name, data| FieldBuffers {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    };
    let mut fields = [
        field("plain", &mut plain),
        field("d", &mut numbers),
        FieldBuffers {
            offsets: Some(&mut offsets),
            validity: Some(&mut validity),
            ..field("texts", &mut texts)
        },
        FieldBuffers {
            offsets: Some(&mut name_offsets),
            ..field("t", &mut names)
        },
    ];
    query.read(&mut fields)?;
    texts.extend(names);
    offsets.extend(name_offsets);
    Ok((plain, numbers, texts, offsets, validity))
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("folder") {
        let path = entry.expect("entry").path();
        if path.is_dir() {
            files(&path, found)
        } else {
            found.push(path)
        }
    }
}

/// What is left of bytes after each damage: a byte flipped by each of the masks, or the end cut off. Positions past the
/// first are looked at in steps of `every`.
fn damages<'a>(
    bytes: &'a [u8],
    masks: &'a [u8],
    every: usize,
) -> impl Iterator<Item = (String, Vec<u8>)> + 'a {
    let places = move || (0..bytes.len()).filter(move |at| *at < 48 || at % every == 0);
    let flips = places().flat_map(move |at| {
        masks.iter().map(move |mask| {
            let mut flipped = bytes.to_vec();
            flipped[at] ^= mask;
            (format!("byte {at} flipped by {mask:#x}"), flipped)
        })
    });
    let cuts = places().map(|len| (format!("cut to {len} bytes"), bytes[..len].to_vec()));
    flips.chain(cuts)
}

/// Reads what has a damaged file: never a panic, never memory out of proportion.
fn survive<T>(
    file: &Path,
    what: &str,
    read: impl Fn() -> tiledb_engine::Result<T>,
) -> tiledb_engine::Result<T> {
    LARGEST.store(0, Ordering::Relaxed);
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    let name = file.display();
    let Ok(outcome) = outcome else {
        panic!("{name}, {what}: a panic")
    };
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(
        largest <= MOST,
        "{name}, {what}: {largest} bytes asked for at once"
    );
    outcome
}

/// Damages the files of an array whose paths in it `damaged` picks, flipping bytes by each of `masks`. `vouched`: whether
/// checksums vouch for all but the plain numbers of it.
#[expect(clippy::print_stdout, reason = "what was tried")]
fn damage(
    write: fn(&Path),
    read: fn(&Path) -> tiledb_engine::Result<Cells>,
    vouched: fn(&str) -> bool,
    damaged: fn(&str) -> bool,
    masks: &[u8],
) {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("folder");
    let array = folder.path().join("array");
    write(&array);
    let whole = read(&array).expect("the array as written");
    let mut paths = Vec::new();
    files(&array, &mut paths);
    let (mut tried, mut refused) = (0, 0);
    for path in paths {
        let bytes = fs::read(&path).expect("file");
        let name = path.strip_prefix(&array).expect("a path in the array");
        let name = name.to_string_lossy();
        let data = vouched(&name);
        if !damaged(&name) {
            continue;
        }
        for (what, damaged) in damages(&bytes, masks, 1) {
            fs::write(&path, &damaged).expect("damage");
            tried += 1;
            match survive(&path, &what, || read(&array)) {
                Err(_) => refused += 1,
                // What checksums cover is right, or was refused. Nothing vouches for plain numbers.
                Ok(read) if data => {
                    assert_eq!(
                        (&read.1, &read.2, &read.3, &read.4),
                        (&whole.1, &whole.2, &whole.3, &whole.4),
                        "{}, {what}",
                        path.display()
                    );
                }
                Ok(_) => {}
            }
        }
        fs::write(&path, &bytes).expect("repair");
    }
    assert_eq!(read(&array).expect("the array repaired"), whole);
    println!("{tried} damages, {refused} refused, the others harmless");
    assert!(tried > 5_000 && refused > 0);
}

/// Cells with two labels: numbers with checksums, and texts.
fn write_labelled(folder: &Path) {
    let vfs = vfs();
    let uri = Uri::parse(folder.to_str().expect("path")).expect("uri");
    let mut domain = DomainDraft::default();
    let ends: Vec<u8> = [1i32, 6].iter().flat_map(|end| end.to_le_bytes()).collect();
    let extent = 4i32.to_le_bytes();
    let dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&extent));
    domain
        .dimensions
        .push(shared(dimension.expect("dimension")));
    let mut draft = SchemaDraft::new(ArrayType::Dense, None);
    draft.set_domain(&shared(domain)).expect("domain");
    let plain = attribute("plain", Datatype::Int32, &[]);
    draft.add_attribute(&shared(plain)).expect("attribute");
    for (name, datatype) in [
        ("numbers", Datatype::Int64),
        ("texts", Datatype::StringAscii),
    ] {
        let added = draft.add_label(0, name, DataOrder::Increasing, datatype);
        added.expect("a label");
        let checked = list(&[FilterType::Zstd, FilterType::ChecksumSha256]);
        draft.set_label_filters(name, checked).expect("filters");
    }
    let schema = draft.finish().expect("schema");
    array::create(&vfs, &uri, &schema, None).expect("create");
    let array = Array::new(&vfs, uri.as_str()).expect("array");
    array.open(QueryType::Write).expect("open");
    let mut query = Query::new(&Arc::new(array), QueryType::Write).expect("query");
    let plain: Vec<u8> = (0..6i32).flat_map(i32::to_le_bytes).collect();
    let numbers: Vec<u8> = (0..6i64).flat_map(|n| (n * 7).to_le_bytes()).collect();
    let offsets: Vec<u8> = [0u64, 1, 3, 4, 7, 9]
        .iter()
        .flat_map(|offset| offset.to_le_bytes())
        .collect();
    let texts = FieldCells {
        offsets: Some(&offsets),
        ..field_cells("texts", b"abbcdddeefff")
    };
    let fields = [
        field_cells("plain", &plain),
        field_cells("numbers", &numbers),
        texts,
    ];
    let mut subarray = Subarray::new(query.schema());
    let (first, last) = (1i32.to_le_bytes(), 6i32.to_le_bytes());
    subarray.add_range(0, &first, &last).expect("a range");
    query.set_subarray(&subarray).expect("subarray");
    query.write(&fields).expect("write");
}

/// What lies in a range of the number label: cells and texts together, and the numbers.
fn read_labelled(folder: &Path) -> tiledb_engine::Result<Cells> {
    let vfs = vfs();
    let array = Array::new(&vfs, folder.to_str().expect("path"))?;
    array.open(QueryType::Read)?;
    let mut query = Query::new(&Arc::new(array), QueryType::Read)?;
    let mut subarray = Subarray::new(query.schema());
    let ends = [0i64, 35].map(i64::to_le_bytes);
    subarray.add_label_range("numbers", &ends[0], &ends[1])?;
    query.set_subarray(&subarray)?;
    let (mut plain, mut numbers) = (vec![0; 24], vec![0; 48]);
    let (mut texts, mut offsets) = (vec![0; 12], vec![0; 48]);
    let field = |name, data| FieldBuffers {
        name,
        data: Some(data),
        offsets: None,
        validity: None,
    };
    let mut fields = [
        field("plain", &mut plain),
        field("numbers", &mut numbers),
        FieldBuffers {
            offsets: Some(&mut offsets),
            ..field("texts", &mut texts)
        },
    ];
    query.read(&mut fields)?;
    plain.extend(texts);
    plain.extend(offsets);
    Ok((plain, numbers, Vec::new(), Vec::new(), Vec::new()))
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Only one test counts memory at a time.
static ALONE: Mutex<()> = Mutex::new(());

#[test]
fn damage_of_dense_arrays_is_an_error_or_does_no_harm() {
    damage(
        write,
        read,
        |path| last(path).starts_with('a'),
        |_| true,
        &[0x01, 0x80, 0xff],
    );
}

#[test]
fn damage_of_sparse_arrays_is_an_error_or_does_no_harm() {
    let vouched = |path: &str| last(path).starts_with(['a', 'd']);
    damage(write_sparse, read_sparse, vouched, |_| true, &[0x81]);
}

#[test]
fn damage_of_deletes_is_an_error_or_does_no_harm() {
    // Nothing vouches for when a cell was written or deleted. Fields and schema are as above.
    let new = |path: &str| {
        let name = last(path);
        name.contains('.') && !["a0", "a1", "d0", "d1"].contains(&&name[..2])
    };
    damage(write_deleted, read_sparse, |_| false, new, &[0x81]);
}

#[test]
fn damage_of_labels_is_an_error_or_does_no_harm() {
    // The values of the first label are what its checksums say. Nothing vouches for the offsets of texts.
    let vouched = |path: &str| path.starts_with("__labels/l0/") && last(path).starts_with('a');
    let new = |path: &str| path.starts_with("__labels") || path.starts_with("__schema");
    damage(write_labelled, read_labelled, vouched, new, &[0x81]);
}
