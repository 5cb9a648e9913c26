//! `messages_capnp.rs` is what the compiler generates from `messages.capnp`. With
//! `TILEDB_RS_BLESS=1` the test writes the file. It is skipped if `capnp` is not installed.

use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn generated_code_equals_the_schema_of_messages() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let output = Command::new("capnp")
        .args(["compile", "-o-", "messages.capnp"])
        .current_dir(&folder)
        .output();
    let Ok(output) = output else {
        println!("skipped: the compiler `capnp` is not installed");
        return;
    };
    let problem = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problem}");
    let generated = tempfile::tempdir().expect("folder");
    capnpc::codegen::CodeGenerationCommand::new()
        .output_directory(generated.path())
        .run(output.stdout.as_slice())
        .expect("generated");
    let generated = generated.path().join("messages_capnp.rs");
    let generated = fs::read_to_string(generated).expect("generated");
    let path = folder.join("messages_capnp.rs");
    if std::env::var_os("TILEDB_RS_BLESS").is_some() {
        fs::write(&path, &generated).expect("written");
    }
    let committed = fs::read_to_string(&path).expect("committed");
    assert!(
        committed == generated,
        "messages_capnp.rs is not what `TILEDB_RS_BLESS=1 cargo test -p tiledb-messages` generates"
    );
}
