//! The program of each target: the name of the program selects the function.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tiledb_rs_fuzz::run(env!("CARGO_BIN_NAME"), bytes));
