"""Functions that ONNX itself has for some of its operators, in terms of simpler ones."""

from __future__ import annotations

from typing import Any


class Bodies:
    """Those of the operators in a model. Some depend on the types of the inputs, which are inferred once one is asked for."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.types: dict[str, Any] | None = None

    def of(self, proto: Any, domain: str, version: int) -> tuple[Any, dict[str, Any]]:
        """The function of a node, as a FunctionProto, with the defaults of its attributes; None where there is none."""
        import onnx

        try:
            schema: Any = onnx.defs.get_schema(proto.op_type, version, domain)
        except onnx.defs.SchemaError:
            return None, {}
        found, text = onnx.FunctionProto(), b""
        if schema.has_function:
            text = schema.get_function_with_opset_version(_newest(schema.function_opset_versions, version))
        elif schema.has_context_dependent_function:
            types = [self.type_of(name) for name in proto.input]
            if all(type is not None for type in types):
                newest = _newest(schema.context_dependent_function_opset_versions, version)
                text = schema.get_context_dependent_function_with_opset_version(newest, proto.SerializeToString(), types)
        if not text:
            return None, {}
        found.ParseFromString(text)
        defaults = {name: onnx.helper.get_attribute_value(each.default_value) for name, each in schema.attributes.items() if each.default_value.name}
        return found, {name: value.decode() if isinstance(value, bytes) else value for name, value in defaults.items()}

    def type_of(self, name: str) -> bytes | None:
        """A value's type; None where it isn't known, as inside of functions."""
        import onnx

        if not name:
            return bytes(onnx.TypeProto().SerializeToString())
        if self.types is None:
            inferred = onnx.shape_inference.infer_shapes(self.model).graph if self.model.ByteSize() < 2**31 else self.model.graph
            self.types = {each.name: each.type for each in (*inferred.input, *inferred.value_info, *inferred.output)}
            for each in self.model.graph.initializer:
                self.types.setdefault(each.name, onnx.helper.make_tensor_type_proto(each.data_type, each.dims))
        found = self.types.get(name)
        return None if found is None else bytes(found.SerializeToString())


def _newest(versions: list[int], version: int) -> int:
    return max([each for each in versions if each <= version] or versions)
