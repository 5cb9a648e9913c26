#![no_main]

use tiledb_engine::internal::filter::FilterType;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| tiledb_rs_fuzz::values(FilterType::Xor, bytes));
