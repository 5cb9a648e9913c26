//! Fragments of libtiledb 2.30 are read and rewritten; new fragments are written from the first
//! tile to the commit.

use std::fs;
use std::io::IoSlice;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::open::dense_tile_num;
use super::{
    Announcement, FieldTiles, FieldWriter, FilePart, Fragment, FragmentLocation, FragmentMessage,
    FragmentOpener, FragmentWriter, TileStats, rtree_of,
};
use crate::config::Config;
use crate::context::Context;
use crate::error::Result;
use crate::format::names::{FragmentName, folders};
use crate::format::version::{self as v, FormatVersion};
use crate::schema::{ArraySchema, Attribute, Dimension, Domain, SchemaDraft};
use crate::types::{ArrayType, Datatype, Range, VAR_NUM, Value};
use crate::vfs::{FaultyStore, StoreLimits, Uri, Vfs};

fn vfs() -> Arc<Vfs> {
    Vfs::new(&Context::new(Config::new()).expect("context")).expect("vfs")
}

fn golden(array: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/golden").join(array)
}

fn only_entry(folder: PathBuf) -> PathBuf {
    let mut entries = fs::read_dir(folder).expect("folder").flatten();
    let files = entries.find(|entry| entry.file_name() != "__enumerations");
    files.expect("entry").path()
}

fn uri(path: &Path) -> Uri {
    Uri::parse(path.to_str().expect("text")).expect("uri")
}

fn dimension<T: Value>(
    name: &str,
    datatype: Datatype,
    low: T,
    high: T,
    extent: T,
) -> Arc<Dimension> {
    let mut bytes = vec![0; T::SIZE];
    extent.write(&mut bytes);
    let domain = Range::of(low, high);
    Arc::new(Dimension::new(name, datatype, domain.both(), Some(&bytes)).expect("dimension"))
}

fn attribute(name: &str, datatype: Datatype, cell_val_num: u32, nullable: bool) -> Arc<Attribute> {
    let mut attribute = Attribute::new(name, datatype);
    attribute.set_cell_val_num(cell_val_num).expect("values");
    attribute.set_nullable(nullable).expect("nullable");
    Arc::new(attribute)
}

/// Returns the schema of a golden array, with the name of its file.
fn schema(array: &str) -> Arc<ArraySchema> {
    let dense = array == "dense";
    let kind = if dense {
        ArrayType::Dense
    } else {
        ArrayType::Sparse
    };
    let mut schema = SchemaDraft::new(kind, None).snapshot();
    schema.name = only_entry(golden(array).join(folders::SCHEMAS))
        .file_name()
        .and_then(|name| name.to_str().map(str::to_owned))
        .expect("name");
    let dimensions = if dense {
        vec![
            dimension("y", Datatype::Int16, -1i16, 2, 2),
            dimension("x", Datatype::Int16, -1i16, 2, 2),
        ]
    } else {
        vec![
            dimension("i", Datatype::Int32, -100i32, 100, 10),
            dimension("r", Datatype::Float64, 0f64, 100.0, 10.0),
            Arc::new(Dimension::new("s", Datatype::StringAscii, None, None).expect("dimension")),
        ]
    };
    schema.domain = Domain {
        dimensions: dimensions.into(),
    };
    schema.attributes = if dense {
        vec![
            attribute("a", Datatype::Int32, 1, false),
            attribute("v", Datatype::StringAscii, VAR_NUM, false),
            attribute("n", Datatype::Float64, 1, true),
            attribute("u", Datatype::Uint8, 1, false),
        ]
    } else {
        vec![attribute("a", Datatype::Uint8, 1, false)]
    }
    .into();
    schema.capacity = 2;
    Arc::new(schema)
}

fn open(vfs: &Arc<Vfs>, folder: &Uri, schema: &Arc<ArraySchema>) -> Result<Fragment> {
    let known = |_: Option<&str>| Ok(schema.clone());
    let opening = FragmentOpener {
        view: &vfs.view(),
        key: None,
        common_schema: None,
        schema: &known,
    };
    let name = FragmentName::parse(folder.name()).expect("name");
    opening.open(None, FragmentLocation::of_folder(folder.clone(), name))
}

