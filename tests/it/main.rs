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
//! | a plugin is unloaded under a thread that uses it | `grace::the_rest_follows_the_last_thread_to_leave`, `load::ten_thousand_lives_of_one_module_under_busy_threads` |
//! | an unload waits for ever for a thread that sleeps | `grace::a_thread_that_sleeps_delays_nothing_but_its_own` |
//! | two unloads wait for each other | `grace::meanwhile::two_threads_retire_what_the_other_one_holds` |
//! | what another module needs is unloaded, or comes up too late | `grace::a_module_that_is_needed_stays`, `modules::requirements_order_everything` |
//! | a late module is unknown to the threads that run, or is set up for them by another one | `modules::threads_at_rest_meet_a_late_module_at_their_next_attach`, `modules::threads_in_an_attach_meet_a_late_module_at_its_first_use` |
//! | a late module fails on one thread and is half there | `modules::a_late_thread_startup_that_fails_*` |
//! | a freed id finds its successor's values | `resources::places_are_used_again_and_ids_are_not` |
//! | freeing an id runs other threads' destructors on the caller's | `resources::released_values_go_at_depth_0_of_their_own_thread` |
//! | a table grows under a reader | `resources::ten_thousand_of_them_while_somebody_looks` |
//! | shared state is freed under a thread that a shutdown did not wait for | `shared::a_straggler_keeps_what_it_may_have_seen` |
//! | modules and ids that come and go eat up memory | `load::a_thousand_thousand_resources_need_no_memory`, `load::thousands_of_lives_of_modules_need_no_memory` |

mod access;
mod each_thread;
mod embedding;
mod grace;
mod hooks;
mod lifecycle_model;
mod load;
mod model;
mod modules;
mod requests;
mod resources;
mod settle;
mod shared;
mod statistics;
mod teardown;
mod threads;

#[test]
fn mode() {
    // The CI compares this line with the mode that it asked for.
    println!("mode: {}", tsrm::MODE);
    assert_eq!(tsrm::SINGLE_THREADED, tsrm::MODE == "NTS");
}
