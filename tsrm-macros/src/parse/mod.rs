//! From the user's items to a description of the module.
//!
//! Everything that can be said about a mistake by its syntax is said here, at the token that is
//! wrong, with what to write instead.

mod arguments;
mod attributes;
mod elided;
mod hook;
mod incomplete;
mod kinds;
mod misplaced;
mod value;

pub(crate) use arguments::{Arguments, Modules};
pub(crate) use attributes::{cfgs, inherited};
pub(crate) use hook::HookItem;
pub(crate) use kinds::{HookKind, ValueKind};
pub(crate) use value::{Storage, ValueItem};

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Error, Expr, Item, ItemFn, ItemMod, Meta, Result};

use incomplete::{Incomplete, incomplete};

use crate::mistakes::Mistakes;

/// The items of a `tsrm::file_module! { … }`, after its inner attributes.
#[derive(Default)]
pub(crate) struct FileModule {
    pub(crate) arguments: Arguments,
    pub(crate) items: Vec<Item>,
}

impl FileModule {
    /// Up to the first item that is none.
    pub(crate) fn parse(tokens: TokenStream, mistakes: &mut Mistakes) -> Self {
        let mut module = Self::default();
        let mut inner = Vec::new();
        let items = |input: ParseStream<'_>| {
            inner = input.call(Attribute::parse_inner)?;
            while !input.is_empty() {
                module.items.push(input.parse()?);
            }
            Ok(())
        };
        mistakes.check(items.parse2(tokens));
        for attribute in inner {
            match attribute.meta {
                Meta::List(list) if list.path.is_ident("module") => {
                    module.arguments.parse(list.tokens, mistakes);
                }
                other => mistakes.add(Error::new_spanned(
                    other,
                    "only `#![module(…)]` can stand here: write this at the top of the file, as an \
                     inner attribute of its module",
                )),
            }
        }
        module
    }
}

/// The module that the attribute stands on, with its items taken out.
pub(crate) fn inline_module(tokens: TokenStream) -> Result<(ItemMod, Vec<Item>)> {
    let is_mod = |token| matches!(token, TokenTree::Ident(ident) if ident == "mod");
    if !tokens.clone().into_iter().any(is_mod) {
        let write = "`#[tsrm::module]` goes on an inline module: `#[tsrm::module] mod name { … }`";
        return Err(Error::new_spanned(first_line(tokens), write));
    }
    let mut module: ItemMod = syn::parse2(tokens)?;
    match module.content.take() {
        Some((_, items)) => Ok((module, items)),
        None => Err(Error::new_spanned(
            module.mod_token,
            "the items of this module are in another file: write `tsrm::file_module! { … }` around \
             them there, and no attribute here",
        )),
    }
}

/// An item without its body.
fn first_line(item: TokenStream) -> TokenStream {
    let is_body = |token: &TokenTree| matches!(token, TokenTree::Group(_));
    item.into_iter().take_while(|token| !is_body(token)).collect()
}

/// A module as its macro sees it.
#[derive(Default)]
pub(crate) struct ModuleBody {
    pub(crate) values: Vec<ValueItem>,
    pub(crate) hooks: Vec<HookItem>,
    /// Everything, in order, with the values as placeholders.
    pub(crate) items: Vec<BodyItem>,
    /// What `Statistics` is in it, it has imported itself.
    pub(crate) imports_statistics: bool,
}

/// One item of the body, in its place.
pub(crate) enum BodyItem {
    /// An index into [`ModuleBody::values`].
    Value(usize),
    Other(Box<Item>),
}

impl ModuleBody {
    /// Takes the body of a module apart.
    pub(crate) fn parse(items: Vec<Item>, mistakes: &mut Mistakes) -> Self {
        let mut body = Self::default();
        for item in items {
            let (mut item, has_initial) = match item {
                Item::Verbatim(tokens) => match incomplete(&tokens, mistakes) {
                    Some(Incomplete::NoType) => continue,
                    Some(Incomplete::NoInitial(item)) => (Item::Static(*item), false),
                    None => (Item::Verbatim(tokens), false),
                },
                item => (item, true),
            };
            misplaced::rename_module(&mut item, mistakes);
            body.imports_statistics |= matches!(&item, Item::Use(item)
                if attributes::imports(&item.tree, "Statistics"));
            match item {
                Item::Static(item) => match item.attrs.iter().find_map(ValueKind::of) {
                    Some(kind) => {
                        let value = ValueItem::parse(item, kind, has_initial, mistakes);
                        value.into_iter().for_each(|value| body.value(value, mistakes));
                    }
                    None => body.other(Item::Static(item), mistakes),
                },
                Item::Fn(item) => body.function(item, mistakes),
                item => body.other(item, mistakes),
            }
        }
        body
    }

    fn value(&mut self, value: ValueItem, mistakes: &mut Mistakes) {
        // Where a `cfg` decides, the compiler finds out.
        let unconditional = |value: &ValueItem| cfgs(&value.attributes).is_empty();
        let is_first = |other: &&ValueItem| other.is_called_as(&value) && unconditional(other);
        let first = self.values.iter().find(is_first).filter(|_| unconditional(&value));
        if let Some(first) = first {
            let write = format!("this module has {} `{}` already", first.kind().noun(), first.name);
            let is_other = first.name != value.name;
            let why = if is_other { ": statistics are exported in lower case" } else { "" };
            mistakes.add(Error::new(value.name.span(), format!("{write}{why}")));
            if !is_other {
                return;
            }
        }
        self.items.push(BodyItem::Value(self.values.len()));
        self.values.push(value);
    }

    /// Notes a hook and takes its attribute away.
    fn function(&mut self, mut item: ItemFn, mistakes: &mut Mistakes) {
        match hook::hook(&item, &self.hooks) {
            Ok(hook) => self.hooks.extend(hook),
            Err(error) => mistakes.add(error),
        }
        if item.sig.receiver().is_some() {
            // The compiler would only say again that it is no method.
            return;
        }
        item.attrs.retain(|attribute| HookKind::of(attribute).is_none());
        self.other(Item::Fn(item), mistakes);
    }

    fn other(&mut self, mut item: Item, mistakes: &mut Mistakes) {
        misplaced::take_attributes(&mut item, mistakes);
        self.items.push(BodyItem::Other(Box::new(item)));
    }
}

/// What a `macro_rules!` has passed on as an expression stands in an invisible group, in which it
/// would not be seen what it is.
pub(crate) fn ungrouped(mut expression: Expr) -> Expr {
    while let Expr::Group(group) = expression {
        expression = *group.expr;
    }
    expression
}
