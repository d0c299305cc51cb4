//! All hooks, in the spellings that signatures have: elided, named, by an alias, `-> ()`, `mut`,
//! patterns, `const`, public, prefixed.
#![forbid(unsafe_code)]
#![deny(warnings)]

#[tsrm::module]
mod elided {
    use tsrm::{Attached, Error, Shutdown, Startup};

    #[module_startup]
    fn startup(_: &mut Startup<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[module_shutdown]
    const fn shutdown(_: &mut Shutdown<'_>) {}

    #[thread_startup]
    fn born(_: Attached<'_>) -> Result<(), Error> {
        Ok(())
    }

    #[thread_shutdown]
    fn dies(_: Attached<'_>) -> () {}

    #[request_startup]
    pub fn begin(mut _here: Attached<'_>) -> Result<(), Error> {
        Err("not now")?;
        Ok(())
    }

    #[request_shutdown]
    pub(crate) fn end(_here: Attached<'_>) {}
}

#[tsrm::module]
mod named {
    type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;
    type Here<'t> = tsrm::Attached<'t>;

    #[tsrm::module_startup]
    fn startup<'p>(phase: &mut tsrm::Startup<'p>) -> Outcome {
        phase.setting::<u8>("level")?;
        Ok(())
    }

    #[tsrm::module_shutdown]
    fn shutdown<'a, 'p>(_phase: &'a mut tsrm::Shutdown<'p>) {}

    #[tsrm::thread_startup]
    fn born<'t>(here: Here<'t>) -> Outcome {
        let _here: tsrm::Attached<'t> = here;
        Ok(())
    }

    #[tsrm::thread_shutdown]
    fn dies<'t>(_here: tsrm::Attached<'t>) {}
}

#[tsrm::main(elided, named)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|_here| ());
    assert!(matches!(tsrm.try_request(|_here| ()), Err(tsrm::RequestError::Hook(_))));
}
