//! This crate's attributes where they mean nothing, and names that the module needs itself.

use syn::{Attribute, Error, Fields, Ident, Item, ItemMod, ItemStatic, Type, UseTree, parse_quote};

use super::incomplete::{Incomplete, incomplete};
use super::kinds::{ValueKind, is_ours, misplaced_error};
use crate::mistakes::Mistakes;

/// Takes misplaced attributes off an item, and off those of a plain module; each is a mistake.
pub(crate) fn take_attributes(item: &mut Item, mistakes: &mut Mistakes) {
    if let Item::Verbatim(tokens) = item {
        // Of what else is wrong with it, the compiler says more.
        if let Some(Incomplete::NoInitial(found)) = incomplete(tokens, &mut Mistakes::default()) {
            *item = Item::Static(*found);
        }
    }
    let Some(attributes) = attributes_of(item) else { return };
    let was_value = attributes.iter().find_map(ValueKind::of);
    attributes.retain(|attribute| {
        let misplaced = is_ours(attribute);
        if misplaced {
            mistakes.add(misplaced_error(attribute));
        }
        !misplaced
    });
    match item {
        Item::Mod(module) if is_plain(module) => {
            let items = module.content.iter_mut().flat_map(|(_, items)| items);
            items.for_each(|item| take_attributes(item, mistakes));
        }
        // Without the attribute, most are of types or have initialisers that no `static` may have.
        Item::Static(ItemStatic { vis, ident, ty, .. }) => {
            // `Statistics<…>` is no type outside of its `static`.
            let value: Type = match was_value {
                Some(ValueKind::Statistics) => parse_quote!(()),
                Some(ValueKind::Global | ValueKind::Shared) => (**ty).clone(),
                None => return,
            };
            *item = parse_quote! {
                #[allow(dead_code, reason = "it stands for the misplaced value")]
                #vis const #ident: ::core::option::Option<#value> = ::core::option::Option::None;
            };
        }
        _ => {}
    }
}

/// Without an attribute that might be a macro, by whatever name: such a module looks after its
/// items itself.
fn is_plain(module: &ItemMod) -> bool {
    let known = ["doc", "cfg", "cfg_attr", "allow", "expect", "warn", "deny", "deprecated"];
    let is_known = |attribute: &Attribute| known.iter().any(|k| attribute.path().is_ident(k));
    module.attrs.iter().all(is_known)
}

/// Renames what the user called as the macro calls its constant; each is a mistake.
pub(crate) fn rename_module(item: &mut Item, mistakes: &mut Mistakes) {
    let name = match item {
        Item::Const(item) => &mut item.ident,
        Item::Static(item) => &mut item.ident,
        Item::Fn(item) => &mut item.sig.ident,
        Item::Struct(item) if !matches!(item.fields, Fields::Named(_)) => &mut item.ident,
        Item::Use(item) => return rename_import(&mut item.tree, mistakes),
        _ => return,
    };
    if name == "MODULE" {
        mistakes.add(taken(name));
        // Not mangled: statistics may be called so.
        *name = Ident::new("TSRM_NOT_THE_MODULE", name.span());
    }
}

fn rename_import(tree: &mut UseTree, mistakes: &mut Mistakes) {
    match tree {
        UseTree::Path(path) => rename_import(&mut path.tree, mistakes),
        UseTree::Group(group) => {
            group.items.iter_mut().for_each(|tree| rename_import(tree, mistakes));
        }
        UseTree::Name(name) if name.ident == "MODULE" => {
            mistakes.add(taken(&name.ident));
            let name = &name.ident;
            *tree = parse_quote!(#name as _);
        }
        UseTree::Rename(rename) if rename.rename == "MODULE" => {
            mistakes.add(taken(&rename.rename));
            rename.rename = Ident::new("_", rename.rename.span());
        }
        _ => {}
    }
}

fn taken(name: &Ident) -> Error {
    let write = "`MODULE` is the constant that `#[tsrm::module]` adds: use another name";
    Error::new(name.span(), write)
}

fn attributes_of(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::ExternCrate(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::ForeignMod(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Static(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Trait(item) => &mut item.attrs,
        Item::TraitAlias(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Union(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}
