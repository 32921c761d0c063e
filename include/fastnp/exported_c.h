/* Exported functions for C, and for languages that call C: what fastnp.export() and fastnp::export_library() wrote to a library is opened and called.
 *
 * Link with libfastnp. Nothing is compiled: libfastnp_codegen, LLVM and Python need not be there. All functions are thread-safe, but for calls that write
 * to one array. Those that can fail give 0 where they don't, else another number, and fastnp_exported_error() tells this thread why.
 *
 * The functions and the struct stay as they are (docs/users/export.md). */
#ifndef FASTNP_EXPORTED_C_H
#define FASTNP_EXPORTED_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FASTNP_C_API __attribute__((visibility("default")))
#else
#define FASTNP_C_API
#endif

enum fastnp_dtype {
    FASTNP_BOOL = 0,
    FASTNP_INT8 = 1,
    FASTNP_UINT8 = 2,
    FASTNP_INT16 = 3,
    FASTNP_UINT16 = 4,
    FASTNP_INT32 = 5,
    FASTNP_UINT32 = 6,
    FASTNP_INT64 = 7,
    FASTNP_UINT64 = 8,
    FASTNP_FLOAT16 = 9,
    FASTNP_BFLOAT16 = 10,
    FASTNP_FLOAT32 = 11,
    FASTNP_FLOAT64 = 12,
    FASTNP_COMPLEX64 = 13,  /* two floats: the real and the imaginary part */
    FASTNP_COMPLEX128 = 14
};

/* What fastnp_exported_call() gives where it fails, and what Python would raise. */
enum fastnp_status {
    FASTNP_OK = 0,
    FASTNP_VALUE_ERROR = 1,  /* shapes, sizes, damaged files */
    FASTNP_TYPE_ERROR = 2,   /* dtypes, numbers of arguments */
    FASTNP_INDEX_ERROR = 3,
    FASTNP_MEMORY_ERROR = 4,
    FASTNP_OTHER_ERROR = 5
};

enum { FASTNP_MOST_AXES = 64 };

/** An array: `data` is its first element. Of an argument: the caller's own; `owner` is null. Of a result: it is there until fastnp_exported_release(). A
 * function that returns an argument, or a view of one, gives a result in the argument's memory, which has to be there as long. */
typedef struct fastnp_exported_array {
    void* data;       /**< its first element */
    int32_t dtype;    /**< enum fastnp_dtype */
    int32_t ndim;     /**< at most FASTNP_MOST_AXES */
    int64_t* shape;   /**< ndim sizes */
    int64_t* strides; /**< ndim steps in bytes; of an argument null: C order */
    void* owner;      /**< of a result: what it holds */
} fastnp_exported_array;

typedef struct fastnp_exported_function fastnp_exported_function;

/* Opens a file, and takes its first function. `*function` is the caller's, until fastnp_exported_close(); null where it fails. */
FASTNP_C_API int fastnp_exported_open(const char* path, fastnp_exported_function** function);
/* The same of a file with several functions: the one of that name. */
FASTNP_C_API int fastnp_exported_open_named(const char* path, const char* name, fastnp_exported_function** function);
FASTNP_C_API void fastnp_exported_close(fastnp_exported_function* function);

/* How many arrays it takes and gives. */
FASTNP_C_API int32_t fastnp_exported_parameters(const fastnp_exported_function* function);
FASTNP_C_API int32_t fastnp_exported_results(const fastnp_exported_function* function);

/* Calls it: `arguments` has as many arrays as it takes, `results` room for as many as it gives. */
FASTNP_C_API int fastnp_exported_call(const fastnp_exported_function* function, const fastnp_exported_array* arguments, fastnp_exported_array* results);
/* Frees a result. */
FASTNP_C_API void fastnp_exported_release(fastnp_exported_array* result);

/* Why the last of these functions that this thread called failed; empty if it did not. */
FASTNP_C_API const char* fastnp_exported_error(void);

#ifdef __cplusplus
}
#endif

#endif
