/** Limits of repositories, jobs and their clients, in bytes (docs/configuration.md). */
export interface RepositoryLimits {
  /** The largest content within a response; larger ones must be streamed. */
  inlineBytes: number;
  /** The largest object that may be pushed or imported. */
  objectBytes: number;
  /** The largest push. */
  pushBytes: number;
  /** The size to which a compressed body of a git client may unpack. */
  unzippedBytes: number;
  /** The total size of the files in an archive. */
  archiveBytes: number;
  /** The size of a repository on the disk; Infinity if unlimited. */
  quotaBytes: number;
  /** The size of a stored job log. */
  traceBytes: number;
  /** The largest artifacts of a job; 0 if none are accepted. */
  artifactsBytes: number;
  /** The largest file of a package; 0 if none are accepted. */
  packageFileBytes: number;
  /** The largest object of large file storage (Git LFS), in bytes; 0 turns uploads off. */
  lfsObjectBytes: number;
  /** The largest blob of a container image, in bytes; 0 turns pushing images off. */
  containerBlobBytes: number;
}

export const DEFAULT_LIMITS: RepositoryLimits = {
  inlineBytes: 20 * 1024 ** 2,
  objectBytes: 2 * 1024 ** 3,
  pushBytes: 4 * 1024 ** 3,
  unzippedBytes: 16 * 1024 ** 2,
  archiveBytes: 2 * 1024 ** 3,
  quotaBytes: Number.POSITIVE_INFINITY,
  traceBytes: 4 * 1024 ** 2,
  artifactsBytes: 100 * 1024 ** 2,
  packageFileBytes: 5 * 1024 ** 3,
  lfsObjectBytes: 5 * 1024 ** 3,
  containerBlobBytes: 10 * 1024 ** 3,
};
