//! Behaviour inside one process. Stories of a process's start and end are in `process/`.

mod access;
mod each_thread;
mod hooks;
mod model;
mod requests;
mod teardown;
mod threads;

#[test]
fn mode() {
    // The CI compares this line with the mode that it asked for.
    println!("mode: {}", tsrm::MODE);
    assert_eq!(tsrm::SINGLE_THREADED, tsrm::MODE == "NTS");
}
