//! All operations of a program on an existing array or group.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::Path;

use crate::arrays::maintenance::{self, MODES};
use crate::arrays::schema::INT64;
use crate::arrays::{MODIFY_EXCLUSIVE, OpenArray, OpenGroup, READ, WRITE, c_path, text};
use crate::cells::{self, Handle, Request, Shape};
use crate::expectation::Expectation;
use crate::library::{Library, Parameter, address};
use crate::single_operations::{
    aggregate, delete_cells, dump, fragment_info, metadata, non_empty_domain, read_label,
};
use crate::source::Source;
use crate::workers::Session;

pub(crate) const ROW_MAJOR: usize = 0;
const COL_MAJOR: usize = 1;
const GLOBAL_ORDER: usize = 2;
pub(crate) const UNORDERED: usize = 3;

/// The configuration of all contexts: few threads, because each uses address space.
pub(crate) const PARAMETERS: [Parameter<'_>; 3] = [
    (c"sm.compute_concurrency_level", c"2"),
    (c"sm.io_concurrency_level", c"2"),
    (c"sm.vacuum.min_age_ms", c"0"),
];

/// Returns the library with a context for objects with this key.
pub(crate) fn context(library: &Library, key: Option<&CStr>) -> Context {
    Context(
        match key {
            None => Library {
                ctx: library.ctx,
                ..*library
            },
            Some(key) => {
                let encryption = [
                    (c"sm.encryption_type", c"AES_256_GCM"),
                    (c"sm.encryption_key", key),
                ];
                library.with_context(&[&PARAMETERS[..], &encryption].concat())
            }
        },
        key.is_some(),
    )
}

/// A library with a context, which is freed on drop if it is not that of the session.
pub(crate) struct Context(Library, bool);

impl std::ops::Deref for Context {
    type Target = Library;

    fn deref(&self) -> &Library {
        &self.0
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        if self.1 {
            self.0.free("ctx_free", self.0.ctx);
        }
    }
}

/// Runs all operations on a damaged object.
pub(crate) fn run(
    session: &Session,
    library: &Library,
    source: &Source,
    object: &Path,
    expectation: Option<&Expectation>,
) {
    let key = source.key_text();
    let library = context(library, key.as_deref());
    let on = Target {
        session,
        library: &library,
        uri: c_path(object),
        expectation,
    };
    on.look_at_folder();
    if source.is_group {
        on.run_group();
        for member in ["arr1", "arr2"] {
            let member = Target {
                uri: c_path(&object.join(member)),
                ..on
            };
            member.run_reads();
        }
        on.remove_group();
        return;
    }
    on.run_reads();
    on.run_maintenance();
    // The results of maintenance on damaged files are read as well; any cells are accepted.
    let after = Target {
        expectation: None,
        uri: on.uri.clone(),
        ..on
    };
    after.run_reads();
    after.run_changes();
}

struct Target<'a> {
    session: &'a Session,
    library: &'a Library,
    uri: CString,
    expectation: Option<&'a Expectation>,
}

