// FASTNP_API marks what libfastnp exports; everything else is hidden.
#pragma once

#if defined(__GNUC__)
#define FASTNP_API __attribute__((visibility("default")))
#else
#define FASTNP_API
#endif
