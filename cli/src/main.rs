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

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use tiledb_engine::{Config, Context};

use args::{Arguments, Command};
use output::Output;
use problem::{Problem, Result};

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

fn run(arguments: Arguments) -> Result<ExitCode> {
    let mut config = Config::new();
    for parameter in &arguments.config {
        let (name, value) = parameter.split_once('=').ok_or_else(|| {
            Problem::usage(format!("'{parameter}' is not a parameter"))
                .hint("write --config NAME=VALUE, such as --config sm.compute_concurrency_level=4")
        })?;
        config.set(name, value)?;
    }
    let output = &mut Output::new(arguments.json);
    let context = || Context::with_config(config.clone()).map_err(Problem::from);
    match arguments.command {
        Command::Completions { shell } => {
            let mut command = Arguments::command();
            clap_complete::generate(shell, &mut command, "tiledb-rs", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Command::Man => {
            let page = clap_mangen::Man::new(Arguments::command());
            page.render(&mut std::io::stdout())?;
            Ok(ExitCode::SUCCESS)
        }
        command => commands::run(command, &context()?, output),
    }
}
