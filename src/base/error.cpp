// Out of line, so that each exception's type information lives in this library alone.
#include "fastnp/error.h"

namespace fastnp {

#define FASTNP_ERROR(name) name::~name() = default;
FASTNP_ERROR(Error)
FASTNP_ERROR(ValueError)
FASTNP_ERROR(TypeError)
FASTNP_ERROR(IndexError)
FASTNP_ERROR(OverflowError)
FASTNP_ERROR(MemoryError)
FASTNP_ERROR(ZeroDivisionError)
FASTNP_ERROR(BufferError)
FASTNP_ERROR(AxisError)
FASTNP_ERROR(LinAlgError)
FASTNP_ERROR(DeviceError)
FASTNP_ERROR(RankError)
FASTNP_ERROR(RecordError)
FASTNP_ERROR(LongRecordError)
FASTNP_ERROR(CacheLimitError)
FASTNP_ERROR(VerifyError)
FASTNP_ERROR(InternalError)
#undef FASTNP_ERROR

}  // namespace fastnp
