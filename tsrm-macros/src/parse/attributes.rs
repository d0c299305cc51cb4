//! The attributes of the user's items: what they say, which are passed on, and to what. And what
//! their imports are called.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Attribute, Error, Meta, Path, Result, Token, UseTree, parse_quote};

/// A path as the user wrote it, in messages.
pub(crate) fn written(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// None of this crate's attributes takes any arguments, except `#[shared(lazy)]`.
pub(crate) fn check_arguments(attribute: &Attribute) -> Result<()> {
    let arguments = match &attribute.meta {
        Meta::Path(_) => return Ok(()),
        Meta::List(list) if list.tokens.is_empty() => list.path.to_token_stream(),
        Meta::List(list) => list.tokens.clone(),
        Meta::NameValue(pair) => pair.value.to_token_stream(),
    };
    let name = written(attribute.path());
    Err(Error::new_spanned(arguments, format!("`#[{name}]` takes no arguments")))
}

/// Whether something of that name is imported, by name.
pub(super) fn imports(tree: &UseTree, name: &str) -> bool {
    match tree {
        UseTree::Path(path) => imports(&path.tree, name),
        UseTree::Group(group) => group.items.iter().any(|tree| imports(tree, name)),
        UseTree::Name(import) => import.ident == name,
        UseTree::Rename(import) => import.rename == name,
        _ => false,
    }
}

/// The attributes that decide whether an item exists, for what is made of the item.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter_map(|a| only(a, |path| path.is_ident("cfg"))).collect()
}

/// The attributes that hold for all that is made of an item: `cfg`s and lints.
pub(crate) fn inherited(attributes: &[Attribute]) -> Vec<Attribute> {
    let lint = ["allow", "warn", "deny"];
    let inherited = |path: &Path| path.is_ident("cfg") || lint.iter().any(|l| path.is_ident(l));
    attributes.iter().filter_map(|a| only(a, inherited)).collect()
}

/// Makes an `expect` an `allow`: the user means the item as a whole, but each of the items that are
/// made of it would have to fulfil the expectation.
pub(crate) fn expect_as_allow(attribute: &mut Attribute) {
    fn replaced(meta: &Meta) -> Option<TokenStream> {
        match meta {
            Meta::List(list) if list.path.is_ident("expect") => {
                let lints = &list.tokens;
                Some(quote! { allow(#lints) })
            }
            Meta::List(list) if list.path.is_ident("cfg_attr") => {
                let (predicate, metas) = conditional(&list.tokens)?;
                let metas = metas.iter().map(|m| replaced(m).unwrap_or_else(|| quote! { #m }));
                Some(quote! { cfg_attr(#predicate, #(#metas),*) })
            }
            _ => None,
        }
    }
    if let Some(tokens) = replaced(&attribute.meta) {
        attribute.meta = parse_quote!(#tokens);
    }
}

/// The attribute if `keep` says so; of a `cfg_attr`, what of it is to be kept.
fn only(attribute: &Attribute, keep: impl Fn(&Path) -> bool + Copy) -> Option<Attribute> {
    let meta = only_of(&attribute.meta, keep)?;
    Some(parse_quote!(#[#meta]))
}

fn only_of(meta: &Meta, keep: impl Fn(&Path) -> bool + Copy) -> Option<TokenStream> {
    match meta {
        Meta::List(list) if list.path.is_ident("cfg_attr") => {
            let (predicate, metas) = conditional(&list.tokens)?;
            let kept: Vec<_> = metas.iter().filter_map(|meta| only_of(meta, keep)).collect();
            (!kept.is_empty()).then(|| quote! { cfg_attr(#predicate, #(#kept),*) })
        }
        other => keep(other.path()).then(|| quote! { #other }),
    }
}

/// The predicate of a `cfg_attr`, which may be `true`, and the attributes behind it.
fn conditional(tokens: &TokenStream) -> Option<(TokenStream, Punctuated<Meta, Token![,]>)> {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    let mut rest = tokens.clone().into_iter();
    let predicate = rest.by_ref().take_while(|token| !is_comma(token)).collect();
    let metas = Punctuated::parse_terminated.parse2(rest.collect()).ok()?;
    Some((predicate, metas))
}