fn open_golden(vfs: &Arc<Vfs>, array: &str) -> (Fragment, PathBuf) {
    let folder = only_entry(golden(array).join(folders::FRAGMENTS));
    (
        open(vfs, &uri(&folder), &schema(array)).expect("fragment"),
        folder,
    )
}

/// Copies the stored tiles of a field and their statistics.
fn copy_field(from: &Fragment, to: &mut FieldWriter) {
    let slot = from.slot(to.name()).expect("slot");
    let stats = from.tile_stats(slot).expect("statistics").clone();
    for tile in 0..from.tile_num {
        for part in FilePart::ALL {
            if from.file_size(slot, part) == 0 {
                continue;
            }
            let range = from.stored_range(slot, part, tile, None).expect("range");
            let mut bytes = vec![0; (range.end - range.start) as usize];
            let file = from.file(slot, part).expect("file");
            file.read_at(range.start, &mut bytes).expect("tile");
            to.append(part, &mut [IoSlice::new(&bytes)])
                .expect("append");
            if part == FilePart::Var {
                to.add_var_size(from.var_size(slot, tile, None).expect("size"));
            }
        }
        to.add_stats(TileStats {
            min: stats.mins.get(tile).map(<[u8]>::to_vec),
            max: stats.maxs.get(tile).map(<[u8]>::to_vec),
            sum: stats.sums.get(tile as usize).map(|sum| sum.to_le_bytes()),
            null_count: stats.null_counts.get(tile as usize).copied().unwrap_or(0),
        })
        .expect("memory");
    }
}

fn copy(vfs: &Arc<Vfs>, from: &Fragment, array: &Uri) -> FragmentWriter {
    copy_as(vfs, from, &from.schema, array)
}

/// Copies a fragment in the format version of a schema.
fn copy_as(
    vfs: &Arc<Vfs>,
    from: &Fragment,
    schema: &Arc<ArraySchema>,
    array: &Uri,
) -> FragmentWriter {
    let timestamp = from.timestamps().start;
    let mut to =
        FragmentWriter::create(vfs, array, schema, from.footer.dense, Some(timestamp), None)
            .expect("fragment");
    for field in to.fields() {
        copy_field(from, field);
    }
    let rtree = from.rtree().expect("R-tree");
    for tile in 0..rtree.leaf_num() {
        let mbr = rtree.leaf(tile).expect("MBR").to_vec();
        let ends = from.order_bounds(tile as u64).expect("bounds");
        to.push_tile(mbr.clone(), ends.unwrap_or(mbr));
    }
    if from.footer.dense {
        to.set_non_empty_domain(
            from.footer
                .non_empty_domain
                .as_ref()
                .expect("domain")
                .clone(),
        );
    }
    to.set_last_tile_cell_num(from.footer.last_tile_cell_num);
    to
}

#[test]
fn a_rewritten_fragment_has_the_same_bytes() {
    let vfs = vfs();
    for array in ["dense", "sparse"] {
        let (from, folder) = open_golden(&vfs, array);
        let temporary = tempfile::tempdir().expect("folder");
        let written_uri = copy(&vfs, &from, &uri(temporary.path()))
            .finish()
            .expect("finished");
        for entry in fs::read_dir(&folder).expect("folder").flatten() {
            let expected = fs::read(entry.path()).expect("file");
            let written_uri = Path::new(written_uri.path()).join(entry.file_name());
            let written = fs::read(written_uri).expect("written file");
            assert!(
                written == expected,
                "{array}: {:?} differs",
                entry.file_name()
            );
        }
    }
}

/// Returns the folders of the fragments of the sparse arrays of format version 23 that another
/// library wrote. They are not part of the repository.
fn sparse_fragments_of_23() -> Vec<PathBuf> {
    let Some(root) = std::env::var_os("TILEDB_RS_COMPAT_DIR") else {
        return Vec::new();
    };
    let cases = fs::read_dir(Path::new(&root).join("v23")).expect("folder");
    let arrays = cases.flatten().map(|case| case.path().join("array"));
    let sparse = arrays.filter(|array| {
        let file = array.with_file_name("expect.json");
        let expected = fs::read_to_string(file).unwrap_or_default();
        expected.contains("\"array_type\": \"sparse\"") && !expected.contains("AES")
    });
    let folders = sparse.flat_map(|array| fs::read_dir(array.join(folders::FRAGMENTS)));
    let fragments = folders.flat_map(|folder| folder.flatten().map(|entry| entry.path()));
    fragments
        .filter(|folder| folder.to_str().is_some_and(|path| path.ends_with("_23")))
        .collect()
}

