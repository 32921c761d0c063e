"""The source of functions, found and cut: which code the frame and the parts of a function have (see _parts.py).

The source is used only if it compiles to the very code of the function.
"""

from __future__ import annotations

import ast
import copy
import linecache
import sys
import types
import weakref
from collections.abc import Iterator
from typing import Any

from fastnp import _syntax
from fastnp._bytecode import codes_of, has_loops
from fastnp._cut import Cut, Part
from fastnp._loop_comprehensions import expanded
from fastnp._loop_regions import is_region
from fastnp._loop_resume import LOCALS, UNBOUND_NAME
from fastnp._loop_scan import may_be_native, outermost_loops
from fastnp._names import KNOWN_BUILTINS, Uses, own_nodes
from fastnp._parts import FOLLOW, UNBOUND, Cuts, PartCode, Place
from fastnp._stand_ins import OWN_FOLDS
from fastnp._straight import Straight, straight_of
from fastnp._unfold import Unfold, place_of

__all__ = ["Source", "definition", "has_native_loops"]

_LOOKS_AT_FRAMES = frozenset(["locals", "vars", "eval", "exec", "dir"])
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_BREAKS = (ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom, ast.Match, ast.AsyncFor, ast.AsyncWith)  # that no recording gets to
_NESTED = 0x10  # in co_flags
_FUTURES = 0x1FE0000
_GO_ON = "_fastnp_go_on"  # what is called where a frame would stand


def _code_of(node: Any, free: tuple[str, ...], like: types.CodeType, imported: set[str]) -> types.CodeType:
    """The code of a function within one that has the variables `free`, in a module that imports these names (calls of what is in them differ)."""
    none = ast.Constant(None)
    node = copy.copy(node)
    node.args = _syntax.copied(node.args)
    node.args.defaults = [none for _ in node.args.defaults]
    node.args.kw_defaults = [each and none for each in node.args.kw_defaults]
    for each in _syntax.walk(node.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns, node.name = [], None, "_fastnp_function"  # its own name may be a global's
    assigns: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], none) for name in free]
    statement = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    empty = ast.arguments([], [], None, [], [], None, [])
    imports = [ast.Import([ast.alias(name)]) for name in sorted(imported)]
    module = ast.Module([*imports, definition("_fastnp_made", empty, [*assigns, statement])], [])
    made = compile(_syntax.located(module), like.co_filename, "exec", flags=like.co_flags & _FUTURES, dont_inherit=True)
    outer = next(each for each in made.co_consts if isinstance(each, types.CodeType))
    return next(each for each in outer.co_consts if isinstance(each, types.CodeType))


def _named_as(own: types.CodeType, made: types.CodeType) -> types.CodeType:
    """Code that was made anew, by the name of what it is in the place of; so are functions in it."""
    before = len(made.co_qualname)

    def renamed(code: types.CodeType, name: str) -> types.CodeType:
        consts = tuple(renamed(each, each.co_name) if isinstance(each, types.CodeType) else each for each in code.co_consts)
        return code.replace(co_name=name, co_qualname=own.co_qualname + code.co_qualname[before:], co_consts=consts)

    return renamed(made, own.co_name)


def _positions(code: types.CodeType) -> list[Any]:
    """Where the instructions are; those at the beginning have no column, and the line of a decorator."""
    return [position for position in code.co_positions() if position[3]]


def _same_code(a: types.CodeType, b: types.CodeType) -> bool:
    for name in "co_code co_names co_varnames co_freevars co_cellvars co_argcount co_kwonlyargcount co_posonlyargcount co_exceptiontable".split():
        if getattr(a, name) != getattr(b, name):
            return False
    if (a.co_flags ^ b.co_flags) & ~_NESTED or _positions(a) != _positions(b) or len(a.co_consts) != len(b.co_consts):
        return False
    for x, y in zip(a.co_consts, b.co_consts, strict=True):
        if isinstance(x, types.CodeType) and isinstance(y, types.CodeType):
            if not _same_code(x, y):
                return False
        elif type(x) is not type(y) or repr(x) != repr(y):
            return False
    return True


