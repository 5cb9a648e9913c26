//! Random requests of clients: both libraries respond alike, and delete the same fragments.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::path::Path;

use tiledb_engine::internal::config::Config;
use tiledb_engine::internal::serialization::{self as messages, MessageEncoding};
use tiledb_engine::internal::types::TimeRange;

use crate::arrays::schema::{self, ENUMERATED, LABELLED, SPARSE, WIDE_SPARSE};
use crate::arrays::write::Cells;
use crate::arrays::{DELETE, Done, MODIFY_EXCLUSIVE, OpenArray, READ, WRITE, c_path, text};
use crate::library::Library;
use crate::message::with_buffer;
use crate::message::{CAPNP, JSON, assert_same, is_single_segment, normal, take_buffer};
use crate::objects;
use crate::random::Random;

fn failed(error: tiledb_engine::Error) -> String {
    error.to_string()
}

/// The arrays that requests are about.
pub(crate) struct Arrays(Vec<CString>);

impl Arrays {
    /// Creates arrays with several fragments, one of them with three schemas.
    pub(crate) fn create(libraries: &[Library; 2], folder: &Path) -> Done<Self> {
        let mut uris = Vec::new();
        for (index, shape) in [ENUMERATED, WIDE_SPARSE, LABELLED, SPARSE]
            .into_iter()
            .enumerate()
        {
            let uri = c_path(&folder.join(format!("requested{index}")));
            let library = &libraries[index % 2];
            schema::create(library, &uri, shape)?;
            for time in 1..=5 {
                let cells = Cells::new(shape, 2 * time..4 * time + 3, time);
                cells.at(10 * time as u64).write(library, &uri)?;
            }
            uris.push(uri);
        }
        for (index, time) in [60u64, 70].into_iter().enumerate() {
            evolve(&libraries[index], &uris[0], index, time)?;
        }
        Ok(Self(uris))
    }

    fn one(&self, random: &mut Random) -> &CStr {
        &self.0[random.below(self.0.len() as u64) as usize]
    }
}

/// Adds an attribute and an enumeration to an array.
fn evolve(library: &Library, uri: &CStr, index: usize, time: u64) -> Done {
    let evolution = library.try_make("array_schema_evolution_alloc", &[])?;
    let name = CString::new(format!("added{index}")).expect("a name");
    let values = schema::colors(library, &name, &["one", "two"])?;
    let arguments = [evolution, values];
    library.attempt("array_schema_evolution_add_enumeration", &arguments)?;
    let attribute = schema::attribute(library, &name, schema::INT32)?;
    library.attempt("attribute_set_enumeration_name", &[attribute, text(&name)])?;
    let arguments = [evolution, attribute];
    library.attempt("array_schema_evolution_add_attribute", &arguments)?;
    let times = [evolution, time as usize, time as usize];
    library.attempt("array_schema_evolution_set_timestamp_range", &times)?;
    library.attempt("array_evolve", &[text(uri), evolution])?;
    library.free("array_schema_evolution_free", evolution);
    library.free("attribute_free", attribute);
    library.free("enumeration_free", values);
    Ok(())
}

/// Returns a configuration of a client.
fn config(random: &mut Random) -> Done<Config> {
    let mut config = Config::new();
    for name in [
        "rest.load_enumerations_on_array_open",
        "rest.load_enumerations_on_array_open_all_schemas",
    ] {
        let value = random.one_of(&["true", "false"]);
        config.set(name, value).map_err(failed)?;
    }
    Ok(config)
}

/// Returns a request with the name of the function that handles it.
fn request(random: &mut Random, encoding: MessageEncoding) -> Done<(&'static str, Vec<u8>)> {
    let config = config(random)?;
    let (name, message) = match random.below(3) {
        0 => {
            let known = ["colors", "added0", "added1", "none", ""];
            let mut names: Vec<&str> = known.to_vec();
            names.retain(|_| random.below(3) == 0);
            let message = messages::write_load_enumerations_request(&config, &names, encoding);
            ("load_enumerations", message)
        }
        // A message with a configuration only, as the request for a schema has it.
        1 => {
            let message = messages::write_vacuum_request(&config, encoding);
            ("load_array_schema", message)
        }
        _ => {
            let sizes = [0, 1, 500, 2000, 4000, 1 << 20, u64::MAX];
            let size = random.one_of(&sizes);
            let message = messages::write_consolidation_plan_request(&config, size, encoding);
            ("consolidation_plan", message)
        }
    };
    Ok((name, message.map_err(failed)?))
}