#[test]
fn rewritten_sparse_fragments_of_version_23_have_the_same_metadata() {
    let vfs = vfs();
    let mut compared = 0;
    for folder in sparse_fragments_of_23() {
        let array = folder.parent().and_then(Path::parent).expect("array");
        let schema = |name: Option<&str>| {
            let name = name.expect("a name");
            let file = uri(array).join(folders::SCHEMAS).join(name);
            let record = crate::tile::generic::read(&vfs.view(), &file, None)?;
            crate::format::schema::read(&record, name).map(Arc::new)
        };
        let opener = FragmentOpener {
            view: &vfs.view(),
            key: None,
            common_schema: None,
            schema: &schema,
        };
        let name = folder.file_name().and_then(|name| name.to_str());
        let name = name.and_then(FragmentName::parse).expect("a fragment");
        let location = FragmentLocation::of_folder(uri(&folder), name);
        let Ok(from) = opener.open(None, location) else {
            continue; // encrypted
        };
        let is_plain = !from.footer.has_timestamps && !from.footer.has_delete_metadata;
        if !is_plain || !from.processed_conditions().expect("conditions").is_empty() {
            continue;
        }
        let temporary = tempfile::tempdir().expect("folder");
        let written = copy(&vfs, &from, &uri(temporary.path())).finish();
        let written = written.expect("finished");
        let name = folders::FRAGMENT_METADATA_FILE;
        let [written, expected] = [PathBuf::from(written.path()), folder.clone()]
            .map(|folder| fs::read(folder.join(name)).expect("metadata"));
        assert!(written == expected, "{} differs", folder.display());
        compared += 1;
    }
    assert!(compared > 0 || std::env::var_os("TILEDB_RS_COMPAT_DIR").is_none());
}

#[test]
fn fragments_of_every_writable_version_can_be_opened() {
    let vfs = vfs();
    for version in v::WRITABLE.0..=FormatVersion::NEWEST.0 {
        for array in ["dense", "sparse"] {
            let (from, _) = open_golden(&vfs, array);
            let mut schema = ArraySchema::clone(&from.schema);
            schema.version = version;
            let schema = Arc::new(schema);
            let temporary = tempfile::tempdir().expect("folder");
            let written_uri = copy_as(&vfs, &from, &schema, &uri(temporary.path())).finish();
            let written_uri =
                written_uri.unwrap_or_else(|error| panic!("{array} {version}: {error}"));
            let read = open(&vfs, &written_uri, &schema);
            let read = read.unwrap_or_else(|error| panic!("{array} {version}: {error}"));
            assert_eq!(read.footer.head.version, FormatVersion(version));
            assert_eq!(
                read.footer.non_empty_domain.as_ref(),
                from.footer.non_empty_domain.as_ref()
            );
            assert_eq!(read.tile_num, from.tile_num);
            let has_bounds = version >= v::OPTIONAL_FOOTER_SECTIONS.0 && array == "sparse";
            let mbr = from.rtree().expect("R-tree").leaf(0).map(<[Range]>::to_vec);
            let bounds = read.order_bounds(0).expect("bounds");
            assert_eq!(bounds, mbr.filter(|_| has_bounds), "{array} {version}");
            for tile in 0..read.tile_num {
                let [one, other] = [&read, &from].map(|fragment| {
                    let slot = fragment.slot("a").expect("slot");
                    fragment
                        .stored_range(slot, FilePart::Fixed, tile, None)
                        .expect("range")
                });
                assert_eq!(one, other, "{array} {version}");
            }
        }
    }
}