def _imports(tree: ast.AST) -> set[str]:
    """The names that a module imports."""
    return Uses(*(node for node in own_nodes(tree) if isinstance(node, (ast.Import, ast.ImportFrom)))).stores


def _trees(function: types.FunctionType, lines: list[str]) -> Iterator[tuple[ast.AST, set[str]]]:
    """The statement that a function is from, then the whole file; with the names that are imported, by the looks of it."""
    code = function.__code__
    modules = {name for name in code.co_names if isinstance(function.__globals__.get(name), types.ModuleType)}
    first, end = code.co_firstlineno, max(position[1] or 0 for each in codes_of(code) for position in each.co_positions())
    indented = lines[first - 1][:1] in (" ", "\t")
    blocks = ["".join(lines[first - 1 : end + more]) for more in range(3)]  # closing brackets may follow
    for text, before in (*((f"if 1:\n{block}" if indented else block, first - 1 - indented) for block in blocks), ("".join(lines), 0)):
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        _syntax.lowered(tree, before)
        for imported in (_imports(tree) or modules, set()):
            yield tree, imported


def _find(function: types.FunctionType) -> tuple[Any, set[str]]:
    """The function's definition, or None, and what its module imports."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not 0 < code.co_firstlineno <= len(lines) or not _LOOKS_AT_FRAMES.isdisjoint(code.co_names):
        return None, set()
    named = [value for name, value in function.__globals__.items() if name in KNOWN_BUILTINS]
    is_other = any(all(value is not own for own in OWN_FOLDS) for value in named)
    if is_other or not KNOWN_BUILTINS.isdisjoint((*code.co_varnames, *code.co_cellvars, *code.co_freevars)):  # something else by these names
        return None, set()
    for tree, imported in _trees(function, lines):
        for node in _syntax.walk(tree):
            if not isinstance(node, _FUNCTIONS) or getattr(node, "name", "<lambda>") != code.co_name:
                continue
            lines_of_it = [node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))]
            if min(lines_of_it) == code.co_firstlineno and _same_code(_code_of(node, code.co_freevars, code, imported), code):
                return node, imported
    return None, set()


def _is_private(node: ast.AST) -> bool:
    """Whether it has a name that classes change."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    return name.startswith("__") and not name.endswith("__")


def _contains(node: Any, place: Place) -> bool:
    begin, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    return begin <= (place[0], place[2]) and (place[1], place[3]) <= end


class _Super(ast.NodeTransformer):
    """``super()`` with its arguments, which a part does not have as its first."""

    def __init__(self, first: str) -> None:
        self.first = first

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and not node.keywords:
            node.args = [ast.copy_location(ast.Name(name, ast.Load()), node) for name in ("__class__", self.first)]
        return node

    def _stop(self, node: Any) -> Any:
        """Functions that are made in it have a first argument of their own."""
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = visit_ClassDef = visit_GeneratorExp = _stop
    if sys.version_info < (3, 12):  # comprehensions are functions
        visit_ListComp = visit_SetComp = visit_DictComp = _stop


class _Follow(ast.NodeTransformer):
    """``f(x)`` with what is followed in the place of f; ``x.name`` by a property that is."""

    def __init__(self, places: set[Place], as_written: set[int]) -> None:
        self.places = places
        self.as_written = as_written
        self.count = 0

    def visit_Call(self, node: ast.Call) -> ast.Call:
        is_followed = place_of(node) in self.places and id(node) not in self.as_written
        self.generic_visit(node)
        if is_followed:
            node.func = self.followed(node.func)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        is_followed = place_of(node) in self.places and id(node) not in self.as_written and isinstance(node.ctx, ast.Load)
        self.generic_visit(node)
        return self.followed(node.value, ast.Constant(node.attr), at=node) if is_followed else node

    def followed(self, *operands: ast.expr, at: ast.expr | None = None) -> ast.Call:
        self.count += 1
        made = ast.Call(ast.Name(FOLLOW, ast.Load()), list(operands), [])
        return _syntax.located(ast.copy_location(made, at or operands[0]))