impl Target<'_> {
    fn attempt(&self, operation: &str, function: &str, arguments: &[usize]) {
        self.session
            .run(operation, || self.library.attempt(function, arguments));
    }

    fn look_at_folder(&self) {
        extern "C" fn visit(_path: *const c_char, _kind: u32, _data: *mut c_void) -> i32 {
            1
        }
        let (uri, visit) = (text(&self.uri), visit as *const () as usize);
        let mut kind = 0u32;
        self.attempt("object_type", "object_type", &[uri, address(&mut kind)]);
        self.attempt("object_ls", "object_ls", &[uri, visit, 0]);
        self.attempt("object_walk", "object_walk", &[uri, 0, visit, 0]);
    }

    fn run_reads(&self) {
        self.session
            .run("fragment info", || fragment_info(self.library, &self.uri));
        self.session.run("schema", || {
            let make = "array_schema_load";
            let schema = Handle::make(self.library, make, &[text(&self.uri)], "array_schema_free")?;
            dump(self.library, "array_schema_dump_str", &[schema.raw])
        });
        let opened = self.session.run("open", || {
            let array = OpenArray::open(self.library, &self.uri, READ, None)?;
            let make = "array_get_schema";
            let schema = Handle::make(self.library, make, &[array.handle], "array_schema_free")?;
            let shape = Shape::of(self.library, schema.raw)?;
            Ok((array, schema, shape))
        });
        if let Some((array, schema, shape)) = opened {
            self.inspect(&array, schema.raw);
            self.read_layouts(&array, &shape);
            self.read_conditions(&array, &shape);
            self.aggregate(&array, &shape);
            self.read_labels(&array, schema.raw);
            self.session.run("close", || array.close());
        }
        self.session.run("open at an earlier time", || {
            let array = OpenArray::open(self.library, &self.uri, READ, Some(1_795_222_755_400))?;
            array.close()
        });
    }

    /// Calls all getters of an open array except reads of cells.
    fn inspect(&self, array: &OpenArray<'_>, schema: usize) {
        let library = self.library;
        let array = array.handle;
        self.attempt("enumerations", "array_load_all_enumerations", &[array]);
        self.attempt(
            "enumerations",
            "array_load_enumerations_all_schemas",
            &[array],
        );
        self.session
            .run("dump", || dump(library, "array_schema_dump_str", &[schema]));
        self.session
            .run("metadata", || metadata(library, "array", array));
        self.session.run("consolidation plan", || {
            let make = "consolidation_plan_create_with_mbr";
            let plan = Handle::make(library, make, &[array, 1 << 20], "consolidation_plan_free")?;
            let mut text = std::ptr::null_mut::<c_char>();
            let dumped = [plan.raw, address(&mut text)];
            library.attempt("consolidation_plan_dump_json_str", &dumped)?;
            library.call("consolidation_plan_free_json_str", &[address(&mut text)]);
            Ok(())
        });
    }

    fn read_layouts(&self, array: &OpenArray<'_>, shape: &Shape) {
        let domain = self
            .session
            .run("non-empty domain", || non_empty_domain(self.library, array));
        let domain = domain.flatten();
        let layouts = if shape.sparse {
            [ROW_MAJOR, UNORDERED, GLOBAL_ORDER]
        } else {
            [ROW_MAJOR, COL_MAJOR, GLOBAL_ORDER]
        };
        for layout in layouts {
            let request = Request {
                layout,
                subarray: domain.as_deref().filter(|_| !shape.sparse),
                condition: None,
                fields: &shape.fields,
            };
            let read = self.read(&format!("read in layout {layout}"), array, &request);
            let wrong = read.and_then(|read| self.expectation?.violated_by(&read));
            if let Some(field) = wrong.filter(|_| layout == ROW_MAJOR) {
                self.session.find(&format!(
                    "wrong cells of {field}, whose files have checksums or did not change"
                ));
            }
        }
        // The last cell along each dimension, and each field separately.
        for field in shape.fields.iter().take(4) {
            let request = Request {
                layout: ROW_MAJOR,
                subarray: domain.as_deref(),
                condition: None,
                fields: std::slice::from_ref(field),
            };
            self.read("read of one field", array, &request);
        }
    }

    fn read(
        &self,
        operation: &str,
        array: &OpenArray<'_>,
        request: &Request<'_>,
    ) -> Option<cells::Delivered> {
        let read = self
            .session
            .run(operation, || cells::read(self.library, array, request))?;
        for rule in &read.broken {
            self.session.find(rule);
        }
        Some(read)
    }

    fn read_conditions(&self, array: &OpenArray<'_>, shape: &Shape) {
        const OPERATORS: [usize; 4] = [0, 3, 4, 5];
        let domain = non_empty_domain(self.library, array).ok().flatten();
        for (index, field) in shape.attributes().enumerate().take(3) {
            let value = [1u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            let value = if field.is_var() {
                &b"m"[..]
            } else {
                value.get(..field.size).unwrap_or(&value)
            };
            let request = Request {
                layout: ROW_MAJOR,
                subarray: domain.as_deref().filter(|_| !shape.sparse),
                condition: Some((&field.name, value, OPERATORS[index])),
                fields: &shape.fields,
            };
            self.read("read with a condition", array, &request);
        }
    }

    fn aggregate(&self, array: &OpenArray<'_>, shape: &Shape) {
        const OPERATORS: [&str; 5] = ["min", "max", "sum", "mean", "null_count"];
        let domain = non_empty_domain(self.library, array).ok().flatten();
        let domain = domain.as_deref().filter(|_| !shape.sparse);
        for field in shape.attributes().take(4) {
            for operator in OPERATORS {
                let skipped = match operator {
                    "null_count" => !field.nullable,
                    "sum" | "mean" => field.is_var() || field.datatype > 9,
                    _ => false,
                };
                if !skipped {
                    self.session.run(operator, || {
                        aggregate(self.library, array, domain, field, operator)
                    });
                }
            }
        }
    }

    /// Reads ranges of dimension labels.
    fn read_labels(&self, array: &OpenArray<'_>, schema: usize) {
        let mut count = 0u64;
        let get = "array_schema_get_dimension_label_num";
        let counted = self.library.attempt(get, &[schema, address(&mut count)]);
        for index in 0..count.min(4) as usize {
            if counted.is_ok() {
                self.session.run("read of a label", || {
                    read_label(self.library, array, schema, index)
                });
            }
        }
    }

    fn run_maintenance(&self) {
        let consolidate = |mode: &str| {
            self.session.run(&format!("consolidate {mode}"), || {
                maintenance::consolidate(self.library, &self.uri, mode, &[])
            });
        };
        let vacuum = |mode: &str| {
            self.session.run(&format!("vacuum {mode}"), || {
                maintenance::vacuum(self.library, &self.uri, mode, &[])
            });
        };
        // Vacuum first, because it uses the lists of the damaged array.
        for mode in MODES {
            vacuum(mode);
        }
        for mode in ["fragment_meta", "array_meta", "commits", "fragments"] {
            consolidate(mode);
        }
        for mode in MODES {
            vacuum(mode);
        }
        vacuum("garbage");
    }

    fn run_changes(&self) {
        let (library, uri) = (self.library, text(&self.uri));
        self.session
            .run("delete cells", || delete_cells(library, &self.uri));
        self.session.run("write metadata", || {
            let array = OpenArray::open(library, &self.uri, WRITE, None)?;
            let value = 7i64;
            let value = std::ptr::from_ref(&value) as usize;
            library.attempt(
                "array_put_metadata",
                &[array.handle, text(c"k"), INT64, 1, value],
            )?;
            array.close()
        });
        self.attempt("upgrade", "array_upgrade_version", &[uri, 0]);
        self.session.run("evolve", || {
            let make = "array_schema_evolution_alloc";
            let evolution = Handle::make(library, make, &[], "array_schema_evolution_free")?;
            let attribute = [text(c"added"), INT64];
            let attribute = Handle::make(library, "attribute_alloc", &attribute, "attribute_free")?;
            let add = [evolution.raw, attribute.raw];
            library.attempt("array_schema_evolution_add_attribute", &add)?;
            library.attempt("array_evolve", &[uri, evolution.raw])
        });
        self.attempt(
            "delete fragments",
            "array_delete_fragments_v2",
            &[uri, 0, 1_795_222_755_400],
        );
        self.attempt("delete array", "array_delete", &[uri]);
    }

    fn run_group(&self) {
        let library = self.library;
        let opened = self
            .session
            .run("open group", || OpenGroup::open(library, &self.uri, READ));
        if let Some(group) = opened {
            let handle = group.handle;
            self.session.run("members", || {
                crate::arrays::state::members(library, &group).map(drop)
            });
            self.session.run("member by name", || {
                let (mut uri, mut kind) = (0usize, 0u32);
                let arguments = [
                    handle,
                    text(c"first"),
                    address(&mut uri),
                    address(&mut kind),
                ];
                library.attempt("group_get_member_by_name_v2", &arguments)?;
                crate::arrays::state::string(library, uri);
                Ok(())
            });
            self.session
                .run("group metadata", || metadata(library, "group", handle));
            self.session.run("dump group", || {
                let mut made = 0usize;
                let arguments = [handle, address(&mut made), 1];
                library.attempt("group_dump_str_v2", &arguments)?;
                crate::arrays::state::string(library, made);
                Ok(())
            });
            self.session.run("close group", || group.close());
        }
        self.session.run("consolidate group", || {
            maintenance::consolidate_group(library, &self.uri)
        });
        self.session.run("vacuum group", || {
            maintenance::vacuum_group(library, &self.uri, &[])
        });
        self.session.run("change members", || {
            let group = OpenGroup::open(library, &self.uri, WRITE)?;
            let add = [group.handle, text(c"sub"), 1, text(c"again")];
            library.attempt("group_add_member", &add)?;
            library.attempt("group_remove_member", &[group.handle, text(c"first")])?;
            group.close()
        });
    }

    fn remove_group(&self) {
        self.look_at_folder();
        self.session.run("remove group", || {
            let group = OpenGroup::open(self.library, &self.uri, MODIFY_EXCLUSIVE)?;
            let delete = [group.handle, text(&self.uri), 1];
            self.library.attempt("group_delete_group", &delete)
        });
        self.attempt("object_remove", "object_remove", &[text(&self.uri)]);
    }
}
