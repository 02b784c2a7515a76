/** The codes of the OCI distribution specification, with their statuses. */
export const REGISTRY_STATUS = {
  BLOB_UNKNOWN: 404,
  BLOB_UPLOAD_INVALID: 400,
  BLOB_UPLOAD_UNKNOWN: 404,
  DIGEST_INVALID: 400,
  MANIFEST_BLOB_UNKNOWN: 404,
  MANIFEST_INVALID: 400,
  MANIFEST_UNKNOWN: 404,
  NAME_INVALID: 400,
  NAME_UNKNOWN: 404,
  PAGINATION_NUMBER_INVALID: 400,
  RANGE_INVALID: 416,
  SIZE_INVALID: 400,
  TAG_INVALID: 400,
  TOO_LARGE: 413,
  UNSUPPORTED: 405,
} as const;

export type RegistryCode = keyof typeof REGISTRY_STATUS;

/** What a client of the registry is told under a code of its specification. */
export class RegistryError extends Error {
  readonly code: RegistryCode;
  readonly detail: Record<string, unknown>;

  constructor(code: RegistryCode, message: string, detail: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}
