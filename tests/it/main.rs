//! Behaviour inside one process. Stories of a process's start and end are in `process/`, programs that
//! must not compile in `ui/`, machine code in `shape.rs`.
//!
//! What users of such systems ran into elsewhere, and what shows that it does not happen here:
//!
//! | went wrong | shown by |
//! |---|---|
//! | a dead thread's entry found by a reused id | `threads::ten_thousand_one_after_another` |
//! | constructors run on another thread, or under a lock | `access::a_constructor_that_reads_its_own_global` (it attaches), `hooks::hooks_may_do_anything`; a value is built by the thread that asks for it, there is no other way |
//! | cleanup of other threads' TLS lost | `threads::*`: built equals dropped equals hooks |
//! | a thread that never unregistered breaks the shutdown | `threads::threads_that_end_in_all_ways`, process story `stragglers` |
//! | a destructor touches dead TLS | `teardown::destructors_may_not_use_globals`, `threads::attaches_from_tls_destructors`, story `pthread_keys` |
//! | shutdown with a live thread: use after free, or waits for ever | stories `stragglers`, `shutdown_waits` |
//! | a signal on an unmanaged thread | story `signals` |
//! | a panic in a TLS destructor aborts | `teardown::destructors_that_panic`, story `faults` |
//! | the main thread's destructors are skipped | stories `main_returns`, `main_macro`, `exit` |
//! | state missing on threads born late | every `#[global]` has an initialiser (`ui/`); `access::the_globals_change_hands` |
//! | one thread's exit frees what others use | `threads::one_of_four_exits`, `each_thread::a_reader_holds_back_the_drop` |
//! | one hash bucket for all threads | there is no hash; `threads::thousands_at_once` |
//! | a thread is expensive to start | story `footprint`, and `cargo zts-vs-nts access` |
//! | a reused slot shows the old value; values not dropped; must be `Send` | `access::values_are_fresh_after_detach` (an `Rc` among them) |
//! | re-entrant initialisation | `access::a_constructor_that_reads_its_own_global` |
//! | fork from a threaded process | stories `fork_*` |
//! | the token smuggled out, guards dropped out of order | `ui/escape`, `ui/send`; there is no guard |
//! | a single-threaded promise that nobody enforced | `access::a_second_thread`, story `fork_by_a_stranger` |

mod access;
mod each_thread;
mod hooks;
mod model;
mod requests;
mod shared;
mod teardown;
mod threads;

#[test]
fn mode() {
    // The CI compares this line with the mode that it asked for.
    println!("mode: {}", tsrm::MODE);
    assert_eq!(tsrm::SINGLE_THREADED, tsrm::MODE == "NTS");
}
