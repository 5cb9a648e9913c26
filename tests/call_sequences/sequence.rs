//! One sequence: objects in typical states, then calls.

use std::ffi::{CString, c_void};
use std::fmt::Write as _;
use std::path::Path;

use crate::arguments::{Arguments, Handles};
use crate::arrays::TestFolder;
use crate::library::Library;
use crate::memory::Memory;
use crate::prepare;
use crate::random::Random;
use crate::signature::{self, Function, Kind};
use crate::workers::Session;

/// The maximum number of calls of a sequence.
const CALLS: u64 = 60;

/// Functions that most others depend on. One call in four is one of these.
const FREQUENT: [&str; 16] = [
    "array_close",
    "array_create",
    "array_open",
    "array_schema_add_attribute",
    "array_schema_set_domain",
    "query_finalize",
    "query_set_condition",
    "query_set_data_buffer",
    "query_set_layout",
    "query_set_offsets_buffer",
    "query_set_subarray_t",
    "query_set_validity_buffer",
    "query_submit",
    "query_submit",
    "query_submit_and_finalize",
    "subarray_add_range",
];

/// The state that all sequences of a worker share.
pub(crate) struct World {
    library: Library,
    folder: TestFolder,
    functions: Vec<(Function, *mut c_void)>,
}

impl World {
    pub(crate) fn new(library: &Library) -> Self {
        let folder = TestFolder::new("calls");
        let functions = signature::all().into_iter().map(|function| {
            let name = CString::new(format!("tiledb_{}", function.name)).expect("a name");
            // SAFETY: looks up a name in a library that is loaded.
            let symbol = unsafe { libc::dlsym(library.handle, name.as_ptr()) };
            assert!(!symbol.is_null(), "{name:?} is missing");
            (function, symbol)
        });
        let functions = functions.collect();
        let library = library.with_context(&[]);
        prepare::write_templates(&library, &folder.path().join("templates"));
        Self {
            library,
            folder,
            functions,
        }
    }

    /// Runs the sequence of a seed.
    pub(crate) fn run(&self, session: &Session) {
        let folder = self.folder.path().join(session.seed().to_string());
        prepare::copy(&self.folder.path().join("templates"), &folder);
        // Relative paths are below the folder of the sequence.
        std::env::set_current_dir(&folder).expect("a folder");
        let mut random = Random(session.seed());
        random.next();
        let mut memory = Memory::default();
        let mut handles = Handles::new();
        session.run("prepare", || {
            prepare::handles(
                &self.library,
                &folder,
                &mut memory,
                &mut handles,
                &mut random,
            );
            Ok(())
        });
        for _ in 0..CALLS {
            let (function, symbol) = self.pick(&handles, &mut random);
            self.call(
                session,
                &folder,
                function,
                *symbol,
                (&mut memory, &mut handles, &mut random),
            );
        }
        self.free_all(session, &mut handles, &mut random);
        std::env::set_current_dir(self.folder.path()).expect("a folder");
        // Files that cannot be removed are removed with the folder of the worker.
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Picks a function, preferably one whose handles exist.
    fn pick(&self, handles: &Handles, random: &mut Random) -> &(Function, *mut c_void) {
        if random.below(4) == 0 {
            let name = random.one_of(&FREQUENT);
            let found = self
                .functions
                .iter()
                .find(|(function, _)| function.name == name);
            return found.expect("a function of the header");
        }
        let mut picked = &self.functions[0];
        for _ in 0..4 {
            picked = &self.functions[random.below(self.functions.len() as u64) as usize];
            let possible = picked
                .0
                .parameters
                .iter()
                .all(|parameter| match &parameter.kind {
                    Kind::Handle(handle_type) => handles
                        .get(handle_type)
                        .is_some_and(|handles| !handles.is_empty()),
                    Kind::HandleOut(handle_type) if picked.0.frees() => handles
                        .get(handle_type)
                        .is_some_and(|handles| handles.len() > 3),
                    _ => true,
                });
            if possible {
                break;
            }
        }
        picked
    }

    fn call(
        &self,
        session: &Session,
        folder: &Path,
        function: &Function,
        symbol: *mut c_void,
        (memory, handles, random): (&mut Memory, &mut Handles, &mut Random),
    ) {
        // The string must be freed by the function for it.
        if matches!(
            function.name.as_str(),
            "stats_free_str" | "consolidation_plan_free_json_str"
        ) {
            return;
        }
        let mut arguments = Arguments {
            handles,
            memory,
            random,
            folder: folder.to_str().expect("a path in UTF-8"),
        };
        let values: Vec<usize> = function
            .parameters
            .iter()
            .map(|parameter| arguments.make(function, parameter))
            .collect();
        if session.is_verbose() {
            let mut line = format!("{}(", function.name);
            for (parameter, value) in function.parameters.iter().zip(&values) {
                let _ = write!(line, "{} = {value:#x}, ", parameter.name);
            }
            println!("{line})");
        }
        session.run(&function.name, || {
            // SAFETY: the arguments have the types of the prototype.
            let code = unsafe { call(symbol, &values) };
            if code == 0 {
                Ok(())
            } else {
                Err(format!("code {code}"))
            }
        });
        if function.frees() {
            return;
        }
        for (parameter, value) in function.parameters.iter().zip(values) {
            if let Kind::HandleOut(handle_type) = &parameter.kind {
                let made = memory.read(value);
                if made != 0 {
                    handles.entry(handle_type.clone()).or_default().push(made);
                }
            }
        }
    }

    /// Frees all handles, with their types in random order.
    fn free_all(&self, session: &Session, handles: &mut Handles, random: &mut Random) {
        while !handles.is_empty() {
            let types: Vec<String> = handles.keys().cloned().collect();
            let handle_type = &types[random.below(types.len() as u64) as usize];
            let freed = handles.remove(handle_type).unwrap_or_default();
            let free = self.functions.iter().find(|(function, _)| {
                let mut kinds = function.parameters.iter().map(|parameter| &parameter.kind);
                function.frees() && kinds.any(|kind| *kind == Kind::HandleOut(handle_type.clone()))
            });
            let Some((function, symbol)) = free else {
                continue;
            };
            for mut handle in freed {
                let pointer = std::ptr::from_mut(&mut handle) as usize;
                let values = function
                    .parameters
                    .iter()
                    .map(|parameter| match &parameter.kind {
                        Kind::HandleOut(_) => pointer,
                        _ => self.library.ctx,
                    });
                let values: Vec<usize> = values.collect();
                session.run(&function.name, || {
                    // SAFETY: the handle has the type that the function frees, and was not freed.
                    unsafe { call(*symbol, &values) };
                    Ok(())
                });
            }
        }
    }
}

/// Calls a function of up to 12 parameters. The calling conventions of Linux ignore surplus
/// arguments.
///
/// # Safety
///
/// The values must be valid arguments of the function.
unsafe fn call(symbol: *mut c_void, values: &[usize]) -> i32 {
    type Any = unsafe extern "C" fn(
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
        usize,
    ) -> i32;
    let mut all = [0usize; 12];
    all[..values.len()].copy_from_slice(values);
    let [a, b, c, d, e, f, g, h, i, j, k, l] = all;
    // SAFETY: the caller guarantees valid arguments; integers and pointers are passed alike.
    unsafe {
        let function = std::mem::transmute::<*mut c_void, Any>(symbol);
        function(a, b, c, d, e, f, g, h, i, j, k, l)
    }
}
