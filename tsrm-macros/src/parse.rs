//! From the user's items to a description of the module.
//!
//! Everything that can be said about a mistake by its syntax is said here, at the token that is
//! wrong, with what to write instead.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{
    Attribute, Error, Expr, FnArg, Ident, Item, ItemFn, ItemMod, ItemStatic, LitStr, Path, Result,
    ReturnType, StaticMutability, Token, Type, Visibility,
};

/// The arguments of `#[tsrm::module(…)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) name: Option<LitStr>,
    pub(crate) krate: Option<Path>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        while !input.is_empty() {
            if input.peek(Token![crate]) {
                arguments.krate = Some(parse_crate(input)?);
            } else {
                let key: Ident = input.parse()?;
                if key != "name" {
                    return Err(Error::new(
                        key.span(),
                        "unknown argument: a module takes `name = \"…\"` and `crate = path`",
                    ));
                }
                input.parse::<Token![=]>()?;
                arguments.name = Some(parse_name(input)?);
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

/// `crate = path`.
pub(crate) fn parse_crate(input: ParseStream<'_>) -> Result<Path> {
    input.parse::<Token![crate]>()?;
    input.parse::<Token![=]>()?;
    input.call(Path::parse_mod_style)
}

fn parse_name(input: ParseStream<'_>) -> Result<LitStr> {
    let name: LitStr = input.parse()?;
    let text = name.value();
    if text.is_empty() || text.contains('.') {
        return Err(Error::new(
            name.span(),
            "a module's name is not empty and has no `.` (settings are called `module.setting`)",
        ));
    }
    Ok(name)
}

/// The items of a `tsrm::file_module! { … }`, after its inner attributes.
pub(crate) struct FileModule {
    pub(crate) arguments: Arguments,
    pub(crate) items: Vec<Item>,
}

impl Parse for FileModule {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Arguments::default();
        for attribute in input.call(Attribute::parse_inner)? {
            if !attribute.path().is_ident("module") {
                return Err(Error::new(
                    attribute.span(),
                    "only `#![module(…)]` can stand here; other inner attributes belong at the \
                     top of the file",
                ));
            }
            arguments = attribute.parse_args()?;
        }
        let mut items = Vec::new();
        while !input.is_empty() {
            items.push(input.parse()?);
        }
        Ok(Self { arguments, items })
    }
}

/// The module that the attribute stands on, with its items taken out.
pub(crate) fn inline_module(tokens: TokenStream) -> Result<(ItemMod, Vec<Item>)> {
    let span = tokens.span();
    let not_a_module = |_| {
        Error::new(
            span,
            "`#[tsrm::module]` goes on an inline module: `#[tsrm::module] mod name { … }`",
        )
    };
    if !looks_like_module(&tokens) {
        return Err(not_a_module(()));
    }
    let mut module: ItemMod = syn::parse2(tokens)?;
    match module.content.take() {
        Some((_, items)) => Ok((module, items)),
        None => Err(Error::new(
            module.mod_token.span,
            "the items of this module are in another file: write `tsrm::file_module! { … }` around \
             them there, and no attribute here",
        )),
    }
}

fn looks_like_module(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| matches!(&token, TokenTree::Ident(i) if i == "mod"))
}

/// A module as its macro sees it.
#[derive(Default)]
pub(crate) struct ModuleBody {
    pub(crate) globals: Vec<GlobalItem>,
    pub(crate) hooks: Vec<HookItem>,
    /// Everything, in order, with the globals as placeholders.
    pub(crate) items: Vec<BodyItem>,
}

/// One item of the body, in its place.
pub(crate) enum BodyItem {
    /// An index into [`ModuleBody::globals`].
    Global(usize),
    Other(Box<Item>),
}

/// A `#[global] static`.
pub(crate) struct GlobalItem {
    /// All but `#[global]`.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    pub(crate) name: Ident,
    pub(crate) value: Type,
    pub(crate) initial: Initial,
}

/// How a global gets its value; decides its storage.
pub(crate) enum Initial {
    /// `const { … }`: static storage. The tokens are the block.
    Const(TokenStream),
    /// Anything else: cached storage.
    Expression(Box<Expr>),
}

/// A hook function.
pub(crate) struct HookItem {
    pub(crate) kind: HookKind,
    pub(crate) name: Ident,
    pub(crate) cfgs: Vec<Attribute>,
}

