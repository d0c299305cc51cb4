//! What a request writes is collected here.

// Around all items of the file. What `#[tsrm::module(…)]` takes is written inside, as
// `#![module(name = "…")]`; without it the module is called like the file.
tsrm::file_module! {
    use std::cell::RefCell;

    use tsrm::{Attached, Error};

    /// What the running request has written.
    #[global]
    static BUFFER: RefCell<String> = const { RefCell::new(String::new()) };

    /// A request that panicked may have left something behind.
    #[request_startup]
    fn begin(here: Attached<'_>) -> Result<(), Error> {
        BUFFER.with_borrow_mut(here, String::clear);
        Ok(())
    }

    /// Adds to the page of this request.
    pub(crate) fn write(here: Attached<'_>, text: &str) {
        BUFFER.with_borrow_mut(here, |buffer| buffer.push_str(text));
    }

    /// Takes the page of this request.
    pub(crate) fn finish(here: Attached<'_>) -> String {
        BUFFER.get(here).take()
    }
}
