//! `cargo zts-vs-nts`: what thread safety costs, measured.
//!
//! Each subcommand is a module that decides what is measured and how it is judged. What they
//! share:
//!
//! - [`builds`] builds a workload in both modes, [`workload`] runs it, [`callgrind`] counts its
//!   instructions; [`measure`] does all of that, round by round;
//! - [`rounds`] makes one number of many rounds, [`targets`] judges it;
//! - [`table`] and [`report`] print, [`json`] writes the results, and [`machine`] says where they come
//!   from.

#![forbid(unsafe_code)]

mod access;
mod builds;
mod callgrind;
mod json;
mod lifecycle;
mod locks;
mod machine;
mod measure;
mod report;
mod rounds;
mod stats;
mod table;
mod targets;
mod workload;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measures what thread safety costs: thread-safe (ZTS) against single-threaded (NTS) builds
#[derive(Debug, Parser)]
#[command(bin_name = "cargo zts-vs-nts", args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,

    /// Without a command: those of `access`.
    #[command(flatten)]
    access: access::Options,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The cost of reaching a global, of attaching, and of an interpreter made of globals (default)
    Access(access::Options),
    /// The cost of shared values, and of modules and resources that come and go while threads run
    Lifecycle(lifecycle::Options),
    /// The cost of counting in statistics, by one thread and by many, and whether counts are lost
    Stats(stats::Options),
    /// The cost of locks: free ones, and ones that many threads want; and how long these wait
    Locks(locks::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match arguments.command {
        Some(Command::Access(options)) => access::run(&options),
        Some(Command::Lifecycle(options)) => lifecycle::run(&options),
        Some(Command::Stats(options)) => stats::run(&options),
        Some(Command::Locks(options)) => locks::run(&options),
        None => access::run(&arguments.access),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The chain of causes; a backtrace would say nothing to a user.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