/// Compares the responses to a random request about an array.
pub(crate) fn check_request(libraries: &[Library; 2], arrays: &Arrays, seed: u64) -> Done {
    let random = &mut Random(seed);
    let uri = arrays.one(random);
    let time = random.one_of(&[15, 50, 65, 75]);
    for (encoding, form) in [
        (JSON, MessageEncoding::Json),
        (CAPNP, MessageEncoding::Capnp),
    ] {
        let (name, request) = request(&mut Random(random.0), form)?;
        let function = format!("handle_{name}_request");
        let responses = libraries.each_ref().map(|library| {
            let array = OpenArray::open(library, uri, READ, Some(time))?;
            let response = library.try_make("buffer_alloc", &[])?;
            let handled = with_buffer(library, &request, |buffer| {
                library.attempt(&function, &[array.handle, encoding, buffer, response])
            });
            let response = take_buffer(library, response);
            handled.map(|()| response)
        });
        let case = format!("{name} {encoding}, seed {seed}");
        match responses {
            [Ok(ours), Ok(theirs)] if encoding == JSON => {
                assert_same(&normal(&ours), &normal(&theirs), &case);
            }
            // The order of enumerations is that of a hash table in libtiledb.
            [Ok(ours), Ok(theirs)] if name == "consolidation_plan" => {
                if is_single_segment(&ours) && is_single_segment(&theirs) {
                    assert!(ours == theirs, "{case}");
                }
            }
            [Ok(_), Ok(_)] | [Err(_), Err(_)] => {}
            other => panic!("{case}: {other:?}"),
        }
    }
    Ok(())
}

/// Compares requests to open an array, of random configurations and query types, and what both
/// libraries read from them.
pub(crate) fn check_open(libraries: &[Library; 2], arrays: &Arrays, seed: u64) -> Done {
    for (from, to) in [(0, 1), (1, 0)] {
        let (from, to) = (&libraries[from], &libraries[to]);
        let random = &mut Random(seed);
        let uri = arrays.one(random);
        let mode = random.one_of(&[READ, WRITE, DELETE, MODIFY_EXCLUSIVE]);
        if mode == DELETE && uri == &*arrays.0[0] {
            // Cells of dense arrays cannot be deleted.
            return Ok(());
        }
        let config = objects::config(from, random);
        let array = from.try_make("array_alloc", &[text(uri)])?;
        from.attempt("array_set_config", &[array, config])?;
        let opened = from.attempt("array_open", &[array, mode]);
        if let Err(error) = opened {
            from.free("array_free", array);
            from.free("config_free", config);
            return Err(error);
        }
        let written = |library: &Library, array: usize, encoding: usize| {
            let buffer = library.try_make("serialize_array_open", &[array, encoding, 1])?;
            Ok::<_, String>(take_buffer(library, buffer))
        };
        let expected = normal(&written(from, array, JSON)?);
        for encoding in [JSON, CAPNP] {
            let message = written(from, array, encoding)?;
            let received = with_buffer(to, &message, |buffer| {
                to.try_make("deserialize_array_open", &[buffer, encoding, 0])
            })?;
            let again = normal(&written(to, received, JSON)?);
            assert_same(&again, &expected, &format!("{encoding} from {}", from.name));
            to.free("array_free", received);
        }
        from.attempt("array_close", &[array])?;
        from.free("array_free", array);
        from.free("config_free", config);
    }
    Ok(())
}

/// Sends requests for fragment information with random configurations.
pub(crate) fn check_fragment_info_request(
    libraries: &[Library; 2],
    arrays: &Arrays,
    seed: u64,
) -> Done {
    for (from, to) in [(0, 1), (1, 0)] {
        let (from, to) = (&libraries[from], &libraries[to]);
        let random = &mut Random(seed);
        let uri = arrays.one(random);
        let config = objects::config(from, random);
        let info = from.try_make("fragment_info_alloc", &[text(uri)])?;
        from.attempt("fragment_info_set_config", &[info, config])?;
        let written = |library: &Library, info: usize, encoding: usize| {
            let arguments = [info, encoding, 1];
            let buffer = library.try_make("serialize_fragment_info_request", &arguments)?;
            Ok::<_, String>(take_buffer(library, buffer))
        };
        let expected = normal(&written(from, info, JSON)?);
        for encoding in [JSON, CAPNP] {
            let message = written(from, info, encoding)?;
            let received = to.try_make("fragment_info_alloc", &[text(uri)])?;
            with_buffer(to, &message, |buffer| {
                let arguments = [buffer, encoding, 0, received];
                to.attempt("deserialize_fragment_info_request", &arguments)
            })?;
            let again = normal(&written(to, received, JSON)?);
            assert_same(&again, &expected, &format!("{encoding} from {}", from.name));
            to.free("fragment_info_free", received);
        }
        from.free("fragment_info_free", info);
        from.free("config_free", config);
    }
    Ok(())
}

