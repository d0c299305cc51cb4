//! `#[tsrm::main]` and `#[tsrm::test]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Error, ItemFn, Path, Result, Token};

use crate::expand::library;
use crate::parse::parse_crate;

/// `executor, output, crate = path`
#[derive(Default)]
struct Modules {
    paths: Vec<Path>,
    krate: Option<Path>,
}

impl Parse for Modules {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut modules = Self::default();
        while !input.is_empty() {
            if input.peek(Token![crate]) && input.peek2(Token![=]) {
                modules.krate = Some(parse_crate(input)?);
            } else {
                modules.paths.push(input.call(Path::parse_mod_style)?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(modules)
    }
}

pub(crate) fn main(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let item: ItemFn = syn::parse2(item)?;
    if item.sig.ident != "main" {
        return Err(Error::new(item.sig.ident.span(), "`#[tsrm::main]` goes on `fn main`"));
    }
    launch(arguments, item, &quote! {}, &quote! { run_main })
}

pub(crate) fn test(arguments: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let item: ItemFn = syn::parse2(item)?;
    launch(arguments, item, &quote! { #[::core::prelude::v1::test] }, &quote! { run_test })
}

/// The function, wrapped into one of its own name and result that takes nothing.
fn launch(
    arguments: TokenStream,
    mut item: ItemFn,
    attribute: &TokenStream,
    run: &TokenStream,
) -> Result<TokenStream> {
    let Modules { paths, krate } = syn::parse2(arguments)?;
    check(&item)?;
    let tsrm = library(krate.as_ref());
    let (attributes, visibility) = (std::mem::take(&mut item.attrs), item.vis.clone());
    let (name, output) = (item.sig.ident.clone(), item.sig.output.clone());
    item.vis = syn::Visibility::Inherited;
    Ok(quote! {
        #attribute
        #(#attributes)*
        #visibility fn #name() #output {
            #item
            #tsrm::private::#run(&[#(#paths::MODULE),*], #name)
        }
    })
}

fn check(item: &ItemFn) -> Result<()> {
    let signature = &item.sig;
    if let Some(token) = &signature.asyncness {
        return Err(Error::new(
            token.span(),
            "this function is not `async`: start the executor inside it, and attach per task",
        ));
    }
    if signature.inputs.len() != 1 {
        return Err(Error::new(
            signature.paren_token.span.join(),
            "this function takes the runtime: `fn name(tsrm: tsrm::Runtime)`",
        ));
    }
    Ok(())
}
