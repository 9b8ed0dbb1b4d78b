"""Reads how a type declares its options for argument-parser; `write-plain-options` is the only caller.

What it does not understand is an error with its file and line, never a guess.
"""

import re
from dataclasses import dataclass, field

WRAPPERS = {
    # The arguments that a wrapper may have. Others change how the words are read: inversion, parsing, transform ...
    "Option": {"name", "help", "completion"},
    "Flag": {"name", "help"},
    "Argument": {"help", "completion"},
    "OptionGroup": {"title"},
}
ACCESS = {"public", "package", "internal"}
MODIFIERS = ACCESS | {
    "private", "fileprivate", "open", "static", "class", "final", "lazy", "weak", "unowned", "nonisolated", "override", "dynamic",
}
LONG, SHORT = re.compile(r'"([A-Za-z0-9][A-Za-z0-9_-]*)"'), re.compile(r'"([A-Za-z0-9])"')


@dataclass
class Declaration:
    """A property with one of the wrappers."""

    wrapper: str
    property: str
    index: int
    # Of an option: one, or repeated. Of a group: group. Of others: flag, argument.
    kind: str = ""
    # The type of one value, or of the group.
    type: str = ""
    names: list[str] = field(default_factory=list)
    is_hidden: bool = False


def find_type(sources, name):
    """The file of a struct, and the indices of its braces. `None` if there is no such struct outside of other types."""
    for source in sources:
        tokens = source.tokens
        for index in source.top_level():
            if tokens[index].text != "struct" or tokens[index + 1].text != name:
                continue
            if tokens[index].is_conditional or tokens[index + 2].text == "<":
                raise source.error(index, f"{name} is generic or inside #if. The plain reader needs a simple struct.")
            if index and tokens[index - 1].text in ("private", "fileprivate"):
                raise source.error(index, f"{name} is {tokens[index - 1].text}, so the generated file cannot extend it.")
            start = next((place for place in source.top_level(index) if tokens[place].text == "{"), None)
            if start is None:
                raise source.error(index, f"{name} has no braces.")
            return source, start, source.closing[start]
    return None


def is_readable(sources, name):
    """Whether a type of the sources has `init?(argument:)`, as its conformance to ExpressibleByArgument says."""
    header = re.compile(r"\b(?:struct|enum|class|actor) " + name + r"\b[^{]*\bExpressibleByArgument\b[^{]*\{")
    return any(header.search(" ".join(token.text for token in source.tokens)) for source in sources)


def declarations(source, start, end):
    """The options in the braces of a type, in their order."""
    tokens, attributes, modifiers, index = source.tokens, [], [], start + 1
    while index < end:
        token = tokens[index]
        if token.text == "@":
            name, after = attribute_name(source, index)
            attributes.append((name, index, after))
            index = source.closing[after] + 1 if tokens[after].text == "(" else after
            continue
        if token.text in MODIFIERS:
            modifiers.append(token.text)
            following = index + 1
            index = source.closing[following] + 1 if tokens[following].text == "(" else following
            continue
        is_property = token.text in ("var", "let")
        for name, place, _ in attributes:
            if name in WRAPPERS and not is_property:
                raise source.error(place, f"no property follows @{name}.")
            if is_property and name not in WRAPPERS and name[:1].isupper():
                raise source.error(place, f"the script does not know @{name}, so it cannot say how argument-parser reads the property.")
        if is_property and any(name in WRAPPERS for name, _, _ in attributes):
            yield declaration(source, attributes, modifiers, index)
        attributes, modifiers = [], []
        index = source.closing.get(index, index) + 1


def attribute_name(source, index):
    """The name of the attribute at an `@`, without the name of the module, and the index after it."""
    tokens, index = source.tokens, index + 1
    if tokens[index].text == "ArgumentParser" and tokens[index + 1].text == ".":
        index += 2
    return tokens[index].text, index + 1


def declaration(source, attributes, modifiers, index):
    (wrapper, place, after), tokens = attributes[0], source.tokens
    if len(attributes) > 1:
        raise source.error(place, "a property with an option must have no other attribute.")
    if tokens[place].is_conditional or tokens[index].is_conditional:
        raise source.error(place, "an option inside #if cannot be read by the plain reader.")
    if strange := [modifier for modifier in modifiers if modifier not in ACCESS]:
        raise source.error(place, f"an option cannot be {strange[0]}: the generated file must set it.")
    found, values = Declaration(wrapper, tokens[index + 1].text, place), {}
    if tokens[after].text == "(":
        values = labelled(source, after, wrapper)
    type_name, default = type_and_default(source, index + 2)
    KINDS[wrapper](source, found, type_name, default)
    if "help" in values:
        found.is_hidden = is_hidden(source, *values["help"])
    if found.kind == "argument" and found.is_hidden:
        raise source.error(place, "an argument must not be hidden.")
    if wrapper in ("Option", "Flag"):
        found.names = names(source, values.get("name"), found.property.strip("`"))
    return found


def labelled(source, bracket, wrapper):
    """The arguments in brackets: the first and last index of each value by its label."""
    values, start, end = {}, bracket + 1, source.closing[bracket]
    for first, last in elements(source, start, end):
        label = source.tokens[first].text if source.tokens[first + 1].text == ":" else ""
        if label not in WRAPPERS[wrapper]:
            what = f'"{label}:"' if label else "an argument without a label"
            allowed = ", ".join(sorted(WRAPPERS[wrapper]))
            raise source.error(first, f"the script does not understand {what} of @{wrapper}; it understands {allowed}.")
        values[label] = (first + 2, last)
    return values


