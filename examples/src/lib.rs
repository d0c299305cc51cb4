//! Small programs that show how to use the crate `tsrm`. They are in the folder `examples/`; this
//! library is empty, since a package must have one.
//!
//! Every program runs in both modes, prints which one it was built in, and asserts its result:
//!
//! ```text
//! cargo run -p tsrm-examples --example first_global
//! cargo run -p tsrm-examples --example first_global --no-default-features
//! ```
//!
//! | example | what it shows |
//! |---|---|
//! | `first_global` | two globals, and a function that reaches them |
//! | `file_module` | a module in a file of its own |
//! | `request_loop` | worker threads that handle requests, and a watchdog that interrupts one |
//! | `lifecycle` | all six hooks, settings, faults, shutdown, reports |
//! | `tokio_recipe` | globals in the tasks of tokio |
//! | `rayon_recipe` | globals in the jobs of a rayon pool |
#![forbid(unsafe_code)]