#[test]
fn announced_tiles_load_the_offsets_that_the_memory_of_the_read_holds() {
    let context = Context::new(Config::new()).expect("context");
    let store = FaultyStore::new(StoreLimits::default());
    let vfs = Vfs::with_backend(&context, store.backend(&context)).expect("vfs");
    let from = only_entry(golden("sparse").join(folders::FRAGMENTS));
    let name = from.file_name().and_then(|name| name.to_str());
    let array = Uri::parse("s3://bucket/array").expect("uri");
    let to = array.join(folders::FRAGMENTS).join(name.expect("name"));
    for file in fs::read_dir(&from).expect("folder").flatten() {
        let name = file.file_name();
        let bytes = fs::read(file.path()).expect("file");
        vfs.write_all(&to.join(name.to_str().expect("name")), &bytes)
            .expect("write");
    }
    for window in [Some(1), None] {
        let fragment = Arc::new(open(&vfs, &to, &schema("sparse")).expect("fragment"));
        assert!(fragment.is_remote() && fragment.tile_num > 1);
        let field = fragment.schema.stored_field("a").expect("field");
        let tiles = FieldTiles::open(&fragment, &field).expect("tiles");
        let tiles = tiles.expect("field").with_windows(window);
        let mut announced = Announcement::default();
        for tile in 0..fragment.tile_num {
            announced.add(&tiles, tile, |_| true).expect("announce");
        }
        announced.load(&fragment).expect("load");
        let sections = fragment.slot_sections(tiles.slot).expect("sections");
        let offsets = &sections.tile_offsets[FilePart::Fixed as usize];
        assert_eq!(offsets.get().is_some(), window.is_none());
    }
}

#[test]
fn a_dense_fragment_has_the_written_properties() {
    let vfs = vfs();
    let (fragment, _) = open_golden(&vfs, "dense");
    assert!(fragment.footer.dense);
    assert_eq!((fragment.tile_num, fragment.cell_num()), (4, 16));
    let whole = vec![Range::of(-1i16, 2), Range::of(-1i16, 2)];
    assert_eq!(fragment.footer.non_empty_domain.as_ref(), Some(&whole));
    assert_eq!(
        fragment.slot("y"),
        None,
        "dense fragments store no dimension"
    );
    assert_eq!(fragment.slot("nothing"), None);
    let nullable = fragment.slot("n").expect("slot");
    let stats = fragment.tile_stats(nullable).expect("statistics");
    assert_eq!(stats.null_counts, [4, 1, 0, 0]);
    let whole = fragment
        .field_stats(nullable)
        .expect("statistics")
        .expect("some");
    assert_eq!((f64::read(&whole.max), whole.null_count), (3.75, 5));
    let text = fragment.slot("v").expect("slot");
    let stats = fragment.tile_stats(text).expect("statistics");
    assert_eq!(stats.maxs.get(3), Some(b"ppp".as_slice()));
    assert_eq!(fragment.rtree().expect("R-tree").leaf_num(), 0);
}

#[test]
fn a_sparse_fragment_has_an_mbr_for_each_tile() {
    let vfs = vfs();
    let (fragment, _) = open_golden(&vfs, "sparse");
    assert_eq!((fragment.tile_num, fragment.cell_num()), (13, 25));
    let rtree = fragment.rtree().expect("R-tree");
    assert_eq!((rtree.levels.len(), rtree.leaf_num()), (3, 13));
    let domain = fragment.footer.non_empty_domain.as_ref().expect("domain");
    assert_eq!(rtree.levels[0].ranges, *domain);
    assert_eq!(domain[0], Range::of(-20i32, 29));
    assert_eq!(domain[2], Range::var(b"a", b"ggg"));
}

#[test]
fn an_unfinished_fragment_leaves_no_files() {
    let vfs = vfs();
    let (from, _) = open_golden(&vfs, "dense");
    let temporary = tempfile::tempdir().expect("folder");
    let array = uri(temporary.path());
    let folder = array.join(folders::FRAGMENTS);
    drop(copy(&vfs, &from, &array));
    assert_eq!(vfs.list(&folder).expect("listing"), []);
    let mut short = copy(&vfs, &from, &array);
    short.fields()[0]
        .append(FilePart::Fixed, &mut [IoSlice::new(b"one more")])
        .expect("append");
    let error = short.finish().expect_err("a tile too many");
    assert!(
        error.to_string().contains("has 5 tiles, the fragment 4"),
        "{error}"
    );
    assert_eq!(vfs.list(&folder).expect("listing"), []);
    assert_eq!(
        vfs.list(&array.join(folders::COMMITS)).expect("listing"),
        []
    );
}

