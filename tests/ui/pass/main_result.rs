//! `#[tsrm::main]` with a result, attributes, and no modules.
#![forbid(unsafe_code)]
#![deny(warnings)]

use std::process::{ExitCode, Termination};

#[tsrm::main]
#[allow(clippy::unnecessary_wraps)]
fn main(tsrm: tsrm::Runtime) -> Result<impl Termination, Box<dyn std::error::Error>> {
    let text = tsrm.try_attach(|here| format!("{here:?}"))?;
    assert_eq!(text, "Attached");
    Ok(ExitCode::SUCCESS)
}