def elements(source, start, end):
    """The first index of each part between commas, and the index after the part."""
    commas = [index for index in source.top_level(start, end) if source.tokens[index].text == ","]
    firsts, lasts = [start] + [comma + 1 for comma in commas], commas + [end]
    return [(first, last) for first, last in zip(firsts, lasts) if first < last]


def type_and_default(source, index):
    """The text of the type and of the default of a property; both can be empty. The declaration must end with its line."""
    tokens, parts, part = source.tokens, ["", ""], 0
    if tokens[index].text not in (":", "="):
        raise source.error(index, "a property with an option needs a type or a default.")
    while True:
        if tokens[index].text in (":", "="):
            part = 1 if tokens[index].text == "=" else part
            index += 1
        last = source.closing.get(index, index)
        parts[part] += source.text(index, last + 1)
        index = last + 1
        following = tokens[index]
        if following.text in (";", "}"):
            return parts
        if following.line > tokens[last].line:
            if following.kind == "word" or following.text in ("@", "#"):
                return parts
            raise source.error(index, f'a property with an option cannot continue with "{following.text}".')
        if following.text in ("{", ","):
            raise source.error(index, "a property with an option must have no observers, and a declaration of its own.")


def option_kind(source, found, type_name, default):
    one, repeated = re.fullmatch(r"([A-Z]\w*)\?", type_name), re.fullmatch(r"\[([A-Z]\w*)\]", type_name)
    if one and default in ("", "nil"):
        found.kind, found.type = "one", one[1]
    elif repeated and default == "[]":
        found.kind, found.type = "repeated", repeated[1]
    else:
        raise source.error(found.index, "an option must be a T? without a default, or a [T] with the default [].")


def flag_kind(source, found, type_name, default):
    if type_name not in ("", "Bool") or default != "false":
        raise source.error(found.index, "a flag must be a Bool with the default false: no inversion, no count, no enumeration.")
    found.kind = "flag"


def argument_kind(source, found, type_name, default):
    if (type_name, default) != ("[String]", "[]"):
        raise source.error(found.index, "an argument must be a [String] with the default [].")
    found.kind, found.type = "argument", "String"


def group_kind(source, found, type_name, default):
    if not re.fullmatch(r"[A-Z]\w*", type_name) or default:
        raise source.error(found.index, "a group must have the name of a type, and no default.")
    found.kind, found.type = "group", type_name


KINDS = {"Option": option_kind, "Flag": flag_kind, "Argument": argument_kind, "OptionGroup": group_kind}


def is_hidden(source, start, end):
    """Whether the help says that the option is not shown."""
    text = source.text(start, end).replace("`", "")
    if text in (".hidden", ".private", "ArgumentHelp.hidden", "ArgumentHelp.private"):
        return True
    if text == "nil" or all(token.kind == "string" or token.text == "+" for token in source.tokens[start:end]):
        return False
    tokens = source.tokens
    if text.startswith("ArgumentHelp(") and source.closing[start + 1] == end - 1:
        labels = {tokens[first].text: (first + 2, last) for first, last in elements(source, start + 2, end - 1)
                  if tokens[first + 1].text == ":"}
        visibility = source.text(*labels["visibility"]).replace("`", "") if "visibility" in labels else ".default"
        if visibility in (".default", ".hidden", ".private") and "shouldDisplay" not in labels:
            return visibility != ".default"
    raise source.error(start, "the script cannot say whether this help is hidden. It understands texts, .hidden and ArgumentHelp(...).")


def names(source, value, property_name):
    """The names with their hyphens, in the order of the declaration."""
    if value is None:
        return ["--" + kebab(property_name)]
    start, end = value
    is_list = source.tokens[start].text == "[" and source.closing[start] == end - 1
    parts = elements(source, start + 1, end - 1) if is_list else [(start, end)]
    found = [name for first, last in parts for name in names_of(source, first, last, property_name)]
    if not found:
        raise source.error(start, "an option needs a name.")
    return found


def names_of(source, start, end, property_name):
    text = source.text(start, end)
    simple = {
        ".long": ["--" + kebab(property_name)],
        ".short": ["-" + property_name[0]],
        ".shortAndLong": ["--" + kebab(property_name), "-" + property_name[0]],
    }
    if text in simple:
        return simple[text]
    function, _, value = text.removesuffix(")").partition("(")
    if function == ".customLong" and (long := LONG.fullmatch(value)):
        return ["--" + long[1]]
    if function == ".customShort" and (short := SHORT.fullmatch(value)):
        return ["-" + short[1]]
    raise source.error(start, f"the script does not understand the name {text}. It understands .long, .short, .shortAndLong, "
                       '.customLong("name") and .customShort("n").')


def kebab(name):
    """The words of a property's name with hyphens, as argument-parser 1.8 separates them: noALPN is no-alpn."""
    out, separates = "", True
    for index, character in enumerate(name):
        if character.isupper():
            out += "-" if separates and out else ""
            separates = name[index + 1:index + 2].isupper() and name[index + 2:index + 3].islower()
        else:
            separates = character != "-"
        out += character.lower()
    return out