#[test]
fn damaged_metadata_never_panics_and_truncated_metadata_is_an_error() {
    let vfs = vfs();
    for array in ["dense", "sparse"] {
        let schema = schema(array);
        let source = only_entry(golden(array).join(folders::FRAGMENTS));
        let temporary = tempfile::tempdir().expect("folder");
        let folder = temporary.path().join(source.file_name().expect("name"));
        fs::create_dir(&folder).expect("folder");
        let file = folder.join(folders::FRAGMENT_METADATA_FILE);
        let whole = fs::read(source.join(folders::FRAGMENT_METADATA_FILE)).expect("file");
        let read_all = |bytes: &[u8]| -> Result<()> {
            fs::write(&file, bytes).expect("file");
            let fragment = open(&vfs, &uri(&folder), &schema)?;
            fragment.rtree()?;
            fragment.processed_conditions()?;
            for name in ["a", "v", "n", "i", "s"] {
                let Some(slot) = fragment.slot(name) else {
                    continue;
                };
                fragment.field_stats(slot)?;
                fragment.tile_stats(slot)?;
                for tile in 0..fragment.tile_num.min(100) {
                    fragment.stored_range(slot, FilePart::Fixed, tile, None)?;
                    fragment.stored_range(slot, FilePart::Var, tile, None)?;
                    fragment.var_size(slot, tile, None)?;
                }
            }
            Ok(())
        };
        read_all(&whole).expect("undamaged");
        for offset in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[offset] ^= 1 << (offset % 8);
            // The damaged byte may not be read here, so success is possible; only a panic is not.
            let _ = read_all(&bytes);
            if offset % 7 == 0 {
                let cut = read_all(&whole[..offset]);
                assert!(cut.is_err(), "{array} cut at {offset}");
            }
        }
    }
}

#[test]
fn too_many_tiles_to_count_yield_none() {
    let whole = Range::of(0u64, u64::MAX);
    let mut schema = ArraySchema::clone(&schema("dense"));
    // Such a dimension cannot be created, but a file can contain it.
    let mut dimension = Dimension::clone(&dimension("d", Datatype::Uint64, 0u64, 9, 1));
    dimension.domain = Some(whole.clone());
    schema.domain.dimensions = vec![Arc::new(dimension)].into();
    assert_eq!(dense_tile_num(&schema, Some(&vec![whole])), None);
    let less = Range::of(1u64, u64::MAX);
    assert_eq!(dense_tile_num(&schema, Some(&vec![less])), Some(u64::MAX));
}

#[test]
fn a_missing_fragment_is_an_error_that_names_it() {
    let vfs = vfs();
    let folder = uri(Path::new(
        "/nowhere/__1_1_00000000000000000000000000000000_22",
    ));
    let error = open(&vfs, &folder, &schema("dense")).expect_err("nothing there");
    assert!(error.is_missing_file(), "{error}");
    assert!(error.to_string().contains("/nowhere/__1_1"));
}

#[test]
fn tiles_without_an_mbr_are_an_error() {
    let vfs = vfs();
    let (fragment, folder) = open_golden(&vfs, "sparse");
    let last = fragment.tile_num - 1;
    fragment.mbr(last).expect("the last MBR");
    let rtree = rtree_of(fragment.mbr(0).expect("an MBR").to_vec(), &fragment.schema);
    let received = FragmentMessage {
        uri: uri(&folder),
        name: fragment.name().clone(),
        schema: fragment.schema.clone(),
        footer: fragment.footer.clone(),
        rtree: Some(rtree),
        size: None,
        consolidated: false,
    };
    let received = Fragment::of_message(&vfs, None, received).expect("fragment");
    received.mbr(0).expect("the first MBR");
    let error = received.mbr(last).expect_err("no MBR").to_string();
    assert!(error.contains("has none for tile"), "{error}");
}
