//! From the description of a module to its items.
//!
//! Each global stays where it was declared and becomes: the handle, under the user's name; a marker
//! type of the same visibility; a descriptor; and one `const _` with the storage. Not a nested
//! module, in which the user's `super::` would point elsewhere. Inner names are mangled, since the
//! user's expressions are pasted among them.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Ident, Path, Result};

use crate::parse::{
    self, Arguments, BodyItem, FileModule, GlobalItem, HookItem, HookKind, Initial, ModuleBody,
};

/// `#[tsrm::module] mod name { … }`
pub(crate) fn attribute(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let arguments: Arguments = syn::parse2(arguments)?;
    let (module, items) = parse::inline_module(item)?;
    let body = contents(&arguments, &parse::body(items)?);
    let (attributes, visibility, name) = (&module.attrs, &module.vis, &module.ident);
    let unsafety = &module.unsafety;
    Ok(quote! {
        #(#attributes)*
        #visibility #unsafety mod #name {
            #body
        }
    })
}

/// `tsrm::file_module! { … }`
pub(crate) fn function(items: TokenStream) -> Result<TokenStream> {
    let FileModule { arguments, items } = syn::parse2(items)?;
    Ok(contents(&arguments, &parse::body(items)?))
}

/// Where the expansion finds the library.
pub(crate) fn library(krate: Option<&Path>) -> Path {
    krate.cloned().unwrap_or_else(|| syn::parse_quote!(::tsrm))
}

