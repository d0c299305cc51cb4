//! From the description of a module to its items.
//!
//! The user's items stay where they were, those of its `static`s that are values as the items of
//! [`value`]; the module's own ones follow them. Their names are mangled, since the user's
//! expressions stand among them.

mod value;

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{AttrStyle, Path};

use crate::mistakes::Mistakes;
use crate::parse::{
    self, Arguments, BodyItem, FileModule, HookItem, HookKind, ModuleBody, ValueKind,
};

/// `#[tsrm::module] mod name { … }`
pub(crate) fn attribute(tokens: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let mut arguments = Arguments::default();
    arguments.parse(tokens, &mut mistakes);
    let Some((module, items)) = mistakes.check(parse::inline_module(item.clone())) else {
        return quote! { #mistakes #item };
    };
    arguments.check_requirements(Some(&module.ident), &mut mistakes);
    let body = ModuleBody::parse(items, &mut mistakes);
    let contents = contents(&arguments, &body);
    let (visibility, unsafety, name) = (&module.vis, &module.unsafety, &module.ident);
    let is_outer = |style: &AttrStyle| matches!(style, AttrStyle::Outer);
    let (outer, inner): (Vec<_>, Vec<_>) = module.attrs.iter().partition(|a| is_outer(&a.style));
    quote! {
        #mistakes

        #(#outer)*
        #visibility #unsafety mod #name {
            #(#inner)*
            #contents
        }
    }
}

/// `tsrm::file_module! { … }`
pub(crate) fn function(tokens: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let FileModule { mut arguments, items } = FileModule::parse(tokens, &mut mistakes);
    arguments.check_requirements(None, &mut mistakes);
    let body = ModuleBody::parse(items, &mut mistakes);
    let contents = contents(&arguments, &body);
    quote! { #mistakes #contents }
}

/// Where the expansion finds the library.
pub(crate) fn library(krate: Option<&Path>) -> Path {
    krate.cloned().unwrap_or_else(|| syn::parse_quote!(::tsrm))
}

fn contents(arguments: &Arguments, body: &ModuleBody) -> TokenStream {
    let tsrm = library(arguments.krate.as_ref());
    let items = body.items.iter().map(|item| match item {
        BodyItem::Other(item) => quote! { #item },
        BodyItem::Value(index) => {
            value::items(&tsrm, &body.values[*index], body.imports_statistics)
        }
    });
    let descriptor = descriptor(&tsrm, arguments, body);
    quote! {
        #(#items)*
        #descriptor
    }
}

/// The module's own items.
fn descriptor(tsrm: &Path, arguments: &Arguments, body: &ModuleBody) -> TokenStream {
    let name = match &arguments.name {
        Some(name) => quote! { #name },
        None => quote! { #tsrm::private::last_segment(::core::module_path!()) },
    };
    let requires = &arguments.requires;
    let globals = references(tsrm, body, ValueKind::Global, &quote! { GlobalRef });
    let shared = references(tsrm, body, ValueKind::Shared, &quote! { SharedRef });
    let statistics = references(tsrm, body, ValueKind::Statistics, &quote! { StatisticsRef });
    let hooks = hooks(tsrm, &body.hooks);
    quote! {
        /// This module, to be listed when the runtime starts.
        pub const MODULE: #tsrm::Module = #tsrm::Module::new(|| &__TSRM_MODULE);

        #[doc(hidden)]
        const __TSRM_NAME: &::core::primitive::str = #name;

        #hooks

        #[doc(hidden)]
        static __TSRM_MODULE: #tsrm::private::ModuleDescriptor =
            #tsrm::private::ModuleDescriptor::new(
                __TSRM_NAME,
                &[#(#requires),*],
                &[#globals],
                &[#shared],
                &[#statistics],
                __TSRM_HOOKS,
            );

        #tsrm::private::declare_module!(__TSRM_MODULE);
    }
}

/// The module's values of one kind, as its descriptor lists them.
fn references(
    tsrm: &Path,
    body: &ModuleBody,
    kind: ValueKind,
    reference: &TokenStream,
) -> TokenStream {
    let references = body.values.iter().filter(|value| value.kind() == kind).map(|value| {
        let cfgs = parse::cfgs(&value.attributes);
        let marker = value::marker_name(&value.name);
        quote! { #(#cfgs)* #tsrm::private::#reference::of::<#marker>() }
    });
    quote! { #(#references),* }
}

/// One field per hook. If two hooks of a kind are left by their `cfg`s, the field is there twice,
/// which the compiler refuses.
fn hooks(tsrm: &Path, hooks: &[HookItem]) -> TokenStream {
    let fields = hooks.iter().map(|hook| hook_field(tsrm, hook));
    quote! {
        #[doc(hidden)]
        #[allow(
            deprecated,
            clippy::needless_update,
            reason = "a hook may be deprecated for others; a module may have all hooks"
        )]
        const __TSRM_HOOKS: #tsrm::private::Hooks = #tsrm::private::Hooks {
            #(#fields,)*
            ..#tsrm::private::Hooks::NONE
        };
    }
}

/// Coerces the user's function to the hook's type: a wrong type is reported at the function's own
/// name, and as what the attribute asks for. The `for<'t>` in the type keeps out a hook that asks
/// for `Attached<'static>`.
fn hook_field(tsrm: &Path, hook: &HookItem) -> TokenStream {
    let HookItem { kind, attribute, name, cfgs } = hook;
    let kind = match kind {
        HookKind::ModuleStartup => quote! { StartupHook },
        HookKind::ModuleShutdown => quote! { ShutdownHook },
        HookKind::ThreadStartup | HookKind::RequestStartup => quote! { ThreadHook },
        HookKind::ThreadShutdown | HookKind::RequestShutdown => quote! { EndHook },
    };
    let field = quote_spanned! { Span::mixed_site().located_at(attribute.span()) =>
        #attribute: ::core::option::Option::Some({
            type __TsrmHook = #tsrm::private::#kind;
            let __tsrm_hook: __TsrmHook = #name;
            __tsrm_hook
        })
    };
    quote! { #(#cfgs)* #field }
}
