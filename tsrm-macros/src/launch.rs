//! `#[tsrm::main]` and `#[tsrm::test]`.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Error, FnArg, Ident, ItemFn, Path, Result, Signature, Type};

use crate::expand::library;
use crate::mistakes::Mistakes;
use crate::parse::{self, Modules};

pub(crate) fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let Some(function) = mistakes.check(syn::parse2::<ItemFn>(item.clone())) else {
        return quote! { #mistakes #item };
    };
    if function.sig.ident != "main" {
        let name = &function.sig.ident;
        mistakes.add(Error::new(name.span(), "`#[tsrm::main]` goes on `fn main`"));
        return quote! { #mistakes #item };
    }
    launch(arguments, function, &quote! {}, &quote! { run_main })
}

pub(crate) fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let Some(function) = mistakes.check(syn::parse2::<ItemFn>(item.clone())) else {
        return quote! { #mistakes #item };
    };
    launch(arguments, function, &quote! { #[::core::prelude::v1::test] }, &quote! { run_test })
}

/// The function, wrapped into one of its own name and result that takes nothing.
fn launch(
    arguments: TokenStream,
    mut item: ItemFn,
    attribute: &TokenStream,
    run: &TokenStream,
) -> TokenStream {
    let mut mistakes = Mistakes::default();
    let mut modules = Modules::default();
    modules.parse(arguments, &mut mistakes);
    mistakes.check(check(&item.sig));
    let (attributes, visibility) = (std::mem::take(&mut item.attrs), item.vis.clone());
    let (name, output) = (item.sig.ident.clone(), item.sig.output.clone());
    item.vis = syn::Visibility::Inherited;
    if !mistakes.is_empty() {
        // Something of this name, which still names what the function names.
        let cfgs = parse::cfgs(&attributes);
        return quote! {
            #mistakes
            #(#cfgs)*
            #visibility fn #name() {
                #[allow(dead_code, reason = "it cannot be called")]
                #item
            }
        };
    }
    let tsrm = library(modules.krate.as_ref());
    let modules = modules.paths.iter().map(module);
    quote! {
        #attribute
        #(#attributes)*
        #visibility fn #name() #output {
            #item
            // Coerced, so that another argument is reported here, and not as a bound of `run`'s.
            let __tsrm_function: fn(#tsrm::Runtime) -> _ = #name;
            #tsrm::private::#run(&[#(#modules),*], __tsrm_function)
        }
    }
}

/// The `MODULE` in a user's module; located at the module's name, where its absence is reported.
fn module(path: &Path) -> TokenStream {
    let last = path.segments.last().map_or_else(Span::call_site, |last| last.ident.span());
    let constant = quote_spanned! { Span::mixed_site().located_at(last) => MODULE };
    quote! { #path::#constant }
}

fn check(signature: &Signature) -> Result<()> {
    if let Some(token) = &signature.asyncness {
        return Err(Error::new_spanned(
            token,
            "this function is not `async`: start the executor inside it, and attach per task",
        ));
    }
    let name = &signature.ident;
    let argument = match (signature.inputs.first(), signature.inputs.len()) {
        (Some(FnArg::Typed(argument)), 1) => &*argument.ty,
        (None, _) => {
            let arguments = Ident::new("arguments", signature.paren_token.span.join());
            return Err(wrong(name, arguments, "this function takes the runtime"));
        }
        (_, _) => return Err(wrong(name, &signature.inputs, "this function takes the runtime")),
    };
    if is_token(argument) {
        let why = "this function is not attached, as it would be for ever: it takes the runtime, \
                   and attaches inside";
        return Err(wrong(name, argument, why));
    }
    Ok(())
}

fn wrong(name: &Ident, at: impl ToTokens, why: &str) -> Error {
    Error::new_spanned(at, format!("{why}: `fn {name}(tsrm: tsrm::Runtime)`"))
}

fn is_token(argument: &Type) -> bool {
    match argument {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "Attached"),
        Type::Reference(reference) => is_token(&reference.elem),
        _ => false,
    }
}
