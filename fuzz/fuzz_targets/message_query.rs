#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tiledb_rs_fuzz::messages::query(bytes));