fn contents(arguments: &Arguments, body: &ModuleBody) -> TokenStream {
    let tsrm = library(arguments.krate.as_ref());
    let items = body.items.iter().map(|item| match item {
        BodyItem::Other(item) => quote! { #item },
        BodyItem::Global(index) => global(&tsrm, &body.globals[*index]),
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
    let globals = body.globals.iter().map(|global| {
        let (cfgs, descriptor) = (parse::cfgs(&global.attributes), descriptor_name(&global.name));
        quote! { #(#cfgs)* &#descriptor }
    });
    let hooks = body.hooks.iter().map(|hook| hook_item(tsrm, hook));
    quote! {
        /// This module, to be listed when the runtime starts.
        pub const MODULE: #tsrm::Module = #tsrm::Module::new(&__TSRM_MODULE);

        #[doc(hidden)]
        const __TSRM_NAME: &::core::primitive::str = #name;

        #[doc(hidden)]
        static __TSRM_MODULE: #tsrm::private::ModuleDescriptor = {
            #[allow(unused_mut, reason = "a module without hooks")]
            let mut hooks = #tsrm::private::Hooks::NONE;
            #(#hooks)*
            // SAFETY: each global of this module stands here once, and nowhere else (I9).
            unsafe {
                #tsrm::private::ModuleDescriptor::new(__TSRM_NAME, &[#(#globals),*], hooks)
            }
        };

        const _: () = {
            #[#tsrm::private::linkme::distributed_slice(#tsrm::private::LINKED)]
            #[linkme(crate = #tsrm::private::linkme)]
            // SAFETY: each descriptor links itself, once.
            static __TSRM_LINK: #tsrm::private::Link =
                unsafe { #tsrm::private::Link::new(&__TSRM_MODULE) };
        };
    }
}

/// Coerces the user's function to the hook's type, at the function's own name: that is where a
/// wrong type is reported. The `for<'t>` keeps out a hook that asks for `Attached<'static>`.
fn hook_item(tsrm: &Path, hook: &HookItem) -> TokenStream {
    let (name, cfgs) = (&hook.name, &hook.cfgs);
    let field = format_ident!("{}", hook.kind.name());
    let kind = match hook.kind {
        HookKind::ModuleStartup => quote! { StartupHook },
        HookKind::ModuleShutdown => quote! { ShutdownHook },
        HookKind::ThreadStartup | HookKind::RequestStartup => quote! { ThreadHook },
        HookKind::ThreadShutdown | HookKind::RequestShutdown => quote! { EndHook },
    };
    let function = quote_spanned! { name.span() => #name };
    quote! {
        #(#cfgs)*
        {
            const __TSRM_HOOK: #tsrm::private::#kind = #function;
            hooks.#field = ::core::option::Option::Some(__TSRM_HOOK);
        }
    }
}

fn descriptor_name(global: &Ident) -> Ident {
    format_ident!("__TSRM_GLOBAL_{}", global, span = Span::mixed_site())
}

fn global(tsrm: &Path, global: &GlobalItem) -> TokenStream {
    let GlobalItem { attributes, visibility, name, value, initial } = global;
    let cfgs = parse::cfgs(attributes);
    let marker = format_ident!("__Tsrm{}", name, span = Span::mixed_site());
    let descriptor = descriptor_name(name);
    // Located at the user's type: that is where one that is more private than its global, or not
    // `'static`, is reported.
    let at_type = Span::mixed_site().located_at(value.span());
    let value_type = quote_spanned! { at_type => type Value = __TsrmValue; };
    let text = name.to_string();
    let text = text.trim_start_matches("r#");
    let (kind, storage) = match initial {
        Initial::Const(block) => (quote! { of_static }, static_storage(tsrm, block)),
        Initial::Expression(expression) => (quote! { of_cached }, cached_storage(tsrm, expression)),
    };
    // The user's tokens come first; the storage is declared further inside, out of their sight.
    let Storage { initial, slot, build, rest } = storage;
    quote! {
        #(#attributes)*
        #visibility static #name: #tsrm::Global<#marker> = #tsrm::Global::new();

        #(#cfgs)*
        #[doc(hidden)]
        #[allow(non_camel_case_types, reason = "named after the global")]
        #visibility struct #marker;

        #(#cfgs)*
        #[doc(hidden)]
        static #descriptor: #tsrm::private::GlobalDescriptor =
            #tsrm::private::GlobalDescriptor::#kind::<#marker>(__TSRM_NAME, #text);

        #(#cfgs)*
        const _: () = {
            type __TsrmValue = #value;
            #initial
            const _: () = {
                // SAFETY: `slot` is the mode's own, and null only where `build` fills it.
                unsafe impl #tsrm::private::Declaration for #marker {
                    #value_type

                    fn descriptor() -> &'static #tsrm::private::GlobalDescriptor {
                        &#descriptor
                    }

                    #slot

                    fn build()
                    -> ::core::result::Result<*const __TsrmValue, #tsrm::AccessError> {
                        #build
                    }
                }
                type __TsrmMarker = #marker;
                #rest
            };
        };
    }
}

/// What differs between the storages.
struct Storage {
    /// The user's initialiser, as an item.
    initial: TokenStream,
    /// `Declaration::slot`.
    slot: TokenStream,
    /// The body of `Declaration::build`.
    build: TokenStream,
    /// More items.
    rest: TokenStream,
}

fn static_storage(tsrm: &Path, block: &TokenStream) -> Storage {
    // At the user's block, so that a value which is not constant is reported there.
    let initial = quote_spanned! { block.span() => #block };
    Storage {
        initial: quote! {
            #[allow(
                clippy::declare_interior_mutable_const,
                unused_braces,
                reason = "instantiated once for the slot and once for its image; the braces are \
                          `const`'s"
            )]
            const __TSRM_INITIAL: __TsrmValue = #initial;
        },
        slot: quote! { #tsrm::private::static_slot!(__TsrmValue, __TSRM_INITIAL); },
        build: quote! { #tsrm::private::build_static() },
        rest: quote! {
            // SAFETY: the image holds the constant that the slot began with.
            unsafe impl #tsrm::private::StaticDeclaration for __TsrmMarker {
                fn image() -> &'static #tsrm::private::Image<__TsrmValue> {
                    static __TSRM_IMAGE: #tsrm::private::Image<__TsrmValue> =
                        #tsrm::private::Image::new(__TSRM_INITIAL);
                    &__TSRM_IMAGE
                }
            }
        },
    }
}

fn cached_storage(tsrm: &Path, expression: &syn::Expr) -> Storage {
    Storage {
        initial: quote! {
            fn __tsrm_initial() -> __TsrmValue {
                #expression
            }
        },
        slot: quote! {
            #[inline(always)]
            unsafe fn slot() -> *const __TsrmValue {
                // SAFETY: the caller's promise is the same.
                unsafe { __tsrm_slot() }
            }
        },
        build: quote! { #tsrm::private::build_cached::<Self>() },
        rest: quote! {
            #tsrm::private::cached_slot!(__TsrmValue);

            // SAFETY: `fill` sets what `slot` reads.
            unsafe impl #tsrm::private::CachedDeclaration for __TsrmMarker {
                fn initial() -> __TsrmValue {
                    __tsrm_initial()
                }

                unsafe fn fill(__tsrm_value: *const __TsrmValue) {
                    // SAFETY: the caller's promise is the same.
                    unsafe { __tsrm_fill(__tsrm_value) }
                }
            }
        },
    }
}
