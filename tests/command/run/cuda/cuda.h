/* The part of cuda.h that exports use, for tests without CUDA. The types have the layouts of CUDA 12.5 to 13.5. */
#pragma once
#ifndef CUDA_VERSION
#define CUDA_VERSION 13010
#endif
#ifdef __cplusplus
extern "C" {
#endif
typedef enum { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION = 915 } CUresult;
typedef int CUdevice;
typedef struct CUctx_st *CUcontext;
typedef struct CUstream_st *CUstream;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef enum { CU_DEV_RESOURCE_TYPE_INVALID = 0, CU_DEV_RESOURCE_TYPE_SM = 1, CU_DEV_RESOURCE_TYPE_WORKQUEUE_CONFIG = 1000 } CUdevResourceType;
typedef struct { unsigned smCount, minSmPartitionSize, smCoscheduledAlignment, flags; } CUdevSmResource;
typedef enum { CU_WORKQUEUE_SCOPE_DEVICE_CTX = 0, CU_WORKQUEUE_SCOPE_GREEN_CTX_BALANCED = 1 } CUdevWorkqueueConfigScope;
typedef struct { CUdevice device; unsigned wqConcurrencyLimit; CUdevWorkqueueConfigScope sharingScope; } CUdevWorkqueueConfigResource;
typedef struct CUdevResource_st {
  CUdevResourceType type;
  unsigned char internal[92];
  union {
    CUdevSmResource sm;
#if CUDA_VERSION >= 13010
    CUdevWorkqueueConfigResource wqConfig;
#endif
    unsigned char oversize[40];
  };
  struct CUdevResource_st *nextResource;
} CUdevResource;
enum { CU_GREEN_CTX_DEFAULT_STREAM = 1, CU_STREAM_NON_BLOCKING = 1 };
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuStreamDestroy cuStreamDestroy_v2
CUresult cuInit(unsigned flags);
CUresult cuDriverGetVersion(int *version);
CUresult cuGetErrorName(CUresult error, const char **name);
CUresult cuDeviceGet(CUdevice *device, int ordinal);
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult cuDevicePrimaryCtxRelease(CUdevice device);
CUresult cuCtxSetCurrent(CUcontext context);
CUresult cuDeviceGetDevResource(CUdevice device, CUdevResource *resource, CUdevResourceType type);
CUresult cuDevSmResourceSplitByCount(CUdevResource *result, unsigned *groups, const CUdevResource *input, CUdevResource *rest, unsigned flags, unsigned least);
CUresult cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources, unsigned count);
CUresult cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc description, CUdevice device, unsigned flags);
CUresult cuGreenCtxDestroy(CUgreenCtx context);
CUresult cuGreenCtxGetDevResource(CUgreenCtx context, CUdevResource *resource, CUdevResourceType type);
CUresult cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned flags, int priority);
CUresult cuStreamDestroy(CUstream stream);
CUresult cuStreamSynchronize(CUstream stream);
#if CUDA_VERSION >= 13010
enum { CU_DEV_SM_RESOURCE_GROUP_BACKFILL = 1 };
typedef struct { unsigned smCount, coscheduledSmCount, preferredCoscheduledSmCount, flags, reserved[12]; } CU_DEV_SM_RESOURCE_GROUP_PARAMS;
CUresult cuDevSmResourceSplit(CUdevResource *result, unsigned groups, const CUdevResource *input, CUdevResource *rest, unsigned flags, CU_DEV_SM_RESOURCE_GROUP_PARAMS *parameters);
#endif
#ifdef __cplusplus
}
#endif