/// The hooks: attribute, field of the descriptor, and shape.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HookKind {
    ModuleStartup,
    ModuleShutdown,
    ThreadStartup,
    ThreadShutdown,
    RequestStartup,
    RequestShutdown,
}

impl HookKind {
    const ALL: [(&'static str, Self); 6] = [
        ("module_startup", Self::ModuleStartup),
        ("module_shutdown", Self::ModuleShutdown),
        ("thread_startup", Self::ThreadStartup),
        ("thread_shutdown", Self::ThreadShutdown),
        ("request_startup", Self::RequestStartup),
        ("request_shutdown", Self::RequestShutdown),
    ];

    /// The attribute's name, which also is the descriptor's field.
    pub(crate) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }

    fn of(attribute: &Attribute) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| is_marker(attribute, name)).map(|(_, kind)| *kind)
    }

    /// What to write.
    fn signature(self) -> &'static str {
        match self {
            Self::ModuleStartup => {
                "fn name(phase: &mut tsrm::Startup<'_>) -> Result<(), tsrm::Error>"
            }
            Self::ModuleShutdown => "fn name(phase: &mut tsrm::Shutdown<'_>)",
            Self::ThreadStartup | Self::RequestStartup => {
                "fn name(here: tsrm::Attached<'_>) -> Result<(), tsrm::Error>"
            }
            Self::ThreadShutdown | Self::RequestShutdown => "fn name(here: tsrm::Attached<'_>)",
        }
    }

    fn may_fail(self) -> bool {
        matches!(self, Self::ModuleStartup | Self::ThreadStartup | Self::RequestStartup)
    }
}

/// `#[name]` or `#[tsrm::name]`.
fn is_marker(attribute: &Attribute, name: &str) -> bool {
    let path = attribute.path();
    let prefixed = path.segments.len() == 2 && path.segments[0].ident == "tsrm";
    (path.get_ident().is_some() || prefixed)
        && path.segments.last().is_some_and(|s| s.ident == name)
}

/// Takes the body of a module apart. Reports all mistakes at once.
pub(crate) fn body(items: Vec<Item>) -> Result<ModuleBody> {
    let mut body = ModuleBody::default();
    let mut errors: Option<Error> = None;
    for item in items {
        if let Err(error) = body.add(item) {
            match &mut errors {
                Some(errors) => errors.combine(error),
                None => errors = Some(error),
            }
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(body),
    }
}

impl ModuleBody {
    fn add(&mut self, item: Item) -> Result<()> {
        match item {
            Item::Static(item) if item.attrs.iter().any(|a| is_marker(a, "global")) => {
                self.globals.push(global(item)?);
                self.items.push(BodyItem::Global(self.globals.len() - 1));
            }
            Item::Fn(mut item) => {
                self.hook(&mut item)?;
                self.items.push(BodyItem::Other(Box::new(Item::Fn(item))));
            }
            Item::Verbatim(tokens) => {
                untyped_global(&tokens)?;
                self.items.push(BodyItem::Other(Box::new(Item::Verbatim(tokens))));
            }
            other => {
                if let Some(attribute) = misplaced(&other) {
                    return Err(Error::new(
                        attribute.span(),
                        "`#[global]` goes on a `static` item, hooks on functions",
                    ));
                }
                self.items.push(BodyItem::Other(Box::new(other)));
            }
        }
        Ok(())
    }

    /// Notes a hook and takes its attribute away.
    fn hook(&mut self, item: &mut ItemFn) -> Result<()> {
        if let Some(attribute) = item.attrs.iter().find(|a| is_marker(a, "global")) {
            return Err(Error::new(attribute.span(), "`#[global]` goes on a `static` item"));
        }
        let mut found = None;
        for attribute in &item.attrs {
            let Some(kind) = HookKind::of(attribute) else { continue };
            if found.is_some() {
                return Err(Error::new(
                    attribute.span(),
                    "a function is one hook: write another function for the other one",
                ));
            }
            attribute.meta.require_path_only()?;
            found = Some((kind, attribute.span()));
        }
        let Some((kind, span)) = found else { return Ok(()) };
        if self.hooks.iter().any(|hook| hook.kind == kind && hook.cfgs.is_empty()) {
            return Err(Error::new(
                span,
                format!("this module has a `#[{}]` hook already: a module has one", kind.name()),
            ));
        }
        check_signature(kind, item)?;
        item.attrs.retain(|attribute| HookKind::of(attribute).is_none());
        self.hooks.push(HookItem { kind, name: item.sig.ident.clone(), cfgs: cfgs(&item.attrs) });
        Ok(())
    }
}

/// The attributes that decide whether an item exists.
pub(crate) fn cfgs(attributes: &[Attribute]) -> Vec<Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).cloned().collect()
}

