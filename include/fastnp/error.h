// The exceptions that fastnp throws: one hierarchy, each named for the Python exception that NumPy raises in its place.
#pragma once

#include <stdexcept>
#include <string>

#include "fastnp/export.h"

namespace fastnp {

/// \addtogroup errors
/// @{

/// Base of all of them; catch this to catch whatever fastnp throws.
class FASTNP_API Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
    ~Error() override;
};

/// @}

#define FASTNP_ERROR(name, base)          \
    class FASTNP_API name : public base { \
    public:                               \
        using base::base;                 \
        ~name() override;                 \
    };

/// \addtogroup errors
/// @{

/// Shapes that do not fit, sizes and options that there are none of.
FASTNP_ERROR(ValueError, Error)
/// A dtype that an operation does not take, or a cast that the casting rule forbids.
FASTNP_ERROR(TypeError, Error)
/// A subscript, or an index among others, outside of an axis.
FASTNP_ERROR(IndexError, Error)
/// A number that the dtype does not hold.
FASTNP_ERROR(OverflowError, Error)
/// There is no memory for an array.
FASTNP_ERROR(MemoryError, Error)
/// A division by zero where NumPy has an error for it.
FASTNP_ERROR(ZeroDivisionError, Error)
/// Memory that can't be shared with another library.
FASTNP_ERROR(BufferError, Error)
/// numpy.exceptions.AxisError: an axis outside the array's dimensions.
FASTNP_ERROR(AxisError, ValueError)
/// numpy.linalg.LinAlgError.
FASTNP_ERROR(LinAlgError, ValueError)
/// A device can't be used; the message says what is missing. Python: RuntimeError.
FASTNP_ERROR(DeviceError, Error)
/// Ranks that compute together do not agree, or one of them is lost or does not come in time; the message says which. Python: fastnp.dist.RankError.
FASTNP_ERROR(RankError, Error)
/// A function did something that a recording can't hold; the message says what. compile() then runs it uncompiled.
FASTNP_ERROR(RecordError, Error)
/// A recording with too many steps or reads of values, in a loop as a rule.
FASTNP_ERROR(LongRecordError, RecordError)
/// A compiled function needs more entries than its cache_size_limit, and its policy is to raise.
FASTNP_ERROR(CacheLimitError, Error)
/// A compiled function depends on something that is not guarded and that changed (CompileOptions::verify).
FASTNP_ERROR(VerifyError, Error)
/// fastnp's own fault: an invariant does not hold.
FASTNP_ERROR(InternalError, Error)
/// @}

#undef FASTNP_ERROR

}  // namespace fastnp
