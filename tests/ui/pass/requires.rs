//! `requires`: as an argument of the attribute and in a file, with names of either kind, beside other
//! arguments; and what hooks see of the modules that theirs requires.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module(requires = ["out", "scanner"], name = "execute", crate = ::tsrm,)]
mod executor {
    use std::sync::RwLock;

    use tsrm::{Error, Shutdown, Startup};

    use super::output::LINES;
    use super::scanner::WORDS;

    #[shared]
    pub static NAMES: Vec<String> = Vec::new();

    #[module_startup]
    fn startup(phase: &mut Startup<'_>) -> Result<(), Error> {
        let words = phase.shared(&WORDS).clone();
        phase.shared(&LINES).write().map_err(|_| "poisoned")?.push(words[0].clone());
        *phase.shared_mut(&NAMES) = words;
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(phase: &mut Shutdown<'_>) {
        let lines: &RwLock<Vec<String>> = phase.shared(&LINES);
        assert_eq!(*lines.read().unwrap(), phase.shared(&NAMES)[..1]);
    }
}

mod scanner {
    tsrm::file_module! {
        #![module(requires = ["out"])]

        #[shared(lazy)]
        pub(crate) static WORDS: Vec<String> = vec![String::from("a"), String::from("b")];
    }
}

#[tsrm::module(name = "out", requires = [])]
mod output {
    use std::sync::RwLock;

    #[shared]
    pub static LINES: RwLock<Vec<String>> = RwLock::new(Vec::new());
}

#[tsrm::main(executor, scanner, output)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(*executor::NAMES.get(here), ["a", "b"]);
        assert_eq!(scanner::WORDS.get(here).len(), 2);
        assert_eq!(*output::LINES.get(here).read().unwrap(), ["a"]);
    });
    tsrm.detach().unwrap();
}
