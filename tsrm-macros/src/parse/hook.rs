//! The hooks: functions with one of six attributes.
//!
//! What can be seen of a wrong signature without knowing types is said here; the compiler checks
//! the rest against the hook's type.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Error, FnArg, GenericParam, Generics, Ident, ItemFn, Lifetime, PathArguments,
    Result, ReturnType, Safety, Signature, Type,
};

use super::attributes::{cfgs, check_arguments};
use super::kinds::HookKind;

pub(crate) struct HookItem {
    pub(crate) kind: HookKind,
    /// The attribute's name, located where the user wrote it.
    pub(crate) attribute: Ident,
    pub(crate) name: Ident,
    pub(crate) cfgs: Vec<Attribute>,
}

/// The hook that a function is, if it is one.
pub(crate) fn hook(item: &ItemFn, others: &[HookItem]) -> Result<Option<HookItem>> {
    let mut found = None;
    for attribute in &item.attrs {
        let Some(kind) = HookKind::of(attribute) else { continue };
        if found.is_some() {
            return Err(Error::new_spanned(
                attribute.path(),
                "a function is one hook: write another function for the other one",
            ));
        }
        check_arguments(attribute)?;
        found = Some((kind, attribute));
    }
    let Some((kind, attribute)) = found else { return Ok(None) };
    let cfgs = cfgs(&item.attrs);
    // Where a `cfg` decides, the compiler finds out: see the expansion.
    let is_second = |other: &HookItem| other.kind == kind && other.cfgs.is_empty();
    if cfgs.is_empty() && others.iter().any(is_second) {
        let name = kind.name();
        return Err(Error::new_spanned(
            attribute.path(),
            format!("this module has a `#[{name}]` hook already: a module has one"),
        ));
    }
    check_signature(kind, &item.sig)?;
    let attribute = attribute.path().segments.last().map(|last| last.ident.span());
    let attribute = attribute.unwrap_or_else(Span::mixed_site);
    let attribute = Ident::new(kind.name(), Span::mixed_site().located_at(attribute));
    Ok(Some(HookItem { kind, attribute, name: item.sig.ident.clone(), cfgs }))
}

fn check_signature(kind: HookKind, signature: &Signature) -> Result<()> {
    if let Some(token) = &signature.asyncness {
        return Err(kind.wrong(token, "a hook is not `async`"));
    }
    if let Safety::Unsafe(token) = &signature.safety {
        return Err(kind.wrong(token, "a hook is not `unsafe`"));
    }
    if let Some(abi) = &signature.abi {
        return Err(kind.wrong(abi, "a hook is a Rust function"));
    }
    check_generics(kind, &signature.generics)?;
    let argument = match (signature.inputs.first(), signature.inputs.len()) {
        (Some(FnArg::Typed(argument)), 1) => argument,
        (Some(FnArg::Receiver(receiver)), _) => {
            return Err(kind.wrong(receiver, "a hook is a free function"));
        }
        (None, _) => {
            let at = Ident::new("arguments", signature.paren_token.span.join());
            return Err(kind.wrong(at, "a hook takes one argument"));
        }
        _ => return Err(kind.wrong(&signature.inputs, "a hook takes one argument")),
    };
    check_argument(kind, &argument.ty)?;
    check_output(kind, signature)
}

/// Lifetimes are fine, since a hook is for any of them.
fn check_generics(kind: HookKind, generics: &Generics) -> Result<()> {
    let is_lifetime = |parameter: &&GenericParam| matches!(parameter, GenericParam::Lifetime(_));
    if let Some(parameter) = generics.params.iter().find(|parameter| !is_lifetime(parameter)) {
        return Err(kind.wrong(parameter, "a hook is not generic"));
    }
    let (parameters, bounds) = (&generics.params, &generics.where_clause);
    forbid_static(kind, parameters.to_token_stream())?;
    forbid_static(kind, bounds.to_token_stream())
}

fn check_argument(kind: HookKind, argument: &Type) -> Result<()> {
    forbid_static(kind, argument.to_token_stream())?;
    // A path may be an alias of anything, but these it is not.
    let is_other = |value: &Type, expected: &str| match value {
        Type::Path(path) => path.path.segments.last().is_some_and(|last| {
            let known = ["Attached", "Startup", "Shutdown", "Runtime", "ThreadHandle"];
            known.iter().any(|name| last.ident == name && *name != expected)
        }),
        Type::Paren(_) | Type::Group(_) | Type::Macro(_) | Type::Infer(_) => false,
        _ => true,
    };
    match (kind.phase(), argument) {
        (Some(phase), Type::Reference(reference)) => {
            if reference.mutability.is_none() || is_other(&reference.elem, phase) {
                return Err(kind.wrong(argument, "this hook is given something else"));
            }
        }
        (Some(phase), _) => {
            let by_value = matches!(argument, Type::Path(path)
                if path.path.segments.last().is_some_and(|last| last.ident == phase));
            if by_value || is_other(argument, "") {
                return Err(kind.wrong(argument, "this hook is given a `&mut`"));
            }
        }
        (None, Type::Reference(reference)) if !is_other(&reference.elem, "Attached") => {
            return Err(kind.wrong(argument, "this hook is given the token by value"));
        }
        (None, _) => {
            if is_other(argument, "Attached") {
                return Err(kind.wrong(argument, "this hook is given something else"));
            }
        }
    }
    Ok(())
}

fn check_output(kind: HookKind, signature: &Signature) -> Result<()> {
    match (&signature.output, kind.may_fail()) {
        (ReturnType::Default, true) => {
            Err(kind.wrong(&signature.ident, "this hook says whether it succeeded"))
        }
        (ReturnType::Type(_, output), false) if !is_unit(output) => {
            Err(kind.wrong(output, "this hook cannot refuse, so it returns nothing"))
        }
        (ReturnType::Type(_, output), true) => match foreign_error(output) {
            Some(error) => Err(kind.wrong(error, "a hook's error is a `tsrm::Error`")),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// The error type of a `Result`, if it can be no alias of the right one.
fn foreign_error(output: &Type) -> Option<&Type> {
    let Type::Path(path) = output else { return None };
    let last = path.path.segments.last()?;
    let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let Some(syn::GenericArgument::Type(error)) = arguments.args.iter().nth(1) else { return None };
    let is_foreign = match error {
        Type::Path(path) => path.path.is_ident("String"),
        Type::Reference(_) | Type::Tuple(_) => true,
        _ => false,
    };
    is_foreign.then_some(error)
}

fn is_unit(output: &Type) -> bool {
    matches!(output, Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// A reference to what a hook is given could be kept.
fn forbid_static(kind: HookKind, tokens: TokenStream) -> Result<()> {
    match static_lifetime(tokens) {
        Some(lifetime) => {
            Err(kind
                .wrong(lifetime, "what a hook is given lives as long as the call, not `'static`"))
        }
        None => Ok(()),
    }
}

fn static_lifetime(tokens: TokenStream) -> Option<Lifetime> {
    let mut quote = None;
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "static" => {
                let apostrophe = quote?;
                return Some(Lifetime { apostrophe, ident });
            }
            TokenTree::Group(group) => {
                if let Some(found) = static_lifetime(group.stream()) {
                    return Some(found);
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == '\'' => quote = Some(punct.span()),
            _ => {}
        }
    }
    None
}