_known_trees: weakref.WeakKeyDictionary[types.CodeType, tuple[Any, set[str]]] = weakref.WeakKeyDictionary()  # of functions that are made here


_GENERATORS = 0x2A0  # in co_flags
_native_loops: weakref.WeakKeyDictionary[types.CodeType, bool] = weakref.WeakKeyDictionary()


def has_native_loops(code: types.CodeType, space: dict[str, Any]) -> bool:
    """Whether a function with this code and these globals has loops that may be native code."""
    if code not in _native_loops:
        package = str(space.get("__name__", "")).partition(".")[0]
        is_users = package not in sys.stdlib_module_names and package not in ("numpy", "fastnp")
        found = is_users and has_loops(code) and not code.co_flags & _GENERATORS and code.co_name[:1] != "<"
        if found:
            cells = tuple(types.CellType() for _ in code.co_freevars)
            tree = Source(types.FunctionType(code, space, code.co_name, None, cells)).tree
            found = tree is not None and any(may_be_native(loop) for loop in outermost_loops(tree))
        _native_loops[code] = found
    return _native_loops[code]


class Source:
    """The definition of a function; `tree` is None where it can't be found, or is not to be cut."""

    def __init__(self, function: types.FunctionType) -> None:
        self.function = function
        self.tree, self.imported = _known_trees.get(function.__code__) or _find(function)
        if self.tree is not None and any(_is_private(each) for each in _syntax.walk(self.tree)):
            self.tree = None
        self.made: frozenset[str] = frozenset()  # variables that the function has not

    def expand(self, places: set[Place]) -> None:
        """Comprehensions at these places become loops; whatever else has the definition keeps it as it is."""
        self.tree, self.made = expanded(self.tree, lambda statement: place_of(statement) in places)

    def cut_at(self, cuts: Cuts, place: Place, is_long: bool, is_inside: bool, loops_there: bool = False) -> None:
        """Adds what a recording came upon: a loop of too many turns, or something that can't be recorded, perhaps in a function that is called there.

        `loops_there`: there are loops in that function, too.
        """
        loops = [node for node in _syntax.walk(self.tree) if isinstance(node, (ast.For, ast.While)) and not is_region(node) and _contains(node, place)]
        outermost = next((place_of(loop) for loop in loops if place_of(loop) not in cuts.loops), None)
        if loops and place_of(loops[0]) not in cuts.unfit | cuts.native and may_be_native(loops[0]):
            cuts.native.add(place_of(loops[0]))  # the cut is for when it turns out to be none
        if is_long and outermost is not None:
            cuts.loops.add(outermost)
            if not loops_there:
                return
        nodes: list[Any] = [node for node in _syntax.walk(self.tree) if isinstance(node, (ast.expr, ast.stmt)) and _contains(node, place)]
        if not nodes:
            return
        broken = nodes[-1]  # the innermost, as ast.walk goes by levels
        for node in nodes:
            if isinstance(node, ast.Call) and node.func is broken:
                broken = node
        cuts.places.add(place_of(broken))
        if isinstance(broken, ast.Call):
            text = ast.dump(broken.func)
            same = {place_of(node) for node in _syntax.walk(self.tree) if isinstance(node, ast.Call) and ast.dump(node.func) == text}
            cuts.places |= same
            if is_inside:
                cuts.followed |= same
        elif is_inside and isinstance(broken, ast.Attribute):
            cuts.followed.add(place_of(broken))

    def cut_at_end(self, cuts: Cuts) -> bool:
        """Whether there is anything to cut where no place is known: else what is returned, which a recording can't hold once it got to its end."""
        if any(isinstance(node, _BREAKS) for node in _syntax.walk(self.tree)):
            return True
        returned = [node.value for node in own_nodes(ast.Module(getattr(self.tree, "body", []), [])) if isinstance(node, ast.Return) and node.value]
        cuts.places |= {place_of(value) for value in returned if not isinstance(value, (ast.Name, ast.Constant))}
        return bool(cuts.places)

    def cut(self, cuts: Cuts) -> tuple[types.CodeType | None, list[PartCode], tuple[Straight, types.CodeType] | None]:
        """The code of the frame, or None, and of the parts; what a straight frame does, and the code of its context. Free variables of the frame are
        those of the function, and the names of the parts."""
        code = self.function.__code__
        tree = _syntax.copied(self.tree)
        if isinstance(tree, ast.Lambda):
            body = ast.copy_location(ast.Return(tree.body), tree.body)
            tree = ast.copy_location(definition(code.co_name, tree.args, [body]), tree)
        if "__class__" in code.co_freevars and code.co_argcount:
            tree.body = [_Super(code.co_varnames[0]).visit(statement) for statement in tree.body]
        loops = [node for node in _syntax.walk(tree) if isinstance(node, (ast.For, ast.While)) and place_of(node) in cuts.native]
        as_written = {id(node) for loop in loops for node in _syntax.walk(loop)}
        follow = _Follow(cuts.followed, as_written)
        tree.body = [follow.visit(statement) for statement in tree.body]
        names = set(code.co_varnames) | set(code.co_cellvars) | self.made
        captured = Uses(*tree.body).captured & names
        unfold = Unfold(tree, cuts.places, cuts.loops, names - captured, cuts.native)
        cut = Cut(tree, names | unfold.steady, captured, cuts.native)
        cuts.not_parts = cut.not_parts
        if not cut.parts and not follow.count:
            return None, [], None
        tree.body = cut.body
        parts = [self.part_code(part) for part in cut.parts]
        straight = straight_of(tree, cut.parts)
        told = (straight, self.code_of(context_of(tree, cut.parts[0].name), [])) if straight else None
        return self.code_of(tree, [FOLLOW, UNBOUND, UNBOUND_NAME, *(part.name for part in cut.parts)]), parts, told

    def function_of(self, tree: Any) -> types.FunctionType:
        """The function with another definition, which captures nothing."""
        own = self.function
        code = _named_as(own.__code__, _code_of(tree, (), own.__code__, self.imported))
        made = types.FunctionType(code, own.__globals__, own.__name__, own.__defaults__)
        made.__kwdefaults__, made.__qualname__, made.__module__ = own.__kwdefaults__, own.__qualname__, own.__module__
        _known_trees[code] = tree, self.imported
        return made

    def part_code(self, part: Part) -> PartCode:
        arguments = ast.arguments([], [ast.arg(name) for name in part.takes], None, [], [], None, [])
        tree = ast.copy_location(definition(self.function.__code__.co_name, arguments, part.body), part.body[0])
        lines = sorted({part.body[0].lineno, max(each.end_lineno or each.lineno for each in part.body)})
        return PartCode(part.name, part.takes, self.code_of(tree, [LOCALS, UNBOUND_NAME]), "-".join(map(str, lines)), part.gives, part.loop)

    def code_of(self, tree: Any, names: list[str]) -> types.CodeType:
        own = self.function.__code__
        return _named_as(own, _code_of(tree, (*own.co_freevars, *names), own, self.imported))


def definition(name: str, arguments: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    extra: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeAlias") else {}
    return ast.FunctionDef(name, arguments, body, [], **extra)


def context_of(tree: ast.FunctionDef, part: str) -> ast.FunctionDef:
    """A function that calls what it is given, at the place where the frame calls its part."""
    at = next(node for node in _syntax.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == part)
    call = ast.Call(ast.Name(_GO_ON, ast.Load()), [], [])
    made = definition(tree.name, ast.arguments([], [ast.arg(_GO_ON)], None, [], [], None, []), [ast.Return(call)])
    for node in _syntax.walk(made):
        if isinstance(node, (ast.expr, ast.stmt, ast.arg)):
            ast.copy_location(node, at)
    return ast.copy_location(made, tree)
