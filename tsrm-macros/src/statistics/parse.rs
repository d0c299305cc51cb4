//! From the enum to a description of its statistics.

use std::collections::HashMap;

use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Fields, Generics, Ident, LitStr, Path, Variant};

use super::entries::{Entry, entries, first_paragraph, is_stat};
use super::names::{WORDS, family, is_name, is_suffix, similar, snake_case, suffix};
use crate::mistakes::Mistakes;

/// What the enum says.
pub(super) struct Set {
    pub(super) name: Ident,
    pub(super) items: Vec<Item>,
    pub(super) options: Options,
}

/// What stands above the enum.
#[derive(Default)]
pub(super) struct Options {
    pub(super) krate: Option<Path>,
    pub(super) is_switched: bool,
    pub(super) is_off: bool,
}

/// What a variant says.
pub(super) struct Item {
    variant: Ident,
    pub(super) name: String,
    /// Empty if there is none.
    pub(super) unit: String,
    pub(super) help: String,
    pub(super) kind: Kind,
    pub(super) max: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Counter,
    Gauge,
    Peak,
    Histogram,
}

impl Kind {
    const ALL: [(&'static str, Self); 4] = [
        ("counter", Self::Counter),
        ("gauge", Self::Gauge),
        ("peak", Self::Peak),
        ("histogram", Self::Histogram),
    ];

    fn of(key: &Ident) -> Option<Self> {
        Self::ALL.iter().find(|(name, _)| key == name).map(|(_, kind)| *kind)
    }

    /// Its key, which also is the library's function.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| name)
    }
}

impl Set {
    /// `None` if nothing can be made of it.
    pub(super) fn parse(item: DeriveInput, mistakes: &mut Mistakes) -> Option<Self> {
        let options = Options::parse(&item.attrs, mistakes);
        let is_generic = mistakes.check(check_generics(&item.generics)).is_none();
        let variants = match item.data {
            Data::Enum(data) => data.variants,
            Data::Struct(data) => {
                mistakes.add(no_enum(data.struct_token.span));
                return None;
            }
            Data::Union(data) => {
                mistakes.add(no_enum(data.union_token.span));
                return None;
            }
        };
        let items: Vec<_> = variants.iter().map(|v| Item::parse(v, mistakes)).collect();
        check_names(&items, mistakes);
        (!is_generic).then_some(Self { name: item.ident, items, options })
    }
}

fn no_enum(at: proc_macro2::Span) -> Error {
    let write = "statistics are the variants of an enum: write `enum Name { … }`, with `#[stat(…)]` \
                 above each variant";
    Error::new(at, write)
}

fn check_generics(generics: &Generics) -> syn::Result<()> {
    let write = "an enum of statistics is not generic: leave this out";
    if !generics.params.is_empty() {
        return Err(Error::new_spanned(generics, write));
    }
    match &generics.where_clause {
        Some(bounds) => Err(Error::new_spanned(bounds, write)),
        None => Ok(()),
    }
}

impl Options {
    fn parse(attributes: &[Attribute], mistakes: &mut Mistakes) -> Self {
        let takes = "an enum of statistics takes `switch`, `off` and `crate = path`";
        let mut options = Self::default();
        for entry in entries(attributes, takes, mistakes) {
            let key = &entry.key;
            if key == "switch" {
                options.is_switched = true;
                mistakes.check(entry.word());
            } else if key == "off" {
                options.is_off = true;
                mistakes.check(entry.word());
            } else if key == "crate" {
                options.krate = mistakes.check(entry.path());
            } else if Kind::of(key).is_some() || ["unit", "name", "max"].iter().any(|k| key == k) {
                let write = format!("`{key}` goes on a variant: {takes}");
                mistakes.add(Error::new(key.span(), write));
            } else {
                mistakes.add(Error::new(key.span(), format!("unknown key: {takes}")));
            }
        }
        options
    }
}

/// What stands above one variant.
#[derive(Default)]
struct Written {
    kind: Option<Kind>,
    name: Option<LitStr>,
    /// If so and there is no name, it has a mistake.
    is_named: bool,
    unit: Option<LitStr>,
    /// With its key.
    max: Option<(Ident, Option<u64>)>,
}

impl Written {
    fn parse(variant: &Variant, mistakes: &mut Mistakes) -> Self {
        let takes = "a statistic takes `counter`, `gauge`, `peak` or `histogram`, `unit = \"…\"`, \
                     `name = \"…\"` and, if it is a histogram, `max = …`";
        let mut written = Self::default();
        for entry in entries(&variant.attrs, takes, mistakes) {
            if let Some(kind) = Kind::of(&entry.key) {
                mistakes.check(written.set_kind(kind, &entry));
                continue;
            }
            let key = entry.key.clone();
            if key == "name" {
                written.is_named = true;
                written.name = mistakes.check(entry.name());
            } else if key == "unit" {
                written.unit = mistakes.check(entry.name());
            } else if key == "max" {
                written.max = Some((key, mistakes.check(entry.number())));
            } else if ["switch", "off", "crate"].iter().any(|k| key == k) {
                mistakes.add(Error::new(key.span(), format!("`{key}` goes on the enum: {takes}")));
            } else {
                mistakes.add(Error::new(key.span(), format!("unknown key: {takes}")));
            }
        }
        written
    }