/// Returns the names of the files in a folder of an array.
fn names(array: &Path, folder: &str) -> Done<BTreeSet<String>> {
    let entries = std::fs::read_dir(array.join(folder)).map_err(|error| error.to_string())?;
    let names = entries.map(|entry| {
        let entry = entry.map_err(|error| error.to_string())?;
        Ok(entry.file_name().to_string_lossy().into_owned())
    });
    names.collect()
}

fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Returns a request to delete fragments, with the name of the function that handles it.
fn deletion(
    random: &mut Random,
    fragments: &BTreeSet<String>,
    encoding: MessageEncoding,
) -> Done<(&'static str, Vec<u8>)> {
    let config = Config::new();
    if random.below(2) == 0 {
        let (start, end) = random.range_below(70);
        let times = TimeRange { start, end };
        let message = messages::write_delete_fragments_request(&config, times, encoding);
        return Ok(("delete_fragments_timestamps", message.map_err(failed)?));
    }
    let mut chosen: Vec<String> = fragments.iter().cloned().collect();
    chosen.retain(|_| random.below(2) == 0);
    let mut chosen: Vec<String> = chosen
        .into_iter()
        .map(|name| format!("__fragments/{name}"))
        .collect();
    if random.below(6) == 0 {
        let other = "__fragments/__1_1_00000000000000000000000000000001_22";
        chosen.push(other.to_owned());
    }
    let chosen: Vec<&str> = chosen.iter().map(String::as_str).collect();
    let message = messages::write_delete_fragments_list_request(&config, &chosen, encoding);
    Ok(("delete_fragments_list", message.map_err(failed)?))
}

/// Deletes random fragments of copies of an array, and compares what is left.
pub(crate) fn check_deletion(
    libraries: &[Library; 2],
    arrays: &Arrays,
    folder: &Path,
    seed: u64,
) -> Done {
    let random = &mut Random(seed);
    let uri = arrays.one(random).to_str().expect("a path").to_owned();
    let fragments = names(Path::new(&uri), "__fragments")?;
    // In other modes nothing is deleted.
    let modes = [
        MODIFY_EXCLUSIVE,
        MODIFY_EXCLUSIVE,
        MODIFY_EXCLUSIVE,
        READ,
        WRITE,
    ];
    let mode = random.one_of(&modes);
    for (encoding, form) in [
        (JSON, MessageEncoding::Json),
        (CAPNP, MessageEncoding::Capnp),
    ] {
        let (name, request) = deletion(&mut Random(random.0), &fragments, form)?;
        let function = format!("handle_array_{name}_request");
        let mut results = Vec::new();
        for library in libraries {
            let copy = folder.join(format!("copy-{}", library.name));
            copy_folder(Path::new(&uri), &copy).map_err(|error| error.to_string())?;
            let array = OpenArray::open(library, &c_path(&copy), mode, None)?;
            let handled = with_buffer(library, &request, |buffer| {
                library.attempt(&function, &[array.handle, encoding, buffer])
            });
            array.close()?;
            let left = [names(&copy, "__fragments")?, names(&copy, "__commits")?];
            results.push((handled.is_ok(), left));
            std::fs::remove_dir_all(&copy).map_err(|error| error.to_string())?;
        }
        assert_eq!(results[0], results[1], "{name} {encoding}, seed {seed}");
    }
    Ok(())
}

/// Returns the parameters of a configuration that select what is loaded with an array, with random
/// values.
pub(crate) fn loading(random: &mut Random) -> Vec<(&'static CStr, &'static CStr)> {
    let names = [
        c"rest.use_refactored_array_open",
        c"rest.use_refactored_array_open_and_query_submit",
        c"rest.load_enumerations_on_array_open",
        c"rest.load_metadata_on_array_open",
        c"rest.load_non_empty_domain_on_array_open",
    ];
    let values = names.map(|name| (name, random.one_of(&[c"true", c"false"])));
    values.to_vec()
}
