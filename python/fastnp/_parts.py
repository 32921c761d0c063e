"""Functions that can't be recorded as a whole: compiled in parts, between which Python goes on.

The first recording that ends at a break (a call of something that can't be followed, an effect in a ``try``, too many turns of a loop) says where. Then
the function is cut there: its frame (`_cut.py`) is run by Python and calls the parts, each a compiled function. A part that breaks is cut further.
The source is used only if it compiles to the very code of the function.
"""

from __future__ import annotations

import ast
import copy
import linecache
import types
import weakref
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fastnp import _compile
from fastnp._bytecode import codes_of
from fastnp._cut import UNBOUND, Cut, Part
from fastnp._names import Uses, own_nodes
from fastnp._stand_ins import is_own_frame
from fastnp._unfold import Place, Unfold, place_of

__all__ = ["Break", "Parts"]

_LOOKS_AT_FRAMES = frozenset(["locals", "vars", "eval", "exec", "dir"])
_FOLLOW = "_fastnp_follow"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_NESTED = 0x10  # in co_flags
_FUTURES = 0x1FE0000
_MOST_CUTS = 100


class Break(NamedTuple):
    """Where a recording ended."""

    reason: str
    stack: list[str]  # of the user's, the outermost first
    milliseconds: float  # that the recording had taken


# The source.


def _code_of(node: Any, free: tuple[str, ...], like: types.CodeType, imported: set[str]) -> types.CodeType:
    """The code of a function, as it is within one that has the variables `free`, in a module that imports these names (calls of what is in them differ)."""
    none = ast.Constant(None)
    node = copy.copy(node)
    node.args = copy.deepcopy(node.args)
    node.args.defaults = [none for _ in node.args.defaults]
    node.args.kw_defaults = [each and none for each in node.args.kw_defaults]
    for each in ast.walk(node.args):
        if isinstance(each, ast.arg):
            each.annotation = None
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns = [], None
    assigns: list[ast.stmt] = [ast.Assign([ast.Name(name, ast.Store())], none) for name in free]
    statement = ast.Expr(node) if isinstance(node, ast.Lambda) else node
    empty = ast.arguments([], [], None, [], [], None, [])
    extra: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeAlias") else {}
    imports = [ast.Import([ast.alias(name)]) for name in sorted(imported)]
    module = ast.Module([*imports, ast.FunctionDef("_fastnp_made", empty, [*assigns, statement], [], **extra)], [])
    made = compile(ast.fix_missing_locations(module), like.co_filename, "exec", flags=like.co_flags & _FUTURES, dont_inherit=True)
    outer = next(each for each in made.co_consts if isinstance(each, types.CodeType))
    return next(each for each in outer.co_consts if isinstance(each, types.CodeType))


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
        ast.increment_lineno(tree, before)
        for imported in (_imports(tree) or modules, set()):
            yield tree, imported


def _find(function: types.FunctionType) -> tuple[Any, set[str]]:
    """The function's definition, or None, and what its module imports."""
    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not 0 < code.co_firstlineno <= len(lines) or not _LOOKS_AT_FRAMES.isdisjoint(code.co_names):
        return None, set()
    for tree, imported in _trees(function, lines):
        for node in ast.walk(tree):
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


# Places.


