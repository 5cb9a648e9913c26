//! `tiledb-rs`, a command-line tool for TileDB arrays and groups.
//!
//! A command parses its arguments (`args`), calls the public API of `tiledb-engine`, and prints its
//! result as text or JSON (`output`). Errors have one sentence, a hint and an exit code
//! (`problem`).

mod args;
mod cell_text;
mod columnar;
mod commands;
mod draw;
mod interrupt;
mod npy;
mod output;
mod picture;
mod problem;
mod progress;
mod selection;
mod table;
mod target_file;
#[cfg(feature = "view")]
mod view;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use tiledb_engine::{Config, Context};

use args::{Arguments, Command};
use output::Output;
use problem::{Problem, Result};

/// DataFusion frees large buffers on other threads than those that allocated them. The allocator of
/// the C library returns their pages to the system each time; this one reuses them.
#[cfg(feature = "sql")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let colors = std::io::stderr().is_terminal();
    match run(arguments) {
        Ok(code) => code,
        Err(problem) if problem.is_closed_pipe() => ExitCode::SUCCESS,
        Err(problem) => {
            let _ = write!(std::io::stderr(), "{}", problem.report(colors));
            problem.code()
        }
    }
}

/// Returns an error if no parameter has this name.
fn check_parameter_name(name: &str) -> Result<()> {
    let known = Config::parameters()
        .into_iter()
        .map(|parameter| parameter.name);
    let known: Vec<&str> = known.collect();
    let is_known = |known: &&str| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *known,
    };
    if known.iter().any(is_known) {
        return Ok(());
    }
    let last_part = name.rsplit('.').next().unwrap_or(name);
    let similar = known.into_iter().filter(|known| known.contains(last_part));
    let similar: Vec<&str> = similar.take(5).collect();
    let problem = Problem::usage(format!("there is no parameter '{name}'"));
    Err(problem.hint(if similar.is_empty() || last_part.is_empty() {
        "a parameter is named like sm.mem.total_budget or vfs.s3.region".to_owned()
    } else {
        format!("did you mean {}?", similar.join(" or "))
    }))
}

/// Sets the parameters and runs the command.
fn run(arguments: Arguments) -> Result<ExitCode> {
    let mut config = Config::new();
    for parameter in &arguments.config {
        let (name, value) = parameter.split_once('=').ok_or_else(|| {
            Problem::usage(format!("'{parameter}' is not a parameter"))
                .hint("write --config NAME=VALUE, such as --config sm.compute_concurrency_level=4")
        })?;
        check_parameter_name(name)?;
        config.set(name, value)?;
    }
    let output = &mut Output::new(arguments.json);
    let context = || Context::with_config(config.clone()).map_err(Problem::from);
    match arguments.command {
        Command::Completions { shell } => {
            let (mut command, mut text) = (Arguments::command(), Vec::new());
            // The generator panics if its writer fails, which memory does not.
            clap_complete::generate(shell, &mut command, "tiledb-rs", &mut text);
            output.text(&String::from_utf8_lossy(&text))?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            let mut text = Vec::new();
            clap_mangen::Man::new(Arguments::command()).render(&mut text)?;
            output.text(&String::from_utf8_lossy(&text))?;
            Ok(ExitCode::SUCCESS)
        }
        command => commands::run(command, &context()?, output),
    }
}
