//! ATTACK: the token in an error, by `?`.
#![forbid(unsafe_code)]

use tsrm::Attached;

#[derive(Debug)]
struct Failed<'t>(Attached<'t>);

impl std::fmt::Display for Failed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Failed<'_> {}

#[tsrm::main]
fn main(tsrm: tsrm::Runtime) {
    let failed: Result<(), Box<dyn std::error::Error>> = tsrm.attach(|here| {
        Err(Failed(here))?;
        Ok(())
    });
    drop(failed);
}