fn global(mut item: ItemStatic) -> Result<GlobalItem> {
    for attribute in item.attrs.iter().filter(|a| is_marker(a, "global")) {
        attribute.meta.require_path_only()?;
    }
    item.attrs.retain(|attribute| !is_marker(attribute, "global"));
    if let StaticMutability::Mut(token) = &item.mutability {
        return Err(Error::new(
            token.span,
            "a global is never `mut`: use a `Cell`, a `RefCell` or an atomic inside it",
        ));
    }
    let initial = match *item.expr {
        Expr::Const(block) if block.attrs.is_empty() => {
            Initial::Const(block.block.into_token_stream())
        }
        expression => Initial::Expression(Box::new(expression)),
    };
    Ok(GlobalItem {
        attributes: item.attrs,
        visibility: item.vis,
        name: item.ident,
        value: *item.ty,
        initial,
    })
}

/// `#[global] static NAME = …;` and `static NAME: T;` parse as no `static` at all.
fn untyped_global(tokens: &TokenStream) -> Result<()> {
    let text: Vec<TokenTree> = tokens.clone().into_iter().collect();
    let is_global = tokens.to_string().contains("global");
    let is = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(i) if i == word);
    let Some(at) = text.iter().position(|token| is(token, "static")) else { return Ok(()) };
    let mut after = text[at + 1..].iter().filter(|token| !is(token, "mut"));
    let (Some(name), Some(next)) = (after.next(), after.next()) else { return Ok(()) };
    if !is_global {
        return Ok(());
    }
    Err(Error::new(
        name.span(),
        match next {
            TokenTree::Punct(p) if p.as_char() == ':' => format!(
                "a global needs an initialiser, which every thread's value is made by: `static \
                 {name}: … = const {{ … }};` or `= …;`"
            ),
            _ => format!("a global needs a type: `static {name}: Type = …;`"),
        },
    ))
}

fn misplaced(item: &Item) -> Option<&Attribute> {
    let attributes: &[Attribute] = match item {
        Item::Const(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        _ => &[],
    };
    attributes.iter().find(|a| is_marker(a, "global") || HookKind::of(a).is_some())
}

/// What can be seen of a wrong signature without knowing types; the compiler checks the rest
/// against the hook's type.
fn check_signature(kind: HookKind, item: &ItemFn) -> Result<()> {
    let wrong = |span, why: &str| {
        Err(Error::new(
            span,
            format!("{why}: a `#[{}]` hook is `{}`", kind.name(), kind.signature()),
        ))
    };
    let signature = &item.sig;
    if let Some(token) = &signature.asyncness {
        return wrong(token.span(), "a hook is not `async`");
    }
    if let Some(token) = &signature.unsafety {
        return wrong(token.span(), "a hook is not `unsafe`");
    }
    if let Some(parameter) = signature.generics.type_params().next() {
        return wrong(parameter.span(), "a hook has no type parameters");
    }
    let arguments: &Punctuated<FnArg, _> = &signature.inputs;
    let argument = match (arguments.first(), arguments.len()) {
        (Some(FnArg::Typed(argument)), 1) => argument,
        (Some(FnArg::Receiver(receiver)), _) => {
            return wrong(receiver.span(), "a hook is a free function");
        }
        _ => return wrong(signature.paren_token.span.join(), "a hook takes one argument"),
    };
    if argument.ty.to_token_stream().to_string().contains("'static") {
        return wrong(
            argument.ty.span(),
            "what a hook is given lives as long as the call, not `'static`",
        );
    }
    match (&signature.output, kind.may_fail()) {
        (ReturnType::Default, true) => {
            wrong(signature.ident.span(), "this hook says whether it succeeded")
        }
        (ReturnType::Type(_, output), false) if !is_unit(output) => {
            wrong(output.span(), "this hook cannot refuse, so it returns nothing")
        }
        _ => Ok(()),
    }
}

fn is_unit(output: &Type) -> bool {
    matches!(output, Type::Tuple(tuple) if tuple.elems.is_empty())
}
