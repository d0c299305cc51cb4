//! Raw identifiers for modules, globals, hooks, types.
#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(non_upper_case_globals, non_camel_case_types)]

#[tsrm::module]
mod r#mod {
    use tsrm::Attached;

    pub struct r#struct(pub u32);

    #[global]
    pub static r#static: r#struct = const { r#struct(1) };

    #[global]
    pub static r#type: r#struct = r#struct(2);

    #[shared]
    pub static r#async: r#struct = r#struct(3);

    #[shared(lazy)]
    pub static r#await: r#struct = r#struct(4);

    #[thread_shutdown]
    fn r#fn(r#in: Attached<'_>) {
        let _ = r#in;
    }
}

#[tsrm::main(r#mod)]
fn main(tsrm: tsrm::Runtime) {
    tsrm.attach(|here| {
        assert_eq!(r#mod::r#static.get(here).0 + r#mod::r#type.get(here).0, 3);
    });
    tsrm.attach(|here| assert_eq!(r#mod::r#async.get(here).0 + r#mod::r#await.get(here).0, 7));
    assert_eq!(format!("{:?}", r#mod::r#async), "Shared(mod::async)");
    let names: Vec<_> =
        tsrm.report().modules.iter().flat_map(|m| m.globals.clone()).map(|g| g.name).collect();
    assert_eq!(names, ["static", "type"]);
}
