//! Random metadata of arrays and groups.

use std::ffi::{CStr, CString};
use std::path::Path;

use crate::arrays::schema::{self, SPARSE};
use crate::arrays::{Done, OpenArray, OpenGroup, READ, WRITE, c_path, text};
use crate::library::Library;
use crate::message::{CAPNP, JSON, assert_same, normal, with_buffer};
use crate::objects::sent;
use crate::random::Random;

/// Puts random metadata with each library, and sends it to the other one, whose array is open for
/// writing.
pub(crate) fn check_metadata(libraries: &[Library; 2], folder: &Path, seed: u64) -> Done {
    let uri = c_path(&folder.join("array"));
    if !folder.join("array").exists() {
        schema::create(&libraries[0], &uri, SPARSE)?;
    }
    for (from, to) in [(0, 1), (1, 0)] {
        let (from, to) = (&libraries[from], &libraries[to]);
        let array = OpenArray::open(from, &uri, WRITE, Some(5))?;
        put_metadata(from, "array", array.handle, &mut Random(seed))?;
        for encoding in [JSON, CAPNP] {
            let message = sent(from, "array_metadata", &[array.handle, encoding])?;
            let json = sent(from, "array_metadata", &[array.handle, JSON])?;
            let other = OpenArray::open(to, &uri, WRITE, Some(5))?;
            with_buffer(to, &message, |buffer| {
                let arguments = [other.handle, encoding, buffer];
                to.attempt("deserialize_array_metadata", &arguments)
            })?;
            let again = sent(to, "array_metadata", &[other.handle, JSON])?;
            assert_same(&normal(&again), &normal(&json), from.name);
            let copied = sent(to, "array_metadata", &[other.handle, encoding])?;
            assert!(copied == message, "bytes from {}", from.name);
        }
    }
    Ok(())
}

/// Stores random metadata of a group, sends it with each library, and stores it in other groups
/// with each. libtiledb drops the changes of a group that it serializes.
pub(crate) fn check_group_metadata(libraries: &[Library; 2], folder: &Path, seed: u64) -> Done {
    let [ours, _] = libraries;
    let create = |name: &str| {
        let path = folder.join(format!("{name}{seed}"));
        let uri = c_path(&path);
        let created = ours.attempt("group_create", &[text(&uri)]);
        created.map(|()| (path, uri))
    };
    let remove = |path: &Path| std::fs::remove_dir_all(path).map_err(|error| error.to_string());
    let (path, uri) = create("group")?;
    let group = OpenGroup::open(ours, &uri, WRITE)?;
    put_metadata(ours, "group", group.handle, &mut Random(seed))?;
    group.close()?;
    let written = |library: &Library, uri: &CStr, encoding: usize| {
        let group = OpenGroup::open(library, uri, READ)?;
        sent(library, "group_metadata", &[group.handle, encoding])
    };
    let expected = normal(&written(ours, &uri, JSON)?);
    for from in libraries {
        assert_same(&normal(&written(from, &uri, JSON)?), &expected, from.name);
        for encoding in [JSON, CAPNP] {
            let message = written(from, &uri, encoding)?;
            for to in libraries {
                let (other_path, other) = create("other")?;
                let group = OpenGroup::open(to, &other, WRITE)?;
                with_buffer(to, &message, |buffer| {
                    let arguments = [group.handle, encoding, buffer];
                    to.attempt("deserialize_group_metadata", &arguments)
                })?;
                group.close()?;
                let stored = normal(&written(ours, &other, JSON)?);
                let case = format!("{encoding} from {} in {}", from.name, to.name);
                assert_same(&stored, &expected, &case);
                remove(&other_path)?;
            }
        }
    }
    remove(&path)
}

/// Puts metadata of random datatypes, and deletes a key.
fn put_metadata(library: &Library, family: &str, handle: usize, random: &mut Random) -> Done {
    for index in 0..random.below(6) {
        let key = CString::new(format!("k\u{e4}\"{index}")).expect("key");
        let datatypes = [0, 1, 2, 3, 4, 5, 6, 8, 10, 11, 12, 25, 33, 40, 41];
        let datatype: usize = random.one_of(&datatypes);
        let sizes = [4, 8, 4, 8, 1, 1, 1, 2, 8, 1, 1, 8, 8, 1, 1];
        let type_index = datatypes.iter().position(|known| *known == datatype);
        let number = random.below(9) as usize;
        let size = number * sizes[type_index.expect("known")];
        let value: Vec<u8> = (0..size).map(|_| random.next() as u8).collect();
        let start = value.as_ptr() as usize;
        let put = [handle, text(&key), datatype, number, start];
        library.attempt(&format!("{family}_put_metadata"), &put)?;
    }
    let delete = format!("{family}_delete_metadata");
    library.attempt(&delete, &[handle, text(c"gone")])
}
