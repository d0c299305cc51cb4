//! ATTACK: a shared value that a startup hook fills, twice at once.
#![forbid(unsafe_code)]

#[tsrm::module]
mod executor {
    use tsrm::{Error, Startup};

    #[shared]
    pub static NAMES: Vec<String> = vec![String::from("a")];

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        let first = &phase.shared(&NAMES)[0];
        phase.shared_mut(&NAMES).clear();
        println!("{first}");
        let one = phase.shared_mut(&NAMES);
        let other = phase.shared_mut(&NAMES);
        one.append(other);
        Ok(())
    }
}

fn main() {}
