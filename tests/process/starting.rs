//! Starts that fail, starts that succeed, handles that have outlived their runtime.

use std::cell::Cell;
use std::time::Duration;

use tsrm::Runtime;

#[tsrm::module]
mod good {
    use super::*;

    #[global]
    pub static COUNT: Cell<u32> = Cell::new(0);

    #[module_startup]
    fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        println!("{} up, level {}", phase.module(), phase.setting("level")?.unwrap_or(0u32));
        Ok(())
    }

    #[module_shutdown]
    fn shutdown(phase: &mut tsrm::Shutdown<'_>) {
        assert!(phase.stragglers().is_empty());
        println!("{} down", phase.module());
    }
}

#[tsrm::module]
mod bad {
    #[module_startup]
    fn startup(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        phase.setting::<u32>("level").inspect_err(|error| println!("bad: {error}")).map(drop)
    }

    #[module_shutdown]
    fn shutdown(_phase: &mut tsrm::Shutdown<'_>) {
        println!("bad down: must not happen");
    }
}

#[tsrm::module]
mod panics {
    #[module_startup]
    fn startup(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        panic!("no start")
    }
}

#[tsrm::module]
mod nosy {
    use super::*;

    #[module_startup]
    fn startup(_phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error> {
        let error = good::COUNT.try_with(|_| ()).unwrap_err();
        println!("attach in startup: {error}");
        assert!(Runtime::start([]).is_err());
        Ok(())
    }
}

mod elsewhere {
    #[tsrm::module(name = "good")]
    pub(super) mod other {}
}

fn main() {
    let none = good::COUNT.try_with(|_| ()).unwrap_err();
    // There is no handle yet; a stale one is got below.
    println!("before: {none}");
    println!("with: {}", good::COUNT.try_with(|_| ()).unwrap_err());
    println!("current: {:?}", Runtime::current());

    let start = |modules: &[tsrm::Module]| Runtime::start(modules.iter().copied());
    println!("twice: {}", start(&[good::MODULE, good::MODULE]).unwrap_err());
    println!("one name: {}", start(&[good::MODULE, elsewhere::other::MODULE]).unwrap_err());
    let unknown = Runtime::builder().module(good::MODULE).set("bad.color", "red").start();
    println!("setting: {}", unknown.unwrap_err());
    let misspelt = Runtime::builder().module(good::MODULE).set("good.levle", 3).start();
    println!("misspelt: {}", misspelt.unwrap_err());
    let failing = Runtime::builder().modules([good::MODULE, bad::MODULE]).set("bad.level", "high");
    println!("failing: {}", failing.start().unwrap_err());
    println!("panicking: {}", start(&[good::MODULE, panics::MODULE]).unwrap_err());
    println!("current: {:?}", Runtime::current());

    let builder = Runtime::builder().modules([good::MODULE, nosy::MODULE]);
    let first = builder.set("good.level", 3).start().unwrap();
    assert_eq!(Runtime::current(), Some(first));
    println!("again: {}", start(&[good::MODULE]).unwrap_err());
    first.attach(|here| {
        good::COUNT.set(here, 1);
        println!("attached: {}", good::COUNT.get(here).get());
    });
    assert!(first.shutdown(Duration::ZERO).unwrap().is_clean());
    println!("stale: {}", first.try_attach(|_| ()).unwrap_err());
    println!("stale shutdown: {}", first.shutdown(Duration::ZERO).unwrap_err());

    let second = start(&[good::MODULE, nosy::MODULE]).unwrap();
    println!("stale still: {}", first.try_attach(|_| ()).unwrap_err());
    second.attach(|here| assert_eq!(good::COUNT.get(here).get(), 0));
    println!("registered stale: {}", first.try_attach(|_| ()).unwrap_err());
    second.attach(|here| good::COUNT.set(here, 2));
    println!("stale detach: {}", first.detach().unwrap_err());
    first.detach_after(|| ());
    second.attach(|here| assert_eq!(good::COUNT.get(here).get(), 2));
    second.attach(|_| {
        println!("nested stale: {}", first.try_attach(|_| ()).unwrap_err());
        println!("inside: {}", second.shutdown(Duration::ZERO).unwrap_err());
    });
    assert!(second.shutdown(Duration::MAX).unwrap().is_clean());
}