    fn set_kind(&mut self, kind: Kind, entry: &Entry) -> syn::Result<()> {
        if let Some(first) = self.kind {
            let write = format!(
                "this is a {} already, and of one kind: write another variant for the {}",
                first.name(),
                kind.name()
            );
            return Err(Error::new(entry.key.span(), write));
        }
        self.kind = Some(kind);
        entry.word()
    }
}

impl Item {
    /// Its mistakes leave some statistic, since the others keep their numbers.
    fn parse(variant: &Variant, mistakes: &mut Mistakes) -> Self {
        let name = &variant.ident;
        check_shape(variant, mistakes);
        let mut own = Mistakes::default();
        let written = Written::parse(variant, &mut own);
        // A kind that has a mistake in it is not missing.
        if written.kind.is_none() && own.is_empty() {
            let write = "write `#[stat(counter)]`, `#[stat(gauge)]`, `#[stat(peak)]` or \
                         `#[stat(histogram)]`";
            own.add(match variant.attrs.iter().find(|attribute| is_stat(attribute)) {
                Some(attribute) => {
                    let write = format!("of which kind is this? {write}, with the rest behind it");
                    Error::new_spanned(attribute.path(), write)
                }
                None => {
                    let write = format!("this variant is no statistic yet: {write} above it");
                    Error::new(name.span(), write)
                }
            });
        }
        let kind = written.kind.unwrap_or(Kind::Counter);
        if let (Some(_), Some((key, _))) = (written.kind, &written.max) {
            if kind != Kind::Histogram {
                let write = format!("a {} has no `max`, only a histogram has", kind.name());
                own.add(Error::new(key.span(), write));
            }
        }
        let words = snake_case(&name.unraw().to_string());
        let item = Self {
            variant: name.clone(),
            name: written.name.as_ref().map_or_else(|| words.clone(), LitStr::value),
            unit: written.unit.as_ref().map(LitStr::value).unwrap_or_default(),
            help: first_paragraph(&variant.attrs).unwrap_or_else(|| sentence(&words)),
            kind,
            max: written.max.and_then(|(_, max)| max).unwrap_or(u64::MAX),
        };
        if written.name.is_some() || !written.is_named {
            own.check(item.check_name(written.name.as_ref(), written.unit.as_ref()));
        }
        mistakes.append(own);
        item
    }

    /// Of its name, what can be said without looking at others; `name` and `unit` as they are
    /// written.
    fn check_name(&self, name: Option<&LitStr>, unit: Option<&LitStr>) -> syn::Result<()> {
        let at_name = name.map_or_else(|| self.variant.span(), LitStr::span);
        if !is_name(&self.name) {
            let text = similar(&self.name).unwrap_or_else(|| "…".to_owned());
            let write = format!(
                "a name {WORDS}, and none can be made of `{}`: write `name = \"{text}\"`",
                self.variant
            );
            return Err(Error::new(at_name, write));
        }
        if is_suffix(&self.name) {
            let write = format!(
                "exported behind the name of its set, `{0}` is `…_{0}`, to which exporters give a meaning: write \
                 another name",
                self.name
            );
            return Err(Error::new(at_name, write));
        }
        if let Some((mut before, suffix)) = suffix(&self.name) {
            while let Some((shorter, _)) = self::suffix(before) {
                before = shorter;
            }
            let write = format!(
                "`{}` ends in `{suffix}`, to which exporters give a meaning: write `name = \
                 \"{before}\"`, or another one",
                self.name
            );
            return Err(Error::new(at_name, write));
        }
        if let (Some(unit), Some((_, suffix))) = (unit, suffix(&family(&self.name, &self.unit))) {
            let write = format!(
                "with this unit the exported name ends in `{suffix}`, to which exporters give a \
                 meaning: write another unit, or none"
            );
            return Err(Error::new(unit.span(), write));
        }
        Ok(())
    }
}

fn check_shape(variant: &Variant, mistakes: &mut Mistakes) {
    let name = &variant.ident;
    if !matches!(variant.fields, Fields::Unit) {
        let write = format!("a statistic has no fields: write `{name}`");
        mistakes.add(Error::new(variant.fields.span(), write));
    }
    if let Some((_, number)) = &variant.discriminant {
        let write = format!("statistics are numbered in their order: write `{name}`");
        mistakes.add(Error::new_spanned(number, write));
    }
}

/// What is said of a statistic without documentation.
fn sentence(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    let rest = letters.as_str().replace('_', " ");
    format!("{}{rest}.", first.unwrap_or_default())
}

/// No two are called the same, here or when they are exported. Both are told.
fn check_names(items: &[Item], mistakes: &mut Mistakes) {
    let (mut names, mut families) = (HashMap::new(), HashMap::new());
    for item in items {
        let name = item.name.as_str();
        if let Some(first) = names.insert(name, item) {
            clash(first, item, &format!("is called `{name}` too"), mistakes);
            continue;
        }
        let family = family(name, &item.unit);
        let write = format!("is called `{family}` too when it is exported with its unit");
        if let Some(first) = families.insert(family, item) {
            clash(first, item, &write, mistakes);
        }
    }
}

fn clash(first: &Item, second: &Item, how: &str, mistakes: &mut Mistakes) {
    for (item, other) in [(first, second), (second, first)] {
        let write = format!("`{}` {how}: write `name = \"…\"` for one of them", other.variant);
        mistakes.add(Error::new(item.variant.span(), write));
    }
}