def _place_in(frames: list[tuple[types.CodeType, int]], code: types.CodeType) -> Place | None:
    for each, instruction in frames:
        if each is code:
            line, end_line, column, end_column = list(each.co_positions())[instruction // 2]
            if None not in (line, end_line, column, end_column):
                return line, end_line, column, end_column  # type: ignore[return-value]
    return None


def _frames(traceback: types.TracebackType | None) -> list[tuple[types.CodeType, int]]:
    """(code, instruction) of the user's functions, the outermost first."""
    found = []
    while traceback is not None:
        if not is_own_frame(traceback.tb_frame):
            found.append((traceback.tb_frame.f_code, traceback.tb_lasti))
        traceback = traceback.tb_next
    return found


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


class Parts:
    """The parts of one function, as far as it is known where it breaks. `frame` is what to call in its place, or None."""

    def __init__(self, function: Any, options: Mapping[str, Any], title: str) -> None:
        self.function = function
        self.options = options
        self.title = title
        self.tree, self.imported = _find(function) if type(function) is types.FunctionType else (None, set())
        if self.tree is not None and any(_is_private(each) for each in ast.walk(self.tree)):
            self.tree = None
        self.breaks: list[Break] = []
        self.places: set[Place] = set()
        self.loops: set[Place] = set()
        self.followed: set[Place] = set()
        self.follows: set[types.CodeType] = set()
        self.compiled: dict[Any, Any] = {}  # functions that are called at breaks
        self.known: dict[Any, Any] = {}  # compiled parts by what they consist of
        self.functions: list[Any] = []  # those of the frame
        self.frame: Any = None
        self.cuts = 0

    def broke(self, code: types.CodeType, traceback: types.TracebackType | None, reason: str, is_long: bool, milliseconds: float) -> None:
        """Cuts at the place where the recording of the function, or of a part of it, ended."""
        frames = _frames(traceback)
        stack = [f"{each.co_filename}:{_line(each, at)}, in {each.co_qualname}" for each, at in frames]
        if (reason, stack) not in [found[:2] for found in self.breaks]:
            self.breaks.append(Break(reason, stack, milliseconds))
        self.cuts += 1
        if self.tree is None or self.cuts > _MOST_CUTS:
            self.frame = None if self.cuts > _MOST_CUTS else self.frame
            return
        place = _place_in(frames, code)
        if place is not None:
            self.add(place, is_long, frames[1:])
        elif traceback is not None or self.frame is not None:
            return  # somewhere else
        self.frame = self.make()

    def add(self, place: Place, is_long: bool, inner: list[tuple[types.CodeType, int]]) -> None:
        loops = [node for node in ast.walk(self.tree) if isinstance(node, (ast.For, ast.While)) and _contains(node, place)]
        outermost = next((place_of(loop) for loop in loops if place_of(loop) not in self.loops), None)
        if is_long and outermost is not None:
            self.loops.add(outermost)
            return
        nodes: list[Any] = [node for node in ast.walk(self.tree) if isinstance(node, (ast.expr, ast.stmt)) and _contains(node, place)]
        if not nodes:
            return
        broken = nodes[-1]  # the innermost, as ast.walk goes by levels
        for node in nodes:
            if isinstance(node, ast.Call) and node.func is broken:
                broken = node
        self.places.add(place_of(broken))
        if isinstance(broken, ast.Call):
            text = ast.dump(broken.func)
            same = [node for node in ast.walk(self.tree) if isinstance(node, ast.Call) and ast.dump(node.func) == text]
            self.places.update(place_of(node) for node in same)
            if inner:
                self.follows.add(inner[0][0])
                self.followed.update(place_of(node) for node in same)

    # The frame.

    def make(self) -> Any:
        code = self.function.__code__
        tree = copy.deepcopy(self.tree)
        if isinstance(tree, ast.Lambda):
            body = ast.copy_location(ast.Return(tree.body), tree.body)
            extra: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeAlias") else {}
            tree = ast.copy_location(ast.FunctionDef(code.co_name, tree.args, [body], [], **extra), tree)
        if "__class__" in code.co_freevars and code.co_argcount:
            tree = _Super(code.co_varnames[0]).visit(tree)
        self.mark_followed(tree)
        names = set(code.co_varnames) | set(code.co_cellvars)
        captured = Uses(*tree.body).captured & names
        known = {name: value for name, value in self.function.__globals__.items() if name not in names}
        unfold = Unfold(tree, self.places, self.loops, names - captured, known)
        cut = Cut(tree, names | unfold.steady, captured)
        if not cut.parts:
            self.functions = []
            return None
        tree.body = cut.body
        self.functions = [self.compiled_part(part) for part in cut.parts]
        cells = {part.name: types.CellType(made) for part, made in zip(cut.parts, self.functions, strict=True)}
        cells[_FOLLOW] = types.CellType(self.follow)
        cells[UNBOUND] = types.CellType(NameError)
        return self.function_of(tree, cells)

    def mark_followed(self, tree: ast.AST) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and place_of(node) in self.followed:
                follow = ast.Call(ast.Name(_FOLLOW, ast.Load()), [node.func], [])
                node.func = ast.fix_missing_locations(ast.copy_location(follow, node.func))

    def function_of(self, tree: Any, cells: Mapping[str, types.CellType]) -> types.FunctionType:
        """The function with another body, in place of the function."""
        source = self.function
        own = source.__code__
        cells = {**dict(zip(own.co_freevars, source.__closure__ or (), strict=True)), **cells}
        code = _code_of(tree, tuple(cells), own, self.imported)
        code = code.replace(co_name=own.co_name, co_qualname=own.co_qualname)
        made = types.FunctionType(code, source.__globals__, source.__name__, None, tuple(cells[name] for name in code.co_freevars))
        made.__defaults__, made.__kwdefaults__ = source.__defaults__, source.__kwdefaults__
        made.__qualname__, made.__module__ = source.__qualname__, source.__module__
        return made

    def compiled_part(self, part: Part) -> Any:
        key = (part.takes, tuple((ast.dump(each), each.lineno) for each in part.body))
        if key not in self.known:
            arguments = ast.arguments([], [ast.arg(name) for name in part.takes], None, [], [], None, [])
            extra: dict[str, Any] = {"type_params": []} if hasattr(ast, "TypeAlias") else {}
            tree = ast.copy_location(ast.FunctionDef(self.function.__code__.co_name, arguments, part.body, [], **extra), part.body[0])
            function = self.function_of(tree, {})
            function.__defaults__ = function.__kwdefaults__ = None
            lines = sorted({part.body[0].lineno, max(each.end_lineno or each.lineno for each in part.body)})
            title = f"{self.title}[{'-'.join(map(str, lines))}]"
            self.known[key] = _compile.make(function, self.options_of(part, title), PartSplit(weakref.ref(self), function.__code__))
        return self.known[key]

    def options_of(self, part: Part, title: str) -> dict[str, Any]:
        options = {**self.options, "fullgraph": False, "name": title}
        dynamic = options["dynamic"]
        if isinstance(dynamic, Mapping):
            flat = _compile.flat_dynamic(dynamic, self.function)
            names = self.function.__code__.co_varnames
            options["dynamic"] = {
                (part.takes.index(names[argument]), axis): _compile.Dim(name, low, high, multiple_of=multiple)
                for (argument, axis), (name, low, high, multiple) in flat.items()
                if names[argument] in part.takes
            }
        return options

    def follow(self, value: Any) -> Any:
        """A function that a recording broke in, compiled (in parts) by itself."""
        function = value.__func__ if type(value) is types.MethodType else value
        if type(function) is not types.FunctionType or function.__code__ not in self.follows or function.__code__.co_freevars not in ((), ("__class__",)):
            return value
        if function not in self.compiled:
            self.compiled[function] = _compile.compile(function, **{**self.options, "fullgraph": False, "dynamic": None, "name": None})
        made = self.compiled[function]
        return types.MethodType(made, value.__self__) if type(value) is types.MethodType else made

    def used(self) -> list[Any]:
        """The compiled functions that the frame calls."""
        return [*self.functions, *self.compiled.values()]


def _line(code: types.CodeType, instruction: int) -> int | None:
    return list(code.co_positions())[instruction // 2][0]


class PartSplit:
    """What a part calls when it breaks: it runs as written, and the next call of the function finds it cut."""

    def __init__(self, parts: weakref.ref[Parts], code: types.CodeType) -> None:
        self.parts = parts
        self.code = code

    def __call__(self, found: None, traceback: types.TracebackType | None, reason: str, is_long: bool, milliseconds: float) -> None:
        parts = self.parts()
        if parts is not None and traceback is not None:
            parts.broke(self.code, traceback, reason, is_long, milliseconds)
