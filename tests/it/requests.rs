//! Requests and their interrupts.

use std::sync::mpsc;

use tsrm::{Interrupt, RequestError, Runtime};

#[tsrm::module]
mod requests {}

#[tsrm::test(requests)]
fn serials(tsrm: Runtime) {
    let thread = tsrm.attach(|here| here.thread());
    assert_eq!(thread.request(), None);
    for expected in 1..=3 {
        let serial = tsrm.request(|here| {
            assert_eq!(here.thread().request(), Some(expected));
            thread.request()
        });
        assert_eq!(serial, Some(expected));
        assert_eq!(thread.request(), None);
    }
    // A new registration counts from the start, under a new number.
    let id = thread.id();
    tsrm.detach().unwrap();
    tsrm.request(|here| {
        assert_eq!(here.thread().request(), Some(1));
        assert!(here.thread().id() > id);
    });
    assert_eq!(thread.request(), None);
}

#[tsrm::test(requests)]
fn no_request_in_a_request(tsrm: Runtime) {
    tsrm.request(|here| {
        let error = tsrm.try_request(|_| ()).unwrap_err();
        assert!(matches!(error, RequestError::Nested));
        assert_eq!(here.thread().request(), Some(1));
    });
    // In an attach it is fine.
    tsrm.attach(|here| {
        tsrm.request(|_| ());
        assert_eq!(here.thread().request(), None);
    });
}

#[tsrm::test(requests)]
fn an_interrupt_hits_its_request_only(tsrm: Runtime) {
    let reason = Interrupt::custom(99);
    let thread = tsrm.attach(|here| here.thread());
    assert!(!thread.interrupt(0, reason), "there is no request");
    assert!(!thread.interrupt(1 << 56, reason), "there is no request");
    tsrm.request(|here| {
        let serial = thread.request().unwrap();
        assert!(!here.interrupted());
        assert!(!thread.interrupt(serial + 1, reason));
        assert!(!thread.interrupt(serial - 1, reason));
        // Serials that lose bits on their way into the word.
        assert!(!thread.interrupt(serial + (1 << 56), reason));
        assert!(!thread.interrupt(u64::MAX, reason));
        assert!(!here.interrupted());
        assert!(thread.interrupt(serial, reason));
        assert!(!thread.interrupt(serial, Interrupt::TIME_LIMIT), "one at a time");
        assert!(here.interrupted());
        assert_eq!(here.take_interrupt(), Some(reason));
        assert_eq!(here.take_interrupt(), None);
        assert!(thread.interrupt(serial, Interrupt::TIME_LIMIT));
        // Not taken: forgotten at the end.
    });
    let late = thread.request();
    tsrm.request(|here| {
        assert_eq!(late, None);
        assert!(!here.interrupted());
        assert!(!thread.interrupt(1, reason), "a late one is a no-op");
        assert!(!here.interrupted());
    });
    tsrm.attach(|here| assert_eq!(here.take_interrupt(), None));
}

#[tsrm::test(requests)]
fn a_watchdog_on_another_thread(tsrm: Runtime) {
    let (begun, has_begun) = mpsc::channel::<(tsrm::ThreadHandle, u64)>();
    let watchdog = std::thread::spawn(move || {
        let (thread, serial) = has_begun.recv().unwrap();
        assert!(thread.interrupt(serial, Interrupt::TIME_LIMIT));
    });
    let reason = tsrm.request(|here| {
        let thread = here.thread();
        let serial = thread.request().unwrap();
        begun.send((thread, serial)).unwrap();
        while !here.interrupted() {
            std::hint::spin_loop();
        }
        here.take_interrupt()
    });
    assert_eq!(reason, Some(Interrupt::TIME_LIMIT));
    watchdog.join().unwrap();
}

#[tsrm::test(requests)]
fn late_interrupts_hit_nothing(tsrm: Runtime) {
    let rounds = 20_000;
    let (begun, has_begun) = mpsc::sync_channel::<Option<(tsrm::ThreadHandle, u64)>>(1);
    // Interrupts each request when it has probably ended, and says how often it had not.
    let watchdog = std::thread::spawn(move || {
        let mut hits = 0;
        while let Ok(Some((thread, serial))) = has_begun.recv() {
            hits +=
                u64::from(thread.interrupt(serial, Interrupt::custom((serial % 200) as u8 + 16)));
        }
        hits
    });
    let mut seen = 0;
    for _ in 0..rounds {
        tsrm.request(|here| {
            let thread = here.thread();
            let serial = thread.request().unwrap();
            begun.send(Some((thread, serial))).unwrap();
            if let Some(reason) = here.take_interrupt() {
                assert_eq!(reason, Interrupt::custom((serial % 200) as u8 + 16));
                seen += 1;
            }
        });
        tsrm.attach(|here| assert!(!here.interrupted()));
    }
    begun.send(None).unwrap();
    assert!(watchdog.join().unwrap() >= seen);
}

#[test]
#[should_panic(expected = "interrupt codes below 16")]
fn own_codes_are_refused() {
    let _ = Interrupt::custom(3);
}
